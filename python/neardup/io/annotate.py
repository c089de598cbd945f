"""Rows with fields added behind their own; what a row had stays as it came, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neardup.errors import DataError, NeardupError, UsageError
from neardup.io.atomic import Target
from neardup.io.base import RawBatch, Source, Writer
from neardup.io.parquet import ParquetWriter
from neardup.io.registry import open_writer, parquet_layout
from neardup.io.textrows import TextRows

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from neardup.io.base import Batch

__all__ = ["AnnotatingWriter", "annotated", "check_header", "check_rows"]

Notes = Callable[[int, int], "pa.RecordBatch"]
"""Columns to add to the rows of a source from one row number up to another."""


def check_header(source: Source, names: Sequence[str]) -> None:
    """Refuse, before anything is read, a source that cannot take these fields.

    Raises
    ------
    UsageError
        The source has no fields, or one with such a name.
    """
    kind: Any = source
    if source.format == "txt" or getattr(source, "bare", False):
        what = source.name or "a collection of texts"
        raise UsageError(
            f"{what}: it has no fields, so none can be added; leave --annotate out and read "
            "removed and clusters, or give a table"
        )
    if source.format in ("csv", "tsv"):
        present = kind.header()
    elif source.format in ("parquet", "arrow"):
        present = kind.names if source.format == "arrow" else kind.layout().schema.names
    else:
        return  # each JSON object has names of its own
    for name in names:
        if name in present:
            raise _clash(source.name, name)


def check_rows(source: Source, batch: Batch, names: Sequence[str]) -> None:
    """Refuse rows that are JSON objects and have a field of such a name."""
    from neardup._native import field_names

    if source.format not in ("jsonl", "json") or batch.raw is None:
        return
    rows: TextRows = batch.raw.data
    # A letter of a name may hide in an escape; nothing else can look different.
    signs = [*(name.encode() for name in names if name.isascii()), b"\\u"]
    if all(name.isascii() for name in names):
        whole = rows.block.tobytes()
        if not any(sign in whole for sign in signs):
            return
    for row in range(len(rows.starts)):
        raw = rows.raw(row)
        present = set(field_names(_utf8(source, raw)))
        for name in names:
            if name in present:
                raise _clash(source.name, name, batch.first_row + row)


class AnnotatingWriter:
    """Writes the rows of a source with fields added.

    Parameters
    ----------
    target : Target
        Where to.
    source : Source
        Whose rows will come.
    codec : str, optional
        Name of the compression; that of the source by default.
    notes : callable
        ``(row, row) -> RecordBatch``, the columns to add from one row up to another.
    """

    def __init__(self, target: Target, source: Source, codec: str | None, notes: Notes) -> None:
        self._source, self._notes = source, notes
        self._writer: Writer
        if source.format in ("parquet", "arrow"):
            layout = parquet_layout(source)
            added = notes(0, 0).schema
            compression = layout.compression
            if isinstance(compression, dict):
                usual = next(iter(compression.values()), "zstd")
                compression = compression | dict.fromkeys(added.names, usual)
            schema = _extended(layout.schema, added)
            layout = replace(layout, schema=schema, compression=compression)
            self._writer = ParquetWriter(target, layout)
        else:
            self._writer = open_writer(target, source, codec)

    def write(self, batch: RawBatch, mask: np.ndarray[Any, Any]) -> None:
        """Write the rows of ``batch`` where ``mask`` is true, with their notes."""
        notes = self._notes(batch.first_row, batch.first_row + batch.rows)
        self._writer.write(annotated(self._source, batch, mask, notes), mask)

    def commit(self) -> None:
        """Finish the file and give it its name."""
        self._writer.commit()

    def abort(self) -> None:
        """Leave nothing behind."""
        self._writer.abort()


def annotated(
    source: Source, raw: RawBatch, mask: np.ndarray[Any, Any], notes: pa.RecordBatch
) -> RawBatch:
    """The rows of a mask with fields added; the other rows are empty.

    Parameters
    ----------
    source : Source
        Where the rows are from.
    raw : RawBatch
        The rows.
    mask : numpy.ndarray of bool
        Those wanted.
    notes : pyarrow.RecordBatch
        A column a field, an entry a row.
    """
    import pyarrow as pa

    if isinstance(raw.data, pa.RecordBatch):
        schema = _extended(raw.data.schema, notes.schema)
        columns = [*raw.data.columns, *notes.columns]
        return replace(raw, data=pa.RecordBatch.from_arrays(columns, schema=schema))
    if source.format in ("csv", "tsv"):
        return replace(raw, data=_csv(source, raw, mask, notes))
    return replace(raw, data=_json(source, raw.data, mask, notes))


def _json(source: Any, rows: TextRows, mask: Any, notes: pa.RecordBatch) -> TextRows:
    """Fields before the closing brace."""
    plain = source.encoding != "utf-8"  # ASCII is the same in every encoding that is read
    added = [json.dumps(each, ensure_ascii=plain)[1:-1].encode() for each in notes.to_pylist()]

    def extended(row: int) -> bytes:
        line = rows.raw(row)
        brace = line.rindex(b"}")
        comma = b", " if line[line.index(b"{") + 1 : brace].strip() else b""
        return b"".join([line[:brace], comma, added[row], line[brace:]])

    return _rebuilt(rows, mask, extended, rows.prefix)


def _csv(source: Any, raw: RawBatch, mask: Any, notes: pa.RecordBatch) -> TextRows:
    """Columns behind the last; a short record is filled up first."""
    from neardup._native import first_record

    rows: TextRows = raw.data
    comma: bytes = source.delimiter.encode()
    width = len(source.header())
    columns = [[_cell(value, source) for value in column.to_pylist()] for column in notes.columns]

    def extended(row: int) -> bytes:
        line = rows.raw(row)
        missing = width - len(first_record(line, comma[0])[0])
        if missing < 0:
            message = (
                f"the record has {width - missing} fields and the header {width}, so that added "
                "columns would stand under no name. Mend the row, or leave --annotate out."
            )
            raise DataError(message, source=source.name, row=raw.first_row + row)
        return comma.join([line, *[b""] * missing, *(column[row] for column in columns)])

    prefix = rows.prefix
    if prefix:
        head = prefix.rstrip(b"\r\n")
        names = [name.encode(source.encoding) for name in notes.schema.names]
        prefix = comma.join([head, *names]) + prefix[len(head) :]
    return _rebuilt(rows, mask, extended, prefix)


def _cell(value: object, source: Any) -> bytes:
    if value is None:
        return b""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if any(sign in text for sign in (source.delimiter, '"', "\r", "\n")):
        text = '"' + text.replace('"', '""') + '"'
    try:
        return text.encode(source.encoding)
    except UnicodeEncodeError:
        raise NeardupError(
            f"{source.name}: the id {text[:40]!r} cannot be written in {source.encoding}; "
            "convert the file to UTF-8 first"
        ) from None


def _rebuilt(rows: TextRows, mask: Any, make: Callable[[int], bytes], prefix: bytes) -> TextRows:
    """Rows of new contents, their line endings kept."""
    import numpy as np

    count = len(rows.starts)
    starts, ends, stops = (np.zeros(count, np.uint64) for _ in range(3))
    block = bytearray()
    view = memoryview(rows.block)  # type: ignore[arg-type]
    for row in range(count):
        starts[row] = len(block)
        if mask[row]:
            block += make(row)
        ends[row] = len(block)
        if mask[row]:
            block += view[int(rows.ends[row]) : int(rows.stops[row])]
        stops[row] = len(block)
    return TextRows(np.frombuffer(bytes(block), np.uint8), starts, ends, stops, prefix)


def _extended(schema: pa.Schema, added: pa.Schema) -> pa.Schema:
    import pyarrow as pa

    metadata = schema.metadata
    if metadata and b"huggingface" in metadata:
        # The column list of another library, which would not open a file with more columns.
        metadata = {key: value for key, value in metadata.items() if key != b"huggingface"}
    return pa.schema([*schema, *added], metadata)


def _utf8(source: Any, raw: bytes) -> bytes:
    if source.encoding == "utf-8" or (source.format == "json" and source.is_array()):
        return raw
    return bytes(raw.decode(source.encoding, "replace").encode())


def _clash(source: str, name: str, row: int | None = None) -> UsageError:
    place = source or "the data"
    if row is not None:
        place = f"{place}: row {row}"
    return UsageError(
        f'{place}: a field "{name}" is there already; give the added ones another beginning '
        "with --annotate-prefix"
    )
