"""The twin of SimHash (Charikar 2002) and of the search within d bits, by comparing all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neardup.reference.fast import draw
from neardup.reference.hashes import MASK32, splitmix


def simhash(hashes: Sequence[int], bits: int = 64, seed: int = 42) -> int:
    """Return the fingerprint: bit p is 1 if more than half of the hashes draw a one there.

    Repeats count. All ones is the fingerprint of no hashes, and of nothing else.
    """
    key, ones = splitmix(seed, 0), (1 << bits) - 1
    if not hashes:
        return ones
    draws = [sum(draw(x, key, word) << 64 * word for word in range(bits // 64)) for x in hashes]
    found = 0
    for place in range(bits):
        count = sum(y >> place & 1 for y in draws)
        found |= (2 * count > len(hashes)) << place
    return found - 1 if found == ones else found


def fingerprint_slots(fingerprint: int, bits: int = 64) -> list[int]:
    """Return a fingerprint as 32-bit slots, the low one first."""
    return [fingerprint >> at & MASK32 for at in range(0, bits, 32)]


def hamming(a: int, b: int) -> int:
    """Return the number of bits in which two fingerprints differ."""
    return (a ^ b).bit_count()


def within(fingerprints: Iterable[int], probe: int, distance: int) -> list[tuple[int, int]]:
    """Return number and distance of all fingerprints near one, nearest first, then by number."""
    every = [(hamming(each, probe), number) for number, each in enumerate(fingerprints)]
    return [(number, apart) for apart, number in sorted(every) if apart <= distance]
