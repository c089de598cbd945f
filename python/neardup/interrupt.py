"""Ctrl-C at the command line, at any moment: while it loads, at work, and when all is written."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # without the enums of `signal`
import os
import sys
import time

TYPE_CHECKING = False  # nor is `typing` needed for it
if TYPE_CHECKING:
    from neardup.progress import Progress

GRACE = 1.0
"""Seconds in which a second Ctrl-C does not disturb the end that the first one has begun."""


def loading() -> None:
    """From here on Ctrl-C is one line and the end of the process: there is nothing to undo yet."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else a caller has his own
        signal.signal(signal.SIGINT, _leave)


def settled() -> None:
    """From here on Ctrl-C changes nothing: all is done, and Python is about to shut down."""
    # Python dies of an interrupt that went through `exec` (an import may use it), although it was
    # caught, unless it has run another one since.
    exec("")
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _leave(*_: object) -> None:
    os.write(2, b"neardup: interrupted\n")
    os._exit(130)


class Work:
    """A stretch of work that Ctrl-C stops by `KeyboardInterrupt`, so that it can clean up.

    Whatever code the exception happens to hit may swallow it (a destructor, a callback); so it is
    raised once more when the work reports progress, until `finish` says that it is complete.
    """

    def __init__(self) -> None:
        self._asked: float | None = None
        self._before: object = None
        self._hook = sys.unraisablehook

    def __enter__(self) -> Work:
        import threading

        self._hook, sys.unraisablehook = sys.unraisablehook, self._swallowed

        before = signal.getsignal(signal.SIGINT)
        # Another thread gets no signals; a command put into the background ignores this one.
        if threading.current_thread() is threading.main_thread() and callable(before):
            self._before = before
            signal.signal(signal.SIGINT, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._hook
        if self._before is _leave:  # the process ends with its command: only words are left
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        elif callable(self._before):
            signal.signal(signal.SIGINT, self._before)

    def _stop(self, *_: object) -> None:
        now = time.monotonic()
        if self._asked is None or now - self._asked > GRACE:
            self._asked = now
            raise KeyboardInterrupt

    def _swallowed(self, ignored: sys.UnraisableHookArgs) -> None:
        """Python is about to print an exception that it drops; ours is not lost, see `check`."""
        if ignored.exc_type is not KeyboardInterrupt:
            self._hook(ignored)

    def check(self) -> None:
        """Raise `KeyboardInterrupt` if that was asked for and got lost."""
        if self._asked is not None:
            raise KeyboardInterrupt

    def finish(self) -> None:
        """Everything is written: too late to stop, too late to undo."""
        self.check()
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def over(self, progress: Progress) -> Progress:
        """The same watcher, with a look whether the user wants to stop."""
        return _Checked(self, progress)


class _Checked:
    """A watcher of work that may be stopped wherever it reports."""

    def __init__(self, work: Work, progress: Progress) -> None:
        self._work, self._progress = work, progress

    def stage(self, name: str, total: int | None = None) -> None:
        self._work.check()
        self._progress.stage(name, total)

    def advance(self, size: int, documents: int = 0) -> None:
        self._work.check()
        self._progress.advance(size, documents)

    def warn(self, message: str) -> None:
        self._work.check()
        self._progress.warn(message)
