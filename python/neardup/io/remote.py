"""Files at URLs (s3://, memory://, ...) through fsspec, imported when the first one is seen."""

from __future__ import annotations

import contextlib
import posixpath
import re
import secrets
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, BinaryIO, cast

from neardup.errors import DataError, NeardupError, UsageError
from neardup.io.atomic import PART, AtomicFile
from neardup.io.base import reason

__all__ = ["RemoteFile", "expand", "files_below", "is_url", "kind", "open_read", "remove", "stamp"]

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_MAGIC = re.compile(r"[*?\[]")
# What tells two states of a file apart, as the file systems name it.
_STATE = {"etag", "mtime", "created", "lastmodified", "last_modified", "updated", "md5hash"}


def is_url(path: str) -> bool:
    """Whether a path is a URL.

    Examples
    --------
    >>> is_url("s3://bucket/a.jsonl"), is_url("C:/a.jsonl"), is_url("a.jsonl")
    (True, False, False)
    """
    return _URL.match(path) is not None


@contextlib.contextmanager
def _reading(url: str) -> Iterator[None]:
    """Turn whatever a driver raises into one line that names the URL."""
    try:
        yield
    except (NeardupError, GeneratorExit):
        raise
    except FileNotFoundError as error:
        raise DataError("no such file", source=url) from error
    except Exception as error:
        raise DataError(f"cannot be read: {reason(error)}", source=url) from error


@contextlib.contextmanager
def _writing(url: str) -> Iterator[None]:
    try:
        yield
    except NeardupError:
        raise
    except Exception as error:
        message = f"{url}: cannot be written: {reason(error)}. Look at the folder and run again."
        raise NeardupError(message) from error


def _at(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path on it."""
    try:
        from fsspec.core import url_to_fs

        return cast("tuple[Any, str]", url_to_fs(url))
    except ImportError as error:
        raise UsageError(f"{url}: needs more packages: pip install 'neardup[remote]'") from error
    except ValueError as error:
        raise UsageError(f"{url}: {reason(error)}; name a file or another kind of URL") from error


def open_read(url: str) -> BinaryIO:
    """Open a file for reading."""
    fs, path = _at(url)
    with _reading(url):
        return cast(BinaryIO, fs.open(path, "rb"))


def stamp(url: str) -> tuple[int, int, int]:
    """Size of a file, and a number that changes when it does."""
    fs, path = _at(url)
    with _reading(url):
        fs.invalidate_cache()
        info = fs.info(path)
    state = sorted(f"{name}={value}" for name, value in info.items() if name.lower() in _STATE)
    digest = blake2b("\n".join(state).encode(), digest_size=7).digest()
    return int(info.get("size") or 0), int.from_bytes(digest, "little"), 0


def kind(url: str) -> str:
    """``file``, ``directory``, or nothing where there is neither."""
    fs, path = _at(url)
    with _reading(url):
        fs.invalidate_cache()
        return "file" if fs.isfile(path) else "directory" if fs.isdir(path) else ""


def expand(url: str) -> tuple[list[str], bool]:
    """The files that a URL means, each as a URL, and whether it names no file of its own."""
    what = kind(url)
    if what == "file":
        return [url], False
    if what == "directory":
        return files_below(url), True
    magic = _MAGIC.search(url)
    if not magic:
        raise DataError("no such file", source=url)
    root = url[: url.rindex("/", 0, magic.start())]
    fs, pattern = _at(url)
    with _reading(url):
        found = fs.glob(pattern, detail=True)
    files = [path for path, info in found.items() if info["type"] == "file"]
    if not found:
        raise DataError("no file matches this pattern", source=url)
    return _named(root, files), True


def files_below(url: str) -> list[str]:
    """Every file in a folder and the folders in it."""
    fs, path = _at(url)
    with _reading(url):
        return _named(url, fs.find(path)) if fs.isdir(path) else []


def _named(folder: str, paths: list[str]) -> list[str]:
    """Paths below a folder as URLs that begin as the folder's does."""
    _, root = _at(folder)
    root = root.rstrip("/")
    return [f"{folder.rstrip('/')}/{posixpath.relpath(path, root or '/')}" for path in paths]


def remove(url: str) -> None:
    """Remove a file, if it is there."""
    fs, path = _at(url)
    with _writing(url), contextlib.suppress(FileNotFoundError):
        fs.rm_file(path)


class RemoteFile(AtomicFile):
    """A file under construction at a URL: it is written under another name, and then moved.

    Parameters
    ----------
    url : str
        The name it will have; missing folders are made.
    """

    def __init__(self, url: str) -> None:
        self.path = url
        self._fs, self._final = _at(url)
        self.folder = posixpath.dirname(self._final)
        part = PART.replace("*", secrets.token_hex(8))
        self._temporary = posixpath.join(self.folder, part)
        with _writing(url):
            self._fs.makedirs(self.folder, exist_ok=True)
            self.file = cast(BinaryIO, self._fs.open(self._temporary, "wb"))
        self._done = False

    def commit(self) -> None:
        """Send what is left, and give the file its name."""
        if self._done:
            return
        try:
            with _writing(self.path):
                self.file.close()
                self._fs.mv(self._temporary, self._final)
                self._done = True
        finally:
            self.abort()

    def abort(self) -> None:
        """Remove what was written; nothing happens after a commit or a second time."""
        if self._done:
            return
        self._done = True
        for step in (self.file.close, lambda: self._fs.rm_file(self._temporary)):
            with contextlib.suppress(Exception):
                step()
