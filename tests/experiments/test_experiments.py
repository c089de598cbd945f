"""Each experiment at its quick size: what is measured is what theory says, and comes out again."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest

from neardup import Sketcher, reference
from neardup.errors import DataError
from neardup.experiments import accuracy, counted, curve, peers, shortcuts, speed, theory
from neardup.experiments.draws import NAMES, equal_slots, pairs, sizes


@pytest.fixture(scope="module")
def estimates():
    return accuracy.run(quick=True, seed=7)


@pytest.fixture(scope="module")
def bands():
    return curve.run(quick=True, seed=7)


def test_estimates_are_those_of_the_formulas(estimates):
    assert {row["sketch"] for row in estimates["grid"]} == set(NAMES) == set(reference.SKETCHES)
    for row in [*estimates["grid"], *estimates["published"]["all"]]:
        sigma = math.sqrt(row["variance"] / row["draws"])
        assert abs(row["mean"] - row["jaccard"]) <= 4 * sigma
        assert abs(row["mse"] - row["variance"]) <= 4 * row["mse_sigma"]
        # near the sigma of a normal error; twice it would hide what is wrong
        assert row["mse_sigma"] <= 2 * row["variance"] * math.sqrt(2 / row["draws"])
    assert estimates["holds"]


def test_the_published_pair_is_one_draw_of_many(estimates):
    facts = estimates["published"]
    fast, minhash = facts["all"]
    assert fast["variance"] == pytest.approx(0.001767, abs=1e-6)
    assert minhash["variance"] == pytest.approx(0.001953, abs=1e-6)
    assert facts["algorithm_1"] == pytest.approx(fast["variance"], rel=1e-9)
    assert facts["groups"] * facts["few"] == fast["draws"]
    for row in facts["all"]:
        spread = facts["spread"][row["sketch"]]
        # a variance of 200 draws has a standard error of a tenth; its own is 1 / root(2 * groups)
        tenth = row["variance"] * math.sqrt(2 / 199)
        assert abs(spread["sigma"] / tenth - 1) <= 4 / math.sqrt(2 * facts["groups"])
        assert sum(spread["counts"]) == facts["groups"]


def test_weighted_sets_are_estimated_as_the_formula_says(estimates):
    known = {0.2, 2 / 3, 1 / 3}
    assert {row["jaccard"] for row in estimates["weighted"]} == known
    for row in estimates["weighted"]:
        sigma = math.sqrt(row["variance"] / row["draws"])
        assert abs(row["mean"] - row["jaccard"]) <= 4 * sigma
        assert abs(row["mse_sigmas"]) <= 4


def test_large_errors_are_as_rare_as_chernoff_says(estimates):
    tail = estimates["chernoff"]
    assert tail["bound"] == pytest.approx(0.0106, abs=5e-5)
    assert all(seen <= tail["bound"] * tail["draws"] for seen in tail["seen"].values())


def test_errors_are_counted_once_each_and_spread_as_the_formula_says(estimates):
    errors = estimates["errors"]
    for name, counts in errors["counts"].items():
        assert sum(counts) == errors["draws"]
        slots = np.arange(len(counts)) - errors["furthest"]
        square = np.average(slots**2, weights=counts) / errors["sigma_slots"][name] ** 2
        assert abs(square - 1) <= 4 * math.sqrt(2 / errors["draws"])


def test_shortcuts_make_a_set_unlike_itself(estimates):
    for row in estimates["shortcuts"]["rows"]:
        # five draws of 128 slots each
        assert abs(row["estimate"] - row["expected"]) <= 4 * math.sqrt(0.25 / 128 / 5)
    tokens = np.random.default_rng(0).integers(0, 2**64, 2000, np.uint64).tolist()
    whole = reference.algorithm_1(tokens, 64, 3)
    assert reference.algorithm_1(tokens[::-1], 64, 3) == whole
    for wrong, _ in shortcuts.SHORTCUTS.values():
        assert wrong(tokens[::-1], 64, 3) != wrong(tokens, 64, 3)


def test_bands_are_those_of_the_formula(bands):
    assert bands["holds"]
    for row in [*bands["curve"], *bands["examples"]]:
        if row["sketch"] in curve.INDEPENDENT:
            assert abs(row["sigmas"]) <= 4
        if row["sketch"] in ("fast", "superminhash"):
            slack = 4 * row["band_sigma"] + 1 / row["draws"]
            assert row["band_measured"] >= row["band_lowest"] - slack
            assert row["band_measured"] <= row["band_highest"] + slack


@pytest.mark.parametrize(
    ("jaccard", "bands", "rows", "chance"),
    [
        (0.4, 16, 8, 0.0104),
        (0.7, 16, 8, 0.6133),
        (0.9, 16, 8, 0.99988),
        (0.7, 15, 5, 0.9367),
        (0.3, 15, 5, 0.0358),
        (0.7, 20, 5, 0.9748),
        (0.3, 20, 5, 0.0475),
        (0.8, 9, 13, 0.3988),
    ],
)
def test_the_curve_of_well_known_bands(jaccard, bands, rows, chance):
    assert theory.curve(jaccard, bands, rows) == pytest.approx(chance, abs=5.1e-5)


def test_one_band_lies_between_two_bounds():
    assert theory.lowest_band(0.7, 128, 8) == pytest.approx(0.05224, abs=5e-6)
    assert theory.lowest_band(0.01, 128, 8) == 0.0


def test_the_formula_of_the_variance_is_that_of_the_sketch():
    for union in (4, 16, 128, 512, 1334, 10_000):
        for rounds in (0, 1, 4, 16):
            own = Sketcher("fast", rounds=rounds).std_err(0.5, union) ** 2 * 128 / 0.25
            assert theory.rho(128, union, rounds) == pytest.approx(own, rel=1e-3)
    exact = [theory.rho(128, m, 128) for m in (4, 16, 32, 64, 128, 256, 512, 1024, 1334, 4096)]
    told = [0.500, 0.501, 0.503, 0.510, 0.538, 0.620, 0.760, 0.876, 0.905, 0.969]
    assert exact == pytest.approx(told, abs=6e-4)


def test_evaluations_and_fills_are_those_expected():
    assert theory.filled_by(128, counted.FILLS) == [668, 906, 1206]
    assert theory.filled(128, 700) < 0.6
    assert [round(theory.evaluations(128, n, 128)) for n in (12, 96, 384, 1000)] == [
        701,
        743,
        877,
        1049,
    ]
    # no round at all is MinHash
    assert theory.evaluations(128, 10, 0) == 1280


def test_evaluations_are_counted_by_definition():
    """A twin that counts: rounds until none is empty, then the empty slots."""
    size, seed, tokens = 128, 3, np.random.default_rng([3, 3, 40]).integers(0, 2**64, 40, np.uint64)
    key, filled, evaluated = reference.splitmix(seed, 0), set(), 0
    for i in range(reference.ROUNDS):
        if len(filled) == size:
            break
        evaluated += len(tokens)
        filled |= {(reference.draw(t, key, i) >> 32) * size >> 32 for t in tokens.tolist()}
    evaluated += len(tokens) * (size - len(filled))
    assert counted.fast(40, 1, seed).tolist() == [evaluated]


@pytest.fixture
def corpus(tmp_path):
    """A text, its copy, another, and a Chinese one twice."""
    words = " ".join(f"word{i}" for i in range(40))
    other = " ".join(f"thing{i}" for i in range(40))
    path = tmp_path / "some.jsonl"
    rows = [words, words, other, "一二三四五六七八九十", "一二三四五六七八九十"]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in rows), "utf-8")
    return path


def test_speed(corpus, monkeypatch):
    said = []
    monkeypatch.setattr(peers.os, "cpu_count", lambda: 1)
    record = speed.run([corpus], quick=True, seed=7, say=said.append)
    assert record["holds"]
    assert {row["elements"] for row in record["time"]} == {10, 1000}
    assert all(row[name] > 0 for row in record["time"] for name in NAMES)
    assert [row["tool"] for row in record["whole"]] == list(peers.TOOLS)
    ours = record["whole"][0]
    assert (ours["corpus"], ours["documents"], ours["kept"]) == ("some", 5, 3)
    assert ours["seconds"] > 0
    assert any("neardup on some.jsonl" in words for words in said)


def test_peers_cut_texts_into_runs_of_words():
    assert peers.shingles("To be OR not") == {"to be or", "be or not"}
    assert peers.shingles("to be") == {"to be"}
    assert peers.shingles("微信 pay 号") == {"微 信 pay", "信 pay 号"}


def test_a_peer_that_is_not_there_is_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    assert peers.whole("rensa", tmp_path / "none", 1) == {"seconds": None, "kept": None}


def test_a_peer_that_fails_says_why(tmp_path):
    row = peers.whole("neardup", tmp_path / "none.jsonl", 1)
    assert row["seconds"] is None
    assert "none.jsonl" in row["failed"]


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b"{}", b'{"text": 1}', b"\xff", b'{"text": "\\ud800"}']
)
def test_a_line_that_is_no_document_is_named(tmp_path, line):
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b'{"text": "good"}\n\n' + line)
    with pytest.raises(DataError, match="JSON Lines") as caught:
        peers.sample(bad, tmp_path / "out.jsonl", 1000)
    assert "bad.jsonl:3:" in str(caught.value)


def test_corpora_are_those_of_the_environment(corpus, monkeypatch):
    (corpus.parent / "a.jsonl.gz").touch()
    monkeypatch.setenv("NEARDUP_DATA", str(corpus.parent))
    assert [path.name for path in peers.corpora()] == ["a.jsonl.gz"]
    monkeypatch.chdir(corpus.parent)
    monkeypatch.delenv("NEARDUP_DATA")
    assert peers.corpora() == []


def test_pairs_have_the_union_and_the_intersection_asked_for():
    for union, shared in ((7, 3), (12, 12), (100, 1)):
        values, offsets = pairs(np.random.default_rng(1), 3, union, shared)
        sets = [set(values[a:b].tolist()) for a, b in pairwise(offsets)]
        for a, b in zip(sets[0::2], sets[1::2], strict=True):
            assert (len(a | b), len(a & b)) == (union, shared)
    assert sizes(96, 0.5) == (128, 64)


def test_the_same_seed_draws_the_same():
    def drawn(seed):
        return equal_slots(("fast",), 64, 20, (30, 10), (seed,), 10)["fast"]

    assert np.array_equal(drawn(5), drawn(5))
    assert not np.array_equal(drawn(5), drawn(6))
