"""The tables of an answer: removed rows, verified pairs, clusters, rejected rows; a summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.columns import arrow, strings
from neardup.io.base import shown_path
from neardup.plan import EXACT, NEAR, NONE, Found, Plan

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.io.documents import Documents, Ids, Rejects

Index = npt.NDArray[np.int64]
Documents32 = npt.NDArray[np.uint32]

TABLE_VERSION = 1
"""Of the columns of the tables; in the metadata of their files as ``neardup.table``."""

SLICE = 1 << 17
"""Rows of a piece of a table: names and ids of all rows would be larger than the answer."""


class Places:
    """Source and row of documents, as columns; documents in the order of (source, row)."""

    def __init__(self, documents: Documents, starts: Index, ids: Ids) -> None:
        self.names = [source.name for source in documents.sources]
        self.starts, self.ids = starts, ids
        by_name = sorted(range(len(self.names)), key=lambda i: (_path_bytes(self.names[i]), i))
        self._in_order = by_name == list(range(len(by_name)))
        sizes = np.diff(starts)[by_name]
        self._first = np.empty(len(by_name), np.int64)
        self._first[by_name] = np.cumsum(sizes) - sizes

    def source(self, documents: Any) -> Index:
        """Number of each document's source."""
        found: Index = np.searchsorted(self.starts, documents, side="right") - 1
        return found

    def key(self, documents: Any) -> Documents32:
        """A number by which documents sort as (source, row) do."""
        found: Documents32 = documents.astype(np.uint32)
        for begin in () if self._in_order else range(0, len(found), SLICE):
            part = documents[begin : begin + SLICE]
            source = self.source(part)
            found[begin : begin + SLICE] = self._first[source] + part - self.starts[source]
        return found

    def columns(self, documents: Any, suffix: str = "", prefix: str = "") -> dict[str, pa.Array]:
        """The columns source, row and id."""
        import pyarrow as pa

        source = self.source(documents)
        names = pa.DictionaryArray.from_arrays(
            arrow(source.astype(np.int32, copy=False)),
            strings(map(shown_path, self.names)),
        )
        return {
            f"{prefix}source{suffix}": names.cast(pa.string()),
            f"{prefix}row{suffix}": arrow(
                (documents - self.starts[source]).astype(np.int64, copy=False)
            ),
            f"{prefix}id{suffix}": self.ids.at(documents),
        }


def named(found: Found) -> npt.NDArray[np.bool_]:
    """The documents that the tables name, whose ids are wanted."""
    wanted: npt.NDArray[np.bool_] = found.reason != NONE
    wanted[found.partner[wanted]] = True
    for side in _pairs(found)[:2]:
        wanted[side] = True
    return wanted


def removed(found: Found, places: Places) -> Iterator[pa.Table]:
    """Each removed row, the row kept for it, the similarity and the reason; in pieces."""
    import pyarrow as pa

    gone = np.flatnonzero(found.reason != NONE)
    gone = gone[np.argsort(places.key(gone), kind="stable")]
    for part in _slices(gone):
        reasons = pa.DictionaryArray.from_arrays(
            arrow((found.reason[part] - EXACT).astype(np.int8)), strings(["exact", "near"])
        )
        yield pa.table(
            {
                **places.columns(part),
                **places.columns(found.partner[part].astype(np.int64), prefix="kept_"),
                "similarity": arrow(found.similarity[part]),
                "reason": reasons.cast(pa.string()),
            }
        )


def pairs(found: Found, places: Places) -> Iterator[pa.Table]:
    """Every verified pair once: near ones of leaders, exact copies with their leader; in pieces."""
    a, b, similarity = _pairs(found)
    x, y = places.key(a), places.key(b)
    other = found.base.survey.starts[found.base.documents.own]
    swap = np.where((a >= other) != (b >= other), a >= other, x > y)
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    x, y = np.where(swap, y, x), np.where(swap, x, y)
    order = np.argsort(x.astype(np.uint64) << np.uint64(32) | y)
    for part in _slices(order):
        yield pair_table(places, a[part], b[part], similarity[part])


def pair_table(places: Places, a: Any, b: Any, similarity: Any) -> pa.Table:
    """The table of some pairs."""
    import pyarrow as pa

    return pa.table(
        {
            **places.columns(a, "_a"),
            **places.columns(b, "_b"),
            "similarity": arrow(similarity),
        }
    )


def _slices(rows: Index) -> Iterator[Index]:
    """Pieces of a table's rows; one empty piece where there are none."""
    for begin in range(0, max(1, len(rows)), SLICE):
        yield rows[begin : begin + SLICE]


def _pairs(found: Found) -> tuple[Documents32, Documents32, npt.NDArray[np.float64]]:
    base, near = found.base, found.pairs
    copy = _copies(found)
    a = np.concatenate([near.a, copy])
    b = np.concatenate([near.b, base.leader[copy]])
    return a, b, np.concatenate([near.similarity, np.ones(len(copy))])


