"""`WeightedSketch` and `weighted_jaccard`: every kind of row, and what is refused, by name."""

import sys
import threading
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from neardup import (
    LSH,
    NeardupTypeError,
    NeardupValueError,
    WeightedSketch,
    estimate_jaccard,
    weighted_jaccard,
)

EMPTY = 0xFFFFFFFF
NAMES = ["dart", "icws", "fast"]
COUNTS = np.random.default_rng(1).integers(0, 4, (12, 30))


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_row_gives_one_signature(name):
    sketch = WeightedSketch(name, 32)
    dicts = [{i: int(w) for i, w in enumerate(row)} for row in COUNTS]
    pairs = [(np.flatnonzero(row), row[row > 0]) for row in COUNTS]
    expected = sketch.batch(dicts)
    assert expected.shape == (12, 32)
    assert expected.dtype == np.uint32
    for rows in (pairs, iter(pairs), COUNTS, list(COUNTS), np.asfortranarray(COUNTS)):
        assert (sketch.batch(rows) == expected).all()
    for kind in ("<f4", ">f4", "<f8", ">f8", "f2", "u1", ">u2", "i1", ">i8", "u8"):
        assert (sketch.batch(COUNTS.astype(kind)) == expected).all()
    for layout in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr"):
        for made in (sparse.coo_array(COUNTS), sparse.coo_matrix(COUNTS.astype(np.float32))):
            assert (sketch.batch(made.asformat(layout)) == expected).all()
    assert (sketch(COUNTS[3]) == expected[3]).all()
    assert (sketch(sparse.csr_array(COUNTS)[[3]]) == expected[3]).all()
    assert (sketch(sparse.coo_array(COUNTS[3])) == expected[3]).all()
    for row in (dicts[3], pairs[3]):
        assert (sketch(row) == expected[3]).all()


def test_sparse_rows_may_have_zeros_and_doubles():
    data, columns, ends = np.array([1.0, 0.0, 2.0, 0.5, 0.5]), [3, 7, 1, 2, 2], [0, 2, 2, 5]
    rows = sparse.csr_array((data, columns, ends), shape=(3, 9))
    sketch = WeightedSketch(size=16)
    expected = sketch.batch([{3: 1}, {}, {1: 2, 2: 1}])
    assert (sketch.batch(rows) == expected).all()
    assert (expected[1] == EMPTY).all()
    assert (rows.data == [1.0, 0.0, 2.0, 0.5, 0.5]).all()


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_read_only_for_us(name):
    wide = np.repeat(COUNTS.astype(np.float64), 2, axis=1)
    strided, before = wide[::2, ::2], wide.copy()
    frozen = COUNTS.astype(np.float64)[::2]
    frozen.flags.writeable = False
    sparse_rows = sparse.csr_array(frozen)
    for part in (sparse_rows.data, sparse_rows.indices, sparse_rows.indptr):
        part.flags.writeable = False
    sketch = WeightedSketch(name, 16)
    expected = sketch.batch(COUNTS[::2])
    for rows in (strided, frozen, sparse_rows):
        assert (sketch.batch(rows) == expected).all()
    backwards = COUNTS[:, ::-1]
    assert (sketch.batch(backwards) == sketch.batch(backwards.copy())).all()
    assert (wide == before).all()


@pytest.mark.parametrize("name", NAMES)
def test_no_weight_gives_the_empty_signature(name):
    sketch = WeightedSketch(name, 8)
    for nothing in ({}, {"a": 0}, {"a": -0.0}, ([], []), np.zeros(5), sparse.csr_array((1, 5))):
        assert (sketch(nothing) == EMPTY).all()
    matrix = sketch.batch([{}, {"a": 0.0}, {"a": 1}])
    assert estimate_jaccard(matrix[0], matrix[1]) == 0.0
    index = LSH(num_perm=8, num_bands=4)
    index.insert(matrix)
    assert list(index.query(matrix[0])) == []
    for nothing in ([], iter(()), np.zeros((0, 5)), sparse.csr_array((0, 5))):
        assert sketch.batch(nothing).shape == (0, 8)
    assert (sketch.batch(np.zeros((3, 0))) == EMPTY).all()


