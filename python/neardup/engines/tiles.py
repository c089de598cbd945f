"""Shingle sets of candidates on disk, verified a tile at a time so that memory stays bounded.

A tile holds documents that became candidates together (a component of the candidate graph) as far
as it has room, so that nearly every pair lies within one tile and each set is read once.
"""

from __future__ import annotations

import tempfile
from typing import IO, TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from neardup import _native
from neardup.columns import native_column
from neardup.engines.base import Candidates, Documents32, Joined
from neardup.io.atomic import scratch

if TYPE_CHECKING:
    from neardup.io.base import Batch
    from neardup.plan import Plan
    from neardup.survey import Survey

I64 = npt.NDArray[np.int64]

DEFAULT_MEMORY = 128 << 20
"""Bytes of shingle sets held at a time unless `--memory` says otherwise; more is no faster, since
few components of candidates fill half of it."""
MOST_TILES = 192
"""Files open at once, below the 256 that some systems allow; tiles grow instead."""
_SLICE = 1 << 18
"""Pairs compared in one call."""


class Tiles:
    """The shingle sets of the documents in `pairs`, gathered in one pass over the input."""

    def __init__(self, plan: Plan, survey: Survey, pairs: Candidates) -> None:
        self.plan, self.survey = plan, survey
        self.place = np.zeros(len(survey), np.uint32)  # document > candidate
        self.place[pairs.a] = self.place[pairs.b] = 1
        self.document = np.flatnonzero(self.place).astype(np.uint32)  # candidate > document
        count = len(self.document)
        self.place[self.document] = np.arange(count, dtype=np.uint32)
        self.tile = self._assign(pairs)
        self.start, self.shingles, self.numbers = (np.zeros(count, np.int64) for _ in range(3))
        self.used = np.zeros(int(self.tile.max(initial=0)) + 1, np.int64)
        self.files: list[IO[bytes]] = []
        with scratch():
            for _ in self.used:
                self.files.append(tempfile.TemporaryFile(prefix="neardup-"))  # noqa: SIM115 - closed by close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        for file in self.files:
            file.close()

    def _sizes(self) -> I64:
        """About how many bytes each document will take."""
        return 8 * (self.survey.tokens[self.document].astype(np.int64) + 2)

    def _assign(self, pairs: Candidates) -> npt.NDArray[np.uint8]:
        """A tile for each candidate document: components together, in order, up to the room."""
        a, b = self.place[pairs.a], self.place[pairs.b]
        size = self._sizes()
        room = (self.plan.memory or DEFAULT_MEMORY) // 2  # two tiles at a time
        room = max(room, int(size.sum()) // MOST_TILES + 1)
        rank = np.arange(len(self.document), dtype=np.uint32)
        component, _ = _native.components(rank, a, b, np.ones(len(a)))
        order = np.argsort(component, kind="stable")
        tile = np.empty(len(order), np.uint8)
        tile[order] = (np.cumsum(size[order]) - size[order]) // room
        return tile

    def add(self, batch: Batch) -> None:
        """Keep the shingle sets of the candidates in a batch."""
        first = int(self.survey.starts[batch.source]) + batch.first_row
        low, high = np.searchsorted(self.document, [first, first + len(batch.texts)])
        if low == high:
            return
        rows = (self.document[low:high] - np.uint32(first)).astype(np.uint32)
        column = native_column(batch.texts)
        values, shingles, numbers = self.plan.contents(column, rows, batch.first_row)
        self.shingles[low:high], self.numbers[low:high] = shingles, numbers
        length = shingles + numbers
        end = np.cumsum(length)
        for tile in np.unique(self.tile[low:high]).tolist():
            mine = np.flatnonzero(self.tile[low:high] == tile)
            at = self.used[tile] + np.cumsum(length[mine]) - length[mine]
            self.start[low + mine] = at
            self.used[tile] += int(length[mine].sum())
            with scratch():
                if len(mine) == high - low:
                    self.files[tile].write(values.data)
                else:
                    for i in mine.tolist():
                        self.files[tile].write(values[end[i] - length[i] : end[i]].data)

    def join(self, a: Documents32, b: Documents32, threshold: float) -> Joined:
        """Similarity of document pairs, two tiles in memory at a time."""
        tiles = self._tiles(a, b)
        order = np.argsort(tiles, kind="stable").astype(np.uint32)
        ends = np.cumsum(np.bincount(tiles)).tolist()
        similarity = np.full(len(a), -1.0)
        differ = np.zeros(len(a), bool)
        for both in np.unique(tiles).tolist():
            group = order[ends[both - 1] if both else 0 : ends[both]]
            values, start = self._load(both >> 8, both & 0xFF)
            numbers = start + self.shingles
            for begin in range(0, len(group), _SLICE):
                part = group[begin : begin + _SLICE]
                x, y = self.place[a[part]], self.place[b[part]]
                found = self.plan.compare(values, start, self.shingles, x, y, threshold)
                similarity[part] = found
                passed = found >= 0.0
                differ[part[passed]] = _native.both_have_more(
                    values, numbers, self.numbers, x[passed], y[passed], self.plan.threads
                )
            del values  # before the next ones are there
        return Joined(similarity, differ)

    def _tiles(self, a: Documents32, b: Documents32) -> npt.NDArray[np.uint16]:
        """The two tiles of each pair as one number, the lower tile in its high byte."""
        left, right = (self.tile[self.place[side]].astype(np.uint16) for side in (a, b))
        both: npt.NDArray[np.uint16] = np.minimum(left, right) * np.uint16(256)
        both += np.maximum(left, right)
        return both

    def _load(self, one: int, other: int) -> tuple[npt.NDArray[np.uint64], I64]:
        """The contents of one tile or two, and where each document's begin in them."""
        base = np.zeros(len(self.used), np.int64)
        base[other] = 0 if one == other else self.used[one]
        values = np.empty(base[other] + self.used[other], np.uint64)
        for tile in {one, other}:
            file = self.files[tile]
            with scratch():
                file.seek(0)  # writes what is still in the buffer
            part = values[base[tile] : base[tile] + self.used[tile]]
            file.readinto(part.data)  # type: ignore[attr-defined]
        return values, self.start + base[self.tile]
