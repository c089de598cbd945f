"""The index of signatures by bands (Indyk, Motwani 1998; Broder 1997): who shares one with whom."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from threading import RLock
from typing import Any, Literal, cast, overload

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.banding import explain
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.keys import (
    GONE,
    Key,
    Keys,
    OnConflict,
    conflict_rule,
    hashable,
    key_list,
    of_sections,
    to_sections,
)
from neardup.sealed import Kind, Path
from neardup.signatures import Signatures
from neardup.sketching import Matrix, signature_array, thread_count, whole
from neardup.values import Real

__all__ = ["LSH", "duplicate_flags"]

_FILE = Kind(b"ndlshidx", "an LSH file")
_LEFT_OUT = 2**32 - 1
_THRESHOLD = Real(0.0, 1.0, "a number from 0 to 1", open_low=False)


class LSH:
    """An index of signatures: rows that agree on a whole band are candidates.

    Rows are numbered from 0 in order of insertion; a number is never given twice. An index whose
    first rows are inserted with keys of one's own speaks of these instead. The signature of an
    empty set gets a number and counts, but is never returned nor flagged. Any number of threads
    may use one index at once: queries run side by side, a change is seen whole or not at all.

    Parameters
    ----------
    num_perm : int, default 128
        Slots of a signature.
    num_bands : int, default 16
        Bands. More bands = looser, more rows = stricter; `neardup.explain` chooses both.
    rows : int, optional
        Slots a band, by default ``num_perm // num_bands``. Spare slots are not used.
    num_threads : int, default 0
        Threads for matrices; 0 is one for every core. No answer depends on it.
    keep_signatures : bool, default False
        Also keep the signatures, so that queries give similarities.
    threshold, recall : float, optional
        Instead of `num_bands` and `rows`: the bands that find this share of the pairs of this
        Jaccard similarity (`neardup.explain`). One alone: the other is .8 or .95.

    Raises
    ------
    NeardupValueError
        A value out of range, or bands and rows that need more slots than there are.

    Notes
    -----
    Memory: 12.2 bytes a row and band, and 4 * `num_perm` a row if signatures are kept (their room
    is given back by `clear`, not by `remove`). Keys: 8 bytes a row ever inserted, about 100 a key
    for finding its row, and the keys themselves; `nbytes` does not count them.

    Examples
    --------
    >>> from neardup import LSH, sketch
    >>> texts = ["the cat sat on the mat", "a dog lay on a rug", "the cat sat on the mat!"]
    >>> index = LSH(num_bands=32, keep_signatures=True)
    >>> index.insert(sketch(texts))
    range(0, 3)
    >>> index.query(sketch(["The cat sat on the mat"]), threshold=0.8)
    [[(0, 1.0), (2, 1.0)]]

    >>> index = LSH(threshold=0.8, recall=0.95)
    >>> index.insert(sketch(texts), keys=["a", b"b", 7])
    ['a', b'b', 7]
    >>> index.query(sketch(texts[:1]))
    [['a', 7]]
    """

    __slots__ = ("_lock", "_state", "keep_signatures", "num_threads")

    def __init__(
        self,
        num_perm: int = 128,
        num_bands: int = 16,
        rows: int | None = None,
        num_threads: int = 0,
        *,
        keep_signatures: bool = False,
        threshold: float | None = None,
        recall: float | None = None,
    ) -> None:
        size = whole(num_perm, "num_perm", 1, 65536)
        if threshold is not None or recall is not None:
            if num_bands != 16 or rows is not None:
                raise NeardupValueError(
                    "threshold and recall choose the bands; give them, or num_bands and rows"
                )
            chosen = explain(
                0.8 if threshold is None else threshold, 0.95 if recall is None else recall, size
            )
            num_bands, rows = chosen.bands, chosen.rows
        bands = whole(num_bands, "num_bands", 1, 65536)
        if rows is None:
            rows = max(size // bands, 1)
        self.num_threads = thread_count(num_threads)
        self.keep_signatures = bool(keep_signatures)
        rows = whole(rows, "rows", 1, 65536)
        self._lock = RLock()
        self._state = (_native.Lsh(size, bands, rows, self.keep_signatures), Keys())

    @property
    def num_perm(self) -> int:
        """Slots of a signature."""
        return self._state[0].size

    @property
    def num_bands(self) -> int:
        """Bands."""
        return self._state[0].bands

    @property
    def rows(self) -> int:
        """Slots a band."""
        return self._state[0].rows

    @property
    def identity(self) -> str | None:
        """What made the signatures, if `Signatures` were inserted; bare arrays do not say."""
        return self._state[0].identity

    @property
    def nbytes(self) -> int:
        """Bytes held, but for keys."""
        return self._state[0].nbytes

    def __len__(self) -> int:
        return len(self._state[0])

    def __contains__(self, id: object) -> bool:
        native, keys = self._state
        if keys.names:
            try:
                return id in keys.rows
            except TypeError:
                return False
        return _is_id(id) and native.contains(int(id))  # type: ignore[call-overload]

    def __repr__(self) -> str:
        return (
            f"<LSH of {len(self)} signatures: {self.num_bands} bands of {self.rows} rows, "
            f"{self.num_perm} slots>"
        )

    def _shape(self) -> str:
        kept = "with" if self.keep_signatures else "without"
        bands = f"{self.num_bands} bands of {self.rows} rows"
        return f"{bands}, {self.num_perm} slots, {kept} signatures"

    @overload
    def insert(self, matrix: Matrix | Signatures) -> range: ...
    @overload
    def insert(
        self,
        matrix: Matrix | Signatures,
        keys: Iterable[Key] | None,
        *,
        on_conflict: OnConflict = ...,
    ) -> range | list[Any]: ...
    def insert(
        self,
        matrix: Matrix | Signatures,
        keys: Iterable[Key] | None = None,
        *,
        on_conflict: OnConflict = "refuse",
    ) -> range | list[Any]:
        """Insert signatures.

        Parameters
        ----------
        matrix : array of uint32, shape (n, num_perm), or Signatures
            Once `Signatures` were inserted, others of another identity are refused.
        keys : iterable of hashable, length n, optional
            int, str, bytes or whatever can be looked up; they come back as they went in. All rows
            of an index have a key, or none has.
        on_conflict : "refuse" or "replace"
            A key that is there, or comes twice: refuse all rows, or let the last row of it stay,
            at the end of the order of insertion.

        Returns
        -------
        range or list
            The ids the rows were given, or their keys.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not an array of uint32, of other dimensions or size, or of another identity; a key that
            is there, or cannot be looked up; keys for some rows of an index and none for others.
        """
        inserted, _ = self._insert(matrix, keys, conflict_rule(on_conflict), None)
        return inserted

    def insert_and_query_duplicates(
        self,
        matrix: Matrix | Signatures,
        keep: Literal["first", False] = "first",
        *,
        keys: Iterable[Key] | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Insert signatures and flag those that are duplicates, in linear time.

        Parameters
        ----------
        matrix : array of uint32, shape (n, num_perm), or Signatures
        keep : "first" or False
            "first": a row is flagged if it shares a band with an earlier row, of this matrix or
            inserted before. False: with any other row, so that every member of a group is flagged.
        keys : iterable of hashable, length n, optional
            As of `insert`; a key that is there is refused.

        Returns
        -------
        numpy.ndarray of bool, shape (n,)

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `insert`, or another `keep`.

        Examples
        --------
        >>> from neardup import LSH, sketch
        >>> rows = sketch(["to be or not to be", "what a piece of work", "To be or not to be"])
        >>> LSH().insert_and_query_duplicates(rows).tolist()
        [False, False, True]
        >>> LSH().insert_and_query_duplicates(rows, keep=False).tolist()
        [True, False, True]
        """
        _, flags = self._insert(matrix, keys, "refuse", _first(keep))
        return cast("npt.NDArray[np.bool_]", flags)

    def _insert(
        self,
        matrix: Matrix | Signatures,
        keys: Iterable[Key] | None,
        on_conflict: OnConflict,
        flagged: bool | None,
    ) -> tuple[range | list[Any], Any]:
        """Ids or keys, and flags if they are wanted (`flagged`: only of later rows)."""
        slots, identity = self._kept(matrix)
        names = [] if keys is None else key_list(keys, len(slots))
        with self._lock:
            native, own = self._state
            first, gone = native.given(), list[int]()
            if first and len(slots) and bool(own.names) != (keys is not None):
                raise NeardupValueError(
                    "the rows of this index have keys; give these rows keys too"
                    if own.names
                    else "the rows of this index have no keys; leave them out, or begin a new index"
                )
            if keys is not None:
                gone = own.displaced(names, on_conflict)
            # Before the rows are there, so that no query finds a row without its key.
            own.names.extend(names)
            flags = None
            try:
                if flagged is None:
                    native.insert(slots, identity, self.num_threads, gone)
                else:
                    flags = native.insert_and_flag(slots, identity, flagged, self.num_threads)
            except BaseException:
                del own.names[len(own.names) - len(names) :]
                raise
            own.settle(names, gone)
        return range(first, first + len(slots)) if keys is None else names, flags

    def query(
        self,
        signatures: Matrix | Signatures,
        format: Literal["lists", "csr"] = "lists",
        *,
        threshold: float | None = None,
        limit: int | None = None,
    ) -> Any:
        """Find the rows that share a band with a signature, or with each of many.

        Parameters
        ----------
        signatures : array of uint32, shape (num_perm,) or (n, num_perm), or Signatures
        format : "lists" or "csr"
            For many: a list a signature, or flat arrays ``ids`` and ``offsets``: the answers to
            row i are ``ids[offsets[i]:offsets[i + 1]]``.
        threshold : float, optional
            With `keep_signatures`: leave out estimates below this.
        limit : int, optional
            With `keep_signatures`: at most so many answers a signature, the best.

        Returns
        -------
        list of int
            For one signature: ids in order of insertion, or keys if rows have them. With
            `keep_signatures`: (id, estimate) pairs, best first, ties in order of insertion.
        list of list
            For many, with ``format="lists"``.
        (ids, offsets) or (ids, offsets, estimates)
            For many, with ``format="csr"``: numpy arrays of int64 (keys: of objects), int64,
            float64; estimates with `keep_signatures`.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `insert`; `threshold` or `limit` out of range, or without `keep_signatures`.
        """
        if format not in ("lists", "csr"):
            raise NeardupValueError(f'format must be "lists" or "csr", got {format!r}')
        single = not isinstance(signatures, Signatures) and np.ndim(signatures) == 1
        if single and format == "csr":
            raise NeardupValueError(
                'format="csr" is for a matrix of signatures, got one; pass signature[None, :]'
            )
        slots, identity = _signatures(signatures, 1 if single else 2)
        found = self._named(np.atleast_2d(slots), identity, threshold, limit)
        if format == "csr":
            return found
        ids, offsets, *estimates = (each.tolist() for each in found)
        answers = list(zip(ids, *estimates, strict=True)) if estimates else ids
        if single:
            return answers
        return [answers[a:b] for a, b in pairwise(offsets)]

    def _named(
        self, slots: Matrix, identity: str | None, threshold: float | None, limit: int | None
    ) -> tuple[npt.NDArray[Any], ...]:
        """Answers, with keys for ids if rows have them."""
        native, keys = self._state
        ids, *rest = self._answers(native, slots, identity, threshold, limit)
        if not keys.names:
            return ids, *rest
        named = np.empty(len(ids), object)
        for at, row in enumerate(ids.tolist()):
            named[at] = keys.names[row]
            if named[at] is GONE:  # since the rows were found
                with self._lock:
                    return self._named(slots, identity, threshold, limit)
        return named, *rest

    def _answers(
        self,
        native: _native.Lsh,
        slots: Matrix,
        identity: str | None,
        threshold: float | None,
        limit: int | None,
    ) -> tuple[npt.NDArray[Any], ...]:
        if not self.keep_signatures:
            if threshold is not None or limit is not None:
                raise NeardupValueError(
                    "threshold and limit need estimates; make the index with keep_signatures=True"
                )
            return native.query(slots, identity, self.num_threads)
        if limit is not None:
            limit = whole(limit, "limit", 1, 2**63 - 1)
        least = 0.0 if threshold is None else _threshold(threshold)
        return native.ranked(slots, identity, least, limit, self.num_threads)

    def _kept(self, matrix: Matrix | Signatures) -> tuple[Matrix, str | None]:
        slots, identity = _signatures(matrix, 2)
        if self.keep_signatures and identity is not None and identity.startswith("simhash/"):
            raise NeardupValueError(
                "equal slots of SimHash fingerprints give no estimate; make the index with "
                "keep_signatures=False, or use HammingIndex"
            )
        return slots, identity

    def remove(self, id: Any) -> None:
        """Remove a row from every band; its id is not given again, its key may be.

        Parameters
        ----------
        id : int or key

        Raises
        ------
        NeardupValueError
            There is no such row or key, or it was removed before.
        """
        with self._lock:
            native, keys = self._state
            row: Any = keys.rows.pop(hashable(id, "key"), None) if keys.names else id
            if not (_is_id(row) and native.remove(row)):
                what = "key" if keys.names else "row"
                raise NeardupValueError(
                    f"there is no {what} {id!r} to remove: it was never inserted, or removed before"
                )
            if keys.names:
                keys.names[row] = GONE

    def update(self, key: Key, signature: Matrix | Signatures) -> None:
        """Give a key another signature; it moves to the end of the order of insertion.

        Parameters
        ----------
        key : hashable
        signature : array of uint32, shape (num_perm,), or Signatures of one text

        Raises
        ------
        NeardupValueError
            The key is not there, or the rows of this index have no keys; else as `insert`.
        """
        rows = signature if isinstance(signature, Signatures) else np.asarray(signature)[None]
        if len(rows) != 1:
            raise NeardupValueError(f"a key has one signature, got {len(rows)}")
        with self._lock:
            if not self._state[1].names or hashable(key, "key") not in self._state[1].rows:
                raise NeardupValueError(f"there is no key {key!r} to update; insert it")
            self.insert(rows, [key], on_conflict="replace")

    def merge(self, other: LSH, *, on_conflict: OnConflict = "refuse") -> range | list[Any]:
        """Insert the rows of another index after those of this one.

        Parameters
        ----------
        other : LSH
            Of the same size, bands and identity; with keys, and with signatures, if this one has
            them. It stays as it is.
        on_conflict : "refuse" or "replace"
            A key that both have: refuse to merge, or take the other's row.

        Returns
        -------
        range or list
            The ids that the rows of the other index have now (row i is the i-th), or its keys.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            No LSH, or one that does not match; a key that both have.

        Examples
        --------
        >>> from neardup import LSH, sketch
        >>> one, other = LSH(), LSH()
        >>> one.insert(sketch(["to be or not to be"]), keys=["hamlet"])
        ['hamlet']
        >>> other.insert(sketch(["To be, or not to be?"]), keys=[2])
        [2]
        >>> one.merge(other), one.query(sketch(["to be or not to be"]))
        ([2], [['hamlet', 2]])
        """
        if not isinstance(other, LSH):
            raise NeardupTypeError(f"other must be an LSH, got {type(other).__name__}")
        rule = conflict_rule(on_conflict)
        one, two = sorted((self, other), key=id)
        with one._lock, two._lock:
            (native, keys), (their, more) = self._state, other._state
            _meet(self, other)
            first, count = native.given(), their.given()
            if first and count and bool(keys.names) != bool(more.names):
                raise NeardupValueError(
                    "the rows of one index have keys, those of the other have none; "
                    "insert them all with keys, or all without"
                )
            if first + count >= _LEFT_OUT:
                raise NeardupValueError(f"{first + count} rows exceed the ids of an index")
            here, names = np.arange(first, dtype=np.uint32), list(keys.names)
            shared = [key for key in more.rows if key in keys.rows]
            if shared and rule == "refuse":
                raise NeardupValueError(
                    f"key {shared[0]!r} is in both indexes ({len(shared)} are); remove it from "
                    'one, or give on_conflict="replace"'
                )
            for key in shared:
                here[keys.rows[key]], names[keys.rows[key]] = _LEFT_OUT, GONE
            there = np.arange(first, first + count, dtype=np.uint32)
            parts = [(native, here), (their, there)]
            whole_index = _native.Lsh.gather(parts, first + count, self.num_threads)
            self._state = (whole_index, Keys(names + more.names))
            return list(more.rows) if more.names else range(first, first + count)

    def clear(self) -> None:
        """Remove everything and begin again with id 0, or with keys."""
        with self._lock:
            new = _native.Lsh(self.num_perm, self.num_bands, self.rows, self.keep_signatures)
            self._state = (new, Keys())

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: 12 bytes a row and band, signatures and keys if any.

        Raises
        ------
        NeardupTypeError
            A key that is no int, str or bytes.
        NeardupError
            It cannot be written.
        """
        with self._lock:
            native, keys = self._state
            table, kept, identity = native.parts()
            slots = b"" if kept is None else kept.astype("<u4", copy=False)
            header, sections = {"identity": identity, "kept": kept is not None}, [table, slots]
            if keys.names:
                rows = [row for row, name in enumerate(keys.names) if name is not GONE]
                sections += [np.array(rows, "<u4"), *to_sections(keys.names[row] for row in rows)]
        _FILE.write(path, header, sections)

    @classmethod
    def load(cls, path: Path, num_threads: int = 0) -> LSH:
        """Read what `save` wrote: the same rows, ids or keys, and answers.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, or no LSH file.
        NeardupError
            It cannot be read.
        """
        header, (table, slots, *named) = _FILE.read(path, 2, 6)
        identity, keeps = header.get("identity"), header.get("kept") is True
        if not isinstance(identity, str | None) or len(slots) % 4 or (len(slots) and not keeps):
            raise DataError("an LSH file whose parts do not add up", source=str(path))
        kept = np.frombuffer(slots, "<u4").astype(np.uint32) if keeps else None
        index = cls.__new__(cls)
        index.num_threads, index.keep_signatures = thread_count(num_threads), keeps
        index._lock = RLock()
        try:
            native = _native.Lsh.of_parts(bytes(table), kept, identity)
            index._state = (native, _keys_of(native, named))
        except ValueError as error:
            raise DataError(str(error), source=str(path)) from None
        return index


def _keys_of(native: _native.Lsh, sections: list[memoryview]) -> Keys:
    """The keys of an index in a file, each of a row that is there."""
    if not sections:
        return Keys()
    numbers, *rest = sections
    names = of_sections(*rest)
    if len(numbers) != 4 * len(names) or len(names) != len(native):
        raise ValueError("an LSH file whose keys do not add up")
    every: list[Any] = [GONE] * native.given()
    for row, name in zip(np.frombuffer(numbers, "<u4").tolist(), names, strict=True):
        if not native.contains(row) or every[row] is not GONE:
            raise ValueError("an LSH file whose keys do not add up")
        every[row] = name
    return Keys(every)


def _meet(one: LSH, other: LSH) -> None:
    """Refuse to merge what does not match."""
    if one._shape() != other._shape():
        raise NeardupValueError(
            f"an index of {one._shape()} cannot be merged with one of {other._shape()}"
        )
    if None not in (one.identity, other.identity) and one.identity != other.identity:
        raise NeardupValueError(
            f"the index holds signatures of [{one.identity}], the other of [{other.identity}]; "
            "sketch both alike"
        )


def duplicate_flags(
    matrix: Matrix | Signatures,
    num_bands: int = 16,
    rows: int | None = None,
    num_threads: int = 0,
    *,
    keep: Literal["first", False] = "first",
) -> npt.NDArray[np.bool_]:
    """Flag the signatures that share a band with another, at once and without an index.

    Parameters
    ----------
    matrix : array of uint32, shape (n, slots), or Signatures
    num_bands, rows, num_threads
        As of `LSH`.
    keep : "first" or False
        "first": a row is flagged if it shares a band with an earlier row. False: with any other.

    Returns
    -------
    numpy.ndarray of bool, shape (n,)

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not a matrix of signatures, a value out of range, or bands and rows that need more slots.

    Notes
    -----
    One radix sort a band: linear time, all rows equal included, and 8 bytes a row and band.

    Examples
    --------
    >>> from neardup import duplicate_flags, sketch
    >>> rows = sketch(["to be or not to be", "what a piece of work", "To be or not to be"])
    >>> duplicate_flags(rows).tolist(), duplicate_flags(rows, keep=False).tolist()
    ([False, False, True], [True, False, True])
    """
    slots, _ = _signatures(matrix, 2)
    bands = whole(num_bands, "num_bands", 1, 65536)
    each = max(slots.shape[1] // bands, 1) if rows is None else whole(rows, "rows", 1, 65536)
    threads = thread_count(num_threads)
    return _native.duplicate_flags(slots, bands, each, _first(keep), threads)


def _first(keep: object) -> bool:
    if keep is not False and keep != "first":
        raise NeardupValueError(f'keep must be "first" or False, got {keep!r}')
    return keep == "first"


def _signatures(value: Matrix | Signatures, ndim: int) -> tuple[Matrix, str | None]:
    """Signatures as a native array, and what made them if that is known."""
    if isinstance(value, Signatures):
        return value.matrix, value.identity
    return signature_array(value, ndim, "signatures"), None


def _is_id(value: object) -> bool:
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        return False
    return 0 <= int(value) < 2**32


def _threshold(value: float) -> float:
    try:
        return _THRESHOLD.read(value)
    except (TypeError, ValueError) as error:
        kind = NeardupTypeError if isinstance(error, TypeError) else NeardupValueError
        raise kind(f"threshold: {value!r} is not allowed; use {_THRESHOLD.allowed}") from None
