"""What a run found out about each document, as columns to be added to its row (`--annotate`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from neardup.columns import arrow
from neardup.plan import NONE, Found
from neardup.tables import heads

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.io.documents import Ids
    from neardup.tables import Places

FIELDS = ("keep", "cluster", "cluster_size", "kept_id", "similarity")
"""Names of the added fields, after their prefix."""


def names(prefix: str) -> tuple[str, ...]:
    """The added fields under a prefix.

    Examples
    --------
    >>> names("dup_")
    ('dup_keep', 'dup_cluster', 'dup_cluster_size', 'dup_kept_id', 'dup_similarity')
    """
    return tuple(prefix + field for field in FIELDS)


class Notes:
    """The added fields of every document.

    `keep` says whether the row stays. `cluster` is its number as in the table of clusters, null
    for a row without a duplicate, and `cluster_size` counts the rows in it, this one included, so
    that it is 1 there. `kept_id` and `similarity` are those of the row kept for a row that goes,
    null for one that stays.

    Parameters
    ----------
    found : Found
        The answer.
    places : Places
        Ids of the documents it names.
    prefix : str
        How the names begin.
    """

    def __init__(self, found: Found, places: Places, prefix: str) -> None:
        self._found, self._places, self._names = found, places, names(prefix)
        first = heads(found, places)
        self._number = np.full(len(found.partner), -1, np.int64)
        self._number[first] = np.arange(len(first))
        gone = found.reason != NONE
        self._number[gone] = self._number[found.partner[gone]]
        clustered = self._number[self._number >= 0]
        self._size = np.bincount(clustered, minlength=len(first))

    def at(self, first: int, last: int) -> pa.RecordBatch:
        """The fields of documents ``first`` up to ``last``, not included."""
        import pyarrow as pa

        gone = self._found.reason[first:last] != NONE
        number = self._number[first:last]
        alone = number < 0
        size = np.ones(len(number), np.int64)
        size[~alone] = self._size[number[~alone]]
        partner = self._found.partner[first:last][gone].astype(np.int64)
        place = arrow(np.cumsum(gone) - 1, ~gone)
        columns = [
            arrow(~gone),
            arrow(number, alone),
            arrow(size),
            self._places.ids.at(partner).take(place),
            arrow(self._found.similarity[first:last], ~gone),
        ]
        return pa.RecordBatch.from_arrays(columns, list(self._names))


def by_source(
    found: Found, ids: Ids, prefix: str
) -> Callable[[int], Callable[[int, int], pa.RecordBatch]]:
    """For the number of a source, its notes from one row up to another."""
    from neardup.tables import Places

    base = found.base
    starts = base.survey.starts
    notes = Notes(found, Places(base.documents, starts, ids), prefix)

    def of(number: int) -> Callable[[int, int], pa.RecordBatch]:
        start = int(starts[number])
        return lambda first, last: notes.at(start + first, start + last)

    return of
