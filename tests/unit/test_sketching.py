"""`FastSimilaritySketch` and `estimate_jaccard`: rows, offsets, estimates, bad arguments."""

import numpy as np
import pytest

from neardup import FastSimilaritySketch, NeardupTypeError, NeardupValueError, estimate_jaccard

EMPTY = 0xFFFFFFFF
ROWS = [["a", "b"], [], ["c"], [str(i) for i in range(500)]]


@pytest.mark.parametrize("size", [1, 3, 100, 128, 4096, 65536])
def test_any_size(size):
    sketch = FastSimilaritySketch(size=size)
    one = sketch(["a", "b"])
    assert one.dtype == np.uint32
    assert one.shape == (size,)
    assert sketch.size == size
    assert EMPTY not in one


def test_seed_and_size_are_part_of_the_identity():
    made = [FastSimilaritySketch(*a) for a in [(128, 42), (128, 43), (64, 42), (128, 2**64 - 1)]]
    assert len({sketch.identity for sketch in made}) == 4
    assert not np.array_equal(made[0](["a"]), made[1](["a"]))
    assert "seed=43" in repr(made[1])


def test_batch_is_the_sketch_of_each_row():
    sketch = FastSimilaritySketch(size=50)
    expected = np.stack([sketch(row) for row in ROWS])
    assert (expected[1] == EMPTY).all()
    for threads in (0, 1, 3):
        assert np.array_equal(sketch.batch(ROWS, num_threads=threads), expected)
    flat = [token for row in ROWS for token in row]
    offsets = np.cumsum([0, *map(len, ROWS)])
    for kind in (np.int64, np.uint64, np.int32, np.uint8, ">i4"):
        if offsets[-1] <= np.iinfo(kind).max:
            assert np.array_equal(sketch.batch_csr(flat, offsets.astype(kind)), expected)
    assert np.array_equal(sketch.batch_csr(flat, offsets.tolist()), expected)


def test_no_rows():
    sketch = FastSimilaritySketch(size=5)
    assert sketch.batch([]).shape == (0, 5)
    assert sketch.batch_csr([], [0]).shape == (0, 5)
    assert sketch.batch([[], []]).shape == (2, 5)


def test_a_matrix_has_a_set_a_row():
    sketch = FastSimilaritySketch(size=16)
    square = np.arange(12, dtype=np.int32).reshape(3, 4)
    expected = sketch.batch(square.tolist())
    read_only = square.copy()
    read_only.flags.writeable = False
    for matrix in (square, np.asfortranarray(square), read_only, square.astype(">i4")):
        assert np.array_equal(sketch.batch(matrix), expected)
    assert np.array_equal(sketch.batch(square[:, ::2]), sketch.batch(square[:, ::2].tolist()))


@pytest.mark.parametrize(
    ("offsets", "complaint"),
    [
        ([0, 2, 1, 3], r"offsets\[2\] = 1 follows 2"),
        ([0, 4], "the last offset must be the number of values, 3, got 4"),
        ([0, 2], "the last offset must be the number of values, 3, got 2"),
        ([1, 3], r"offsets\[0\] must be 0, got 1"),
        ([-1, 3], r"offsets\[0\] must be 0, got -1"),
        (np.array([], np.int64), r"offsets\[0\] must be 0, got none"),
        (np.array([0, 2**63 + 3], np.uint64), "offsets run past the end: 9223372036854775811"),
    ],
)
def test_offsets_that_describe_no_rows(offsets, complaint):
    with pytest.raises(NeardupValueError, match=complaint):
        FastSimilaritySketch().batch_csr([1, 2, 3], offsets)


@pytest.mark.parametrize("offsets", [[0.0, 3.0], [[0, 3]], ["0", "3"]])
def test_offsets_of_another_type(offsets):
    with pytest.raises(NeardupTypeError, match="offsets must be a 1-D array of integers"):
        FastSimilaritySketch().batch_csr([1, 2, 3], offsets)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"size": 0}, "size must be from 1 to 65536, got 0"),
        ({"size": 65537}, "size must be from 1 to 65536"),
        ({"size": True}, "size must be an integer, got bool"),
        ({"size": 1.5}, "size must be an integer, got float 1.5"),
        ({"seed": -1}, "seed must be from 0 to"),
        ({"seed": 2**64}, "seed must be from 0 to"),
        ({"rounds": 17}, "rounds must be from 0 to 16"),
    ],
)
def test_bad_arguments(arguments, complaint):
    with pytest.raises((NeardupValueError, NeardupTypeError), match=complaint):
        FastSimilaritySketch(**arguments)


def test_bad_threads():
    with pytest.raises(NeardupValueError, match="num_threads must be from 0"):
        FastSimilaritySketch().batch([["a"]], num_threads=-1)


@pytest.mark.parametrize("seed", [0, 42, 2**64 - 1])
def test_two_lists_of_sixteen_thousand_half_shared(seed):
    sketch = FastSimilaritySketch(size=256, seed=seed)
    a = [f"a-{i}" for i in range(16_000)]
    b = [f"a-{i}" for i in range(8_000)] + [f"b-{i}" for i in range(8_000)]
    bound = 4 * sketch.std_err(1 / 3, 24_000)
    assert abs(estimate_jaccard(sketch(a), sketch(b)) - 1 / 3) < bound


def test_estimates_of_empty_sets_are_0():
    sketch = FastSimilaritySketch(size=8)
    empty = sketch([])
    assert estimate_jaccard(empty, empty) == 0.0
    assert estimate_jaccard(empty, sketch(["a"])) == 0.0


def test_estimates_of_arrays_of_any_layout():
    sketch = FastSimilaritySketch(size=64)
    a, b = sketch(range(10)), sketch(range(5, 15))
    expected = estimate_jaccard(a, b)
    off = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.uint32)
    for other in (np.repeat(a, 3)[::3], a.astype(">u4"), off):
        assert estimate_jaccard(other, b) == expected


@pytest.mark.parametrize(
    ("a", "complaint"),
    [
        (np.zeros(8, np.uint64), "a must be an array of uint32 .*, got uint64"),
        (np.zeros(8, np.int32), "got int32"),
        ([1, 2], "got int64"),
        (np.zeros((1, 8), np.uint32), r"a must have 1 dimension\(s\), got 2"),
        (np.zeros(9, np.uint32), "signatures of 9 and 8 slots cannot be compared"),
    ],
)
def test_what_is_no_signature(a, complaint):
    with pytest.raises((NeardupTypeError, NeardupValueError), match=complaint):
        estimate_jaccard(a, np.zeros(8, np.uint32))
    with pytest.raises(NeardupValueError, match="no slots"):
        estimate_jaccard(np.zeros(0, np.uint32), np.zeros(0, np.uint32))
