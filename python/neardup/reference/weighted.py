"""The twins of weighted sketches: copies of tokens, ICWS (Ioffe 2010), DartMinHash (2020)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from math import floor, inf, ldexp

from neardup.reference.fast import EMPTY_SLOT
from neardup.reference.hashes import GAMMA, MASK32, MASK64, mix, splitmix

Weights = Mapping[int, float]


def copies(weights: Weights) -> set[int]:
    """Each token hash as so many hashes as it weighs, itself the first."""
    every = ((token, i) for token, weight in weights.items() for i in range(int(weight)))
    return {mix(token + GAMMA * i & MASK64) if i else token for token, i in every}


def logarithm(x: float) -> float:
    """Return ln(x) for x > 0: 2^e m, m nearest to 1, and 2 artanh((m-1) / (m+1)) by its series."""
    if x < 2.0**-1022:
        return logarithm(x * 2.0**52) - 52.0 * 0.6931471805599453
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    e = (bits - 0x3FE6A09E667F3BCC) >> 52
    m: float = struct.unpack("<d", struct.pack("<q", bits - (e << 52)))[0]
    s = (m - 1.0) / (m + 1.0)
    total = 1.0 / 23.0
    for i in range(21, 0, -2):
        total = total * (s * s) + 1.0 / i
    return e * 0.6931471805599453 + 2.0 * s * total


def gamma(word: int) -> float:
    """Draw from Gamma(2, 1): minus the logarithm of a product of two uniform numbers."""
    return -logarithm(((word >> 32) + 0.5) * (((word & MASK32) + 0.5) * 2.0**-64))


def icws_sketch(weights: Weights, size: int = 128, seed: int = 42) -> list[int]:
    """Algorithm 1 of Ioffe; a slot is a hash of the token that won and its t."""
    slots = []
    for slot in range(size):
        best = (inf, EMPTY_SLOT)
        for token, weight in weights.items():
            if weight:
                state = mix(token ^ splitmix(seed, 0))
                draws = (mix(state + GAMMA * (3 * slot + i) & MASK64) for i in (1, 2, 3))
                first, second, third = draws
                r, c = gamma(first), gamma(second)
                beta = ((third >> 12) + 0.5) * 2.0**-52
                t = float(floor(logarithm(weight) / r + beta))
                (bits,) = struct.unpack("<Q", struct.pack("<d", t))
                name = min(mix(state ^ bits) >> 32, EMPTY_SLOT - 1)
                best = min(best, (logarithm(c) - r * (t - beta + 1.0), name))
        slots.append(best[1])
    return slots


AREA = [1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.25]
"""Area of a tile of each kind, which is the mean number of its darts."""
NONE = {
    1.0: 0.36787944117144233,
    0.5: 0.6065306597126334,
    0.25: 0.7788007830714049,
    0.125: 0.8824969025845955,
    0.0625: 0.9394130628134758,
    0.03125: 0.9692332344763441,
}
"""exp(-area): the probability of no dart."""


def darts(tile: int, area: float) -> Iterator[int]:
    """Yield the state of each dart of a tile, of which there are Poisson(area)."""
    total, term = 0.0, NONE[area]
    for n in range(13):
        total, term = total + term, term * area / (n + 1)
        if tile >> 32 < min(int(total * 2.0**32), MASK32):
            return
        yield tile + GAMMA * (2 * n + 1) & MASK64


def tile(state: int, kind: int, band: int, row: int = 0) -> int:
    """Hash the tile of an element."""
    number = kind << 32 | band + 4096
    return mix(state + number * 0xD1B54A32D192ED03 + GAMMA * row & MASK64)


def hits(state: int, weight: float, band: int) -> Iterator[int]:
    """Yield the darts of an element with ranks in [2^band, 2^(band+1)) and below its weight."""
    end = ldexp(weight, band)
    for kind in range(1, 10):
        together = (1, 1, 2, 4, 8, 8, 8, 8, 8, 64)[kind]
        for dart in darts(tile(state, kind, band // together), AREA[kind]):
            place = mix(dart)
            at = ((place >> 12) + 0.5) * 2.0**-52
            depth = at / 256 if kind == 9 else (1.0 + at) / 2**kind
            if place % together == band % together and depth < end:
                yield dart
    row = 1
    while row < end:
        for dart in darts(tile(state, 0, band, row), 1.0):
            if ((mix(dart) >> 12) + 0.5) * 2.0**-52 < end - row:
                yield dart
        row += 1


def dart_sketch(weights: Weights, size: int = 128, seed: int = 42) -> list[int]:
    """Each slot is the least rank of all darts in its bin that are below the weights."""
    elements = [(mix(x ^ splitmix(seed, 0)), w) for x, w in weights.items() if w]
    slots, total = [EMPTY_SLOT] * size, ordered_sum(weights)
    if not elements:
        return slots
    bits = size.bit_length() - 1
    band = (size * (bits + 1)).bit_length() - 2 - log2(total) - 64
    while EMPTY_SLOT in slots and band < 2047:
        for state, weight in elements:
            for dart in hits(state, weight, band):
                word = mix(dart + GAMMA & MASK64)
                slot = (word >> 32) * size >> 32
                slots[slot] = min(slots[slot], band + 2048 << 20 | word & 0xFFFFF)
        band += 1
    return slots


def ordered_sum(weights: Weights) -> float:
    """Add up the weights in the order of their tokens, one after the other."""
    total = 0.0
    for _, weight in sorted(weights.items()):
        total += weight
    return total


def log2(x: float) -> int:
    """Return the whole part of the binary logarithm."""
    numerator, denominator = x.as_integer_ratio()  # the latter a power of two
    return numerator.bit_length() - denominator.bit_length()


def weighted_jaccard(a: Weights, b: Weights) -> float:
    """Sum of the smaller weights over the sum of the larger ones."""
    pairs = [(a.get(x, 0.0), b.get(x, 0.0)) for x in {*a, *b}]
    return sum(map(min, pairs)) / sum(map(max, pairs))
