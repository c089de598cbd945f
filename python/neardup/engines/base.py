"""What the plan asks of an engine: read, map, find pairs, gather, write; no more differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from neardup.io.base import Batch
    from neardup.io.documents import Batches, Documents, Ids
    from neardup.output import Output
    from neardup.survey import Survey

Bools = npt.NDArray[np.bool_]
Documents32 = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]
T = TypeVar("T")


@dataclass(frozen=True)
class Candidates:
    """Pairs that share a band key, or are found without bands: each once, `a < b` by number.

    Attributes
    ----------
    a, b : numpy.ndarray of uint32
        Document numbers.
    capped_buckets, capped_pairs : int
        Buckets above the cap, and the pairs in them that were not compared.
    compared : int
        How many pairs there are, or were before some were dropped that did not pass.
    """

    a: Documents32
    b: Documents32
    capped_buckets: int
    capped_pairs: int
    compared: int

    def where(self, mask: Bools) -> Candidates:
        """The pairs of a mask."""
        a, b = self.a[mask], self.b[mask]
        return Candidates(a, b, self.capped_buckets, self.capped_pairs, len(a))


@dataclass(frozen=True)
class Verified:
    """Candidate pairs that passed, in the order of the candidates.

    Attributes
    ----------
    a, b : numpy.ndarray of uint32
        Document numbers.
    similarity : numpy.ndarray of float64
        Exact Jaccard, or the estimate where asked for.
    numbers_differ : numpy.ndarray of bool
        Each of the two texts has a number that the other lacks.
    refused : int
        Pairs that are not here since the measure of `--verify` refused them.
    """

    a: Documents32
    b: Documents32
    similarity: Floats
    numbers_differ: Bools
    refused: int = 0

    def where(self, mask: Bools) -> Verified:
        """The pairs of a mask."""
        a, b = self.a[mask], self.b[mask]
        return Verified(a, b, self.similarity[mask], self.numbers_differ[mask], self.refused)


@dataclass(frozen=True)
class Joined:
    """What the texts of document pairs say, one entry a pair.

    Attributes
    ----------
    similarity : numpy.ndarray of float64
        -1 where it is below the threshold asked for.
    numbers_differ : numpy.ndarray of bool
        Each of the two texts has a number that the other lacks.
    """

    similarity: Floats
    numbers_differ: Bools


class Gathered(Protocol):
    """The contents of the candidate documents, ready to be joined; a context manager."""

    def __enter__(self) -> Gathered:
        """Begin."""

    def __exit__(self, *exception: object) -> None:
        """Let go of the contents."""

    def join(self, a: Documents32, b: Documents32, threshold: float) -> Joined:
        """Similarity of document pairs, all of them candidates."""


class Engine(Protocol):
    """Moves rows between the stages of the plan; what a stage computes is not its affair."""

    name: str

    def read(self, documents: Documents) -> Batches:
        """Pass one over all documents, in order, with progress."""

    def map(self, batches: Iterable[Batch], kernel: Callable[[Batch], T]) -> Iterator[T]:
        """The kernel's result for each batch, in order."""

    def group(self, survey: Survey, rank: Documents32, leads: Bools, cap: int) -> Candidates:
        """Candidate pairs among the documents that lead, from equal band keys."""

    def near(self, survey: Survey, leads: Bools, distance: int) -> Candidates:
        """All pairs of documents that lead whose fingerprints lie within the distance."""

    def join(self, documents: Documents, survey: Survey, leads: Bools) -> Candidates:
        """All pairs of at least the threshold among the documents that lead, without bands."""

    def gather(self, documents: Documents, survey: Survey, pairs: Candidates) -> Gathered:
        """The contents of all documents in `pairs`, taken from their texts in a second pass."""

    def measured(
        self, documents: Documents, survey: Survey, pairs: Candidates, measure: str, least: float
    ) -> Bools:
        """Which pairs are at least so similar by an edit distance of their normalised texts."""

    def write(
        self, documents: Documents, survey: Survey, keep: Bools, named: Bools, output: Output
    ) -> Ids:
        """The kept rows of each source, byte for byte; and the ids of the documents named."""

    def ids(self, documents: Documents, survey: Survey, named: Bools) -> Ids:
        """The ids of the documents named."""

    def distinct(self, documents: Documents, survey: Survey, keep: Bools) -> dict[str, Any]:
        """Distinct shingles of all documents that were read, and of those kept."""
