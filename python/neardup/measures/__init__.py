"""The measures of similarity: what each is called, what it is, and which file computes it."""

from __future__ import annotations

from dataclasses import dataclass

from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.option import shown

__all__ = ["MEASURES", "OF_TWO", "SECOND_STAGE", "Measure", "named"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of how similar two texts are, from 0 to 1.

    Attributes
    ----------
    kind : str
        ``edit`` compares the normalised texts code point by code point, ``set`` their sets of
        shingles, ``count`` shingles by how often each is there; each is a file of this package.
    function : str
        What computes it: a module of `rapidfuzz.distance`, or a name in the kind's own file.
    says : str
        What it is, in a few words.
    """

    name: str
    kind: str
    function: str
    says: str


_ALL = (
    Measure("levenshtein", "edit", "Levenshtein", "insert, delete, substitute"),
    Measure("osa", "edit", "OSA", "and swap neighbours, once a place"),
    Measure("damerau-levenshtein", "edit", "DamerauLevenshtein", "and swap, without restriction"),
    Measure("indel", "edit", "Indel", "insert and delete only"),
    Measure("lcs", "edit", "LCSseq", "common subsequence of the longer"),
    Measure("hamming", "edit", "Hamming", "equal places; a longer rest differs"),
    Measure("jaro", "edit", "Jaro", "characters in common nearby"),
    Measure("jaro-winkler", "edit", "JaroWinkler", "Jaro, raised for a common start"),
    Measure("jaccard", "set", "jaccard", "shared of all shingles"),
    Measure("dice", "set", "dice", "shared of the mean size"),
    Measure("overlap", "set", "overlap", "shared of the smaller set"),
    Measure("containment", "set", "containment", "share of A that is in B"),
    Measure("tversky", "set", "tversky", "Dice, or as alpha and beta weigh"),
    Measure("weighted-jaccard", "count", "jaccard", "Jaccard of the counts"),
    Measure("cosine", "count", "cosine", "angle between the counts"),
    Measure("tfidf", "count", "cosine", "angle, rare shingles weigh more"),
)
MEASURES = {measure.name: measure for measure in _ALL}
"""Every measure by its name."""

SECOND_STAGE = tuple(name for name, measure in MEASURES.items() if measure.kind == "edit")
"""The measures that can check what passed by its shingles."""

OF_TWO = tuple(name for name in MEASURES if name != "tfidf")
"""The measures that need two texts and no corpus."""


def named(name: object) -> Measure:
    """The measure of a name; `_` may stand for `-`.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        There is none; the message lists them all.

    Examples
    --------
    >>> named("jaro_winkler").name
    'jaro-winkler'
    >>> named("soundex")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    neardup.errors.NeardupValueError: measure: 'soundex' is not known; use levenshtein, osa, ...
    """
    found = MEASURES.get(name.replace("_", "-").lower()) if isinstance(name, str) else None
    if found is None:
        kind = NeardupValueError if isinstance(name, str) else NeardupTypeError
        raise kind(f"measure: {shown(name)} is not known; use {', '.join(MEASURES)}")
    return found
