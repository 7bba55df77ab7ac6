"""What tables have in common, and rows of Parquet files, as Arrow needs them; `files` is the way in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from allonym.errors import InputError
from allonym.formats.columns import look_like_names
from allonym.formats.traces import without_traces

if TYPE_CHECKING:
    import pyarrow as pa

_Row = TypeVar("_Row")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BATCH_CHARACTERS = 1 << 24  # a batch closes here too, so that long documents cannot fill the memory


class EmptyInputError(InputError):
    """An input has the right form and no documents."""


class DamagedRowError(InputError):
    """A row cannot be read; others may be."""


@dataclass(frozen=True)
class Roles:
    """Which column is what, and whether rows that cannot be read are marked instead of refused."""

    text: str | None = None
    id: str | None = None
    author: str | None = None
    keep: tuple[str, ...] = ()
    tolerant: bool = False


@dataclass(frozen=True)
class Part:
    """Some documents as a format delivers them.

    `numbers` are lines or rows for error messages; `unreadable` are the places of those that are not there as they
    should be: without text, and what else of them is not known is None.
    """

    texts: list[str]
    numbers: Sequence[int]
    ids: Sequence[object] | None = None
    authors: Sequence[object] | None = None
    kept: pa.Table | None = None
    unreadable: tuple[int, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table whose columns have been found: the text's name, the names to write, and a way to read so many rows."""

    text: str
    columns: tuple[str, ...]
    parts: Callable[[int], Iterator[Part]]


def open_parquet(path: Path, asked: Roles) -> Table:
    """Open a Parquet file; only the named columns are read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _parquet_errors(path, asked.tolerant), pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        types = dict(zip(names, file.schema_arrow.types, strict=True))
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        bytes_per_row = sum(group.total_byte_size for group in groups) // max(1, file.metadata.num_rows)
    text, roles = chosen(path, names, [name for name in types if _is_text(types[name])], asked)
    if not (_is_text(types[text]) or pa.types.is_null(types[text])):
        reason = f"column {named([text])} holds {types[text]}, not text; name another with --text"
        raise InputError(f"{shown(path)}: {reason}.")
    most_rows = max(1, _BATCH_CHARACTERS // max(1, bytes_per_row))
    wanted = [name for name in names if name in {text, roles.id, roles.author, *roles.keep}]

    def parts(batch_rows: int) -> Iterator[Part]:
        start = 1
        with _parquet_errors(path, asked.tolerant), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(min(batch_rows, most_rows), columns=wanted, use_threads=False):
                if batch.num_rows:
                    yield _parquet_part(path, batch, roles, range(start, start + batch.num_rows))
                start += batch.num_rows

    return Table(text, written(names, roles), parts)


def _parquet_part(path: Path, batch: Any, roles: Roles, rows: range) -> Part:  # noqa: ANN401
    import pyarrow as pa

    used = {name for name in (roles.text, roles.id, roles.author) if name is not None}
    unreadable: tuple[int, ...] = ()
    try:
        columns = {name: batch.column(name).to_pylist() for name in used}
    except UnicodeDecodeError:
        if not roles.tolerant:
            reason = "text is not UTF-8; write the file again with valid text"
            raise DamagedRowError(f"{shown(path)}, in rows {rows[0]} to {rows[-1]}: {reason}.") from None
        columns = {name: [_cell(value) for value in batch.column(name)] for name in used}
        broken = {place for cells in columns.values() for place, cell in enumerate(cells) if cell is _BROKEN}
        columns = {name: [None if cell is _BROKEN else cell for cell in cells] for name, cells in columns.items()}
        unreadable = tuple(sorted(broken))
    # Of the file's metadata nothing: it tells of columns that were not to be kept.
    kept = without_traces(pa.Table.from_batches([batch]).select(list(roles.keep)))
    texts = [value or "" for value in columns[roles.text or ""]]
    return part_of(roles, texts, columns, kept, rows, unreadable)


_BROKEN = object()


def _cell(value: Any) -> Any:  # noqa: ANN401
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return _BROKEN


def _is_text(kind: Any) -> bool:  # noqa: ANN401
    import pyarrow as pa

    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return plain in (pa.string(), pa.large_string(), pa.string_view())


@contextmanager
def _parquet_errors(path: Path, tolerant: bool) -> Iterator[None]:
    """Turn Arrow's many errors, whose messages may quote the data, into one."""
    import pyarrow as pa

    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, MemoryError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = "is not a sound Parquet file; write or copy it again"
        if tolerant:
            reason += ". Its rows are packed together, so --on-error cannot leave out the damaged ones"
        raise InputError(f"{shown(path)} {reason}.") from None


def chosen(path: Path, names: Sequence[str], strings: Sequence[str], asked: Roles) -> tuple[str, Roles]:
    """Check the asked columns against those there are, and find the text column."""
    if len(set(names)) < len(names):
        repeated = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
        raise InputError(f"{shown(path)} repeats a column name ({_header(repeated)}); rename them apart.")
    wanted = [name for name in (asked.text, asked.id, asked.author, *asked.keep) if name is not None]
    missing = [name for name in wanted if name not in names or not encodable(name)]
    if missing:
        raise InputError(f"{shown(path)} has no column {named(missing)}; it has {_header(names)}.")
    if asked.text is None and len(strings) != 1:
        count = f"{len(strings)} text columns" if strings else "no text column"
        raise InputError(f"{shown(path)} has {count}; name one with --text: it has {_header(names)}.")
    text = strings[0] if asked.text is None else asked.text
    if text in asked.keep or text == asked.id:
        raise InputError(f"Column {named([text])} is the text to protect; it cannot be kept or be the id.")
    keep = tuple(name for name in names if name in asked.keep)
    return text, Roles(text, asked.id, asked.author, keep, asked.tolerant)


def written(names: Iterable[str], roles: Roles) -> tuple[str, ...]:
    """Return the columns of the output, in the order of the input."""
    return tuple(name for name in names if name == roles.text or name in roles.keep)


def part_of(
    roles: Roles,
    texts: list[str],
    columns: Any,  # noqa: ANN401 - by name
    kept: pa.Table,
    numbers: Sequence[int],
    unreadable: tuple[int, ...] = (),
) -> Part:
    """Return what was read of some rows as a part."""
    ids = None if roles.id is None else columns[roles.id]
    authors = None if roles.author is None else columns[roles.author]
    return Part(texts, numbers, ids, authors, kept if roles.keep else None, unreadable)


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
    if look_like_names(names):
        return named(names)
    columns = "1 column" if len(names) == 1 else f"{len(names):,} columns"
    return f"{columns}, and the first row may not be names (is the header missing?)"


def named(names: Sequence[str]) -> str:
    """Up to ten column names."""
    listed = ", ".join(repr(name[:40]) for name in names[:10])
    return listed + (f" and {len(names) - 10} more" if len(names) > 10 else "")
