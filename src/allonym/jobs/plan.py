"""What a job will do and promise, known before a random bit is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from allonym import __version__
from allonym.anonymizers.base import REPEATABLE, Anonymizer
from allonym.budget.ledger import Units
from allonym.errors import InputError
from allonym.formats.base import Format, table_format, table_suffixes
from allonym.formats.columns import refuse_unsure_text
from allonym.formats.files import DocumentBatch, Documents
from allonym.formats.tables import shown
from allonym.formats.tallies import HashTally
from allonym.formats.vectors import check_listed_ids, check_terms_output
from allonym.jobs.batches import FAILED_ROWS
from allonym.jobs.outputs import default_output
from allonym.jobs.parts import InputParts, Look
from allonym.privacy import Guarantee

# Each batch costs vector methods one pass over their vocabulary, so batches are as large as memory allows.
BATCH_ROWS = 50_000
_FEWEST_ROWS = 1_000
_WORDS_AT_ONCE = 1 << 21  # output words of a batch; about 50 bytes each while they are drawn
_USUAL_WORDS = 64  # of a document, where their number follows the text

# No number: how many documents the busiest author wrote would be one more release, and not a protected one.
PER_AUTHOR = "Losses of documents of one author add up: for an author of n documents, n times that of one document."


@dataclass(frozen=True)
class PrivacyRecord:
    """What goes into `OUT.privacy.json`: no path, no time, nothing of the texts, and no count of authors.

    Attributes:
        method: The method's name.
        parameters: Its parameters, as JSON can hold them.
        documents: How many there are.
        guarantee: What is promised for each of them.
        per_author: How losses of one author add up, in words; None where there are no authors, or no losses.
        failed: How many documents could not be anonymized. Which ones shows in the output, so that it is said.
        unreadable: How many could not be read.
    """

    method: str
    parameters: Mapping[str, object]
    documents: int
    guarantee: Guarantee
    per_author: str | None = None
    failed: int = 0
    unreadable: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the record as it is written; what there is none of is left out."""
        counts = {"documents_failed": self.failed, "documents_unreadable": self.unreadable}
        return {
            "tool": "allonym",
            "version": __version__,
            "method": self.method,
            "parameters": dict(self.parameters),
            "documents": self.documents,
            "guarantee": self.guarantee.to_dict(),
            **({} if self.per_author is None else {"per_author": self.per_author}),
            **{name: count for name, count in counts.items() if count},
        }


@dataclass(frozen=True)
class Plan:
    """What a job will do and promise."""

    anonymizer: Anonymizer
    documents: Documents  # the input, in batches that become the chunks of the job
    count: int
    out: Path | None  # where the release goes; None is standard output
    per_document: Guarantee
    # For all documents of the author with the most. How many these are is a fact about the input, so it is not written.
    per_author: Guarantee | None
    chunks: int = 1
    has_ids: bool = False  # whether documents are told apart by ids of the input
    has_authors: bool = False
    repeatable: bool = False  # whether the noise can be undone by whoever knows the seed
    unreadable: tuple[int, ...] = ()  # positions of rows that could not be read; they count, but get no noise
    parts: InputParts | None = None  # the files of a table in many; each is a chunk

    def units(self) -> Iterator[Units]:
        """Read the ids and authors, as a ledger counts them, where there are any."""
        if self.parts is not None and self.has_authors:
            for look in self.parts.looks(self.documents.batch_rows):
                yield None, list(Counter(look.authors).elements())
        elif self.has_ids or self.has_authors:
            for batch in self.documents:
                yield batch.names()

    @property
    def written_as(self) -> Format:
        """The format of texts in the output: a table's is the one its name asks for, else that of the input."""
        own = self.documents.format  # which knows, of a .csv, what stands between its cells
        if own.holds != "rows" or self.anonymizer.kind == "vectors" or self.out is None or self.parts is not None:
            return own
        return own if self.out.suffix.lower() in own.suffixes else table_format(self.out)

    def record(self, failed: int = 0) -> PrivacyRecord:
        """Return what is written beside the output, if so many documents could not be anonymized."""
        copied = (FAILED_ROWS,) if failed or self.unreadable else ()
        return PrivacyRecord(
            method=self.anonymizer.method,
            parameters={name: plain_parameter(value) for name, value in self.anonymizer.get_params().items()},
            documents=self.count,
            guarantee=self.per_document.releasing(*copied),
            per_author=PER_AUTHOR if self.has_authors and self.per_document.formal else None,
            failed=failed,
            unreadable=len(self.unreadable),
        )


