"""Comma-separated files with a header; every cell stays text, exactly.

Reading goes on after a damaged row where the damage lies within one line and the quotes of that line come in pairs;
beyond that nobody knows where the next row begins, and words of a text might pass for another column.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from allonym.errors import InputError
from allonym.formats import encodings, lines, tables
from allonym.formats.tables import Opened, Part, Roles, shown

if TYPE_CHECKING:
    import pyarrow as pa

_SNIFFED_LINES = 100  # a quoted cell may hold several
_SNIFFED_ROWS = 20
_NO_WAY_ON = "A quote may be missing, so it is not known where the next row begins, and --on-error cannot leave it out."


class Csv(lines.LineFormat):
    """Cells with a separator between them."""

    name = "csv"
    suffixes = (".csv",)
    separator: ClassVar[str] = ","
    separator_name: ClassVar[str] = "comma"
    quoted: ClassVar[str] = ""  # signs that get quotes around their cell besides the separator
    takes = ("delimiter", "encoding")

    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """Read the header; where the text column is not named, the first rows too."""
        path = Path(source)
        encoding = encodings.detect(path) if asked.encoding is None else encodings.checked(asked.encoding)
        like = self._like(path, encoding) if asked.delimiter is None else self._with(asked.delimiter)
        if like is not self:
            table = like.open(path, replace(asked, delimiter=like.separator, encoding=encoding), batch_rows)
            separated = f"Its cells are separated by {like.separator_name}s; --delimiter names another."
            said = (*(() if asked.delimiter else (separated,)), *_told(encoding, asked), *table.said)
            return replace(table, format=like, said=said)
        rows = self._rows(path, asked.tolerant, encoding)
        header = self._header(path, rows)
        strings: list[str] = []
        if asked.text is None:
            first = [cells for _, _, cells in itertools.islice(rows, batch_rows) if cells is not None]
            strings = [name for i, name in enumerate(header) if not _numeric([cells[i] for cells in first])]

        def parts(roles: Roles, batch_rows: int) -> Iterator[Part]:
            import pyarrow as pa

            nothing = [None] * len(header)
            for numbers, batch in tables.batched(
                itertools.islice(self._rows(path, asked.tolerant, encoding), 1, None), batch_rows
            ):
                unreadable = tuple(row for row, cells in enumerate(batch) if cells is None)
                whole = [nothing if cells is None else cells for cells in batch]
                columns = dict(zip(header, zip(*whole, strict=True), strict=True))
                copied = pa.table({name: pa.array(columns[name], pa.string()) for name in roles.keep})
                texts = [cell or "" for cell in columns[roles.text or ""]]
                yield tables.part_of(roles, texts, columns, copied, numbers, unreadable)

        table = tables.opened(path, header, strings, asked, parts)
        return replace(table, said=(*_told(encoding, asked), *table.said))

    def preview(self, path: Path) -> Iterator[dict[str, Any]]:
        """Give the rows, without columns that have no name."""
        encoding = encodings.detect(path)
        like = self._like(path, encoding)
        rows = like._rows(path, False, encoding)
        header = like._header(path, rows)
        for _, _, cells in rows:
            yield {name: cell for name, cell in zip(header, cells or (), strict=True) if name}

    def header(self, names: Sequence[str]) -> str:
        """Return the line of names."""
        return self._line(names)

    def lines(self, table: pa.Table) -> Iterator[str]:
        """Give the rows."""
        return map(self._line, lines.values_of(table))

    def _line(self, cells: Sequence[Any]) -> str:
        """One row; by hand, as the csv module leaves carriage returns unquoted before Python 3.13."""
        line = self.separator.join(map(self._cell, cells))
        return (line or '""') + "\n"  # a blank line would not be read back as a row

    def _cell(self, value: object) -> str:
        if value is None:
            return ""
        text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
        if any(mark in text for mark in f'{self.separator}{self.quoted}"\r\n\ufeff'):
            return '"' + text.replace('"', '""') + '"'
        return text

    def _header(self, path: Path, rows: Iterator[tuple[int, int, list[str] | None]]) -> list[str]:
        """Take the names of the columns from the rows."""
        _, _, names = next(rows, (0, 0, None))
        if not names:
            raise tables.EmptyInputError(f"{shown(path)} is empty; its first line must name the columns.")
        if len(names) == 1 and any(mark in names[0] for mark in {*",;\t|"} - {self.separator}):
            by = f"{self.separator_name}s"
            raise InputError(f"{shown(path)} is not separated by {by}; save it with {by} between the cells.")
        return names

    def _with(self, separator: str) -> Csv:
        """Return the format with another separator."""
        if separator == self.separator:
            return self
        if separator not in _DIALECTS:
            known = "a comma, a semicolon, a tab (\\t) or a bar (|)"
            raise InputError(f"--delimiter must be {known}; save the table with one of these.")
        return _DIALECTS[separator]

    def _like(self, path: Path, encoding: str) -> Csv:
        """Return the format with the separator that the first lines show; this one, unless they agree on another."""
        lengths = {mark: self._with(mark)._widths(path, encoding) for mark in (self.separator, *_DIALECTS)}
        agreed = [mark for mark, widths in lengths.items() if len(widths) > 1 and len(set(widths)) == 1 < widths[0]]
        return self if self.separator in agreed or len(agreed) != 1 else self._with(agreed[0])

    def _widths(self, path: Path, encoding: str) -> list[int]:
        """Return how many cells each of the first lines has; nothing where quotes do not match."""
        first = itertools.islice(lines.DecodedLines(path, True, encoding), _SNIFFED_LINES)
        limit = csv.field_size_limit(lines.LONGEST_LINE)
        try:
            rows = csv.reader(list(first), delimiter=self.separator, strict=True)
            widths = [len(cells) for cells in itertools.islice(rows, _SNIFFED_ROWS) if cells]
        except (csv.Error, InputError):
            return []
        finally:
            csv.field_size_limit(limit)
        return widths

    def _rows(self, path: Path, tolerant: bool, encoding: str) -> Iterator[tuple[int, int, list[str] | None]]:
        """First line, size and cells of each row, the header too; no cells of a row that cannot be read."""
        text = lines.DecodedLines(path, tolerant, encoding)
        reader = csv.reader(text, delimiter=self.separator, strict=True)
        width = 0
        while True:
            line = reader.line_num + 1
            try:
                cells, reason = self._next_cells(reader)
            except tables.DamagedRowError as error:
                if width:
                    raise
                raise InputError(str(error)) from None  # the names of the columns: to leave that row out is no way out
            if cells is None:
                return
            if cells and width and len(cells) != width:
                way_out = f"put quotes around cells with {self.separator_name}s"
                reason = f"{len(cells)} cells where the header has {width}; {way_out}"
            if reason:
                way_on = bool(width) and reader.line_num == line and text.latest.count('"') % 2 == 0
                _refuse(f"{shown(path)}, line {line}: {reason}.", tolerant=tolerant and bool(width), way_on=way_on)
            if reason or text.damaged:
                if not width:
                    raise InputError(f"{shown(path)}, line {line}: the names of the columns cannot be read; repair it.")
                text.damaged = False
                yield line, len(text.latest), None
            elif cells:
                width = width or len(cells)
                yield line, sum(map(len, cells)), cells

    def _next_cells(self, reader: Any) -> tuple[list[str] | None, str]:  # noqa: ANN401 - a csv.reader
        """Return the cells of the next row, None after the last, and what is wrong with it, if anything."""
        limit = csv.field_size_limit(lines.LONGEST_LINE)  # process-wide, hence put back after each row
        try:
            return next(reader, None), ""
        except csv.Error:
            quoted = f"a cell with a {self.separator_name}, quote or line break"
            return [], f'the quotes do not match; {quoted} needs "…" around it'
        finally:
            csv.field_size_limit(limit)


class _SemicolonCsv(Csv):
    separator, separator_name, quoted = ";", "semicolon", ","


class _TabCsv(Csv):
    separator, separator_name, quoted = "\t", "tab", ","


class _BarCsv(Csv):
    separator, separator_name, quoted = "|", "bar", ","  # one column alone must not look like two


FORMAT = Csv()
_DIALECTS = {kind.separator: kind for kind in (FORMAT, _SemicolonCsv(), _TabCsv(), _BarCsv())}


def _told(encoding: str, asked: Roles) -> tuple[str, ...]:
    """Say the encoding that was detected."""
    read_as = encodings.said(encoding)
    return (read_as,) if read_as and asked.encoding is None else ()


def _refuse(sentence: str, *, tolerant: bool, way_on: bool) -> None:
    """Refuse a damaged row, unless that is to be borne and what follows can be read."""
    if tolerant and not way_on:
        raise InputError(f"{sentence} {_NO_WAY_ON}")
    if not tolerant:
        raise (tables.DamagedRowError if way_on else InputError)(sentence)


def _numeric(cells: Sequence[str]) -> bool:
    """Whether all filled cells are numbers, so that the column cannot be the text meant."""
    try:
        return bool([float(cell) for cell in cells if cell])
    except ValueError:
        return False
