"""Rows that are runs of bytes (JSON Lines, CSV, text): found, and written unchanged."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neardup.errors import UsageError
from neardup.io.atomic import Target, writing
from neardup.io.base import RawBatch
from neardup.io.beside import WriteBehind
from neardup.io.codecs import open_write

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["TextRows", "TextWriter", "ascii_encoding", "large_strings", "shifts", "to_utf8"]


@dataclass(frozen=True, slots=True)
class TextRows:
    """Rows of a block: ``block[starts[i]:ends[i]]``, and up to ``stops[i]`` with the line ending.

    ``prefix`` is what stands before the first row of the file: a byte order mark, a CSV header.
    """

    block: np.ndarray[Any, Any]
    starts: np.ndarray[Any, Any]
    ends: np.ndarray[Any, Any]
    stops: np.ndarray[Any, Any]
    prefix: bytes = b""

    def raw(self, row: int) -> bytes:
        """The row without its line ending."""
        return self.block[int(self.starts[row]) : int(self.ends[row])].tobytes()


class TextWriter:
    """Writes rows byte for byte, compressed in a thread beside the caller.

    Parameters
    ----------
    target : Target
        Where to.
    codec : str
        Name of the compression.
    """

    def __init__(self, target: Target, codec: str) -> None:
        self._target = target
        self._stream = open_write(target.file, codec)
        self._wrapped = self._stream is not target.file
        self._behind: WriteBehind[bytes | memoryview] = WriteBehind(self._stream.write, depth=4)
        self._started = False
        self._ending = b"\n"
        self._open_line = False

    def write(self, batch: RawBatch, mask: np.ndarray[Any, Any]) -> None:
        """Write the rows of ``batch`` where ``mask`` is true."""
        import numpy as np

        rows: TextRows = batch.data
        if not self._started:
            # Only what stands first in the output: several inputs may follow each other in it.
            self._started = True
            self._hand_over(rows.prefix)
        kept = np.flatnonzero(mask)
        if not len(kept):
            return
        starts, stops = rows.starts[kept], rows.stops[kept]
        if self._open_line:
            self._hand_over(self._ending)
        # Neighbours are one run; a blank line between rows is no row and ends the run.
        first = np.flatnonzero(np.concatenate(([True], starts[1:] != stops[:-1])))
        last = np.append(first[1:], len(kept)) - 1
        view = memoryview(rows.block)  # type: ignore[arg-type]
        runs = [
            view[a:b] for a, b in zip(starts[first].tolist(), stops[last].tolist(), strict=True)
        ]
        self._hand_over(runs[0] if len(runs) == 1 else b"".join(runs))
        self._open_line = bool(rows.ends[kept[-1]] == stops[-1])
        # Only the last row of a file can be without; then the one before it shows the style.
        for row in kept[-2:][::-1].tolist():
            if ending := view[int(rows.ends[row]) : int(rows.stops[row])].tobytes():
                self._ending = ending
                break

    def commit(self) -> None:
        """Finish the file and give it its name."""
        try:
            with writing(self._target.path):
                self._behind.close()
                if self._wrapped:
                    self._stream.close()
            self._target.commit()
        finally:
            self.abort()

    def abort(self) -> None:
        """Leave nothing behind."""
        self._behind.abandon()
        self._target.abort()

    def _hand_over(self, data: bytes | memoryview) -> None:
        if len(data):
            with writing(self._target.path):
                self._behind.put(data)


def large_strings(
    data: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any], valid: np.ndarray[Any, Any]
) -> pa.LargeStringArray:
    """An Arrow array over buffers that are UTF-8 already, without a copy."""
    import numpy as np
    import pyarrow as pa

    nulls = len(valid) - int(np.count_nonzero(valid))
    bitmap = pa.py_buffer(np.packbits(valid, bitorder="little")) if nulls else None
    return pa.LargeStringArray.from_buffers(
        len(valid), pa.py_buffer(offsets), pa.py_buffer(data), bitmap, nulls
    )


def ascii_encoding(name: str) -> str:
    """The canonical name of an encoding that leaves line feeds and quotes single bytes.

    Examples
    --------
    >>> ascii_encoding("UTF8"), ascii_encoding("GBK")
    ('utf-8', 'gbk')
    """
    try:
        found = codecs.lookup(name).name
        kept = '\r\n{"a",}\t'.encode(found) == b'\r\n{"a",}\t'
    except (LookupError, UnicodeError, TypeError):
        raise UsageError(f'unknown encoding "{name}": try utf-8, gb18030, latin-1') from None
    if found == "utf-8-sig":
        return "utf-8"
    if not kept:
        message = f'encoding "{name}" cannot be read line by line: convert the file to UTF-8 first'
        raise UsageError(message)
    return found


def shifts(encoding: str) -> bool:
    """Whether letters may be written with the bytes of quotes and commas.

    Examples
    --------
    >>> shifts("iso2022_jp"), shifts("gb18030")
    (True, False)
    """
    written = "が각，".encode(encoding, "ignore")
    return b"," in written or b'"' in written


def to_utf8(block: np.ndarray[Any, Any], encoding: str) -> np.ndarray[Any, Any]:
    """The block in UTF-8, line by line the same; what cannot be decoded becomes no UTF-8."""
    import numpy as np

    if encoding == "utf-8":
        return block
    raw = block.tobytes()
    try:
        data = raw.decode(encoding).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        data = b"\n".join(_line_to_utf8(line, encoding) for line in raw.split(b"\n"))
    return np.frombuffer(data, np.uint8)


def _line_to_utf8(line: bytes, encoding: str) -> bytes:
    try:
        # Only the bad bytes are lost: quotes around them still open and close a record.
        return line.decode(encoding, "surrogateescape").encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return b"\xff"
