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
from neardup.reference.cminhash import circulant_minima, cminhash
from neardup.reference.fast import EMPTY_SLOT, ROUNDS, algorithm_1, draw, estimate, fast_sketch
from neardup.reference.hashes import digest, mix, splitmix, token_hash, xxh3_64
from neardup.reference.lookups import (
    Bloom,
    bloom_design,
    containing,
    forest,
    probed_curve,
    probes,
    runners_up,
)
from neardup.reference.minhash import minhash
from neardup.reference.minhash61 import minhash61
from neardup.reference.oph import estimate_oph, oph
from neardup.reference.simhash import fingerprint_slots, hamming, simhash, within
from neardup.reference.superminhash import superminhash
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
from neardup.reference.weighted import copies, dart_sketch, icws_sketch, weighted_jaccard
from neardup.reference.whole import Answer, dedup, keep_order

SKETCHES = {
    "fast": fast_sketch,
    "minhash": minhash,
    "minhash61": minhash61,
    "superminhash": superminhash,
    "oph": oph,
    "cminhash": cminhash,
}
"""Every sketch by its name: hashes, size and seed to the slots of a signature."""

__all__ = [
    "EMPTY_SLOT",
    "ROUNDS",
    "SKETCHES",
    "STEPS",
    "Answer",
    "Bloom",
    "algorithm_1",
    "band_key",
    "band_keys",
    "bloom_design",
    "candidate_pairs",
    "circulant_minima",
    "cminhash",
    "components",
    "containing",
    "copies",
    "dart_sketch",
    "dedup",
    "digest",
    "draw",
    "estimate",
    "estimate_oph",
    "exact_jaccard",
    "fast_sketch",
    "fingerprint_slots",
    "forest",
    "hamming",
    "icws_sketch",
    "is_alone",
    "is_invisible",
    "keep_order",
    "low_bits",
    "minhash",
    "minhash61",
    "mix",
    "mix32",
    "normalize",
    "oph",
    "pack",
    "packed_estimate",
    "packed_variance",
    "prepare",
    "probed_curve",
    "probes",
    "runners_up",
    "shingles",
    "simhash",
    "splitmix",
    "star",
    "superminhash",
    "token_hash",
    "tokens",
    "weighted_jaccard",
    "within",
    "words",
    "xxh3_64",
]
