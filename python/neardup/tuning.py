"""`neardup.tune`: which threshold suits a labelled collection, and how sure that is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neardup.config import OPTIONS, RUN_OPTIONS, SHINGLES, THRESHOLDS, Config
from neardup.judge import Judge
from neardup.scores import label_scores
from neardup.values import ShingleKind

if TYPE_CHECKING:
    from neardup.grid import Answer
    from neardup.io.base import Source
    from neardup.plan import Found
    from neardup.progress import Progress

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

_NOT_MINE = {
    *("preset", "threshold", "recall", "size", "bands", "rows", "sketch", "verify", "bucket_cap"),
    *("hamming", "exact_join", "exact_only", "against", "annotate", "annotate_prefix", "config"),
    "distinct_shingles",
}
OF_A_RUN = tuple(
    option.name
    for option in RUN_OPTIONS
    if option.name not in _NOT_MINE and (option.group != "Output" or option.name == "overwrite")
)
"""The options of `dedup` that `tune` takes too: pairs are joined exactly, without bands."""
OWN = tuple(option.name for option in OPTIONS if "tune" in option.commands)


@dataclass(frozen=True)
class Tuning:
    """What labelled data say of thresholds.

    Attributes
    ----------
    facts : dict
        documents, exact_duplicates, labels (clusters of labels), removable (documents that ought to
        go) and so on.
    scores : list of dict
        For each threshold: precision, recall, f1 of pairs; removed, wrongly_removed (documents),
        removal_precision, removal_recall; ari; net_1, net_3, net_10.
    best : list of dict
        For each of f1, net_1, net_3, net_10: the best threshold (of equal ones the highest), its
        value, the plateau around it (low, high) and the 95 % interval of the best over resampled
        clusters (from, to).
    shingles : list of dict
        For each other shingle the threshold that finds as many pairs as the best one for net_3
        does, and what it does there.
    across : list of dict
        Pairs with different labels, the most similar first; `facts` counts them all.
    """

    facts: dict[str, Any]
    scores: list[dict[str, Any]]
    best: list[dict[str, Any]]
    shingles: list[dict[str, Any]]
    across: list[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            **self.facts,
            "scores": self.scores,
            "best": self.best,
            "shingles": self.shingles,
            "across": self.across,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scores (.csv, .tsv) or everything (.json), finished or not at all."""
        from neardup.evaluation import save

        save(path, self.as_dict(), self.scores)


def tune(data: Any, labels: Any = None, *, progress: Any = None, **options: Any) -> Tuning:
    """Look for the best threshold on a labelled collection; pairs are joined exactly.

    Exact duplicates are folded into the first of each before anything is counted. The net gain of
    a threshold is the share of the documents that ought to go which it rightly removes, less its
    wrong removals, each counted as 1, 3 or 10 of them.

    Parameters
    ----------
    data : object
        Texts, as `dedup` takes them.
    labels : path or sequence, optional
        A file of true pairs or of labels, which names documents by their ids (``id="field"``); or
        the label of each document, None where it is not known. Without `labels` and `label`, the
        field ``label`` of the data. True pairs are all true, whatever similarity the file gives;
        what they connect is one label, and a document in none of them is alone.
    progress : Progress or tqdm class, optional
        Who watches, as for `dedup`.
    **options
        ``label="field"``, ``thresholds=``, ``shingles=``, ``save=`` as for `evaluate`, ``seed=`` of
        the resampling; and those of `dedup` that speak of texts, answers and inputs.

    Returns
    -------
    Tuning

    Raises
    ------
    NeardupTypeError, NeardupValueError, UsageError
        Options that cannot be met, labels that name nothing in the data.
    NeardupError
        A bad row or file.

    Examples
    --------
    >>> import neardup
    >>> texts = ["a b c d e f g h", "a b c d e f g i", "a b c d e x y z", "p q r s"]
    >>> found = neardup.tune(texts, ["one", "one", "two", "three"], thresholds=(0.2, 0.4, 0.6))
    >>> [(row["threshold"], row["removed"], row["wrongly_removed"]) for row in found.scores]
    [(0.2, 2, 1), (0.4, 1, 0), (0.6, 1, 0)]
    >>> found.best[2]["threshold"], found.best[2]["low"], found.best[2]["high"]
    (0.6, 0.4, 0.6)
    """
    from neardup.api import open_data
    from neardup.evaluation import options_of
    from neardup.progress import watched

    config, path, column = options_of("tune", labels, options, {*OF_A_RUN, *OWN})
    config = config if column is not None else with_label(config)
    sources, _ = open_data(data, replace(config, id=config.label or config.id))
    with watched(progress) as watcher:
        found = tuned(sources, config, path, column, watcher)
    if config.save is not None:
        found.save(config.save)
    return found


