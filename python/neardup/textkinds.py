"""Kinds of option value that speak of text: hashes, keys, languages, shares, tokenizers."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, SupportsFloat

from neardup import _native
from neardup.errors import NeardupError, NeardupValueError
from neardup.tokenizer import Tokenizer

KEY_BYTES = 16


@dataclass(frozen=True, slots=True)
class Hash:
    """A hash by its name or a short one; the value is the full name."""

    metavar: str = "NAME"
    allowed: str = ", ".join(_native.HASHES)

    @property
    def choices(self) -> tuple[str, ...]:
        """The full names."""
        return _native.HASHES

    def read(self, value: object) -> str:
        if not isinstance(value, str):
            raise TypeError
        name = dict(_native.HASH_ALIASES).get(value, value)
        if name not in _native.HASHES:
            raise ValueError
        return name


@dataclass(frozen=True, slots=True)
class Language:
    """A language code of a library."""

    codes: tuple[str, ...]
    metavar: str = "LANG"

    @property
    def allowed(self) -> str:
        return f"one of {', '.join(self.codes)}"

    def read(self, value: object) -> str:
        if not isinstance(value, str):
            raise TypeError
        if value not in self.codes:
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Key:
    """A secret key in memory; its text says nothing of it."""

    secret: bytes = field(repr=False)

    def __str__(self) -> str:
        return f"a key of {len(self.secret)} bytes"


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file that holds a secret key; in Python also its bytes."""

    metavar: str = "FILE"
    allowed: str = f"a file of {KEY_BYTES} bytes"

    def read(self, value: object) -> str | Key:
        if isinstance(value, Key):
            return value
        if isinstance(value, bytes):
            return Key(value)
        if not isinstance(value, str | os.PathLike):
            raise TypeError
        path = os.fspath(value)
        if not isinstance(path, str):
            raise TypeError
        if not path or "\0" in path:
            raise ValueError
        return path


def key_bytes(key: str | Key) -> bytes:
    """The secret key: what was given, or what the file holds.

    Raises
    ------
    NeardupError
        The file cannot be read.
    NeardupValueError
        It holds another number of bytes.
    """
    if isinstance(key, Key):
        secret, place = key.secret, "the key"
    else:
        place = key
        try:
            with open(key, "rb") as file:
                secret = file.read(KEY_BYTES + 1)
        except OSError as error:
            raise NeardupError(f"{key}: cannot read the key: {error.strerror}") from None
        except ValueError:  # a null or a lone surrogate
            raise NeardupValueError(f"hash_key_file: {key!r} cannot name a file") from None
    if len(secret) != KEY_BYTES:
        seen = "more" if len(secret) > KEY_BYTES else str(len(secret))
        raise NeardupValueError(
            f"hash_key_file: {place} has {seen} bytes, a key has {KEY_BYTES}; make one with "
            f"head -c {KEY_BYTES} /dev/urandom > FILE"
        )
    return secret


@dataclass(frozen=True, slots=True)
class Share:
    """A share below one, such as 0.01 or 1/100."""

    metavar: str = "S"
    allowed: str = "a number above 0 and below 1, such as 0.01 or 1/100"

    def read(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, str | SupportsFloat):
            raise TypeError
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}/[0-9]{1,18}", value):
            if not value.partition("/")[2].strip("0"):
                raise ValueError
            value = Fraction(value)
        share = float(value)
        if not 0.0 < share < 1.0:
            raise ValueError
        return share


@dataclass(frozen=True, slots=True)
class TokenizerKind:
    """A function from texts to their tokens."""

    metavar: str = "FUNCTION"
    allowed: str = "a function that takes a list of texts and gives a list of tokens for each"

    def read(self, value: object) -> Tokenizer:
        if isinstance(value, Tokenizer):
            return value
        if not callable(value):
            raise TypeError
        call: Any = value
        return Tokenizer(call)
