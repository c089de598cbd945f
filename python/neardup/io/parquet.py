"""Parquet: row groups read piece by piece; kept rows keep schema and metadata."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neardup.errors import DataError, NeardupTypeError
from neardup.io.atomic import Target, writing
from neardup.io.base import Batch, FieldSpec, RawBatch, Unchanged, reason
from neardup.io.beside import read_ahead
from neardup.io.columns import as_written, column_of, find_column, read_batch
from neardup.io.places import is_url, open_read

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["ParquetSource", "ParquetWriter"]

_BATCH_BYTES = 8 << 20
_BATCH_ROWS = 1 << 16
_GROUP_BYTES = 64 << 20
_GROUP_ROWS = 1 << 20


class ParquetSource:
    """One Parquet file.

    Parameters
    ----------
    path : str
        The file.
    index : int
        Number of the source, carried into each batch.
    name : str, optional
        The path as found, where it differs from ``path``.
    """

    format = "parquet"
    codec = ""

    def __init__(self, path: str, *, index: int = 0, name: str | None = None) -> None:
        self.path, self.index = path, index
        self.name = path if name is None else name
        self._unchanged = Unchanged(path, self.name)

    def fingerprint(self) -> tuple[int, int, int]:
        """Size, modification time in nanoseconds and inode."""
        return self._unchanged.fingerprint()

    def batches(self, fields: FieldSpec) -> Iterator[Batch]:
        """Read the columns of the wanted fields."""
        return self._unchanged.around(lambda: self._batches(fields))

    def rows(
        self, id_field: str | None = None, wanted: np.ndarray[Any, Any] | None = None
    ) -> Iterator[RawBatch]:
        """Read every column."""
        return self._unchanged.around(lambda: self._rows(id_field))

    def layout(self) -> Layout:
        """What a file with the same properties needs to know."""
        with self._opened() as file:
            return Layout.of(file)

    def _batches(self, fields: FieldSpec) -> Iterator[Batch]:
        with self._opened() as file:
            schema = file.schema_arrow
        names = [name for name in (*fields.text, fields.id, fields.key) if name is not None]
        found = {column.name for name in names if (column := find_column(schema, name))}
        first_row = 0
        # With no wanted column at all another one tells the rows, which are rejected.
        for batch in self._read(sorted(found) or schema.names[:1]):
            yield read_batch(
                batch,
                fields,
                source=self.index,
                first_row=first_row,
                present=schema.names,
                name=self.name,
            )
            first_row += batch.num_rows

    def _rows(self, id_field: str | None) -> Iterator[RawBatch]:
        first_row = 0
        for batch in self._read(None):
            ids = None
            column = None if id_field is None else find_column(batch.schema, id_field)
            if column is not None:
                ids = as_written(column_of(batch, column))
            yield RawBatch(first_row, batch.num_rows, batch, ids)
            first_row += batch.num_rows

    def _read(self, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        return read_ahead(lambda: self._decode(columns))

    def _decode(self, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with self._opened() as file:
            meta = file.metadata
            nbytes = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
            size = max(1, min(_BATCH_ROWS, _BATCH_BYTES * meta.num_rows // max(1, nbytes)))
            seen = 0
            try:
                # One row group at a time: Arrow cannot make one batch of two groups' nested
                # dictionaries.
                for group in range(meta.num_row_groups):
                    for batch in file.iter_batches(size, [group], columns, use_threads=False):
                        seen += batch.num_rows
                        yield batch
            except (OSError, pa.ArrowException) as error:
                message = f"row group cannot be read after row {seen}: {reason(error)}"
                raise DataError(message, source=self.name) from error
            if seen != meta.num_rows:
                message = f"{seen} rows came, and its footer promises {meta.num_rows}"
                raise DataError(message, source=self.name)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[pq.ParquetFile]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with contextlib.ExitStack() as held:
            place: Any = self.path
            if is_url(place):
                place = held.enter_context(open_read(place))
            try:
                # Buffered pages, not whole column chunks: memory does not grow with row groups.
                file = pq.ParquetFile(place, buffer_size=1 << 20, pre_buffer=False)
            except (OSError, pa.ArrowException) as error:
                raise self._refused(error) from error
            yield held.enter_context(file)

    def _refused(self, error: Exception) -> DataError:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            message = f"cannot be read: {reason(error)}"
        else:
            message = f"not a whole Parquet file: {reason(error)}. Fetch the file again"
        return DataError(message, source=self.name)


@dataclass(frozen=True, slots=True)
class Layout:
    """The properties of a Parquet file that a copy of its rows keeps.

    Attributes
    ----------
    schema : pyarrow.Schema
        With its metadata.
    compression : dict of str to str, or str
        By leaf column.
    int96 : bool
        Whether timestamps are in the old 96-bit form.
    group_rows : int
        Rows of its largest row group; 0 where it has none.
    """

    schema: pa.Schema
    compression: dict[str, str] | str = "zstd"
    int96: bool = False
    group_rows: int = 0

    @classmethod
    def of(cls, file: pq.ParquetFile) -> Layout:
        """Take the properties of an open file."""
        meta = file.metadata
        if not meta.num_row_groups:
            return cls(file.schema_arrow)
        first = meta.row_group(0)
        leaves = [first.column(i) for i in range(first.num_columns)]
        return cls(
            file.schema_arrow,
            {leaf.path_in_schema: _codec_name(leaf.compression) for leaf in leaves},
            any(leaf.physical_type == "INT96" for leaf in leaves),
            max(meta.row_group(i).num_rows for i in range(meta.num_row_groups)),
        )


class ParquetWriter:
    """Writes kept rows in row groups of the input's size, or of a bounded number of bytes.

    Parameters
    ----------
    target : Target
        Where to.
    layout : Layout
        Schema and properties of the input.

    Raises
    ------
    NeardupTypeError
        A column of a type that Parquet does not have.
    """

    def __init__(self, target: Target, layout: Layout) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._target, self._layout = target, layout
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0
        self._group_rows = min(layout.group_rows or _GROUP_ROWS, _GROUP_ROWS)
        try:
            with writing(target.path):
                self._file = pq.ParquetWriter(
                    target.file,
                    layout.schema,
                    version="2.6",
                    compression=layout.compression,
                    use_deprecated_int96_timestamps=layout.int96,
                )
        except pa.ArrowNotImplementedError as error:
            target.abort()
            message = f"{target.path}: a column has no form in Parquet: {reason(error)}"
            raise NeardupTypeError(f"{message}; convert it, or leave it out") from error

    def write(self, batch: RawBatch, mask: np.ndarray[Any, Any]) -> None:
        """Write the rows of ``batch`` where ``mask`` is true."""
        for kept in _kept(batch.data, mask):
            self._waiting.append(kept)
            self._rows += kept.num_rows
            self._bytes += kept.nbytes
        if self._rows >= self._group_rows or self._bytes >= _GROUP_BYTES:
            self._flush()

    def commit(self) -> None:
        """Finish the file and give it its name."""
        try:
            self._flush()
            with writing(self._target.path):
                self._file.close()
            self._target.commit()
        finally:
            self.abort()

    def abort(self) -> None:
        """Leave nothing behind."""
        self._waiting.clear()
        with contextlib.suppress(OSError, ValueError):
            self._file.close()
        self._target.abort()

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._rows:
            return
        table = pa.Table.from_batches(self._waiting, self._layout.schema).unify_dictionaries()
        with writing(self._target.path):
            self._file.write_table(table, row_group_size=self._group_rows)
        self._waiting, self._rows, self._bytes = [], 0, 0


def _kept(batch: pa.RecordBatch, mask: np.ndarray[Any, Any]) -> list[pa.RecordBatch]:
    """The rows where ``mask`` is true; whole runs of them for types Arrow cannot filter."""
    import numpy as np
    import pyarrow as pa

    try:
        return [batch.filter(pa.array(mask))]
    except pa.ArrowNotImplementedError:
        edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False]))))
        return [batch.slice(a, b - a) for a, b in edges.reshape(-1, 2).tolist()]


def _codec_name(name: str) -> str:
    return {"UNCOMPRESSED": "none", "LZ4_RAW": "lz4"}.get(name, name.lower())
