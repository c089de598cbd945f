"""The plan of a run, written once against an engine: survey, group or join, cluster, write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.banding import Banding, banding
from neardup.engines.base import Bools, Candidates, Documents32, Engine, Gathered, Verified
from neardup.keep import rank
from neardup.spec import text_spec
from neardup.survey import Kernel, Survey, collect
from neardup.tokenizer import Place
from neardup.values import ESTIMATES

if TYPE_CHECKING:
    from neardup.checkpoint import Checkpoint
    from neardup.config import Config
    from neardup.io.documents import Documents

I64 = npt.NDArray[np.int64]
Contents = tuple[npt.NDArray[np.uint64], I64, I64]

NONE, EXACT, NEAR = 0, 1, 2
"""Why a document was removed, as a code."""


class Plan:
    """What a run computes, derived from its options once."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.threshold, self.threads, self.memory = config.threshold, config.threads, config.memory
        self.spec = text_spec(config)
        self.banding: Banding | None = None
        if not config.exact_join and config.sketch != "simhash":
            self.banding = banding(
                config.threshold, config.recall, config.size, config.bands, config.rows
            )
        if config.second_stage is not None:
            from neardup.measures.edit import check

            check(config.second_stage[0])
        self.sketch = _native.Sketch(config.sketch, config.size, config.seed)

    def at(self, config: Config) -> Plan:
        """The same plan with another threshold; bands stay as they are."""
        other = copy(self)
        other.config, other.threshold = config, config.threshold
        return other

    def kernel(self, names: Sequence[str] = ()) -> Kernel:
        """Pass one over a batch; `names` of the sources are for messages."""
        sketch, bands, rows = None, 0, 0
        if self.config.distance is not None:  # the fingerprint itself, two slots a word
            sketch, bands, rows = self.sketch, self.config.size // 64, 2
        elif not self.config.exact_only and self.banding is not None:
            sketch, bands, rows = self.sketch, self.banding.bands, self.banding.rows
        tokenizer = self.config.tokenizer
        return Kernel(self.spec, sketch, bands, rows, self.threads, tokenizer, names)

    def tokenized(self, column: Any, rows: Documents32, first: int) -> tuple[Any, Documents32]:
        """Rows of a column with the tokens of the configuration's tokenizer, if it has one."""
        tokenizer = self.config.tokenizer
        if tokenizer is None:
            return column, rows
        held = tokenizer.column(self.spec, column, Place(first, rows), rows, len(rows))
        return held, np.arange(len(rows), dtype=np.uint32)

    def contents(self, column: Any, rows: Documents32, first: int = 0) -> Contents:
        """What verification reads of each candidate: its shingles or slots, then its numbers.

        `first` is the number of the column's first row, for messages.
        """
        sketch = self.sketch if self.config.verify in ESTIMATES else None
        column, rows = self.tokenized(column, rows, first)
        return _native.contents(column, rows, self.spec, sketch, self.threads)

    def compare(
        self,
        values: npt.NDArray[np.uint64],
        start: I64,
        length: I64,
        a: Documents32,
        b: Documents32,
        threshold: float,
    ) -> npt.NDArray[np.float64]:
        """Similarity of each pair, -1 where it is below the threshold."""
        if self.config.verify not in ESTIMATES:
            return _native.verify(values, start, length, a, b, threshold, self.threads)
        if self.config.verify == "none":
            threshold = 0.0
        size = self.config.size
        near = self.config.distance is not None
        estimate = _native.estimate_fingerprints if near else _native.estimate_pairs
        return estimate(values, start, length, a, b, size, threshold, self.threads)

    def guards(self, survey: Survey, pairs: Candidates, differ: Bools) -> Bools:
        """Which pairs the number guard refuses."""
        guard = self.config.guard
        if guard is None:
            return np.zeros(len(differ), bool)
        if guard.max_words is None:
            return differ
        longer = np.maximum(survey.words[pairs.a], survey.words[pairs.b])
        return differ & (longer < guard.max_words)


