"""What thresholds find and remove, rightly and wrongly, by the labels; the best, and how sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.scores import adjusted_rand_index, label_scores

if TYPE_CHECKING:
    from neardup.grid import Answer

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

COSTS = (1, 3, 10)
"""Misses that a wrong removal may cost."""
TIE = 0.01
"""The plateau: thresholds next to the best that lose no more than this."""
RESAMPLES = 1000
LISTED = 1000
"""Pairs across labels that are kept, the most similar first."""


class Judge:
    """Counts what is right by the labels, for each cluster of labels so that these can be drawn.

    Parameters
    ----------
    label : numpy.ndarray of int64, shape (documents,)
        Of the first of each exact duplicates, -1 where it is not known and for all others.
    """

    def __init__(self, label: I64) -> None:
        self.label = label
        self.known = np.flatnonzero(label >= 0)
        self.sizes = np.bincount(label[self.known])
        self.right: list[I64] = []  # of each threshold, by label
        self.wrong: list[I64] = []
        self.both: list[F64] = []
        self.found: list[F64] = []

    @property
    def removable(self) -> I64:
        """Documents that ought to go, by label: all but one of each."""
        least: I64 = np.maximum(self.sizes - 1, 0)
        return least

    def facts(self, lowest: Answer) -> dict[str, Any]:
        """What there is to find, and the pairs across labels."""
        one, other = self.label[lowest.pairs].T
        return {
            "labels": int(np.count_nonzero(self.sizes)),
            "removable": int(self.removable.sum()),
            "pairs_across_labels": int(((one != other) & (one >= 0) & (other >= 0)).sum()),
        }

    def row(self, answer: Answer) -> dict[str, Any]:
        """Scores of one answer; its counts by label are kept."""
        label, count = self.label, len(self.sizes)
        removed = self.known[answer.cluster[self.known] != self.known]
        partner = answer.cluster[removed]
        judged = label[partner] >= 0
        removed, partner = removed[judged], partner[judged]
        same = label[removed] == label[partner]
        self.right.append(np.bincount(label[removed[same]], minlength=count))
        self.wrong.append(np.bincount(label[removed[~same]], minlength=count))
        one, other = label[answer.pairs].T
        one, other = one[known := (one >= 0) & (other >= 0)], other[known]
        # A pair across two labels belongs to each by half.
        halves = np.bincount(one, minlength=count) + np.bincount(other, minlength=count)
        self.found.append(halves / 2)
        self.both.append(np.bincount(one[one == other], minlength=count).astype(np.float64))
        pairs = label_scores(answer.pairs, label)
        right, wrong = int(same.sum()), int((~same).sum())
        removable = int(self.removable.sum())
        return {
            "threshold": answer.threshold,
            "found": pairs.found,
            "true": pairs.true,
            "precision": pairs.precision,
            "recall": pairs.recall,
            "f1": pairs.f1,
            "removed": right + wrong,
            "wrongly_removed": wrong,
            "removal_precision": right / (right + wrong) if right + wrong else 1.0,
            "removal_recall": right / removable if removable else 1.0,
            "ari": adjusted_rand_index(answer.cluster[self.known], label[self.known]),
            **{f"net_{cost}": (right - cost * wrong) / max(removable, 1) for cost in COSTS},
        }

    def best(self, thresholds: Sequence[float], seed: int) -> list[dict[str, Any]]:
        """The best threshold by each criterion, its plateau, and its spread over the clusters.

        Labels are drawn anew with replacement, as many as there are, a thousand times (the cluster
        bootstrap): texts of one label are not independent of each other.
        """
        rng = np.random.default_rng(seed)
        whole = self._criteria(np.ones((1, len(self.sizes))))
        there = np.flatnonzero(self.sizes)
        drawn: dict[str, list[I64]] = {name: [] for name in whole}
        for _ in range(RESAMPLES // 50):
            weight = np.zeros((50, len(self.sizes)))
            weight[:, there] = rng.multinomial(
                len(there), np.full(len(there), 1 / max(len(there), 1)), 50
            )
            for name, values in self._criteria(weight).items():
                drawn[name].append(_last_best(values))
        rows = []
        for name, curve in whole.items():
            values, top = curve[0], int(_last_best(curve)[0])
            near = values >= values[top] - TIE
            low = top - int(np.argmin([*near[:top][::-1], False]))
            high = top + int(np.argmin([*near[top + 1 :], False]))
            first, last = np.quantile(
                np.concatenate(drawn[name]), (0.025, 0.975), method="inverted_cdf"
            )
            rows.append(
                {
                    "by": name,
                    "threshold": thresholds[top],
                    "value": float(values[top]),
                    "low": thresholds[low],
                    "high": thresholds[high],
                    "from": thresholds[int(first)],
                    "to": thresholds[int(last)],
                }
            )
        return rows

    def _criteria(self, weight: F64) -> dict[str, F64]:
        """Each criterion by draw and threshold; `weight` says how often a draw took a label."""
        right, wrong, both, found = (
            weight @ np.array(each, np.float64).T
            for each in (self.right, self.wrong, self.both, self.found)
        )
        true = weight @ (self.sizes * (self.sizes - 1) / 2)
        removable = np.maximum(weight @ self.removable, 1)[:, None]
        total = np.maximum(found + true[:, None], 1)
        return {
            "f1": 2 * both / total,
            **{f"net_{cost}": (right - cost * wrong) / removable for cost in COSTS},
        }

    def across(self, answer: Answer) -> I64:
        """Places of the pairs across labels, the most similar first."""
        one, other = self.label[answer.pairs].T
        rows = np.flatnonzero((one != other) & (one >= 0) & (other >= 0))
        order: I64 = rows[np.argsort(-answer.similarity[rows], kind="stable")][:LISTED]
        return order


def _last_best(values: F64) -> I64:
    """Where each row is largest; of equal places the last, the higher threshold, which is safer."""
    last: I64 = values.shape[1] - 1 - values[:, ::-1].argmax(axis=1)
    return last
