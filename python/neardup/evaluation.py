"""`neardup.evaluate`: how good answers are on a labelled collection, each text read once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from neardup.config import OPTIONS, RUN_OPTIONS, Config, refuse
from neardup.errors import NeardupTypeError, NeardupValueError, UsageError
from neardup.progress import watched

if TYPE_CHECKING:
    import pyarrow as pa

    from neardup.io.base import Source
    from neardup.plan import Base
    from neardup.progress import Progress
    from neardup.truth import Truth

_NOT_MINE = {
    *("against", "annotate", "annotate_prefix", "distinct_shingles", "exact_only", "config"),
}
OF_A_RUN = tuple(
    option.name
    for option in RUN_OPTIONS
    if option.name not in _NOT_MINE and (option.group != "Output" or option.name == "overwrite")
)
"""The options of `dedup` that `evaluate` takes too."""
OWN = tuple(option.name for option in OPTIONS if "evaluate" in option.commands)
_READING = {"text", "id", "format", "encoding", "whole_file", "on_error", "threads", "memory"}
_SHOWING = {"json", "quiet", "overwrite", "config", "save", "labels", "label", "run"}
TABLES = (".csv", ".tsv")


@dataclass(frozen=True)
class Evaluation:
    """Scores of one answer or several.

    Attributes
    ----------
    facts : dict
        What there was to judge: documents, exact_duplicates and so on.
    scores : list of dict
        For each shingle and threshold: found, true, both, precision, recall, f1, ari, removed.
    """

    facts: dict[str, Any]
    scores: list[dict[str, Any]]

    @property
    def table(self) -> pa.Table:
        """The scores as a pyarrow.Table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.scores)

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {**self.facts, "scores": self.scores}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table (.csv, .tsv) or everything (.json), finished or not at all."""
        save(path, self.as_dict(), self.scores)


def evaluate(data: Any, labels: Any = None, *, progress: Any = None, **options: Any) -> Evaluation:
    """Compare what is found in a collection with what is known of it: pairs and clusters.

    Exact duplicates are folded into the first of each before anything is counted. Files are read
    once, however many shingles there are.

    Parameters
    ----------
    data : object
        Texts, as `dedup` takes them.
    labels : path or sequence, optional
        A file of true pairs or of labels, which names documents by their ids (``id="field"``); or
        the label of each document, None where it is not known.
    progress : Progress or tqdm class, optional
        Who watches, as for `dedup`.
    **options
        ``label="field"`` of the data that holds the label, instead of `labels`;
        ``thresholds=(.6, .7)``, ``shingles=("word:3", "char:5")``; ``run="OUT"``, a finished run
        to be judged; ``save="scores.csv"``; and those of `dedup` that speak of texts, similarity,
        answers and inputs.

    Returns
    -------
    Evaluation

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
    >>> found = neardup.evaluate(texts, ["one", "one", "two", "three"], thresholds=(0.3, 0.7))
    >>> found.table.select(["threshold", "precision", "recall"]).to_pylist()[0]
    {'threshold': 0.3, 'precision': 0.3333333333333333, 'recall': 1.0}
    """
    from neardup.api import open_data

    config, path, column = options_of("evaluate", labels, options, {*OF_A_RUN, *OWN})
    check_run(config, set(options))
    sources, _ = open_data(data, replace(config, id=config.label or config.id))
    with watched(progress) as watcher:
        found = scored(sources, config, path, column, watcher)
    if config.save is not None:
        found.save(config.save)
    return found


def options_of(
    command: str, labels: Any, options: dict[str, Any], known: set[str]
) -> tuple[Config, str | None, Sequence[Any] | None]:
    """The options of a call from Python, and its labels as a file or as a column."""
    by_name = {option.name: option for option in OPTIONS}
    for name in options:
        if name not in known or not by_name[name].python:
            refuse(name, options[name], command)
            raise NeardupTypeError(f"{name}: {command} in Python does not take it")
    if labels is None or isinstance(labels, str | os.PathLike):
        path = None if labels is None else os.fspath(labels)
        return Config.from_options({**options, "labels": path}), path, None
    return Config.from_options(options), None, list(labels)


def scored(
    sources: Sequence[Source],
    config: Config,
    path: str | None,
    column: Sequence[Any] | None,
    progress: Progress,
) -> Evaluation:
    """Scores of the runs, or of the one run, that a configuration asks for."""
    from neardup import grid

    truth_of = known_by(config, path, column)
    check_save(config)
    if config.run is not None:
        answers = iter([grid.finished(config.run, config, sources, progress)])
    else:
        held = grid.held(config, sources, config.label or config.id, progress)
        thresholds = config.thresholds or (config.threshold,)
        answers = grid.over(
            config, held, thresholds, config.shingles or (config.shingle,), progress
        )
    rows: list[dict[str, Any]] = []
    truth: Truth | None = None
    facts: dict[str, Any] = {}
    for each in answers:
        if truth is None:
            truth = truth_of(each.base)
            facts = truth.folded(each.leader)
        scores = truth.score(each.pairs, each.cluster, each.leader, each.threshold)
        row = {"shingle": each.shingle, "threshold": each.threshold, **scores}
        rows.append({**row, "removed": each.removed})
    return Evaluation(facts, rows)


def known_by(config: Config, path: str | None, column: Sequence[Any] | None) -> Any:
    """A function from a run's base to what is known of its documents; files are read now."""
    from neardup import grid
    from neardup.truth import Truth, read_labels

    if sum(each is not None for each in (path, column, config.label)) != 1:
        raise UsageError("what is true? Give --labels FILE or --label FIELD, one of them")
    if path is not None and config.id is None:
        raise UsageError("--labels names documents by their ids; say which field with --id FIELD")
    file = None if path is None else read_labels(path)

    def of(base: Base) -> Truth:
        if file is not None:
            return Truth.of_file(file, grid.column(base, str(config.id)))
        if column is None:
            return Truth.of_labels(grid.column(base, str(config.label)))
        if len(column) != len(base.survey):
            raise NeardupValueError(
                f"labels: {len(column):,} labels for {len(base.survey):,} documents; give one a "
                "document, None where it is not known"
            )
        return Truth.of_labels([None if each is None else str(each) for each in column])

    return of


