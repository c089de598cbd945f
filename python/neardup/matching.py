"""Verified pairs between two collections: the plan's own stages, over both, without clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.api import open_data
from neardup.config import RUN_OPTIONS, Config, refuse
from neardup.engines.memory import MemoryEngine
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.plan import Base, Plan, prepare, verified
from neardup.progress import watched
from neardup.spec import warning
from neardup.wording import in_python

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.engines.base import Candidates, Verified

I64 = npt.NDArray[np.int64]

_ANSWER = {"keep", "cluster", "against", "distinct_shingles", "annotate", "annotate_prefix"}
OPTIONS = tuple(
    option.name
    for option in RUN_OPTIONS
    if option.python and option.group != "Output" and option.name not in _ANSWER
)
"""The options of `dedup` that speak of texts, pairs and the machine."""


@in_python()
def match(
    left: Any,
    right: Any,
    threshold: float | None = None,
    *,
    measure: str = "jaccard",
    progress: Any = None,
    **options: Any,
) -> pa.Table:
    """Every verified pair of a text on the left and a text on the right.

    Parameters
    ----------
    left, right : object
        Two collections, each as `dedup` takes it: texts, a table or frame, or paths.
    threshold : float, optional
        Similarity from which two texts are a pair; that of the preset, or 0.8.
    measure : "jaccard" or "containment"
        Jaccard similarity of the two shingle sets; or the share of the left text's shingles that
        the right text has, as for a passage and a document. Containment finds every pair and takes
        12.2 bytes of memory a shingle of the right side; options of bands and sketches do not go
        with it.
    progress : Progress or tqdm class, optional
        Who watches the run, as for `dedup`.
    **options
        Those of `dedup` that speak of texts, similarity and inputs, same names and defaults:
        ``text="text"``, ``id=None``, ``recall=0.95``, ``shingle="word:3"``, ``verify="exact"``,
        ``guard=None``, ``exact_only=False``, ``on_error="fail"`` and so on.

    Returns
    -------
    pyarrow.Table
        ``source_a, row_a, id_a, source_b, row_b, id_b, similarity``: a is left, b is right, sorted
        by source and row of a, then of b. Each row of a group of exact duplicates is there with
        each of its matches; texts equal after `normalize` have similarity 1. By containment
        the last column is ``containment``; a text without a shingle is in no pair.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        An option that does not speak of pairs, a value that is not allowed, data without texts.
    NeardupError
        A bad row or file.

    Examples
    --------
    >>> import neardup
    >>> old = ["To be, or not to be, that is the question.", "All the world's a stage."]
    >>> new = ["all the world's a STAGE.", "A rose by any other name", "to be or not to be"]
    >>> neardup.match(old, new).select(["row_a", "row_b", "similarity"]).to_pylist()
    [{'row_a': 1, 'row_b': 0, 'similarity': 1.0}]
    >>> neardup.match(old, new, 0.4, shingle="word:2")["similarity"].to_pylist()
    [0.5, 1.0]
    >>> neardup.match(["not to be"], old, measure="containment")["containment"].to_pylist()
    [1.0]
    """
    from neardup.io.base import FieldSpec
    from neardup.io.documents import Documents

    for name in options:
        if name not in OPTIONS:
            refuse(name, options[name], "match")
            raise NeardupTypeError(
                f"{name}: is an option of dedup; match takes {', '.join(OPTIONS)}"
            )
    if threshold is not None:
        options["threshold"] = threshold
    if measure not in ("jaccard", "containment"):
        raise NeardupValueError(f'measure must be "jaccard" or "containment", got {measure!r}')
    if measure == "containment":
        return _containment(left, right, options, progress)
    config = Config.from_options(options)
    mine, _ = open_data(left, config)
    other, _ = open_data(right, config, first=len(mine))
    fields = FieldSpec(config.text, config.id)
    documents = Documents([*mine, *other], len(mine), fields, config.on_error == "skip")
    plan = Plan(config)
    with watched(progress) as watcher:
        if said := warning(config):
            watcher.warn(said)
        engine = MemoryEngine(plan, watcher)
        base = prepare(documents, plan, engine, _across)
        if base.candidates.capped_pairs:
            watcher.warn(
                f"{base.candidates.capped_pairs:,} pairs in {base.candidates.capped_buckets:,} "
                "buckets above bucket_cap were not compared; raise it to compare them"
            )
        with engine.gather(documents, base.survey, base.candidates) as sets:
            pairs, _ = verified(base, sets)
        a, b, similarity = _rows(base, pairs)
        return _table(base, a, b, similarity)


def _containment(left: Any, right: Any, options: dict[str, Any], progress: Any) -> pa.Table:
    from neardup.containing import BANDS_ONLY, contained

    for name in options:
        if name in BANDS_ONLY:
            raise NeardupTypeError(
                f'{name}: says nothing with measure="containment", which finds every pair and '
                "computes it exactly; leave it out"
            )
    config = Config.from_options(options)
    other, _ = open_data(right, config)
    mine, _ = open_data(left, config, first=len(other))
    with watched(progress) as watcher:
        return contained(mine, other, config, watcher)


def _across(base: Base, candidates: Candidates) -> npt.NDArray[np.bool_]:
    """Candidates of which one has an equal text on the left, and the other one on the right."""
    left, right = _sides(base)
    a, b = candidates.a, candidates.b
    return (left[a] & right[b]) | (left[b] & right[a])


def _sides(base: Base) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each leader whether its group of equal texts has rows on the left, and on the right."""
    survey, end = base.survey, int(base.survey.starts[base.documents.own])
    sides = []
    for part in (slice(0, end), slice(end, None)):
        found = np.zeros(len(survey), bool)
        found[base.leader[part][survey.ok[part]]] = True
        sides.append(found)
    return sides[0], sides[1]


