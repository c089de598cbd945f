"""The tables of an answer: removed rows, verified pairs, clusters, rejected rows; a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.plan import EXACT, NEAR, NONE, Found

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.io.documents import Documents, Ids, Rejects

Index = npt.NDArray[np.int64]


class Places:
    """Source and row of documents, as columns; documents in the order of (source, row)."""

    def __init__(self, documents: Documents, starts: Index, ids: Ids) -> None:
        self.names = [source.name for source in documents.sources]
        self.starts, self.ids = starts, ids
        by_name = sorted(range(len(self.names)), key=lambda i: (_path_bytes(self.names[i]), i))
        self._order = np.empty(len(by_name), np.int64)
        self._order[by_name] = np.arange(len(by_name))

    def source(self, documents: Any) -> Index:
        """Number of each document's source."""
        found: Index = np.searchsorted(self.starts, documents, side="right") - 1
        return found

    def key(self, documents: Any) -> Index:
        """A number by which documents sort as (source, row) do."""
        source = self.source(documents)
        sizes = np.diff(self.starts)
        by_order = np.empty_like(sizes)
        by_order[self._order] = sizes
        first = np.cumsum(by_order) - by_order
        found: Index = first[self._order[source]] + documents - self.starts[source]
        return found

    def columns(self, documents: Any, suffix: str = "", prefix: str = "") -> dict[str, pa.Array]:
        """The columns source, row and id."""
        import pyarrow as pa

        source = self.source(documents)
        names = pa.DictionaryArray.from_arrays(
            pa.array(source, pa.int32()), pa.array(self.names, pa.string())
        )
        return {
            f"{prefix}source{suffix}": names.cast(pa.string()),
            f"{prefix}row{suffix}": pa.array(documents - self.starts[source], pa.int64()),
            f"{prefix}id{suffix}": self.ids.at(documents),
        }


def named(found: Found) -> npt.NDArray[np.bool_]:
    """The documents that the tables name, whose ids are wanted."""
    wanted: npt.NDArray[np.bool_] = found.reason != NONE
    wanted[found.partner[wanted]] = True
    for side in _pairs(found)[:2]:
        wanted[side] = True
    return wanted


def removed(found: Found, places: Places) -> pa.Table:
    """Each removed row, the row kept for it, the similarity and the reason."""
    import pyarrow as pa

    gone = np.flatnonzero(found.reason != NONE)
    gone = gone[np.argsort(places.key(gone), kind="stable")]
    partner = found.partner[gone].astype(np.int64)
    reasons = pa.DictionaryArray.from_arrays(
        pa.array(found.reason[gone] - EXACT, pa.int8()), pa.array(["exact", "near"])
    )
    return pa.table(
        {
            **places.columns(gone),
            **places.columns(partner, prefix="kept_"),
            "similarity": pa.array(found.similarity[gone], pa.float64()),
            "reason": reasons.cast(pa.string()),
        }
    )


def pairs(found: Found, places: Places) -> pa.Table:
    """Every verified pair once: near ones of leaders, exact copies with their leader."""
    import pyarrow as pa

    a, b, similarity = _pairs(found)
    x, y = places.key(a), places.key(b)
    other = found.base.survey.starts[found.base.documents.own]
    swap = np.where((a >= other) != (b >= other), a >= other, x > y)
    a, b, x, y = (
        np.where(swap, b, a),
        np.where(swap, a, b),
        np.where(swap, y, x),
        np.where(swap, x, y),
    )
    order = np.lexsort([y, x])
    return pa.table(
        {
            **places.columns(a[order], "_a"),
            **places.columns(b[order], "_b"),
            "similarity": pa.array(similarity[order], pa.float64()),
        }
    )


def _pairs(found: Found) -> tuple[Index, Index, npt.NDArray[np.float64]]:
    base, near = found.base, found.pairs
    mine = np.arange(len(base.survey)) < base.survey.starts[base.documents.own]
    copy = np.flatnonzero((base.leader != np.arange(len(base.leader))) & mine)
    a = np.concatenate([near.a.astype(np.int64), copy])
    b = np.concatenate([near.b.astype(np.int64), base.leader[copy].astype(np.int64)])
    return a, b, np.concatenate([near.similarity, np.ones(len(copy))])


def heads(found: Found, places: Places) -> Index:
    """The representative of each cluster, in the order in which clusters are numbered."""
    first: Index = np.unique(found.partner[found.reason != NONE]).astype(np.int64)
    ordered: Index = first[np.argsort(places.key(first), kind="stable")]
    return ordered


def clusters(found: Found, places: Places) -> pa.Table:
    """Each document that has a duplicate, its cluster, and whether it stands for it."""
    import pyarrow as pa

    gone = np.flatnonzero(found.reason != NONE)
    first = heads(found, places)
    member = np.concatenate([first, gone])
    member = member[np.argsort(places.key(member), kind="stable")]
    number = np.zeros(len(found.partner), np.int64)
    number[first] = np.arange(len(first))
    head = np.where(found.reason[member] == NONE, member, found.partner[member])
    return pa.table(
        {
            **places.columns(member),
            "cluster": pa.array(number[head], pa.int64()),
            "representative": pa.array(found.reason[member] == NONE),
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
        "candidates": len(base.candidates.a),
        "pairs": len(_pairs(found)[0]),
        "capped_buckets": base.candidates.capped_buckets,
        "capped_pairs": base.candidates.capped_pairs,
        "removed_numbers_differ": int(np.count_nonzero(found.numbers_differ[near])),
        "removed_under_30_words": int(np.count_nonzero(survey.words[gone] < 30)),
        "removed_near_threshold": int(
            np.count_nonzero(found.similarity[near] < config.threshold + 0.05)
        ),
        "guarded_pairs": found.guarded,
        "bands": None if banding is None else banding.bands,
        "rows": None if banding is None else banding.rows,
        "size": config.size,
        "sketch": config.sketch,
        "seed": config.seed,
        "threshold": config.threshold,
        "recall_expected": 1.0 if banding is None else banding.recall,
        "text_spec": base.plan.spec.identity,
        "engine": base.engine.name,
        "sources": _by_source(found),
    }


def _by_source(found: Found) -> dict[str, dict[str, int]]:
    survey, documents = found.base.survey, found.base.documents
    counts = {}
    for number, source in enumerate(documents.sources[: documents.own]):
        part = slice(int(survey.starts[number]), int(survey.starts[number + 1]))
        ok, stays = survey.ok[part], found.reason[part] == NONE
        counts[source.name] = {
            "documents": len(ok),
            "kept": int(np.count_nonzero(ok & stays)),
            "removed": int(np.count_nonzero(~stays)),
            "rejected": int(np.count_nonzero(~ok)),
        }
    return counts


def _path_bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
