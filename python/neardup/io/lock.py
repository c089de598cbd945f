"""One run at a time into one folder: a lock beside it, which the system lets go when a run dies."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from neardup.errors import UsageError
from neardup.io.places import is_url


@contextlib.contextmanager
def locked(folder: str | None) -> Iterator[None]:
    """Hold the lock of a folder, which need not exist yet.

    Nothing is locked at a URL, in a place where no file can be made, or on a system without
    `flock`; what two runs do there is up to the user.

    Raises
    ------
    UsageError
        Another run writes into the folder at this moment.
    """
    handle = None if folder is None or is_url(folder) else _acquire(folder)
    try:
        yield
    finally:
        if handle is not None and folder is not None:
            with contextlib.suppress(OSError):
                os.unlink(_path(folder))
            os.close(handle)


def _acquire(folder: str) -> int | None:
    try:
        import fcntl
    except ImportError:
        return None
    path = _path(folder)
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_ino == os.stat(path).st_ino:
                return handle
        except FileNotFoundError:
            pass  # the run that held it has just ended and taken the file along
        except BlockingIOError:
            os.close(handle)
            raise UsageError(
                f"{folder}: another run writes there; wait until it has ended, or name another OUT"
            ) from None
        except OSError:
            os.close(handle)
            return None
        os.close(handle)


def _path(folder: str) -> str:
    real = os.path.realpath(folder)
    return os.path.join(os.path.dirname(real), f".{os.path.basename(real)}.neardup-lock")
