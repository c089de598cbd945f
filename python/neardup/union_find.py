"""Clusters of pairs by union-find with path compression and union by rank (Tarjan 1975)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.sketching import native_array, thread_count, whole

__all__ = ["UnionFind", "connected_components"]

_MOST = 2**32 - 1
Labels = npt.NDArray[np.uint32]


class UnionFind:
    """A partition of the numbers 0 to n - 1 that grows coarser by pairs.

    Any number of threads may share one.

    Parameters
    ----------
    n : int
        How many elements there are, up to 2^32 - 1; 5 bytes each.

    Raises
    ------
    NeardupValueError
        `n` is out of range.

    References
    ----------
    Tarjan: Efficiency of a good but not linear set union algorithm, J. ACM 22, 1975.

    Examples
    --------
    >>> from neardup import UnionFind
    >>> sets = UnionFind(6)
    >>> sets.union([4, 1], [5, 4]), sets.union(5, 1)
    (2, 0)
    >>> sets.components().tolist(), sets.find(5), sets.connected(1, 2), len(sets)
    ([0, 1, 2, 3, 1, 1], 1, False, 6)
    """

    __slots__ = ("_native",)

    def __init__(self, n: int) -> None:
        self._native = _native.UnionFind(whole(n, "n", 0, _MOST))

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<UnionFind of {len(self)} elements>"

    def union(self, a: Any, b: Any) -> int:
        """Join the sets of a and b, or of each pair of many.

        Parameters
        ----------
        a, b : int, or array of integers, shape (m,)

        Returns
        -------
        int
            How many of the pairs were apart.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not integers, no element, or arrays of different lengths.
        """
        return self._native.union(_elements(a, "a"), _elements(b, "b"))

    def find(self, x: int) -> int:
        """The least element of the set of x. Takes time in proportion to n: for many, `components`.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not an integer, or no element.
        """
        self._native.root(element := whole(x, "x", 0, _MOST))
        return int(self.components()[element])

    def connected(self, a: int, b: int) -> bool:
        """Whether a and b are in one set.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not an integer, or no element.
        """
        root = self._native.root
        return root(whole(a, "a", 0, _MOST)) == root(whole(b, "b", 0, _MOST))

    def components(self) -> Labels:
        """The least element of the set of each.

        Returns
        -------
        numpy.ndarray of uint32, shape (n,)
        """
        return self._native.labels()

    def merge(self, other: UnionFind) -> int:
        """Join whatever is joined in another partition of as many elements, which stays as it is.

        Returns
        -------
        int
            How many joins that took.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            No `UnionFind`, or of another number of elements.
        """
        if not isinstance(other, UnionFind):
            raise NeardupTypeError(f"other must be a UnionFind, got {type(other).__name__}")
        return self._native.merge(other._native)


def connected_components(n: int, shards: Iterable[tuple[Any, Any]], *, threads: int = 0) -> Labels:
    """Cluster pairs shard by shard, and merge: the same clusters as of all pairs at once.

    Parameters
    ----------
    n : int
        How many elements there are, up to 2^32 - 1.
    shards : iterable of (a, b)
        The pairs of each shard, as two arrays of integers of one length.
    threads : int, default 0
        0 is one for every core. Shards of one thread share a partition (5 n bytes), partitions are
        merged two and two. The result does not depend on it.

    Returns
    -------
    numpy.ndarray of uint32, shape (n,)
        The least element of the component of each.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not pairs of arrays of integers, or no element.

    Examples
    --------
    >>> from neardup import connected_components
    >>> connected_components(6, [([0, 3], [1, 4]), ([1], [3])]).tolist()
    [0, 0, 2, 0, 0, 5]
    """
    parts = []
    for shard in shards:
        if not isinstance(shard, tuple | list) or len(shard) != 2:
            raise NeardupTypeError("a shard is a pair of arrays, a and b")
        parts.append((_elements(shard[0], "a"), _elements(shard[1], "b")))
    count = whole(n, "n", 0, _MOST)
    return _native.UnionFind.divided(count, parts, thread_count(threads)).labels()


def _elements(value: Any, name: str) -> Labels:
    """Elements as the native module reads them."""
    array = np.atleast_1d(np.asarray(value))
    if array.size == 0:
        return np.empty(0, np.uint32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise NeardupTypeError(
            f"{name} must be an integer or an array of integers of one dimension, got "
            f"{array.dtype} of {array.ndim}"
        )
    if int(array.min()) < 0 or int(array.max()) >= _MOST:
        raise NeardupValueError(
            f"{name} must be elements from 0, got {array.min()} to {array.max()}"
        )
    return native_array(array, np.uint32)
