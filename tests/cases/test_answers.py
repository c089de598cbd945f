"""What an answer promises: nothing below the threshold, whole groups, counts that add up."""

from __future__ import annotations

import gzip
import json
import math
import random
import time
from pathlib import Path

import pytest

from harness import families, jaccard, one_line, write_jsonl
from neardup import NeardupValueError, dedup

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("cluster", ["star", "components"])
def test_nothing_below_the_threshold(ask, threshold, cluster):
    texts = families(13, 600, vocabulary=300)
    # One row a band: nearly everything becomes a candidate, and candidates are not answers.
    loose = {
        "bands": 64,
        "rows": 1,
        "threshold": threshold,
        "cluster": cluster,
        "shingle": "word:1",
    }
    answer = ask(texts, **loose)
    assert answer.summary["candidates"] > 10 * answer.summary["pairs"]
    for pair in answer.pairs:
        found = jaccard(texts[pair["row_a"]], texts[pair["row_b"]], 1)
        assert pair["similarity"] == found >= threshold
    for row in answer.removed:
        found = jaccard(texts[row["row"]], texts[row["kept_row"]], 1)
        if cluster == "star":
            assert found >= threshold
        if row["reason"] == "near":
            assert row["similarity"] == found


def test_recall_at_the_threshold():
    found = 0
    for seed in range(100):
        rng = random.Random(seed)
        shared = [f"s{rng.getrandbits(64)}" for _ in range(97)]
        one, other = (
            " ".join([*shared, *(f"{side}{rng.getrandbits(64)}" for _ in range(3))])
            for side in "ab"
        )
        r = dedup([one, other], shingle="word:1", threshold=0.9, recall=0.95, seed=seed)
        found += r.pairs.num_rows
    assert found >= 95


@pytest.mark.parametrize(
    ("threshold", "found"),
    [(0.98, [0.98, 0.98, 1.0]), (0.981, [1.0]), (0.99, [1.0]), (1.0, [1.0]), (1, [1.0])],
)
def test_thresholds_up_to_one(ask, threshold, found):
    words = [f"w{i}" for i in range(100)]
    texts = [" ".join(each) for each in (words, reversed(words), words[:98])]
    answer = ask(texts, shingle="word:1", threshold=threshold, bands=128, rows=1)
    assert sorted(pair["similarity"] for pair in answer.pairs) == found


@pytest.mark.parametrize(
    "threshold", [0, -0.1, 1.0000001, 80, math.nan, math.inf, "much", None, True]
)
def test_thresholds_that_mean_nothing(threshold, command, tmp_path):
    with pytest.raises(TypeError if threshold is None or threshold is True else ValueError):
        dedup(["a", "b"], threshold=threshold)
    if isinstance(threshold, float | str) or threshold == 0:
        path = write_jsonl(tmp_path / "a.jsonl", ["a"])
        done = command(path, "--dry-run", "--threshold", threshold)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"a number above 0, up to 1" in done.stderr
        assert b"Traceback" not in done.stderr


def test_unverified_candidates_join_nothing(ask):
    rng = random.Random(17)
    pool = [f"w{i}" for i in range(400)]
    bridge = rng.sample(pool, 60)
    a, b = ([*bridge, *(f"{side}{i}" for i in range(80))] for side in "ab")
    texts = [" ".join(words) for words in (a, [*a, "x"], b, [*b, "y"])]
    answer = ask(texts, shingle="word:1", bands=128, rows=1, threshold=0.8, cluster="components")
    assert answer.summary["candidates"] == 6  # a chain and more: all share some slot
    assert len(answer.pairs) == 2
    assert [(row["row"], row["cluster"]) for row in answer.clusters] == [
        (0, 0),
        (1, 0),
        (2, 1),
        (3, 1),
    ]


CHAIN = [" ".join(f"w{i}" for i in range(start, start + 20)) for start in (0, 2, 4)]


@pytest.mark.parametrize("keep", ["first", "last"])
def test_star_and_components(ask, keep):
    loose = {"shingle": "word:1", "bands": 128, "rows": 1, "keep": keep}
    star = ask(CHAIN, **loose)
    assert star.kept_rows == [0, 2]
    kept = 0 if keep == "first" else 2
    assert [(r["row"], r["kept_row"], r["similarity"]) for r in star.removed] == [
        (1, kept, 18 / 22)
    ]
    parts = ask(CHAIN, cluster="components", **loose)
    assert parts.kept_rows == [kept]
    assert {r["row"]: r["similarity"] for r in parts.removed} == {1: 18 / 22, 2 - kept: 16 / 24}


