"""The twin of dedup: exact duplicates, bands, candidates, exact Jaccard, clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from neardup.reference.answers import band_keys, candidate_pairs, components, exact_jaccard, star
from neardup.reference.fast import fast_sketch
from neardup.reference.hashes import digest
from neardup.reference.text import prepare, shingles


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
    sketch: Callable[[set[int], int, int], list[int]] = fast_sketch,
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
    keys = {i: band_keys(sketch(sets[i], size, seed), *banding) for i in leaders}
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
