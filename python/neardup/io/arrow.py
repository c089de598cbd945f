"""Collections in memory: lists of str and what speaks Arrow, as a source read again and again."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError
from neardup.io.base import Batch, FieldSpec, RawBatch, Reject, reason
from neardup.io.columns import as_written, column_of, find_column, read_batch
from neardup.io.frames import dataset_tables, library, narrowed, pandas_table, refuse

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["ArrowSource", "Spool", "open_memory"]

_LIST_ROWS = 1 << 14


class ArrowSource:
    """Record batches in memory, or spooled to a temporary file.

    Parameters
    ----------
    schema : pyarrow.Schema
        Of all batches.
    batches : iterable of pyarrow.RecordBatch
        Something that can be iterated again and again.
    bare : bool
        The one column is the text, whatever fields are asked for.
    index : int
        Number of the source, carried into each batch.
    faults : dict of int to str
        Rows that are null because they were no text, and what they were.
    names : list of str, optional
        All columns the data had, for messages, where the batches have fewer.
    """

    name = ""
    format = "arrow"
    codec = ""

    def __init__(
        self,
        schema: pa.Schema,
        batches: Iterable[pa.RecordBatch],
        *,
        bare: bool = False,
        index: int = 0,
        faults: dict[int, str] | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.schema, self.bare, self.index = schema, bare, index
        self._held = batches
        self._faults = faults or {}
        self.names: list[str] = schema.names if names is None else names

    def fingerprint(self) -> None:
        """Data in memory has none."""

    @property
    def count(self) -> int:
        """Rows of the batches that are held."""
        return sum(batch.num_rows for batch in self._held)

    def batches(self, fields: FieldSpec) -> Iterator[Batch]:
        """Read the wanted fields of every row."""
        if self.bare:
            fields = FieldSpec((self.schema.names[0],))
        first_row = 0
        for held in self._held:
            batch = read_batch(
                held, fields, source=self.index, first_row=first_row, present=self.names
            )
            batch.raw = RawBatch(first_row, held.num_rows, held, batch.ids)
            if self.bare or self._faults:
                batch.rejected = [self._named(each) for each in batch.rejected]
            yield batch
            first_row += held.num_rows

    def rows(
        self, id_field: str | None = None, wanted: np.ndarray[Any, Any] | None = None
    ) -> Iterator[RawBatch]:
        """The rows as they are."""
        first_row = 0
        for held in self._held:
            column = None if id_field is None else find_column(held.schema, id_field)
            ids = None if column is None else as_written(column_of(held, column))
            yield RawBatch(first_row, held.num_rows, held, ids)
            first_row += held.num_rows

    def _named(self, reject: Reject) -> Reject:
        why = self._faults.get(reject.row)
        if why is None and not self.bare:
            return reject
        raw = b"" if self.bare and (why or "is null" in reject.reason) else reject.raw
        if why is None:
            why = reject.reason.replace('field "text"', "the text")  # a lone column has no name
        return Reject(reject.row, None, why, raw, 'Leave it out, or pass on_error="skip".')


def open_memory(
    data: Any, *, index: int = 0, fields: FieldSpec | None = None, whole: bool = True
) -> ArrowSource:
    """Make a source of data in memory.

    Parameters
    ----------
    data : object
        An iterable of str; a pyarrow Table, RecordBatch, RecordBatchReader, Array or ChunkedArray;
        anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``; an iterable of those; a
        `datasets.Dataset` or `IterableDataset`.
    index : int
        Number of the source.
    fields : FieldSpec, optional
        The fields that will be read.
    whole : bool
        Whether all columns of a frame are needed, or those of the fields are enough.

    Raises
    ------
    NeardupTypeError
        If the data is none of these.
    """
    import pyarrow as pa

    if isinstance(data, str | bytes | bytearray | os.PathLike):
        raise NeardupTypeError(
            f"a collection of texts is needed, not one {type(data).__name__}: "
            "pass a list, or a path to dedup()"
        )
    if isinstance(data, pa.RecordBatchReader):
        return _spooled(_reader(iter(data), data.schema), index)
    refuse(data)
    fields, names = fields or FieldSpec(), None
    if not whole:
        data, names = narrowed(data, fields)
    known = library(data)
    if known == "pandas" and not isinstance(data, Mapping) and hasattr(data, "iloc"):
        table, faults = pandas_table(data, fields, whole)
        return _held(table, index, faults=faults, names=names)
    if known == "datasets" and hasattr(data, "with_format"):
        faults = {}
        tables = dataset_tables(data, fields, whole, faults)
        head = next(tables, None)
        if head is None:
            empty = {name: pa.array([], pa.string()) for name in names or ("text",)}
            return _held(pa.table(empty), index, names=names)
        return _spooled(_reader(chain([head], tables)), index, faults=faults, names=names)
    if isinstance(data, pa.Array | pa.ChunkedArray | pa.Table | pa.RecordBatch) or _speaks(data):
        return _held(data, index, names=names)
    if isinstance(data, dict) or not (isinstance(data, Iterable) or hasattr(data, "__getitem__")):
        raise NeardupTypeError(
            f"cannot read texts from {type(data).__name__}: pass a list of str, a table that "
            "speaks the Arrow protocol (pyarrow, polars, pandas), or a path"
        )
    if getattr(data, "shape", None) == ():
        raise NeardupTypeError(
            f"a {type(data).__name__} without any dimension is one value: pass a list of texts"
        )
    length, items = _length(data), iter(data)
    first = list(islice(items, 1))
    if any(isinstance(head, pa.RecordBatch | pa.Table) or _speaks(head) for head in first):
        return _spooled(_reader(chain(first, items)), index)
    source = _texts(chain(first, items), index)
    if length is not None and not length == _length(data) == source.count:
        raise NeardupValueError("the texts changed while they were read; pass a copy")
    return source


def _speaks(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def _length(data: Any) -> int | None:
    """How many items there are; None if only going through them tells."""
    try:
        return len(data)
    except TypeError:
        return None


def _table(data: Any) -> pa.Table | pa.ChunkedArray:
    """Anything that speaks Arrow as a table, or as one column."""
    try:
        return _converted(data)
    except NeardupError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        raise NeardupValueError(
            f"the {type(data).__name__} cannot be read as Arrow: {reason(error)}; convert the "
            "column to strings, or leave it out"
        ) from error


def _converted(data: Any) -> pa.Table | pa.ChunkedArray:
    import pyarrow as pa

    if isinstance(data, pa.Table | pa.ChunkedArray):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, pa.Array):
        return pa.chunked_array([data])
    if hasattr(data, "__arrow_c_stream__"):
        column = pa.chunked_array(data)
        if not pa.types.is_struct(column.type):
            return column
        return pa.table(data)
    array = pa.array(data)
    if pa.types.is_struct(array.type):
        return pa.Table.from_batches([pa.record_batch(data)])
    return pa.chunked_array([array])


def _held(data: Any, index: int, **more: Any) -> ArrowSource:
    import pyarrow as pa

    table = _table(data)
    bare = isinstance(table, pa.ChunkedArray)
    if bare:
        table = pa.table({"text": table})
    return ArrowSource(table.schema, table.to_batches(_LIST_ROWS), bare=bare, index=index, **more)


def _reader(items: Iterator[Any], schema: pa.Schema | None = None) -> pa.RecordBatchReader:
    """Batches of one schema, that of the first unless given."""
    import pyarrow as pa

    tables: Iterator[pa.Table] = (_as_table(item, number) for number, item in enumerate(items))
    if schema is None:
        first = next(tables)
        schema, tables = first.schema, chain([first], tables)

    def batches() -> Iterator[pa.RecordBatch]:
        for number, table in enumerate(tables):
            yield from _alike(table, schema, number).to_batches(_LIST_ROWS)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _alike(table: pa.Table, schema: pa.Schema, number: int) -> pa.Table:
    """A table of an iterator under the schema of the first; texts are never made of other types."""
    import pyarrow as pa

    if table.schema.names != schema.names:
        raise NeardupValueError(
            f"batch {number} has the columns {', '.join(table.schema.names) or 'none'}, and the "
            f"first one had {', '.join(schema.names)}; give all batches the same columns"
        )
    for name, was, now in zip(schema.names, schema.types, table.schema.types, strict=True):
        try:
            if _is_text(was) and not _is_text(now):
                raise ValueError
            pa.Table.from_arrays([table.column(name)], [name]).cast(pa.schema([(name, was)]))
        except (ValueError, pa.ArrowException):
            raise NeardupTypeError(
                f'batch {number}: column "{name}" is of type {now}, and in the first batch of type '
                f"{was}; give all batches the same types"
            ) from None
    return table.cast(schema)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    tests = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_null,
    )
    return any(test(kind) for test in tests)


def _as_table(item: Any, number: int) -> pa.Table:
    import pyarrow as pa

    if not (isinstance(item, pa.Table | pa.RecordBatch) or _speaks(item)):
        raise NeardupTypeError(
            f"batch {number} is a {type(item).__name__}, and the first item was a batch; "
            "give batches only, or texts only"
        )
    table = _table(item)
    return pa.table({"text": table}) if isinstance(table, pa.ChunkedArray) else table


class Spool:
    """Batches in a temporary file, which goes with this object."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        import pyarrow as pa

        handle, self._path = tempfile.mkstemp(prefix="neardup-", suffix=".arrow")
        os.close(handle)
        self._remove = weakref.finalize(self, os.unlink, self._path)
        with (
            pa.OSFile(self._path, "wb") as file,
            pa.ipc.new_file(
                file, reader.schema, options=pa.ipc.IpcWriteOptions(unify_dictionaries=True)
            ) as out,
        ):
            if not any(pa.types.is_dictionary(kind) for kind in reader.schema.types):
                for batch in reader:
                    out.write_batch(batch)
            else:
                # A file has one dictionary a column, so all batches are needed to make it.
                out.write_table(reader.read_all())

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with pa.memory_map(self._path) as file:
            batches = pa.ipc.open_file(file)
            for number in range(batches.num_record_batches):
                yield batches.get_batch(number)


