"""What a file format is: how files of it are known, read, looked at and written.

A format is one file of this folder that ends in `FORMAT = …`; it is then an input and an output of every command and
of the page.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from allonym.errors import InputError
from allonym.formats.tables import Opened, Roles, encodable

if TYPE_CHECKING:
    import pyarrow as pa

    from allonym.formats.files import DocumentBatch

    Batches = Iterable[DocumentBatch]


class Format(ABC):
    """A kind of file that holds documents."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()  # how its files end, the usual one first
    holds: ClassVar[Literal["document", "files", "rows"]]  # one document, files that are documents, or rows of a table
    counted_in: ClassVar[str] = "line"  # what a message counts documents in
    takes: ClassVar[tuple[str, ...]] = ()  # what a user may say of how its files are written: delimiter, encoding

    def reads(self, source: str | Path) -> bool:
        """Tell whether an input is of this format, by its name."""
        return Path(source).suffix.lower() in self.suffixes and Path(source).is_file()

    @abstractmethod
    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """Open an input, check its form and find its columns."""

    @abstractmethod
    def write(self, path: Path, batches: Batches, text: str = "text", columns: Sequence[str] = ()) -> None:
        """Write documents, batch by batch; without `columns`, their order, the text stands before the kept ones."""


class TableFormat(Format):
    """A kind of table, a document a row."""

    holds = "rows"

    @abstractmethod
    def preview(self, path: Path) -> Iterator[dict[str, Any]]:
        """Give the rows as they are, one by one, for a person to look at."""

    @abstractmethod
    def check_size(self, content: bytes) -> None:
        """Refuse a file that would take far more memory to read than it has bytes; nothing of it is decoded."""

    @abstractmethod
    def write_tables(self, path: Path, tables: Iterable[pa.Table]) -> None:
        """Write Arrow tables of the same columns as one file."""

    def write(self, path: Path, batches: Batches, text: str = "text", columns: Sequence[str] = ()) -> None:
        """Write documents as rows: the text and the kept columns."""
        self.write_tables(path, (text_table(batch, text, columns) for batch in batches))


@cache
def formats() -> dict[str, Format]:
    """Return every format by its name."""
    package = import_module("allonym.formats")
    modules = [import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__)]
    return {module.FORMAT.name: module.FORMAT for module in modules if hasattr(module, "FORMAT")}


def document_suffixes() -> tuple[str, ...]:
    """Return how the files of single documents end."""
    kinds = sorted(formats().values(), key=lambda kind: kind.name != "text")  # a plain text first
    return tuple(suffix for kind in kinds if kind.holds == "document" for suffix in kind.suffixes)


def table_formats() -> list[TableFormat]:
    """Return the formats of tables."""
    return [kind for kind in formats().values() if isinstance(kind, TableFormat)]


def table_suffixes() -> tuple[str, ...]:
    """Return how the files of tables end."""
    return tuple(suffix for kind in table_formats() for suffix in kind.suffixes)


def table_format(name: str | Path) -> TableFormat:
    """Return the format of a table by how its name ends; the refusal of any other does not show the name."""
    suffix = Path(name).suffix.lower()
    for kind in table_formats():
        if suffix in kind.suffixes:
            return kind
    raise InputError(f"This is not a table that can be read; give one of {', '.join(table_suffixes())}.")


def text_table(batch: DocumentBatch, text: str, columns: Sequence[str]) -> pa.Table:
    """Return the texts and the kept columns in the order of the columns."""
    import pyarrow as pa

    texts = pa.array(map(storable, batch.texts), pa.string())
    if batch.kept is None:
        return pa.table([texts], names=[text])
    order = columns or (text, *batch.kept.column_names)
    return batch.kept.append_column(text, texts).select(list(order))


def storable(text: str) -> str:
    """Return a text with U+FFFD for lone surrogates, which UTF-8 cannot hold."""
    return text if encodable(text) else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
