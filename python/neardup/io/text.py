"""Plain text (.txt): every line is a document, blank ones too; or the whole file is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from neardup.io.base import Batch, FieldSpec, RawBatch
from neardup.io.textrows import TextRows, large_strings, to_utf8
from neardup.io.textsource import TextSource, not_utf8, text_rows

if TYPE_CHECKING:
    import numpy as np

__all__ = ["LinesSource", "WholeFileSource"]


class LinesSource(TextSource):
    """One file of a document a line; fields have no meaning, and there are no ids."""

    format = "txt"

    def _batches(self, fields: FieldSpec) -> Iterator[Batch]:
        from neardup._native import scan_text

        first_row, line = 0, 1
        for block in self._blocks():
            read = scan_text(to_utf8(block, self.encoding), line)
            lines = read.lines if self.encoding == "utf-8" else scan_text(block, line).lines
            rows = text_rows(block, lines, block[: int(lines.mark)].tobytes())

            def why(row: int, rows: TextRows = rows, column: Any = read.column) -> tuple[str, str]:
                return not_utf8(rows.raw(row), int(column[row]))

            valid = read.status == 0
            yield Batch(
                self.index,
                first_row,
                large_strings(read.text_data, read.text_offsets, valid),
                None,
                None,
                self.rejected(read, rows, first_row, why),
                len(read.text_data),
                RawBatch(first_row, len(valid), rows),
            )
            first_row += len(valid)
            line = read.lines.next_line


class WholeFileSource(TextSource):
    """One file that is one document."""

    format = "txt"

    def _batches(self, fields: FieldSpec) -> Iterator[Batch]:
        import numpy as np
        import pyarrow as pa

        from neardup.io.base import Reject
        from neardup.io.textsource import MEND

        blocks = list(self._blocks())
        data = np.concatenate(blocks) if blocks else np.empty(0, np.uint8)
        rows = _one_row(data)
        rejected, text = [], None
        try:
            text = data[3 * _has_mark(data) :].tobytes().decode(self.encoding)
        except UnicodeDecodeError as error:
            reason = f"not {self.encoding} at byte {error.start + 1}"
            rejected = [Reject(0, 1, reason, data.tobytes(), MEND)]
        texts = pa.array([text], pa.large_string())
        nbytes = len(data) if text is not None else 0
        raw = RawBatch(0, 1, rows)
        yield Batch(self.index, 0, texts, None, None, rejected, nbytes, raw)


def _has_mark(data: np.ndarray[Any, Any]) -> bool:
    return data[:3].tobytes() == b"\xef\xbb\xbf"


def _one_row(data: np.ndarray[Any, Any]) -> TextRows:
    import numpy as np

    end = np.array([len(data)], np.uint64)
    return TextRows(data, np.zeros(1, np.uint64), end, end)
