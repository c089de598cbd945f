"""Sizes of unions, intersections and differences from two signatures and two counts, with errors.

With S = |A| + |B| known and J estimated: |A n B| = S J / (1 + J) and |A u B| = S / (1 + J). Both
change by S / (1 + J)^2 with J, which times the standard error of J is theirs (the delta method).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import NeardupValueError

__all__ = ["Estimate", "Overlap", "maker"]


class Estimate(NamedTuple):
    """An estimate and its standard error.

    Examples
    --------
    >>> from neardup import sketch
    >>> signatures = sketch(["a b c d e f", "a b c d x y"])
    >>> value, std_err = signatures.union(0, 1)
    >>> 4 <= value <= 8, std_err < 1.0
    (True, True)
    """

    value: float
    std_err: float


def maker(identity: str) -> _native.Sketch:
    """The sketch that made signatures of that identity.

    Raises
    ------
    NeardupValueError
        No sketch of this version made them.
    """
    name, _, rest = identity.partition("/")
    try:
        _, *pairs = rest.split(" ")
        numbers = {key: int(value) for key, _, value in (pair.partition("=") for pair in pairs)}
        for rounds in (None, numbers["rounds"]):
            made = _native.Sketch(name, numbers["size"], numbers["seed"], rounds)
            if made.identity == identity:
                return made
    except (KeyError, ValueError, OverflowError):
        pass
    raise NeardupValueError(
        f"signatures of [{identity}] are of no sketch of this version, so that only their slots "
        "can be compared; sketch the texts again"
    )


class Overlap:
    """What two sets share, from an estimate of their Jaccard similarity and their exact sizes."""

    def __init__(self, sketch: _native.Sketch, jaccard: float, a: int, b: int) -> None:
        self.sketch, self.jaccard, self.a, self.b = sketch, jaccard, a, b

    def intersection(self) -> Estimate:
        """|A n B|, between 0 and the smaller set."""
        shared = (self.a + self.b) * self.jaccard / (1.0 + self.jaccard)
        return Estimate(min(shared, float(min(self.a, self.b))), self._std_err())

    def union(self) -> Estimate:
        """|A u B|, between the larger set and the sum of both."""
        return Estimate(self.a + self.b - self.intersection().value, self._std_err())

    def difference(self) -> Estimate:
        """|A without B|."""
        return Estimate(self.a - self.intersection().value, self._std_err())

    def containment(self) -> Estimate:
        """|A n B| / |A|; 0 for an empty A."""
        if not self.a:
            return Estimate(0.0, 0.0)
        shared, std_err = self.intersection()
        return Estimate(shared / self.a, std_err / self.a)

    def _std_err(self) -> float:
        """S / (1 + J)^2 times the error of J, J taken half a slot away from 0 and 1."""
        if not self.a or not self.b:
            return 0.0
        half = 0.5 / self.sketch.size
        jaccard = min(max(self.jaccard, half), 1.0 - half)
        total = self.a + self.b
        union = max(round(total / (1.0 + jaccard)), 2)
        return total / (1.0 + jaccard) ** 2 * self.sketch.std_err(jaccard, union)


def size_of(sketch: _native.Sketch, slots: npt.NDArray[np.uint32]) -> Estimate:
    """How many elements a signature is of.

    Raises
    ------
    NeardupValueError
        The slots of this sketch do not tell.
    """
    found = sketch.cardinality(slots)
    if found is None:
        raise NeardupValueError(
            f"slots of [{sketch.identity}] do not tell how many elements they are of; use the "
            "sketch fast, or neardup.cardinality"
        )
    return Estimate(*found)
