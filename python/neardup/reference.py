# ---------------------------------------------------------------------------------------------
# Answers: from signatures and shingle sets to clusters. Plain twins of crates/core/src/lsh,
# pairs.rs, verify.rs and cluster/; the definitions, with no thought of speed.
# ---------------------------------------------------------------------------------------------
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import combinations

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
