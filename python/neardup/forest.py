"""The most similar signatures without a threshold: LSH Forest (Bawa, Condie, Ganesan, WWW 2005)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from neardup import _native
from neardup.asked import answers, inconsistent, is_single, slots_of
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.sealed import Kind, Path
from neardup.signatures import Signatures
from neardup.sketching import Matrix, thread_count, whole

__all__ = ["Forest"]

_FILE = Kind(b"ndforest", "a forest file")


class Forest:
    """An index of signatures that answers with the k most similar, whatever their similarity.

    Each tree sorts the rows by their slots from another slot on. A query looks at the rows that
    share the longest prefixes with it, in all trees, until there are enough candidates, and orders
    them by the estimate from the whole signature. Answers do not depend on how rows were inserted.
    Any number of threads may use one forest at once.

    Parameters
    ----------
    trees : int, default 32
        Sorted orders of the rows, at most `num_perm`: more find more, for 12 bytes a row and tree.
    depth : int, default 8
        Longest prefix that is looked at.
    num_perm : int, default 128
        Slots of a signature.
    num_threads : int, default 0
        Threads; 0 is one for every core. No answer depends on it.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        A value out of range.

    Notes
    -----
    Memory: 12 bytes a row and tree and 4 * `num_perm` a row, 896 bytes by default. Recall measured
    on real texts: docs/guide/probing.md.

    References
    ----------
    Bawa, Condie, Ganesan: LSH Forest: Self-Tuning Indexes for Similarity Search, WWW 2005.

    Examples
    --------
    >>> from neardup import Forest, sketch
    >>> forest = Forest()
    >>> forest.insert(sketch(["the cat sat on the mat", "a dog lay on a rug", "the cat sat"]))
    range(0, 3)
    >>> forest.query(sketch(["The cat sat on the mat!"]), k=2)
    [[(0, 1.0), (2, 0.265625)]]
    """

    __slots__ = ("_native", "num_threads")

    def __init__(
        self, trees: int = 32, depth: int = 8, *, num_perm: int = 128, num_threads: int = 0
    ) -> None:
        size = whole(num_perm, "num_perm", 1, 65536)
        self.num_threads = thread_count(num_threads)
        self._native = _native.Forest(
            size, whole(trees, "trees", 1, size), whole(depth, "depth", 1, size)
        )

    @property
    def trees(self) -> int:
        """Sorted orders of the rows."""
        return self._native.trees

    @property
    def depth(self) -> int:
        """Longest prefix that is looked at."""
        return self._native.depth

    @property
    def num_perm(self) -> int:
        """Slots of a signature."""
        return self._native.size

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

    def __repr__(self) -> str:
        return f"<Forest of {len(self)} signatures: {self.trees} trees, depth {self.depth}>"

    def insert(self, matrix: Matrix | Signatures) -> range:
        """Insert signatures; those of empty sets get an id and are never returned.

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
        slots, identity = slots_of(matrix, 2)
        first = self._native.insert(slots, identity, self.num_threads)
        return range(first, first + len(slots))

    def query(
        self,
        signatures: Matrix | Signatures,
        k: int = 10,
        *,
        candidates: int | None = None,
        format: Literal["lists", "csr"] = "lists",
    ) -> Any:
        """Find the most similar rows.

        Parameters
        ----------
        signatures : array of uint32, shape (num_perm,) or (n, num_perm), or Signatures
        k : int, default 10
            Answers wanted. There are fewer if fewer share a prefix with the query in any tree.
        candidates : int, optional
            Rows to compare at least, by default ``10 * k``, 100 at least: more find more.
        format : "lists" or "csr"
            For many: a list a signature, or flat arrays ``ids, offsets, estimates``.

        Returns
        -------
        list of (int, float)
            For one signature: (id, estimated Jaccard similarity), best first, ties by id.
        list of list, or tuple of numpy.ndarray
            For many.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            As `insert`, or a value out of range.
        """
        best = whole(k, "k", 1, 2**63 - 1)
        if candidates is None:
            enough = max(10 * best, 100)
        else:
            enough = whole(candidates, "candidates", 1, 2**63 - 1)
        single = is_single(signatures)
        slots, identity = slots_of(signatures, 1 if single else 2)
        found = self._native.query(slots, identity, best, max(enough, best), self.num_threads)
        return answers(found, single, format)

    def merge(self, other: Forest) -> None:
        """Take over the rows of another forest; their ids follow the own ones.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            Not a forest, or of another size or identity.
        """
        if not isinstance(other, Forest):
            raise NeardupTypeError(f"other must be a Forest, got {type(other).__name__}")
        if self.num_perm != other.num_perm:
            raise NeardupValueError(
                f"forests over signatures of {self.num_perm} and {other.num_perm} slots cannot be "
                "merged; sketch both with one size"
            )
        self._native.merge(other._native, self.num_threads)

    def save(self, path: Path) -> None:
        """Write a file, finished or absent: the signatures, 4 * num_perm bytes each.

        Raises
        ------
        NeardupError
            It cannot be written.
        """
        slots, identity = self._native.parts()
        made = {"trees": self.trees, "depth": self.depth, "num_perm": self.num_perm}
        _FILE.write(path, {**made, "identity": identity}, [slots.astype("<u4", copy=False)])

    @classmethod
    def load(cls, path: Path, num_threads: int = 0) -> Forest:
        """Read what `save` wrote; the trees are grown anew.

        Raises
        ------
        DataError
            The file is empty, truncated, altered, or no forest file.
        NeardupError
            It cannot be read.
        """
        header, (bits,) = _FILE.read(path, 1)
        match header:
            case {"trees": int(trees), "depth": int(depth), "num_perm": int(size)} if (
                isinstance(header.get("identity"), str | None)
                and 1 <= size <= 65536
                and len(bits) % (4 * size) == 0
            ):
                slots = np.frombuffer(bits, "<u4").astype(np.uint32).reshape(-1, size)
            case _:
                raise inconsistent(path, _FILE.name)
        try:
            forest = cls(trees, depth, num_perm=size, num_threads=num_threads)
        except (NeardupTypeError, NeardupValueError):
            raise inconsistent(path, _FILE.name) from None
        forest._native.insert(slots, header["identity"], forest.num_threads)
        return forest
