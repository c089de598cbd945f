"""A readable twin of every kernel in plain Python: the oracle of the tests, and the specification.

Nothing here is fast. Each section states one part of the core by its definition.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import combinations

MASK64 = (1 << 64) - 1


def mix(x: int) -> int:
    """Return the SplitMix64 finaliser of `x`, a bijection of 64-bit integers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


# --- text: XXH3-64 with seed 0 (xxHash specification 0.2.0, "XXH3 algorithm") -------------------------

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


def _word(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _rotate(x: int, by: int) -> int:
    return (x << by | x >> 64 - by) & MASK64


def _fold(a: int, b: int) -> int:
    """Xor of the two halves of the 128-bit product."""
    product = a * b
    return product & MASK64 ^ product >> 64


def _avalanche(h: int) -> int:
    h = (h ^ h >> 37) * PRIME_MX1 & MASK64
    return h ^ h >> 32


def _avalanche_xxh64(h: int) -> int:
    h = (h ^ h >> 33) * PRIME64_2 & MASK64
    h = (h ^ h >> 29) * PRIME64_3 & MASK64
    return h ^ h >> 32


def _mix16(data: bytes, at: int, secret_at: int) -> int:
    low = _word(data, at) ^ _word(SECRET, secret_at)
    high = _word(data, at + 8) ^ _word(SECRET, secret_at + 8)
    return _fold(low, high)


def xxh3_64(data: bytes) -> int:
    """Return XXH3-64 of `data` with seed 0 and the default secret."""
    n = len(data)
    if n == 0:
        return _avalanche_xxh64(_word(SECRET, 56) ^ _word(SECRET, 64))
    if n <= 3:
        combined = data[0] << 16 | data[n // 2] << 24 | data[-1] | n << 8
        return _avalanche_xxh64(combined ^ _word(SECRET, 0, 4) ^ _word(SECRET, 4, 4))
    if n <= 8:
        h = _word(data, n - 4, 4) | _word(data, 0, 4) << 32
        h ^= _word(SECRET, 8) ^ _word(SECRET, 16)
        h = (h ^ _rotate(h, 49) ^ _rotate(h, 24)) * PRIME_MX2 & MASK64
        h = (h ^ (h >> 35) + n) * PRIME_MX2 & MASK64
        return h ^ h >> 28
    if n <= 16:
        low = _word(data, 0) ^ _word(SECRET, 24) ^ _word(SECRET, 32)
        high = _word(data, n - 8) ^ _word(SECRET, 40) ^ _word(SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche(n + swapped + high + _fold(low, high) & MASK64)
    if n <= 128:
        acc = n * PRIME64_1
        for i in range((n - 1) // 32 + 1):
            acc += _mix16(data, 16 * i, 32 * i) + _mix16(data, n - 16 * (i + 1), 32 * i + 16)
        return _avalanche(acc & MASK64)
    if n <= 240:
        acc = n * PRIME64_1 + sum(_mix16(data, 16 * i, 16 * i) for i in range(8))
        acc = _avalanche(acc & MASK64)
        acc += sum(_mix16(data, 16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16))
        return _avalanche(acc + _mix16(data, n - 16, 136 - 17) & MASK64)
    return _xxh3_long(data)


def _xxh3_long(data: bytes) -> int:
    acc = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]

    def accumulate(at: int, secret_at: int) -> None:
        for i in range(8):
            value = _word(data, at + 8 * i)
            key = value ^ _word(SECRET, secret_at + 8 * i)
            acc[i ^ 1] = acc[i ^ 1] + value & MASK64
            acc[i] = acc[i] + (key & 0xFFFFFFFF) * (key >> 32) & MASK64

    last_stripe = (len(data) - 1) // 64
    for stripe in range(last_stripe):
        accumulate(64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i in range(8):
                scrambled = acc[i] ^ acc[i] >> 47 ^ _word(SECRET, 128 + 8 * i)
                acc[i] = scrambled * PRIME32_1 & MASK64
    accumulate(len(data) - 64, 121)
    h = len(data) * PRIME64_1
    for i in range(4):
        key = 11 + 16 * i
        h += _fold(acc[2 * i] ^ _word(SECRET, key), acc[2 * i + 1] ^ _word(SECRET, key + 8))
    return _avalanche(h & MASK64)


# --- text: normalise > tokenise > shingle -------------------------------------------------------------

POLYNOMIAL_BASE = mix(0x9E3779B97F4A7C15)  # the first output of SplitMix64 seeded with 0

ALONE_NAMES = re.compile(
    "CJK (UNIFIED|COMPATIBILITY) IDEOGRAPH|CJK RADICAL|KANGXI RADICAL|IDEOGRAPHIC (ITERATION|NUMBER ZERO)"
    "|VERTICAL IDEOGRAPHIC ITERATION|HANGZHOU NUMERAL|OLD CHINESE (HOOK|ITERATION) MARK|VIETNAMESE ALTERNATE READING"
    "|HIRAGANA|HENTAIGANA|(HALFWIDTH )?KATAKANA|THAI|LAO|KHMER|MYANMAR"
)
NOT_ALONE_NAMES = re.compile("(HALFWIDTH )?KATAKANA(-HIRAGANA| (SEMI-)?VOICED SOUND MARK)")


def is_alone(c: str) -> bool:
    """Whether a word character belongs to a script written without spaces."""
    # The standard library does not know scripts; for these seven the names of word characters tell.
    name = unicodedata.name(c, "")
    return bool(ALONE_NAMES.match(name)) and not NOT_ALONE_NAMES.match(name)


def is_mark(c: str) -> bool:
    """Whether a character is of category M."""
    return unicodedata.category(c)[0] == "M"


def is_invisible(c: str) -> bool:
    """Whether a character is of category Cf or a variation selector."""
    selector = c in "\u180b\u180c\u180d\u180f" or "\ufe00" <= c <= "\ufe0f"
    return selector or "\U000e0100" <= c <= "\U000e01ef" or unicodedata.category(c) == "Cf"


def _without(condition: Callable[[str], bool]) -> Callable[[str], str]:
    return lambda text: "".join(c for c in text if not condition(c))


def _category(prefix: str) -> Callable[[str], bool]:
    return lambda c: unicodedata.category(c).startswith(prefix)


def strip_accents(text: str) -> str:
    """NFD, without category Mn, NFC."""
    bare = _without(_category("Mn"))(unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare)


def mask_digits(text: str) -> str:
    """Make each run of category Nd one `0`."""
    return re.sub(r"\d+", "0", text)


STEPS: dict[str, Callable[[str], str]] = {
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "lower": str.lower,
    "casefold": str.casefold,
    "strip-accents": strip_accents,
    "strip-invisible": _without(is_invisible),
    "collapse-space": lambda text: " ".join(text.split()),
    "remove-space": _without(str.isspace),
    "remove-punct": _without(_category("P")),
    "remove-digits": _without(_category("Nd")),
    "mask-digits": mask_digits,
}


def normalize(text: str, steps: str, *, lines: bool = False) -> str:
    """Apply a comma list of steps in order; with `lines`, white space collapses inside each line."""
    for step in steps.split(",") if steps != "none" else []:
        if step == "collapse-space" and lines:
            text = "\n".join(STEPS[step](line) for line in text.split("\n"))
        else:
            text = STEPS[step](text)
    return text


def words(text: str) -> list[str]:
    """Split into `alone mark* | (word - alone)+`."""
    found: list[str] = []
    kind = ""  # of the open token: "alone", "run" or none
    for c in text:
        if kind == "alone" and is_mark(c):
            found[-1] += c
            continue
        word = c == "_" or unicodedata.category(c)[0] in "LMN"
        before, kind = kind, ("alone" if is_alone(c) else "run") if word else ""
        if kind == "run" and before == "run":
            found[-1] += c
        elif kind:
            found.append(c)
    return found


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
        units, width = [xxh3_64(token.encode()) for token in found], 64

    def value(window: Iterable[int]) -> int:
        window = list(window)
        if n * width <= 63:
            return sum(unit << width * i for i, unit in enumerate(reversed(window)))
        if width == 64 and len(window) == 1:
            return window[0]
        total = 0
        for unit in window:
            total = (total * POLYNOMIAL_BASE + unit) & MASK64
        return mix(total)

    if not units:
        return []
    n_window = min(n, len(units))
    return [value(units[i : i + n_window]) for i in range(len(units) - n_window + 1)]


# ---------------------------------------------------------------------------------------------
# Answers: from signatures and shingle sets to clusters. Plain twins of crates/core/src/lsh,
# pairs.rs, verify.rs and cluster/; the definitions, with no thought of speed.
# ---------------------------------------------------------------------------------------------

BAND_SEED = 0x9E3779B97F4A7C15
BAND_MULTIPLIER = 0x243F6A8885A308D3
EMPTY_SLOT = 0xFFFFFFFF
ANCHORS = 64
_WORD = (1 << 64) - 1


def candidate_probability(jaccard: float, bands: int, rows: int) -> float:
    """Probability that a pair of similarity `jaccard` shares a band: 1 - (1 - J^r)^b."""
    return 1.0 - (1.0 - jaccard**rows) ** bands


def choose_banding(threshold: float, recall: float, size: int) -> tuple[int, int]:
    """(bands, rows): the largest r that reaches `recall` at J = threshold, then the smallest b."""
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold must be above 0 and at most 1, got {threshold}")
    if not 0.0 < recall <= 1.0:
        raise ValueError(f"recall must be above 0 and at most 1, got {recall}")
    if recall < 1.0 or threshold == 1.0:
        for rows in range(size, 0, -1):
            for bands in range(1, size // rows + 1):
                if candidate_probability(threshold, bands, rows) >= recall:
                    return bands, rows
    raise ValueError(f"recall {recall} at threshold {threshold} is out of reach of {size} slots")


def common_rule(threshold: float, size: int) -> tuple[int, int]:
    """(bands, rows) with the least area of false positives plus false negatives."""
    grid = [(i + 0.5) / 1000 for i in range(1000)]

    def area(bands: int, rows: int) -> float:
        curve = [(s, candidate_probability(s, bands, rows)) for s in grid]
        return sum(p if s < threshold else 1.0 - p for s, p in curve)

    choices = [(b, r) for b in range(1, size + 1) for r in range(1, size // b + 1)]
    return min(choices, key=lambda choice: area(*choice))


def _mix64(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _WORD
    return x ^ (x >> 31)


def band_key(band: int, slots: Sequence[int]) -> int:
    """64-bit key of the slots of a band; never 0."""
    h = _mix64((BAND_SEED + 0x9E3779B97F4A7C15 * (band + 1)) & _WORD)
    for i in range(0, len(slots), 2):
        second = slots[i + 1] if i + 1 < len(slots) else 0
        product = (h ^ (slots[i] | second << 32)) * BAND_MULTIPLIER
        h = (product & _WORD) ^ (product >> 64)
    return max(_mix64(h), 1)


def band_keys(signature: Sequence[int], bands: int, rows: int) -> list[int]:
    """Return the keys of a signature, one a band; none if it is empty."""
    if all(slot == EMPTY_SLOT for slot in signature):
        return []
    return [band_key(i, signature[i * rows : (i + 1) * rows]) for i in range(bands)]


def candidate_pairs(
    keys: Mapping[int, Sequence[int]], rank: Mapping[int, int], cap: int = 2000
) -> tuple[list[tuple[int, int]], int, int]:
    """Pairs of documents that share a band key, capped buckets, and the pairs these left out.

    `keys` gives each document its band keys, `rank` its position in keep order.
    """
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
            if i < anchors:
                pairs.add((min(a, b), max(a, b)))
            else:
                capped_pairs += 1
    return sorted(pairs), capped_buckets, capped_pairs


def exact_jaccard(a: Set[int], b: Set[int]) -> float:
    """Jaccard similarity of two shingle sets; the empty set has 0 with everything."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def exact_containment(a: Set[int], b: Set[int]) -> float:
    """Return the share of `a` that is in `b`; 0 for an empty `a`."""
    return len(a & b) / len(a) if a else 0.0


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
