"""Parquet files: typed columns, of which only those asked for are read, written in row groups of a fixed size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.errors import InputError, ParameterError
from allonym.formats import parquet_sizes, tables
from allonym.formats.base import TableFormat
from allonym.formats.tables import NO_DOCUMENT, DamagedRowError, Opened, Part, Roles, named, part_of, shown
from allonym.formats.traces import without_traces

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP = 1 << 14  # rows; fixed, so that the bytes do not depend on the size of the batches
_PREVIEWED = 20  # rows
_ROW_GROUP_BYTES = 1 << 26  # very long documents close a row group early, to keep memory bounded


class Parquet(TableFormat):
    """A Parquet file."""

    name = "parquet"
    suffixes = (".parquet",)
    counted_in = "row"

    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """Read the names and types of the columns."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = Path(source)
        with _errors(path, asked.tolerant), pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            types = dict(zip(names, file.schema_arrow.types, strict=True))
            groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
            bytes_per_row = sum(group.total_byte_size for group in groups) // max(1, file.metadata.num_rows)
        most_rows = max(1, tables.BATCH_CHARACTERS // max(1, bytes_per_row))

        def parts(roles: Roles, batch_rows: int) -> Iterator[Part]:
            wanted = [name for name in names if name in {roles.text, roles.id, roles.author, *roles.keep}]
            start = 1
            with _errors(path, asked.tolerant), pq.ParquetFile(path) as file:
                for batch in file.iter_batches(min(batch_rows, most_rows), columns=wanted, use_threads=False):
                    if batch.num_rows:
                        yield _part(path, batch, roles, range(start, start + batch.num_rows))
                    start += batch.num_rows

        table = tables.opened(path, names, [name for name in types if _is_text(types[name])], asked, parts)
        text = table.text or ""
        if not (_is_text(types[text]) or pa.types.is_null(types[text])):
            reason = f"column {named([text])} holds {types[text]}, not text; name another with --text"
            raise InputError(f"{shown(path)}: {reason}.")
        return table

    def preview(self, path: Path) -> Iterator[dict[str, Any]]:
        """Give the rows, a few decoded at a time."""
        import pyarrow.parquet as pq

        with _errors(path, tolerant=False), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_PREVIEWED, use_threads=False):
                yield from batch.to_pylist()

    def check_size(self, content: bytes) -> None:
        """Refuse a file by the sizes that it declares."""
        parquet_sizes.check(content)

    def write_tables(self, path: Path, tables: Iterable[pa.Table]) -> None:
        """Write tables as one file."""
        write_parquet_tables(path, tables)


FORMAT = Parquet()


def write_parquet_tables(
    path: Path, tables: Iterable[pa.Table], *, if_none: Callable[[], pa.Table] | None = None
) -> None:
    """Write tables as one Parquet file, in row groups that do not depend on where one table ends.

    Where there are none, the empty table that `if_none` gives is written; without it that is refused.
    """
    import pyarrow.parquet as pq

    tables = iter(tables)
    first = next(tables, None)
    if first is None:
        if if_none is None:
            raise ParameterError(NO_DOCUMENT)
        first = if_none()
    with pq.ParquetWriter(path, without_traces(first).schema, compression="zstd") as writer:
        for group in _row_groups(chain([first], tables)):
            writer.write_table(group, ROW_GROUP)


def _row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Regroup rows: a group ends with its last possible row, or with the one that makes it too large."""
    import numpy as np
    import pyarrow as pa

    pending, sizes = [], np.zeros(0, np.int64)
    for table in tables:
        pending.append(table)
        sizes = np.concatenate([sizes, _row_bytes(table)])
        while len(sizes):
            end = min(ROW_GROUP, int(np.searchsorted(np.cumsum(sizes[:ROW_GROUP]), _ROW_GROUP_BYTES)) + 1)
            if end > len(sizes):
                break
            whole = pa.concat_tables(pending)
            yield without_traces(whole[:end].combine_chunks())
            pending, sizes = [whole[end:]], sizes[end:]
    if len(sizes):
        yield without_traces(pa.concat_tables(pending).combine_chunks())


def _row_bytes(table: pa.Table) -> Any:  # noqa: ANN401 - an array
    """About how much memory each row takes: exact for text, a guess for the rest, and the same for equal rows."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    sizes = np.full(table.num_rows, 8 * table.num_columns, np.int64)
    for column in table.columns:
        kind = column.type
        if pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_large_string(kind):
            sizes += pc.fill_null(pc.binary_length(column), 0).to_numpy().astype(np.int64)
        elif pa.types.is_list(kind):
            sizes += 16 * pc.fill_null(pc.list_value_length(column), 0).to_numpy().astype(np.int64)
    return sizes


def _part(path: Path, batch: Any, roles: Roles, rows: range) -> Part:  # noqa: ANN401
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
        broken = {row for cells in columns.values() for row, cell in enumerate(cells) if cell is _BROKEN}
        columns = {name: [None if cell is _BROKEN else cell for cell in cells] for name, cells in columns.items()}
        unreadable = tuple(sorted(broken))
    # Of the file's metadata nothing: it tells of columns that were not to be kept.
    copied = without_traces(pa.Table.from_batches([batch]).select(list(roles.keep)))
    texts = [value or "" for value in columns[roles.text or ""]]
    return part_of(roles, texts, columns, copied, rows, unreadable)


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
def _errors(path: Path, tolerant: bool) -> Iterator[None]:
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
