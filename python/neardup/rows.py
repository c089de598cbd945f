"""Weighted sets of every kind (mappings, pairs, dense and sparse rows) as hashes and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError
from neardup.sketching import native_array, token_hashes

_AT_ONCE = 1 << 20
"""Entries of rows that are gathered before they are sketched."""


@dataclass(frozen=True)
class Rows:
    """Weighted sets, one after the other; weights are checked when it is made.

    Attributes
    ----------
    hashes : numpy.ndarray of uint64, shape (entries,)
        Token hashes.
    weights : numpy.ndarray of float64, shape (entries,)
        Finite, from 0.
    offsets : numpy.ndarray of int64, shape (rows + 1,)
        Where each row begins, and the end.
    token : callable
        How to show the token of an entry.
    first : int or None
        Number of the first row; None for a set by itself.
    """

    hashes: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.int64]
    token: Callable[[int], str]
    first: int | None = None

    def __post_init__(self) -> None:
        bad = np.flatnonzero(~((self.weights >= 0.0) & (self.weights < np.inf)))
        if len(bad):
            raise NeardupValueError(
                f"{self.place(int(bad[0]))} is not allowed; a weight is a number from 0, and finite"
            )

    def place(self, entry: int) -> str:
        """The row, if it is one of several, the token and the weight of an entry."""
        row = int(np.searchsorted(self.offsets, entry, side="right")) - 1
        where = "" if self.first is None else f"row {self.first + row}: "
        return f"{where}{self.token(entry)}: weight {self.weights[entry]}"


def one_row(row: Any) -> Rows:
    """One weighted set.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        It is none; the message names the token or column.
    """
    if hasattr(row, "tocsr"):
        if row.ndim == 2 and row.shape[0] != 1:
            raise NeardupValueError(
                f"one weighted set is needed, got a sparse matrix of {row.shape[0]} rows; pass one "
                "row, or the matrix to batch"
            )
        return _sparse(row, None)
    if isinstance(row, np.ndarray):
        if row.ndim != 1:
            raise NeardupValueError(
                f"one weighted set is an array of one dimension, got {row.ndim}; pass one row, or "
                "the matrix to batch"
            )
        return _dense(row[None, :], None)
    return _named(row)


def rows_of(rows: Any) -> Iterator[Rows]:
    """Many weighted sets, in parts that are not large.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        One of them is none; the message names row and token or column.
    """
    if hasattr(rows, "tocsr"):
        yield _sparse(rows, 0)
    elif isinstance(rows, np.ndarray) and rows.ndim > 1:
        if rows.ndim != 2:
            raise NeardupValueError(f"rows are an array of two dimensions, got {rows.ndim}")
        yield _dense(rows, 0)
    elif isinstance(rows, str | bytes | Mapping):
        raise NeardupTypeError(
            f"batch takes an iterable of weighted sets, got one {type(rows).__name__}; pass a list"
        )
    else:
        try:
            items = iter(rows)
        except TypeError:
            raise NeardupTypeError(
                f"batch takes an iterable of weighted sets, got {type(rows).__name__}"
            ) from None
        yield from _gathered(items)


def _gathered(items: Iterator[Any]) -> Iterator[Rows]:
    """Rows one by one, each a weighted set of any kind, put together until there are enough."""
    parts: list[Rows] = []
    first = entries = 0
    for number, row in enumerate(items):
        try:
            made = one_row(row)
        except NeardupError as error:
            raise type(error)(f"row {number}: {error}") from None
        parts.append(made)
        entries += len(made.hashes)
        if entries >= _AT_ONCE:
            yield _joined(parts, first)
            parts, first, entries = [], number + 1, 0
    if parts:
        yield _joined(parts, first)


def _joined(parts: list[Rows], first: int) -> Rows:
    offsets = np.cumsum([0, *(len(part.hashes) for part in parts)], dtype=np.int64)

    def token(entry: int) -> str:
        row = int(np.searchsorted(offsets, entry, side="right")) - 1
        return parts[row].token(entry - int(offsets[row]))

    hashes = np.concatenate([part.hashes for part in parts])
    return Rows(hashes, np.concatenate([part.weights for part in parts]), offsets, token, first)


def _named(row: Any) -> Rows:
    """A mapping of tokens to weights, or a pair of both."""
    if isinstance(row, Mapping):
        tokens, given = list(row.keys()), list(row.values())
    elif isinstance(row, tuple) and len(row) == 2 and not isinstance(row[0], str | bytes):
        tokens, given = _listed(row[0], "tokens"), _listed(row[1], "weights")
    else:
        raise NeardupTypeError(
            "a weighted set is a mapping of tokens to weights, a pair (tokens, weights), a numpy "
            f"array of one dimension or a sparse row; got {type(row).__name__}"
        )
    if len(tokens) != len(given):
        raise NeardupValueError(
            f"{len(tokens)} tokens have {len(given)} weights; each token needs one"
        )
    hashes = token_hashes(tokens, False)
    weights = np.fromiter(map(_weight, tokens, given), np.float64, len(given))
    offsets = np.array([0, len(hashes)], np.int64)
    return Rows(hashes, weights, offsets, lambda entry: f"token {tokens[entry]!r}")


def _listed(values: Any, name: str) -> list[Any]:
    try:
        return values.tolist() if isinstance(values, np.ndarray) else list(values)
    except TypeError:
        raise NeardupTypeError(
            f"{name} are a sequence in a pair (tokens, weights), got {type(values).__name__}"
        ) from None


def _weight(token: Any, weight: Any) -> float:
    if type(weight) is float or type(weight) is int:
        pass
    elif isinstance(weight, bool | np.bool_) or not isinstance(weight, Real):
        raise NeardupTypeError(
            f"token {token!r}: a weight is a number, got {type(weight).__name__} {weight!r}"
        )
    try:
        return float(weight)
    except OverflowError:
        raise NeardupValueError(
            f"token {token!r}: the weight is above what a float64 holds; divide all by one number"
        ) from None


def _dense(rows: npt.NDArray[Any], first: int | None) -> Rows:
    """Rows of a matrix: what is not 0."""
    _check_numbers(rows.dtype)
    row, columns = np.nonzero(rows)
    weights = rows[row, columns].astype(np.float64)
    offsets = np.searchsorted(row, np.arange(len(rows) + 1)).astype(np.int64)
    return _in_columns(columns, weights, offsets, first)


def _sparse(rows: Any, first: int | None) -> Rows:
    """Rows of a scipy sparse matrix or array of any layout."""
    csr = (rows.reshape(1, -1) if rows.ndim == 1 else rows).tocsr()
    _check_numbers(csr.dtype)
    weights = csr.data[: csr.indptr[-1]].astype(np.float64)
    return _in_columns(csr.indices[: len(weights)], weights, csr.indptr.astype(np.int64), first)


def _in_columns(
    columns: npt.NDArray[Any],
    weights: npt.NDArray[np.float64],
    offsets: npt.NDArray[np.int64],
    first: int | None,
) -> Rows:
    hashes = _native.hash_unsigned(native_array(columns, np.uint64))
    return Rows(hashes, weights, offsets, lambda entry: f"column {columns[entry]}", first)


def _check_numbers(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "iuf":
        raise NeardupTypeError(
            f"weights are whole or real numbers, got an array of {dtype}; convert it, for example "
            "with astype(float)"
        )
