"""The twin of C-MinHash-(sigma, pi) (Li, Li 2022, arXiv 2109.03337), in any universe."""

from __future__ import annotations

from collections.abc import Callable, Collection

from neardup.reference.hashes import MASK32, mix, splitmix


def cminhash(hashes: Collection[int], size: int = 128, seed: int = 42) -> list[int]:
    """C-MinHash on a circle of 2^32 places; a token's place is the high half of its mix."""
    places = {mix(token ^ splitmix(seed, 0)) >> 32 for token in hashes}
    slots = circulant_minima(places, size, 2**32, permute)
    return [min(value, MASK32 - 1) for value in slots] if places else [MASK32] * size


def circulant_minima(
    places: Collection[int], size: int, universe: int, permutation: Callable[[int], int]
) -> list[int]:
    """Each slot is the minimum of the permuted places, all of them moved on by its number.

    The paper has less variance than MinHash by this where the universe is small.
    """
    return [
        min((permutation((place + slot) % universe) for place in places), default=universe)
        for slot in range(size)
    ]


def permute(v: int) -> int:
    """Permute the 32-bit words (Wellons 2018)."""
    v = (v ^ v >> 16) * 0x7FEB352D & MASK32
    v = (v ^ v >> 15) * 0x846CA68B & MASK32
    return v ^ v >> 16
