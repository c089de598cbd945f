"""`match` by containment: the right side in an index, the left side asked as it is read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.errors import UsageError
from neardup.io.base import FieldSpec
from neardup.io.documents import Batches, Documents, Ids
from neardup.plan import Plan
from neardup.survey import cut

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.config import Config
    from neardup.io.base import Source
    from neardup.progress import Progress

I64 = npt.NDArray[np.int64]

BANDS_ONLY = (
    "recall", "bands", "rows", "size", "seed", "sketch", "verify", "bucket_cap", "exact_join",
    "guard", "exact_only",
)  # fmt: skip
"""Options of `match` that mean nothing here: every pair is found, and its containment exact."""


def contained(
    left: Sequence[Source], right: Sequence[Source], config: Config, watcher: Progress
) -> pa.Table:
    """The pairs of which the right text has enough of the left text's shingles.

    Parameters
    ----------
    left, right : sequence of Source
        Passages, and texts that may contain them. Numbered as read: right, then left.
    config : Config
    watcher : Progress

    Returns
    -------
    pyarrow.Table
        As `neardup.match`, with `containment` in the place of `similarity`.
    """
    fields = FieldSpec(config.text, config.id)
    documents = Documents([*right, *left], len(right), fields, config.on_error == "skip")
    plan = Plan(config)
    names = [source.name for source in documents.sources]
    index = _native.Containment()
    counts = np.zeros(len(documents.sources), np.int64)
    written: list[tuple[int, pa.Array | None, int]] = []
    found = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    with closing(documents.admit(_read(documents, watcher))) as batches:
        for batch in batches:
            first, count = int(counts.sum()), len(batch.texts)
            counts[batch.source] += count
            written.append((first, batch.ids, count))
            column, valid = cut(batch, plan.spec, config.tokenizer, names)
            if batch.source < documents.own:
                index.insert(column, valid, plan.spec, plan.threads)
                _check(index, plan.memory)
                continue
            ids, offsets, shares = index.query(
                column, valid, plan.spec, plan.threshold, None, plan.threads
            )
            found.append(
                (np.repeat(np.arange(first, first + count), np.diff(offsets)), ids, shares)
            )
    a, b, shares = (np.concatenate(each) for each in zip(*found, strict=True))
    return _table(documents, counts, written, (a, b, shares))


def _read(documents: Documents, watcher: Progress) -> Batches:
    """All documents in order, with progress."""
    watcher.stage("looking up", documents.size())
    for batch in documents.batches():
        yield batch
        watcher.advance(batch.nbytes, len(batch.texts))


def _check(index: _native.Containment, memory: int | None) -> None:
    if memory is not None and index.nbytes > memory:
        raise UsageError(
            f"the shingles of the first {len(index):,} texts on the right take "
            f"{index.nbytes / 1e6:.1f} MB, and memory is {memory / 1e6:.1f} MB; raise memory, or "
            "match the right side in parts"
        )


def _table(
    documents: Documents,
    counts: I64,
    written: list[tuple[int, pa.Array | None, int]],
    pairs: tuple[I64, I64, npt.NDArray[np.float64]],
) -> pa.Table:
    from neardup.tables import Places, pair_table

    a, b, shares = pairs
    named = Ids(np.ones(int(counts.sum()), bool))
    if documents.fields.id is not None:
        for first, ids, count in written:
            named.take(first, ids, count)
    places = Places(documents, np.concatenate([[0], np.cumsum(counts)]), named)
    order = np.lexsort([places.key(b), places.key(a)])
    table = pair_table(places, a[order], b[order], shares[order])
    return table.rename_columns([*table.column_names[:-1], "containment"])
