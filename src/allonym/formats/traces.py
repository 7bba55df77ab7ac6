"""Leave in an Arrow table the values of its rows, and nothing that tells of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

JSON_FIELD = {b"allonym": b"json"}  # Arrow field metadata: this text column holds JSON values


def without_traces(table: pa.Table) -> pa.Table:
    """Return a table whose columns hold the values of its rows and nothing else.

    No category that no row uses, categories in the order in which the rows use them, as many bits for each however many
    there were, no order among them, no metadata (but JSON fields stay marked); within lists and records no categories.
    """
    import pyarrow as pa

    columns = [_bare(column) for column in table.columns]
    fields = [
        pa.field(field.name, column.type, field.nullable, JSON_FIELD if field.metadata == JSON_FIELD else None)
        for field, column in zip(table.schema, columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _bare(column: Any) -> Any:  # noqa: ANN401 - a chunked array
    import pyarrow as pa

    kind = _plain_type(column.type)
    if not column.type.equals(kind, check_metadata=True):
        try:
            plain = column.cast(kind)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # Arrow casts no dictionaries deep inside
            plain = pa.chunked_array([pa.array(column.to_pylist(), kind)])
        column = plain.combine_chunks().dictionary_encode() if pa.types.is_dictionary(column.type) else plain
    return column


def _plain_type(kind: Any) -> Any:  # noqa: ANN401 - an Arrow type
    """Return a type without dictionaries, extensions and metadata, however deep they lie."""
    import pyarrow as pa

    def bare(field: Any) -> Any:  # noqa: ANN401
        return pa.field(field.name, _plain_type(field.type), field.nullable)

    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _plain_type(kind.storage_type)
    if pa.types.is_struct(kind):
        return pa.struct([bare(kind.field(number)) for number in range(kind.num_fields)])
    if pa.types.is_map(kind):
        return pa.map_(_plain_type(kind.key_type), bare(kind.item_field), keys_sorted=kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(bare(kind.value_field), kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(bare(kind.value_field))
    return pa.large_list(bare(kind.value_field)) if pa.types.is_large_list(kind) else kind
