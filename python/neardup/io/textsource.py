"""What the text formats share: one file, several passes, rows with reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from neardup.io.base import Batch, FieldSpec, RawBatch, Reject, Unchanged
from neardup.io.codecs import line_blocks
from neardup.io.textrows import TextRows, ascii_encoding

if TYPE_CHECKING:
    import numpy as np

    from neardup._native import JsonlBlock, JsonlLines

__all__ = ["MEND", "TextSource", "compressed", "not_utf8", "text_rows"]

#: Advice where nothing better is known.
MEND = "Mend the row, or pass --on-error skip."


_COMPRESSED = {
    "gzip": (b"\x1f\x8b", ".gz"),
    "zstd": (b"\x28\xb5\x2f\xfd", ".zst"),
    "bzip2": (b"BZh", ".bz2"),
    "xz": (b"\xfd7zXZ\x00", ".xz"),
}
"""The first bytes of compressed data, which a row that is not UTF-8 may turn out to be."""


class TextSource(ABC):
    """One file of rows that are runs of bytes.

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

    format = ""

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

    def rows(
        self, id_field: str | None = None, wanted: np.ndarray[Any, Any] | None = None
    ) -> Iterator[RawBatch]:
        """Find every row without reading its text."""
        return self._unchanged.around(lambda: self._rows(id_field, wanted))

    @abstractmethod
    def _batches(self, fields: FieldSpec) -> Iterator[Batch]: ...

    def _rows(
        self, id_field: str | None, wanted: np.ndarray[Any, Any] | None
    ) -> Iterator[RawBatch]:
        del wanted  # formats that gain nothing by it read every row
        for batch in self._batches(FieldSpec((), id_field)):
            if batch.raw is not None:
                yield batch.raw

    def _blocks(self) -> Iterator[np.ndarray[Any, Any]]:
        return line_blocks(self.path, self.codec, name=self.name)

    def rejected(
        self,
        read: JsonlBlock,
        rows: TextRows,
        first_row: int,
        why: Callable[[int], tuple[str, str]],
    ) -> list[Reject]:
        """The bad rows of a block; ``why`` gives reason and advice for its row number."""
        import numpy as np

        rejected = []
        for row in np.flatnonzero(read.status).tolist():
            reason, advice = why(row)
            if read.status[row] == 5 and self.encoding != "utf-8":
                reason, advice = f"not {self.encoding}", MEND
            line = int(read.lines.line[row])
            rejected.append(Reject(first_row + row, line, reason, rows.raw(row), advice))
        return rejected


def text_rows(block: np.ndarray[Any, Any], lines: JsonlLines, prefix: bytes = b"") -> TextRows:
    """Rows of a block where the native scanner found them."""
    return TextRows(block, lines.starts, lines.ends, lines.stops, prefix)


def compressed(raw: bytes) -> tuple[str, str] | None:
    """Reason and advice for data that begins as a compression does, under a name that is plain."""
    for name, (magic, suffix) in _COMPRESSED.items():
        if raw.startswith(magic):
            advice = f"Decompress it first, or give the file a name that ends in {suffix}."
            return f"compressed by {name}, but not named so", advice
    return None


def not_utf8(raw: bytes, column: int) -> tuple[str, str]:
    """Reason and advice for a row that is not UTF-8 from byte ``column``, counted from 1, on."""
    if found := compressed(raw):
        return found
    shown = f" (0x{raw[column - 1]:02x})" if column <= len(raw) else ""
    advice = "Name the file's encoding with --encoding, or pass --on-error skip."
    return f"not UTF-8 at byte {column}{shown}", advice
