"""Signatures of token sets: every sketch behind one plain class, and what two signatures say."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import NeardupTypeError, NeardupValueError

Hashes = npt.NDArray[np.uint64]
Matrix = npt.NDArray[np.uint32]
Number = TypeVar("Number", bound=np.number[Any])


class Sketcher:
    """A sketch of sets of tokens, by name.

    A token is `str`, `bytes` or an integer from -2^63 to 2^64-1; equal `str` and UTF-8 `bytes` are
    the same token, an integer never is one of them. Order and repeats of tokens do not matter.

    Parameters
    ----------
    name : str
        One of fast, minhash, minhash61, superminhash, oph, cminhash: see docs/sketches.md.
    size : int, default 128
        Slots of a signature, 1 to 65536.
    seed : int, default 42
        Any integer from 0 to 2^64-1; signatures of different seeds cannot be compared.
    rounds : int, optional
        Of `fast` alone: random rounds before the fill, 0 (MinHash) to 16. More rounds lower the
        variance for small sets; the default is the library's constant, see docs/design.md.

    Raises
    ------
    NeardupValueError
        No sketch of that name (the message lists them), `size`, `seed` or `rounds` out of range,
        `rounds` for a sketch that has none.

    References
    ----------
    Each sketch's paper is named in docs/sketches.md.

    Examples
    --------
    >>> from neardup import Sketcher, estimate_jaccard
    >>> sketcher = Sketcher("superminhash", size=256)
    >>> a, b = sketcher(range(0, 300)), sketcher(range(100, 400))  # Jaccard 1/2
    >>> bool(abs(estimate_jaccard(a, b) - 0.5) < 4 * sketcher.std_err(0.5, union=400))
    True
    """

    def __init__(
        self, name: str, size: int = 128, seed: int = 42, *, rounds: int | None = None
    ) -> None:
        self._native = native_sketch(name, size, seed, rounds)

    @property
    def size(self) -> int:
        """Slots of a signature."""
        return self._native.size

    @property
    def identity(self) -> str:
        """Name, version and parameters; two signatures can be compared only if they share it."""
        return self._native.identity

    @property
    def merges(self) -> bool:
        """Whether the signature of a union is the slot-wise minimum of two."""
        return self._native.merges

    def __call__(self, tokens: Iterable[Any], prehashed: bool = False) -> npt.NDArray[np.uint32]:
        """Sketch one set of tokens.

        Parameters
        ----------
        tokens : iterable of str, bytes or int
            A list, set, generator, array ... of tokens; a bare string is refused.
        prehashed : bool, default False
            Take unsigned 64-bit integers as token hashes; they still pass the seeded mix.

        Returns
        -------
        numpy.ndarray of uint32, shape (size,)
            All 0xFFFFFFFF for an empty set.

        Raises
        ------
        NeardupTypeError, NeardupValueError
            A token of another type, or an integer out of range.
        """
        return self._native.one(plain_row(tokens), prehashed)

    def batch(
        self, rows: Iterable[Iterable[Any]], prehashed: bool = False, num_threads: int = 0
    ) -> Matrix:
        """Sketch many sets of tokens.

        Parameters
        ----------
        rows : iterable of iterables of tokens
            One set a row; an empty row is allowed.
        prehashed : bool, default False
            As in a call.
        num_threads : int, default 0
            Threads; 0 is one for every core. The result does not depend on it.

        Returns
        -------
        numpy.ndarray of uint32, shape (n, size)
        """
        rows = _rows(rows)
        threads = thread_count(num_threads)
        if isinstance(rows, np.ndarray) and rows.ndim == 2:
            integers = plain_row(rows.ravel())
            offsets = np.arange(rows.shape[0] + 1, dtype=np.int64) * rows.shape[1]
            return self.batch_csr(integers, offsets, prehashed, num_threads)
        try:
            iter(rows)
        except TypeError:
            raise NeardupTypeError(
                f"batch takes an iterable of rows of tokens, got {type(rows).__name__}"
            ) from None
        return self._native.rows(rows, prehashed, threads)

    def batch_csr(
        self,
        values: Any,
        offsets: Any,
        prehashed: bool = False,
        num_threads: int = 0,
    ) -> Matrix:
        """Sketch many sets given as one flat array of tokens and the offsets of the rows in it.

        Parameters
        ----------
        values : array of integers, shape (m,), or sequence of tokens
            Row `i` is `values[offsets[i]:offsets[i + 1]]`.
        offsets : array of integers, shape (n + 1,)
            Starts with 0, never decreases, ends with `len(values)`.
        prehashed, num_threads
            As in `batch`.

        Returns
        -------
        numpy.ndarray of uint32, shape (n, size)

        Raises
        ------
        NeardupValueError
            Offsets that do not describe rows of `values`.
        """
        bounds = np.asarray(offsets)
        if bounds.ndim != 1 or not np.issubdtype(bounds.dtype, np.integer):
            raise NeardupTypeError(
                f"offsets must be a 1-D array of integers, got {bounds.ndim}-D {bounds.dtype}"
            )
        if bounds.size and int(bounds.max()) > np.iinfo(np.int64).max:
            raise NeardupValueError(f"offsets run past the end: {int(bounds.max())}")
        hashes = token_hashes(values, prehashed)
        bounds = native_array(bounds, np.int64)
        return self._native.csr(hashes, bounds, thread_count(num_threads))

    def batch_with_runners_up(
        self, rows: Iterable[Iterable[Any]], prehashed: bool = False, num_threads: int = 0
    ) -> tuple[Matrix, Matrix]:
        """Sketch many sets of tokens, and keep the runner-up of each slot.

        Parameters
        ----------
        rows, prehashed, num_threads
            As in `batch`.

        Returns
        -------
        (matrix, runners_up) : two numpy.ndarray of uint32, shape (n, size)
            The signatures; and the second smallest of the values that elements bring to each slot,
            each element its least, 0xFFFFFFFF where there is one element. `MultiProbeLSH` takes
            both.
        """
        hashes = [token_hashes(row, prehashed) for row in _rows(rows)]
        offsets = np.cumsum([0, *map(len, hashes)], dtype=np.int64)
        flat = np.concatenate([np.empty(0, np.uint64), *hashes])
        threads = thread_count(num_threads)
        matrix, second, _ = _native.sketch_sets_probed(flat, offsets, self._native, threads)
        return matrix, second

    def std_err(self, jaccard: float, union: int) -> float:
        """Standard error of `estimate_jaccard`, exactly.

        Parameters
        ----------
        jaccard : float
            True Jaccard similarity, 0 to 1.
        union : int
            Tokens in the union of the two sets.

        Returns
        -------
        float
            Square root of J(1-J)/size * rho, rho by the sketch's formula in docs/sketches.md.
        """
        return self._native.std_err(jaccard, union)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.identity})"


class FastSimilaritySketch(Sketcher):
    """Fast Similarity Sketching: `Sketcher("fast")`, with all its methods.

    Parameters
    ----------
    size, seed, rounds
        As of `Sketcher`.

    References
    ----------
    Dahlgaard, Knudsen, Thorup: Fast Similarity Sketching, FOCS 2017, arXiv 1704.04370.

    Examples
    --------
    >>> from neardup import FastSimilaritySketch, estimate_jaccard
    >>> sketch = FastSimilaritySketch(size=256)
    >>> a, b = sketch(range(0, 300)), sketch(range(100, 400))  # Jaccard 1/2
    >>> bool(abs(estimate_jaccard(a, b) - 0.5) < 0.13)
    True
    """

    def __init__(self, size: int = 128, seed: int = 42, *, rounds: int | None = None) -> None:
        super().__init__("fast", size, seed, rounds=rounds)


def _rows(rows: Iterable[Iterable[Any]]) -> Iterable[Iterable[Any]]:
    if isinstance(rows, str | bytes):
        raise NeardupTypeError(
            f"batch takes rows of tokens, got a bare {type(rows).__name__}; pass a list of "
            "token lists, or use neardup.sketch for texts"
        )
    return rows


def estimate_jaccard(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Estimate the Jaccard similarity of two sets from their signatures.

    Parameters
    ----------
    a, b : array of uint32, shape (k,)
        Signatures made by the same sketch with the same size and seed. A bare array carries no
        identity, so only type, dimensions and size can be checked here.

    Returns
    -------
    float
        Share of equal slots, 0 to 1; 0 where either set is empty.

    Raises
    ------
    NeardupTypeError
        Not an array of uint32.
    NeardupValueError
        Not one-dimensional, or of different sizes.

    Examples
    --------
    >>> from neardup import FastSimilaritySketch, estimate_jaccard
    >>> sketch = FastSimilaritySketch()
    >>> estimate_jaccard(sketch(["to", "be"]), sketch(["be", "to", "to"]))
    1.0
    """
    left, right = _two_signatures(a, b)
    return float(_native.estimate_rows(left[None, :], right[None, :])[0])


