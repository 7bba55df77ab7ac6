"""Rows of CSV and JSON lines files, as Arrow needs them; `files` is the way in.

Where `Roles.tolerant` asks for it, a row that cannot be read is marked and takes its place all the same, so that the
positions of the others, by which their noise is keyed, are what they would be without the damage. JSON lines can be
read on after any line. A CSV file can where the damage lies within one line and the quotes of that line come in pairs;
beyond that nobody knows where the next row begins, and words of a text might pass for another column.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from allonym.errors import InputError
from allonym.formats.tables import (
    DamagedRowError,
    EmptyInputError,
    Part,
    Roles,
    Table,
    batched,
    chosen,
    decoded,
    encodable,
    named,
    part_of,
    shown,
    written,
)
from allonym.formats.traces import JSON_FIELD

_LONGEST_LINE = 1 << 26  # an unclosed quote must not swallow a file of any size
_NO_WAY_ON = "A quote may be missing, so it is not known where the next row begins, and --on-error cannot leave it out."


def open_csv(path: Path, asked: Roles, batch_rows: int) -> Table:
    """Open a comma-separated file with a header; every cell stays text, exactly."""
    rows = _csv_rows(path, asked.tolerant)
    _, _, header = next(rows, (0, 0, None))
    if not header:
        raise EmptyInputError(f"{shown(path)} is empty; its first line must name the columns.")
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        raise InputError(f"{shown(path)} is not separated by commas; save it with commas between the cells.")
    strings: list[str] = []
    if asked.text is None:
        first = [cells for _, _, cells in itertools.islice(rows, batch_rows) if cells is not None]
        strings = [name for i, name in enumerate(header) if not _numeric([cells[i] for cells in first])]
    text, roles = chosen(path, header, strings, asked)

    def parts(batch_rows: int) -> Iterator[Part]:
        import pyarrow as pa

        nothing = [None] * len(header)
        for lines, batch in batched(itertools.islice(_csv_rows(path, asked.tolerant), 1, None), batch_rows):
            unreadable = tuple(place for place, cells in enumerate(batch) if cells is None)
            whole = [nothing if cells is None else cells for cells in batch] if unreadable else batch
            columns = dict(zip(header, zip(*whole, strict=True), strict=True))
            kept = pa.table({name: pa.array(columns[name], pa.string()) for name in roles.keep})
            texts = [cell or "" for cell in columns[text]] if unreadable else list(columns[text])
            yield part_of(roles, texts, columns, kept, lines, unreadable)

    return Table(text, written(header, roles), parts)


def _csv_rows(path: Path, tolerant: bool) -> Iterator[tuple[int, int, list[str] | None]]:
    """First line, size and cells of each row, the header too; no cells of a row that cannot be read."""
    lines = _Lines(path, tolerant)
    reader = csv.reader(lines, strict=True)
    width = 0
    while True:
        line = reader.line_num + 1
        cells, reason = _next_cells(reader)
        if cells is None:
            return
        if cells and width and len(cells) != width:
            reason = f"{len(cells)} cells where the header has {width}; put quotes around cells with commas"
        if reason:
            way_on = bool(width) and reader.line_num == line and lines.latest.count('"') % 2 == 0
            _refuse(f"{shown(path)}, line {line}: {reason}.", tolerant=tolerant and bool(width), way_on=way_on)
        if reason or lines.damaged:
            if not width:
                raise InputError(f"{shown(path)}, line {line}: the names of the columns cannot be read; repair it.")
            lines.damaged = False
            yield line, len(lines.latest), None
        elif cells:
            width = width or len(cells)
            yield line, sum(map(len, cells)), cells


def _refuse(sentence: str, *, tolerant: bool, way_on: bool) -> None:
    """Refuse a damaged row, unless that is to be borne and what follows can be read."""
    if tolerant and not way_on:
        raise InputError(f"{sentence} {_NO_WAY_ON}")
    if not tolerant:
        raise (DamagedRowError if way_on else InputError)(sentence)


def _next_cells(reader: Any) -> tuple[list[str] | None, str]:  # noqa: ANN401 - a csv.reader
    """Return the cells of the next row, None after the last, and what is wrong with it, if anything."""
    limit = csv.field_size_limit(_LONGEST_LINE)  # process-wide, hence put back after each row
    try:
        return next(reader, None), ""
    except csv.Error:
        return [], 'the quotes do not match; a cell with a comma, quote or line break needs "…" around it'
    finally:
        csv.field_size_limit(limit)


class _Lines:
    """The lines of a file, decoded; where that may fail, with a mark that it did.

    Attributes:
        latest: The last line that was read.
        damaged: Whether a line was not UTF-8 since this was last set to False.
    """

    def __init__(self, path: Path, tolerant: bool) -> None:
        self._path, self._tolerant = path, tolerant
        self.latest, self.damaged = "", False

    def __iter__(self) -> Iterator[str]:
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


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line; split at line feeds only, so quoted cells and JSON stay exact."""
    with path.open("rb") as file:
        for number in itertools.count(1):
            line = file.readline(_LONGEST_LINE + 1)
            if not line:
                return
            if len(line) > _LONGEST_LINE:
                raise InputError(f"{shown(path)}, line {number}: longer than 64 MiB; split it into rows.")
            yield number, line