@dataclass(frozen=True)
class Base:
    """What clustering starts from; it stays when the threshold is raised.

    Attributes
    ----------
    rank : numpy.ndarray of uint32
        Position of each document in keep order.
    leader : numpy.ndarray of uint32
        First of the exact duplicates of each document, itself included.
    """

    documents: Documents
    plan: Plan
    engine: Engine
    survey: Survey
    rank: Documents32
    leader: Documents32
    candidates: Candidates


@dataclass(frozen=True)
class Found:
    """What the stages before writing found; arrays have one entry a document.

    Attributes
    ----------
    pairs : Verified
        Verified pairs of leaders.
    guarded : int
        Pairs above the threshold that the number guard refused.
    partner : numpy.ndarray of uint32
        The kept document for which each one was removed; itself if kept.
    similarity : numpy.ndarray of float64
        Similarity to the partner, 1 for kept documents.
    reason : numpy.ndarray of uint8
        NONE, EXACT or NEAR.
    numbers_differ : numpy.ndarray of bool
        Each of the document and its partner has a number that the other lacks.
    """

    base: Base
    pairs: Verified
    guarded: int
    partner: Documents32
    similarity: npt.NDArray[np.float64]
    reason: npt.NDArray[np.uint8]
    numbers_differ: Bools

    @property
    def keep(self) -> Bools:
        """Documents that stay."""
        kept: Bools = self.base.survey.ok & (self.reason == NONE)
        return kept


def find(documents: Documents, plan: Plan, engine: Engine, checkpoint: Checkpoint) -> Found:
    """Run every stage before writing, but for those that an earlier run has finished.

    Parameters
    ----------
    documents : Documents
        Sources and the fields to read of them.
    plan : Plan
    engine : Engine
    checkpoint : Checkpoint
        Where finished passes are kept, and found again.

    Returns
    -------
    Found
    """
    survey = checkpoint.survey()
    if survey is None:
        survey = surveyed(documents, plan, engine)
        checkpoint.save_survey(survey)
    base = ordered(documents, plan, engine, survey)
    finished = checkpoint.verified()
    if finished is None:
        base = grouped(base, own)
        with engine.gather(documents, survey, base.candidates) as sets:
            pairs, guarded = verified(base, sets)
            checkpoint.save_verified(base.candidates, pairs, guarded)
            return answer(base, pairs, guarded, sets)
    passed, pairs, guarded = finished
    base = replace(base, candidates=passed)
    if plan.config.cluster == "star":
        return answer(base, pairs, guarded, None)
    with engine.gather(documents, survey, passed) as sets:
        return answer(base, pairs, guarded, sets)


def prepare(
    documents: Documents, plan: Plan, engine: Engine, wanted: Callable[[Base, Candidates], Bools]
) -> Base:
    """Survey all documents, find leaders, and group leaders into the candidates that are wanted."""
    survey = surveyed(documents, plan, engine)
    return grouped(ordered(documents, plan, engine, survey), wanted)


def surveyed(documents: Documents, plan: Plan, engine: Engine) -> Survey:
    """Pass one over all documents."""
    names = [source.name for source in documents.sources]
    kernel = plan.kernel(names)
    with closing(documents.admit(engine.read(documents))) as batches:
        return collect(engine.map(batches, kernel), names, kernel.bands, plan.config.keep.field)


def ordered(documents: Documents, plan: Plan, engine: Engine, survey: Survey) -> Base:
    """Keep order and leaders, without any candidates yet."""
    order = rank(survey, documents, plan.config.keep)
    leader = _native.leaders(survey.digest, order, survey.ok)
    none = np.empty(0, np.uint32)
    return Base(documents, plan, engine, survey, order, leader, Candidates(none, none, 0, 0, 0))