def estimate_oph(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Estimate the Jaccard similarity of two sets from the bins that they occupy, by `oph` alone.

    One-permutation hashing leaves bins empty and lets their slots borrow. `estimate_jaccard` counts
    all slots; this counts equal bins among those that either set occupies, and is better where sets
    have fewer elements than slots: half the variance of MinHash instead of one and a half.

    Parameters
    ----------
    a, b : array of uint32, shape (k,)
        Signatures made by `Sketcher("oph")` with the same size and seed; of others the result means
        nothing, and a bare array cannot show it.

    Returns
    -------
    float
        0 to 1, without bias; 0 where either set is empty. Its standard error is the root of
        J(1-J) (m E[1/N] - 1) / (m-1), N the bins that the m elements of the union occupy.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        As of `estimate_jaccard`.

    References
    ----------
    Li, Owen, Zhang: One Permutation Hashing, NIPS 2012, arXiv 1208.1259.

    Examples
    --------
    >>> from neardup import Sketcher, estimate_oph
    >>> sketcher = Sketcher("oph")
    >>> estimate_oph(sketcher(["to", "be"]), sketcher(["be", "or", "to", "be"])) in (0.5, 2 / 3, 1)
    True
    """
    left, right = _two_signatures(a, b)
    return _native.estimate_oph(left, right)


def _two_signatures(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Matrix, Matrix]:
    """Check that two signatures may be compared."""
    left, right = signature_array(a, 1, "a"), signature_array(b, 1, "b")
    if left.shape != right.shape:
        raise NeardupValueError(
            f"signatures of {left.size} and {right.size} slots cannot be compared; "
            "sketch both with one size"
        )
    if not left.size:
        raise NeardupValueError("signatures of no slots cannot be compared")
    return left, right


def signature_array(value: npt.ArrayLike, ndim: int, name: str) -> Matrix:
    """Return `value` as a native-endian C-contiguous uint32 array of `ndim` dimensions."""
    array = np.asarray(value)
    if array.dtype.newbyteorder("=") != np.dtype(np.uint32):
        raise NeardupTypeError(
            f"{name} must be an array of uint32 as a sketch returns it, got {array.dtype}"
        )
    if array.ndim != ndim:
        raise NeardupValueError(f"{name} must have {ndim} dimension(s), got {array.ndim}")
    return native_array(array, np.uint32)


def native_array(array: npt.NDArray[Any], dtype: type[Number]) -> npt.NDArray[Number]:
    """The values as the native module reads them: own byte order, aligned, one after the other."""
    return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def native_sketch(name: str, size: int, seed: int, rounds: int | None = None) -> _native.Sketch:
    """Build a native sketch from arguments of any integer type, each checked."""
    if not isinstance(name, str):
        raise NeardupTypeError(f"the name of a sketch is a str, got {type(name).__name__} {name!r}")
    name = name.encode("utf-8", "backslashreplace").decode()  # an unknown one may be anything
    size = whole(size, "size", 1, 65536)
    seed = whole(seed, "seed", 0, 2**64 - 1)
    return _native.Sketch(
        name, size, seed, None if rounds is None else whole(rounds, "rounds", 0, 16)
    )


def thread_count(value: int) -> int:
    """Check a number of threads; 0 is one for every core."""
    return whole(value, "num_threads", 0, 4096)


def whole(value: Any, name: str, low: int, high: int) -> int:
    """Return an integer argument between two bounds, or raise an error that names it."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:  # an array has __index__ too, and refuses unless it is one integer
        raise NeardupTypeError(
            f"{name} must be an integer, got {type(value).__name__} {value!r}"
        ) from None
    if not low <= number <= high:
        raise NeardupValueError(f"{name} must be from {low} to {high}, got {number}")
    return number


def token_hashes(values: Any, prehashed: bool) -> Hashes:
    """Hash a flat collection of tokens, or take it as hashes already."""
    row = plain_row(values)
    if isinstance(row, np.ndarray) and row.dtype == np.uint64:
        return row if prehashed else _native.hash_unsigned(row)
    if isinstance(row, np.ndarray) and row.dtype == np.int64 and not prehashed:
        return _native.hash_signed(row)
    return _native.hash_tokens(row, prehashed)


def plain_row(row: Any) -> Any:
    """Turn an integer array of any width, stride or byte order into a native 64-bit one."""
    if not isinstance(row, np.ndarray):
        return row
    if row.ndim != 1:
        raise NeardupValueError(f"a row of tokens has one dimension, got an array of {row.ndim}")
    if row.dtype.kind == "u":
        return native_array(row, np.uint64)
    if row.dtype.kind == "i":
        return native_array(row, np.int64)
    if row.dtype.kind in "bfcmM":
        raise NeardupTypeError(
            f"a token is a str, bytes or an integer, got an array of {row.dtype}"
        )
    return row.tolist()
