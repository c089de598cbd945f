"""Kinds of option value: each reads what a user typed, and says in words what it allows.

A kind returns the value in its final type or raises `ValueError` / `TypeError`; the option that
owns it (see `neardup.config`) turns that into a message with its name and the value seen.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, SupportsFloat, SupportsIndex

from neardup._native import STEPS, UNITS

NORMALIZE_STEPS = STEPS
CHUNK_BYTES = (256, 2**20)
ESTIMATES = ("sketch", "none")
"""The values of verify under which similarities are estimates."""
KEEP_ORDERS = ("first", "last", "longest", "shortest")

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", re.IGNORECASE)


class Kind(Protocol):
    """What an option's value may be."""

    @property
    def metavar(self) -> str:
        """The placeholder that stands for a value in help."""

    @property
    def allowed(self) -> str:
        """What may stand there, in words."""

    def read(self, value: object) -> object:
        """Return `value` in its final type, or raise ValueError or TypeError."""


@dataclass(frozen=True, slots=True)
class Shingle:
    """What a document is cut into: runs of `n` units."""

    unit: str
    n: int

    def __str__(self) -> str:
        return f"{self.unit}:{self.n}"


@dataclass(frozen=True, slots=True)
class Keep:
    """Which document of a cluster stays.

    `rule` is one of first, last, longest, shortest, max, min, priority; `field` goes with max and
    min, `sources` with priority.
    """

    rule: str
    field: str | None = None
    sources: tuple[str, ...] = ()

    def __str__(self) -> str:
        argument = self.field if self.field is not None else ",".join(self.sources)
        return f"{self.rule}:{argument}" if argument else self.rule


@dataclass(frozen=True, slots=True)
class Guard:
    """Pairs to refuse although similar: each text has a number that the other lacks.

    With `max_words`, only where both texts have fewer words than that.
    """

    max_words: int | None = None

    def __str__(self) -> str:
        return "numbers" if self.max_words is None else f"numbers:{self.max_words}"


