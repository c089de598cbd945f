"""The engine `memory`: one process; what is kept of each document in memory, its text never."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup import _native
from neardup.engines.base import Bools, Candidates, Documents32, T
from neardup.engines.distinct import DistinctShingles
from neardup.engines.joined import ShingleSets, physical
from neardup.engines.tiles import Tiles
from neardup.errors import DataError, NeardupValueError, UsageError
from neardup.io.documents import Batches, Documents, Ids

if TYPE_CHECKING:
    from neardup.io.base import Batch, RawBatch
    from neardup.output import Output
    from neardup.plan import Plan
    from neardup.progress import Progress
    from neardup.survey import Survey


PAIR_BYTES = 64
"""Memory that a candidate pair takes at most, until it is verified."""


class MemoryEngine:
    """Runs a plan in this process.

    Parameters
    ----------
    plan : Plan
        Text spec, sketch, banding, threshold, threads and memory of the run.
    progress : Progress
        Who watches.
    """

    name = "memory"

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self.plan, self.progress = plan, progress

    def read(self, documents: Documents) -> Batches:
        """Pass one over all documents, in order, with progress."""
        self.progress.stage("sketching", documents.size())
        for batch in documents.batches():
            yield batch
            self.progress.advance(batch.nbytes, len(batch.texts))

    def map(self, batches: Iterable[Batch], kernel: Callable[[Batch], T]) -> Iterator[T]:
        """The kernel's result for each batch, in order; kernels have threads of their own."""
        return map(kernel, batches)

    def group(self, survey: Survey, rank: Documents32, leads: Bools, cap: int) -> Candidates:
        """Candidate pairs among the documents that lead, from equal band keys."""
        self.progress.stage("finding candidates")
        threads = self.plan.threads
        a, b, buckets, pairs = _native.candidate_pairs(survey.bands, rank, leads, cap, threads)
        return Candidates(a, b, buckets, pairs, len(a))

    def near(self, survey: Survey, leads: Bools, distance: int) -> Candidates:
        """All pairs of documents that lead whose fingerprints lie within the distance."""
        self.progress.stage("finding candidates")
        most = (self.plan.memory or physical() or 2**62) // PAIR_BYTES
        try:
            found = _native.hamming_pairs(survey.bands, leads, distance, most, self.plan.threads)
        except NeardupValueError as error:
            raise UsageError(
                f"{error}, which is what memory has room for; lower hamming or raise memory, or "
                "use bands and another sketch"
            ) from None
        a, b, _ = found
        return Candidates(a, b, 0, 0, len(a))

    def join(self, documents: Documents, survey: Survey, leads: Bools) -> Candidates:
        """All pairs of at least the threshold among the documents that lead, without bands."""
        sets = ShingleSets(self.plan, survey, leads)
        self._take(documents, survey, leads, sets.add)
        self.progress.stage("joining")
        return sets.join()

    def gather(self, documents: Documents, survey: Survey, pairs: Candidates) -> Tiles:
        """The contents of the candidate documents, in tiles on disk."""
        tiles = Tiles(self.plan, survey, pairs)
        try:
            wanted = np.zeros(len(survey), bool)
            wanted[tiles.document] = True
            self._take(documents, survey, wanted, tiles.add)
            self.progress.stage("verifying")
        except BaseException:
            tiles.close()
            raise
        return tiles

    def measured(
        self, documents: Documents, survey: Survey, pairs: Candidates, measure: str, least: float
    ) -> Bools:
        """Which pairs are at least so similar by an edit distance of their normalised texts."""
        from neardup.engines.measured import MeasuredTexts

        with MeasuredTexts(self.plan, survey, pairs) as texts:
            wanted = np.zeros(len(survey), bool)
            wanted[texts.document] = True
            self._take(documents, survey, wanted, texts.add, "reading pairs")
            self.progress.stage(f"measuring {measure}")
            return texts.passing(pairs.a, pairs.b, measure, least)

    def _take(
        self,
        documents: Documents,
        survey: Survey,
        wanted: Bools,
        add: Callable[[Batch], None],
        stage: str = "reading candidates",
    ) -> None:
        """Pass two over the wanted documents, with progress."""
        self.progress.stage(stage, int(survey.bytes[wanted].sum()))
        for batch in documents.some(wanted, survey.starts):
            add(batch)
            first = int(survey.starts[batch.source]) + batch.first_row
            part = slice(first, first + len(batch))
            done = wanted[part]
            self.progress.advance(int(survey.bytes[part][done].sum()), int(done.sum()))

    def write(
        self, documents: Documents, survey: Survey, keep: Bools, named: Bools, output: Output
    ) -> Ids:
        """The kept rows of each source, byte for byte; and the ids of the documents named."""
        if output.out is None:
            return self.ids(documents, survey, named)
        ids, wanted = Ids(named), documents.fields.id is not None
        self.progress.stage("writing", int(survey.bytes[survey.ok].sum()))
        for number in range(len(documents.sources)):
            start, end = survey.starts[number : number + 2].tolist()
            kept = bool(keep[start:end].any())
            if number < documents.own and not output.leaves_out(number, kept):
                with output.writer(number) as writer:
                    for first, last, raw in self._rows(documents, survey, number, named):
                        writer.write(raw, keep[first:last])
                        if wanted:
                            ids.take(first, raw.ids, raw.rows)
            elif wanted:
                for first, _, raw in self._rows(documents, survey, number, named):
                    ids.take(first, raw.ids, raw.rows)
        return ids

    def ids(self, documents: Documents, survey: Survey, named: Bools) -> Ids:
        """The ids of the documents named."""
        ids = Ids(named)
        if documents.fields.id is not None:
            self.progress.stage("reading ids", int(survey.bytes[survey.ok].sum()))
            for number in range(len(documents.sources)):
                for first, _, raw in self._rows(documents, survey, number, named):
                    ids.take(first, raw.ids, raw.rows)
        return ids

    def distinct(self, documents: Documents, survey: Survey, keep: Bools) -> dict[str, Any]:
        """Distinct shingles of all documents that were read, and of those kept."""
        counts, own = DistinctShingles(self.plan, survey, keep), survey.ok.copy()
        own[int(survey.starts[documents.own]) :] = False
        self._take(documents, survey, own, counts.add, "counting shingles")
        return counts.answer()

    def _rows(
        self, documents: Documents, survey: Survey, number: int, named: Bools
    ) -> Iterator[tuple[int, int, RawBatch]]:
        """Raw rows of a source with the numbers of their documents."""
        start, end = survey.starts[number : number + 2].tolist()
        last = start
        for raw in documents.sources[number].rows(documents.fields.id, named[start:end]):
            first, last = start + raw.first_row, start + raw.first_row + raw.rows
            if last > end:
                break
            yield first, last, raw
            self.progress.advance(int(survey.bytes[first:last].sum()), raw.rows)
        if last != end:
            message = "the data changed during the run. Run again when nothing writes to it"
            raise DataError(message, source=documents.sources[number].name)
