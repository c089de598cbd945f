"""A readable twin of the core in plain Python: the specification, and the oracle of the tests.

Hashes, text, sketches, answers, and a `dedup` made of them: each file states one part of
crates/core by its definition, without shortcuts. Nothing here is fast. Standard library only.
"""

from neardup.reference.answers import (
    band_key,
    band_keys,
    candidate_pairs,
    components,
    exact_jaccard,
    star,
)
from neardup.reference.bbit import low_bits, mix32, pack, packed_estimate, packed_variance
from neardup.reference.fast import EMPTY_SLOT, ROUNDS, algorithm_1, draw, estimate, fast_sketch
from neardup.reference.hashes import digest, mix, splitmix, token_hash, xxh3_64
from neardup.reference.simhash import fingerprint_slots, hamming, simhash, within
from neardup.reference.text import (
    STEPS,
    is_alone,
    is_invisible,
    normalize,
    prepare,
    shingles,
    tokens,
    words,
)
from neardup.reference.whole import Answer, dedup, keep_order

__all__ = [
    "EMPTY_SLOT",
    "ROUNDS",
    "STEPS",
    "Answer",
    "algorithm_1",
    "band_key",
    "band_keys",
    "candidate_pairs",
    "components",
    "dedup",
    "digest",
    "draw",
    "estimate",
    "exact_jaccard",
    "fast_sketch",
    "fingerprint_slots",
    "hamming",
    "is_alone",
    "is_invisible",
    "keep_order",
    "low_bits",
    "mix",
    "mix32",
    "normalize",
    "pack",
    "packed_estimate",
    "packed_variance",
    "prepare",
    "shingles",
    "simhash",
    "splitmix",
    "star",
    "token_hash",
    "tokens",
    "within",
    "words",
    "xxh3_64",
]
