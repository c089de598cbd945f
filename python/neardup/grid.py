"""Answers to be evaluated: those of a finished run, or of runs over thresholds and shingles."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.api import execute
from neardup.config import Config
from neardup.errors import NeardupError, UsageError
from neardup.plan import NONE, Found, answer

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.io.base import Source
    from neardup.plan import Base
    from neardup.progress import Progress
    from neardup.values import Shingle

I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Answer:
    """One answer: which documents are similar, and how they were clustered.

    Attributes
    ----------
    pairs : numpy.ndarray of int64, shape (n, 2)
    similarity : numpy.ndarray of float64, shape (n,)
    cluster, leader : numpy.ndarray of int64, shape (documents,)
        The cluster of each document, which is the number of the one that stays; and the first of
        its exact duplicates. A leader of -1 says that the document was set aside.
    removed : int
        Documents removed.
    """

    shingle: str
    threshold: float
    pairs: I64
    similarity: npt.NDArray[np.float64]
    cluster: I64
    leader: I64
    removed: int
    base: Base


def held(
    config: Config, sources: Sequence[Source], field: str | None, progress: Progress
) -> list[Source]:
    """The sources, read once for all runs over them; `field` is carried as the id.

    Text that comes from a file is read, decompressed and parsed by this call and by no other.
    """
    from neardup.io.base import FieldSpec
    from neardup.io.held import hold

    return [*hold(sources, FieldSpec(config.text, field, config.keep.field), progress)]


def over(
    config: Config,
    sources: Sequence[Source],
    thresholds: Sequence[float],
    shingles: Sequence[Shingle],
    progress: Progress,
) -> Iterator[Answer]:
    """One answer for each shingle and threshold, from one run a shingle over what is `held`.

    The run is made at the lowest threshold. At a higher one its verified pairs are taken again and
    clustered anew, as `Result.rethreshold` does: of these, bands for the lowest one miss fewest.
    """
    for shingle in shingles:
        first = replace(config, shingle=shingle, threshold=min(thresholds))
        found = execute(first, sources, progress)[0]
        for threshold in thresholds:
            yield at(found, threshold)


def at(found: Found, threshold: float) -> Answer:
    """The answer of a run at a threshold not below its own."""
    config = replace(found.base.plan.config, threshold=threshold)
    pairs = found.pairs.where(found.pairs.similarity >= threshold)
    done = answer(replace(found.base, plan=found.base.plan.at(config)), pairs, 0, None)
    return Answer(
        str(config.shingle),
        threshold,
        np.stack([pairs.a, pairs.b], axis=1).astype(np.int64),
        pairs.similarity,
        done.partner.astype(np.int64),
        leaders(found.base),
        int(np.count_nonzero(done.reason != NONE)),
        found.base,
    )


def finished(out: str, config: Config, sources: Sequence[Source], progress: Progress) -> Answer:
    """The answer of a finished run, from its folder; `sources` are its inputs.

    Raises
    ------
    UsageError
        The folder is not that of a run, or of a run on other inputs.
    """
    import pyarrow.parquet as pq

    try:
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        pairs = pq.read_table(os.path.join(out, "pairs.parquet"))
        clusters = pq.read_table(os.path.join(out, "clusters.parquet"))
        spec = dict(part.split("=", 1) for part in re.split("[; ]", summary["text_spec"]))
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(
            f"{out}: not the folder of a finished run ({error}); name the OUT of neardup dedup"
        ) from None
    kept = {name: getattr(config, name) for name in ("text", "id", "on_error", "threads")}
    config = Config.from_options({**kept, "normalize": spec["normalize"], "exact_only": True})
    base = execute(config, sources, progress)[0].base
    if len(base.survey) != summary["documents"]:
        raise UsageError(
            f"{out}: its run read {summary['documents']:,} documents, and INPUT has "
            f"{len(base.survey):,}; name the inputs of that run"
        )
    cluster = np.arange(len(base.survey))
    members = _numbers(base, clusters, "")
    cluster[members] = len(cluster) + clusters["cluster"].to_numpy()
    sides = np.stack([_numbers(base, pairs, "_a"), _numbers(base, pairs, "_b")], axis=1)
    return Answer(
        spec["shingle"],
        summary["threshold"],
        sides,
        pairs["similarity"].to_numpy(),
        cluster,
        leaders(base),
        summary["removed"],
        base,
    )


def leaders(base: Base) -> I64:
    """The first of each document's exact duplicates, -1 for a row set aside."""
    return np.where(base.survey.ok, base.leader.astype(np.int64), -1)


def column(base: Base, field: str) -> list[str | None]:
    """A field of every document, as text."""
    documents = replace(base.documents, fields=replace(base.documents.fields, id=field))
    every = np.ones(len(base.survey), bool)
    values: list[Any] = base.engine.ids(documents, base.survey, every).at(np.arange(len(every)))
    return [value.as_py() for value in values]


def _numbers(base: Base, table: pa.Table, suffix: str) -> I64:
    """Document numbers of the columns source and row."""
    places = {
        source.name: (int(base.survey.starts[i]), int(base.survey.starts[i + 1]))
        for i, source in enumerate(base.documents.sources)
    }
    names = table[f"source{suffix}"].to_pylist()
    for name in set(names) - places.keys():
        raise UsageError(
            f"the run read {name}, which is not among the inputs; name them as they were then"
        )
    rows = table[f"row{suffix}"].to_numpy()
    first, end = (np.array([places[name][side] for name in names], np.int64) for side in (0, 1))
    numbers: I64 = first + rows
    if (numbers >= end).any():
        raise NeardupError("the inputs have fewer rows than the run had; they changed since")
    return numbers
