"""The twin of MinHash by the universal family (a y + b) mod 2^61 - 1 (Carter, Wegman 1979)."""

from __future__ import annotations

from collections.abc import Collection

from neardup.reference.hashes import MASK32, mix, splitmix

PRIME = 2**61 - 1


def minhash61(hashes: Collection[int], size: int = 128, seed: int = 42) -> list[int]:
    """Each slot is the high 32 of the 61 bits of a minimum."""
    elements = [mix(token ^ splitmix(seed, 0)) % PRIME for token in hashes]
    slots = []
    for slot in range(size):
        a = 1 + splitmix(seed, 1 + 2 * slot) % (PRIME - 1)
        b = splitmix(seed, 2 + 2 * slot) % PRIME
        values = (min((a * y + b) % PRIME >> 29, MASK32 - 1) for y in elements)
        slots.append(min(values, default=MASK32))
    return slots
