"""Normalised texts of verified pairs on disk, measured a tile at a time: the second stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.engines.base import Bools, Documents32
from neardup.engines.tiles import I64, Tiles
from neardup.io.atomic import scratch
from neardup.measures import edit, named

if TYPE_CHECKING:
    from neardup.io.base import Batch

_SLICE = 1024
"""Pairs measured in one call."""
_BYTES = 1 << 24
"""Bytes of text that are decoded for one call, but for a pair that is larger by itself."""
_ROUNDING = 1e-12
"""So much below the number still passes: 1 - 7/100 is a little less than 0.93."""
_MARGIN = 1e-3
"""Measures may give up this far below the number: at a cut-off itself rapidfuzz rounds."""


class MeasuredTexts(Tiles):
    """The normalised texts of the documents in `pairs`, gathered in one pass over the input."""

    def _sizes(self) -> I64:
        return self.survey.bytes[self.document].astype(np.int64) + 16

    def add(self, batch: Batch) -> None:
        """Keep the texts of the wanted documents in a batch."""
        first = int(self.survey.starts[batch.source]) + batch.first_row
        low, high = np.searchsorted(self.document, [first, first + len(batch.texts)])
        with scratch():
            for i in range(low, high):
                text = batch.texts[int(self.document[i]) - first].as_py()
                data = self.plan.spec.normalize(text).encode()
                tile = int(self.tile[i])
                self.start[i], self.shingles[i] = self.used[tile], len(data)
                self.used[tile] += len(data)
                self.files[tile].write(data)

    def passing(self, a: Documents32, b: Documents32, measure: str, least: float) -> Bools:
        """Which document pairs are at least so similar, two tiles in memory at a time."""
        cutoff, threads = max(0.0, least - _MARGIN), self.plan.threads
        tiles = self._tiles(a, b)
        order = np.argsort(tiles, kind="stable")
        passed = np.zeros(len(a), bool)
        ends = np.cumsum(np.bincount(tiles)).tolist()
        for both in np.unique(tiles).tolist():
            group = order[ends[both - 1] if both else 0 : ends[both]]
            held = {tile: self._bytes(tile) for tile in {both >> 8, both & 0xFF}}
            x, y = self.place[a[group]], self.place[b[group]]
            size = self.shingles[x] + self.shingles[y]
            first = 0
            while first < len(group):
                room = np.searchsorted(np.cumsum(size[first : first + _SLICE]), _BYTES, "right")
                part = slice(first, first + max(1, int(room)))
                left = [self._text(held, i) for i in x[part].tolist()]
                right = [self._text(held, i) for i in y[part].tolist()]
                found = edit.scores(named(measure), left, right, cutoff=cutoff, threads=threads)
                passed[group[part]] = found >= least - _ROUNDING
                first = part.stop
            del held  # before the next ones are there
        return passed

    def _bytes(self, tile: int) -> bytes:
        """The texts of one tile, one after the other."""
        file = self.files[tile]
        with scratch():
            file.seek(0)
            return file.read()

    def _text(self, held: dict[int, bytes], i: int) -> str:
        start = int(self.start[i])
        return held[int(self.tile[i])][start : start + int(self.shingles[i])].decode()
