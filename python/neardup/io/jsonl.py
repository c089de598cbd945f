"""JSON Lines (.jsonl .ndjson): one object a line; kept lines are written as they came."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from neardup.io.base import Batch, FieldSpec, RawBatch, missing_field, split_path
from neardup.io.keys import KeyField, written_values
from neardup.io.textrows import TextRows, large_strings, to_utf8
from neardup.io.textsource import MEND, TextSource, not_utf8, text_rows

if TYPE_CHECKING:
    import numpy as np

    from neardup._native import JsonlBlock, JsonlLines

__all__ = ["JsonlSource", "json_batch", "json_reject"]

_KINDS = {ord("{"): "an object", ord("["): "an array", ord("t"): "true", ord("f"): "false"}


class JsonlSource(TextSource):
    """One file of JSON Lines."""

    format = "jsonl"

    def _batches(self, fields: FieldSpec) -> Iterator[Batch]:
        from neardup._native import scan_jsonl, scan_lines

        paths = [split_path(each) for each in fields.text]
        id_path = split_path(fields.id) if fields.id is not None else None
        key_path = split_path(fields.key) if fields.key is not None else None
        first_row, line = 0, 1
        for block in self._blocks():
            mask = None
            if fields.wanted is not None:
                lines = scan_lines(block, line)
                mask = fields.wanted[first_row : first_row + len(lines.starts)]
                if not mask.any():
                    first_row, line = first_row + len(lines.starts), lines.next_line
                    continue
            utf8 = to_utf8(block, self.encoding)
            read = scan_jsonl(utf8, paths, id_path, line, key_path, mask)
            rows = self._text_rows(block, read.lines, line)
            yield json_batch(self, read, utf8, rows, first_row, fields)
            first_row += len(read.status)
            line = read.lines.next_line

    def _rows(
        self, id_field: str | None, wanted: np.ndarray[Any, Any] | None
    ) -> Iterator[RawBatch]:
        from neardup._native import scan_jsonl, scan_lines

        first_row, line = 0, 1
        for block in self._blocks():
            lines, ids = scan_lines(block, line), None
            if id_field is not None:
                mask = None if wanted is None else wanted[first_row : first_row + len(lines.starts)]
                utf8 = to_utf8(block, self.encoding)
                read = scan_jsonl(utf8, [], split_path(id_field), line, None, mask)
                ids = large_strings(read.id_data, read.id_offsets, read.id_kind != 0)
            rows = text_rows(block, lines, block[: int(lines.mark)].tobytes())
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
        return text_rows(block, lines, block[: int(lines.mark)].tobytes())


def json_batch(
    source: TextSource,
    read: JsonlBlock,
    utf8: np.ndarray[Any, Any],
    rows: TextRows,
    first_row: int,
    fields: FieldSpec,
) -> Batch:
    """A batch of rows that are JSON objects in ``utf8``."""
    import numpy as np

    valid = read.status == 0
    ids = keys = None
    if fields.id is not None:
        ids = large_strings(read.id_data, read.id_offsets, read.id_kind != 0)
    if fields.key is not None:
        written = large_strings(read.key_data, read.key_offsets, read.key_kind != 0)
        kinds = np.where(valid, read.key_kind, 0)  # a row set aside is not asked
        place = KeyField(fields.key, source.name, first_row, read.lines.line)
        keys = written_values(written, kinds, place)

    def why(row: int) -> tuple[str, str]:
        line = utf8[int(read.lines.starts[row]) : int(read.lines.ends[row])].tobytes()
        return json_reject(
            int(read.status[row]), int(read.column[row]), line, int(read.field[row]), fields.text
        )

    return Batch(
        source.index,
        first_row,
        large_strings(read.text_data, read.text_offsets, valid),
        ids,
        keys,
        source.rejected(read, rows, first_row, why),
        len(read.text_data),
        RawBatch(first_row, len(valid), rows, ids),
    )


def json_reject(
    status: int, column: int, line: bytes, number: int, wanted: tuple[str, ...]
) -> tuple[str, str]:
    """Reason and advice for a row's status; ``column`` is the byte it arose at, from 1,
    and ``number`` the field it speaks of, among those ``wanted``."""
    from neardup._native import field_names

    at = column - 1
    advice = MEND
    field = wanted[number] if wanted else ""
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
        return not_utf8(line, column)
    if status == 6:
        half = line[at : at + 6].decode("ascii", "replace")
        return f"half a surrogate pair ({half}) at byte {column} is no Unicode text", advice
    if status == 7:
        if line[at : at + 1] == b"[":
            help_ = "For one array of objects pass --format json, or pass --on-error skip."
            return "a JSON array, not an object", help_
        return "a JSON value that is not an object", advice
    return f"nested more than 1024 deep at byte {column}", advice
