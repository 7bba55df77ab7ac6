"""What tables in lines have in common, such as CSV and JSON lines.

Where `Roles.tolerant` asks for it, a row that cannot be read is marked and takes its place all the same, so that the
positions of the others, by which their noise is keyed, are what they would be without the damage.
"""

from __future__ import annotations

import io
import itertools
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import InputError, ParameterError
from allonym.formats.base import TableFormat
from allonym.formats.encodings import UTF_8
from allonym.formats.tables import NO_DOCUMENT, DamagedRowError, decoded, shown

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST_LINE = 1 << 26  # an unclosed quote must not swallow a file of any size
_LONGEST_UPLOADED = 2_000_000  # bytes, of which a list of small things may make a hundred times as many


class LineFormat(TableFormat):
    """A table whose rows are lines of text, so that pieces of it can be joined by copying."""

    @abstractmethod
    def header(self, names: Sequence[str]) -> str:
        """Return what comes before the first row."""

    @abstractmethod
    def lines(self, table: pa.Table) -> Iterator[str]:
        """Give the rows of a table as lines."""

    def write_tables(self, path: Path, tables: Iterable[pa.Table]) -> None:
        """Write the header and every line."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            empty = True
            for table in tables:
                if empty:
                    file.write(self.header(table.column_names))
                file.writelines(self.lines(table))
                empty = False
        if empty:
            raise ParameterError(NO_DOCUMENT)

    def check_size(self, content: bytes) -> None:
        """Refuse a line of which reading would make very many small things."""
        if any(len(line) > _LONGEST_UPLOADED for line in io.BytesIO(content)):
            raise InputError(
                f"A line of the file is longer than {_LONGEST_UPLOADED // 1_000_000} MB; check that it has line "
                "breaks, or use `allonym anonymize` on the command line."
            )


class DecodedLines:
    """The lines of a file, decoded; where that may fail, with a mark that it did."""

    def __init__(self, path: Path, tolerant: bool, encoding: str = UTF_8) -> None:
        self._path, self._tolerant, self._encoding = path, tolerant, encoding
        self.latest = ""  # the last line that was read
        self.damaged = False  # whether a line was not UTF-8 since this was last set to False

    def __iter__(self) -> Iterator[str]:
        return self._of_utf_8() if self._encoding == UTF_8 else self._of_others()

    def _of_others(self) -> Iterator[str]:
        """Give the lines of a file in another encoding; where one cannot be decoded, no later one can be told apart."""
        try:
            with self._path.open(encoding=self._encoding, newline="\n") as file:
                while line := file.readline(LONGEST_LINE):
                    self.latest = line
                    yield self.latest
        except UnicodeError:
            reason = f"not {self._encoding} throughout; name another --encoding, or save the input as UTF-8"
            raise InputError(f"{shown(self._path)}: {reason}.") from None

    def _of_utf_8(self) -> Iterator[str]:
        offset = 0
        for number, content in _raw_lines(self._path):
            try:
                self.latest = decoded(self._path, content, offset=offset, line=number)
            except InputError as error:
                if not self._tolerant:
                    raise DamagedRowError(str(error)) from None
                self.damaged = True
                # Commas, quotes and line feeds are what they are, whatever stands between them.
                self.latest = content.decode("utf-8", "replace")
            offset += len(content)
            yield self.latest


def values_of(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    """Give the values of each row of an Arrow table."""
    try:
        columns = [column.to_pylist() for column in table.columns]
    except UnicodeDecodeError:
        raise InputError("A kept column holds text that is not UTF-8; leave it out of --keep.") from None
    return zip(*columns, strict=True)


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line; split at line feeds only, so quoted cells and JSON stay exact."""
    with path.open("rb") as file:
        for number in itertools.count(1):
            line = file.readline(LONGEST_LINE + 1)
            if not line:
                return
            if len(line) > LONGEST_LINE:
                raise InputError(f"{shown(path)}, line {number}: longer than 64 MiB; split it into rows.")
            yield number, line
