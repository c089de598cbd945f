"""The twin of SuperMinHash (Ertl 2017, arXiv 1706.05698)."""

from __future__ import annotations

from collections.abc import Collection

from neardup.reference.fast import draw
from neardup.reference.hashes import MASK32, splitmix


def superminhash(hashes: Collection[int], size: int = 128, seed: int = 42) -> list[int]:
    """Each element visits all slots in an order of its own, and leaves the larger values later."""
    key, slots = splitmix(seed, 0), [MASK32] * size
    fraction = 32 - (size - 1).bit_length()
    for token in hashes:
        order = list(range(size))
        for stage in range(size):
            y = draw(token, key, stage)
            other = stage + ((y >> 32) * (size - stage) >> 32)
            order[stage], order[other] = order[other], order[stage]
            value = stage << fraction | (y & MASK32) >> 32 - fraction
            slots[order[stage]] = min(slots[order[stage]], value, MASK32 - 1)
    return slots
