"""Text, ids and keys out of Arrow columns, whatever string type they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neardup.errors import NeardupValueError
from neardup.io.base import Batch, FieldSpec, Reject, as_json, missing_field, split_path
from neardup.io.keys import KeyField, column_values

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["filtered", "find_column", "read_batch", "text_bytes"]


@dataclass(frozen=True, slots=True)
class Column:
    """A field found in a schema: the name to read by, and the steps from its column."""

    name: str
    steps: tuple[str, ...]


def find_column(schema: pa.Schema, dotted: str) -> Column | None:
    """Find a field by its dotted path; a column whose own name has the dots comes first."""
    import pyarrow as pa

    for name in (dotted, split_path(dotted)[0]):
        if schema.names.count(name) > 1:
            raise NeardupValueError(
                f'{schema.names.count(name)} columns are named "{name}"; rename all but one'
            )
    if schema.get_field_index(dotted) >= 0:
        return Column(dotted, (dotted,))
    steps = split_path(dotted)
    if schema.get_field_index(steps[0]) < 0:
        return None
    kind = schema.field(steps[0]).type
    for step in steps[1:]:
        if not pa.types.is_struct(kind) or kind.get_field_index(step) < 0:
            return None
        kind = kind.field(step).type
    return Column(dotted, tuple(steps))


def column_of(batch: pa.RecordBatch, column: Column) -> pa.Array:
    """The column's values; null where an object on the way is null."""
    import pyarrow.compute as pc

    values = batch.column(column.steps[0])
    for step in column.steps[1:]:
        values = pc.struct_field(values, step)
    return values


