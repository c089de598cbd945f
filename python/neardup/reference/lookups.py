"""The twin of the lookups: runners-up, probes, Bloom bands, the forest, containment."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence, Set

from neardup.reference.answers import band_key, band_keys
from neardup.reference.fast import EMPTY_SLOT, ROUNDS, draw, estimate, stage
from neardup.reference.hashes import MASK32, splitmix


def values(token: int, size: int, seed: int, rounds: int) -> dict[int, int]:
    """For each slot the least value that one element brings to it, over all rounds and the fill."""
    key, least = splitmix(seed, 0), {}
    z = draw(token, key, rounds) >> 32
    for slot in range(size):
        mul, add = divmod(splitmix(seed, slot + 1), 1 << 32)
        value = stage(rounds) | ((mul | 1) * z + add & MASK32) >> rounds
        least[slot] = min(value, EMPTY_SLOT - 1)
    for i in range(rounds):
        y = draw(token, key, i)
        slot = (y >> 32) * size >> 32
        least[slot] = min(least[slot], stage(i) | y & MASK32 >> i + 1)
    return least


def runners_up(
    hashes: Collection[int], size: int = 128, seed: int = 42, rounds: int = ROUNDS
) -> list[int]:
    """The second smallest of the distinct values that elements bring to each slot, or EMPTY."""
    brought = [values(token, size, seed, rounds) for token in set(hashes)]
    ordered = (sorted({own[slot] for own in brought}) for slot in range(size))
    return [([*each, EMPTY_SLOT, EMPTY_SLOT])[1] for each in ordered]


def probes(
    first: Sequence[int], second: Sequence[int], bands: int, rows: int
) -> list[tuple[int, int]]:
    """Band and key of each band, and of each with one slot replaced by its runner-up."""
    keys = list(enumerate(band_keys(first, bands, rows)))
    for band in range(bands if keys else 0):
        for slot in range(band * rows, (band + 1) * rows):
            if second[slot] != EMPTY_SLOT:
                changed = [*first[:slot], second[slot], *first[slot + 1 :]]
                keys.append((band, band_key(band, changed[band * rows : (band + 1) * rows])))
    return keys


def probed_curve(jaccard: float, bands: int, rows: int, both: bool) -> float:
    """Probability of being found, term by term: what one band's slots may do, and still be found.

    A slot fits (J), fits by the runner-up of one side (a each), or by both runners-up alone (c).
    """
    one = (1 - jaccard) / 2
    a, c, r = jaccard * one, 2 * jaccard * one * one, rows
    band = jaccard**r + r * jaccard ** (r - 1) * a
    if both:
        band += r * jaccard ** (r - 1) * (a + c)
        band += sum(jaccard ** (r - 2) * a * a for i in range(r) for j in range(r) if i != j)
    return float(1 - (1 - band) ** bands)


def bloom_design(capacity: int, rate: float, bands: int) -> tuple[int, int]:
    """Bits set for a key, and words of 64 bits of each filter (LSHBloom, arXiv 2411.04257)."""
    each = -math.expm1(math.log1p(-rate) / bands)
    hashes = max(round(-math.log2(each)), 1)
    share = each ** (1 / hashes)
    bits = -1 / math.expm1(math.log1p(-share) / (hashes * capacity))
    return hashes, max(math.ceil(bits / 64), 1)


class Bloom:
    """One filter a band; a set of positions stands for the bits."""

    def __init__(self, bands: int, rows: int, capacity: int, rate: float) -> None:
        self.bands, self.rows = bands, rows
        self.hashes, self.words = bloom_design(capacity, rate, bands)
        self.bits: list[set[int]] = [set() for _ in range(bands)]

    def _places(self, signature: Sequence[int]) -> Iterable[set[int]]:
        for key in band_keys(signature, self.bands, self.rows):
            yield {splitmix(key, i) * 64 * self.words >> 64 for i in range(self.hashes)}

    def check_and_add(self, signature: Sequence[int]) -> bool:
        """Whether a band was seen before; if none was, all are from now on."""
        places = list(self._places(signature))
        flag = any(own <= bits for own, bits in zip(places, self.bits, strict=False))
        if not flag:
            for own, bits in zip(places, self.bits, strict=False):
                bits |= own
        return flag


def forest(
    rows: Sequence[Sequence[int]], query: Sequence[int], trees: int, depth: int, k: int, enough: int
) -> list[tuple[int, float]]:
    """The best k by estimate of the rows that share the longest prefixes with the query."""
    size = len(query)

    def path(signature: Sequence[int], tree: int) -> Sequence[int]:
        start = tree * size // trees
        return [*signature[start:], *signature[:start]][:depth]

    found: list[int] = []
    for level in range(depth, 0, -1):
        found = [
            i
            for i, row in enumerate(rows)
            if set(row) != {EMPTY_SLOT} != set(query)
            and any(path(row, tree)[:level] == path(query, tree)[:level] for tree in range(trees))
        ]
        if len(found) >= enough:
            break
    ranked = [(i, estimate(query, rows[i])) for i in found]
    return sorted(ranked, key=lambda entry: (-entry[1], entry[0]))[:k]


def containing(
    passage: Set[int], texts: Sequence[Set[int]], threshold: float
) -> list[tuple[int, float]]:
    """Texts that have enough of the shingles of a passage, best first."""
    shares = [(i, len(passage & text) / max(len(passage), 1)) for i, text in enumerate(texts)]
    passed = [entry for entry in shares if entry[1] >= threshold]
    return sorted(passed, key=lambda entry: (-entry[1], entry[0]))