def grouped(base: Base, wanted: Callable[[Base, Candidates], Bools]) -> Base:
    """Leaders that share a band key, are near or are joined, as far as the pairs are wanted."""
    survey, config = base.survey, base.plan.config
    leads: Bools = survey.ok & (survey.tokens > 0)
    leads &= base.leader == np.arange(len(survey), dtype=np.uint32)
    if config.exact_join:
        found = base.engine.join(base.documents, survey, leads)
    elif config.distance is not None:
        found = base.engine.near(survey, leads, config.distance)
    else:
        found = base.engine.group(survey, base.rank, leads, config.bucket_cap)
    return replace(base, candidates=found.where(wanted(base, found)))


def own(base: Base, candidates: Candidates) -> Bools:
    """All pairs but those of which both sides are on the other side of `--against`."""
    end = base.survey.starts[base.documents.own]
    mask: Bools = candidates.a < end  # a < b, and the other side is numbered last
    return mask


def verified(base: Base, sets: Gathered) -> tuple[Verified, int]:
    """The candidates that pass, and how many above the threshold the number guard refused."""
    plan, candidates = base.plan, base.candidates
    joined = sets.join(candidates.a, candidates.b, plan.threshold)
    passed = joined.similarity >= 0.0
    guarded = passed & plan.guards(base.survey, candidates, joined.numbers_differ)
    pairs = Verified(candidates.a, candidates.b, joined.similarity, joined.numbers_differ)
    return measured(base, pairs.where(passed & ~guarded)), int(guarded.sum())


def measured(base: Base, pairs: Verified) -> Verified:
    """The pairs that pass the second stage of verification, if there is one."""
    second = base.plan.config.second_stage
    if second is None or not len(pairs.a):
        return pairs
    asked = Candidates(pairs.a, pairs.b, 0, 0, len(pairs.a))
    passed = base.engine.measured(base.documents, base.survey, asked, *second)
    return replace(pairs.where(passed), refused=int(np.count_nonzero(~passed)))


def answer(base: Base, pairs: Verified, guarded: int, sets: Gathered | None) -> Found:
    """From verified pairs to what is kept: clusters of leaders, then their exact duplicates."""
    survey = base.survey
    partner, similarity, differ = cluster(base, pairs, sets)
    leader, number = base.leader, np.arange(len(survey), dtype=np.uint32)
    partner, similarity, differ = partner[leader], similarity[leader], differ[leader]
    # The other side of --against stays whatever its component says: a copy of it is one.
    copies = np.flatnonzero(leader >= survey.starts[base.documents.own])
    partner[copies], similarity[copies], differ[copies] = leader[copies], 1.0, False
    reason = np.where(partner == leader, EXACT, NEAR).astype(np.uint8)
    reason[partner == number] = NONE
    other = number >= survey.starts[base.documents.own]
    reason[other] = NONE
    return Found(base, pairs, guarded, np.where(other, number, partner), similarity, reason, differ)


def cluster(
    base: Base, pairs: Verified, sets: Gathered | None
) -> tuple[Documents32, npt.NDArray[np.float64], Bools]:
    """Partner, similarity to it, and whether their numbers differ, for each leader."""
    count = len(base.survey)
    differ = np.zeros(count, bool)
    if base.plan.config.cluster == "star":
        partner, similarity = _native.star(base.rank, pairs.a, pairs.b, pairs.similarity)
        for one, other in ((pairs.a, pairs.b), (pairs.b, pairs.a)):
            linked = pairs.numbers_differ & (partner[one] == other)
            differ[one[linked]] = True
        return partner, similarity, differ
    partner, similarity = _native.components(base.rank, pairs.a, pairs.b, pairs.similarity)
    child = np.flatnonzero(partner != np.arange(count)).astype(np.uint32)
    if sets is not None and len(child):
        joined = sets.join(child, partner[child], 0.0)
        similarity[child], differ[child] = joined.similarity, joined.numbers_differ
    return partner, similarity, differ
