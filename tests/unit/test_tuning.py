"""Thresholds judged by labels, from Python: against counting, for each kind of label and data."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import neardup
from neardup.asking import wilson
from neardup.io import jsonl


def labelled(seed=0, families=30):
    """Families of texts with edits, some of them with the label of another family."""
    rng = random.Random(seed)
    texts, labels = [], []
    for family in range(families):
        base = [f"f{family}w{i}" for i in range(40)]
        for _ in range(rng.randint(1, 5)):
            words = [w if rng.random() > 0.06 else f"n{rng.randrange(10**6)}" for w in base]
            texts.append(" ".join(words))
            labels.append(str(family) if rng.random() > 0.1 else str(rng.randrange(families)))
    return texts, labels


def test_scores_are_those_of_counting():
    texts, labels = labelled()
    found = neardup.tune(texts, labels, thresholds=(0.3, 0.5, 0.7))
    removable = len(labels) - len(set(labels))
    assert found.facts["removable"] == removable
    for row in found.scores:
        run = neardup.dedup(texts, threshold=row["threshold"], exact_join=True)
        right = wrong = 0
        for gone, kept in zip(
            *(run.removed[k].to_pylist() for k in ("row", "kept_row")), strict=True
        ):
            right += labels[gone] == labels[kept]
            wrong += labels[gone] != labels[kept]
        assert (row["removed"], row["wrongly_removed"]) == (right + wrong, wrong)
        assert row["removal_recall"] == right / removable
        for cost in (1, 3, 10):
            assert row[f"net_{cost}"] == (right - cost * wrong) / removable
        same = neardup.evaluate(texts, labels, threshold=row["threshold"], exact_join=True)
        for name in ("found", "true", "precision", "recall", "f1", "ari"):
            assert row[name] == same.scores[0][name]


def test_the_best_is_the_largest_and_draws_differ_by_seed_only():
    texts, labels = labelled()
    found = neardup.tune(texts, labels, seed=1)
    for row in found.best:
        values = {each["threshold"]: each[row["by"]] for each in found.scores}
        assert row["value"] == pytest.approx(max(values.values()), abs=1e-12)
        inside = [value for at, value in values.items() if row["low"] <= at <= row["high"]]
        assert min(inside) >= row["value"] - 0.01 - 1e-12
        assert row["from"] <= row["to"]
    assert neardup.tune(texts, labels, seed=1).best == found.best


def test_labels_that_are_all_right_want_the_lowest_threshold():
    texts, _ = labelled()
    labels = [text.split("w")[0] if text.startswith("f") else None for text in texts]
    found = neardup.tune(texts, labels, thresholds=(0.4, 0.6, 0.9))
    assert [row["threshold"] for row in found.best] == [0.4] * 4
    assert all((row["from"], row["to"]) == (0.4, 0.4) for row in found.best)


@pytest.mark.parametrize("call", [neardup.evaluate, neardup.tune])
def test_files_are_read_once_for_all_shingles(call, tmp_path, monkeypatch):
    texts, labels = labelled(families=5)
    frame = pytest.importorskip("pandas").DataFrame({"text": texts, "label": labels})
    path = tmp_path / "corpus.jsonl"
    frame.to_json(path, orient="records", lines=True)
    calls = []
    for name in ("batches", "rows"):
        read = getattr(jsonl.JsonlSource, name)

        def counted(self, *args, name=name, read=read):
            calls.append(name)
            return read(self, *args)

        monkeypatch.setattr(jsonl.JsonlSource, name, counted)
    shingles = ("word:2", "word:3", "char:4")
    by_path = call(path, label="label", thresholds=(0.5, 0.8), shingles=shingles)
    assert calls == ["batches"]
    named = {} if call is neardup.tune else {"label": "label"}  # where tune looks by itself
    by_frame = call(frame, **named, thresholds=(0.5, 0.8), shingles=shingles)
    assert by_path.scores == by_frame.scores
    assert by_path.facts == by_frame.facts


def test_keep_rules_hold_under_a_grid(tmp_path):
    texts, labels = labelled(families=8)
    rows = [{"text": t, "n": i % 7} for i, t in enumerate(texts)]
    table = pytest.importorskip("pyarrow").Table.from_pylist(rows)
    for keep in ("last", "longest", "max:n"):
        grid = neardup.evaluate(table, labels, keep=keep, thresholds=(0.5,), shingles=("word:2",))
        run = neardup.dedup(table, keep=keep, threshold=0.5, shingle="word:2")
        assert grid.scores[0]["removed"] == run.summary["removed"]


def test_what_python_cannot_meet(tmp_path):
    texts, labels = labelled(families=3)
    with pytest.raises(
        neardup.NeardupTypeError, match="threshold: tune in Python does not take it"
    ):
        neardup.tune(texts, labels, threshold=0.8)
    with pytest.raises(neardup.NeardupTypeError, match="is an option of tune, not of evaluate"):
        neardup.evaluate(texts, labels, per_band=3)
    with pytest.raises(
        neardup.NeardupTypeError, match="thresholds: is an option of evaluate and tune"
    ):
        neardup.dedup(texts, thresholds=(0.5,))
    with pytest.raises(neardup.NeardupValueError, match=r"labels: 1 labels for \d+ documents"):
        neardup.tune(texts, ["a"])
    with pytest.raises(neardup.NeardupError, match="one of them"):
        neardup.evaluate(texts)
    found = neardup.evaluate(texts, labels, save=tmp_path / "scores.json")
    assert "scores" in (tmp_path / "scores.json").read_text("utf-8")
    assert found.table.num_rows == 1


@pytest.mark.parametrize("total", [1, 7, 40, 1000])
def test_wilson_solves_its_equation(total):
    # Its ends are the shares p from which hits / total is z standard errors away.
    z = 1.959963984540054
    for hits in {0, 1, total // 3, total}:
        for end in wilson(hits, total):
            off = (hits / total - end) ** 2
            assert off == pytest.approx(z * z * end * (1 - end) / total, abs=1e-12)


def test_wilson_covers_as_often_as_it_says():
    rng = np.random.default_rng(5)
    for share in (0.1, 0.3, 0.5):
        hits = rng.binomial(100, share, 2000)
        inside = [low <= share <= high for low, high in (wilson(int(h), 100) for h in hits)]
        # Coverage of the interval is .95 within .015 for these (exact, from the binomial law).
        assert abs(np.mean(inside) - 0.95) < 0.015 + 4 * math.sqrt(0.05 * 0.95 / 2000)
