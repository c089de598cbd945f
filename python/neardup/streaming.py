"""Duplicates in a stream of texts: each is looked up and verified against those that are there."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from neardup import _native
from neardup.banding import banding
from neardup.config import Config, refuse
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.keys import Key, hashable, key_list, of_sections, to_sections
from neardup.sealed import Kind, Path
from neardup.sketching import whole
from neardup.spec import text_spec
from neardup.texts import columns, one_text

__all__ = ["Match", "StreamingDeduplicator"]

_FILE = Kind(b"ndstream", "a stream file")
_NAMES = (
    *("preset", "normalize", "shingle", "hash", "stopwords", "stem", "fraction", "threshold"),
    *("recall", "size", "bands", "rows", "seed", "sketch", "verify", "bucket_cap", "threads"),
)
_SECTIONS = {
    "numbers": np.uint64,
    "times": np.float64,
    "group": np.uint32,
    "length": np.uint32,
    "keys": np.uint32,
    "values": np.uint64,
}
_EVERY = 2**63 - 1


class Match(NamedTuple):
    """A document that a text is similar to.

    Attributes
    ----------
    id : object
        The document, as it was added.
    similarity : float
        Exact Jaccard similarity, or with ``verify="sketch"`` the estimate.
    """

    id: Any
    similarity: float


class StreamingDeduplicator:
    """Documents of a stream, each to be checked against those that are there.

    A text matches a document if their similarity reaches the threshold and their signatures share a
    band; of several documents it is the most similar one, of these the earliest. A text without a
    token matches only the very same text. Any number of threads may use one at once.

    Parameters
    ----------
    max_documents : int, optional
        Keep so many documents; the oldest leave first.
    max_age : float, optional
        Keep documents for so long, in seconds.
    **options
        Those of `dedup` that speak of texts and similarity, same values and defaults: `preset`,
        `normalize`, `shingle`, `hash` (all but siphash), `stopwords`, `stem`, `fraction`,
        `threshold`, `recall`, `size`, `bands`, `rows`, `seed`, `sketch`, `verify` ("exact" or
        "sketch"), `bucket_cap`, `threads` (of `add_many`). Of a bucket of more than `bucket_cap`
        documents the newest so many are compared.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        An unknown option, or a value that is not allowed.

    Notes
    -----
    Memory of a document, at the default 13 bands: 250 to 450 bytes for bands and bookkeeping, about
    250 for finding its id, and 8 bytes for each distinct shingle, or with ``verify="sketch"`` 4 for
    each slot. Documents of equal shingle sets share all but bookkeeping and id.

    Examples
    --------
    >>> from neardup import StreamingDeduplicator
    >>> stream = StreamingDeduplicator(threshold=0.7)
    >>> stream.add("a", "The quick brown fox jumps over the lazy dog.")
    >>> stream.check("b", "the quick brown fox jumps over the lazy dog")
    Match(id='a', similarity=1.0)
    >>> stream.check_and_add("c", "A dog that is lazy sleeps all day.") is None
    True
    >>> len(stream)
    2
    """

    def __init__(
        self, *, max_documents: int | None = None, max_age: float | None = None, **options: Any
    ) -> None:
        self._config = stream_config("StreamingDeduplicator", options)
        self._native = native_stream(self._config)
        self._most = _EVERY
        if max_documents is not None:
            self._most = whole(max_documents, "max_documents", 1, _EVERY)
        self._age = math.inf if max_age is None else _seconds(max_age, "max_age")
        if self._age <= 0:
            raise NeardupValueError(f"max_age must be above 0 seconds, got {max_age!r}")
        self._lock, self._next = Lock(), 0
        # Ids go by a number of ours, given before a document is there and forgotten after it left.
        self._ids: dict[int, Any] = {}
        self._numbers: dict[Key, int] = {}

    @property
    def nbytes(self) -> int:
        """Bytes held, about, but for ids."""
        return self._native.nbytes

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, id: object) -> bool:
        try:
            return id in self._numbers
        except TypeError:
            return False

    def __repr__(self) -> str:
        config = self._config
        return (
            f"<StreamingDeduplicator of {len(self)} documents: threshold {config.threshold}, "
            f"{config.shingle}>"
        )

    def check(self, id: Key, text: str, *, at: float | None = None) -> Match | None:
        """Find the document that a text is most similar to.

        Parameters
        ----------
        id : hashable
            A document of this id is passed over: none is its own duplicate.
        text : str
        at : float, optional
            The time of it, in seconds; by default that of the clock. Documents older than `max_age`
            do not match.

        Returns
        -------
        Match or None

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not a text, or an id that cannot be looked up.
        """
        own = self._numbers.get(hashable(id, "id"))
        since = _now(at) - self._age
        while True:
            try:
                found = self._native.check(text, since, own)
            except (TypeError, UnicodeError):
                one_text(text, "text")
                raise
            if found is None:
                return None
            number, similarity = found
            try:
                return Match(self._ids[number], similarity)
            except KeyError:  # it left in the meantime
                continue

    def add(self, id: Key, text: str, *, at: float | None = None) -> None:
        """Add a document, whatever it is similar to.

        Parameters
        ----------
        id : hashable
            int, str, bytes or whatever can be looked up.
        text : str
        at : float, optional
            The time of it, in seconds; by default that of the clock.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not a text, or an id that is there already or cannot be looked up.
        """
        self._add(id, text, at, new=False)

    def check_and_add(self, id: Key, text: str, *, at: float | None = None) -> Match | None:
        """Find the document that a text is most similar to, and add the text if there is none.

        In one step: of equal texts that many threads bring, one is added.

        Parameters
        ----------
        id, text, at
            As of `add`.

        Returns
        -------
        Match or None
            None if it was added.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `add`.
        """
        return self._add(id, text, at, new=True)

    def add_many(self, ids: Iterable[Key], texts: Any, *, at: float | None = None) -> None:
        """Add documents, whatever they are similar to, on all cores.

        Parameters
        ----------
        ids : iterable of hashable, length n
        texts : iterable of str, or a string column that speaks Arrow, length n
        at : float, optional
            The time of all of them.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `add`; none of the documents is added then.
        """
        parts = columns(texts)
        count = sum(map(_length, parts))
        names = key_list(ids, count)
        now = _now(at)
        numbers = self._enter_all(names)
        first = numbers[0] if numbers else 0
        try:
            for part in parts:
                n = _length(part)
                args = (now, False, self._most, now - self._age, self._config.threads)
                self._forget(self._native.add_batch(first, part, *args)[2])
                first += n
        except BaseException:
            for number in numbers:
                self._native.remove(number)
            self._forget(numbers)
            raise

    def remove(self, id: Key) -> None:
        """Remove a document.

        Raises
        ------
        NeardupValueError
            There is none of this id.
        """
        number = self._numbers.get(hashable(id, "id"))
        if number is None or not self._native.remove(number):
            raise NeardupValueError(f"there is no document {id!r} to remove")
        self._forget([number])

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: every document, its id, and the options.

        Raises
        ------
        NeardupTypeError
            An id that is no int, str or bytes.
        NeardupError
            It cannot be written.
        """
        while True:
            parts = self._native.parts()
            try:
                ids = [self._ids[number] for number in parts[0].tolist()]
                break
            except KeyError:  # one left in the meantime
                continue
        kinds = [np.dtype(kind).newbyteorder("<") for kind in _SECTIONS.values()]
        arrays = [np.asarray(part, kind) for part, kind in zip(parts, kinds, strict=True)]
        config = self._config
        made = {name: getattr(config, name) for name in _NAMES if name not in ("preset", "threads")}
        made |= {"normalize": ",".join(config.normalize) or "none", "shingle": str(config.shingle)}
        header = {
            "options": made,
            "identity": _identity(config),
            "next": self._next,
            "max_documents": None if self._most == _EVERY else self._most,
            "max_age": None if self._age == math.inf else self._age,
        }
        _FILE.write(path, header, [*arrays, *to_sections(ids, "id")])

    @classmethod
    def load(cls, path: Path, threads: int = 0) -> StreamingDeduplicator:
        """Read what `save` wrote: the same documents, options and answers.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, no stream file, or made otherwise than this
            version makes signatures.
        NeardupError
            It cannot be read.
        """
        header, sections = _FILE.read(path, len(_SECTIONS) + 3)
        try:
            match header:
                case {
                    "options": dict(options),
                    "identity": str(identity),
                    "next": int(after),
                    "max_documents": int() | None as most,
                    "max_age": int() | float() | None as age,
                } if set(options) == set(_NAMES) - {"preset", "threads"}:
                    stream = cls(max_documents=most, max_age=age, **options, threads=threads)
                case _:
                    raise ValueError("a stream file whose parts do not add up")
            if identity != _identity(stream._config):
                raise ValueError(
                    f"the stream was made by [{identity}], this program makes "
                    f"[{_identity(stream._config)}]; build it again"
                )
            kinds = [np.dtype(kind) for kind in _SECTIONS.values()]
            arrays = [
                np.frombuffer(part, kind.newbyteorder("<")).astype(kind)
                for part, kind in zip(sections, kinds, strict=False)
            ]
            ids, numbers = of_sections(*sections[len(kinds) :]), arrays[0].tolist()
            if len(ids) != len(numbers) or (numbers and numbers[-1] >= after):
                raise ValueError("a stream file whose documents do not add up")
            stream._native.restore(*arrays)
        except (ValueError, TypeError) as error:
            raise DataError(str(error), source=str(path)) from None
        stream._next = after
        stream._ids = dict(zip(numbers, ids, strict=True))
        stream._numbers = dict(zip(ids, numbers, strict=True))
        return stream

    def _add(self, id: Key, text: str, at: float | None, *, new: bool) -> Match | None:
        now = _now(at)
        number = self._enter(id)
        try:
            while True:
                args = (now, new, self._most, now - self._age)
                found, gone = self._native.add(number, text, *args)
                self._forget(gone)
                if found is None:
                    return None
                if found[0] in self._ids:
                    break
                # What it was similar to left in the meantime.
            match = Match(self._ids.get(found[0]), found[1])
        except BaseException as error:
            self._forget([number])
            if isinstance(error, TypeError | UnicodeError):
                one_text(text, "text")
            raise
        self._forget([number])
        return match

    def _enter(self, id: Key) -> int:
        """A number for an id that has none."""
        return self._enter_all([hashable(id, "id")])[0]

    def _enter_all(self, ids: list[Any]) -> list[int]:
        """Numbers for ids that have none, one after the other."""
        with self._lock:
            seen: set[Any] = set()
            for id in ids:
                if id in self._numbers or id in seen:
                    where = "comes twice" if id in seen else "is there already"
                    raise NeardupValueError(
                        f"id {id!r} {where}; give another, or remove the document first"
                    )
                seen.add(id)
            numbers = range(self._next, self._next + len(ids))
            self._next += len(ids)
            self._ids.update(zip(numbers, ids, strict=True))
            self._numbers.update(zip(ids, numbers, strict=True))
        return list(numbers)

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._numbers.pop(self._ids.pop(number, None), None)


