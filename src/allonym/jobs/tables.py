"""Rows of CSV, JSON lines and Parquet files, as Arrow needs them; `files` is the way in."""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from allonym.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

JSON_FIELD = {b"allonym": b"json"}  # Arrow field metadata: this text column holds JSON values

_Row = TypeVar("_Row")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BATCH_CHARACTERS = 1 << 24  # a batch closes here too, so that long documents cannot fill the memory
_LONGEST_LINE = 1 << 26  # an unclosed quote must not swallow a file of any size

_COLUMN_NAME = re.compile(r"[^\W\d][\w.-]{0,30}( [\w.-]{1,15}){0,2}")


@dataclass(frozen=True)
class Roles:
    """Which column is what."""

    text: str | None = None
    id: str | None = None
    author: str | None = None
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """Some documents as a format delivers them; `numbers` are lines or rows for error messages."""

    texts: list[str]
    numbers: Sequence[int]
    ids: Sequence[object] | None = None
    authors: Sequence[object] | None = None
    kept: pa.Table | None = None


@dataclass(frozen=True)
class Table:
    """A table whose columns have been found: the text's name, the names to write, and a way to read so many rows."""

    text: str
    columns: tuple[str, ...]
    parts: Callable[[int], Iterator[Part]]


def open_csv(path: Path, asked: Roles, batch_rows: int) -> Table:
    """Open a comma-separated file with a header; every cell stays text, exactly."""
    rows = _csv_rows(path)
    _, _, header = next(rows, (0, 0, []))
    if not header:
        raise InputError(f"{shown(path)} is empty; its first line must name the columns.")
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        raise InputError(f"{shown(path)} is not separated by commas; save it with commas between the cells.")
    strings: list[str] = []
    if asked.text is None:
        first = [cells for _, _, cells in itertools.islice(rows, batch_rows)]
        strings = [name for i, name in enumerate(header) if not _numeric([cells[i] for cells in first])]
    text, roles = _chosen(path, header, strings, asked)

    def parts(batch_rows: int) -> Iterator[Part]:
        import pyarrow as pa

        for lines, batch in batched(itertools.islice(_csv_rows(path), 1, None), batch_rows):
            columns = dict(zip(header, zip(*batch, strict=True), strict=True))
            kept = pa.table({name: pa.array(columns[name], pa.string()) for name in roles.keep})
            yield _part(roles, list(columns[text]), columns, kept, lines)

    return Table(text, _written(header, roles), parts)


def _csv_rows(path: Path) -> Iterator[tuple[int, int, list[str]]]:
    """First line, size and cells of each row, the header too."""
    reader = csv.reader((line for _, line in _decoded_lines(path)), strict=True)
    width = 0
    while True:
        line = reader.line_num + 1
        limit = csv.field_size_limit(_LONGEST_LINE)  # process-wide, hence put back after each row
        try:
            cells = next(reader, None)
        except csv.Error:
            reason = 'the quotes do not match; a cell with a comma, quote or line break needs "…" around it'
            raise InputError(f"{shown(path)}, line {line}: {reason}.") from None
        finally:
            csv.field_size_limit(limit)
        if cells is None:
            return
        width = width or len(cells)
        if cells and len(cells) != width:
            reason = f"{len(cells)} cells where the header has {width}; put quotes around cells with commas"
            raise InputError(f"{shown(path)}, line {line}: {reason}.")
        if cells:
            yield line, sum(map(len, cells)), cells


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
    for _, _, row in itertools.islice(_json_rows(path), None if asked.keep else batch_rows):
        for name, value in row.items():
            kinds.setdefault(name, set()).add(_json_kind(value))
    if not kinds:
        raise InputError(f"{shown(path)} holds no documents; give one JSON object on each line.")
    text, roles = _chosen(path, list(kinds), [name for name in kinds if "string" in kinds[name]], asked)
    used = [name for name in (text, roles.id, roles.author, *roles.keep) if name is not None]

    def parts(batch_rows: int) -> Iterator[Part]:
        import pyarrow as pa

        fields = [_json_field(name, kinds[name]) for name in roles.keep]
        for lines, rows in batched(_json_rows(path), batch_rows):
            columns = {name: [row.get(name) for row in rows] for name in used}
            texts = [_json_text(path, *pair) for pair in zip(lines, columns[text], strict=True)]
            arrays = [_json_array(path, field, columns[field.name], lines) for field in fields]
            yield _part(roles, texts, columns, pa.Table.from_arrays(arrays, schema=pa.schema(fields)), lines)

    return Table(text, _written(kinds, roles), parts)


