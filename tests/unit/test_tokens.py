"""Tokens of every kind: what is the same token, what is another, what is none."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup import FastSimilaritySketch, NeardupTypeError, NeardupValueError

SKETCH = FastSimilaritySketch(size=64, seed=7)
WORDS = ["to", "be", "or", "not", "", "naïve", "字", "a longer one than sixteen bytes"]


def same(a, b):
    """Whether two token collections have one signature, alone and as rows."""
    one = np.array_equal(SKETCH(a), SKETCH(b))
    assert np.array_equal(*SKETCH.batch([a, b])) == one
    return one


@pytest.mark.parametrize(
    "kind", [set, frozenset, tuple, list, lambda t: np.array(t), lambda t: np.array(t, object)]
)
def test_the_collection_does_not_matter(kind):
    assert same(kind(WORDS), WORDS)
    assert same(dict.fromkeys(WORDS), WORDS)


def test_order_and_repeats_do_not_matter():
    assert same(WORDS[::-1] * 3, WORDS)
    assert np.array_equal(SKETCH(word for word in WORDS), SKETCH(WORDS))
    assert np.array_equal(SKETCH.batch(iter([iter(WORDS)]))[0], SKETCH(WORDS))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_str_and_its_utf8_are_one_token(words):
    encoded = [word.encode() for word in words]
    assert same(encoded, words)
    assert same([bytearray(word) for word in encoded], words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "a\0"),
        (b"a", b"a\0"),
        (b"a\0", b"a\0\0"),
        ("", "\0"),
        (1, 2**32 + 1),
        (1, "1"),
        (1, b"\x01"),
        (97, "a"),
        (1, b"\x01\0\0\0\0\0\0\0"),
        (-1, 1),
        (-1, 2**64 - 1),
        (-1, 2**32 - 1),
        (-(2**63), 2**63),
        ("é", "e\u0301"),
        ("A", "a"),
    ],
)
def test_another_token(one, other):
    assert not same([one], [other])


@given(st.lists(st.integers(-(2**63), 2**64 - 1)))
def test_an_integer_is_its_value_whatever_its_type(values):
    low = [v for v in values if v < 2**63]
    high = [v for v in values if v >= 0]
    assert same(np.array(low, np.int64), low)
    assert same(np.array(high, np.uint64), high)
    assert same([np.int64(v) for v in low], low)
    assert same([np.uint64(v) for v in high], high)


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "<u4", ">u4", "i4", "<i8", ">i8", ">u8"])
def test_integer_arrays_of_any_width_and_byte_order(dtype):
    plain = np.array([0, 1, 2, 100, 127], dtype)
    apart = np.repeat(plain, 2)[::2]
    assert not apart.flags.c_contiguous
    off = np.frombuffer(b"x" + plain.tobytes(), np.uint8)[1:].view(dtype)
    for array in (plain, apart, off):
        assert same(array, plain.tolist())
    assert np.array_equal(
        SKETCH.batch_csr(apart, [0, 2, 5]), SKETCH.batch([plain[:2].tolist(), plain[2:].tolist()])
    )


def test_prehashed_values_are_hashes_not_integers():
    hashes = np.array([1, 2, 2**64 - 1], np.uint64)
    one = SKETCH(hashes, prehashed=True)
    assert np.array_equal(SKETCH(hashes.tolist(), prehashed=True), one)
    assert np.array_equal(SKETCH.batch([hashes], prehashed=True)[0], one)
    assert np.array_equal(SKETCH.batch_csr(hashes, [0, 3], prehashed=True)[0], one)
    assert not np.array_equal(SKETCH(hashes), one)
    with pytest.raises(NeardupValueError, match=r"from 0 to 2\^64-1, got -1"):
        SKETCH([-1], prehashed=True)
    with pytest.raises(NeardupTypeError, match="prehashed=True a token is an integer, got str 'a'"):
        SKETCH(["a"], prehashed=True)


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        (True, "bool True"),
        (np.True_, "bool"),
        (1.0, "float 1.0"),
        (np.float32(1), "float32"),
        (None, "NoneType None"),
        (("a", "b"), "tuple"),
        (np.array([1, 2]), "ndarray"),
        (memoryview(b"a"), "memoryview"),
    ],
)
def test_what_is_no_token(token, kind):
    with pytest.raises(NeardupTypeError, match=f"a str, bytes or an integer, got {kind}"):
        SKETCH(["fine", token])
    with pytest.raises(NeardupTypeError, match=f"row 1: a token is a str, .*, got {kind}"):
        SKETCH.batch([["fine"], ["fine", token]])


@pytest.mark.parametrize("dtype", [bool, np.float64, "datetime64[s]", np.complex64])
def test_arrays_of_what_is_no_token(dtype):
    with pytest.raises(NeardupTypeError, match="a token is a str, bytes or an integer"):
        SKETCH(np.zeros(3, dtype))


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 10**100])
def test_integers_out_of_range(value):
    with pytest.raises(NeardupValueError, match=r"row 1: an integer token lies from -2\^63"):
        SKETCH.batch([[1], [value]])


def test_a_lone_surrogate_is_named():
    with pytest.raises(NeardupValueError, match=r"row 2: the token '\\ud800' holds a lone surr"):
        SKETCH.batch([["a"], ["b"], ["c", "\ud800"]])


@pytest.mark.parametrize("text", ["to be", b"to be"])
def test_a_bare_string_says_what_to_call(text):
    with pytest.raises(NeardupTypeError, match=r"text\.split\(\).*neardup\.sketch\(\[text\]\)"):
        SKETCH(text)
    with pytest.raises(NeardupTypeError, match="row 0: a bare"):
        SKETCH.batch([text])
    with pytest.raises(NeardupTypeError, match=r"batch takes rows of tokens, got a bare"):
        SKETCH.batch(text)


@pytest.mark.parametrize("row", [5, None, object()])
def test_what_is_no_row(row):
    with pytest.raises(NeardupTypeError, match="must be an iterable of tokens, got"):
        SKETCH(row)


class Meddler:
    """An integer that changes a list when it is asked for its value."""

    def __init__(self, change):
        self.change = change

    def __index__(self):
        self.change()
        return 1


@pytest.mark.parametrize("length", [3, 1000])
def test_a_row_that_changes_while_it_is_read(length):
    for change in (list.pop, list.clear, lambda row: row.append(9)):
        row = list(range(length))
        row[1] = Meddler(partial(change, row))
        with pytest.raises(NeardupValueError, match="the row changed while it was read"):
            SKETCH(row)


def test_rows_that_change_while_they_are_read():
    rows = [[1], [Meddler(lambda: rows.append([2]))], [3]]
    with pytest.raises(NeardupValueError, match="the rows changed while they were read"):
        SKETCH.batch(rows)


def test_an_error_of_the_caller_is_the_callers():
    def tokens():
        yield "a"
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        SKETCH(tokens())