def stream_config(caller: str, options: dict[str, Any], *more: str) -> Config:
    """The options of a stream, checked."""
    for name in options:
        if name not in _NAMES and name not in more:
            refuse(name, options[name], caller)
            raise NeardupTypeError(
                f"{name}: is an option of dedup; {caller} takes {', '.join((*_NAMES, *more))}"
            )
    config = Config.from_options(options)
    if config.hash == "siphash":
        raise NeardupValueError(
            f"hash: siphash is keyed, and {caller} keeps no key; take another hash"
        )
    if config.guard is not None:
        raise NeardupValueError(
            f"preset: {config.preset} guards numbers, which a stream does not; "
            "give its shingle and threshold instead"
        )
    if config.verify not in ("exact", "sketch"):
        raise NeardupValueError(
            f"verify: a stream verifies exactly or by the sketch, got {config.verify}; "
            'give "exact" or "sketch"'
        )
    return config


def native_stream(config: Config) -> _native.Stream:
    """An empty stream of these options."""
    spec = text_spec(config)
    sketch = _native.Sketch(config.sketch, config.size, config.seed)
    plan = banding(config.threshold, config.recall, config.size, config.bands, config.rows)
    exact = config.verify == "exact"
    return _native.Stream(
        spec, sketch, plan.bands, plan.rows, config.threshold, config.bucket_cap, exact
    )


def _identity(config: Config) -> str:
    """What made the keys and contents of a stream, in one line."""
    made = _native.Sketch(config.sketch, config.size, config.seed).identity
    return f"{made}; {text_spec(config).identity}"


def _length(part: Any) -> int:
    """Rows of a native column."""
    if isinstance(part, list):
        return len(part)
    data, rest = part
    return len(data) // 16 if isinstance(rest, list) else len(rest) - 1


def _now(at: float | None) -> float:
    return time.time() if at is None else _seconds(at, "at")


def _seconds(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise NeardupTypeError(f"{name} must be a number of seconds, got {value!r}")
    if not math.isfinite(value):
        raise NeardupValueError(f"{name} must be a finite number of seconds, got {value!r}")
    return float(value)
