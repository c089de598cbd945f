"""Inputs to files: paths, globs, folders and standard input, each file once, in a fixed order."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
import sys
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

from neardup.errors import DataError, UsageError
from neardup.io import remote
from neardup.io.atomic import scratch
from neardup.io.base import Source, reason
from neardup.io.places import absolute, is_url, local
from neardup.io.registry import FORMATS, known_suffix, open_source

__all__ = ["find_files", "kept_names", "open_inputs"]


def open_inputs(
    inputs: Sequence[str | os.PathLike[str]],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    whole_file: bool = False,
    stdin: BinaryIO | None = None,
    first: int = 0,
) -> list[Source]:
    """Open everything that was named, in order.

    Parameters
    ----------
    inputs : sequence of path-like
        Files, folders, globs; ``-`` is standard input.
    format : str, optional
        Format of standard input and of files whose suffix says nothing; default jsonl.
    encoding : str
        Encoding of text formats.
    whole_file : bool
        Each plain text file is one document.
    stdin : binary file, optional
        Read for ``-``.
    first : int
        Number of the first source.

    Raises
    ------
    UsageError
        A file named twice, an unknown format, no input.
    DataError
        A file missing or unreadable, a folder or a glob without files.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f'unknown format "{format}": choose from {", ".join(FORMATS)}')
    sources: list[Source] = []
    options: dict[str, Any] = {"format": format, "encoding": encoding, "whole_file": whole_file}
    for index, name in enumerate(find_files(inputs), first):
        if name == "-" or _is_stream(name):
            # It gives its bytes once, and every pass needs them.
            with contextlib.ExitStack() as opened:
                stream = (stdin or sys.stdin.buffer) if name == "-" else _opened(name, opened)
                spool = _spool(stream)
            source = open_source(spool, name=name, index=index, **options)
            # The spooled file goes with the source that reads it.
            weakref.finalize(source, _unlink, spool)
        else:
            source = open_source(local(name), name=name, index=index, **options)
        sources.append(source)
    return sources


def find_files(inputs: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The files that were named: folders and globs opened, sorted by the bytes of their paths."""
    if not inputs:
        raise UsageError("no input: name a file, a folder or a glob, or - for standard input")
    found: list[str] = []
    for each in inputs:
        found.extend(_expand(os.fspath(each)))
    seen: dict[str, str] = {}
    for path in found:
        real = path if path == "-" else absolute(path, resolved=True)
        if real in seen:
            other = "" if seen[real] == path else f" (also as {seen[real]})"
            raise UsageError(f"{path} is named twice{other}: name each file once")
        seen[real] = path
    return found


def kept_names(sources: Sequence[Source]) -> list[str]:
    """For each source its name in the output: the path below the inputs' deepest common folder."""
    paths = [absolute(s.name) for s in sources if s.name not in ("", "-")]
    common = os.path.commonpath([os.path.dirname(path) for path in paths]) if paths else ""
    names = []
    for source in sources:
        if source.name == "":
            names.append("data.parquet")
        elif source.name == "-":
            names.append("stdin" + FORMATS[source.format].suffixes[0])
        else:
            names.append(os.path.relpath(absolute(source.name), common))
    if len(set(names)) < len(names):
        raise UsageError("a file named like the output of standard input: name it otherwise")
    return names


def _expand(path: str) -> list[str]:
    if path == "-":
        return [path]
    if not path:
        raise UsageError("an input is named '', which no file is; name a file, a folder or a glob")
    if local(path) != path:
        return [path[: len("file://")] + found for found in _expand(local(path))]
    if is_url(path):
        found, chosen = remote.expand(path)
        return _known(found, path) if chosen else found
    if os.path.isdir(path):
        return _folder(path)
    if os.path.lexists(path):
        return [_readable(path)]
    if not glob.has_magic(path):
        raise DataError("no such file", source=path)
    matches = sorted(glob.glob(path, recursive=True), key=os.fsencode)
    files = [match for match in matches if not os.path.isdir(match)]
    if not files and not matches:
        raise DataError("no file matches this pattern", source=path)
    # A pattern that matches folders only means what is in them.
    return [_readable(file) for file in files] or [f for m in matches for f in _folder(m)]


def _folder(path: str) -> list[str]:
    def refuse(error: OSError) -> None:
        raise DataError(f"cannot be read: {reason(error)}", source=error.filename) from error

    walked = (
        os.path.join(folder, name)
        for folder, _, names in os.walk(path, onerror=refuse)
        for name in names
    )
    # A pipe or a device in a folder is nobody's corpus; a dangling link is named when opened.
    found = (file for file in walked if os.path.isfile(file) or os.path.islink(file))
    return [_readable(file) for file in _known(found, path)]


def _known(paths: Iterable[str], folder: str) -> list[str]:
    """The files of a folder whose suffix says what they are, in order."""
    files = [path for path in paths if known_suffix(path)]
    if not files:
        known = " ".join(suffix for each in FORMATS.values() for suffix in each.suffixes)
        raise DataError(f"no file here has a known suffix ({known})", source=folder)
    return sorted(files, key=os.fsencode)


def _readable(path: str) -> str:
    if not _is_stream(path):
        with contextlib.ExitStack() as opened:
            _opened(path, opened)
    return path


def _opened(path: str, opened: contextlib.ExitStack) -> BinaryIO:
    try:
        return opened.enter_context(open(path, "rb"))
    except OSError as error:
        raise DataError(f"cannot be read: {reason(error)}", source=path) from error


def _is_stream(path: str) -> bool:
    """Whether a path is a pipe, a device or the like, which cannot be read twice."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _spool(stdin: BinaryIO) -> str:
    """Standard input in a temporary file, since it will be read more than once."""
    handle, path = tempfile.mkstemp(prefix="neardup-stdin-")
    try:
        with scratch(), os.fdopen(handle, "wb") as out:
            while data := stdin.read(1 << 20):
                out.write(data)
    except BaseException:
        _unlink(path)
        raise
    return path


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