@dataclass(frozen=True, slots=True)
class Real:
    """A number between two bounds; a bound may be open."""

    low: float
    high: float
    allowed: str
    open_low: bool = True
    open_high: bool = False
    metavar: str = "NUMBER"

    def read(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, str | SupportsFloat):
            raise TypeError
        number = float(value)
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        if math.isnan(number) or not (above and below):
            raise ValueError
        return number


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number between two bounds, both included."""

    low: int
    high: int
    allowed: str
    metavar: str = "N"

    def read(self, value: object) -> int:
        if isinstance(value, str):
            number = int(value)
        elif isinstance(value, bool) or not isinstance(value, SupportsIndex):
            raise TypeError
        else:
            number = value.__index__()
        if not self.low <= number <= self.high:
            raise ValueError
        return number


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words; those of a registry are asked for when they are needed."""

    words: tuple[str, ...] | Callable[[], tuple[str, ...]]

    @property
    def choices(self) -> tuple[str, ...]:
        """The words."""
        return self.words() if callable(self.words) else self.words

    @property
    def metavar(self) -> str:
        return "|".join(self.choices)

    @property
    def allowed(self) -> str:
        return ", ".join(self.choices)

    def read(self, value: object) -> str:
        if not isinstance(value, str):
            raise TypeError
        if value not in self.choices:
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no."""

    metavar: str = ""
    allowed: str = "true or false"

    def read(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise TypeError
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """A string that is not empty."""

    metavar: str = "TEXT"
    allowed: str = "text that is not empty"
    pattern: str = r"(?s).+"

    def read(self, value: object) -> str:
        if not isinstance(value, str):
            raise TypeError
        if not re.fullmatch(self.pattern, value):
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Path:
    """A file or folder; `-` stands for standard input or output where that makes sense."""

    metavar: str = "PATH"
    allowed: str = "a path"

    def read(self, value: object) -> str:
        if not isinstance(value, str | os.PathLike):
            raise TypeError
        path = os.fspath(value)
        if not isinstance(path, str):
            raise TypeError
        if not path or "\0" in path:
            raise ValueError
        return path


@dataclass(frozen=True, slots=True)
class Paths:
    """One path or several."""

    metavar: str = "PATH"
    allowed: str = "a path, or a list of paths"

    def read(self, value: object) -> tuple[str, ...]:
        if isinstance(value, str | os.PathLike):
            return (Path().read(value),)
        if not isinstance(value, Iterable):
            raise TypeError
        return tuple(Path().read(item) for item in value)


@dataclass(frozen=True, slots=True)
class Names:
    """One field name, several with commas between, or a list of them."""

    metavar: str = "FIELD[,FIELD...]"
    allowed: str = "a field name, or several with commas between"

    def read(self, value: object) -> tuple[str, ...]:
        names = _items(value)
        if not names or not all(names):
            raise ValueError
        return names


@dataclass(frozen=True, slots=True)
class Several:
    """Values of one kind, commas between, or a list of them; a repeated one counts once."""

    kind: Kind
    one: str

    @property
    def metavar(self) -> str:
        return f"{self.one}[,{self.one}...]"

    @property
    def allowed(self) -> str:
        return f"{self.kind.allowed}, commas between"

    def read(self, value: object) -> tuple[Any, ...]:
        if isinstance(value, str):
            value = value.split(",")
        if not isinstance(value, Iterable):
            value = (value,)
        return tuple(dict.fromkeys(self.kind.read(item) for item in value))


@dataclass(frozen=True, slots=True)
class Normalize:
    """Steps applied to a text before it is cut, in the order given."""

    metavar: str = "STEP[,STEP...]"
    allowed: str = f"none, or a comma list of {', '.join(NORMALIZE_STEPS)}"

    def read(self, value: object) -> tuple[str, ...]:
        steps = _items(value)
        if steps in ((), ("none",)):
            if value == "":
                raise ValueError
            return ()
        if not all(step in NORMALIZE_STEPS for step in steps):
            raise ValueError
        return steps


@dataclass(frozen=True, slots=True)
class ShingleKind:
    """`word:3`, `char:5` and the like."""

    metavar: str = "UNIT:N"
    allowed: str = (
        f"UNIT:N with UNIT one of {', '.join(unit for unit in UNITS if unit != 'chunk')} and N "
        "from 1 to 1000, or chunk:BYTES with BYTES from 256 to 1048576"
    )

    def read(self, value: object) -> Shingle:
        if isinstance(value, Shingle):
            value = str(value)
        if not isinstance(value, str):
            raise TypeError
        unit, colon, count = value.partition(":")
        if unit not in UNITS or not colon or not re.fullmatch(r"[0-9]{1,7}", count):
            raise ValueError
        low, high = CHUNK_BYTES if unit == "chunk" else (1, 1000)
        if not low <= int(count) <= high:
            raise ValueError
        return Shingle(unit, int(count))


@dataclass(frozen=True, slots=True)
class KeepKind:
    """A keep rule."""

    metavar: str = "RULE"
    allowed: str = f"{', '.join(KEEP_ORDERS)}, max:FIELD, min:FIELD, priority:SRC1,SRC2"

    def read(self, value: object) -> Keep:
        if isinstance(value, Keep):
            value = str(value)
        if not isinstance(value, str):
            raise TypeError
        rule, colon, argument = value.partition(":")
        if rule in KEEP_ORDERS and not colon:
            return Keep(rule)
        if rule in ("max", "min") and argument:
            return Keep(rule, field=argument)
        if rule == "priority" and argument:
            return Keep(rule, sources=Names().read(argument))
        raise ValueError


@dataclass(frozen=True, slots=True)
class GuardKind:
    """A guard, or none."""

    metavar: str = "numbers[:MAXWORDS]"
    allowed: str = "numbers, numbers:MAXWORDS (MAXWORDS from 1), or none"

    def read(self, value: object) -> Guard | None:
        if value is None or isinstance(value, Guard):
            value = str(value).lower()
        if not isinstance(value, str):
            raise TypeError
        if value == "none":
            return None
        name, colon, count = value.partition(":")
        if name != "numbers" or (colon and not re.fullmatch(r"0*[1-9][0-9]{0,17}", count)):
            raise ValueError
        return Guard(int(count) if colon else None)


@dataclass(frozen=True, slots=True)
class Verify:
    """How candidates are checked; a measure and a number for a second stage after exact Jaccard."""

    metavar: str = "exact|sketch|none|MEASURE:NUMBER"

    @property
    def allowed(self) -> str:
        from neardup.measures import SECOND_STAGE

        return (
            f"exact, sketch, none, or MEASURE:NUMBER with MEASURE one of "
            f"{', '.join(SECOND_STAGE)} and NUMBER above 0, up to 1"
        )

    @property
    def choices(self) -> tuple[str, ...]:
        """What completion offers."""
        from neardup.measures import SECOND_STAGE

        return ("exact", *ESTIMATES, *(f"{name}:0.9" for name in SECOND_STAGE))

    def read(self, value: object) -> str:
        from neardup.measures import SECOND_STAGE

        if not isinstance(value, str):
            raise TypeError
        name, colon, number = value.partition(":")
        if not colon and name in ("exact", *ESTIMATES):
            return name
        name = name.replace("_", "-").lower()
        if name not in SECOND_STAGE:
            raise ValueError
        return f"{name}:{Real(0.0, 1.0, '').read(number)!r}"


@dataclass(frozen=True, slots=True)
class Bytes:
    """An amount of memory."""

    metavar: str = "SIZE"
    allowed: str = "a number of bytes, such as 4GiB, 500MB or 1000000"

    def read(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise TypeError
        match = _BYTES.fullmatch(str(value).strip())
        if match is None:
            raise ValueError
        number = int(float(match[1]) * _UNITS[match[2].lower()])
        if not 1 <= number < 2**63:
            raise ValueError
        return number


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text encoding Python knows."""

    metavar: str = "NAME"
    allowed: str = "a text encoding Python knows, such as utf-8, gb18030 or latin-1"

    def read(self, value: object) -> str:
        import codecs

        if not isinstance(value, str):
            raise TypeError
        try:
            info = codecs.lookup(value)
        except (LookupError, ValueError, UnicodeError):
            raise ValueError from None
        if not getattr(info, "_is_text_encoding", True):
            raise ValueError
        return info.name


def _items(value: object) -> tuple[str, ...]:
    """The parts of a comma list or of a list of strings, stripped."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(","))
    if not isinstance(value, list | tuple):
        raise TypeError
    if not all(isinstance(part, str) for part in value):
        raise TypeError
    return tuple(value)
