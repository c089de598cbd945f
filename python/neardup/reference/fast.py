"""The twin of Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017, arXiv 1704.04370)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from neardup.reference.hashes import GAMMA, MASK32, MASK64, mix, splitmix

EMPTY_SLOT, ROUNDS = MASK32, 4


def draw(token: int, key: int, i: int) -> int:
    """Return the 64 random bits of a token hash in round `i`."""
    y = mix(token ^ key)
    return mix(y + GAMMA * i & MASK64) if i else y


def stage(i: int) -> int:
    """Return the least value of stage `i`: stage 0 has half of the values, stage 1 a quarter ..."""
    return MASK32 - (MASK32 >> i)


def fast_sketch(
    hashes: Collection[int], size: int = 128, seed: int = 42, rounds: int = ROUNDS
) -> list[int]:
    """Each slot is the minimum over all elements, `rounds` random rounds and one fill."""
    key, slots = splitmix(seed, 0), [EMPTY_SLOT] * size
    for i in range(rounds):
        for token in hashes:
            y = draw(token, key, i)
            slot = (y >> 32) * size >> 32
            slots[slot] = min(slots[slot], stage(i) | y & MASK32 >> i + 1)
    filling = {draw(token, key, rounds) >> 32 for token in hashes}
    for slot in range(size):
        mul, add = divmod(splitmix(seed, slot + 1), 1 << 32)
        for z in filling:
            value = stage(rounds) | ((mul | 1) * z + add & MASK32) >> rounds
            slots[slot] = min(slots[slot], value, EMPTY_SLOT - 1)
    return slots


def algorithm_1(hashes: Collection[int], size: int = 128, seed: int = 42) -> list[float]:
    """Algorithm 1 of the paper in full: `size` random rounds, then each slot in turn for all."""
    key, slots = splitmix(seed, 0), [float("inf")] * size
    for i in range(2 * size if hashes else 0):
        for token in hashes:
            y = draw(token, key, i)
            slot = (y >> 32) * size >> 32 if i < size else i - size
            slots[slot] = min(slots[slot], i + (y & MASK32) / 2**32)
        if max(slots) < float("inf"):  # between rounds, never inside one
            break
    return slots


def estimate(a: Sequence[float], b: Sequence[float]) -> float:
    """Estimate the Jaccard similarity of two sets: the share of equal slots; 0 for an empty set."""
    return sum(x == y != EMPTY_SLOT for x, y in zip(a, b, strict=True)) / len(a)