def _json_rows(path: Path) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Line number, size and object of each line that is not blank."""
    for number, line in _decoded_lines(path):
        if not line.strip():
            continue
        place = f"{shown(path)}, line {number}"
        try:
            row = json.loads(line, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
        except KeyError:
            raise InputError(f"{place}: an object uses one name twice; rename one of them.") from None
        except (ValueError, RecursionError):
            raise InputError(f"{place}: not valid JSON; write one JSON object on each line.") from None
        if not isinstance(row, dict):
            raise InputError(f"{place}: not a JSON object; write one JSON object on each line.")
        yield number, len(line), row


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


def _json_text(path: Path, line: int, value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise InputError(f"{shown(path)}, line {line}: the text is not a string; repair the line.")
    return value or ""


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


def _json_array(path: Path, field: Any, values: list[Any], lines: Sequence[int]) -> Any:  # noqa: ANN401
    import pyarrow as pa

    if field.metadata == JSON_FIELD:
        values = [None if value is None else json.dumps(value) for value in values]
    for line, value in zip(lines, values, strict=True):
        if isinstance(value, str) and not encodable(value):
            reason = f"column {_named([field.name])} holds a lone surrogate; repair it or do not --keep it"
            raise InputError(f"{shown(path)}, line {line}: {reason}.")
    return pa.array(values, field.type)


def open_parquet(path: Path, asked: Roles) -> Table:
    """Open a Parquet file; only the named columns are read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _parquet_errors(path), pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        types = dict(zip(names, file.schema_arrow.types, strict=True))
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        bytes_per_row = sum(group.total_byte_size for group in groups) // max(1, file.metadata.num_rows)
    text, roles = _chosen(path, names, [name for name in types if _is_text(types[name])], asked)
    if not (_is_text(types[text]) or pa.types.is_null(types[text])):
        reason = f"column {_named([text])} holds {types[text]}, not text; name another with --text"
        raise InputError(f"{shown(path)}: {reason}.")
    most_rows = max(1, _BATCH_CHARACTERS // max(1, bytes_per_row))
    wanted = [name for name in names if name in {text, roles.id, roles.author, *roles.keep}]

    def parts(batch_rows: int) -> Iterator[Part]:
        start = 1
        with _parquet_errors(path), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(min(batch_rows, most_rows), columns=wanted, use_threads=False):
                if batch.num_rows:
                    yield _parquet_part(path, batch, roles, range(start, start + batch.num_rows))
                start += batch.num_rows

    return Table(text, _written(names, roles), parts)


def _parquet_part(path: Path, batch: Any, roles: Roles, rows: range) -> Part:  # noqa: ANN401
    import pyarrow as pa

    named = {name for name in (roles.text, roles.id, roles.author) if name is not None}
    try:
        columns = {name: batch.column(name).to_pylist() for name in named}
    except UnicodeDecodeError:
        reason = "text is not UTF-8; write the file again with valid text"
        raise InputError(f"{shown(path)}, in rows {rows[0]} to {rows[-1]}: {reason}.") from None
    # Fresh fields: the file's own metadata tells of columns that were not to be kept.
    found = [batch.schema.field(name) for name in roles.keep]
    fields = [pa.field(field.name, field.type, field.nullable) for field in found]
    kept = pa.Table.from_arrays([batch.column(name) for name in roles.keep], schema=pa.schema(fields))
    return _part(roles, [value or "" for value in columns[roles.text or ""]], columns, kept, rows)


def _is_text(kind: Any) -> bool:  # noqa: ANN401
    import pyarrow as pa

    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return plain in (pa.string(), pa.large_string(), pa.string_view())


@contextmanager
def _parquet_errors(path: Path) -> Iterator[None]:
    """Turn Arrow's many errors, whose messages may quote the data, into one."""
    import pyarrow as pa

    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(f"{shown(path)} is not a sound Parquet file; write or copy it again.") from None


def _chosen(path: Path, names: Sequence[str], strings: Sequence[str], asked: Roles) -> tuple[str, Roles]:
    """Check the asked columns against those there are, and find the text column."""
    if len(set(names)) < len(names):
        repeated = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
        raise InputError(f"{shown(path)} repeats a column name ({_header(repeated)}); rename them apart.")
    wanted = [name for name in (asked.text, asked.id, asked.author, *asked.keep) if name is not None]
    missing = [name for name in wanted if name not in names or not encodable(name)]
    if missing:
        raise InputError(f"{shown(path)} has no column {_named(missing)}; it has {_header(names)}.")
    if asked.text is None and len(strings) != 1:
        count = f"{len(strings)} text columns" if strings else "no text column"
        raise InputError(f"{shown(path)} has {count}; name one with --text: it has {_header(names)}.")
    text = strings[0] if asked.text is None else asked.text
    if text in asked.keep or text == asked.id:
        raise InputError(f"Column {_named([text])} is the text to protect; it cannot be kept or be the id.")
    return text, Roles(text, asked.id, asked.author, tuple(name for name in names if name in asked.keep))


def _written(names: Iterable[str], roles: Roles) -> tuple[str, ...]:
    return tuple(name for name in names if name == roles.text or name in roles.keep)


def _part(roles: Roles, texts: list[str], columns: Any, kept: pa.Table, numbers: Sequence[int]) -> Part:  # noqa: ANN401
    ids = None if roles.id is None else columns[roles.id]
    authors = None if roles.author is None else columns[roles.author]
    return Part(texts, numbers, ids, authors, kept if roles.keep else None)


def _decoded_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line; split at line feeds only, so quoted cells and JSON stay exact."""
    offset = 0
    with path.open("rb") as file:
        for number in itertools.count(1):
            line = file.readline(_LONGEST_LINE + 1)
            if not line:
                return
            if len(line) > _LONGEST_LINE:
                raise InputError(f"{shown(path)}, line {number}: longer than 64 MiB; split it into rows.")
            yield number, decoded(path, line, offset=offset, line=number)
            offset += len(line)


def decoded(source: str | Path, content: bytes, *, offset: int = 0, line: int = 1) -> str:
    """Decode UTF-8, without its byte order mark at the start; errors say where."""
    mark = len(_BYTE_ORDER_MARK) if offset == 0 and content.startswith(_BYTE_ORDER_MARK) else 0
    try:
        return content[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        valid = mark + error.start
    line += content.count(b"\n", 0, valid)
    place = f"{shown(source)}, byte {offset + valid}, line {line}"
    raise InputError(f"{place}: not UTF-8; save the input as UTF-8 and try again.")


def batched(rows: Iterable[tuple[int, int, _Row]], batch_rows: int) -> Iterator[tuple[list[int], list[_Row]]]:
    """Group (number, size, row) until a batch has enough rows or characters."""
    numbers: list[int] = []
    batch: list[_Row] = []
    characters = 0
    for number, size, row in rows:
        numbers.append(number)
        batch.append(row)
        characters += size
        if len(batch) >= batch_rows or characters >= _BATCH_CHARACTERS:
            yield numbers, batch
            numbers, batch, characters = [], [], 0
    if batch:
        yield numbers, batch


def encodable(text: str) -> bool:
    """Whether UTF-8 can hold the text: false for lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(path: str | Path) -> str:
    """A path fit for a message, whatever bytes and control characters its name holds."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(path))


def _header(names: Sequence[str]) -> str:
    """The column names, unless one does not look like a name: the first row may be a text to protect."""
    if all(_COLUMN_NAME.fullmatch(name) for name in names):
        return _named(names)
    return f"{len(names)} columns, whose first row does not look like names (is the header missing?)"


def _named(names: Sequence[str]) -> str:
    """Up to ten column names."""
    listed = ", ".join(repr(name[:40]) for name in names[:10])
    return listed + (f" and {len(names) - 10} more" if len(names) > 10 else "")
