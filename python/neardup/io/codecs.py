"""Compression by suffix: streams that read and write beside the work, and never end short unseen.

To add a codec: one reader, one writer, one line in `CODECS`.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from neardup.errors import DataError, UsageError
from neardup.io.base import reason
from neardup.io.beside import read_ahead
from neardup.io.places import open_read

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BLOCK_BYTES", "CODECS", "Codec", "line_blocks", "open_write", "split_suffix"]

#: Bytes of a block of whole lines; one longer line makes its block longer.
BLOCK_BYTES = 4 << 20
SMALL = 1 << 16
"""Bytes of a file that is read where it is wanted: a thread would take longer."""
_PIECE = 1 << 18
"""Compressed bytes taken at a time: at each piece threads wait for the interpreter's lock."""


@dataclass(frozen=True, slots=True)
class Codec:
    """One compression: its name in options, its suffix, and how to wrap an open binary file."""

    name: str
    suffix: str
    reader: Callable[[BinaryIO], BinaryIO]
    writer: Callable[[BinaryIO], BinaryIO]


def _gzip_writer(file: BinaryIO) -> BinaryIO:
    # No name and no time in the header: equal input gives equal files. Level 4 is twice as fast as
    # the usual 6, for a twenty-fifth more bytes.
    return cast(BinaryIO, gzip.GzipFile("", "wb", compresslevel=4, fileobj=file, mtime=0))


class _Streams(io.RawIOBase):
    """Compressed streams one after the other, to the last byte of the file.

    The readers of the standard library take a damaged stream after the first for the end of the
    file: what many tools write in pieces would lose its rest unseen. Zeros between streams are
    padding.
    """

    def __init__(self, file: BinaryIO, start: Callable[[], Any]) -> None:
        self._file, self._start, self._stream = file, start, start()

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        """Read at most as much as fits; 0 at the end, `EOFError` if a stream is cut off there."""
        while True:
            data = b""
            if self._stream.eof:
                data = self._stream.unused_data.lstrip(b"\0")
                while not data and (data := self._file.read(_PIECE)):
                    data = data.lstrip(b"\0")
                if not data:
                    return 0
                self._stream = self._start()
            elif self._stream.needs_input and not (data := self._file.read(_PIECE)):
                raise EOFError
            if made := self._stream.decompress(data, len(view)):
                view[: len(made)] = made
                return len(made)


class _Gunzip:
    """One member of a gzip file (RFC 1952), in the manner of the other decompressors."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(16 + zlib.MAX_WBITS)  # with header and checksum
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, most: int) -> bytes:
        """At most so many bytes; what they leave of the data is kept."""
        made = self._stream.decompress(self._stream.unconsumed_tail + data, most)
        self.needs_input = not self._stream.unconsumed_tail and len(made) < most
        return made


def _gzip_reader(file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, _Streams(file, _Gunzip))


def _bz2_reader(file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, _Streams(file, bz2.BZ2Decompressor))


def _bz2_writer(file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, bz2.BZ2File(file, "wb"))


def _xz_reader(file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, _Streams(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)))


def _xz_writer(file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, lzma.LZMAFile(file, "wb"))


def _zstd_reader(file: BinaryIO) -> BinaryIO:
    import pyarrow as pa

    return cast(BinaryIO, pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"))


def _zstd_writer(file: BinaryIO) -> BinaryIO:
    import pyarrow as pa

    kept_open = pa.PythonFile(_KeepOpen(file), "w")
    return cast(BinaryIO, pa.CompressedOutputStream(kept_open, "zstd"))


class _KeepOpen:
    """A file for a wrapper that closes what it wraps."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.closed = file, False

    def write(self, data: bytes) -> None:
        """Write all of it."""
        self._file.write(data)

    def close(self) -> None:
        """Only this end."""
        self.closed = True


def _plain(file: BinaryIO) -> BinaryIO:
    return file


#: By name; zstandard through Arrow, which the standard library lacks before Python 3.14.
CODECS: dict[str, Codec] = {
    codec.name: codec
    for codec in (
        Codec("", "", _plain, _plain),
        Codec("gzip", ".gz", _gzip_reader, _gzip_writer),
        Codec("zstd", ".zst", _zstd_reader, _zstd_writer),
        Codec("bz2", ".bz2", _bz2_reader, _bz2_writer),
        Codec("xz", ".xz", _xz_reader, _xz_writer),
    )
}


