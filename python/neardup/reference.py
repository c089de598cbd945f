"""A readable twin of the core in plain Python: the specification, and the oracle of the tests.

Hashes, text, sketch, answers, and a `dedup` made of them: each states one part of crates/core by
its definition, without shortcuts. Nothing here is fast. Standard library only.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from itertools import combinations
from typing import NamedTuple

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15  # the first 64 bits of the fractional part of the golden ratio

# --- hashes: SplitMix64, and XXH3 with the default secret (xxHash specification 0.2.0) ----------
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


def _fold(a: int, b: int) -> int:
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
    return _fold(low, _word(data, at + 8) ^ _word(SECRET, secret + 8))


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
        h += _fold(acc[i] ^ low, acc[i + 1] ^ high)
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
        return _avalanche(n + _swap(low) + high + _fold(low, high) & MASK64)
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


# --- text: normalise > tokenise > shingle -------------------------------------------------------
POLYNOMIAL_BASE = splitmix(0, 0)
category, form = unicodedata.category, unicodedata.normalize
ALONE_NAMES = re.compile(
    "CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH|CJK RADICAL|KANGXI RADICAL|HANGZHOU NUMERAL"
    "|IDEOGRAPHIC (ITERATION|NUMBER ZERO)|VERTICAL IDEOGRAPHIC ITERATION"
    "|OLD CHINESE (HOOK|ITERATION) MARK|VIETNAMESE ALTERNATE READING"
    "|HIRAGANA|HENTAIGANA|(HALFWIDTH )?KATAKANA|THAI|LAO|KHMER|MYANMAR"
)
NOT_ALONE_NAMES = re.compile("(HALFWIDTH )?KATAKANA(-HIRAGANA| (SEMI-)?VOICED SOUND MARK)")


def is_alone(c: str) -> bool:
    """Whether a word character belongs to a script written without spaces; its name tells."""
    name = unicodedata.name(c, "")
    return bool(ALONE_NAMES.match(name)) and not NOT_ALONE_NAMES.match(name)


def is_invisible(c: str) -> bool:
    """Whether a character is of category Cf or a variation selector."""
    selectors = "[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    return category(c) == "Cf" or re.match(selectors, c) is not None


def _without(condition: Callable[[str], bool]) -> Callable[[str], str]:
    return lambda text: "".join(c for c in text if not condition(c))


_without_mn = _without(lambda c: category(c) == "Mn")
STEPS: dict[str, Callable[[str], str]] = {
    "nfc": lambda text: form("NFC", text),
    "nfkc": lambda text: form("NFKC", text),
    "lower": str.lower,
    "casefold": str.casefold,
    "strip-accents": lambda text: form("NFC", _without_mn(form("NFD", text))),
    "strip-invisible": _without(is_invisible),
    "collapse-space": lambda text: " ".join(text.split()),
    "remove-space": _without(str.isspace),
    "remove-punct": _without(lambda c: category(c)[0] == "P"),
    "remove-digits": _without(lambda c: category(c) == "Nd"),
    "mask-digits": lambda text: re.sub(r"\d+", "0", text),  # \d is category Nd
}


def normalize(text: str, steps: str, *, lines: bool = False) -> str:
    """Apply a comma list of steps; with `lines`, white space collapses inside each line."""
    for step in steps.split(",") if steps != "none" else []:
        if step == "collapse-space" and lines:
            text = "\n".join(STEPS[step](line) for line in text.split("\n"))
        else:
            text = STEPS[step](text)
    return text


def words(text: str) -> list[str]:
    """Split into `alone mark* | (word - alone)+`."""

    def kind(c: str) -> str:
        word = c == "_" or category(c)[0] in "LMN"
        return "wmAM"[2 * is_alone(c) + (category(c)[0] == "M")] if word else " "

    found = re.finditer("[AM][Mm]*|[wm]+", "".join(map(kind, text)))
    return [text[match.start() : match.end()] for match in found]


def tokens(text: str, kind: str) -> list[str]:
    """Return the tokens of a normalised text; those of kind `byte` as two hexadecimal digits."""
    if kind == "word":
        return words(text)
    if kind == "whitespace":
        return text.split()
    if kind == "line":
        return [line.strip() for line in text.split("\n") if line.strip()]
    if not text.strip():
        return []
    return list(text) if kind == "char" else [f"{b:02x}" for b in text.encode()]


def prepare(text: str, normalize_steps: str, kind: str) -> str:
    """Normalise for a kind of token: `char` collapses white space unless it is removed."""
    text = normalize(text, normalize_steps, lines=kind == "line")
    if kind == "char" and "remove-space" not in normalize_steps.split(","):
        text = STEPS["collapse-space"](text)
    return text


def shingles(text: str, *, normalize: str, shingle: str) -> list[int]:
    """Return the shingles of a text as 64-bit integers, in text order and with repeats."""
    kind, size = shingle.split(":")
    n = int(size)
    found = tokens(prepare(text, normalize, kind), kind)
    if kind == "char":
        units, width = [ord(c) + 1 for c in found], 21
    elif kind == "byte":
        units, width = [int(b, 16) + 1 for b in found], 9
    else:
        units, width = [token_hash(token) for token in found], 64

    def value(window: Sequence[int]) -> int:
        if n * width <= 63:
            return sum(unit << width * i for i, unit in enumerate(reversed(window)))
        if width == 64 and len(window) == 1:
            return window[0]
        total = 0
        for unit in window:
            total = (total * POLYNOMIAL_BASE + unit) & MASK64
        return mix(total)

    windows = range(max(len(units) - n, 0) + 1 if units else 0)
    return [value(units[i : i + n]) for i in windows]


# --- sketch: Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017, arXiv 1704.04370) ---
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


# --- answers: from signatures and shingle sets to clusters --------------------------------------
BAND_SEED, BAND_MULTIPLIER, ANCHORS = GAMMA, 0x243F6A8885A308D3, 64


def band_key(band: int, slots: Sequence[int]) -> int:
    """64-bit key of the slots of a band; never 0."""
    h = splitmix(BAND_SEED, band)
    for i in range(0, len(slots), 2):
        second = slots[i + 1] if i + 1 < len(slots) else 0
        h = _fold(h ^ (slots[i] | second << 32), BAND_MULTIPLIER)
    return max(mix(h), 1)


def band_keys(signature: Sequence[int], bands: int, rows: int) -> list[int]:
    """The keys of a signature, one a band; none if it is empty."""
    if all(slot == EMPTY_SLOT for slot in signature):
        return []
    return [band_key(i, signature[i * rows : (i + 1) * rows]) for i in range(bands)]


def candidate_pairs(
    keys: Mapping[int, Sequence[int]], rank: Mapping[int, int], cap: int = 2000
) -> tuple[list[tuple[int, int]], int, int]:
    """Pairs of documents that share a band key, capped buckets, and the pairs these left out."""
    buckets: dict[tuple[int, int], list[int]] = defaultdict(list)
    for document, own in keys.items():
        for band_and_key in enumerate(own):
            buckets[band_and_key].append(document)
    pairs: set[tuple[int, int]] = set()
    capped_buckets = capped_pairs = 0
    for bucket in buckets.values():
        bucket.sort(key=rank.__getitem__)
        anchors = len(bucket) if len(bucket) <= cap else ANCHORS
        capped_buckets += len(bucket) > cap
        for (i, a), (_, b) in combinations(enumerate(bucket), 2):
            capped_pairs += i >= anchors
            if i < anchors:
                pairs.add((min(a, b), max(a, b)))
    return sorted(pairs), capped_buckets, capped_pairs


def exact_jaccard(a: Set[int], b: Set[int]) -> float:
    """Jaccard similarity of two shingle sets; the empty set has 0 with everything."""
    return len(a & b) / max(len(a | b), 1)


def _neighbours(verified: Mapping[tuple[int, int], float]) -> dict[int, dict[int, float]]:
    near: dict[int, dict[int, float]] = defaultdict(dict)
    for (a, b), similarity in verified.items():
        near[a][b] = near[b][a] = similarity
    return near


def star(
    keep_order: Sequence[int], verified: Mapping[tuple[int, int], float]
) -> dict[int, tuple[int, float]]:
    """Each removed document with its kept partner and their similarity."""
    near = _neighbours(verified)
    kept: dict[int, None] = {}
    for document in keep_order:
        if not any(other in kept for other in near[document]):
            kept[document] = None
    removed: dict[int, tuple[int, float]] = {}
    for document in keep_order:
        if document not in kept:
            partners = [other for other in kept if other in near[document]]
            partner = max(partners, key=near[document].__getitem__)  # the first of equals
            removed[document] = partner, near[document][partner]
    return removed


def components(
    keep_order: Sequence[int], verified: Mapping[tuple[int, int], float]
) -> dict[int, int]:
    """Each removed document with the first of its connected component in keep order."""
    near = _neighbours(verified)
    first: dict[int, int] = {}
    for document in keep_order:
        reached = [document]
        while reached:
            other = reached.pop()
            if other not in first:
                first[other] = document
                reached.extend(near[other])
    return {document: kept for document, kept in first.items() if document != kept}


# --- dedup: the whole of it ---------------------------------------------------------------------


class Answer(NamedTuple):
    """What `dedup` found; documents are numbered as they came."""

    kept: list[bool]
    removed: dict[int, tuple[int, float, str]]  # partner, similarity, reason
    pairs: dict[tuple[int, int], float]
    candidates: int
    capped_buckets: int
    capped_pairs: int


def keep_order(texts: Sequence[str], keep: str) -> list[int]:
    """Document numbers, the first to be kept first; ties go to the smaller digest."""
    if keep in ("first", "last"):
        return sorted(range(len(texts)), reverse=keep == "last")
    sign, raw = 1 if keep == "shortest" else -1, [text.encode() for text in texts]
    return sorted(range(len(raw)), key=lambda i: (sign * len(raw[i]), digest(raw[i]), i))


def dedup(
    texts: Sequence[str],
    *,
    normalize: str = "nfkc,casefold,collapse-space",
    shingle: str = "word:3",
    threshold: float = 0.8,
    banding: tuple[int, int] = (13, 7),
    size: int = 128,
    seed: int = 42,
    cluster: str = "star",
    keep: str = "first",
    bucket_cap: int = 2000,
) -> Answer:
    """Exact duplicates, bands, candidate pairs, exact Jaccard, clusters."""
    order = keep_order(texts, keep)
    sets = [set(shingles(text, normalize=normalize, shingle=shingle)) for text in texts]
    first: dict[tuple[bool, str], int] = {}
    leader, kind = {}, "line" if shingle.startswith("line:") else "word"
    for i in order:
        same = prepare(texts[i], normalize, kind) if sets[i] else texts[i]
        leader[i] = first.setdefault((bool(sets[i]), same), i)
    leaders = [i for i in order if leader[i] == i and sets[i]]
    keys = {i: band_keys(fast_sketch(sets[i], size, seed), *banding) for i in leaders}
    rank = {i: place for place, i in enumerate(order)}
    candidates, *capped = candidate_pairs(keys, rank, bucket_cap)
    compared = {(a, b): exact_jaccard(sets[a], sets[b]) for a, b in candidates}
    near = {pair: similarity for pair, similarity in compared.items() if similarity >= threshold}
    if cluster == "star":
        partner = star(leaders, near)
    else:
        chains = components(leaders, near)
        partner = {i: (k, exact_jaccard(sets[i], sets[k])) for i, k in chains.items()}
    removed = {i: (*found, "near") for i, found in partner.items()}
    copies = [i for i in order if leader[i] != i]
    removed |= {i: removed.get(leader[i], (leader[i], 1.0, "exact")) for i in copies}
    pairs = near | {(min(i, leader[i]), max(i, leader[i])): 1.0 for i in copies}
    kept = [i not in removed for i in range(len(texts))]
    return Answer(kept, removed, pairs, len(candidates), *capped)
