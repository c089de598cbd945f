"""Every sketch by its name: `Sketcher`, `sketch`, `LSH`, `dedup`, and what is refused."""

import numpy as np
import pytest

import neardup
from neardup import FastSimilaritySketch, NeardupTypeError, NeardupValueError, Sketcher, _native
from neardup.reference import SKETCHES, exact_jaccard
from neardup.reference import shingles as cut

NAMES = [name for name in _native.SKETCHES if name != "simhash"]  # its slots are no minima
OF_SETS = [name for name in NAMES if not _native.Sketch(name, 1, 0).weighs_repeats]


def shingles(text):
    """By the default spec."""
    return cut(text, normalize="nfkc,casefold,collapse-space", shingle="word:3")


def texts():
    """Forty texts of 60 words and a copy of each with one word changed (J = .9); 80 short ones."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(40):
        words = [f"w{n}" for n in rng.integers(0, 10**6, 60)]
        rows += [" ".join(words), " ".join([*words[:59], f"end{i}"])]
    return rows + [f"{i} short text" for i in range(80)]


TEXTS = texts()


def test_fast_similarity_sketch_is_the_sketcher_of_fast():
    for rounds in (None, 0, 7):
        made, plain = (
            FastSimilaritySketch(9, 3, rounds=rounds),
            Sketcher("fast", 9, 3, rounds=rounds),
        )
        assert isinstance(made, Sketcher)
        assert made.identity == plain.identity
        assert np.array_equal(made(["a", "b"]), plain(["a", "b"]))
    assert repr(made) == "FastSimilaritySketch(fast/1 size=9 seed=3 rounds=7)"
    assert repr(Sketcher("oph", 4)) == "Sketcher(oph/1 size=4 seed=42 rounds=0)"


@pytest.mark.parametrize("name", NAMES)
def test_signatures_index_and_flags(name):
    signatures = neardup.sketch(TEXTS, sketch=name, seed=5)
    assert signatures.sketch.startswith(f"{name}/")
    sketcher = Sketcher(name, seed=5)
    row = list(shingles(TEXTS[0]))
    assert np.array_equal(signatures.matrix[0], sketcher(row, prehashed=True))
    if name in SKETCHES:
        assert signatures.matrix[7].tolist() == SKETCHES[name](shingles(TEXTS[7]), 128, 5)
    error = 4 * sketcher.std_err(0.9, 60)
    true = exact_jaccard(set(shingles(TEXTS[0])), set(shingles(TEXTS[1])))
    assert abs(signatures.jaccard(0, 1) - true) < error
    index = neardup.LSH(128, 16, keep_signatures=True)
    index.insert(signatures)
    found = index.query(signatures.matrix[1], threshold=0.5)
    assert [id for id, _ in found] == [1, 0]
    assert neardup.duplicate_flags(signatures)[:80].tolist() == [False, True] * 40


@pytest.mark.parametrize("verify", ["exact", "sketch"])
@pytest.mark.parametrize("name", NAMES)
def test_dedup_finds_the_copies(name, verify):
    answer = neardup.dedup(TEXTS, sketch=name, verify=verify, threshold=0.75)
    assert answer.summary["sketch"] == name
    assert np.flatnonzero(~answer.keep).tolist() == list(range(1, 80, 2))


@pytest.mark.parametrize("name", NAMES)
def test_merging_is_exact_or_refused(name):
    one, two, both = ["a b c d e"], ["f g h i j"], ["a b c d e\nf g h i j"]
    merged, united = (
        neardup.sketch(one, shingle="whitespace:1", sketch=name),
        neardup.sketch(both, shingle="whitespace:1", sketch=name),
    )
    other = neardup.sketch(two, shingle="whitespace:1", sketch=name)
    if Sketcher(name).merges and name in OF_SETS:
        assert np.array_equal(merged.merge(other).matrix, united.matrix)
    else:
        with pytest.raises(NeardupValueError, match="merge: "):
            merged.merge(other)


@pytest.mark.parametrize("name", OF_SETS)
def test_a_long_text_is_sketched_alike_by_any_number_of_threads(name):
    text = " ".join(f"w{i * i % 40009}" for i in range(800_000))
    assert len(text) > 4 << 20  # from there on pieces are sketched and merged
    whole = Sketcher(name, 16)(_native.TextSpec("none", "word:1", "xxh3").set(text), prehashed=True)
    for threads in (1, 3):
        made = neardup.sketch(
            [text, "a"], shingle="word:1", sketch=name, size=16, normalize="none", threads=threads
        )
        assert np.array_equal(made.matrix[0], whole)


def test_sketches_do_not_meet():
    one, other = (neardup.sketch(["a b c"], sketch=name) for name in ("fast", "minhash"))
    with pytest.raises(NeardupValueError, match=r"\[fast/1 .*\[minhash/1 "):
        one.jaccard(0, 0, other)


def test_an_unknown_name_is_answered_with_the_names():
    known = ", ".join(_native.SKETCHES)
    with pytest.raises(NeardupValueError, match=f'unknown sketch "fats"; known: {known}'):
        Sketcher("fats")
    for call in (neardup.sketch, neardup.dedup):
        with pytest.raises(NeardupValueError, match=f"'fats' is not allowed; use {known}"):
            call(["a"], sketch="fats")
    with pytest.raises(NeardupTypeError, match="the name of a sketch is a str, got int 128"):
        Sketcher(128)


@pytest.mark.parametrize("name", NAMES[1:])
def test_rounds_belong_to_fast(name):
    with pytest.raises(NeardupValueError, match=f"the sketch {name} has no rounds; fast has"):
        Sketcher(name, rounds=4)


def test_raw_estimates_take_what_estimates_take():
    sketcher = Sketcher("oph", size=8)
    a = sketcher(["a", "b"])
    assert neardup.estimate_oph(a, a) == 1.0
    assert neardup.estimate_oph(a, sketcher([])) == neardup.estimate_oph(*[sketcher([])] * 2) == 0.0
    with pytest.raises(NeardupValueError, match="signatures of 8 and 9 slots cannot be compared"):
        neardup.estimate_oph(a, np.zeros(9, np.uint32))
    with pytest.raises(NeardupTypeError, match="b must be an array of uint32"):
        neardup.estimate_oph(a, [1, 2])
