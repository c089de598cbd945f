"""CSV and TSV with a header: a row is a record, whatever its line breaks, kept byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from neardup.errors import DataError, UsageError
from neardup.io.base import Batch, FieldSpec, RawBatch, missing_field
from neardup.io.keys import KeyField, written_values
from neardup.io.textrows import TextRows, large_strings, shifts, to_utf8
from neardup.io.textsource import MEND, TextSource, compressed, not_utf8, text_rows

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from neardup._native import JsonlBlock

__all__ = ["CsvSource", "TsvSource"]

_MARK = b"\xef\xbb\xbf"
#: A column number that no record has.
_NOWHERE = (1 << 63) - 1
#: A record longer than this is a quote that was never closed.
_RECORD_BYTES = 1 << 30


class CsvSource(TextSource):
    """One file of comma-separated records."""

    format = "csv"
    delimiter = ","
    _names: list[str] | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if shifts(self.encoding):
            raise UsageError(
                f'{self.name}: encoding "{self.encoding}" writes letters with the bytes of commas '
                "and quotes: convert the file to UTF-8 first"
            )

    def _batches(self, fields: FieldSpec) -> Iterator[Batch]:
        names: list[str] | None = None
        first_row, line = 0, 1
        for block, last in self._whole(self._blocks()):
            prefix, start = b"", 0
            if names is None:
                names, start, line = self._header(block)
                prefix = block[:start].tobytes()
            body = block[start:]
            read, used = self._scan(to_utf8(body, self.encoding), names, fields, line, last)
            lines, raw_used = read.lines, used
            if self.encoding != "utf-8":
                own, raw_used = self._scan(body, names, fields, line, last)
                lines = own.lines
            rows = text_rows(body, lines, prefix)
            self._left = body[raw_used:]
            yield self._batch(read, rows, first_row, names, fields)
            first_row += len(read.status)
            line = read.lines.next_line

    def header(self) -> list[str]:
        """Names of the columns; none in an empty file."""
        if self._names is None:
            block = next(self._blocks(), None)
            self._names = [] if block is None else self._header(block)[0]
        return self._names

    def _whole(
        self, blocks: Iterator[np.ndarray[Any, Any]]
    ) -> Iterator[tuple[np.ndarray[Any, Any], bool]]:
        """Blocks with what was left of the one before, and whether each is the last.

        While one record goes on, twice as much is gathered before it is looked at again, so that
        reading stays linear in its length.
        """
        import numpy as np

        self._left = np.empty(0, np.uint8)
        waiting: list[np.ndarray[Any, Any]] = []
        gathered = needed = 0
        held: np.ndarray[Any, Any] | None = None
        for block in blocks:
            if held is not None:
                waiting.append(held)
                gathered += len(held)
                if gathered >= needed:
                    yield np.concatenate([self._left, *waiting]), False
                    waiting, gathered, needed = [], 0, len(self._left)
                    if needed > _RECORD_BYTES:
                        message = f"a record of more than {needed >> 20} MiB: close its quote"
                        raise DataError(message, source=self.name)
            held = block
        if held is not None:
            yield np.concatenate([self._left, *waiting, held]), True

    def _header(self, block: np.ndarray[Any, Any]) -> tuple[list[str], int, int]:
        """Names of the columns, the offset after them, and the line that follows."""
        from neardup._native import first_record

        head = block.tobytes()
        if b"\r" in head and b"\n" not in head:
            raise DataError(
                "lines end in a bare carriage return; convert them to newlines first",
                source=self.name,
                line=1,
            )
        mark = len(_MARK) if head.startswith(_MARK) else 0
        mark += len(head[mark:]) - len(head[mark:].lstrip(b"\r\n"))  # a blank line is no record
        fields, stop = first_record(head[mark:], ord(self.delimiter))
        try:
            names = [field.decode(self.encoding) for field in fields]
        except UnicodeDecodeError as error:
            message = f"the header is not {self.encoding}: {error.reason}. Pass --encoding"
            if found := compressed(head):
                message = ". ".join(found)
            raise DataError(message, source=self.name, line=1) from error
        return names, mark + stop, 1 + head[: mark + stop].count(b"\n")

    def _scan(
        self,
        body: np.ndarray[Any, Any],
        names: list[str],
        fields: FieldSpec,
        line: int,
        last: bool,
    ) -> tuple[JsonlBlock, int]:
        from neardup._native import scan_csv

        def column(name: str) -> int:
            return names.index(name) if name in names else _NOWHERE

        texts = [column(name) for name in fields.text]
        # An id that was not asked for has a column of its own, so that the key stays second.
        carried = [_NOWHERE if name is None else column(name) for name in (fields.id, fields.key)]
        return scan_csv(body, ord(self.delimiter), texts, carried, line, last)

    def _batch(
        self, read: JsonlBlock, rows: TextRows, first_row: int, names: list[str], fields: FieldSpec
    ) -> Batch:
        valid = read.status == 0
        ids = keys = None
        if fields.id is not None:
            ids = large_strings(read.id_data, read.id_offsets, read.id_kind != 0)
        if fields.key is not None:
            keys = large_strings(read.key_data, read.key_offsets, valid & (read.key_kind != 0))
            place = KeyField(fields.key, self.name, first_row, read.lines.line)
            keys = written_values(keys, _kinds(keys), place)

        def why(row: int) -> tuple[str, str]:
            status, column = int(read.status[row]), int(read.column[row])
            if status == 1:
                name = fields.text[int(read.field[row])]
                if name not in names:
                    return missing_field(name, names, fields.text)
                return f'the record ends before field "{name}"', MEND
            if status == 4:
                return f"the quote at byte {column} of the record is never closed", MEND
            return not_utf8(rows.raw(row), column)

        return Batch(
            self.index,
            first_row,
            large_strings(read.text_data, read.text_offsets, valid),
            ids,
            keys,
            self.rejected(read, rows, first_row, why),
            len(read.text_data),
            RawBatch(first_row, len(valid), rows, ids),
        )


class TsvSource(CsvSource):
    """One file of tab-separated records."""

    format = "tsv"
    delimiter = "\t"


def _kinds(texts: pa.Array) -> np.ndarray[Any, Any]:
    """Which values are numbers (2), which are not (1): CSV itself does not tell."""
    import numpy as np
    import pyarrow as pa

    for kind in (pa.int64(), pa.float64()):
        try:
            texts.cast(kind)
        except pa.ArrowInvalid:
            continue
        return np.full(len(texts), 2, np.uint8)
    return np.array([2 if _is_number(each) else 1 for each in texts.to_pylist()], np.uint8)


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True
