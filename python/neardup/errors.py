"""Every error this package raises on purpose: what was wrong, the value seen, what to do next."""

from __future__ import annotations

__all__ = ["DataError", "NeardupError", "NeardupTypeError", "NeardupValueError", "UsageError"]


class NeardupError(Exception):
    """Base of all errors of this package; its text is one line made for a person."""


class NeardupValueError(NeardupError, ValueError):
    """A value out of range or unknown."""


class NeardupTypeError(NeardupError, TypeError):
    """A value of a type that cannot be taken."""


class UsageError(NeardupError):
    """The request itself cannot be met: the command line ends with status 2."""


class DataError(NeardupError):
    """A row, or a whole file, that is not what it claims to be.

    Parameters
    ----------
    message : str
        What is wrong and what to do, without the place.
    source : str
        Path as found; ``""`` for data in memory.
    row : int, optional
        Row number, from 0, rejected rows counted.
    line : int, optional
        Physical line, from 1, for text formats.

    Examples
    --------
    >>> print(DataError('no field "text"', source="data.jsonl", row=1041, line=1042))
    data.jsonl:1042: no field "text"
    >>> print(DataError("the text is null", source="", row=7))
    row 7: the text is null
    """

    def __init__(
        self, message: str, *, source: str, row: int | None = None, line: int | None = None
    ) -> None:
        super().__init__(message, source, row, line)
        self.message = message
        self.source = source
        self.row = row
        self.line = line

    def __str__(self) -> str:
        if self.line is not None:
            place = f"{self.source}:{self.line}" if self.source else f"line {self.line}"
        elif self.row is not None:
            place = f"{self.source}: row {self.row}" if self.source else f"row {self.row}"
        else:
            place = self.source
        return f"{place}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.source, self.row, self.line)


def _rebuild(
    kind: type[DataError], message: str, source: str, row: int | None, line: int | None
) -> DataError:
    """Remake an error that crossed a process boundary (keyword arguments are lost by pickle)."""
    return kind(message, source=source, row=row, line=line)
