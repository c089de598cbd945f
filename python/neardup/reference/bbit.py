"""The twin of b-bit minwise hashing (Li, Konig 2010, arXiv 0910.3349)."""

from __future__ import annotations

from collections.abc import Sequence

from neardup.reference.hashes import MASK32


def mix32(x: int) -> int:
    """Return the finaliser of MurmurHash3 of `x`, a bijection of 32-bit integers."""
    x = (x ^ x >> 16) * 0x85EBCA6B & MASK32
    x = (x ^ x >> 13) * 0xC2B2AE35 & MASK32
    return x ^ x >> 16


def low_bits(slots: Sequence[int], bits: int) -> list[int]:
    """Return the lowest bits of each slot, after a mix that makes them uniform."""
    return [mix32(slot) & (1 << bits) - 1 for slot in slots]


def pack(slots: Sequence[int], bits: int) -> list[int]:
    """Return the low bits of all slots in words of 64 bits, slot 0 at the low end."""
    row = sum(value << bits * j for j, value in enumerate(low_bits(slots, bits)))
    return [row >> at & (1 << 64) - 1 for at in range(0, bits * len(slots), 64)]


def packed_estimate(a: Sequence[int], b: Sequence[int], bits: int) -> float:
    """Estimate the Jaccard similarity from low bits: (P - C) / (1 - C), between 0 and 1."""
    share = sum(x == y for x, y in zip(a, b, strict=True)) / len(a)
    chance = 1 / (1 << bits)
    return min(1.0, max(0.0, (share - chance) / (1.0 - chance)))


def packed_variance(jaccard: float, size: int, bits: int, rho: float = 1.0) -> float:
    """Return the variance of an estimate that is not clamped; `rho` is that of the sketch."""
    return (1 - jaccard) / size * (jaccard * rho + 1 / ((1 << bits) - 1))
