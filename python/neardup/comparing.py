"""How similar texts are, by any measure: the face of rapidfuzz and of the measures of shingles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from neardup import values as v
from neardup.config import Config
from neardup.errors import NeardupTypeError, NeardupValueError
from neardup.measures import Measure, counts, edit, named, sets
from neardup.measures.tfidf import TfIdf
from neardup.option import Option
from neardup.spec import NATIVE, text_spec
from neardup.texts import listed, one_text

__all__ = ["TfIdf", "distance", "most_similar", "similarity"]

_WEIGHT = v.Real(0.0, 1e9, "a number from 0 to 1e9", open_low=False)
_SPEC = (*NATIVE, "threads")
_OWNERS = {"alpha": "tversky", "beta": "tversky", "prefix_weight": "jaro-winkler"}


class Options(TypedDict, total=False):
    """What `similarity`, `distance` and `most_similar` take besides texts and measure."""

    shingle: str
    normalize: str | Sequence[str]
    hash: str
    hash_key_file: str | bytes | None
    stopwords: str | None
    stem: str | None
    fraction: float | str | None
    alpha: float | None
    beta: float | None
    prefix_weight: float | None
    corpus: Any
    threads: int


@overload
def similarity(a: str, b: str, measure: str = ..., **options: Unpack[Options]) -> float: ...
@overload
def similarity(a: Any, b: Any, measure: str = ..., **options: Unpack[Options]) -> Any: ...
def similarity(a: Any, b: Any, measure: str = "jaccard", **options: Unpack[Options]) -> Any:
    """Similarity from 0 to 1 of two texts, of two columns row by row, or of one text with many.

    Parameters
    ----------
    a, b : str or collection of str
        Two texts give a number. Two collections of one length (lists, numpy arrays, string columns
        that speak Arrow) give an array, row by row; a text and a collection the text with each.
    measure : str, default "jaccard"
        Edit distances by rapidfuzz, normalised: ``levenshtein``, ``osa`` (optimal string
        alignment, the restricted Damerau-Levenshtein), ``damerau-levenshtein`` (unrestricted),
        ``indel``, ``lcs``, ``hamming``, ``jaro``, ``jaro-winkler``. Of shingle sets: ``jaccard``,
        ``dice``, ``overlap``, ``containment`` (of a in b), ``tversky``. Of how often each shingle
        is there: ``weighted-jaccard``, ``cosine``, ``tfidf``.
    shingle : str
        How a text becomes shingles; edit distances do not ask.
    normalize : str or sequence of str
        Steps applied to both texts first, also for edit distances; ``"none"`` leaves them alone.
    hash, hash_key_file, stopwords, stem, fraction
        As of `dedup`; edit distances do not ask.
    alpha, beta : float, optional
        Of ``tversky``: the weight of what only a, or only b has; 0.5 each unless given.
    prefix_weight : float, optional
        Of ``jaro-winkler``: what a common start adds; 0.1 unless given.
    corpus : TfIdf or collection of str, optional
        Of ``tfidf``, which needs one: what says how rare a shingle is.
    threads : int, default 0
        0 is one for every core. The result does not depend on it.

    Returns
    -------
    float or numpy.ndarray of float64
        Edit distances: 1 for two empty texts, 0 if one of two is empty. Of shingles: 0 if either
        text has none.

    Raises
    ------
    NeardupTypeError, NeardupValueError
        Not texts, columns of different lengths, an unknown measure (the message lists all), an
        option that is not the measure's or not allowed, a text without UTF-8 form.
    NeardupError
        rapidfuzz is not installed.

    Examples
    --------
    >>> similarity("the cat sat on the mat", "the cat sat on a mat", "levenshtein")
    0.8636363636363636
    >>> similarity("微信号", ["微信號", "薇信号", "电话"], "dice", shingle="char:1").tolist()
    [0.6666666666666666, 0.6666666666666666, 0.0]
    """
    kind, left, right, one = _sides(a, b, measure)
    config, given = _options(kind, options)
    found = _scores(kind, left, right, config, given)
    return float(found[0]) if one else found


@overload
def distance(a: str, b: str, measure: str = ..., **options: Unpack[Options]) -> float: ...
@overload
def distance(a: Any, b: Any, measure: str = ..., **options: Unpack[Options]) -> Any: ...
def distance(a: Any, b: Any, measure: str = "levenshtein", **options: Unpack[Options]) -> Any:
    """Distance of texts: the number of edits, or for the other measures 1 less the similarity.

    Parameters and errors are those of `similarity`.

    Returns
    -------
    int, float or numpy.ndarray of int64 or float64
        Whole numbers for ``levenshtein``, ``osa``, ``damerau-levenshtein``, ``indel``, ``lcs``
        (length of the longer text less the common subsequence) and ``hamming``.

    Examples
    --------
    >>> distance("ca", "abc", "osa"), distance("ca", "abc", "damerau-levenshtein")
    (3, 2)
    >>> distance(["Kitten", "flaw"], ["sitting", "lawn"]).tolist()
    [3, 2]
    """
    kind, left, right, one = _sides(a, b, measure)
    config, given = _options(kind, options)
    if kind.kind == "edit":
        found = _scores(kind, left, right, config, given | {"distance": True})
    else:
        found = 1.0 - _scores(kind, left, right, config, given)
    return found[0].item() if one else found


def most_similar(
    text: str,
    texts: Any,
    measure: str = "jaccard",
    *,
    limit: int | None = 10,
    threshold: float = 0.0,
    **options: Unpack[Options],
) -> list[tuple[int, float]]:
    """The texts of a collection that are most similar to one text, best first.

    Parameters
    ----------
    text : str
    texts : collection of str
        As for `similarity`.
    limit : int, optional
        At most so many; None for all.
    threshold : float, default 0
        None that is less similar.
    **options
        Those of `similarity`.

    Returns
    -------
    list of (int, float)
        Row and similarity; of equal ones the lower row first.

    Raises
    ------
    NeardupTypeError, NeardupValueError, NeardupError
        As `similarity`.

    Examples
    --------
    >>> most_similar("appel", ["apple", "maple", "grape"], "osa", limit=2)
    [(0, 0.8), (1, 0.4)]
    """
    one_text(text, "text")
    if isinstance(texts, str):
        raise NeardupTypeError("texts must be a collection of texts, got one str; pass [text]")
    if limit is not None:
        kind = v.Integer(0, 2**63 - 1, "a whole number from 0, or None for all")
        limit = Option("limit", kind, 10, "", "").read(limit)
    least = Option("threshold", _WEIGHT, 0.0, "", "").read(threshold)
    found = np.asarray(similarity(text, texts, measure, **options))
    order = np.argsort(-found, kind="stable")
    order = order[found[order] >= least][:limit]
    return list(zip(order.tolist(), found[order].tolist(), strict=True))


def _sides(a: Any, b: Any, measure: str) -> tuple[Measure, list[str], list[str], bool]:
    """The measure, both sides as lists, and whether each was one text."""
    kind = named(measure)
    single = isinstance(a, str), isinstance(b, str)
    left = [one_text(a, "a")] if single[0] else listed(a)
    right = [one_text(b, "b")] if single[1] else listed(b)
    if not any(single) and len(left) != len(right):
        raise NeardupValueError(
            f"two columns are compared row by row, got {len(left):,} and {len(right):,} rows; "
            "pass one text for one of them to compare it with all, or use match to find pairs"
        )
    return kind, left, right, all(single)


def _options(kind: Measure, options: Options) -> tuple[Config, dict[str, Any]]:
    """The text spec, and the measure's own options; those of other measures are refused."""
    known = Options.__annotations__
    for name in options:
        if name not in known:
            raise NeardupTypeError(f"unknown option {name!r}; options are {', '.join(known)}")
    spec = {name: options[name] for name in _SPEC if name in options}  # type: ignore[literal-required]
    corpus = options.get("corpus")
    found: dict[str, Any] = {}
    for name in _OWNERS:
        value = options.get(name)
        if value is None:
            continue
        if _OWNERS[name] != kind.name:
            raise NeardupTypeError(f"{name}: is an option of {_OWNERS[name]}, not of {kind.name}")
        found[name] = Option(name, _WEIGHT, None, "", "").read(value)
    if (corpus is None) != (kind.name != "tfidf"):
        raise NeardupTypeError(
            "corpus: tfidf needs one, a collection of texts or a TfIdf"
            if corpus is None
            else f"corpus: is an option of tfidf, not of {kind.name}"
        )
    return Config.from_options(spec), found if corpus is None else {"corpus": corpus}


def _scores(
    kind: Measure, left: list[str], right: list[str], config: Config, given: dict[str, Any]
) -> edit.Numbers:
    """What the kind's own file says of the pairs."""
    spec = text_spec(config)
    if kind.kind == "edit":
        if config.normalize:
            left, right = ([spec.normalize(text) for text in side] for side in (left, right))
        return edit.scores(kind, left, right, threads=config.threads, **given)
    if kind.kind == "set":
        return sets.scores(kind, left, right, spec, threads=config.threads, **given)
    corpus = given.get("corpus")
    if corpus is None:
        return counts.scores(kind, left, right, spec)
    if not isinstance(corpus, TfIdf):
        corpus = TfIdf.of(corpus, spec)
    if corpus.identity != spec.identity:
        raise NeardupValueError(
            f"corpus: it was cut by {corpus.identity}, and the texts are by {spec.identity}; give "
            "both the same options"
        )
    return counts.scores(kind, left, right, spec, weigh=corpus.weigh)
