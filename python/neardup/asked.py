"""What an index of signatures is asked, checked; and its answers as lists or flat arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup.errors import DataError, NeardupTypeError, NeardupValueError
from neardup.sealed import Path
from neardup.signatures import Signatures
from neardup.sketching import Matrix, signature_array
from neardup.values import Real

__all__ = ["answers", "inconsistent", "is_single", "share", "slots_of"]

_SHARE = Real(0.0, 1.0, "a number above 0, up to 1")


def slots_of(value: Any, ndim: int) -> tuple[Matrix, str | None]:
    """Signatures as a native matrix, and what made them if that is known.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not an array of uint32, or of other dimensions.
    """
    if isinstance(value, Signatures):
        return value.matrix, value.identity
    return np.atleast_2d(signature_array(value, ndim, "signatures")), None


def is_single(value: Any) -> bool:
    """Whether a query is one bare signature."""
    return not isinstance(value, Signatures) and np.ndim(value) == 1


def answers(found: tuple[npt.NDArray[Any], ...], single: bool, format: str) -> Any:
    """Ids, offsets and maybe scores in the form asked for.

    Parameters
    ----------
    found : tuple of numpy.ndarray
        Ids, offsets, and a score for each id if there are scores.
    single : bool
        One query was asked: its answers alone, not a list of one list.
    format : "lists" or "csr"
        Lists of ids or of (id, score), or the arrays as they are.

    Raises
    ------
    NeardupValueError
        Another format, or flat arrays for one query.
    """
    if format not in ("lists", "csr"):
        raise NeardupValueError(f'format must be "lists" or "csr", got {format!r}')
    if format == "csr":
        if single:
            raise NeardupValueError(
                'format="csr" is for many queries, got one; pass a matrix or a list of one'
            )
        return found
    ids, offsets, *scores = (each.tolist() for each in found)
    every = list(zip(ids, *scores, strict=True)) if scores else ids
    if single:
        return every
    return [every[a:b] for a, b in pairwise(offsets)]


def share(value: Any, name: str = "threshold") -> float:
    """A number above 0, up to 1, or an error that names it."""
    try:
        return _SHARE.read(value)
    except (TypeError, ValueError) as error:
        kind = NeardupTypeError if isinstance(error, TypeError) else NeardupValueError
        raise kind(f"{name}: {value!r} is not allowed; use {_SHARE.allowed}") from None


def inconsistent(path: Path, what: str) -> DataError:
    """The error for a file whose parts do not go together."""
    return DataError(
        f"{what} whose parts do not add up; write it again with save()", source=str(path)
    )