def test_a_template_is_said_to_be_one(ask):
    rng = random.Random(20)
    template = [f"t{i}" for i in range(200)]
    texts = []
    for _ in range(10_000):
        words = list(template)
        for place in (20, 60, 100, 140, 180):
            words[place] = f"c{rng.getrandbits(40)}"
        texts.append(" ".join(words))
    answer = ask(texts)
    kept = {row["kept_row"] for row in answer.removed}
    linked = {(pair["row_a"], pair["row_b"]) for pair in answer.pairs}
    for row in answer.removed:
        assert tuple(sorted((row["row"], row["kept_row"]))) in linked
    assert answer.summary["largest_cluster"] <= 1 + max(
        sum(head in pair for pair in linked) for head in kept
    )
    assert answer.summary["capped_buckets"] > 0
    if answer.said:
        said = " ".join(answer.said.split())
        assert "look whether it is one text or a template around many" in said
        assert "buckets were larger than the cap" in said
        assert f"{answer.summary['largest_cluster']:,} texts like 0.jsonl row 0" in said


def test_two_books_are_not_one(ask):
    books = []
    for name in ("manuals-en.jsonl.gz", "clang-docs.jsonl.gz"):
        with gzip.open(EXAMPLES / name, "rt", encoding="utf-8") as file:
            books.append("\n".join(json.loads(line)["text"] for line in file))
    answer = ask(books, shingle="char:5", bands=128, rows=1)
    assert answer.kept_rows == [0, 1]
    loose = ask(books, shingle="char:5", bands=128, rows=1, threshold=0.05)
    assert 0.05 < loose.pairs[0]["similarity"] < 0.6


@pytest.mark.parametrize("keep", ["first", "last", "longest", "shortest"])
def test_groups_are_complete_and_ties_fixed(ask, keep):
    texts = families(22, 400)
    answer, again = (ask(texts, keep=keep) for _ in range(2))
    assert answer.kept_rows == again.kept_rows
    assert [r["kept_row"] for r in answer.removed] == [r["kept_row"] for r in again.removed]
    cluster = {row["row"]: row["cluster"] for row in answer.clusters}
    assert set(cluster) == {r for row in answer.removed for r in (row["row"], row["kept_row"])}
    for row in answer.removed:
        assert cluster[row["row"]] == cluster[row["kept_row"]]


@pytest.mark.parametrize(
    ("texts", "counts"),
    [
        ([], (0, 0, 0, 0)),
        (["one text"], (1, 1, 0, 0)),
        (["one text"] * 40_000, (40_000, 1, 39_999, 1)),
        ([f"text number {i} of many" for i in range(2000)], (2000, 2000, 0, 0)),
        ([""] * 1000, (1000, 1, 999, 1)),
    ],
    ids=["no row", "one row", "all rows equal", "all rows distinct", "all rows empty"],
)
@pytest.mark.parametrize(
    "how", [{}, {"exact_only": True}, {"cluster": "components"}, {"keep": "longest"}], ids=str
)
def test_counts_balance(ask, texts, counts, how):
    began = time.perf_counter()
    summary = ask(texts, **how).summary
    assert time.perf_counter() - began < 20
    found = tuple(summary[name] for name in ("documents", "kept", "exact_duplicates", "clusters"))
    assert found == counts
    assert summary["documents"] == summary["kept"] + summary["removed"] + summary["rejected"]
    assert summary["removed"] == summary["exact_duplicates"] + summary["near_duplicates"]


@pytest.mark.parametrize(
    "given",
    [
        {"recall": 0}, {"recall": 1}, {"recall": 1.5},
        {"recall": 0.9999999, "size": 4, "threshold": 0.3},
        {"size": 0}, {"size": 65537}, {"bands": 3}, {"bands": 65, "rows": 2}, {"bucket_cap": 0},
        {"threads": -1}, {"seed": -1}, {"shingle": "word:0"}, {"shingle": "words"},
        {"keep": "best"},
    ],
    ids=str,
)  # fmt: skip
def test_impossible_requests_are_usage(given, command, tmp_path):
    with pytest.raises(NeardupValueError):
        dedup(["a", "b"], **given)
    path = write_jsonl(tmp_path / "a.jsonl", ["a"])
    typed = [
        part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", value)
    ]
    done = command(path, "-o", tmp_path / "o", *typed)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "o").exists()


def test_impossible_recall_says_what_can_be_had(command, tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", ["a"])
    done = command(path, "--dry-run", "--recall", "0.999999", "--size", "4", "--threshold", "0.3")
    one_line(done, 2, "recall")
