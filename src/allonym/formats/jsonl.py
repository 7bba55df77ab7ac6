"""JSON lines: an object a line. Reading goes on after any line that is damaged.

A name that a line lacks is null there. A column that mixes kinds or nests is kept as JSON text in a field marked with
`traces.JSON_FIELD`, and written back as it was.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import InputError
from allonym.formats import tables
from allonym.formats.lines import DecodedLines, LineFormat, values_of
from allonym.formats.tables import Opened, Part, Roles, shown
from allonym.formats.traces import JSON_FIELD

if TYPE_CHECKING:
    import pyarrow as pa


class JsonLines(LineFormat):
    """A file with one JSON object on each line."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")

    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """Look at the first lines, or at all where columns are kept, since one type must hold for all batches."""
        path = Path(source)
        kinds: dict[str, set[str]] = {}
        lines = 0
        for _, _, row in itertools.islice(_json_rows(path, asked.tolerant), None if asked.keep else batch_rows):
            lines += 1
            for name, value in ({} if row is None else row).items():
                kinds.setdefault(name, set()).add(_json_kind(value))
        if not lines:
            raise tables.EmptyInputError(f"{shown(path)} holds no documents; give one JSON object on each line.")
        if not kinds:
            raise InputError(f"{shown(path)}: none of the first {lines:,} lines names a column; repair the file.")

        def parts(roles: Roles, batch_rows: int) -> Iterator[Part]:
            fields = [_json_field(name, kinds[name]) for name in roles.keep]
            for lines, rows in tables.batched(_json_rows(path, asked.tolerant), batch_rows):
                yield _json_part(path, roles, fields, lines, rows)

        return tables.opened(path, list(kinds), [name for name in kinds if "string" in kinds[name]], asked, parts)

    def preview(self, path: Path) -> Iterator[dict[str, Any]]:
        """Give the objects."""
        return (row or {} for _, _, row in _json_rows(path, tolerant=False))

    def header(self, names: Sequence[str]) -> str:
        """Return nothing: every line has the names."""
        return ""

    def lines(self, table: pa.Table) -> Iterator[str]:
        """Give an object a row."""
        names = [json.dumps(name, ensure_ascii=False) for name in table.column_names]
        as_json = [field.metadata == JSON_FIELD for field in table.schema]
        for row in values_of(table):
            values = (
                value if is_json and value is not None else _json_value(value)
                for value, is_json in zip(row, as_json, strict=True)
            )
            yield "{" + ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True)) + "}\n"


FORMAT = JsonLines()


def _json_part(
    path: Path, roles: Roles, fields: list[Any], lines: list[int], rows: list[dict[str, Any] | None]
) -> Part:
    import pyarrow as pa

    plain = [field.name for field in fields if field.metadata != JSON_FIELD]
    unreadable, whole = [], list[dict[str, Any]]()
    for row_number, (line, row) in enumerate(zip(lines, rows, strict=True)):
        bad_column = None if row is None else _no_text(row, plain)
        bad_text = row is not None and not isinstance(row.get(roles.text or ""), str | None)
        if (bad_column or bad_text) and not roles.tolerant:
            reason = "the text is not a string; repair the line"
            if bad_column:
                reason = f"column {tables.named([bad_column])} holds a lone surrogate; repair it or do not --keep it"
            raise tables.DamagedRowError(f"{shown(path)}, line {line}: {reason}.")
        if row is None or bad_column or bad_text:
            unreadable.append(row_number)
        whole.append({} if row is None or bad_column else row)
    columns = {name: [row.get(name) for row in whole] for name in (roles.id, roles.author) if name is not None}
    arrays = [_json_array(field, [row.get(field.name) for row in whole]) for field in fields]
    values = (row.get(roles.text or "") for row in whole)
    texts = [value if isinstance(value, str) else "" for value in values]
    copied = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    return tables.part_of(roles, texts, columns, copied, lines, tuple(unreadable))


def _no_text(row: dict[str, Any], names: Sequence[str]) -> str | None:
    """Return the first column whose value no output could hold."""
    values = ((name, row.get(name)) for name in names)
    return next((name for name, value in values if isinstance(value, str) and not tables.encodable(value)), None)


def _json_rows(path: Path, tolerant: bool) -> Iterator[tuple[int, int, dict[str, Any] | None]]:
    """Line number, size and object of each line that is not blank; no object of a line that cannot be read."""
    lines = DecodedLines(path, tolerant)
    for number, line in enumerate(lines, 1):
        if not line.strip() and not lines.damaged:
            continue
        row, reason = (None, "") if lines.damaged else _json_row(line)
        if reason and not tolerant:
            raise tables.DamagedRowError(f"{shown(path)}, line {number}: {reason}.")
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
    row = dict(pairs)
    if len(row) < len(pairs):
        raise KeyError
    return row


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


def _json_value(value: object) -> str:
    """JSON of a value; what JSON lacks becomes null (NaN) or text (dates)."""
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, default=str, ensure_ascii=False)