def plan(
    anonymizer: Anonymizer,
    documents: Documents,
    *,
    out: Path | None,
    has_ids: bool,
    has_authors: bool,
    keep: tuple[str, ...],
    repeatable: bool,
    chunk_rows: int | None = None,
    parts: InputParts | None = None,
) -> Plan:
    """Read the input once, so that every error in it shows before anything is spent, and state the promise.

    Without `out` the release goes to the default place; `-` is standard output, for one document only. At most
    `chunk_rows` documents are done at a time, by default as many as some 200 MB of memory allow. `parts` are the
    files of a table in many, opened with the documents.
    """
    if documents.text is not None and not documents.named:
        refuse_unsure_text(shown(documents.source), documents.text)
    target = _target(anonymizer, documents, out, keep, in_parts=parts is not None)
    promise = anonymizer.guarantee()
    documents = documents.in_batches_of(chunk_rows or rows_at_once(promise))
    listed = target if anonymizer.kind == "vectors" else None
    looks = _looks(documents, listed, has_authors) if parts is None else parts.looks(documents.batch_rows)
    count, starts, most, unreadable = _added_up(looks)
    refuse_all_unreadable(documents.source, count, len(unreadable))
    copied = copied_columns(anonymizer, documents, has_ids, keep)
    if parts is not None:
        copied.append("how the documents are spread over the parts")

    def stated(guarantee: Guarantee) -> Guarantee:
        guarantee = guarantee.releasing(*copied)
        return guarantee.withdrawn(REPEATABLE) if repeatable else guarantee

    per_author = None
    if has_authors:
        per_author = stated(anonymizer.guarantee(most))
        if per_author.words is not None:  # otherwise the promise is per word, and no total for an author is known
            per_author = replace(per_author, unit="author")
    return Plan(
        anonymizer,
        documents,
        count,
        target,
        stated(promise),
        per_author,
        len(starts),
        # Ids are unique within each part only, so a ledger charges every document, which is never too little.
        parts is None and (has_ids or documents.format.holds == "files"),
        has_authors,
        repeatable,
        tuple(unreadable),
        None if parts is None else parts.placed(starts),
    )


def _added_up(looks: Iterable[Look]) -> tuple[int, list[int], int, list[int]]:
    """Return the number of documents, where each look began, most documents of an author, and unreadable positions."""
    count, starts, authors, unreadable = 0, list[int](), HashTally(), list[int]()
    for look in looks:
        starts.append(count)
        authors.add(list(Counter(look.authors).elements()))
        unreadable += [count + row for row in look.unreadable]
        count += look.rows
    return count, starts, authors.most(), unreadable


def _looks(documents: Documents, listed: Path | None, has_authors: bool) -> Iterator[Look]:
    """Look at the batches one by one; refuse ids that could not be listed beside vectors."""
    for batch in documents:
        if listed is not None:
            check_listed_ids(listed, batch.ids, batch.start)
        authors = Counter(batch.names()[1] if has_authors else ())
        yield Look(len(batch.texts), batch.unreadable, authors)


def refuse_all_unreadable(source: str | Path, count: int, unreadable: int) -> None:
    """Refuse an input of which no row could be read."""
    if unreadable == count:
        rows = "The only row" if count == 1 else f"None of the {count:,} rows"
        verb = "cannot be read" if count == 1 else "can be read"
        raise InputError(f"{rows} of {shown(source)} {verb}; leave out --on-error to see what is wrong with the first.")


def rows_at_once(promise: Guarantee) -> int:
    """Return how many documents some 200 MB of memory hold while they are drawn."""
    return max(_FEWEST_ROWS, min(BATCH_ROWS, _WORDS_AT_ONCE // max(1, promise.words or _USUAL_WORDS)))


def copied_columns(anonymizer: Anonymizer, documents: Documents, has_ids: bool, keep: tuple[str, ...]) -> list[str]:
    """Say in words what of the input will be in the output as it is."""
    copied = list[str]()
    if documents.format.holds == "files":
        copied.append("the file names")
    elif has_ids:
        copied.append("the ids")
    copied += [f"the column {name!r}" for name in dict.fromkeys(keep)]
    # Vectors have columns of their own; kept ones are named above.
    if documents.columns and anonymizer.kind == "texts":
        names = ", ".join(map(repr, documents.columns))
        alone = len(documents.columns) == 1
        copied.append(f"the name of the column ({names})" if alone else f"the names and order of the columns ({names})")
    if documents.format.holds != "document":
        copied.append("the number and order of the documents")
    return copied


def _target(
    anonymizer: Anonymizer, documents: Documents, out: Path | None, keep: tuple[str, ...], *, in_parts: bool
) -> Path | None:
    """Return where the output goes, or refuse what could not be written there."""
    if out is not None and str(out) == "-":
        if documents.format.holds != "document":
            raise InputError("Only a single document can go to standard output; name a file with -o.")
        return None
    if in_parts:
        if anonymizer.kind == "vectors":
            check_terms_output("terms.parquet", keep)
        source = Path(documents.source)
        return (source.with_name(f"{source.stem}.anon") if out is None else out).absolute()
    if out is None:
        out = default_output(documents.source, _suffix(anonymizer, documents))
    if anonymizer.kind == "vectors" and out is not None:
        check_terms_output(out, keep)
    elif documents.format.holds == "files" and keep:
        raise InputError("A folder of texts has no columns to keep; leave out --keep.")
    elif documents.format.holds == "rows" and out is not None and out.suffix.lower() not in table_suffixes():
        raise InputError(f"{shown(out)} is to hold a table; end -o in one of: {', '.join(table_suffixes())}.")
    return out


def _suffix(anonymizer: Anonymizer, documents: Documents) -> str | None:
    """Return the default suffix of an output: the input's own for texts, a vector format for vectors."""
    if anonymizer.kind == "texts":
        return None
    return ".parquet" if ".parquet" in documents.format.suffixes else ".npz"


def without_authors(batch: DocumentBatch) -> DocumentBatch:
    """Return a batch as those need it who only protect and write it."""
    return replace(batch, authors=None)


def plain_parameter(value: object) -> object:
    """Return a parameter as JSON can hold it; long lists and objects by their kind only."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str | Path):
        return Path(value).name  # of a file its name alone: where it lies is nobody's business
    return f"{type(value).__name__} of {len(value)}" if hasattr(value, "__len__") else type(value).__name__