def split_suffix(path: str) -> tuple[str, str]:
    """The path without its compression suffix, and the codec's name.

    Examples
    --------
    >>> split_suffix("a/b.jsonl.gz"), split_suffix("b.jsonl")
    (('a/b.jsonl', 'gzip'), ('b.jsonl', ''))
    """
    stem, suffix = os.path.splitext(path)
    for codec in CODECS.values():
        if codec.suffix and codec.suffix == suffix.lower():
            return stem, codec.name
    return path, ""


def codec_named(name: str) -> Codec:
    """The codec of that name, or a usage error that lists them."""
    try:
        return CODECS[name]
    except KeyError:
        known = ", ".join(name or "none" for name in CODECS)
        raise UsageError(f'unknown compression "{name}": choose from {known}') from None


def open_write(file: BinaryIO, codec: str) -> BinaryIO:
    """Wrap an open binary file; closing the wrapper ends the stream, the file stays open."""
    return codec_named(codec).writer(file)


def line_blocks(
    path: str, codec: str, *, name: str | None = None, size: int = BLOCK_BYTES
) -> Iterator[np.ndarray[Any, Any]]:
    """Blocks of whole lines of a file, decompressed in a thread beside the caller unless small.

    Parameters
    ----------
    path : str
        File to read.
    codec : str
        Name of its compression.
    name : str, optional
        The path as found, for messages.
    size : int
        Bytes of a block; a longer line makes a longer block.

    Yields
    ------
    numpy.ndarray of uint8
        Each ends with a line feed, except the last where the file does.
    """
    with contextlib.suppress(OSError):  # a URL, or what `_cut` will say
        if os.path.getsize(path) <= SMALL:
            return _cut(path, codec, min(size, SMALL), name or path)
    return read_ahead(lambda: _cut(path, codec, size, name or path))


class _Reading:
    """Opens a file; its `fill` reads into a view and names the file in every failure."""

    def __init__(self, path: str, codec: str, name: str) -> None:
        self._path, self._codec, self._name = path, codec, name

    def __enter__(self) -> Callable[[memoryview], int]:
        try:
            self._file = open_read(self._path)
            if self._codec:
                self._file = io.BufferedReader(cast(io.RawIOBase, self._file), 1 << 20)
                if not self._file.peek(1):  # no stream of any kind is of no bytes
                    self._file.close()
                    raise self._truncated()
        except OSError as error:
            raise DataError(f"cannot be read: {reason(error)}", source=self._name) from error
        self._stream = codec_named(self._codec).reader(self._file)
        return self._fill

    def __exit__(self, *_: object) -> None:
        # The wrapper may refuse to close a broken stream; the file is what matters.
        self._file.close()

    def _fill(self, view: memoryview) -> int:
        try:
            return self._stream.readinto(view) or 0  # type: ignore[attr-defined]
        except EOFError as error:
            raise self._truncated() from error
        except (OSError, ValueError, lzma.LZMAError, zlib.error) as error:
            if "truncated" in str(error).lower():
                raise self._truncated() from error
            what = f"cannot be read as {self._codec or 'a file'}: {reason(error)}"
            raise DataError(what, source=self._name) from error

    def _truncated(self) -> DataError:
        what = f"the {self._codec} stream is cut short. Fetch the file again"
        return DataError(what, source=self._name)


def _cut(path: str, codec: str, size: int, name: str) -> Iterator[np.ndarray[Any, Any]]:
    import numpy as np

    with _Reading(path, codec, name) as fill:
        buffer, filled, end = np.empty(size, np.uint8), 0, False
        while not end:
            cut = 0
            while not end and (filled < len(buffer) or not cut):
                if filled == len(buffer):
                    # One line fills it all: twice the room, a memory of about the line.
                    buffer = np.concatenate([buffer, np.empty_like(buffer)])
                count = fill(buffer[filled:].data)
                cut = _after_line_feed(buffer, filled, filled + count) or cut
                filled += count
                end = count == 0
            if end:
                cut = filled
            rest = filled - cut
            fresh = np.empty(max(size, rest + 1), np.uint8)
            fresh[:rest] = buffer[cut:filled]
            if cut:
                yield buffer[:cut]
            buffer, filled = fresh, rest


def _after_line_feed(buffer: np.ndarray[Any, Any], start: int, stop: int) -> int:
    """Offset after the last line feed in ``buffer[start:stop]``, 0 if there is none."""
    while stop > start:
        begin = max(start, stop - (1 << 14))
        found = buffer[begin:stop].tobytes().rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        stop = begin
    return 0