def _spooled(reader: pa.RecordBatchReader, index: int, **more: Any) -> ArrowSource:
    return ArrowSource(reader.schema, Spool(reader), index=index, **more)


def _texts(items: Iterator[Any], index: int) -> ArrowSource:
    """Texts one by one; what is no text becomes null, with its reason."""
    import pyarrow as pa

    schema = pa.schema([("text", pa.large_string())])
    batches: list[pa.RecordBatch] = []
    faults: dict[int, str] = {}
    waiting: list[str | None] = []

    def flush() -> None:
        batches.append(pa.record_batch([pa.array(waiting, pa.large_string())], schema))
        waiting.clear()

    for row, item in enumerate(items):
        text = None
        if isinstance(item, str):
            # numpy's own str and other subclasses become plain, and their hooks are not called.
            text = str.__str__(item)
            try:
                text.isascii() or text.encode("utf-8")
            except UnicodeEncodeError as error:
                faults[row] = f"half a surrogate pair at character {error.start} is no Unicode text"
                text = None
        elif item is not None:
            faults[row] = f"the text is of type {type(item).__name__}, not str"
        waiting.append(text)
        if len(waiting) == _LIST_ROWS:
            flush()
    if waiting:
        flush()
    return ArrowSource(schema, batches, bare=True, index=index, faults=faults)
