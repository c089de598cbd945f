"""Near-duplicate text: found, verified and removed."""

from neardup._native import __version__
from neardup.api import dedup
from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError
from neardup.result import Result
from neardup.sketching import FastSimilaritySketch, estimate_jaccard

__all__ = [
    "FastSimilaritySketch",
    "NeardupError",
    "NeardupTypeError",
    "NeardupValueError",
    "Result",
    "__version__",
    "dedup",
    "estimate_jaccard",
]
