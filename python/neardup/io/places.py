"""Places to read from and to write to, each a path or a URL: the few things a run does with one."""

from __future__ import annotations

import contextlib
import os
from typing import BinaryIO

from neardup.io import remote
from neardup.io.atomic import AtomicFile, writing
from neardup.io.remote import is_url

__all__ = [
    "absolute",
    "create",
    "exists",
    "files_below",
    "is_folder",
    "is_url",
    "local",
    "names",
    "open_read",
    "prune",
    "remove",
]


def local(path: str) -> str:
    """The plain path of a ``file://`` URL; anything else as it is.

    Examples
    --------
    >>> local("file:///a/b.jsonl"), local("b.jsonl"), local("s3://b/c")
    ('/a/b.jsonl', 'b.jsonl', 's3://b/c')
    """
    return path[len("file://") :] if path.lower().startswith("file://") else path


def absolute(path: str, *, resolved: bool = False) -> str:
    """A path from the root, by which places are compared; links followed if `resolved`.

    Examples
    --------
    >>> absolute("s3://bucket//a.jsonl")
    '/s3/bucket/a.jsonl'
    """
    path = local(path)
    if is_url(path):
        return os.path.normpath("/" + path.replace("://", "/", 1))
    return os.path.realpath(path) if resolved else os.path.abspath(path)


def open_read(path: str) -> BinaryIO:
    """Open a file for reading in large pieces."""
    if is_url(path):
        return remote.open_read(path)
    return open(path, "rb", buffering=0)


def exists(path: str) -> bool:
    """Whether anything is there."""
    return bool(remote.kind(path)) if is_url(path) else os.path.exists(path)


def is_folder(path: str) -> bool:
    """Whether a folder is there."""
    return remote.kind(path) == "directory" if is_url(path) else os.path.isdir(path)


def names(folder: str) -> list[str]:
    """What a folder holds; a folder in it ends in a slash."""
    if is_url(folder):
        start = len(folder.rstrip("/")) + 1
        below = [path[start:].partition("/") for path in remote.files_below(folder)]
        return sorted({name + slash for name, slash, _ in below})
    with writing(folder), os.scandir(folder) as held:
        return sorted(each.name + "/" * each.is_dir() for each in held)


def files_below(folder: str) -> list[str]:
    """Every file in a folder and the folders in it."""
    if is_url(folder):
        return remote.files_below(folder)
    return [os.path.join(at, name) for at, _, found in os.walk(folder) for name in found]


def remove(path: str) -> None:
    """Remove a file, if it is there."""
    if is_url(path):
        remote.remove(path)
        return
    with writing(path), contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)


def prune(folder: str) -> None:
    """Remove a folder and the folders in it as far as they are empty."""
    for path, _, _ in () if is_url(folder) else os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(path)


def create(path: str) -> AtomicFile:
    """A file under construction."""
    return remote.RemoteFile(path) if is_url(path) else AtomicFile(path)
