"""Excel's workbooks: the first sheet, whose first row names the columns; every cell is read as text.

Numbers and dates are read as they are, without their format ("7", "0.5", "2021-03-12"), formulas as what they last
gave. Numbers are written as numbers, all else as text: nothing that is written is ever a formula. Written by hand,
since openpyxl puts the time into every file, and equal tables must give equal bytes. Of a longer text than 32,767
characters Excel shows so many.
"""

from __future__ import annotations

import itertools
import re
import warnings
import zipfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime, time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from allonym.errors import AllonymError, InputError, ParameterError
from allonym.formats import lines, tables, zips
from allonym.formats.base import TableFormat
from allonym.formats.tables import NO_DOCUMENT, Opened, Part, Roles, shown

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_UNPACKED: Final = 400_000_000  # bytes of all parts, as the file declares them; reading stops there in any case
_MOST_SHARED: Final = 100_000_000  # bytes of the list of texts, all of which are held
_MOST_PARTS: Final = 2_000
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
# Signs that XML has no place for or changes, and an underscore that would be read as the beginning of such a sign.
_TO_ESCAPE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_INSTEAD: Final = ".csv"
_WAY_OUT: Final = f"save it again as .xlsx without a password, or as {_INSTEAD}"

_CONTENT_TYPES: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)
_RELATIONS: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>'
    "</Relationships>"
)
_WORKBOOK: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
_PARTS: Final = {
    "[Content_Types].xml": _CONTENT_TYPES,
    "_rels/.rels": _RELATIONS.format(kind="officeDocument", target="xl/workbook.xml"),
    "xl/workbook.xml": _WORKBOOK,
    "xl/_rels/workbook.xml.rels": _RELATIONS.format(kind="worksheet", target="worksheets/sheet1.xml"),
}
_SHEET: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
)


class Xlsx(TableFormat):
    """A workbook of Excel or LibreOffice."""

    name = "xlsx"
    suffixes = (".xlsx",)
    counted_in = "row"

    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """Read the header; where the text column is not named, the first rows too."""
        path = Path(source)
        with closing(_rows(path)) as rows:
            header = _header(path, rows)
            strings: list[str] = []
            if asked.text is None:
                first = [cells for _, _, cells in itertools.islice(rows, batch_rows)]
                strings = [name for i, name in enumerate(header) if not _numeric([cells[i] for cells in first])]

        def parts(roles: Roles, batch_rows: int) -> Iterator[Part]:
            import pyarrow as pa

            with closing(_rows(path)) as rows:
                _header(path, rows)
                for numbers, batch in tables.batched(rows, batch_rows):
                    columns = dict(zip(header, zip(*batch, strict=True), strict=True))
                    copied = pa.table({name: pa.array(columns[name], pa.string()) for name in roles.keep})
                    yield tables.part_of(roles, list(columns[roles.text or ""]), columns, copied, numbers)

        return tables.opened(path, header, strings, asked, parts)

    def preview(self, path: Path) -> Iterator[dict[str, Any]]:
        """Give the rows, without columns that have no name."""
        with closing(_rows(path)) as rows:
            header = _header(path, rows)
            for _, _, cells in rows:
                yield {name: cell for name, cell in zip(header, cells, strict=True) if name}

    def check_size(self, content: bytes) -> None:
        """Refuse a file by the sizes that it declares."""
        with _errors("The table"):
            _check_sizes(BytesIO(content), "The table")

    def write_tables(self, path: Path, tables: Iterable[pa.Table]) -> None:
        """Write tables as the one sheet of a workbook."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in _PARTS.items():
                archive.writestr(zips.entry(name), content)
            with archive.open(zips.entry("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
                sheet.write(_SHEET.encode())
                empty = True
                for table in tables:
                    if empty:
                        sheet.write(_row(table.column_names).encode())
                    empty = False
                    for cells in lines.values_of(table):
                        sheet.write(_row(cells).encode())
                if empty:
                    raise ParameterError(NO_DOCUMENT)
                sheet.write(b"</sheetData></worksheet>")


FORMAT = Xlsx()


def _rows(path: Path) -> Generator[tuple[int, int, list[str]]]:
    """Give number, size and cells of each row that has any, as many cells as the first row has."""
    from openpyxl import load_workbook

    with _errors(shown(path)):
        _check_sizes(path, shown(path))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that do not matter here
            workbook = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            yield from _cells(path, workbook.worksheets[0].iter_rows(values_only=True))
        finally:
            workbook.close()


def _cells(path: Path, rows: Iterable[Iterable[object]]) -> Iterator[tuple[int, int, list[str]]]:
    """Bring all rows to the width of the first, and leave out those without any cell."""
    width = 0
    for number, row in enumerate(rows, 1):
        cells = [_text(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        width = width or len(cells)
        if len(cells) > width:
            reason = "there are cells beyond the last column that has a name; name that column, too"
            raise InputError(f"{shown(path)}, row {number}: {reason}.")
        yield number, sum(map(len, cells)), [*cells, *[""] * (width - len(cells))]


def _header(path: Path, rows: Iterator[tuple[int, int, list[str]]]) -> list[str]:
    """Take the names of the columns from the rows."""
    _, _, names = next(rows, (0, 0, []))
    if not names:
        raise tables.EmptyInputError(f"{shown(path)} is empty; the first row of its first sheet must name the columns.")
    return names


@contextmanager
def _errors(name: str) -> Iterator[None]:
    """Say of whatever is wrong with a workbook how to go on; parsers raise all kinds of things for damaged ones."""
    try:
        yield
    except (AllonymError, OSError, MemoryError):
        raise
    except Exception:
        raise InputError(f"{name} cannot be read as a workbook; {_WAY_OUT}.") from None


def _check_sizes(source: Path | BytesIO, name: str) -> None:
    """Refuse a workbook that becomes very large."""
    with zipfile.ZipFile(source) as archive:
        most = {"*": _MOST_UNPACKED, "*sharedStrings*": _MOST_SHARED}
        zips.check_sizes(archive, name, _MOST_PARTS, most, _INSTEAD)


def _text(value: object) -> str:
    """Return a cell as text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _numeric(cells: list[str]) -> bool:
    """Tell whether all filled cells are numbers, so that the column cannot be the text meant."""
    return any(cells) and all(_NUMBER.fullmatch(cell) for cell in cells if cell)


def _row(cells: Iterable[Any]) -> str:
    return f"<row>{''.join(map(_cell, cells))}</row>"


def _cell(value: object) -> str:
    text = "" if value is None else value if isinstance(value, str) else str(value)
    if not text:
        return "<c/>"
    if _NUMBER.fullmatch(text):
        return f"<c><v>{text}</v></c>"
    written = escape(_TO_ESCAPE.sub(lambda match: f"_x{ord(match[0]):04X}_", text))
    return f'<c t="inlineStr"><is><t xml:space="preserve">{written}</t></is></c>'
