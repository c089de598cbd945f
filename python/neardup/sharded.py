"""One index in several: rows go to a shard by their key, queries to all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path as Folder
from threading import RLock
from typing import Any

import numpy as np

from neardup import _native
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.keys import GONE, Key, Keys, OnConflict, conflict_rule, key_list
from neardup.lsh import LSH
from neardup.sealed import Kind, Path, named
from neardup.signatures import Signatures
from neardup.sketching import Matrix, signature_array, whole

__all__ = ["ShardedLSH"]

_FILE = Kind(b"ndshards", "an order file of a sharded index")


class ShardedLSH:
    """An index in shards, whose answers are those of one `LSH` over everything.

    A row belongs to the shard that the hash of its key names, on every machine and in every
    process. A shard is an `LSH` of its own: for a file, another process, or another machine.
    Operations follow one another, each on all cores.

    Parameters
    ----------
    shards : int
        How many, from 1 to 65536.
    **options
        Those of `LSH`: `num_perm`, `num_bands`, `rows`, `threshold`, `recall`, `num_threads`,
        `keep_signatures`.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        As `LSH`, or a number of shards out of range.

    Examples
    --------
    >>> from neardup import ShardedLSH, sketch
    >>> index = ShardedLSH(3)
    >>> rows = sketch(["to be or not to be", "To be, or not to be?", "all the world's a stage"])
    >>> index.insert(rows, keys=["a", "b", "c"])
    >>> index.query(rows)
    [['a', 'b'], ['a', 'b'], ['c']]
    >>> index.merge().query(rows)
    [['a', 'b'], ['a', 'b'], ['c']]
    """

    def __init__(self, shards: int, **options: Any) -> None:
        count = whole(shards, "shards", 1, 65536)
        self._shards = [LSH(**options) for _ in range(count)]
        self._lock, self._next = RLock(), 0
        # When each key came, which no shard knows.
        self._order: dict[Key, int] = {}

    @property
    def shards(self) -> tuple[LSH, ...]:
        """The shards, to look at: what is changed there is not known here."""
        return tuple(self._shards)

    @property
    def nbytes(self) -> int:
        """Bytes held, but for keys."""
        return sum(shard.nbytes for shard in self._shards)

    def __len__(self) -> int:
        return len(self._order)

    def __contains__(self, key: object) -> bool:
        try:
            return key in self._order
        except TypeError:
            return False

    def __repr__(self) -> str:
        return f"<ShardedLSH of {len(self)} signatures in {len(self._shards)} shards>"

    def shard_of(self, key: Key) -> int:
        """The number of the shard that a key belongs to.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not an int from -2^63 to 2^64 - 1, a str or bytes.
        """
        return int(_route([key], len(self._shards))[0])

    def insert(
        self,
        matrix: Matrix | Signatures,
        keys: Iterable[Key],
        *,
        on_conflict: OnConflict = "refuse",
    ) -> None:
        """Insert signatures.

        Parameters
        ----------
        matrix : array of uint32, shape (n, num_perm), or Signatures
        keys : iterable of int, str or bytes, length n
        on_conflict : "refuse" or "replace"
            As of `LSH.insert`.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `LSH.insert`; no row is inserted then. A key of another type.
        """
        if not isinstance(matrix, Signatures):
            matrix = signature_array(matrix, 2, "signatures")
        names = key_list(keys, len(matrix))
        rule = conflict_rule(on_conflict)
        with self._lock:
            known = Keys()
            known.rows = self._order
            known.displaced(names, rule)  # refuses for all shards
            # An empty query: does what is given fit at all?
            self._shards[0].query(_rows(matrix, slice(0, 1)))
            home = _route(names, len(self._shards))
            for number in np.unique(home).tolist():
                rows = np.flatnonzero(home == number)
                own = [names[row] for row in rows.tolist()]
                self._shards[number].insert(_rows(matrix, rows), own, on_conflict=rule)
            for number, key in enumerate(names, self._next):
                self._order[key] = number
            self._next += len(names)

    def query(
        self,
        signatures: Matrix | Signatures,
        *,
        threshold: float | None = None,
        limit: int | None = None,
    ) -> Any:
        """Find the keys whose rows share a band with a signature, or with each of many.

        Parameters
        ----------
        signatures, threshold, limit
            As of `LSH.query`.

        Returns
        -------
        list
            As of `LSH.query`, over all shards.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `LSH.query`.
        """
        with self._lock:
            found = [
                shard.query(signatures, threshold=threshold, limit=limit) for shard in self._shards
            ]
            if not isinstance(signatures, Signatures) and np.ndim(signatures) == 1:
                return self._joined(found, limit)
            return [self._joined(parts, limit) for parts in zip(*found, strict=True)]

    def _joined(self, parts: Iterable[list[Any]], limit: int | None) -> list[Any]:
        """Answers of all shards to one signature, in the order of one index."""
        every = [answer for part in parts for answer in part]
        if self._shards[0].keep_signatures:
            every.sort(key=lambda answer: (-answer[1], self._order[answer[0]]))
            return every[:limit]
        return sorted(every, key=self._order.__getitem__)

    def remove(self, key: Key) -> None:
        """Remove a key.

        Raises
        ------
        NeardupValueError
            It is not there.
        """
        with self._lock:
            if key not in self:
                raise NeardupValueError(f"there is no key {key!r} to remove")
            self._shards[self.shard_of(key)].remove(key)
            del self._order[key]

    def update(self, key: Key, signature: Matrix | Signatures) -> None:
        """Give a key another signature; it moves to the end of the order of insertion.

        Raises
        ------
        NeardupValueError
            The key is not there; else as `insert`.
        """
        with self._lock:
            if key not in self:
                raise NeardupValueError(f"there is no key {key!r} to update; insert it")
            self._shards[self.shard_of(key)].update(key, signature)
            self._order[key] = self._next
            self._next += 1

    def merge(self, shards: Sequence[int] | None = None) -> LSH:
        """One index of the rows of some shards, in order of insertion.

        Parameters
        ----------
        shards : sequence of int, optional
            Numbers of shards; all by default.

        Returns
        -------
        LSH
            An index of its own; with every shard, the one that everything would have been
            inserted into.

        Raises
        ------
        NeardupValueError
            No shard, one that is not there, or one named twice.
        """
        wanted = range(len(self._shards)) if shards is None else shards
        if not isinstance(wanted, Iterable):
            raise NeardupTypeError(f"shards: give a list of numbers, got {wanted!r}")
        numbers = [whole(number, "shards", 0, len(self._shards) - 1) for number in wanted]
        if not numbers or len(set(numbers)) < len(numbers):
            raise NeardupValueError(f"shards: name each shard once, got {list(wanted)}")
        with self._lock:
            chosen = [self._shards[number]._state for number in numbers]
            names = sorted(
                (key for _, keys in chosen for key in keys.rows), key=self._order.__getitem__
            )
            place = {key: row for row, key in enumerate(names)}
            parts = []
            for native, keys in chosen:
                rows = np.full(native.given(), 2**32 - 1, np.uint32)
                for key, row in keys.rows.items():
                    rows[row] = place[key]
                parts.append((native, rows))
            first = self._shards[numbers[0]]
            index = LSH.__new__(LSH)
            index.num_threads, index.keep_signatures = first.num_threads, first.keep_signatures
            index._lock = RLock()
            native = _native.Lsh.gather(parts, len(names), first.num_threads)
            index._state = (native, Keys(names))
            return index

    def save(self, folder: Path) -> None:
        """Write ``order`` and a file a shard, ``0.lsh`` and so on, each finished or absent.

        Raises
        ------
        NeardupError
            They cannot be written.
        """
        place = Folder(named(folder))
        with self._lock:
            orders = []
            for number, shard in enumerate(self._shards):
                shard.save(place / f"{number}.lsh")
                live = [key for key in shard._state[1].names if key is not GONE]
                orders.append(np.array([self._order[key] for key in live], "<u8"))
            header = {"shards": len(self._shards), "next": self._next}
            _FILE.write(place / "order", header, [np.concatenate(orders)])

    @classmethod
    def load(cls, folder: Path, num_threads: int = 0) -> ShardedLSH:
        """Read what `save` wrote.

        Raises
        ------
        DataError
            A file is damaged, or the files do not belong together.
        NeardupError
            One cannot be read.
        """
        place = Folder(named(folder))
        header, (numbers,) = _FILE.read(place / "order", 1)
        source = os.fspath(place / "order")
        match header:
            case {"shards": int(count), "next": int(after)} if 1 <= count <= 65536:
                pass
            case _:
                raise DataError("an order file whose parts do not add up", source=source)
        index = cls.__new__(cls)
        index._lock, index._next = RLock(), after
        index._shards = [LSH.load(place / f"{n}.lsh", num_threads) for n in range(count)]
        keys = [key for shard in index._shards for key in shard._state[1].names if key is not GONE]
        rows = sum(len(shard) for shard in index._shards)
        if len(numbers) != 8 * len(keys) or rows != len(keys) or len(set(keys)) != len(keys):
            raise DataError("the shards beside it are not those it was saved with", source=source)
        came = np.frombuffer(numbers, "<u8").tolist()
        if len(set(came)) != len(came) or max(came, default=-1) >= after:
            raise DataError("an order file whose parts do not add up", source=source)
        index._order = dict(zip(keys, came, strict=True))
        for one, other in pairwise(index._shards):
            if one._shape() != other._shape():
                raise DataError("the shards beside it differ in their bands", source=source)
        if len({shard.identity for shard in index._shards} - {None}) > 1:
            raise DataError("the shards beside it hold signatures of several kinds", source=source)
        for number, shard in enumerate(index._shards):
            live = [key for key in shard._state[1].names if key is not GONE]
            if live and (_route(live, count) != number).any():
                message = f"shard {number} beside it holds keys of another; two may be exchanged"
                raise DataError(message, source=source)
        return index


def _route(keys: list[Any], shards: int) -> Any:
    """The shard of each key, by a hash that is the same everywhere."""
    for key in keys:
        if isinstance(key, bool | float) or not isinstance(key, int | str | bytes):
            raise NeardupTypeError(
                f"key {key!r} is a {type(key).__name__}, which has no shard; use an int, str or "
                "bytes"
            )
    return _native.hash_tokens(keys, False) % np.uint64(shards)


def _rows(matrix: Matrix | Signatures, rows: Any) -> Matrix | Signatures:
    """Some rows of signatures, with their identity."""
    if isinstance(matrix, Signatures):
        counts = matrix.counts[rows]
        return Signatures(matrix.matrix[rows], counts, sketch=matrix.sketch, text=matrix.text)
    some: Matrix = np.asarray(matrix)[rows]
    return some
