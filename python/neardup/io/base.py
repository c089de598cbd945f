"""What every format gives and takes: batches of texts in, raw rows out, and a reason a bad row."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from neardup.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = ["Batch", "FieldSpec", "RawBatch", "Reject", "Source", "Unchanged", "Writer"]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """Which fields of a row are wanted.

    Parameters
    ----------
    text : sequence of str
        Dotted paths of the text; several are joined by a newline, and each must be a string.
    id, key : str, optional
        Dotted path of the user's id, and of a field to keep by.
    wanted : numpy.ndarray of bool, optional
        One entry a row of the source: rows not wanted need not be read. A source may leave whole
        batches out, and may give anything for the text of a row that is not wanted.
    """

    text: tuple[str, ...] = ("text",)
    id: str | None = None
    key: str | None = None
    wanted: np.ndarray[Any, Any] | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that cannot be read.

    Attributes
    ----------
    row : int
        Row number, from 0.
    line : int or None
        Physical line, from 1, for text formats.
    reason : str
        What is wrong with it.
    raw : bytes
        The row as it stands in the file, or as JSON where a row is no run of bytes.
    advice : str
        What to do, for a run that stops here.
    """

    row: int
    line: int | None
    reason: str
    raw: bytes
    advice: str = "Mend the row, or pass --on-error skip."

    def error(self, source: str) -> DataError:
        """The error that stops a run at this row."""
        message = f"{self.reason}. {self.advice}"
        return DataError(message, source=source, row=self.row, line=self.line)

    def record(self, source: str) -> dict[str, Any]:
        """This row's line of ``rejected.jsonl``."""
        record: dict[str, Any] = {
            "source": shown_path(source),
            "row": self.row,
            "reason": self.reason,
        }
        try:
            record["raw"] = self.raw.decode("utf-8")
        except UnicodeDecodeError:
            import base64

            record["raw_base64"] = base64.b64encode(self.raw).decode("ascii")
        return record


@dataclass(slots=True)
class RawBatch:
    """Rows as they came, for a writer; rejected rows are among them.

    ``data`` belongs to the format: a table for Parquet, a `TextRows` for the text formats.
    """

    first_row: int
    rows: int
    data: Any
    ids: pa.Array | None = None


@dataclass(slots=True)
class Batch:
    """Rows of one source, read.

    Attributes
    ----------
    source : int
        Number of the source, as its opener gave it.
    first_row : int
        Number of the first row; rows count from 0, rejected ones included.
    texts : pyarrow.LargeStringArray
        One entry a row, null for rejected rows.
    ids : pyarrow.LargeStringArray or None
        The ids as written in the source; None where no id was asked for.
    keys : pyarrow.Array or None
        Values of the field to keep by, as `neardup.io.keys` gives them: null where there is none.
    rejected : list of Reject
        In order of rows.
    nbytes : int
        Bytes of text.
    raw : RawBatch or None
        The same rows for a writer, where the format has them in hand anyway.
    """

    source: int
    first_row: int
    texts: pa.LargeStringArray
    ids: pa.Array | None = None
    keys: pa.Array | None = None
    rejected: list[Reject] = field(default_factory=list)
    nbytes: int = 0
    raw: RawBatch | None = None

    def __len__(self) -> int:
        return len(self.texts)


class Source(Protocol):
    """One file, or one collection in memory; it can be read several times.

    Attributes
    ----------
    name : str
        The path as found, ``""`` for data in memory.
    format, codec : str
        Names in the registries; codec ``""`` is none.
    """

    name: str
    format: str
    codec: str

    def batches(self, fields: FieldSpec) -> Iterator[Batch]:
        """Read the wanted fields of every row."""

    def rows(
        self, id_field: str | None = None, wanted: np.ndarray[Any, Any] | None = None
    ) -> Iterator[RawBatch]:
        """Read every row for writing, without its text; ids need be right where `wanted` only."""

    def fingerprint(self) -> tuple[int, int, int] | None:
        """Size, modification time in nanoseconds and inode; None for data in memory."""


class Writer(Protocol):
    """Takes rows of one source; its file is there after `commit` and never before."""

    def write(self, batch: RawBatch, mask: np.ndarray[Any, Any]) -> None:
        """Write the rows of ``batch`` where ``mask``, a bool a row, is true."""

    def commit(self) -> None:
        """Finish the file and give it its name."""

    def abort(self) -> None:
        """Leave nothing behind; allowed at any time, more than once."""


class Unchanged:
    """Holds that a file is the same in every pass over it."""

    def __init__(self, path: str, name: str) -> None:
        self._path, self._name = path, name
        self._seen: tuple[int, int, int] | None = None

    def fingerprint(self) -> tuple[int, int, int]:
        """Size, modification time and inode now; of a URL its size and a stamp."""
        if "://" in self._path:
            from neardup.io import remote

            if remote.is_url(self._path):
                return remote.stamp(self._path)
        try:
            found = os.stat(self._path)
        except OSError as error:
            raise DataError(f"cannot be read: {reason(error)}", source=self._name) from error
        return found.st_size, found.st_mtime_ns, found.st_ino

    def check(self) -> None:
        """Raise `DataError` if the file is not the one the first call saw."""
        now = self.fingerprint()
        if self._seen is None:
            self._seen = now
        elif now != self._seen:
            message = (
                "the file changed while it was being read. Run again when nothing writes to it"
            )
            raise DataError(message, source=self._name)

    def around(self, batches: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """Iterate, with a check before and after: rows read in between are rows of one file."""
        self.check()
        yield from batches()
        self.check()


def shown_path(path: str) -> str:
    r"""A path as text: bytes that are not UTF-8 become escapes.

    Examples
    --------
    >>> print(shown_path("caf\udce9.jsonl"))
    caf\xe9.jsonl
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def reason(error: BaseException) -> str:
    """What the system says, without the path and the error number."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    text = " ".join(str(error).split())
    return text or type(error).__name__


def split_path(dotted: str) -> list[str]:
    """The keys of a dotted path."""
    return dotted.split(".")


def missing_field(name: str, present: Sequence[str], wanted: Sequence[str]) -> tuple[str, str]:
    """Reason and advice for a field that is not there.

    Examples
    --------
    >>> missing_field("text", ["id", "body"], ["text"])[0]
    'no field "text" (fields: id, body)'
    """
    shown = ", ".join(present[:12]) + (", ..." if len(present) > 12 else "")
    reason = f'no field "{name}" ({f"fields: {shown}" if present else "it has no fields"})'
    others = [each for each in present if each not in wanted]
    likely = [each for each in others if each in _USUAL_NAMES] or others
    if len(wanted) == 1 and likely and (likely[0] in _USUAL_NAMES or len(likely) == 1):
        return reason, f"Name the field with --text {likely[0]}, or pass --on-error skip."
    return reason, "Name the fields with --text, or pass --on-error skip."


_USUAL_NAMES = (
    "text",
    "content",
    "body",
    "raw_content",
    "document",
    "markdown",
    "code",
    "abstract",
)


def as_json(row: dict[str, Any]) -> bytes:
    """A row that is no run of bytes, for ``rejected.jsonl``."""
    return json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
