"""The twin of the hashes: SplitMix64, and XXH3 with the default secret (xxHash 0.2.0)."""

from __future__ import annotations

from collections.abc import Sequence

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15  # the first 64 bits of the fractional part of the golden ratio

PRIME32_1, PRIME32_2, PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIME64_1, PRIME64_2, PRIME64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME64_4, PRIME64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
PRIME_MX1, PRIME_MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def mix(x: int) -> int:
    """Return the SplitMix64 finaliser of `x`, a bijection of 64-bit integers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


def splitmix(seed: int, i: int) -> int:
    """Return output `i` of the SplitMix64 generator seeded with `seed`."""
    return mix(seed + GAMMA * (i + 1) & MASK64)


def _word(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _secret(at: int, other: int, size: int = 8) -> int:
    return _word(SECRET, at, size) ^ _word(SECRET, other, size)


def _swap(x: int, size: int = 8) -> int:
    return int.from_bytes(x.to_bytes(size, "little"), "big")


def _rotate(x: int, by: int, bits: int = 64) -> int:
    return (x << by | x >> bits - by) & (1 << bits) - 1


def fold(a: int, b: int) -> int:
    return a * b & MASK64 ^ a * b >> 64


def _avalanche(h: int) -> int:
    h = ((h ^ h >> 37) & MASK64) * PRIME_MX1 & MASK64
    return h ^ h >> 32


def _avalanche_xxh64(h: int) -> int:
    h = (h ^ h >> 33) * PRIME64_2 & MASK64
    h = (h ^ h >> 29) * PRIME64_3 & MASK64
    return h ^ h >> 32


def _mix16(data: bytes, at: int, secret: int) -> int:
    low = _word(data, at) ^ _word(SECRET, secret)
    return fold(low, _word(data, at + 8) ^ _word(SECRET, secret + 8))


def _4_to_8(data: bytes, seed: int = 0) -> int:
    seed ^= _swap(seed & MASK32, 4) << 32
    h = (_word(data[-4:], 0) | _word(data, 0, 4) << 32) ^ (_secret(8, 16) - seed & MASK64)
    h = (h ^ _rotate(h, 49) ^ _rotate(h, 24)) * PRIME_MX2 & MASK64
    h = (h ^ (h >> 35) + len(data)) * PRIME_MX2 & MASK64
    return h ^ h >> 28


def _stripes(data: bytes) -> list[int]:
    acc = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]
    stripes = [(at, at // 8 % 128) for at in range(0, len(data) - 64, 64)]
    for at, secret in [*stripes, (len(data) - 64, 121)]:
        for i in range(0, 64, 8):
            value, lane = _word(data, at + i), i // 8
            key = value ^ _word(SECRET, secret + i)
            acc[lane ^ 1] = acc[lane ^ 1] + value & MASK64
            acc[lane] = acc[lane] + (key & MASK32) * (key >> 32) & MASK64
        if secret == 120:
            for i in range(8):
                acc[i] ^= acc[i] >> 47 ^ _word(SECRET, 128 + 8 * i)
                acc[i] = acc[i] * PRIME32_1 & MASK64
    return acc


def _merge(acc: Sequence[int], secret: int, h: int) -> int:
    for i in range(0, 8, 2):
        low, high = _word(SECRET, secret + 8 * i), _word(SECRET, secret + 8 * i + 8)
        h += fold(acc[i] ^ low, acc[i + 1] ^ high)
    return _avalanche(h & MASK64)


def xxh3_64(data: bytes) -> int:
    """Return XXH3-64 of `data` with seed 0."""
    n = len(data)
    h = n * PRIME64_1
    if n == 0:
        return _avalanche_xxh64(_secret(56, 64))
    if n <= 3:
        h = _word(bytes([data[-1], n, data[0], data[n // 2]]), 0)
        return _avalanche_xxh64(h ^ _secret(0, 4, 4))
    if n <= 8:
        return _4_to_8(data)
    if n <= 16:
        low, high = _word(data, 0) ^ _secret(24, 32), _word(data, n - 8) ^ _secret(40, 48)
        return _avalanche(n + _swap(low) + high + fold(low, high) & MASK64)
    if n <= 128:
        for i in range((n - 1) // 32 + 1):
            h += _mix16(data, 16 * i, 32 * i) + _mix16(data, n - 16 * (i + 1), 32 * i + 16)
        return _avalanche(h & MASK64)
    if n <= 240:
        h = _avalanche(h + sum(_mix16(data, at, at) for at in range(0, 128, 16)) & MASK64)
        h += sum(_mix16(data, at, at - 125) for at in range(128, n - 15, 16))
        return _avalanche(h + _mix16(data, n - 16, 119) & MASK64)
    return _merge(_stripes(data), 11, h)


def digest(data: bytes) -> int:
    """Return XXH3-128 of `data` with seed 0: what tells exact duplicates and breaks ties."""
    n, finish = len(data), _avalanche
    if n <= 3:
        finish, low, high = _avalanche_xxh64, _secret(64, 72), _secret(80, 88)
        if n:
            low = _word(bytes([data[-1], n, data[0], data[n // 2]]), 0)
            high = _rotate(_swap(low, 4), 13, 32) ^ _secret(8, 12, 4)
            low ^= _secret(0, 4, 4)
    elif n <= 8:
        keyed = (_word(data, 0, 4) | _word(data[-4:], 0) << 32) ^ _secret(16, 24)
        high, low = divmod(keyed * (PRIME64_1 + 4 * n), 1 << 64)
        high = high + 2 * low & MASK64
        low ^= high >> 3
        low = (low ^ low >> 35) * PRIME_MX2 & MASK64
        return _avalanche(high) << 64 | low ^ low >> 28
    elif n <= 16:
        first, last = _word(data, 0), _word(data, n - 8)
        high, low = divmod((first ^ last ^ _secret(32, 40)) * PRIME64_1, 1 << 64)
        last ^= _secret(48, 56)
        high = high + last + (last & MASK32) * (PRIME32_2 - 1) & MASK64
        low = (low + (n - 1 << 54) & MASK64) ^ _swap(high)
        more, low = divmod(low * PRIME64_2, 1 << 64)
        high = more + high * PRIME64_2 & MASK64
    elif n <= 240:
        pairs = [(at, at + 16, at) for at in range(0, 128, 32)]
        pairs += [(at, at + 16, at - 125) for at in range(128, n // 32 * 32, 32)]
        pairs += [(n - 16, n - 32, 103)]
        if n <= 128:
            pairs = [(at, n - 16 - at, 2 * at) for at in range((n - 1) // 32 * 16, -1, -16)]
        low, high = n * PRIME64_1, 0
        for step, (at, other, secret) in enumerate(pairs):
            if step == 4 and n > 128:
                low, high = _avalanche(low), _avalanche(high)
            sums = [_word(data, i) + _word(data, i + 8) & MASK64 for i in (at, other)]
            low = (low + _mix16(data, at, secret) & MASK64) ^ sums[1]
            high = (high + _mix16(data, other, secret + 16) & MASK64) ^ sums[0]
        low, high = low + high, low * PRIME64_1 + high * PRIME64_4 + n * PRIME64_2
        return (-_avalanche(high & MASK64) & MASK64) << 64 | _avalanche(low & MASK64)
    else:
        acc = _stripes(data)
        return _merge(acc, 117, ~(n * PRIME64_2)) << 64 | _merge(acc, 11, n * PRIME64_1)
    return finish(high) << 64 | finish(low)


def token_hash(token: str | bytes | int) -> int:
    """Hash a token: text by its UTF-8, an integer by its value and never like a text."""
    if isinstance(token, int):
        return _4_to_8((token & MASK64).to_bytes(8, "little"), seed=1 if token >= 0 else 2)
    return xxh3_64(token.encode() if isinstance(token, str) else token)
