"""The twin of MinHash (Broder 1997) by 32-bit affine functions."""

from __future__ import annotations

from collections.abc import Collection

from neardup.reference.hashes import MASK32, mix, splitmix


def factor(slot: int, seed: int) -> int:
    """Return the factor of a slot: eight of a lane, sixteen slots apart, are a progression."""
    block, v, lane = slot // 128, slot % 128 // 16, slot % 16
    mul, step = divmod(splitmix(seed, 1 + 16 * block + lane), 1 << 32)
    return mul + v * (step | 1) & MASK32


def minhash(hashes: Collection[int], size: int = 128, seed: int = 42) -> list[int]:
    """Each slot is the minimum of factor * z + w, z and w the halves of an element's mix."""
    draws = [divmod(mix(token ^ splitmix(seed, 0)), 1 << 32) for token in hashes]
    slots = []
    for slot in range(size):
        times = factor(slot, seed)
        values = (min(times * z + w & MASK32, MASK32 - 1) for z, w in draws)
        slots.append(min(values, default=MASK32))
    return slots
