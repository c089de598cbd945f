"""Advice in the words of whoever asked: options of the command line as Python keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from neardup import values
from neardup.config import OPTIONS
from neardup.errors import DataError, NeardupError

_BY_FLAG = {option.flag: option for option in OPTIONS if option.python}
_NUMBER = re.compile(r"\d+(\.\d+)?")
_TYPED = re.compile(r"(--[a-z][a-z-]*[a-z])(?: ([\w.:-]*\w))?")


def keywords(message: str) -> str:
    """A message that speaks of options, for a caller from Python.

    Examples
    --------
    >>> keywords("Name the field with --text body, or pass --on-error skip.")
    'Name the field with text="body", or pass on_error="skip".'
    >>> keywords("out exists; add --overwrite to replace it, or --resume; --format is not Python's")
    "out exists; add overwrite=True to replace it, or resume=True; --format is not Python's"
    """

    def reworded(found: re.Match[str]) -> str:
        option = _BY_FLAG.get(found[1])
        if option is None:
            return found[0]
        if isinstance(option.kind, values.Flag):
            return found[0].replace(found[1], f"{option.name}=True", 1)
        if found[2] is None:
            return option.name
        value = found[2] if _NUMBER.fullmatch(found[2]) else f'"{found[2]}"'
        return f"{option.name}={value}"

    return _TYPED.sub(reworded, message)


@contextmanager
def in_python() -> Iterator[None]:
    """Have the errors of what is called here advise keywords."""
    try:
        yield
    except NeardupError as error:
        if error.args:
            error.args = (keywords(str(error.args[0])), *error.args[1:])
        if isinstance(error, DataError):
            error.message = keywords(error.message)
        raise
