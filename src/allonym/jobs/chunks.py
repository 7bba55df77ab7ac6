"""Chunks of a job on disk: each protected batch in a file of its own, joined to the output at the end.

A chunk holds what the output will hold and nothing else of the input. Lines of CSV and JSON are written as they will
be in the output, so that joining is copying; everything else is an Arrow file.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym import disk
from allonym.anonymizers.base import Anonymizer
from allonym.errors import ResumeError
from allonym.formats.base import Format, TableFormat, text_table
from allonym.formats.files import DocumentBatch
from allonym.formats.lines import LineFormat
from allonym.formats.tables import shown
from allonym.formats.vectors import TermRows, numbered_rows, numbered_table
from allonym.jobs.batches import OnError, Protected, protect
from allonym.jobs.engines import Answer
from allonym.randomness import OneRelease, reopened

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Written:
    """A chunk that is safely on disk."""

    number: int  # which chunk, counted from 0
    start: int  # position of its first document
    rows: int
    failed: tuple[int, ...]
    digest: str  # SHA-256 of protected text, whose noise makes guessing the original from it hopeless

    @classmethod
    def of(cls, answer: Answer) -> Written:
        """Return what a worker answered."""
        return cls(**{**answer, "failed": tuple(answer["failed"])})


@dataclass(frozen=True)
class Layout:
    """What the rows of an output look like; small and plain, so that workers can be sent one."""

    vectors: bool
    format: Format  # of text output
    text: str
    columns: tuple[str, ...]  # the columns to write, in order

    @property
    def lines(self) -> LineFormat | None:
        """The format of chunks that are pieces of the output already."""
        return self.format if isinstance(self.format, LineFormat) and not self.vectors else None

    def path(self, folder: Path, number: int) -> Path:
        """Where a chunk lies."""
        return folder / f"{number:08d}.{'lines' if self.lines else 'arrow'}"

    def write(self, folder: Path, number: int, protected: Protected, covered: DocumentBatch) -> Written:
        """Write a chunk so that it is there whole, or not at all."""
        with disk.whole(self.path(folder, number)) as draft:
            with open(draft, "wb") as file:
                self._fill(file, protected)
            digest = disk.digest(draft)
        return Written(number, covered.start, len(covered.texts), protected.failed, digest)

    def _fill(self, file: Any, protected: Protected) -> None:  # noqa: ANN401 - a binary file
        import pyarrow as pa

        table = self._table(protected)
        if self.lines:
            file.writelines(line.encode() for line in self.lines.lines(table))
            return
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)

    def _table(self, protected: Protected) -> pa.Table:
        import pyarrow as pa

        batch = protected.batch
        if protected.matrix is not None:
            return numbered_table(protected.terms())
        if self.format.holds == "rows":
            return text_table(batch, self.text, self.columns)
        texts = text_table(DocumentBatch(0, [], batch.texts), "text", ())["text"]
        return pa.table([pa.array(batch.ids, pa.string()), texts], names=["id", "text"])

    def join_texts(self, target: Path, paths: Sequence[Path]) -> None:
        """Write the text output from its chunks."""
        if self.lines:
            with open(target, "wb") as file:
                file.write(self.lines.header(self.columns or (self.text,)).encode())
                for path in paths:
                    with open(path, "rb") as chunk:
                        shutil.copyfileobj(chunk, file, 1 << 20)
        elif isinstance(self.format, TableFormat):
            self.format.write_tables(target, map(_read, paths))
        else:
            self.format.write(target, map(_read_batch, paths))


Task = tuple[int, DocumentBatch]


@dataclass(frozen=True)
class Maker:
    """All that is needed to make any chunk of a job."""

    anonymizer: Anonymizer
    layout: Layout
    folder: Path
    on_error: OnError

    def make(self, task: Task, release: OneRelease) -> Written:
        """Protect a batch and write it as a chunk."""
        number, batch = task
        return self.layout.write(self.folder, number, protect(self.anonymizer, batch, release, self.on_error), batch)

    def path(self, number: int) -> Path:
        """Where a chunk lies."""
        return self.layout.path(self.folder, number)


@dataclass(frozen=True)
class Making:
    """The work of a job on one of its tasks; holds the key."""

    key: bytes = field(repr=False)
    repeatable: bool

    def __call__(self, maker: Any, task: Any) -> Answer:  # noqa: ANN401 - of chunks, or of parts
        """Make a chunk."""
        return asdict(maker.make(task, reopened(self.key, repeatable=self.repeatable)))


def read_terms(paths: Iterable[Path]) -> Iterator[TermRows]:
    """Read chunks of term vectors back, one after the other."""
    return (numbered_rows(_read(path)) for path in paths)


def intact(path: Path, digest: str) -> bool:
    """Tell whether a chunk is there as it was written."""
    return path.is_file() and disk.digest(path) == digest


def _read(path: Path) -> pa.Table:
    import pyarrow as pa

    try:
        with pa.OSFile(str(path)) as file:
            return pa.ipc.open_file(file).read_all()
    except pa.ArrowException:
        raise ResumeError(
            f"{shown(path.name)} of the job is damaged; resume once more, and it is made again."
        ) from None


def _read_batch(path: Path) -> DocumentBatch:
    table = _read(path)
    return DocumentBatch(0, table["id"].to_pylist(), table["text"].to_pylist())