def _rows(base: Base, pairs: Verified) -> tuple[I64, I64, npt.NDArray[np.float64]]:
    """Pairs of rows from pairs of leaders: all equal texts of one with all of the other."""
    left, right = _sides(base)
    same = np.flatnonzero(left & right)
    one = np.concatenate([pairs.a, pairs.b, same]).astype(np.int64)
    two = np.concatenate([pairs.b, pairs.a, same]).astype(np.int64)
    similarity = np.concatenate([pairs.similarity, pairs.similarity, np.ones(len(same))])
    end = int(base.survey.starts[base.documents.own])
    mine, first_mine, count_mine = _members(base, 0, end)
    other, first_other, count_other = _members(base, end, len(base.survey))
    width = count_other[two]
    total = count_mine[one] * width
    entry = np.repeat(np.arange(len(total)), total)
    within = np.arange(int(total.sum())) - np.repeat(np.cumsum(total) - total, total)
    a = mine[first_mine[one][entry] + within // width[entry]]
    b = other[first_other[two][entry] + within % width[entry]]
    return a, b, similarity[entry]


def _members(base: Base, first: int, last: int) -> tuple[I64, I64, I64]:
    """Documents of one side by their leader; where each leader's begin, and how many they are."""
    documents = first + np.flatnonzero(base.survey.ok[first:last])
    leader = base.leader[documents]
    count = np.bincount(leader, minlength=len(base.survey))
    return documents[np.argsort(leader, kind="stable")], np.cumsum(count) - count, count


def _table(base: Base, a: I64, b: I64, similarity: npt.NDArray[np.float64]) -> pa.Table:
    from neardup.tables import Places, pair_table

    named = np.zeros(len(base.survey), bool)
    named[a], named[b] = True, True
    ids = base.engine.ids(base.documents, base.survey, named)
    places = Places(base.documents, base.survey.starts, ids)
    order = np.lexsort([places.key(b), places.key(a)])
    return pair_table(places, a[order], b[order], similarity[order])
