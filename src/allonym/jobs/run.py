"""One anonymization job: documents in, a release and its guarantee out, or nothing at all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym import __version__
from allonym.anonymizers.base import REPEATABLE, Anonymizer
from allonym.errors import InputError
from allonym.jobs.files import DocumentBatch, Documents
from allonym.jobs.outputs import (
    atomic,
    check_terms_output,
    default_output,
    privacy_path,
    write_terms,
    write_texts,
)
from allonym.jobs.tables import shown
from allonym.privacy import Guarantee
from allonym.randomness import Rng

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy import sparse

# Each batch costs vector methods one pass over their vocabulary, so batches are as large as memory allows.
BATCH_ROWS = 50_000

# Texts go out in the format they came in, and the name must say so.
_TABLES = {"csv": (".csv",), "jsonl": (".jsonl", ".ndjson"), "parquet": (".parquet",)}

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Plan:
    """What a job will do and promise, known before a random bit is drawn.

    Attributes:
        anonymizer: What protects the texts.
        documents: The input.
        count: How many documents it holds.
        out: Where the release goes; None is standard output.
        per_document: The promise for one document.
        per_author: The promise for all documents of the author with the most, where authors are known.
    """

    anonymizer: Anonymizer
    documents: Documents
    count: int
    out: Path | None
    per_document: Guarantee
    per_author: Guarantee | None

    def record(self) -> dict[str, Any]:
        """Return what goes into `OUT.privacy.json`: no path, no time, nothing of the texts."""
        parameters = {name: plain_parameter(value) for name, value in self.anonymizer.get_params().items()}
        record: dict[str, Any] = {
            "tool": "allonym",
            "version": __version__,
            "method": self.anonymizer.method,
            "parameters": parameters,
            "documents": self.count,
            "guarantee": self.per_document.to_dict(),
        }
        if self.per_author is not None:
            record["guarantee_per_author"] = self.per_author.to_dict()
        return record


def plan(
    anonymizer: Anonymizer,
    documents: Documents,
    *,
    out: Path | None,
    has_ids: bool,
    has_authors: bool,
    keep: tuple[str, ...],
    repeatable: bool,
) -> Plan:
    """Read the input once, so that every error in it shows before anything is spent, and state the promise."""
    count, authors = 0, Counter[str]()
    for batch in documents:
        count += len(batch.texts)
        authors.update(batch.authors or ())
    copied = list[str]()
    if documents.format == "folder":
        copied.append("the file names")
    elif has_ids:
        copied.append("the ids")
    copied += [f"the column {name!r}" for name in dict.fromkeys(keep)]
    if count > 1:
        copied.append("the number and order of the documents")

    def stated(guarantee: Guarantee) -> Guarantee:
        guarantee = guarantee.releasing(*copied)
        return guarantee.withdrawn(REPEATABLE) if repeatable else guarantee

    if out is not None and str(out) == "-":
        if documents.format not in ("stdin", "text"):
            raise InputError("Only a single document can go to standard output; name a file with -o.")
        out = None
    elif out is None:
        out = default_output(documents.source, _suffix(anonymizer, documents))
    if anonymizer.kind == "vectors" and out is not None:
        check_terms_output(out, keep)
    elif documents.format == "folder" and keep:
        raise InputError("A folder of texts has no columns to keep; leave out --keep.")
    elif documents.format in _TABLES and out is not None and out.suffix.lower() not in _TABLES[documents.format]:
        raise InputError(f"{shown(out)} would hold {documents.format}; end -o in {_TABLES[documents.format][0]}.")
    per_author = None
    if has_authors:
        per_author = stated(anonymizer.guarantee(max(authors.values())))
        if per_author.words is not None:  # otherwise the promise is per word, and no total for an author is known
            per_author = replace(per_author, unit="author")
    return Plan(anonymizer, documents, count, out, stated(anonymizer.guarantee()), per_author)


def run(job: Plan, rng: Rng, *, force: bool, progress: Progress) -> Any:  # noqa: ANN401 - the payload, or None
    """Anonymize everything; write it beside its guarantee, or return the payload where there is no output file."""
    if job.out is None:
        [batch] = job.documents
        return job.anonymizer.release(batch.texts, rng=rng).payload
    with atomic(job.out, force, source=None if job.documents.source == "-" else job.documents.source) as place:
        record = json.dumps(job.record(), ensure_ascii=False, indent=2) + "\n"
        privacy_path(place).write_text(record, encoding="utf-8")
        if job.anonymizer.kind == "vectors":
            _write_vectors(job, rng, place, progress)
        else:
            write_texts(
                place,
                _anonymized(job, rng, progress),
                file_format=job.documents.format,
                text_column=job.documents.text,
                columns=job.documents.columns,
            )
    return None


def _anonymized(job: Plan, rng: Rng, progress: Progress) -> Iterator[DocumentBatch]:
    for batch in job.documents:
        release = job.anonymizer.release(batch.texts, rng=rng, start=batch.start)
        progress(len(batch.texts))
        yield replace(batch, texts=[_one_text(document) for document in release.payload])


def _one_text(document: str | list[str]) -> str:
    """Return a released document as text; a bag of words, sorted as it comes, is written with blanks."""
    return document if isinstance(document, str) else " ".join(document)


def _write_vectors(job: Plan, rng: Rng, place: Path, progress: Progress) -> None:
    import pyarrow as pa
    from scipy import sparse

    matrices: list[sparse.csr_array] = []
    ids: list[str] = []
    kept: list[pa.Table] = []
    for batch in job.documents:
        matrices.append(job.anonymizer.release(batch.texts, rng=rng, start=batch.start).payload)
        ids += batch.ids
        if batch.kept is not None:
            kept.append(batch.kept)
        progress(len(batch.texts))
    vocabulary = list(job.anonymizer.get_feature_names_out())
    table = pa.concat_tables(kept) if kept else None
    write_terms(place, sparse.vstack(matrices, format="csr"), vocabulary, ids, table)


def _suffix(anonymizer: Anonymizer, documents: Documents) -> str | None:
    """Return the default suffix of an output: the input's own for texts, a vector format for vectors."""
    if anonymizer.kind == "texts":
        return None
    return ".parquet" if documents.format == "parquet" else ".npz"


def plain_parameter(value: object) -> object:
    """Return a parameter as JSON can hold it; long lists and objects by their kind only."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str | Path):
        return Path(value).name  # of a file its name alone: where it lies is nobody's business
    return f"{type(value).__name__} of {len(value)}" if hasattr(value, "__len__") else type(value).__name__
