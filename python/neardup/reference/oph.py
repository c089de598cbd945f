"""The twin of one-permutation hashing with optimal densification (Shrivastava 2017)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from neardup.reference.fast import draw
from neardup.reference.hashes import MASK32, splitmix

DRAWS = 32


def oph(hashes: Collection[int], size: int = 128, seed: int = 42) -> list[int]:
    """Each element falls into one bin, which keeps the minimum; empty ones borrow and are odd."""
    key = splitmix(seed, 0)
    bins: dict[int, int] = {}
    for token in hashes:
        y = draw(token, key, 0)
        slot, value = (y >> 32) * size >> 32, min(y & MASK32 >> 1, (MASK32 >> 1) - 1)
        bins[slot] = min(bins.get(slot, value), value)
    if not bins:
        return [MASK32] * size
    return [
        2 * bins[slot] if slot in bins else 2 * bins[lender(slot, size, seed, bins)] + 1
        for slot in range(size)
    ]


def lender(slot: int, size: int, seed: int, bins: Collection[int]) -> int:
    """Return the first occupied bin in the order of a slot: draws, then the least draw of a bin."""
    state = splitmix(seed, 1 + slot)
    drawn = (((splitmix(state, i) >> 32) * size) >> 32 for i in range(DRAWS))
    hit = next((bin for bin in drawn if bin in bins), None)
    return min(bins, key=lambda bin: splitmix(state, DRAWS + bin)) if hit is None else hit


def estimate_oph(a: Sequence[int], b: Sequence[int]) -> float:
    """Estimate from the bins that either set occupies: equal ones over all of them."""
    own = [(x, y) for x, y in zip(a, b, strict=True) if x % 2 == 0 or y % 2 == 0]
    return sum(x == y for x, y in own) / max(len(own), 1)
