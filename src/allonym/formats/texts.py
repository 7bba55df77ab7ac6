"""Write texts back in the format they came in, batch by batch.

Lone surrogates, which UTF-8 cannot hold, are written as U+FFFD.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from allonym.errors import InputError, ParameterError
from allonym.formats.tables import encodable
from allonym.formats.traces import JSON_FIELD, without_traces

if TYPE_CHECKING:
    import pyarrow as pa

    from allonym.formats.files import DocumentBatch, Format

ROW_GROUP = 1 << 14  # rows; fixed, so that the bytes do not depend on the size of the batches
_NO_DOCUMENT = "The batches must hold at least one document."
_ROW_GROUP_BYTES = 1 << 26  # very long documents close a row group early, to keep memory bounded


def write_texts(
    path: str | Path,
    batches: Iterable[DocumentBatch],
    *,
    file_format: Format,
    text_column: str | None = None,
    columns: Sequence[str] = (),
    excel_safe: bool = False,
) -> None:
    """Write documents in a format of the readers, batch by batch.

    Args:
        path: Where to write; for `folder` a folder that does not exist yet, its files named by the ids.
        batches: What to write, for instance the batches read, with their texts replaced.
        file_format: `Documents.format`; `stdin` and `text` write the one text as it is.
        text_column: `Documents.text`; None writes `text`.
        columns: `Documents.columns`, the order of the columns; empty puts the text before the kept ones.
        excel_safe: Put ' before CSV cells that a spreadsheet would run as a formula.
    """
    if file_format == "folder":
        _write_folder(Path(path), batches)
    elif file_format in ("stdin", "text"):
        texts = [text for batch in batches for text in batch.texts]
        if len(texts) != 1:
            raise ParameterError(f"A text file must hold 1 document, got {len(texts)}.")
        Path(path).write_bytes(_storable(texts[0]).encode())
    else:
        tables = (text_table(batch, text_column or "text", columns) for batch in batches)
        _write_table(Path(path), tables, file_format, excel_safe)


def _write_folder(folder: Path, batches: Iterable[DocumentBatch]) -> None:
    folder.mkdir()
    for batch in batches:
        for identifier, text in zip(batch.ids, batch.texts, strict=True):
            relative = PurePosixPath(identifier)
            if relative.is_absolute() or ".." in relative.parts or "\0" in identifier or not relative.name:
                raise ParameterError("The ids of a folder must be relative paths inside it.")
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            (folder / relative).write_bytes(_storable(text).encode())


def text_table(batch: DocumentBatch, text_column: str, columns: Sequence[str]) -> pa.Table:
    """Return the texts and the kept columns in the order of the columns."""
    import pyarrow as pa

    texts = pa.array([_storable(text) for text in batch.texts], pa.string())
    if batch.kept is None:
        return pa.table([texts], names=[text_column])
    order = columns or (text_column, *batch.kept.column_names)
    return batch.kept.append_column(text_column, texts).select(list(order))


def _write_table(path: Path, tables: Iterable[pa.Table], file_format: Format, excel_safe: bool) -> None:
    if file_format == "parquet":
        write_parquet_tables(path, tables)
        return
    with open(path, "w", encoding="utf-8", newline="") as file:
        header = True
        for table in tables:
            file.writelines(table_lines(table, file_format, header=header, excel_safe=excel_safe))
            header = False
    if header:
        raise ParameterError(_NO_DOCUMENT)


def table_lines(table: pa.Table, file_format: Format, *, header: bool, excel_safe: bool = False) -> Iterator[str]:
    """Give the lines of a table as CSV, with or without its header, or as JSON."""
    if file_format == "csv":
        if header:
            yield _csv_line(table.column_names, excel_safe)
        yield from (_csv_line(cells, excel_safe) for cells in _rows(table))
    else:
        yield from _json_lines(table)


def csv_header(names: Sequence[str], *, excel_safe: bool = False) -> str:
    """Return the first line of a CSV file."""
    return _csv_line(names, excel_safe)


def write_parquet_tables(
    path: Path, tables: Iterable[pa.Table], *, if_none: Callable[[], pa.Table] | None = None
) -> None:
    """Write tables as one Parquet file, in row groups that do not depend on where one table ends.

    Args:
        path: Where to write.
        tables: What to write, from the first row to the last.
        if_none: Gives an empty table to write where there are no tables; without it that is refused.
    """
    import pyarrow.parquet as pq

    tables = iter(tables)
    first = next(tables, None)
    if first is None:
        if if_none is None:
            raise ParameterError(_NO_DOCUMENT)
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


def _rows(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    try:
        columns = [column.to_pylist() for column in table.columns]
    except UnicodeDecodeError:
        raise InputError("A kept column holds text that is not UTF-8; leave it out of --keep.") from None
    return zip(*columns, strict=True)


def _csv_line(cells: Sequence[Any], excel_safe: bool) -> str:
    """One row; by hand, as the csv module leaves carriage returns unquoted before Python 3.13."""
    line = ",".join(_csv_cell(cell, excel_safe) for cell in cells)
    return (line or '""') + "\n"  # a blank line would not be read back as a row


def _csv_cell(value: object, excel_safe: bool) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    if excel_safe and text.startswith(("=", "+", "-", "@", "\t", "\r")) and isinstance(value, str):
        text = f"'{text}"
    if any(mark in text for mark in ',"\r\n\ufeff'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _json_lines(table: pa.Table) -> Iterator[str]:
    names = [json.dumps(name, ensure_ascii=False) for name in table.column_names]
    as_json = [field.metadata == JSON_FIELD for field in table.schema]
    for row in _rows(table):
        values = (
            value if is_json and value is not None else _json_value(value)
            for value, is_json in zip(row, as_json, strict=True)
        )
        yield "{" + ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True)) + "}\n"


def _json_value(value: object) -> str:
    """JSON of a value; what JSON lacks becomes null (NaN) or text (dates)."""
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, default=str, ensure_ascii=False)


def _storable(text: str) -> str:
    return text if encodable(text) else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
