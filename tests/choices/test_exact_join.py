"""`exact_join`: every pair there is, the same answer otherwise; what it refuses, and how."""

from __future__ import annotations

import json
import random
from itertools import combinations

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
from neardup.errors import NeardupValueError, UsageError


def edited(seed: int, count: int) -> list[str]:
    """Texts of some words, most of them another one with a few words changed."""
    rng = random.Random(seed)
    texts: list[list[str]] = []
    for _ in range(count):
        if texts and rng.random() < 0.7:
            words = list(rng.choice(texts))
            for _ in range(rng.randrange(4)):
                words[rng.randrange(len(words))] = f"w{rng.randrange(60)}"
        else:
            words = [f"w{rng.randrange(60)}" for _ in range(rng.randrange(1, 30))]
        texts.append(words)
    return [" ".join(words) for words in texts]


def brute(texts: list[str], threshold: float) -> set[tuple[int, int, float]]:
    """Pairs of distinct texts by definition, and each copy with the first of its kind."""
    first = [texts.index(text) for text in texts]
    found = {(a, i, 1.0) for i, a in enumerate(first) if a != i}
    for a, b in combinations(sorted(set(first)), 2):
        similarity = neardup.jaccard(texts[a], texts[b])
        if similarity >= threshold:
            found.add((a, b, similarity))
    return found


def pairs(table) -> set[tuple[int, int, float]]:
    return set(
        zip(*(table[key].to_pylist() for key in ("row_a", "row_b", "similarity")), strict=True)
    )


@given(st.integers(0, 10**6), st.integers(0, 60), st.sampled_from([0.1, 0.5, 0.6, 0.8, 1.0]))
@settings(max_examples=60, deadline=None)
def test_every_pair_is_found(seed, count, threshold):
    texts = edited(seed, count)
    result = neardup.dedup(texts, threshold=threshold, exact_join=True)
    assert pairs(result.pairs) == brute(texts, threshold)
    assert (result.summary["bands"], result.summary["rows"]) == (None, None)
    assert result.summary["recall_expected"] == 1.0


def test_match_finds_every_pair_between_two_sides():
    texts = edited(3, 200)
    left, right = texts[:90], texts[90:]
    found = pairs(neardup.match(left, right, 0.5, exact_join=True))
    expected = {
        (i, j, neardup.jaccard(one, two))
        for i, one in enumerate(left)
        for j, two in enumerate(right)
        if neardup.jaccard(one, two) >= 0.5
    }
    assert len(expected) > 50
    assert found == expected


def test_everything_else_stays_as_it_was():
    """Where bands miss nothing the two ways give one answer, with every option that follows."""
    texts = edited(5, 300)
    options = {"threshold": 0.5, "cluster": "components", "keep": "longest", "guard": "numbers"}
    banded = neardup.dedup(texts, bands=128, rows=1, **options)
    joined = neardup.dedup(texts, exact_join=True, **options)
    assert joined.removed.equals(banded.removed)
    assert joined.pairs.equals(banded.pairs)
    assert joined.clusters.equals(banded.clusters)
    assert joined.summary["guarded_pairs"] == banded.summary["guarded_pairs"] > 0
    for threads in (1, 2, 8):
        again = neardup.dedup(texts, exact_join=True, threads=threads, **options)
        assert again.pairs.equals(joined.pairs)
    higher = joined.rethreshold(0.8)
    assert higher.removed.equals(
        neardup.dedup(texts, exact_join=True, **{**options, "threshold": 0.8}).removed
    )


def test_on_the_command_line_with_rows_set_aside(neardup_cli, tmp_path):
    lines = [json.dumps({"text": text}) for text in edited(9, 100)]
    lines[7] = '{"text": null}'
    source = tmp_path / "a.jsonl"
    source.write_text("\n".join(lines), "utf-8")
    out = tmp_path / "out"
    done = neardup_cli(source, "-o", out, "--exact-join", "-t", 0.5, "--on-error", "skip")
    assert done.exit_code == 0, done.output
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    texts = [json.loads(line)["text"] or f"rejected {i}" for i, line in enumerate(lines)]
    assert pairs(pq.read_table(out / "pairs.parquet")) == brute(texts, 0.5)
    assert (summary["bands"], summary["recall_expected"], summary["rejected"]) == (None, 1.0, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bands": 4, "rows": 4}, "uses no bands, got bands=4, rows=4"),
        ({"verify": "sketch"}, "got verify=sketch; leave it at exact"),
        ({"exact_only": True}, "give one of them"),
    ],
)
def test_what_it_would_ignore_is_refused(options, message):
    with pytest.raises(NeardupValueError, match=message):
        neardup.dedup(["a"], exact_join=True, **options)


def test_too_large_is_said_before_anything_is_read_again():
    texts = edited(1, 50)
    with pytest.raises(UsageError, match=r"exact_join needs about 0.0 GB .* of 4\d texts .* raise"):
        neardup.dedup(texts, exact_join=True, memory=1000)
