"""`ContainmentIndex` and `containment`: texts of every kind, files, merging, refusals."""

import numpy as np
import pyarrow as pa
import pytest

from neardup import (
    ContainmentIndex,
    DataError,
    NeardupTypeError,
    NeardupValueError,
    containment,
)

WORDS = [f"w{i}" for i in range(400)]
TEXTS = [" ".join(WORDS[i : i + 200]) for i in range(0, 200, 10)]
PASSAGES = [" ".join(WORDS[i : i + 30]) for i in range(0, 370, 7)]


def brute(passage, texts, threshold):
    """Every text compared."""
    shares = [(i, containment(passage, text)) for i, text in enumerate(texts)]
    passed = [each for each in shares if each[1] >= threshold]
    return sorted(passed, key=lambda each: (-each[1], each[0]))


@pytest.mark.parametrize("threshold", [0.1, 0.8, 1.0])
@pytest.mark.parametrize("threads", [1, 3])
def test_answers_are_those_of_comparing_every_text(threshold, threads):
    expected = [brute(passage, TEXTS, threshold) for passage in PASSAGES]
    index = ContainmentIndex(TEXTS[:7], threads=threads)
    assert index.insert(iter(TEXTS[7:])) == range(7, 20)
    assert index.query(PASSAGES, threshold) == expected
    assert [index.query(passage, threshold) for passage in PASSAGES] == expected
    assert index.query(PASSAGES, threshold, limit=2) == [each[:2] for each in expected]
    ids, offsets, shares = index.query(PASSAGES, threshold, format="csr")
    assert (ids.dtype, offsets.dtype, shares.dtype) == (np.int64, np.int64, np.float64)
    assert list(zip(ids, shares, strict=True)) == [each for found in expected for each in found]


def test_columns_of_many_chunks():
    texts = pa.chunked_array([TEXTS[:3], [], TEXTS[3:]])
    index = ContainmentIndex(texts)
    asked = pa.chunked_array([PASSAGES[:3], PASSAGES[3:]])
    assert index.query(asked) == ContainmentIndex(TEXTS).query(PASSAGES)
    assert index.query([]) == []


def test_short_and_empty_texts():
    index = ContainmentIndex(["", "two words", "and two words more", "!", "two words"])
    assert index.query("two words") == [(1, 1.0), (4, 1.0)]  # shorter than a shingle
    assert index.query(["", " ", "!"]) == [[], [], []]
    assert ContainmentIndex().query("a b c") == []
    assert containment("", "a") == containment("a", "") == 0.0
    assert containment("我喜欢健身", "我喜欢普洱茶", shingle="char:2") == 0.5


def test_characters_are_packed_and_told_apart():
    """Shingles that are small numbers, zero among them."""
    index = ContainmentIndex(["\x00", "\x01", "ab"], shingle="char:1", normalize="none")
    assert index.query(["\x00", "\x01", "\x00\x01ab"], 0.25) == [
        [(0, 1.0)], [(1, 1.0)], [(2, 0.5), (0, 0.25), (1, 0.25)],
    ]  # fmt: skip


def test_a_file_is_the_same_index(tmp_path):
    index = ContainmentIndex(TEXTS, shingle="word:2", normalize=["lower"])
    index.save(tmp_path / "a.ci")
    again = ContainmentIndex.load(tmp_path / "a.ci")
    assert (repr(again), again.identity) == (repr(index), index.identity)
    assert again.query(PASSAGES, 0.3) == index.query(PASSAGES, 0.3)
    again.merge(index)
    for once, twice in zip(index.query(PASSAGES), again.query(PASSAGES), strict=True):
        assert sorted(twice) == sorted([*once, *((id + 20, share) for id, share in once)])
    (tmp_path / "b.ci").write_bytes((tmp_path / "a.ci").read_bytes()[:-3])
    with pytest.raises(DataError, match=r"b\.ci.*truncated"):
        ContainmentIndex.load(tmp_path / "b.ci")


def test_another_text_spec_is_refused_by_both_names():
    one, other = ContainmentIndex(), ContainmentIndex(shingle="char:5")
    with pytest.raises(NeardupValueError, match=r"\[.*word:3.*\] and \[.*char:5.*\]"):
        one.merge(other)


def test_memory_is_as_stated():
    index = ContainmentIndex(" ".join(f"{i} {j}" for j in range(200)) for i in range(500))
    assert 12.0 < index.nbytes / index._native.shingles < 12.3


def test_a_failed_insert_leaves_nothing(tmp_path):
    index = ContainmentIndex(TEXTS)
    with pytest.raises(NeardupTypeError, match="row 1: a text is a str, got int"):
        index.insert(["a b c", 3])
    assert len(index) == 20
    assert index.query("a b c") == []


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: ContainmentIndex("text"), NeardupTypeError, "a collection of texts is needed"),
        (lambda: ContainmentIndex(shingle="x"), NeardupValueError, "shingle"),
        (lambda: ContainmentIndex().query("a", 0), NeardupValueError, "threshold: 0 is not"),
        (lambda: ContainmentIndex().query("a", 1.1), NeardupValueError, "threshold: 1.1 is not"),
        (lambda: ContainmentIndex().query("a", "b"), NeardupValueError, "threshold: 'b' is not"),
        (lambda: ContainmentIndex().query("a", None), NeardupTypeError, "threshold: None is not"),
        (lambda: ContainmentIndex().query("a", limit=0), NeardupValueError, "limit must be from 1"),
        (lambda: ContainmentIndex().query(b"a"), NeardupTypeError, "a collection of texts"),
        (lambda: ContainmentIndex().query("\ud800"), NeardupValueError, "lone surrogate"),
        (lambda: ContainmentIndex().merge(3), NeardupTypeError, "must be a ContainmentIndex"),
        (lambda: containment("a", 3), NeardupTypeError, "b must be a str, got int"),
    ],
)
def test_bad_values(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def test_options_of_a_text_are_taken_and_kept(tmp_path):
    passage, text = "The boats are fishing", "A boat fished in its harbours"
    options = {"shingle": "word:1", "stem": "en", "stopwords": "en"}
    assert (containment(passage, text), containment(passage, text, **options)) == (0, 1)
    index = ContainmentIndex([text], **options)
    index.save(tmp_path / "index")
    for each in (index, ContainmentIndex.load(tmp_path / "index")):
        assert each.query(passage) == [(0, 1.0)]
    with pytest.raises(NeardupTypeError, match="ContainmentIndex has no option 'hash_key_file'"):
        ContainmentIndex(hash="siphash", hash_key_file=b"k" * 16)
