"""The index of signatures by bands (Indyk, Motwani 1998; Broder 1997): who shares one with whom."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.sealed import Kind, Path
from neardup.signatures import Signatures
from neardup.sketching import Matrix, signature_array, thread_count, whole
from neardup.values import Real

__all__ = ["LSH", "duplicate_flags"]

_FILE = Kind(b"ndlshidx", "an LSH file")
_THRESHOLD = Real(0.0, 1.0, "a number from 0 to 1", open_low=False)


class LSH:
    """An index of signatures: rows that agree on a whole band are candidates.

    Rows are numbered from 0 in order of insertion; a number is never given twice. The signature of
    an empty set gets a number and counts, but is never returned nor flagged. Any number of threads
    may use one index at once: queries run side by side, an insert is seen whole or not at all.

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

    Raises
    ------
    NeardupValueError
        A value out of range, or bands and rows that need more slots than there are.

    Notes
    -----
    Memory: 12.2 bytes a row and band, and 4 * `num_perm` a row if signatures are kept (their room
    is given back by `clear`, not by `remove`).

    Examples
    --------
    >>> from neardup import LSH, sketch
    >>> texts = ["the cat sat on the mat", "a dog lay on a rug", "the cat sat on the mat!"]
    >>> index = LSH(num_bands=32, keep_signatures=True)
    >>> index.insert(sketch(texts))
    range(0, 3)
    >>> index.query(sketch(["The cat sat on the mat"]), threshold=0.8)
    [[(0, 1.0), (2, 1.0)]]
    """

    __slots__ = ("_native", "keep_signatures", "num_threads")

    def __init__(
        self,
        num_perm: int = 128,
        num_bands: int = 16,
        rows: int | None = None,
        num_threads: int = 0,
        *,
        keep_signatures: bool = False,
    ) -> None:
        size = whole(num_perm, "num_perm", 1, 65536)
        bands = whole(num_bands, "num_bands", 1, 65536)
        if rows is None:
            rows = max(size // bands, 1)
        self.num_threads = thread_count(num_threads)
        self.keep_signatures = bool(keep_signatures)
        rows = whole(rows, "rows", 1, 65536)
        self._native = _native.Lsh(size, bands, rows, self.keep_signatures)

    @property
    def num_perm(self) -> int:
        """Slots of a signature."""
        return self._native.size

    @property
    def num_bands(self) -> int:
        """Bands."""
        return self._native.bands

    @property
    def rows(self) -> int:
        """Slots a band."""
        return self._native.rows

    @property
    def identity(self) -> str | None:
        """What made the signatures, if `Signatures` were inserted; bare arrays do not say."""
        return self._native.identity

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._native.nbytes

    def __len__(self) -> int:
        return len(self._native)

    def __contains__(self, id: object) -> bool:
        return _is_id(id) and self._native.contains(int(id))  # type: ignore[call-overload]

    def __repr__(self) -> str:
        return (
            f"<LSH of {len(self)} signatures: {self.num_bands} bands of {self.rows} rows, "
            f"{self.num_perm} slots>"
        )

    def insert(self, matrix: Matrix | Signatures) -> range:
        """Insert signatures.

        Parameters
        ----------
        matrix : array of uint32, shape (n, num_perm), or Signatures
            Once `Signatures` were inserted, others of another identity are refused.

        Returns
        -------
        range
            The ids the rows were given.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not an array of uint32, of other dimensions or size, or of another identity.
        """
        slots, identity = self._kept(matrix)
        first = self._native.insert(slots, identity, self.num_threads)
        return range(first, first + len(slots))

    def insert_and_query_duplicates(
        self, matrix: Matrix | Signatures, keep: Literal["first", False] = "first"
    ) -> npt.NDArray[np.bool_]:
        """Insert signatures and flag those that are duplicates, in linear time.

        Parameters
        ----------
        matrix : array of uint32, shape (n, num_perm), or Signatures
        keep : "first" or False
            "first": a row is flagged if it shares a band with an earlier row, of this matrix or
            inserted before. False: with any other row, so that every member of a group is flagged.

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
        slots, identity = self._kept(matrix)
        return self._native.insert_and_flag(slots, identity, _first(keep), self.num_threads)

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
            For one signature: ids in order of insertion. With `keep_signatures`: (id, estimate)
            pairs, best first, ties by id.
        list of list
            For many, with ``format="lists"``.
        (ids, offsets) or (ids, offsets, estimates)
            For many, with ``format="csr"``: numpy arrays of int64, int64, float64; estimates with
            `keep_signatures`.

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
        found = self._answers(np.atleast_2d(slots), identity, threshold, limit)
        if format == "csr":
            return found
        ids, offsets, *estimates = (each.tolist() for each in found)
        answers = list(zip(ids, *estimates, strict=True)) if estimates else ids
        if single:
            return answers
        return [answers[a:b] for a, b in pairwise(offsets)]

    def _answers(
        self, slots: Matrix, identity: str | None, threshold: float | None, limit: int | None
    ) -> tuple[npt.NDArray[Any], ...]:
        if not self.keep_signatures:
            if threshold is not None or limit is not None:
                raise NeardupValueError(
                    "threshold and limit need estimates; make the index with keep_signatures=True"
                )
            return self._native.query(slots, identity, self.num_threads)
        if limit is not None:
            limit = whole(limit, "limit", 1, 2**63 - 1)
        least = 0.0 if threshold is None else _threshold(threshold)
        return self._native.ranked(slots, identity, least, limit, self.num_threads)

    def _kept(self, matrix: Matrix | Signatures) -> tuple[Matrix, str | None]:
        slots, identity = _signatures(matrix, 2)
        if self.keep_signatures and identity is not None and identity.startswith("simhash/"):
            raise NeardupValueError(
                "equal slots of SimHash fingerprints give no estimate; make the index with "
                "keep_signatures=False, or use HammingIndex"
            )
        return slots, identity

    def remove(self, id: int) -> None:
        """Remove a row from every band; its id is not given again.

        Raises
        ------
        NeardupValueError
            There is no such row, or it was removed before.
        """
        if not (_is_id(id) and self._native.remove(id)):
            raise NeardupValueError(
                f"there is no row {id!r} to remove: it was never inserted, or removed before"
            )

    def clear(self) -> None:
        """Remove everything and begin again with id 0."""
        self._native.clear()

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: 12 bytes a row and band, and the signatures if kept.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        table, kept, identity = self._native.parts()
        slots = b"" if kept is None else kept.astype("<u4", copy=False)
        _FILE.write(path, {"identity": identity, "kept": kept is not None}, [table, slots])

    @classmethod
    def load(cls, path: Path, num_threads: int = 0) -> LSH:
        """Read what `save` wrote: the same rows, ids and answers.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, or no LSH file.
        NeardupError
            It cannot be read.
        """
        header, (table, slots) = _FILE.read(path, 2)
        identity, keeps = header.get("identity"), header.get("kept") is True
        if not isinstance(identity, str | None) or len(slots) % 4 or (len(slots) and not keeps):
            raise DataError("an LSH file whose parts do not add up", source=str(path))
        kept = np.frombuffer(slots, "<u4").astype(np.uint32) if keeps else None
        index = cls.__new__(cls)
        index.num_threads, index.keep_signatures = thread_count(num_threads), keeps
        try:
            index._native = _native.Lsh.of_parts(bytes(table), kept, identity)
        except NeardupValueError as error:
            raise DataError(str(error), source=str(path)) from None
        return index


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
