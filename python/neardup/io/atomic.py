"""Files that are finished or absent: a temporary name in the same folder, fsync, rename."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import weakref
from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO, Protocol, Self

from neardup.errors import NeardupError
from neardup.io.base import reason

__all__ = ["AtomicFile", "StreamTarget", "Target", "scratch", "write_bytes", "writing"]

_PREFIX, _SUFFIX = ".neardup-", ".part"
PART = f"{_PREFIX}*{_SUFFIX}"
"""Pattern of temporary names: what a killed run leaves behind."""

_ADVICE = {
    errno.ENOSPC: "Free some space or choose another output folder",
    errno.EDQUOT: "Your quota is used up: free some space or choose another output folder",
    errno.EACCES: "Choose a folder you may write to",
    errno.EPERM: "Choose a folder you may write to",
    errno.EROFS: "Choose a folder you may write to",
    errno.EFBIG: "The file system allows no file this large: choose another output folder",
    errno.ENOTDIR: "A part of the path is a file: choose another output folder",
    errno.ENAMETOOLONG: "Choose a shorter output name",
    errno.EISDIR: "A folder has that name: choose another output name",
}


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn a failure of the system into one line that names the file and says what to do."""
    try:
        yield
    except BrokenPipeError:
        # The reader of standard output has gone, which is its right.
        raise
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "Look at the output folder and run again")
        message = f"{os.fspath(path)}: cannot be written: {reason(error)}. {advice}."
        raise NeardupError(message) from error


@contextlib.contextmanager
def scratch() -> Iterator[None]:
    """Turn a failure to write temporary files into one line that says where they are."""
    try:
        yield
    except OSError as error:
        message = (
            f"{tempfile.gettempdir()}: temporary files cannot be written: {reason(error)}. "
            "Name a folder with more room in the environment variable TMPDIR."
        )
        raise NeardupError(message) from error


class Target(Protocol):
    """Where a writer writes: a file under construction, or a stream."""

    path: str
    file: BinaryIO

    def commit(self) -> None:
        """Everything has been written."""

    def abort(self) -> None:
        """It will not be finished."""


class StreamTarget:
    """Standard output, or any open stream, which cannot be taken back."""

    def __init__(self, file: BinaryIO, path: str = "standard output") -> None:
        self.path, self.file = path, file

    def commit(self) -> None:
        """Flush."""
        with writing(self.path):
            self.file.flush()

    def abort(self) -> None:
        """What is out is out."""


class AtomicFile:
    """A binary file under construction.

    Parameters
    ----------
    path : path-like
        The name it will have; missing folders are made.
    durable : bool
        Wait until it is on disk before it gets its name, so that a loss of power spares it.

    Notes
    -----
    As a context manager it commits on success and aborts on any error. `file` is the open file;
    whoever wraps it must finish the wrapper before `commit`.
    """

    def __init__(self, path: str | os.PathLike[str], *, durable: bool = True) -> None:
        # A link stays a link: what it leads to is replaced.
        self.path, self._durable = os.fspath(path), durable
        self._target = os.path.realpath(self.path)
        self.folder = os.path.dirname(self._target)
        with writing(self.path):
            if os.path.isdir(self.path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if os.path.exists(self._target) and not os.path.isfile(self._target):
                raise NeardupError(
                    f"{self.path}: not a regular file, so not replaced; name another"
                )
            os.makedirs(self.folder, exist_ok=True)
            name = f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}"
            self._temporary = os.path.join(self.folder, name)
            # An interrupt may come before anyone holds this object: it goes with its file.
            weakref.finalize(self, _discard, self._temporary, os.getpid())
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            handle = os.open(self._temporary, flags, 0o600)
        # Buffered: a plain file may take less than it was given, and say so to nobody.
        self.file: BinaryIO = os.fdopen(handle, "wb", buffering=1 << 16)
        self._done = False

    def commit(self) -> None:
        """Make the file durable under its final name."""
        if self._done:
            return
        try:
            with writing(self.path):
                self.file.flush()
                os.fchmod(self.file.fileno(), 0o666 & ~_umask())
                if self._durable:
                    os.fsync(self.file.fileno())
                self.file.close()
                os.replace(self._temporary, self._target)
                self._done = True
                if self._durable:
                    _sync_folder(self.folder)
        finally:
            self.abort()

    def abort(self) -> None:
        """Remove what was written; nothing happens after a commit or a second time."""
        if self._done:
            return
        self._done = True
        with contextlib.suppress(OSError):
            self.file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._temporary)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.commit()
            return
        self.abort()
        if isinstance(error, OSError):
            with writing(self.path):
                raise error


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a whole small file, finished or absent."""
    with AtomicFile(path) as out:
        out.file.write(data)


def _discard(path: str, process: int) -> None:
    """Remove a temporary file that was not finished, unless it is a parent process's."""
    if os.getpid() == process:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _sync_folder(folder: str) -> None:
    """Make the rename durable; some file systems cannot, and then there is nothing to do."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    """The permissions a plain `open` would leave out (there is no way to ask without setting)."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
