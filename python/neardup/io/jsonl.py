"""JSON Lines (.jsonl .ndjson): one object a line; kept lines are written as they came."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from neardup.io.base import Batch, FieldSpec, RawBatch, Reject, Unchanged, missing_field, split_path
from neardup.io.codecs import line_blocks
from neardup.io.keys import written_values
from neardup.io.textrows import TextRows, ascii_encoding, large_strings, to_utf8

if TYPE_CHECKING:
    import numpy as np

    from neardup._native import JsonlBlock, JsonlLines

__all__ = ["JsonlSource", "json_reject"]

_KINDS = {ord("{"): "an object", ord("["): "an array", ord("t"): "true", ord("f"): "false"}


class JsonlSource:
    """One file of JSON Lines.

    Parameters
    ----------
    path : str
        The file.
    codec : str
        Name of its compression.
    index : int
        Number of the source, carried into each batch.
    name : str, optional
        The path as found, where it differs from ``path``.
    encoding : str
        Encoding of the file.
    """

    format = "jsonl"

    def __init__(
        self,
        path: str,
        codec: str = "",
        *,
        index: int = 0,
        name: str | None = None,
        encoding: str = "utf-8",
    ) -> None:
        self.path, self.codec, self.index = path, codec, index
        self.name = path if name is None else name
        self.encoding = ascii_encoding(encoding)
        self._unchanged = Unchanged(path, self.name)

    def fingerprint(self) -> tuple[int, int, int]:
        """Size, modification time in nanoseconds and inode."""
        return self._unchanged.fingerprint()

    def batches(self, fields: FieldSpec) -> Iterator[Batch]:
        """Read the wanted fields of every row."""
        return self._unchanged.around(lambda: self._batches(fields))

    def rows(self, id_field: str | None = None) -> Iterator[RawBatch]:
        """Find every row without reading its text."""
        return self._unchanged.around(lambda: self._rows(id_field))

    def _batches(self, fields: FieldSpec) -> Iterator[Batch]:
        from neardup._native import scan_jsonl

        paths = [split_path(each) for each in fields.text]
        id_path = split_path(fields.id) if fields.id is not None else None
        key_path = split_path(fields.key) if fields.key is not None else None
        first_row, line = 0, 1
        for block in line_blocks(self.path, self.codec, name=self.name):
            utf8 = to_utf8(block, self.encoding)
            read = scan_jsonl(utf8, paths, id_path, line, key_path)
            valid = read.status == 0
            ids = keys = None
            if id_path:
                ids = large_strings(read.id_data, read.id_offsets, read.id_kind != 0)
            if key_path:
                texts = large_strings(read.key_data, read.key_offsets, read.key_kind != 0)
                keys = written_values(texts, read.key_kind, f"{self.name}: {fields.key}")
            rows = self._text_rows(block, read.lines, line)
            yield Batch(
                self.index,
                first_row,
                large_strings(read.text_data, read.text_offsets, valid),
                ids,
                keys,
                self._rejected(read, utf8, rows, first_row, fields),
                len(read.text_data),
                RawBatch(first_row, len(valid), rows, ids),
            )
            first_row += len(valid)
            line = read.lines.next_line

    def _rows(self, id_field: str | None) -> Iterator[RawBatch]:
        from neardup._native import scan_jsonl, scan_lines

        first_row, line = 0, 1
        for block in line_blocks(self.path, self.codec, name=self.name):
            ids = None
            if id_field is None:
                lines = scan_lines(block, line)
            else:
                utf8 = to_utf8(block, self.encoding)
                read = scan_jsonl(utf8, [], split_path(id_field), line)
                ids = large_strings(read.id_data, read.id_offsets, read.id_kind != 0)
                lines = read.lines
            rows = self._text_rows(block, lines, line)
            yield RawBatch(first_row, len(rows.starts), rows, ids)
            first_row += len(rows.starts)
            line = lines.next_line

    def _text_rows(
        self, block: np.ndarray[Any, Any], lines: JsonlLines, first_line: int
    ) -> TextRows:
        if self.encoding != "utf-8":
            from neardup._native import scan_lines

            # Offsets of the file's own bytes; its lines are the same.
            lines = scan_lines(block, first_line)
        prefix = block[: int(lines.mark)].tobytes()
        return TextRows(block, lines.starts, lines.ends, lines.stops, prefix)

    def _rejected(
        self,
        read: JsonlBlock,
        utf8: np.ndarray[Any, Any],
        rows: TextRows,
        first_row: int,
        fields: FieldSpec,
    ) -> list[Reject]:
        import numpy as np

        rejected = []
        for row in np.flatnonzero(read.status).tolist():
            line = utf8[int(read.lines.starts[row]) : int(read.lines.ends[row])].tobytes()
            name = fields.text[int(read.field[row])] if fields.text else ""
            why, advice = json_reject(
                int(read.status[row]), int(read.column[row]), line, name, fields.text
            )
            if read.status[row] == 5 and self.encoding != "utf-8":
                why, advice = f"not {self.encoding}", "Mend the line, or pass --on-error skip."
            number = int(read.lines.line[row])
            rejected.append(Reject(first_row + row, number, why, rows.raw(row), advice))
        return rejected


def json_reject(
    status: int, column: int, line: bytes, field: str, wanted: tuple[str, ...]
) -> tuple[str, str]:
    """Reason and advice for a row's status; ``column`` is the byte it arose at, from 1."""
    from neardup._native import field_names

    at = column - 1
    advice = "Mend the line, or pass --on-error skip."
    if status == 1:
        return missing_field(field, field_names(line), wanted)
    if status == 2:
        return f'field "{field}" is null', "Fill it in, or pass --on-error skip."
    if status == 3:
        kind = _KINDS.get(line[at], "a number")
        return f'field "{field}" is {kind}, not a string', advice
    if status == 4:
        if at >= len(line):
            return "not JSON: the line ends in the middle of a value", advice
        near = line[at : at + 20].decode("utf-8", "replace")
        return f"not JSON at byte {column}, near {near!r}", advice
    if status == 5:
        help_ = "Name the file's encoding with --encoding, or pass --on-error skip."
        return f"not UTF-8 at byte {column} (0x{line[at]:02x})", help_
    if status == 6:
        half = line[at : at + 6].decode("ascii", "replace")
        return f"half a surrogate pair ({half}) at byte {column} is no Unicode text", advice
    if status == 7:
        if line[at : at + 1] == b"[":
            help_ = "For one array of objects pass --format json, or pass --on-error skip."
            return "a JSON array, not an object", help_
        return "a JSON value that is not an object", advice
    return f"nested more than 1024 deep at byte {column}", advice
