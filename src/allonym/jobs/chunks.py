"""Chunks of a job on disk: each protected batch in a file of its own, joined to the output at the end.

A chunk holds what the output will hold and nothing else of the input. Lines of CSV and JSON are written as they will
be in the output, so that joining is copying; everything else is an Arrow file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import ResumeError
from allonym.formats.base import Format, TableFormat, text_table
from allonym.formats.files import DocumentBatch
from allonym.formats.lines import LineFormat
from allonym.formats.tables import shown
from allonym.formats.vectors import TermRows
from allonym.jobs.batches import Protected

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Written:
    """A chunk that is safely on disk.

    Attributes:
        number: Which chunk, counted from 0.
        start: Position of its first document.
        rows: How many documents of the input it covers.
        failed: Positions of those that could not be anonymized.
        digest: SHA-256 of the file: of protected text, whose noise makes guessing the original from it hopeless.
    """

    number: int
    start: int
    rows: int
    failed: tuple[int, ...]
    digest: str


@dataclass(frozen=True)
class Layout:
    """What the rows of an output look like; small and plain, so that workers can be sent one.

    Attributes:
        vectors: Whether the output holds term vectors.
        format: The format of the input, and of text output.
        text: Name of the text column.
        columns: The columns to write, in order.
    """

    vectors: bool
    format: Format
    text: str
    columns: tuple[str, ...]

    @property
    def lines(self) -> LineFormat | None:
        """The format of chunks that are pieces of the output already."""
        return self.format if isinstance(self.format, LineFormat) and not self.vectors else None

    def path(self, folder: Path, number: int) -> Path:
        """Where a chunk lies."""
        return folder / f"{number:08d}.{'lines' if self.lines else 'arrow'}"

    def write(self, folder: Path, number: int, protected: Protected, covered: DocumentBatch) -> Written:
        """Write a chunk so that it is there whole, or not at all."""
        path = self.path(folder, number)
        draft = path.with_suffix(f".{os.getpid()}.draft")
        try:
            with open(draft, "wb") as file:
                self._fill(file, protected)
                file.flush()
                os.fsync(file.fileno())
            digest = file_digest(draft)
            os.replace(draft, path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
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
            return _terms_as_numbers(protected)
        if self.format.holds == "rows":
            return text_table(batch, self.text, self.columns)
        texts = text_table(DocumentBatch(0, [], batch.texts), "text", ())["text"]
        return pa.table([pa.array(batch.ids, pa.string()), texts], names=["id", "text"])

    def join_texts(self, place: Path, paths: Sequence[Path]) -> None:
        """Write the text output from its chunks."""
        if self.lines:
            with open(place, "wb") as file:
                file.write(self.lines.header(self.columns or (self.text,)).encode())
                for path in paths:
                    with open(path, "rb") as chunk:
                        shutil.copyfileobj(chunk, file, 1 << 20)
        elif isinstance(self.format, TableFormat):
            self.format.write_tables(place, map(_read, paths))
        else:
            self.format.write(place, map(_read_batch, paths))


def read_terms(paths: Iterable[Path]) -> Iterator[TermRows]:
    """Read chunks of term vectors back, one after the other."""
    from scipy.sparse import csr_array

    for path in paths:
        table = _read(path).combine_chunks()
        terms, counts = (table.column(name).combine_chunks() for name in ("terms", "counts"))
        # The number of words stands in the field, since the last ones need not occur.
        words = int((table.schema.field("terms").metadata or {}).get(b"words", 0))
        offsets = terms.offsets.to_numpy()
        arrays = (counts.flatten().to_numpy(), terms.flatten().to_numpy(), offsets - offsets[0])
        matrix = csr_array(arrays, shape=(table.num_rows, words))
        kept = table.drop_columns(["id", "terms", "counts"])
        yield TermRows(matrix, table.column("id").to_pylist(), kept if kept.num_columns else None)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def intact(path: Path, digest: str) -> bool:
    """Tell whether a chunk is there as it was written."""
    return path.is_file() and file_digest(path) == digest


def _terms_as_numbers(protected: Protected) -> pa.Table:
    import pyarrow as pa

    matrix: Any = protected.matrix
    matrix.sum_duplicates()
    offsets = pa.array(matrix.indptr, pa.int32())
    terms = pa.ListArray.from_arrays(offsets, pa.array(matrix.indices, pa.int32()))
    counts = pa.ListArray.from_arrays(offsets, pa.array(matrix.data, pa.int32()))
    fields = [
        pa.field("id", pa.string()),
        pa.field("terms", terms.type, metadata={b"words": str(matrix.shape[1]).encode()}),
        pa.field("counts", counts.type),
    ]
    ids = pa.array(protected.batch.ids, pa.string())
    table = pa.Table.from_arrays([ids, terms, counts], schema=pa.schema(fields))
    for field in protected.batch.kept.schema if protected.batch.kept is not None else ():
        table = table.append_column(field, protected.batch.kept.column(field.name))  # type: ignore[union-attr]
    return table


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