def test_new_york():
    a, b = {"new": 2, "york": 2}, {"new": 1, "york": 1}
    assert weighted_jaccard(a, b) == 0.5
    for name in NAMES:
        sketch = WeightedSketch(name, 4096)
        found = estimate_jaccard(sketch(a), sketch(b))
        assert abs(found - 0.5) <= 4 * sketch.std_err(0.5)


def test_large_counts_do_not_overflow():
    """Case 7: weights above 255, and as many copies as there may be."""
    for name in NAMES:
        sketch = WeightedSketch(name, 512)
        one, other = sketch({"the": 300, "fox": 900}), sketch({"the": 600, "fox": 300})
        assert abs(estimate_jaccard(one, other) - 0.4) <= 4 * sketch.std_err(0.4)
    huge = WeightedSketch("dart", 512)
    a, b = huge({"a": 2**32, "b": 2**60}), huge({"a": 2**33, "b": 2**59})
    assert abs(estimate_jaccard(a, b) - 0.5) <= 4 * huge.std_err(0.5)
    fast = WeightedSketch("fast", 8)
    assert EMPTY not in fast({"a": 2**24})
    for weights in ({"a": 2**32}, {"a": 2**24, "b": 1}):
        with pytest.raises(NeardupValueError, match=r"row 5001: the weights add up to \d+, and"):
            fast.batch([{"b": 300}] * 5001 + [weights])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf"), -float("inf"), -1e-300])
def test_a_weight_that_is_none_is_named_with_row_and_token(name, bad):
    sketch = WeightedSketch(name, 8)
    rows = [{"a": 1, "b": 2}, {"a": 1, "new york": bad}]
    with pytest.raises(NeardupValueError, match=r"row 1: token 'new york': weight .* not allowed"):
        sketch.batch(rows)
    with pytest.raises(NeardupValueError, match=r"^token 'new york': weight .* from 0, and finite"):
        sketch(rows[1])
    dense = COUNTS.astype(np.float64)
    dense[7, 11] = bad
    for matrix in (dense, sparse.csr_array(dense), sparse.coo_matrix(dense)):
        with pytest.raises(NeardupValueError, match="row 7: column 11: weight"):
            sketch.batch(matrix)
    for bad_row in (rows[1], dense[7], sparse.csr_array(dense[[7]])):
        with pytest.raises(NeardupValueError, match="weight"):
            weighted_jaccard(rows[0], bad_row)


def test_other_things_are_refused_by_name():
    sketch = WeightedSketch("dart", 8)
    kinds = [
        ({"a": "1"}, "token 'a': a weight is a number, got str '1'"),
        ({"a": True}, "got bool True"),
        ({"a": None}, "got NoneType"),
        ({"a": 1j}, "got complex"),
        ({1.5: 1}, "a token is a str, bytes or an integer, got float 1.5"),
        ("text", "a weighted set is a mapping .* got str"),
        (["a", "b"], "a weighted set is a mapping .* got list"),
        (("ab", [1, 2]), "got tuple"),
        ((["a"], 3), "weights are a sequence"),
        (np.array([True, False]), "got an array of bool"),
        (np.array(["a"]), "got an array of <U1"),
        (np.array([1 + 2j]), "got an array of complex128"),
        (None, "got NoneType"),
    ]
    for row, message in kinds:
        with pytest.raises(NeardupTypeError, match=message):
            sketch(row)
        with pytest.raises(NeardupTypeError, match=message):
            weighted_jaccard(row, {})
        with pytest.raises(NeardupTypeError, match="row 1: "):
            sketch.batch([{}, row])
    values = [
        ((["a", "b"], [1]), "2 tokens have 1 weights"),
        ({"a": 10**400}, "token 'a': the weight is above"),
        ({"a": 1e308, "b": 1.7e308}, "add up to more than"),
        (np.zeros((2, 2)), "one dimension, got 2"),
        (sparse.csr_array((2, 2)), "sparse matrix of 2 rows"),
    ]
    for row, message in values:
        with pytest.raises(NeardupValueError, match=message):
            sketch(row)
    for rows in ("text", {"a": 1}, 5):
        with pytest.raises(NeardupTypeError, match="batch takes an iterable of weighted sets"):
            sketch.batch(rows)
    with pytest.raises(NeardupValueError, match="two dimensions, got 3"):
        sketch.batch(np.zeros((1, 2, 3)))
    with pytest.raises(NeardupValueError, match="add up to more than"):
        weighted_jaccard({"a": 1e308, "b": 1.7e308}, {"a": 1})


