"""Near-duplicate text: found, verified and removed."""

from neardup._native import __version__
from neardup.errors import NeardupError, NeardupTypeError, NeardupValueError
from neardup.sketching import FastSimilaritySketch, estimate_jaccard

__all__ = [
    "FastSimilaritySketch",
    "NeardupError",
    "NeardupTypeError",
    "NeardupValueError",
    "__version__",
    "estimate_jaccard",
]
