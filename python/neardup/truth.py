"""What is known of a labelled collection: pairs of ids or labels, turned into document numbers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neardup.errors import DataError, NeardupValueError, UsageError
from neardup.scores import (
    Scores,
    adjusted_rand_index,
    components,
    label_scores,
    pair_scores,
)

I64 = npt.NDArray[np.int64]
Column = Sequence[str | None]

SIMILARITY = ("similarity", "jaccard")
"""Names of a column that says how similar a pair is."""
VERDICT = ("same", "label", "answer", "same_cluster", "duplicate", "is_duplicate")
"""Names of a column that says whether a pair is true."""
YES, NO = ("1", "true", "yes", "same", "duplicate"), ("0", "false", "no", "different", "family")


@dataclass(frozen=True)
class LabelFile:
    """The rows of a file of labels.

    Attributes
    ----------
    rows : list of (str, str)
        Two ids of a true pair; or, if `labels`, an id and its label.
    similarity : list of float or None
        How similar each pair is, where the file says so.
    """

    path: str
    labels: bool
    rows: list[tuple[str, str]]
    similarity: list[float] | None


def read_labels(path: str) -> LabelFile:
    """Read true pairs, or the label of each id: columns with tabs, or in a .csv commas, between.

    A first line whose first cell is ``id_a`` or ``id``, with or without ``#``, names the columns:
    ``id_a id_b`` and maybe ``similarity`` (or ``jaccard``) and ``same`` (or ``label``, ``answer``:
    pairs of which it says ``0``, ``false``, ``no``, ``different`` or ``family`` are not true), or
    ``id`` and a label. Without names the columns are two ids and maybe a similarity; any other
    first line after ``#`` is passed over.

    Raises
    ------
    DataError
        A line has fewer than two cells, a similarity that is no number, or a verdict that is
        neither yes nor no; the file is no UTF-8.
    """
    from neardup.io.codecs import line_blocks, split_suffix

    raw = b"".join(block.tobytes() for block in line_blocks(path, split_suffix(path)[1]))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8: {error.reason}", source=path) from None
    plain = text.replace("\r\n", "\n")
    if split_suffix(path)[0].endswith(".csv"):
        lines = [cells or [""] for cells in csv.reader(plain.split("\n"))]
    else:
        lines = [line.split("\t") for line in plain.split("\n")]
    first = lines[0][0].lstrip("# ")
    names = [first, *lines[0][1:]] if first in ("id", "id_a") else []
    labels = first == "id"
    at = next((i for i, name in enumerate(names) if name in SIMILARITY), None) if names else 2
    verdict = None if labels else next((i for i, n in enumerate(names) if n in VERDICT), None)
    rows: list[tuple[str, str]] = []
    similarity: list[float] = []
    for number, cells in enumerate(lines, 1):
        if cells == [""] or (number == 1 and (names or cells[0].startswith("#"))):
            continue
        if len(cells) < 2 or not cells[0] or not cells[1]:
            what = "an id" if labels else "two ids"
            other = " and a label" if labels else ""
            message = f"a row is {what}{other} with a tab between, got {cells[0]!r}"
            raise DataError(message, source=path, line=number)
        if verdict is not None and not _is_true(cells[verdict : verdict + 1], path, number):
            continue
        rows.append((cells[0], cells[1]))
        if at is not None and len(cells) > at:
            similarity.append(_similarity(cells[at], path, number))
    if not rows:
        raise DataError("no labels in it", source=path)
    if similarity and len(similarity) < len(rows):
        raise DataError("some rows have a similarity and some have none", source=path)
    return LabelFile(path, labels, rows, similarity or None)


def _is_true(cells: list[str], path: str, line: int) -> bool:
    said = cells[0].strip().lower() if cells else ""
    if said not in (*YES, *NO):
        message = f"a pair is {' '.join(YES)}, or {' '.join(NO)}; got {said!r}"
        raise DataError(message, source=path, line=line)
    return said in YES


def _similarity(cell: str, path: str, line: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        message = f"a similarity is a number from 0 to 1, got {cell!r}; name the columns"
        raise DataError(message, source=path, line=line)
    return value


@dataclass(frozen=True)
class Truth:
    """What is true of some documents: pairs, or a label each (-1 where it is not known).

    Attributes
    ----------
    unknown : int
        Ids that were named and are not there.
    names : tuple of str
        The labels as they were written.
    """

    pairs: I64 | None = None
    similarity: npt.NDArray[np.float64] | None = None
    labels: I64 | None = None
    unknown: int = 0
    names: tuple[str, ...] = ()

    @classmethod
    def of_labels(cls, column: Column) -> Truth:
        """The label of each document; None where it has none."""
        names: dict[str, int] = {}
        labels = [-1 if name is None else names.setdefault(name, len(names)) for name in column]
        if not names:
            raise NeardupValueError("no document has a label; is the name of the field right?")
        return cls(labels=np.array(labels, np.int64), names=tuple(names))

    @classmethod
    def of_file(cls, file: LabelFile, ids: Column) -> Truth:
        """What a file says of documents with these ids, in order of the documents."""
        number: dict[str, int] = {}
        for document, name in enumerate(ids):
            if name is not None and number.setdefault(name, document) != document:
                raise NeardupValueError(
                    f"the id {name!r} is there twice, as documents {number[name]} and {document}; "
                    "labels need ids that name one document each"
                )
        if not number:
            raise UsageError(f"{file.path}: labels name ids, and no document has one; give --id")
        sides = file.rows if not file.labels else [(name, name) for name, _ in file.rows]
        place = np.array([[number.get(one, -1), number.get(two, -1)] for one, two in sides])
        there = (place >= 0).all(axis=1)
        if not there.any():
            raise NeardupValueError(
                f"{file.path}: no row names ids of the input; its first is {sides[0][0]!r}, the "
                f"input's is {next(iter(number))!r}"
            )
        unknown = len({name for row in sides for name in row if name not in number})
        if not file.labels:
            given = None if file.similarity is None else np.array(file.similarity)[there]
            return cls(pairs=place[there], similarity=given, unknown=unknown)
        column: list[str | None] = [None] * len(ids)
        for (document, _), (_, label) in zip(place[there], np.array(file.rows)[there], strict=True):
            column[int(document)] = str(label)
        return replace(cls.of_labels(column), unknown=unknown)

    def score(self, found: I64, cluster: I64, leader: I64, threshold: float) -> dict[str, Any]:
        """Compare an answer with the truth, exact duplicates folded into their leaders.

        Parameters
        ----------
        found : numpy.ndarray of int64, shape (pairs, 2)
            Documents found to be similar.
        cluster, leader : numpy.ndarray of int64, shape (documents,)
            The cluster of each document, and the first of its exact duplicates; -1 for a document
            that was set aside.
        threshold : float
            Where the truth says how similar a pair is, those from here on are true.

        Returns
        -------
        dict
            found, true, both, precision, recall, f1, ari.
        """
        lead = np.flatnonzero(leader == np.arange(len(leader)))
        found = leader[found]
        if self.labels is not None:
            judged = np.full(len(leader), -1)
            judged[lead] = self.labels[lead]
            scores = label_scores(found, judged)
            lead = lead[self.labels[lead] >= 0]
            index = adjusted_rand_index(cluster[lead], self.labels[lead])
        else:
            true = self._folded(leader, threshold)
            scores = pair_scores(found, true)
            index = adjusted_rand_index(cluster[lead], components(true, len(leader))[lead])
        return {**_facts(scores), "ari": index}

    def label_of_each(self, leader: I64) -> I64:
        """The label of each first of exact duplicates; -1 for all others, and where not known.

        Of pairs, all are true: what they connect is one label.
        """
        lead = np.flatnonzero(leader == np.arange(len(leader)))
        label = np.full(len(leader), -1)
        if self.labels is not None:
            label[lead] = self.labels[lead]
        else:
            label[lead] = components(self._folded(leader, 0.0), len(leader))[lead]
        return label

    def _folded(self, leader: I64, threshold: float) -> I64:
        pairs = np.empty((0, 2), np.int64) if self.pairs is None else self.pairs
        if self.similarity is not None:
            pairs = pairs[self.similarity >= threshold]
        folded = leader[pairs]
        return folded[(folded >= 0).all(axis=1)]

    def folded(self, leader: I64) -> dict[str, int]:
        """What folding exact duplicates does, and what cannot be judged."""
        there = leader >= 0
        copy = there & (leader != np.arange(len(leader)))
        facts = {
            "documents": int(there.sum()),
            "exact_duplicates": int(copy.sum()),
            "unknown_ids": self.unknown,
        }
        if self.labels is not None:
            known = copy & (self.labels >= 0) & (self.labels[leader] >= 0)
            differ = known & (self.labels != self.labels[leader])
            unlabelled = int((there & ~copy & (self.labels < 0)).sum())
            return {**facts, "exact_across_labels": int(differ.sum()), "unlabelled": unlabelled}
        return facts


def _facts(scores: Scores) -> dict[str, Any]:
    return {
        "found": scores.found,
        "true": scores.true,
        "both": scores.both,
        "precision": scores.precision,
        "recall": scores.recall,
        "f1": scores.f1,
    }
