"""The twin of the answers: from signatures and shingle sets to clusters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import combinations

from neardup.reference.fast import EMPTY_SLOT
from neardup.reference.hashes import GAMMA, fold, mix, splitmix

BAND_SEED, BAND_MULTIPLIER, ANCHORS = GAMMA, 0x243F6A8885A308D3, 64


def band_key(band: int, slots: Sequence[int]) -> int:
    """64-bit key of the slots of a band; never 0."""
    h = splitmix(BAND_SEED, band)
    for i in range(0, len(slots), 2):
        second = slots[i + 1] if i + 1 < len(slots) else 0
        h = fold(h ^ (slots[i] | second << 32), BAND_MULTIPLIER)
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
