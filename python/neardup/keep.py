"""Keep order: which document of a cluster stays, as each one's position in one total order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from neardup.io.documents import Documents
    from neardup.survey import Survey
    from neardup.values import Keep

Rank = npt.NDArray[np.uint32]


def rank(survey: Survey, documents: Documents, rule: Keep) -> Rank:
    """Position of each document in keep order, 0 first.

    Rules that do not speak of order break ties by the digest of the raw text, then by source and
    row; so what they keep does not depend on the order of the input. Documents of the other side of
    `--against` come before all others.

    Returns
    -------
    numpy.ndarray of uint32, shape (n,)
    """
    n = len(survey)
    number = np.arange(n, dtype=np.uint32)
    if rule.rule in ("first", "last"):
        keys: list[Any] = [number if rule.rule == "first" else number[::-1]]
    else:
        places = [number, *_paths(survey, documents)]  # most significant last
        keys = [*places, survey.raw[:, 0], survey.raw[:, 1], *_values(survey, documents, rule)]
    if documents.own < len(documents.sources):
        keys.append(number < survey.starts[documents.own])  # False, the other side, is first
    if len(keys) == 1:
        return np.ascontiguousarray(keys[0])
    order = np.lexsort(keys)
    position = np.empty(n, np.uint32)
    position[order] = number
    return position


def _paths(survey: Survey, documents: Documents) -> list[Any]:
    """The order of each document's source by the bytes of its path, unless that of the input."""
    names = [source.name.encode("utf-8", "surrogateescape") for source in documents.sources]
    order = sorted(range(len(names)), key=names.__getitem__)
    if order == list(range(len(names))):
        return []
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return [np.repeat(place, np.diff(survey.starts))]


def _values(survey: Survey, documents: Documents, rule: Keep) -> list[Any]:
    """Sort keys of a rule, the most significant last; lower is kept."""
    if rule.rule == "longest":
        return [-survey.bytes.astype(np.int64)]
    if rule.rule == "shortest":
        return [survey.bytes]
    if survey.keep_value is not None:
        sign = -1.0 if rule.rule == "max" else 1.0
        exact = [] if survey.keep_rest is None else [sign * survey.keep_rest]
        return [*exact, sign * survey.keep_value]  # NaN, a missing value, sorts last
    places = [_priority(source.name, rule.sources) for source in documents.sources]
    return [np.repeat(np.array(places), np.diff(survey.starts))]


def _priority(name: str, wanted: tuple[str, ...]) -> int:
    for place, item in enumerate(wanted):
        if matches(name, item):
            return place
    return len(wanted)


def matches(name: str, item: str) -> bool:
    """Whether an item of a priority means a source.

    Examples
    --------
    >>> matches("new/a.jsonl", "new/"), matches("new/a.jsonl", "new")
    (True, False)
    """
    return name == item or (item.endswith("/") and name.startswith(item))
