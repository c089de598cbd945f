"""`BloomStream`: what goes in, what is said of it, files, merging, refusals."""

import numpy as np
import pytest

from neardup import (
    BloomStream,
    DataError,
    NeardupTypeError,
    NeardupValueError,
    Signatures,
    explain,
    sketch,
)

TEXTS = [
    " ".join(f"{word}{i}" for word in ["one", "two", "three", "four", "five", "six"])
    for i in range(50)
]


def test_texts_signatures_and_arrays_are_one():
    signatures = sketch(TEXTS + TEXTS)
    expected = [False] * 50 + [True] * 50
    for documents in (TEXTS + TEXTS, iter(TEXTS + TEXTS), signatures, signatures.matrix):
        stream = BloomStream(100)
        flags = stream.check_and_add(documents)
        assert flags.dtype == np.bool_
        assert flags.tolist() == expected
        assert len(stream) == stream.fill.documents == 50
        assert stream.check(TEXTS[0].upper()) is True
        assert stream.check("something else that was never there") is False
        assert stream.check(TEXTS[:2]).tolist() == [True, True]
        assert len(stream) == 50


def test_what_is_flagged_is_not_added():
    stream = BloomStream(100, bands=1, rows=1, size=1, shingle="word:1", seed=3)
    assert stream.check_and_add("a b c d e f") is False
    near = next(w for w in map(str, range(1000)) if stream.check(f"a b c d e f {w}"))
    assert stream.check_and_add(f"a b c d e f {near}") is True
    assert len(stream) == 1
    stream.add(f"a b c d e f {near}")
    assert len(stream) == 2


def test_a_text_without_a_shingle_is_never_flagged_and_fills_nothing():
    stream = BloomStream(10)
    assert stream.check_and_add(["", " ", "", "!"]).tolist() == [False] * 4
    stream.add([""])
    assert (len(stream), stream.fill.bits_set) == (0, 0.0)
    assert stream.check_and_add([]).tolist() == []


def test_bands_are_chosen_or_given():
    assert (BloomStream(10).plan.bands, BloomStream(10).plan.rows) == (13, 7)
    assert BloomStream(10, threshold=0.9).plan == explain(0.9)
    assert BloomStream(10, bands=4, rows=2).plan.curve(0.5) == explain(bands=4, rows=2).curve(0.5)
    assert BloomStream(10, sketch="fast", normalize="none").identity.endswith(
        sketch([], normalize="none").text
    )


def test_memory_is_fixed_and_stated():
    small, large = BloomStream(1000, 0.01), BloomStream(1_000_000, 0.01)
    assert 900 < large.nbytes / small.nbytes < 1100
    before = small.nbytes
    small.check_and_add(TEXTS)
    assert small.nbytes == before
    assert "no partners" in repr(small)
    assert "no partner to verify against" in BloomStream.__doc__


def test_more_than_capacity_is_said_once():
    stream = BloomStream(20, 0.01)
    with pytest.warns(UserWarning, match="50 documents were added to a stream for 20: its rate"):
        stream.add(TEXTS)
    assert stream.fill.false_positives > 0.01
    stream.add(TEXTS)


def test_a_file_is_the_same_stream(tmp_path):
    stream = BloomStream(100, 0.001, shingle="word:2", normalize=["lower"], seed=9, size=64)
    stream.check_and_add(TEXTS[:30])
    stream.save(tmp_path / "a.bloom")
    again = BloomStream.load(tmp_path / "a.bloom", threads=1)
    assert (again.identity, again.fill, again.plan) == (stream.identity, stream.fill, stream.plan)
    assert again.check_and_add(TEXTS).tolist() == [True] * 30 + [False] * 20
    again.merge(stream)
    again.save(tmp_path / "b.bloom")
    (tmp_path / "c.bloom").write_bytes((tmp_path / "b.bloom").read_bytes()[:-1])
    with pytest.raises(DataError, match=r"c\.bloom.*truncated"):
        BloomStream.load(tmp_path / "c.bloom")


def test_merged_streams_have_seen_what_both_have():
    one, other = BloomStream(100), BloomStream(100)
    one.add(TEXTS[:20])
    other.add(TEXTS[20:40])
    one.merge(other)
    assert one.check(TEXTS).tolist() == [True] * 40 + [False] * 10
    assert len(one) == 40


@pytest.mark.parametrize(
    "other",
    [
        BloomStream(101),
        BloomStream(100, 1e-5),
        BloomStream(100, seed=1),
        BloomStream(100, shingle="char:3"),
        BloomStream(100, bands=16, rows=7),
    ],
)
def test_another_making_is_refused_by_both_names(other):
    stream = BloomStream(100)
    with pytest.raises(NeardupValueError, match=r"cannot be merged: \[.*\] and \[.*\]") as error:
        stream.merge(other)
    assert stream._made() in str(error.value)
    assert other._made() in str(error.value)
    if other.identity != stream.identity:
        signatures = sketch(TEXTS, **other._texts())
        with pytest.raises(NeardupValueError, match="sketch both alike") as error:
            stream.check(signatures)
        assert stream.identity in str(error.value)
        assert other.identity in str(error.value)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: BloomStream(0), NeardupValueError, "capacity must be from 1"),
        (lambda: BloomStream(1.5), NeardupTypeError, "capacity must be an integer"),
        (lambda: BloomStream(9, 0.0), NeardupValueError, "false_positives: 0.0 is not allowed"),
        (lambda: BloomStream(9, 1), NeardupValueError, "above 0 and below 1"),
        (lambda: BloomStream(9, "x"), NeardupValueError, "false_positives: 'x'"),
        (lambda: BloomStream(9, None), NeardupTypeError, "false_positives: None"),
        (lambda: BloomStream(2**62, 1e-9), NeardupValueError, "lower capacity or raise"),
        (lambda: BloomStream(9, bands=3), NeardupValueError, "bands and rows go together"),
        (lambda: BloomStream(9, threshold=2), NeardupValueError, "threshold: 2 is not allowed"),
        (lambda: BloomStream(9).check(3), NeardupTypeError, "a collection of texts is needed"),
        (lambda: BloomStream(9).check([3]), NeardupTypeError, "row 0: a text is a str, got int"),
        (lambda: BloomStream(9).merge("x"), NeardupTypeError, "must be a BloomStream, got str"),
        (
            lambda: BloomStream(9).add(np.zeros((1, 5), np.uint32)),
            NeardupValueError,
            "signatures of 5 slots were given to an index of 128",
        ),
        (
            lambda: BloomStream(9).check(np.zeros((1, 128), np.uint64)),
            NeardupTypeError,
            "must be an array of uint32",
        ),
    ],
)
def test_bad_values(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def test_signatures_read_from_a_file_are_taken(tmp_path):
    sketch(TEXTS).save(tmp_path / "a.sig")
    stream = BloomStream(100)
    stream.add(Signatures.load(tmp_path / "a.sig"))
    assert stream.check(TEXTS).all()
