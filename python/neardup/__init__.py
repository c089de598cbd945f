"""Near-duplicate text: found, verified and removed.

Names are loaded when first used: `import neardup` costs no more than numpy's own import.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself need not be loaded
if TYPE_CHECKING:
    from neardup._native import __version__
    from neardup.algebra import Estimate
    from neardup.api import dedup
    from neardup.banding import Banding, explain
    from neardup.batches import Deduplicator, Statistics
    from neardup.bloom import BloomFill, BloomStream
    from neardup.comparing import TfIdf, distance, most_similar, similarity
    from neardup.counting import Cardinality, cardinality
    from neardup.errors import DataError, NeardupError, NeardupTypeError, NeardupValueError
    from neardup.evaluation import Evaluation, evaluate
    from neardup.fingerprints import Fingerprints, simhash
    from neardup.forest import Forest
    from neardup.hamming import HammingIndex
    from neardup.lsh import LSH, duplicate_flags
    from neardup.matching import match
    from neardup.packed import PackedSignatures
    from neardup.passages import ContainmentIndex, containment
    from neardup.probing import MultiProbeLSH, ProbedBanding
    from neardup.result import Result
    from neardup.sharded import ShardedLSH
    from neardup.signatures import Signatures, jaccard, sketch
    from neardup.sketching import FastSimilaritySketch, Sketcher, estimate_jaccard, estimate_oph
    from neardup.streaming import Match, StreamingDeduplicator
    from neardup.tuning import Tuning, tune
    from neardup.union_find import UnionFind, connected_components
    from neardup.weighted import WeightedSketch, weighted_jaccard

_HOME = {
    # texts to what is kept
    "dedup": "api",
    "match": "matching",
    "Result": "result",
    "Deduplicator": "batches",
    "Statistics": "batches",
    "StreamingDeduplicator": "streaming",
    "Match": "streaming",
    # how good an answer is, and which threshold is best
    "evaluate": "evaluation",
    "Evaluation": "evaluation",
    "tune": "tuning",
    "Tuning": "tuning",
    # texts to signatures, and their similarity
    "sketch": "signatures",
    "Signatures": "signatures",
    "jaccard": "signatures",
    "PackedSignatures": "packed",
    "simhash": "fingerprints",
    "Fingerprints": "fingerprints",
    # similarity by any measure
    "similarity": "comparing",
    "distance": "comparing",
    "most_similar": "comparing",
    "TfIdf": "comparing",
    # token sets to signatures
    "Sketcher": "sketching",
    "FastSimilaritySketch": "sketching",
    "estimate_jaccard": "sketching",
    # weighted sets; sizes of sets and of what they share
    "WeightedSketch": "weighted",
    "weighted_jaccard": "weighted",
    "cardinality": "counting",
    "Cardinality": "counting",
    "Estimate": "algebra",
    "estimate_oph": "sketching",
    # signatures to candidates
    "LSH": "lsh",
    "duplicate_flags": "lsh",
    "MultiProbeLSH": "probing",
    "ProbedBanding": "probing",
    "Forest": "forest",
    "BloomStream": "bloom",
    "BloomFill": "bloom",
    "HammingIndex": "hamming",
    "ShardedLSH": "sharded",
    "explain": "banding",
    "Banding": "banding",
    # passages to the texts that contain them
    "ContainmentIndex": "passages",
    "containment": "passages",
    # pairs to clusters
    "UnionFind": "union_find",
    "connected_components": "union_find",
    # what goes wrong
    "NeardupError": "errors",
    "NeardupValueError": "errors",
    "NeardupTypeError": "errors",
    "DataError": "errors",
    "__version__": "_native",
}
"""The module of each public name, by what the name is for."""

__all__ = [  # noqa: RUF022 - grouped as in _HOME
    "dedup",
    "match",
    "Result",
    "Deduplicator",
    "Statistics",
    "StreamingDeduplicator",
    "Match",
    "evaluate",
    "Evaluation",
    "tune",
    "Tuning",
    "sketch",
    "Signatures",
    "jaccard",
    "similarity",
    "distance",
    "most_similar",
    "TfIdf",
    "Sketcher",
    "PackedSignatures",
    "simhash",
    "Fingerprints",
    "FastSimilaritySketch",
    "estimate_jaccard",
    "WeightedSketch",
    "weighted_jaccard",
    "cardinality",
    "Cardinality",
    "Estimate",
    "estimate_oph",
    "LSH",
    "duplicate_flags",
    "MultiProbeLSH",
    "ProbedBanding",
    "Forest",
    "BloomStream",
    "BloomFill",
    "HammingIndex",
    "ShardedLSH",
    "explain",
    "Banding",
    "ContainmentIndex",
    "containment",
    "UnionFind",
    "connected_components",
    "NeardupError",
    "NeardupValueError",
    "NeardupTypeError",
    "DataError",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
