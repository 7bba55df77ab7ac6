"""Non-interference: with the draws held fixed, every document must give the same bytes. Exact, without sampling.

What comes out of a method may depend on a document through the draws of its mechanism alone. So the draws are taken
from a fixed table (`draws.held`), and outputs, guarantees, the number and shapes of the draws, and all files of a
job must be the same for every document: or, where a method says that it copies a habit, for a document and a plain one
that shares this habit.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from allonym.anonymizers.auditing import PLAIN
from allonym.anonymizers.base import Anonymizer
from allonym.audit.documents import MEASURED, twin
from allonym.audit.draws import held
from allonym.audit.findings import Finding, Verdict
from allonym.errors import AllonymError
from allonym.formats.files import open_documents
from allonym.formats.tables import encodable
from allonym.jobs.execute import plan, run
from allonym.mechanisms import Mechanism
from allonym.privacy import Guarantee
from allonym.randomness import secure

_FIXED = "With the draws held fixed"
_NAMED = 6  # documents in a sentence
_BATCH = 5
_UP = 1 + 1e-9
_NOT_IN_A_TABLE = ("\0", "\ufeff", "\r")


@dataclass(frozen=True)
class Seen:
    """All that a release shows, with the draws held fixed."""

    output: bytes
    record: str
    calls: tuple[tuple[str, tuple[int, ...]], ...]
    drawn: int
    mechanisms: tuple[Mechanism, ...]
    written: int = 0  # words of the longest document


def seen(anonymizer: Anonymizer, texts: Sequence[str], table: int) -> Seen:
    """Release some documents with the draws of a table."""
    with held(table) as trace:
        try:
            release = anonymizer.release(texts, rng=secure())
        except (AllonymError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            # That a document cannot be released shows, too.
            return Seen(type(error).__name__.encode(), "", tuple(trace.calls), trace.drawn, tuple(trace.mechanisms))
    terms = blake2b("\0".join(release.terms).encode("utf-8", "surrogatepass")).hexdigest()
    record = f"{release.guarantee.to_json()}\n{release.guarantee}\n{terms}"
    calls, mechanisms = tuple(trace.calls), tuple(trace.mechanisms)
    longest = max((len(text.split()) for text in release.texts()), default=0)
    return Seen(as_bytes(release.payload), record, calls, trace.drawn, mechanisms, longest)


def as_bytes(payload: Any) -> bytes:  # noqa: ANN401 - of any method
    """Return a payload as bytes that differ if anything in it differs."""
    if hasattr(payload, "indptr"):
        parts = (np.array(payload.shape), payload.indptr, payload.indices, payload.data)
        return b"|".join(f"{part.dtype}".encode() + np.ascontiguousarray(part).tobytes() for part in parts)
    return json.dumps(payload).encode()


class DocumentComparison:
    """What differed between documents and their plain twins, with the draws of one table."""

    def __init__(self, anonymizer: Anonymizer, table: int) -> None:
        self.anonymizer, self.table = anonymizer, table
        self.promised: Guarantee = anonymizer.guarantee()
        self.audited = anonymizer.audited()
        self.word = (self.audited.known() or PLAIN)[-1]
        self.differ: dict[str, list[str]] = {"output": [], "draws": [], "records": []}
        self.most_drawn = self.most_written = 0
        self.mechanisms: list[Mechanism] = []
        self.compared = self.left_out = 0
        self._plain: dict[str, Seen] = {}

    def twin(self, document: str) -> str | None:
        """Return the document's plain twin."""
        return twin(document, self.promised.copies, self.word, self.audited.count)

    def add(self, name: str, document: str) -> None:
        """Compare one document with its twin."""
        plain = self.twin(document)
        if plain is None:
            self.left_out += 1
            return
        if plain not in self._plain:
            self._plain[plain] = seen(self.anonymizer, [plain], self.table)
        self._compare(name, seen(self.anonymizer, [document], self.table), self._plain[plain])

    def add_together(self, name: str, documents: Sequence[str]) -> None:
        """Compare a batch of documents with the batch of their twins."""
        pairs = [(document, plain) for document in documents if (plain := self.twin(document)) is not None]
        if pairs:
            first, second = (seen(self.anonymizer, list(texts), self.table) for texts in zip(*pairs, strict=True))
            self._compare(name, first, second, documents=len(pairs))

    def again(self) -> None:
        """Release plain documents once more: an answer that is remembered, or drawn elsewhere, shows."""
        for plain, before in list(self._plain.items())[:3]:
            self._compare("the same document again", seen(self.anonymizer, [plain], self.table), before)
            with held(self.table):
                transformed = as_bytes(self.anonymizer.transform([plain]))
            if transformed != before.output:
                self.differ["output"].append("the same document by transform")

    def _compare(self, name: str, mine: Seen, plain: Seen, documents: int = 1) -> None:
        self.compared += 1
        self.most_drawn = max(self.most_drawn, *(-(-run.drawn // documents) for run in (mine, plain)))
        self.most_written = max(self.most_written, mine.written, plain.written)
        for mechanism in (*mine.mechanisms, *plain.mechanisms):
            if not any(mechanism is known for known in self.mechanisms):
                self.mechanisms.append(mechanism)
        for aspect, same in (
            ("output", mine.output == plain.output),
            ("draws", mine.calls == plain.calls),
            ("records", mine.record == plain.record),
        ):
            if not same:
                self.differ[aspect].append(name)


def interference(
    anonymizer: Anonymizer, documents: Iterable[tuple[str, str]], *, tables: int, where: str
) -> list[Finding]:
    """Return the findings: whether outputs, draws or records follow the documents, and whether more is drawn than said.

    Documents come with what is special about each; so many tables of draws are held fixed, one after another.
    """
    promised = anonymizer.guarantee()
    if promised.copies - MEASURED:
        copied = ", ".join(sorted(promised.copies - MEASURED))
        says = f"There are no plain documents that share what the method copies ({copied}), so nothing was compared."
        return [Finding.not_audited("interference", says)]
    listed = list(documents)
    comparisons = []
    for table in range(1, tables + 1):
        comparison = DocumentComparison(anonymizer, table)
        for name, document in listed:
            comparison.add(name, document)
        for start in range(0, len(listed), _BATCH * 8):
            some = listed[start : start + _BATCH * 8 : 8]
            comparison.add_together(f"a batch with {some[0][0]}", [document for _, document in some])
        comparison.again()
        comparisons.append(comparison)
    return [*(_followed(comparisons, aspect, where) for aspect in _ASPECTS), _drawn(anonymizer, comparisons, where)]


_ASPECTS = {
    "output": ("interference", "the output"),
    "draws": ("draws", "the number of draws, or their shape,"),
    "records": ("records", "the guarantee"),
}


def _followed(comparisons: Sequence[DocumentComparison], aspect: str, where: str) -> Finding:
    check, what = _ASPECTS[aspect]
    names = list(dict.fromkeys(name for comparison in comparisons for name in comparison.differ[aspect]))
    compared = sum(comparison.compared for comparison in comparisons)
    figures = {"documents": compared, "differ": len(names), "which": names[:50], "tables": len(comparisons)}
    if left_out := sum(comparison.left_out for comparison in comparisons):
        figures["left_out"] = left_out
    named = "; ".join(names[:_NAMED]) + ("; …" if len(names) > _NAMED else "")
    says = (
        f"{_FIXED}, {what} was the same for {compared:,} documents ({where}).",
        f"{_FIXED}, {what} still follows the document ({where}): {named}. The loss is infinite.",
    )
    return Finding.of(check, bool(names), says, figures, tells=True)


def _drawn(anonymizer: Anonymizer, comparisons: Sequence[DocumentComparison], where: str) -> Finding:
    """Tell whether as many words are drawn as the guarantee counts, by mechanisms that lose what it says."""
    promised, most = comparisons[0].promised, max(comparison.most_drawn for comparison in comparisons)
    # What is written is counted in words, and compared where words are drawn.
    written = max(c.most_written for c in comparisons) if promised.drawn == "word" else 0
    claimed = (promised.loss_per_word if promised.metric is None else promised.loss_per_unit) or 0.0
    # Of equal mechanisms one: a loss may take a pass over a vocabulary.
    used = {_settings(mechanism): mechanism for comparison in comparisons for mechanism in comparison.mechanisms}
    # For each unit of distance where distances count, else for each draw.
    losses = (drawer.loss() if drawer.metric_loss is None else drawer.metric_loss for drawer in used.values())
    lost = max(losses, default=0.0)
    figures = {"drawn": most, "written": written, "stated": promised.words, "loss": lost, "claimed": claimed}
    # What fills up a segment is drawn, and dropped.
    filled = comparisons[0].audited.drawn_together
    stated = None if promised.words is None else -(-promised.words // filled) * filled
    verdict: Verdict = "violated"
    if stated is not None and claimed and (most > stated or written > (promised.words or 0)):
        says = f"{max(most, written):,} {promised.drawn}s are drawn, but the guarantee counts {promised.words:,}"
    elif lost > claimed * _UP:
        says = f"A mechanism that draws loses {lost:.6f}, but the guarantee says {claimed:.6f}"
    elif not most and claimed:
        verdict, says = "not audited", "No mechanism that the audit knows drew anything"
    elif not _adds_up(anonymizer):
        says = "The losses of words and documents are more than the total that is stated"
    else:
        words = f"A document's {most:,} {promised.drawn}s are drawn by mechanisms that lose what is stated"
        verdict, says = "holds", words if most else "No mechanism was needed"
    return Finding("words drawn", verdict, f"{says} ({where}).", figures)


def _settings(mechanism: Mechanism) -> tuple[object, ...]:
    """Return what tells mechanisms apart: their kind, and the numbers they hold."""
    numbers = (item for item in sorted(vars(mechanism).items()) if isinstance(item[1], int | float))
    return (type(mechanism), *numbers)


def _adds_up(anonymizer: Anonymizer) -> bool:
    """Tell whether totals are no smaller than the sum of their parts, in fractions."""
    for documents in (1, 2, 7):
        promised = anonymizer.guarantee(documents)
        if promised.words is not None:
            parts = Fraction(promised.loss_per_word or 0.0) * promised.words * documents
            if promised.documents != documents or Fraction(promised.epsilon or 0.0) < parts:
                return False
    return True


def job_files(anonymizer: Anonymizer, documents: Iterable[tuple[str, str]], where: str) -> Finding:
    """Return whether the files of a job over a table follow its texts or authors, with the draws held fixed."""
    comparison = DocumentComparison(anonymizer, 1)
    pairs = [
        (document, plain)
        for _, document in documents
        if (plain := comparison.twin(document)) is not None and _fits(document)
    ]
    # Each row by another author, and all by one: how many rows an author has is nothing that may be told.
    texts, twins = zip(*pairs, strict=True)
    first, second = _job(anonymizer, texts, by_one_author=False), _job(anonymizer, twins, by_one_author=True)
    names = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    figures = {"rows": len(pairs), "files": sorted(first), "differ": names}
    says = (
        f"{_FIXED}, a table of {len(pairs)} other texts and authors gave the same files: {', '.join(sorted(first))} "
        f"({where}).",
        f"{_FIXED}, files of a job still follow its texts or authors ({where}): {', '.join(names)}.",
    )
    return Finding.of("job files", bool(names), says, figures, tells=True)


def _fits(document: str) -> bool:
    """Tell whether a text survives a CSV file."""
    return encodable(document) and not any(sign in document for sign in _NOT_IN_A_TABLE)


def _job(anonymizer: Anonymizer, texts: Sequence[str], *, by_one_author: bool) -> dict[str, bytes]:
    """Run a job over a table of these texts and return all it wrote."""
    rows = ((number, text, "one" if by_one_author else f"author {number}") for number, text in enumerate(texts))
    with TemporaryDirectory() as folder, held(1):
        source, output = Path(folder) / "texts.csv", Path(folder) / "released"
        output.mkdir()
        with source.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("id", "text", "author"), *rows])
        documents = open_documents(source, text="text", id="id", author="author")
        out = output / ("released.npz" if anonymizer.kind == "vectors" else "released.csv")
        job = plan(anonymizer, documents, out=out, has_ids=True, has_authors=True, keep=(), repeatable=False)
        run(job, secure(), force=False, progress=lambda _: None)
        return {path.name: path.read_bytes() for path in sorted(output.rglob("*")) if path.is_file()}