def check_save(config: Config) -> None:
    """Refuse a file that cannot be saved to, before the work is done."""
    path = config.save
    if path is None:
        return
    if not path.endswith((*TABLES, ".json")):
        raise UsageError(f"{path}: the result is written as .csv, .tsv or .json")
    if os.path.exists(path) and not config.overwrite:
        raise UsageError(f"{path} exists; add --overwrite to replace it, or name another file")


def check_run(config: Config, given: set[str]) -> None:
    """Refuse options that a finished run has answered already."""
    if config.run is not None and (extra := given - _READING - _SHOWING):
        flags = ", ".join("--" + name.replace("_", "-") for name in sorted(extra))
        raise UsageError(f"--run takes a run as it is; leave out {flags}")


def save(
    path: str | os.PathLike[str], everything: dict[str, Any], rows: list[dict[str, Any]]
) -> None:
    """Write a table or everything, by the name of the file; finished or not at all."""
    import csv
    import io

    from neardup.io import write_bytes, writing

    name = os.fspath(path)
    if name.endswith(".json"):
        text = json.dumps(everything, ensure_ascii=False, indent=2) + "\n"
    else:
        lines = io.StringIO()
        table = csv.writer(
            lines, delimiter="\t" if name.endswith(".tsv") else ",", lineterminator="\n"
        )
        table.writerow(rows[0])
        table.writerows(row.values() for row in rows)
        text = lines.getvalue()
    with writing(name):
        write_bytes(name, text.encode())
