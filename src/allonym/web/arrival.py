"""A table on its way in: kept in a private folder, looked at, and read to its end, row by row.

The file lies in a temporary folder that only this user can read, under a name of our own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import Repr

from allonym.errors import InputError
from allonym.formats.base import TableFormat, storable, table_format
from allonym.formats.tables import shown

PREVIEWED = 20
MOST_COLUMNS = 200
_COLUMNS = f"The table must have 1 to {MOST_COLUMNS} columns of different names; change its header."
_SHOWN = 120  # characters of a cell
_SAID_EVERY = 500  # rows

_SHORT = Repr()  # of a million values it looks at a few
_SHORT.maxlist = _SHORT.maxdict = 20
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = _SHOWN


@dataclass(frozen=True)
class Arrival:
    """A table that was read."""

    name: str  # what the person calls it; never used as a path
    folder: tempfile.TemporaryDirectory[str] = field(repr=False)
    source: Path = field(repr=False)
    columns: list[str]
    rows: list[list[str]] = field(repr=False)  # the first rows, cells cut short
    count: int  # of all rows


def read(name: str, content: bytes, progress: Callable[[int], None] = lambda _: None) -> Arrival:
    """Take an uploaded file and read it, or refuse what is no table; `progress` is told how many rows are read."""
    kind = table_format(name)
    kind.check_size(content)
    folder = tempfile.TemporaryDirectory(prefix="allonym-table-")
    source = Path(folder.name) / f"table{Path(name).suffix.lower()}"
    source.write_bytes(content)
    try:
        with without_paths(folder.name, source):
            columns, rows, count = _looked_at(kind, source, progress)
        if not 0 < len(columns) <= MOST_COLUMNS:
            raise InputError(_COLUMNS)
    except BaseException:
        folder.cleanup()
        raise
    return Arrival(name[:200], folder, source, columns, rows, count)


@contextmanager
def without_paths(folder: str, source: Path) -> Iterator[None]:
    """Keep paths of our own, which tell the person nothing, out of what goes wrong."""
    try:
        yield
    except InputError as error:
        raise InputError(in_plain_words(str(error), folder, source)) from None


def in_plain_words(sentence: str, folder: str, source: Path) -> str:
    """Return what is said of a file by what a person calls it."""
    worded = sentence.replace(shown(source), "The file").replace(source.name, "the file")
    return worded.replace(f"{shown(folder)}/", "").replace(shown(folder), "the folder of this table")


def _looked_at(
    kind: TableFormat, source: Path, progress: Callable[[int], None]
) -> tuple[list[str], list[list[str]], int]:
    """Return the columns, the first rows, cells cut short, and how many rows there are; one is held at a time."""
    first: list[dict[str, str]] = []
    count = 0
    for record in kind.preview(source):
        count += 1
        if count <= PREVIEWED:
            if len(record) > MOST_COLUMNS:
                raise InputError(_COLUMNS)
            first.append({name: _cell(value) for name, value in record.items()})
        if count % _SAID_EVERY == 0:
            progress(count)
    columns = list(dict.fromkeys(name for row in first for name in row))
    return columns, [[row.get(name, "") for name in columns] for row in first], count


def _cell(value: object) -> str:
    text = storable("" if value is None else value if isinstance(value, str) else _SHORT.repr(value))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
