"""JSON (.json): JSON Lines, or one array of objects whose elements are kept byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from neardup.errors import DataError
from neardup.io.atomic import Target
from neardup.io.base import Batch, FieldSpec, RawBatch, split_path
from neardup.io.codecs import BLOCK_BYTES, line_blocks
from neardup.io.jsonl import JsonlSource, json_batch
from neardup.io.textrows import TextRows, TextWriter, to_utf8
from neardup.io.textsource import text_rows

if TYPE_CHECKING:
    import numpy as np

__all__ = ["JsonArrayWriter", "JsonSource"]


class JsonSource(JsonlSource):
    """One .json file; an array is read whole, JSON Lines piece by piece."""

    format = "json"

    def is_array(self) -> bool:
        """Whether the file is one array."""
        from neardup._native import is_json_array

        # Blank lines before the array may fill a block.
        for block in line_blocks(self.path, self.codec, name=self.name):
            head = block.tobytes()
            if head.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n"):
                return is_json_array(head)
        return False

    def _batches(self, fields: FieldSpec) -> Iterator[Batch]:
        return self._elements(fields) if self.is_array() else super()._batches(fields)

    def _rows(
        self, id_field: str | None, wanted: np.ndarray[Any, Any] | None
    ) -> Iterator[RawBatch]:
        if not self.is_array():
            yield from super()._rows(id_field, wanted)
            return
        for batch in self._elements(FieldSpec((), id_field)):
            if batch.raw is not None:
                yield batch.raw

    def _elements(self, fields: FieldSpec) -> Iterator[Batch]:
        import numpy as np

        from neardup._native import JsonArray

        data = to_utf8(np.concatenate(list(self._blocks())), self.encoding)
        try:
            array = JsonArray(data)
        except ValueError as error:
            raise DataError(str(error), source=self.name) from error
        lines = array.lines()
        prefix = data[: int(lines.mark)].tobytes()
        paths = [split_path(each) for each in fields.text]
        id_path = split_path(fields.id) if fields.id is not None else None
        key_path = split_path(fields.key) if fields.key is not None else None
        first = 0
        while first < len(array) or first == 0:
            # As many elements as make a block, and at least one.
            limit = int(lines.starts[first]) + BLOCK_BYTES if len(array) else 0
            stop = max(first + 1, int(np.searchsorted(lines.ends, limit, "right")))
            read = array.scan(data, first, stop, paths, id_path, key_path)
            base = int(lines.starts[first]) if len(array) else 0
            piece = data[base : base + (int(read.lines.ends[-1]) if len(array) else 0)]
            rows = text_rows(piece, read.lines, prefix)
            yield json_batch(self, read, piece, rows, first, fields)
            first = stop


class JsonArrayWriter(TextWriter):
    """Writes elements byte for byte as one array, an element a line.

    Parameters
    ----------
    target : Target
        Where to.
    codec : str
        Name of the compression.
    encoding : str
        Encoding of the input, in which the rows are given back.
    """

    def __init__(self, target: Target, codec: str, encoding: str) -> None:
        super().__init__(target, codec)
        self._encoding = encoding
        self._before = b"["

    def write(self, batch: RawBatch, mask: np.ndarray[Any, Any]) -> None:
        """Write the elements of ``batch`` where ``mask`` is true."""
        import numpy as np

        rows: TextRows = batch.data
        if not self._started:
            self._started = True
            self._hand_over(rows.prefix)
        out = bytearray()
        for row in np.flatnonzero(mask).tolist():
            out += self._before + b"\n" + self._encoded(rows.raw(row))
            self._before = b","
        self._hand_over(bytes(out))

    def commit(self) -> None:
        """Close the array, finish the file and give it its name."""
        self._hand_over(b"[]\n" if self._before == b"[" else b"\n]\n")
        super().commit()

    def _encoded(self, element: bytes) -> bytes:
        if self._encoding == "utf-8":
            return element
        return element.decode("utf-8", "surrogatepass").encode(self._encoding)
