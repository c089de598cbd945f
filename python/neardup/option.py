"""One option: name, kind of value, default, help, where it applies; how it reads a value."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from neardup import values as v
from neardup.errors import NeardupTypeError, NeardupValueError


@dataclass(frozen=True, slots=True)
class Option:
    """One option: what it is called, what it may be, what it means, where it applies."""

    name: str
    kind: v.Kind
    default: Any
    help: str
    group: str
    python: bool = True
    toml: bool = True
    typed: bool = True
    """Whether it can be typed on a command line."""
    short: str | None = None
    commands: tuple[str, ...] = ()
    """The commands that alone have it; without any, `dedup` and what is like it."""

    @property
    def flag(self) -> str:
        """The option's name on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def shown_default(self) -> str:
        """The default as a user would type it; empty where there is none to show."""
        if self.default is None or isinstance(self.default, bool) or self.default == ():
            return ""
        if isinstance(self.default, tuple):
            return ",".join(map(str, self.default))
        return str(self.default)

    def complaint(self, value: object) -> str:
        """What to tell a user who gave a value that is not allowed."""
        return f"{shown(value)} is not allowed; use {self.kind.allowed}"

    def read(self, value: object) -> Any:
        """Return `value` in its final type; an error names the option, the value, the allowed."""
        if value is None and self.default is None:
            return None
        try:
            return self.kind.read(value)
        except (ValueError, TypeError, OverflowError) as error:
            kind = NeardupTypeError if isinstance(error, TypeError) else NeardupValueError
            raise kind(f"{self.name}: {self.complaint(value)}") from None


def field(default: Any, kind: v.Kind, group: str, text: str, **where: Any) -> Any:
    """A field of `Config` that carries its `Option`."""
    return dataclasses.field(
        default=default, metadata={"kind": kind, "group": group, "help": text, **where}
    )


def shown(value: object) -> str:
    """A value as an error shows it: in one line, a long one cut short.

    Examples
    --------
    >>> shown("no\\nsuch"), len(shown("x" * 1000)), shown(10**9999)
    ("'no\\\\nsuch'", 60, 'an int')
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a repr may do anything; that of a huge int is refused
        return f"an {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
