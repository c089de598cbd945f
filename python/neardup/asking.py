"""Pairs to ask a person about, drawn in bands of similarity; the answers, and what they say."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.errors import DataError, UsageError

if TYPE_CHECKING:
    from neardup.config import Config
    from neardup.io.base import Source
    from neardup.plan import Found
    from neardup.progress import Progress

I64 = npt.NDArray[np.int64]

EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
ANSWERS = ("same", "family", "different", "unsure")
HEAD = "source_a\trow_a\tsource_b\trow_b\tsimilarity\tanswer"


@dataclass(frozen=True)
class Asked:
    """A pair to ask about.

    Attributes
    ----------
    band : int
        Which of the bands between `EDGES` its similarity is in; the last one is closed.
    a, b : int
        Document numbers.
    key : str
        Sources and rows of both, as the file of answers names them.
    """

    band: int
    a: int
    b: int
    similarity: float
    key: str


@dataclass(frozen=True)
class Band:
    """How a band was answered.

    Attributes
    ----------
    pairs, families : int
        Pairs in it, and chains of similar texts that they are of.
    counts : dict
        How often each of `ANSWERS` was given.
    """

    low: float
    high: float
    pairs: int
    families: int
    counts: dict[str, int]

    @property
    def judged(self) -> int:
        """Answers that say something."""
        return sum(self.counts[name] for name in ANSWERS[:3])

    def share(self, *names: str) -> tuple[float, float, float]:
        """The share of some answers among those that say something, and its 95 % interval."""
        hits, total = sum(self.counts[name] for name in names), self.judged
        return (hits / total if total else math.nan, *wilson(hits, total))


def wilson(hits: int, total: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927; Brown, Cai, DasGupta 2001, equation 4).

    Examples
    --------
    >>> [round(end, 4) for end in wilson(0, 40)], [round(end, 4) for end in wilson(20, 40)]
    ([0.0, 0.0876], [0.352, 0.648])
    """
    if not total:
        return 0.0, 1.0
    share, square = hits / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    half /= 1 + square / total
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass
class Questions:
    """What to ask of a collection, and how much of each band there is."""

    found: Found
    asked: list[Asked]
    pairs: list[int]
    families: list[int]
    spec: str
    answers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Sequence[Source], config: Config, progress: Progress) -> Questions:
        """Join a collection exactly and draw pairs.

        Exact duplicates are folded first. In each band pairs are drawn at random, by `seed`, one a
        family (a chain of similar texts) as long as there are enough: else the largest family
        would be all that is asked about.
        """
        from dataclasses import replace

        from neardup import grid
        from neardup.api import execute
        from neardup.scores import components

        config = replace(config, threshold=EDGES[0], exact_join=True, preset=None)
        held = grid.held(config, sources, None, progress)
        found = execute(config, held, progress)[0]
        similarity = found.pairs.similarity
        sides = np.stack([found.pairs.a, found.pairs.b], axis=1).astype(np.int64)
        family = components(sides, len(found.base.survey))[sides[:, 0]]
        band = np.minimum(np.searchsorted(EDGES, similarity, side="right"), len(EDGES) - 1) - 1
        rng = np.random.default_rng(config.seed)
        asked: list[Asked] = []
        drawn: list[I64] = []
        pairs, families = [], []
        for number in range(len(EDGES) - 1):
            mine = rng.permutation(np.flatnonzero(band == number))
            first = np.sort(np.unique(family[mine], return_index=True)[1])
            rest = np.setdiff1d(np.arange(len(mine)), first)
            drawn.append(mine[np.concatenate([first, rest])[: config.per_band]])
            pairs.append(len(mine))
            families.append(len(first))
            for place in drawn[-1].tolist():
                a, b = sides[place].tolist()
                key = "\t".join(_place(found, each) for each in (a, b))
                asked.append(Asked(number, a, b, float(similarity[place]), key))
        # Every band gets its share of the answers, however early a person stops.
        turn = np.concatenate([np.arange(len(each)) for each in drawn])
        order = np.lexsort([rng.random(len(asked)), turn])
        spec = config.text_spec
        return cls(found, [asked[i] for i in order.tolist()], pairs, families, spec)

    def read(self, path: str) -> None:
        """Take the answers of earlier sittings from a file, if it is there.

        Raises
        ------
        UsageError
            The answers are to another collection or text spec.
        DataError
            A line is no answer.
        """
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        if lines[0] != f"# {self.spec}" or lines[1:2] != [HEAD]:
            raise UsageError(
                f"{path}: not answers under {self.spec}; name another file with --answers"
            )
        keys = {each.key for each in self.asked}
        for number, line in enumerate(lines[2:-1], 3):  # a last line without end was cut off
            *key, _, answer = line.split("\t")
            if len(key) != 4 or answer not in ANSWERS:
                message = f"not an answer: {line!r}; mend the line, or take it out"
                raise DataError(message, source=path, line=number)
            self.answers["\t".join(key)] = answer
        if self.answers and not keys & self.answers.keys():
            raise UsageError(
                f"{path}: answers to another collection; name another file with --answers"
            )

    def write(self, path: str) -> None:
        """Write all answers, finished or not at all."""
        from neardup.io import write_bytes, writing

        similarity = {each.key: each.similarity for each in self.asked}
        lines = [f"# {self.spec}", HEAD]
        for key, answer in self.answers.items():
            lines.append(f"{key}\t{similarity.get(key, math.nan):.6f}\t{answer}")
        with writing(path):
            write_bytes(path, ("\n".join(lines) + "\n").encode())

    def open(self) -> list[Asked]:
        """What is still to be asked, in order."""
        return [each for each in self.asked if each.key not in self.answers]

    def bands(self) -> list[Band]:
        """How each band was answered so far."""
        counts = [dict.fromkeys(ANSWERS, 0) for _ in self.pairs]
        for each in self.asked:
            if each.key in self.answers:
                counts[each.band][self.answers[each.key]] += 1
        rows = zip(EDGES[:-1], EDGES[1:], self.pairs, self.families, counts, strict=True)
        return [Band(*row) for row in rows]


def facts(questions: Questions) -> list[dict[str, Any]]:
    """The bands as numbers, ready for JSON."""
    rows = []
    for band in questions.bands():
        share, low, high = band.share("different")
        rows.append(
            {
                "from": band.low,
                "to": band.high,
                "pairs": band.pairs,
                "families": band.families,
                **band.counts,
                "different_share": None if math.isnan(share) else share,
                "different_low": low,
                "different_high": high,
            }
        )
    return rows


def _place(found: Found, document: int) -> str:
    """Source and row, with a tab between."""
    source, row = found.base.survey.place(document)
    name = found.base.documents.sources[source].name
    return f"{name.translate({9: ' ', 10: ' '})}\t{row}"