def _numeric(cells: Sequence[str]) -> bool:
    """Whether all filled cells are numbers, so that the column cannot be the text meant."""
    try:
        return bool([float(cell) for cell in cells if cell])
    except ValueError:
        return False


def open_jsonl(path: Path, asked: Roles, batch_rows: int) -> Table:
    """Open a file with one JSON object on each line; a name a line lacks is null there."""
    # One type must hold for all batches of a kept column, so those need a look at every line.
    kinds: dict[str, set[str]] = {}
    lines = 0
    for _, _, row in itertools.islice(_json_rows(path, asked.tolerant), None if asked.keep else batch_rows):
        lines += 1
        for name, value in ({} if row is None else row).items():
            kinds.setdefault(name, set()).add(_json_kind(value))
    if not lines:
        raise EmptyInputError(f"{shown(path)} holds no documents; give one JSON object on each line.")
    if not kinds:
        raise InputError(f"{shown(path)}: none of the first {lines:,} lines names a column; repair the file.")
    text, roles = chosen(path, list(kinds), [name for name in kinds if "string" in kinds[name]], asked)

    def parts(batch_rows: int) -> Iterator[Part]:
        fields = [_json_field(name, kinds[name]) for name in roles.keep]
        for lines, rows in batched(_json_rows(path, asked.tolerant), batch_rows):
            yield _json_part(path, roles, fields, lines, rows)

    return Table(text, written(kinds, roles), parts)


def _json_part(
    path: Path, roles: Roles, fields: list[Any], lines: list[int], rows: list[dict[str, Any] | None]
) -> Part:
    import pyarrow as pa

    plain = [field.name for field in fields if field.metadata != JSON_FIELD]
    unreadable, whole = [], list[dict[str, Any]]()
    for place, (line, row) in enumerate(zip(lines, rows, strict=True)):
        bad_column = None if row is None else _no_text(row, plain)
        bad_text = row is not None and not isinstance(row.get(roles.text or ""), str | None)
        if (bad_column or bad_text) and not roles.tolerant:
            reason = "the text is not a string; repair the line"
            if bad_column:
                reason = f"column {named([bad_column])} holds a lone surrogate; repair it or do not --keep it"
            raise DamagedRowError(f"{shown(path)}, line {line}: {reason}.")
        if row is None or bad_column or bad_text:
            unreadable.append(place)
        whole.append({} if row is None or bad_column else row)
    columns = {name: [row.get(name) for row in whole] for name in (roles.id, roles.author) if name is not None}
    arrays = [_json_array(field, [row.get(field.name) for row in whole]) for field in fields]
    found = (row.get(roles.text or "") for row in whole)
    texts = [value if isinstance(value, str) else "" for value in found]
    kept = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    return part_of(roles, texts, columns, kept, lines, tuple(unreadable))


def _no_text(row: dict[str, Any], names: Sequence[str]) -> str | None:
    """Return the first column whose value no output could hold."""
    values = ((name, row.get(name)) for name in names)
    return next((name for name, value in values if isinstance(value, str) and not encodable(value)), None)


def _json_rows(path: Path, tolerant: bool) -> Iterator[tuple[int, int, dict[str, Any] | None]]:
    """Line number, size and object of each line that is not blank; no object of a line that cannot be read."""
    lines = _Lines(path, tolerant)
    for number, line in enumerate(lines, 1):
        if not line.strip() and not lines.damaged:
            continue
        row, reason = (None, "") if lines.damaged else _json_row(line)
        if reason and not tolerant:
            raise DamagedRowError(f"{shown(path)}, line {number}: {reason}.")
        lines.damaged = False
        yield number, len(line), row


def _json_row(line: str) -> tuple[dict[str, Any] | None, str]:
    """Return the object on a line, or what is wrong with it."""
    try:
        row = json.loads(line, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
    except KeyError:
        return None, "an object uses one name twice; rename one of them"
    except (ValueError, RecursionError):
        return None, "not valid JSON; write one JSON object on each line"
    if not isinstance(row, dict):
        return None, "not a JSON object; write one JSON object on each line"
    return row, ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a repeated name, of which Python would silently take the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyError
    return found


def _finite(digits: str) -> float:
    """Refuse NaN and numbers too large, which could not be written back."""
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError
    return value


def _json_kind(value: object) -> str:
    """Name of the Arrow type that holds a JSON value exactly, or `json`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "int64" if -(2**63) <= value < 2**63 else "json"
    return {bool: "bool", float: "double", str: "string", type(None): "null"}.get(type(value), "json")


def _json_field(name: str, kinds: set[str]) -> Any:  # noqa: ANN401 - Arrow has no types
    import pyarrow as pa

    filled = kinds - {"null"}
    if len(filled) > 1 or "json" in filled:
        return pa.field(name, pa.string(), metadata=JSON_FIELD)
    return pa.field(name, pa.type_for_alias(next(iter(filled), "null")))


def _json_array(field: Any, values: list[Any]) -> Any:  # noqa: ANN401
    import pyarrow as pa

    if field.metadata == JSON_FIELD:
        values = [None if value is None else json.dumps(value) for value in values]
    return pa.array(values, field.type)
