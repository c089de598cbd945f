"""Candidates without bands: the shingle sets of all leaders in memory, joined exactly."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from neardup import _native
from neardup.columns import native_column
from neardup.engines.base import Bools, Candidates
from neardup.errors import UsageError

if TYPE_CHECKING:
    from neardup.io.base import Batch
    from neardup.plan import Plan
    from neardup.survey import Survey

MOST_COUNTERS = 1 << 26
"""Counters of frequency that the native join makes at most, four bytes each."""


class ShingleSets:
    """The shingle sets of some documents, gathered in one pass over the input, one after the other.

    Parameters
    ----------
    plan : Plan
        Text spec, threshold, threads and memory.
    survey : Survey
        What the first pass said of all documents.
    wanted : numpy.ndarray of bool
        The documents to gather.

    Raises
    ------
    UsageError
        They do not fit into the memory of the run.
    """

    def __init__(self, plan: Plan, survey: Survey, wanted: Bools) -> None:
        self.plan, self.survey = plan, survey
        self.document = np.flatnonzero(wanted).astype(np.uint32)
        room = int(np.maximum(survey.tokens[self.document], 1).sum(dtype=np.int64))
        self._check(room)
        self.values = np.empty(room, np.uint64)  # a set has at most a shingle a token
        self.length = np.zeros(len(self.document), np.int64)
        self.used = 0

    def _check(self, shingles: int) -> None:
        need = needed(len(self.document), shingles, self.plan.threshold)
        limit = self.plan.memory or physical()
        if limit is not None and need > limit:
            raise UsageError(
                f"exact_join needs about {need / 1e9:.1f} GB for the shingle sets of "
                f"{len(self.document):,} texts at threshold {self.plan.threshold:g}, and memory is "
                f"{limit / 1e9:.1f} GB; raise memory, or leave exact_join out and state a recall"
            )

    def add(self, batch: Batch) -> None:
        """Take the sets of the wanted documents in a batch; batches come in order."""
        first = int(self.survey.starts[batch.source]) + batch.first_row
        low, high = np.searchsorted(self.document, [first, first + len(batch.texts)])
        if low == high:
            return
        rows = (self.document[low:high] - np.uint32(first)).astype(np.uint32)
        column = native_column(batch.texts)
        values, shingles, numbers = self.plan.contents(column, rows, batch.first_row)
        parts = np.stack([shingles, numbers], axis=1).ravel()
        sets = values[np.repeat(np.arange(len(parts)) % 2 == 0, parts)]
        self.length[low:high] = shingles
        self.values[self.used : self.used + len(sets)] = sets
        self.used += len(sets)

    def join(self) -> Candidates:
        """All pairs of at least the threshold."""
        start = np.cumsum(self.length) - self.length
        values = self.values[: self.used]
        a, b, _ = _native.exact_join(
            values, start, self.length, self.plan.threshold, self.plan.threads
        )
        return Candidates(self.document[a], self.document[b], 0, 0, len(a))


def needed(texts: int, shingles: int, threshold: float) -> int:
    """Bytes that a join of so many texts and shingles takes at most, but for the pairs it finds.

    Eight bytes a shingle, 24 for each in the index of prefixes, the counters, and what is kept of
    each text by the join and by each of its shares of work.

    Examples
    --------
    >>> needed(1_000_000, 300_000_000, 0.5) // 10**6, needed(1_000_000, 300_000_000, 0.8) // 10**6
    (5156, 3556)
    """
    indexed = 1 - 2 * threshold / (1 + threshold)
    counters = 4 * min(MOST_COUNTERS, 2 * shingles + 2)
    return int(shingles * (8 + 24 * indexed)) + texts * (24 + 16 * 4) + counters


def physical() -> int | None:
    """The memory of this machine in bytes, where it can be known."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
