"""What a run tells whoever watches it; the command line draws it, the Python API stays silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from neardup.errors import NeardupTypeError


class Progress(Protocol):
    """A watcher of one run. Calls come from one thread, in the order the work is done."""

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins; `total` is the bytes of text it will go through, where that is known."""

    def advance(self, size: int, documents: int = 0) -> None:
        """`size` more bytes of text and `documents` more documents of this stage are done."""

    def warn(self, message: str) -> None:
        """Something a person should know although the run goes on."""


class Silent:
    """A watcher that shows nothing."""

    def stage(self, name: str, total: int | None = None) -> None:
        """Show nothing."""

    def advance(self, size: int, documents: int = 0) -> None:
        """Show nothing."""

    def warn(self, message: str) -> None:
        """Hand the message to Python's warnings."""
        import warnings

        from neardup.wording import keywords

        warnings.warn(keywords(message), stacklevel=3)


class Bars:
    """A watcher that shows each stage as a bar of a class such as `tqdm.tqdm`.

    Parameters
    ----------
    make : callable
        ``make(total=, desc=, unit=, unit_scale=)`` gives a bar with `update` and `close`.
    """

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._bar: Any = None

    def stage(self, name: str, total: int | None = None) -> None:
        """Finish the bar of the stage before, and begin one."""
        self.close()
        try:
            bar = self._make(total=total, desc=name, unit="B", unit_scale=True)
        except TypeError as error:
            raise NeardupTypeError(f"progress: makes no bars such as tqdm.tqdm: {error}") from error
        if not callable(getattr(bar, "update", None)) or not callable(getattr(bar, "close", None)):
            raise NeardupTypeError(
                f"progress: makes a {type(bar).__name__}, which has no update and close as the "
                "bars of tqdm.tqdm have"
            )
        self._bar = bar

    def advance(self, size: int, documents: int = 0) -> None:
        """Move the bar by the bytes done."""
        self._bar.update(size)

    def warn(self, message: str) -> None:
        """Hand the message to Python's warnings."""
        Silent().warn(message)

    def close(self) -> None:
        """Finish the last bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextmanager
def watched(progress: Any) -> Iterator[Progress]:
    """A watcher for the length of a run.

    Parameters
    ----------
    progress : Progress, callable or None
        A watcher; a class of bars such as `tqdm.tqdm`, or a function that makes them; or nobody.

    Raises
    ------
    NeardupTypeError
        It is none of these.
    """
    if progress is None:
        yield Silent()
    elif all(callable(getattr(progress, name, None)) for name in ("stage", "advance", "warn")):
        yield progress
    elif callable(progress):
        bars = Bars(progress)
        try:
            yield bars
        finally:
            bars.close()
    else:
        raise NeardupTypeError(
            f"progress: {type(progress).__name__} is neither a class of bars such as tqdm.tqdm nor "
            "an object with stage, advance and warn"
        )