def with_label(config: Config) -> Config:
    """The label is in the field `label` unless something else is said."""
    return config if config.labels or config.label else replace(config, label="label")


def tuned(
    sources: Sequence[Source],
    config: Config,
    path: str | None,
    column: Sequence[Any] | None,
    progress: Progress,
) -> Tuning:
    """What one exact join a shingle says."""
    from neardup import grid
    from neardup.api import execute
    from neardup.evaluation import check_save, known_by

    truth_of = known_by(config, path, column)
    check_save(config)
    thresholds = sorted(config.thresholds or THRESHOLDS)
    config = replace(config, threshold=thresholds[0], exact_join=True, preset=None)
    held = grid.held(config, sources, config.label or config.id, progress)
    found = execute(config, held, progress)[0]
    truth = truth_of(found.base)
    answers = [grid.at(found, threshold) for threshold in thresholds]
    leader = answers[0].leader
    label = truth.label_of_each(leader)
    judge = Judge(label)
    scores = [judge.row(answer) for answer in answers]
    best = judge.best(thresholds, config.seed)
    across = _across(found, config, answers[0], judge.across(answers[0]), label, truth.names)
    at = next(row["threshold"] for row in best if row["by"] == "net_3")
    strict = int(np.count_nonzero(answers[0].similarity >= at))
    other = config.shingles or tuple(ShingleKind().read(each) for each in SHINGLES)
    rows = [_same_strictness(answers[0], label, strict)]
    for shingle in other:
        if shingle != config.shingle:
            run = execute(replace(config, shingle=shingle), held, progress)[0]
            rows.append(_same_strictness(grid.at(run, thresholds[0]), label, strict))
    facts = {**truth.folded(leader), **judge.facts(answers[0])}
    return Tuning(facts, scores, best, rows, across)


def _same_strictness(answer: Answer, label: I64, pairs: int) -> dict[str, Any]:
    """The threshold at which a shingle finds so many pairs, and how good these are."""
    enough = len(answer.similarity) >= pairs > 0
    order = np.argsort(-answer.similarity, kind="stable")[:pairs]
    scores = label_scores(answer.pairs[order], label)
    return {
        "shingle": answer.shingle,
        "threshold": float(answer.similarity[order[-1]]) if enough else None,
        "found": scores.found,
        "precision": scores.precision,
        "recall": scores.recall,
        "f1": scores.f1,
    }


def _across(
    found: Found, config: Config, answer: Answer, places: I64, label: I64, labels: Sequence[str]
) -> list[dict[str, Any]]:
    """Pairs with the names, labels and texts of their documents."""
    from neardup.grid import column
    from neardup.result import texts_of

    base = found.base
    pairs = answer.pairs[places]
    texts = texts_of(found, np.unique(pairs))
    ids: list[str | None] = [None] * len(base.survey)
    if config.id is not None and config.label is None:
        ids = column(base, config.id)
    sources = [source.name for source in base.documents.sources]
    rows: list[dict[str, Any]] = []
    for place, pair in zip(places.tolist(), pairs.tolist(), strict=True):
        rows.append({"similarity": float(answer.similarity[place])})
        for side, document in zip("ab", pair, strict=True):
            source, row = base.survey.place(document)
            number = int(label[document])
            name = {"source": sources[source], "row": row, "id": ids[document]}
            name["label"] = labels[number] if labels else str(number)
            name["text"] = texts[document]
            rows[-1].update({f"{key}_{side}": value for key, value in name.items()})
    return rows