def read_batch(
    batch: pa.RecordBatch,
    fields: FieldSpec,
    *,
    source: int,
    first_row: int,
    present: Sequence[str],
    name: str = "",
) -> Batch:
    """Take text, id and key out of a record batch; rows without a text are rejected.

    The batch needs only the columns that hold them; ``present`` names all there are, and ``name``
    is that of the source, for messages.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = batch.num_rows
    parts: list[pa.Array] = []
    why: list[tuple[str, str]] = []
    for path in fields.text:
        column = find_column(batch.schema, path)
        if column is None:
            parts.append(pa.nulls(rows, pa.large_string()))
            why.append(missing_field(path, present, fields.text))
        else:
            part, bad = as_text(column_of(batch, column), path)
            parts.append(part)
            why.append(bad)
    joined = parts[0]
    if len(parts) > 1:
        newline = pa.scalar("\n", pa.large_string())
        joined = pc.binary_join_element_wise(*parts, newline, null_handling="emit_null")
    rejected = []
    if joined.null_count:
        for row in pc.indices_nonzero(joined.is_null()).to_pylist():
            field = next(i for i, part in enumerate(parts) if not part[row].is_valid)
            reason, advice = _null_reason(batch, fields.text[field], row) or why[field]
            raw = as_json({name: _shown(batch.column(name)[row]) for name in batch.schema.names})
            rejected.append(Reject(first_row + row, None, reason, raw, advice))
    ids = keys = None
    if fields.id is not None:
        ids = _carried(batch, fields.id)
        ids = pa.nulls(rows, pa.large_string()) if ids is None else as_written(ids)
    if fields.key is not None:
        keys = _carried(batch, fields.key)
        if keys is not None:
            keys = pc.if_else(joined.is_valid(), _plain(keys), None)  # rows set aside are not asked
            keys = column_values(keys, KeyField(fields.key, name, first_row))
        else:
            keys = pa.nulls(rows)
    return Batch(source, first_row, joined, ids, keys, rejected, text_bytes(joined))


def as_text(values: pa.Array, name: str) -> tuple[pa.Array, tuple[str, str]]:
    """Values as large_string, null where they are no text, and why those are not."""
    import pyarrow as pa

    values = _plain(values)
    kind = values.type
    advice = "Mend the row, or pass --on-error skip."
    if pa.types.is_null(kind):
        return pa.nulls(len(values), pa.large_string()), (f'field "{name}" is null', advice)
    if _is_string(kind):
        text = values.cast(pa.large_string())
    elif _is_binary(kind):
        text = values.cast(pa.large_binary()).view(pa.large_string())
    else:
        reason = f'field "{name}" is of type {kind}, not a string'
        help_ = "Name the text field with --text, or pass --on-error skip."
        return pa.nulls(len(values), pa.large_string()), (reason, help_)
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        # Files can hold anything under the name of a string.
        raw = text.view(pa.large_binary()).to_pylist()
        text = pa.array([_decoded(each) for each in raw], pa.large_string())
    return text, (f'field "{name}" is not UTF-8', advice)


def as_written(values: pa.Array) -> pa.Array:
    """Ids as large_string."""
    import pyarrow as pa

    values = _plain(values)
    try:
        text = values.cast(pa.large_string())
        text.validate(full=True)
        return text
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        shown = [None if value is None else _id_text(value) for value in values.to_pylist()]
        return pa.array(shown, pa.large_string())


def filtered(data: Any, mask: np.ndarray[Any, Any]) -> Any:
    """The rows of an array, batch or table where ``mask`` is true, whatever its types."""
    import numpy as np
    import pyarrow as pa

    from neardup.columns import arrow

    try:
        return data.filter(arrow(mask))
    except pa.ArrowNotImplementedError:
        pass
    # Some types (string views, nested dictionaries) can be sliced only: whole runs of rows.
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False]))))
    runs = [data.slice(a, b - a) for a, b in edges.reshape(-1, 2).tolist()] or [data.slice(0, 0)]
    if isinstance(data, pa.Table):
        return pa.concat_tables(runs)
    if isinstance(data, pa.RecordBatch):
        columns = [
            pa.concat_arrays([run.column(place) for run in runs])
            for place in range(data.num_columns)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=data.schema)
    if isinstance(data, pa.ChunkedArray):
        return pa.chunked_array([chunk for run in runs for chunk in run.chunks], data.type)
    return pa.concat_arrays(runs)


def text_bytes(texts: pa.LargeStringArray) -> int:
    """Bytes of all texts."""
    import numpy as np

    if not len(texts):
        return 0
    offsets = np.frombuffer(texts.buffers()[1], np.int64)
    return int(offsets[texts.offset + len(texts)] - offsets[texts.offset])


def _carried(batch: pa.RecordBatch, name: str) -> pa.Array | None:
    column = find_column(batch.schema, name)
    return None if column is None else column_of(batch, column)


def _plain(values: pa.Array) -> pa.Array:
    """Without dictionary, runs or extension around the values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if pa.types.is_run_end_encoded(values.type):
        values = pc.run_end_decode(values)
    if pa.types.is_dictionary(values.type):
        words = values.dictionary
        if pa.types.is_string_view(words.type):  # which Arrow cannot take values out of
            values = pa.DictionaryArray.from_arrays(values.indices, words.cast(pa.large_string()))
        values = values.dictionary_decode()
    return values


def _null_reason(batch: pa.RecordBatch, name: str, row: int) -> tuple[str, str] | None:
    column = find_column(batch.schema, name)
    if column is None or column_of(batch, column)[row].is_valid:
        return None
    return f'field "{name}" is null', "Fill it in, or pass --on-error skip."


def _shown(value: pa.Scalar) -> object:
    try:
        return value.as_py()
    except UnicodeDecodeError:
        return repr(value.as_buffer().to_pybytes())
    except ValueError:
        # Python's dates know no nanoseconds; Arrow's text of them does.
        import pyarrow as pa

        return value.cast(pa.string()).as_py()


def _decoded(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _id_text(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Sequence | dict) and not isinstance(value, str):
        return as_json({"": value})[5:-1].decode("utf-8")
    return str(value)


def _is_string(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _is_binary(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
    )