def _copies(found: Found) -> Documents32:
    """Own documents that an equal text leads."""
    base = found.base
    number: Documents32 = np.arange(base.survey.starts[base.documents.own], dtype=np.uint32)
    copies: Documents32 = number[base.leader[: len(number)] != number]
    return copies


def heads(found: Found, places: Places) -> Index:
    """The representative of each cluster, in the order in which clusters are numbered."""
    first: Index = np.unique(found.partner[found.reason != NONE]).astype(np.int64)
    ordered: Index = first[np.argsort(places.key(first), kind="stable")]
    return ordered


def clusters(found: Found, places: Places) -> Iterator[pa.Table]:
    """Each document that has a duplicate, its cluster, and whether it stands for it; in pieces."""
    import pyarrow as pa

    gone = np.flatnonzero(found.reason != NONE)
    first = heads(found, places)
    member = np.concatenate([first, gone])
    member = member[np.argsort(places.key(member), kind="stable")]
    number = np.zeros(len(found.partner), np.int64)
    number[first] = np.arange(len(first))
    for part in _slices(member):
        stays = found.reason[part] == NONE
        head = np.where(stays, part, found.partner[part])
        yield pa.table(
            {
                **places.columns(part),
                "cluster": arrow(number[head]),
                "representative": arrow(stays),
            }
        )


def rejected(rejects: Rejects) -> pa.Table:
    """Rows that could not be read."""
    import pyarrow as pa

    fields = [("source", pa.string()), ("row", pa.int64()), ("reason", pa.string())]
    fields += [("raw", pa.string()), ("raw_base64", pa.string())]
    return pa.Table.from_pylist(rejects.records(), pa.schema(fields))


def summary(found: Found) -> dict[str, Any]:
    """Counts of a run; what depends on the clock and the machine is added by the caller."""
    base = found.base
    survey, documents, config = base.survey, base.documents, base.plan.config
    end = int(survey.starts[documents.own])
    ok, reason = survey.ok[:end], found.reason[:end]
    gone = np.flatnonzero(reason != NONE)
    near = np.flatnonzero(reason == NEAR)
    sizes = np.unique(found.partner[gone], return_counts=True)[1] + 1
    banding = base.plan.banding
    return {
        "documents": end,
        "kept": int(np.count_nonzero(ok & (reason == NONE))),
        "removed": len(gone),
        "rejected": int(np.count_nonzero(~ok)),
        "exact_duplicates": int(np.count_nonzero(reason == EXACT)),
        "near_duplicates": len(near),
        "no_token": int(np.count_nonzero(ok & (survey.tokens[:end] == 0))),
        "clusters": len(sizes),
        "largest_cluster": int(sizes.max(initial=0)),
        "candidates": base.candidates.compared,
        "pairs": len(found.pairs.a) + len(_copies(found)),
        "capped_buckets": base.candidates.capped_buckets,
        "capped_pairs": base.candidates.capped_pairs,
        "removed_numbers_differ": int(np.count_nonzero(found.numbers_differ[near])),
        "removed_under_30_words": int(np.count_nonzero(survey.words[gone] < 30)),
        "removed_near_threshold": int(
            np.count_nonzero(found.similarity[near] < config.threshold + 0.05)
        ),
        "guarded_pairs": found.guarded,
        **({"refused_pairs": found.pairs.refused} if config.second_stage is not None else {}),
        "bands": None if banding is None else banding.bands,
        "rows": None if banding is None else banding.rows,
        "size": config.size,
        "sketch": config.sketch,
        "hamming": config.distance,
        "seed": config.seed,
        "threshold": config.threshold,
        "verify": config.verify,
        "recall_expected": _recall(base.plan),
        "text_spec": base.plan.spec.identity,
        "short_han": survey.short_han,
        "engine": base.engine.name,
        "sources": _by_source(found),
    }


def _recall(plan: Plan) -> float | None:
    """Share of the pairs at the threshold that are candidates; None where nobody can say."""
    if plan.banding is not None:
        return plan.banding.recall
    return 1.0 if plan.config.distance is None else None


def largest(found: Found, most: int = 3) -> list[tuple[str, int, int]]:
    """Source and row of the representatives of the largest clusters, and the clusters' sizes."""
    heads, sizes = np.unique(found.partner[found.reason != NONE], return_counts=True)
    survey = found.base.survey
    names = [shown_path(each.name) for each in found.base.documents.sources]
    named = []
    for i in np.argsort(-sizes, kind="stable")[:most].tolist():
        source, row = survey.place(int(heads[i]))
        named.append((names[source], row, int(sizes[i]) + 1))
    return named


def _by_source(found: Found) -> dict[str, dict[str, int]]:
    survey, documents = found.base.survey, found.base.documents
    counts = {}
    for number, source in enumerate(documents.sources[: documents.own]):
        part = slice(int(survey.starts[number]), int(survey.starts[number + 1]))
        ok, stays = survey.ok[part], found.reason[part] == NONE
        counts[shown_path(source.name)] = {
            "documents": len(ok),
            "kept": int(np.count_nonzero(ok & stays)),
            "removed": int(np.count_nonzero(~stays)),
            "rejected": int(np.count_nonzero(~ok)),
        }
    return counts


def _path_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