def test_copies_are_whole():
    sketch = WeightedSketch("fast", 8)
    message = r"row 1: token 'b': weight 0.5 is not allowed: the sketch fast takes whole weights"
    with pytest.raises(NeardupValueError, match=message):
        sketch.batch([{"a": 1}, {"b": 0.5}])
    assert (sketch({"a": 2.0}) == sketch({"a": Fraction(2)})).all()
    assert (sketch({"a": 2.0}) == sketch({"a": np.int8(2)})).all()


def test_names_sizes_and_seeds():
    with pytest.raises(NeardupValueError, match=r'unknown sketch "darts"; known: fast,.*dart'):
        WeightedSketch("darts")
    with pytest.raises(NeardupTypeError, match="name must be a str, got int"):
        WeightedSketch(128)
    for size in (0, 65537):
        with pytest.raises(NeardupValueError, match="size must be from 1 to 65536"):
            WeightedSketch(size=size)
    made = [
        WeightedSketch(*args) for args in (("dart",), ("icws",), ("dart", 64), ("dart", 128, 1))
    ]
    assert len({sketch.identity for sketch in made}) == 4
    assert [sketch.size for sketch in made] == [128, 128, 64, 128]
    assert repr(made[0]) == "WeightedSketch(dart/1 size=128 seed=42 rounds=0)"
    assert (made[2]({"a": 1}) != WeightedSketch("dart", 64, 1)({"a": 1})).any()
    with pytest.raises(NeardupValueError, match="num_threads"):
        made[0].batch([], num_threads=-1)


def test_exact_values():
    assert weighted_jaccard({3: 3, 4: 30}, {3: 20, 4: 7}) == 0.2
    a, b = np.repeat([1, 2, 5], [300, 500, 700]), np.repeat([3, 1, 4], [300, 500, 700])
    assert weighted_jaccard(a, b) == 2 / 3
    assert weighted_jaccard(sparse.csr_array(a[None]), dict(enumerate(b.tolist()))) == 2 / 3
    assert weighted_jaccard({1: 1, 2: 1}, {0: 1, 2: 1}) == 1 / 3
    assert weighted_jaccard({"a": 1, b"a": 1}, {"a": 2}) == 1.0
    assert weighted_jaccard({"1": 1}, {1: 1}) == 0.0
    assert weighted_jaccard({}, {}) == weighted_jaccard({"a": 1}, {"a": 0}) == 0.0
    tenths = {str(i): 0.1 for i in range(10)}
    assert weighted_jaccard(tenths, {"0": 0.1}) == 0.1  # the sums are rounded once


def test_scipy_is_not_loaded_for_other_rows():
    import subprocess

    script = (
        "import sys, neardup; neardup.WeightedSketch()({'a': 1}); print('scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_threads_may_share_a_sketch():
    sketch, found = WeightedSketch("icws", 64), []
    expected = sketch.batch(COUNTS)
    work = [
        threading.Thread(target=lambda: found.append(sketch.batch(COUNTS, num_threads=2)))
        for _ in range(6)
    ]
    for each in work:
        each.start()
    for each in work:
        each.join()
    assert len(found) == 6
    assert all((matrix == expected).all() for matrix in found)
