"""A file of our own: kind, JSON header, sections, checksum. Whole, or refused by name.

::

    magic     8 bytes, the kind of file
    version   u32, little-endian as all numbers
    length    u32 of the header
    header    JSON; `sections` are the lengths of what follows
    sections  bytes, one after the other
    checksum  BLAKE2b of everything before it, 16 bytes (RFC 7693)
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup.errors import DataError, NeardupError, NeardupTypeError, NeardupValueError

Path = str | os.PathLike[str]
Array = npt.NDArray[Any]

_HEAD = struct.Struct("<8sII")
_CHECKSUM = 16


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file.

    Attributes
    ----------
    magic : bytes
        Its first eight bytes.
    name : str
        What messages call it.
    version : int
        The one version that is written and read.
    advice : str
        What to do about a file that is refused.
    """

    magic: bytes
    name: str
    version: int = 1
    advice: str = "write it again with save()"

    def write(
        self,
        path: Path,
        header: dict[str, Any],
        sections: Iterable[bytes | Array],
        *,
        lengths: Sequence[int] | None = None,
        durable: bool = True,
    ) -> None:
        """Write a file, finished or absent.

        Parameters
        ----------
        path : path-like
            Missing folders are made; a file of that name is replaced.
        header : dict
            What JSON can hold.
        sections : iterable of bytes or numpy.ndarray
            Arrays are written as they are, row by row: the caller sees to the byte order.
        lengths : sequence of int, optional
            Bytes of each section, where `sections` gives them in pieces that should not all be in
            memory at once.
        durable : bool
            Wait until it is on disk. A file that is not would be refused for its checksum.
        """
        from neardup.io.atomic import AtomicFile

        path = named(path)
        views: Iterable[memoryview] = map(_bytes, sections)
        if lengths is None:
            views = list(views)
            lengths = [view.nbytes for view in views]
        text = json.dumps({**header, "sections": list(lengths)}).encode()
        digest = blake2b(digest_size=_CHECKSUM)
        head = _HEAD.pack(self.magic, self.version, len(text))
        with AtomicFile(path, durable=durable) as out:
            for part in chain([head, text], views, [None]):
                if part is not None:
                    digest.update(part)
                rest = memoryview(digest.digest() if part is None else part)
                while rest:
                    rest = rest[out.file.write(rest) or 0 :]

    def read(self, path: Path, *sections: int) -> tuple[dict[str, Any], list[memoryview]]:
        """Read a file back.

        Parameters
        ----------
        path : path-like
        *sections : int
            How many there may be.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, of another kind or version.
        NeardupError
            It cannot be read.
        """
        name = named(path)
        try:
            with open(name, "rb") as file:
                whole = memoryview(file.read())
        except OSError as error:
            raise NeardupError(f"{name}: cannot be read: {error.strerror}") from error
        try:
            return self._parse(whole, sections)
        except ValueError as error:
            raise DataError(f"{error}; {self.advice}", source=name) from None

    def _parse(
        self, whole: memoryview, counts: tuple[int, ...]
    ) -> tuple[dict[str, Any], list[memoryview]]:
        if not whole:
            raise ValueError(f"the file is empty, not {self.name}")
        if bytes(whole[:8]) != self.magic:
            raise ValueError(f"not {self.name}: it begins with {bytes(whole[:8])!r}")
        if len(whole) < _HEAD.size + _CHECKSUM:
            raise ValueError(f"{self.name} is truncated: it ends after {len(whole)} bytes")
        _, version, length = _HEAD.unpack(whole[: _HEAD.size])
        if version != self.version:
            raise ValueError(
                f"{self.name} is of version {version}, this program reads {self.version}"
            )
        body, checksum = whole[:-_CHECKSUM], whole[-_CHECKSUM:]
        if blake2b(body, digest_size=_CHECKSUM).digest() != checksum:
            raise ValueError(f"{self.name} is damaged: truncated or altered, its checksum differs")
        at = _HEAD.size + length
        header = json.loads(bytes(body[_HEAD.size : at]))
        lengths = header.get("sections") if isinstance(header, dict) else None
        fit = (
            isinstance(lengths, list)
            and len(lengths) in counts
            and all(type(each) is int and each >= 0 for each in lengths)
            and at + sum(lengths) == len(body)
        )
        if not fit or lengths is None:
            raise ValueError(f"{self.name} is inconsistent: its parts do not add up")
        parts = []
        for each in lengths:
            parts.append(body[at : at + each])
            at += each
        return header, parts


def named(path: object) -> str:
    """The name of a file.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        It is no path, or one that no file can have.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise NeardupTypeError(
            f"path: {path!r} is a {type(path).__name__}; give a str or a path-like object"
        )
    name = os.fsdecode(path)
    try:
        os.fsencode(name)
    except UnicodeEncodeError:  # a lone surrogate
        raise NeardupValueError(f"path: {name!r} cannot name a file; give another name") from None
    if not name or "\0" in name:
        raise NeardupValueError(f"path: {name!r} cannot name a file; give another name")
    return name


def _bytes(section: bytes | Array) -> memoryview:
    if isinstance(section, bytes):
        return memoryview(section)
    return np.ascontiguousarray(section).reshape(-1).view(np.uint8).data
