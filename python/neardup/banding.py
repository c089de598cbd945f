"""How likely a pair becomes a candidate: the S-curve 1 - (1 - J^r)^b, and the choice of b and r.

The rule: the largest r whose recall at the threshold reaches what was asked for, then the smallest
b that still does. It keeps false candidates rarest at a stated recall. The arithmetic is the core's
(crates/core/src/lsh/curve.rs).
"""

from __future__ import annotations

from dataclasses import dataclass

from neardup import _native

__all__ = ["Banding", "banding", "common_rule", "explain"]


@dataclass(frozen=True, slots=True)
class Banding:
    """Bands and rows, and what follows from them.

    Attributes
    ----------
    bands, rows : int
        A pair is a candidate if all `rows` slots of at least one of the `bands` are equal.
        More bands = looser, more rows = stricter.
    size : int
        Slots of a signature, at least ``bands * rows``.
    threshold : float
        The Jaccard similarity that `recall` speaks of.
    """

    bands: int
    rows: int
    size: int
    threshold: float

    def curve(self, similarity: float) -> float:
        """Probability that a pair of this Jaccard similarity becomes a candidate."""
        return _native.candidate_probability(similarity, self.bands, self.rows)

    @property
    def recall(self) -> float:
        """Probability that a pair exactly at the threshold becomes a candidate."""
        return self.curve(self.threshold)

    @property
    def midpoint(self) -> float:
        """(1/b)^(1/r): the similarity about which the curve is steepest."""
        return _native.midpoint(self.bands, self.rows)

    @property
    def bytes_per_document(self) -> int:
        """Bytes one document takes while bands are grouped: its signature and its band keys."""
        return 4 * self.size + 8 * self.bands


def explain(
    threshold: float = 0.8,
    recall: float = 0.95,
    size: int = 128,
    *,
    bands: int | None = None,
    rows: int | None = None,
) -> Banding:
    """Choose bands and rows for a threshold and a recall, or take those given.

    Parameters
    ----------
    threshold : float
        Jaccard similarity from which two texts are duplicates, above 0, up to 1.
    recall : float
        Share of the pairs at the threshold that must become candidates, below 1.
    size : int
        Slots of a signature, 1 to 65536.
    bands, rows : int, optional
        Take these instead of choosing by `recall`.

    Returns
    -------
    Banding

    Raises
    ------
    NeardupValueError
        A value is not allowed, or no bands of this size reach the recall.

    Examples
    --------
    >>> banding = explain(threshold=0.8, recall=0.95, size=128)
    >>> banding.bands, banding.rows, round(banding.recall, 3)
    (13, 7, 0.953)
    """
    from neardup.config import Config

    config = Config.from_options(
        {"threshold": threshold, "recall": recall, "size": size, "bands": bands, "rows": rows}
    )
    return banding(config.threshold, config.recall, config.size, config.bands, config.rows)


def banding(
    threshold: float, recall: float, size: int, bands: int | None, rows: int | None
) -> Banding:
    """As `explain`, of values that are valid already."""
    if bands is None or rows is None:
        bands, rows = _native.choose_banding(threshold, recall, size)
    return Banding(bands, rows, size, threshold)


def common_rule(threshold: float, size: int) -> Banding:
    """Bands and rows by the rule most tools use, for comparison: it promises no recall.

    Minimises the area of false candidates below the threshold plus that of missed pairs above it,
    as if all similarities were equally frequent. Takes seconds for sizes in the thousands.

    Examples
    --------
    >>> usual = common_rule(0.8, 128)
    >>> usual.bands, usual.rows, round(usual.recall, 3), explain(0.8).recall >= 0.95
    (9, 13, 0.399, True)
    """
    bands, rows = _native.common_rule(threshold, size)
    return Banding(bands, rows, size, threshold)
