"""Distinct shingles of a corpus before and after, by HyperLogLog, in a pass of their own."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup import _native
from neardup.columns import native_column
from neardup.engines.base import Bools

if TYPE_CHECKING:
    from neardup.io.base import Batch
    from neardup.plan import Plan
    from neardup.survey import Survey

PRECISION = 14
"""2^14 registers of a byte: a standard error of 0.8 %."""


class DistinctShingles:
    """Counts the shingles of kept and of removed documents apart; the union of both is "before".

    What is kept is known only when every document has been clustered, hence a pass of its own. Both
    counts see a shingle under one hash, so that their errors go together: the ratio of the two is
    closer to the truth than each of them.
    """

    def __init__(self, plan: Plan, survey: Survey, keep: Bools) -> None:
        self.plan, self.survey, self.keep = plan, survey, keep
        self.kept = self.removed = _native.Hll(PRECISION)

    def add(self, batch: Batch) -> None:
        """Count the shingles of a batch."""
        first = int(self.survey.starts[batch.source]) + batch.first_row
        part = slice(first, first + len(batch.texts))
        keep, ok = self.keep[part], self.survey.ok[part]
        column = native_column(batch.texts)
        at = batch.first_row
        self.kept = self._with(self.kept, column, ok & keep, at)
        self.removed = self._with(self.removed, column, ok & ~keep, at)

    def answer(self) -> dict[str, Any]:
        """Both counts, rounded, and their relative standard error."""
        before, after = self.kept.merge(self.removed).estimate, self.kept.estimate
        error = round(1.04 / sqrt(2.0**PRECISION), 4)
        return {"before": round(before), "after": round(after), "relative_std_err": error}

    def _with(self, counter: _native.Hll, column: Any, mask: Bools, first: int) -> _native.Hll:
        rows = np.flatnonzero(mask).astype(np.uint32)
        column, rows = self.plan.tokenized(column, rows, first)
        return counter.with_texts(column, rows, self.plan.spec, self.plan.threads)
