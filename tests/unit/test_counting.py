"""`cardinality` and `Cardinality`: what can be counted, files, other libraries, what is refused."""

import numpy as np
import pyarrow as pa
import pytest

import neardup
from neardup import Cardinality, DataError, NeardupTypeError, NeardupValueError, cardinality
from neardup import sketch as sketch_texts

TEXTS = ["to be or not to be", "To be, or not to be!", "that is the question", ""]


def test_texts_of_every_kind():
    expected = cardinality(TEXTS)
    assert expected.value == pytest.approx(6)
    assert "word:3" in expected.of
    chunked = pa.chunked_array([TEXTS[:1], TEXTS[1:]])
    views = pa.array(TEXTS, pa.string_view())
    for texts in (iter(TEXTS), tuple(TEXTS), np.array(TEXTS), pa.array(TEXTS), chunked, views):
        assert cardinality(texts).value == expected.value
    for threads in (1, 2, 5):
        many = cardinality([f"{i} {i + 1} {i % 700}" for i in range(3000)], threads=threads)
        assert many.value == cardinality([f"{i} {i + 1} {i % 700}" for i in range(3000)]).value
    assert cardinality(TEXTS, shingle="char:1", normalize="lower").value == pytest.approx(
        15, abs=0.1
    )
    assert (
        cardinality([]).value
        == cardinality([""]).value
        == cardinality(pa.array([], "str")).value
        == 0
    )


def test_rows_of_tokens():
    rows = [["a", "b"], ("b", b"c"), {"c", 1}, np.arange(5), iter([2**64 - 1])]
    found = cardinality(rows)
    assert found.value == pytest.approx(9)
    assert found.of == "tokens"
    assert float(found) == found.value
    assert cardinality(np.arange(20).reshape(4, 5)).value == pytest.approx(20)
    low, high = found.bounds(3)
    assert 0 <= low < 9 < high
    assert "9 +- 0 of [tokens]" in repr(found)


def test_what_is_refused():
    for data, message in (("text", "one str"), (5, "got int"), ({"a": 1}, "pass the column")):
        with pytest.raises(NeardupTypeError, match=message):
            cardinality(data)
    with pytest.raises(NeardupTypeError, match="row 1: a text is a str, got list"):
        cardinality(["a", ["b"]])
    with pytest.raises(NeardupTypeError, match="row 1: a bare str is not a row"):
        cardinality([["b"], "a"])
    with pytest.raises(NeardupTypeError, match="row 0: a token is a str"):
        cardinality([[1.5]])
    with pytest.raises(NeardupValueError, match="row 1: the text is null"):
        cardinality(pa.array(["a", None]))
    for precision in (3, 22, -1):
        with pytest.raises(NeardupValueError, match="precision must be from 4 to 21"):
            cardinality([], precision=precision)
    with pytest.raises(NeardupTypeError, match="precision must be an integer"):
        cardinality([], precision=12.5)
    with pytest.raises(NeardupValueError, match="shingle"):
        cardinality([], shingle="words")
    a = cardinality(TEXTS)
    with pytest.raises(NeardupTypeError, match="other must be a Cardinality"):
        a.merge(3)
    with pytest.raises(NeardupValueError, match="counts of different things"):
        a.merge(cardinality(TEXTS, shingle="char:5"))
    with pytest.raises(NeardupValueError, match="precision 12 and 13 cannot meet"):
        a | cardinality(TEXTS, precision=13)


@pytest.mark.parametrize("n", [0, 3, 100, 100_000])
def test_files_and_the_library_itself(tmp_path, n):
    datasketches = pytest.importorskip("datasketches", reason="comes with the test extra")
    counted = cardinality([np.arange(n)])
    counted.save(tmp_path / "new" / "count.hll")
    again = Cardinality.load(tmp_path / "new" / "count.hll", "tokens")
    assert (again.value, again.precision) == (counted.value, 12)
    parts = [cardinality([part]) for part in np.array_split(np.arange(n), 2)]
    union = datasketches.hll_union(12)
    for part in parts:
        union.update(datasketches.hll_sketch.deserialize(part.to_bytes()))
    assert union.get_estimate() == pytest.approx((parts[0] | parts[1]).value, rel=1e-9)
    own = datasketches.hll_sketch(12, datasketches.tgt_hll_type.HLL_4)
    from neardup import _native

    for token in _native.hash_unsigned(np.arange(n, dtype=np.uint64)).view(np.int64).tolist():
        own.update(token)
    for data in (own.serialize_compact(), own.serialize_updatable()):
        read = Cardinality.from_bytes(data)
        assert read.value == pytest.approx(counted.value, rel=1e-9)
        assert (read | counted).value == pytest.approx(counted.value, rel=1e-9)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "count.hll"
    for data in (b"", b"not a count", cardinality([range(9000)]).to_bytes()[:500], b"\0" * 4096):
        path.write_bytes(data)
        with pytest.raises(DataError, match=r"count\.hll: .* no HyperLogLog of DataSketches"):
            Cardinality.load(path)
    with pytest.raises(neardup.NeardupError, match="cannot be read"):
        Cardinality.load(tmp_path / "none")
    with pytest.raises(neardup.NeardupError, match="cannot be written"):
        cardinality([]).save(path / "below")
    with pytest.raises(NeardupTypeError, match="data must be bytes, got str"):
        Cardinality.from_bytes("data")


def test_distinct_shingles_of_a_corpus(tmp_path):
    texts = [f"{i} {i + 1} {i + 2} {i + 3}" for i in range(0, 4000, 2)]
    texts += [text + "!" for text in texts[::4]] + [f"{text} more" for text in texts[1::400]] + [""]
    plain = neardup.dedup(texts, threshold=0.5)
    assert "distinct_shingles" not in plain.summary
    counted = [
        neardup.dedup(texts, threshold=0.5, distinct_shingles=True, threads=threads)
        for threads in (1, 3)
    ]
    assert counted[0].summary["distinct_shingles"] == counted[1].summary["distinct_shingles"]
    spec = {"shingle": "word:3", "precision": 14}
    found = counted[0].summary["distinct_shingles"]
    assert found == {
        "before": round(cardinality(texts, **spec).value),
        "after": round(cardinality(counted[0].kept, **spec).value),
        "relative_std_err": 0.0081,
    }
    assert found["after"] < found["before"]
    assert counted[0].keep.tolist() == plain.keep.tolist()
    (tmp_path / "other.txt").write_text("\n".join(texts[:300]))
    against = neardup.dedup(
        texts, against=tmp_path / "other.txt", threshold=0.5, distinct_shingles=True
    )
    assert against.summary["distinct_shingles"]["before"] == found["before"]
    rows = pa.table({"text": [*texts, None]})
    skipped = neardup.dedup(rows, threshold=0.5, distinct_shingles=True, on_error="skip")
    assert skipped.summary["distinct_shingles"] == found


@pytest.mark.parametrize("name", ["dart", "icws"])
def test_counts_do_not_go_with_weighted_signatures(name):
    made = sketch_texts(TEXTS, sketch=name)
    assert made.jaccard(0, 1) == 1.0
    for what in ("intersection", "union", "difference", "containment"):
        with pytest.raises(NeardupValueError, match=f"{what}: the sketch {name} weighs repeats"):
            getattr(made, what)(0, 1)
    with pytest.raises(NeardupValueError, match="merge: the sketch"):
        made.merge(made)
    with pytest.raises(NeardupValueError, match="do not tell how many"):
        made.cardinality(0)


def test_signatures_of_an_unknown_sketch(tmp_path):
    made = sketch_texts(TEXTS)
    for identity in ("later/9 size=128 seed=42 rounds=0", "fast/9 size=128 seed=42 rounds=4", "?"):
        other = neardup.Signatures(made.matrix, made.counts, sketch=identity, text="t")
        assert other.jaccard(0, 1) == 1.0
        with pytest.raises(NeardupValueError, match="no sketch of this version"):
            other.cardinality(0)
        other.save(tmp_path / "later.sig")
        with pytest.raises(
            DataError, match=r"later\.sig: signatures of .* no sketch of this version"
        ):
            neardup.Signatures.load(tmp_path / "later.sig")


def test_repeats_weigh_in_every_pass():
    """Verified by the sketch, a text repeated is no copy of the text: counts are weights there."""
    texts = ["new york is big and old " * 9, "new york is big and old", "new york is big and old "]
    for name in ("dart", "icws"):
        weighed = neardup.dedup(texts, sketch=name, verify="sketch", threshold=0.6)
        assert weighed.keep.tolist() == [True, True, False]
    plain = neardup.dedup(texts, verify="sketch", threshold=0.6, shingle="word:1")
    assert plain.keep.tolist() == [True, False, False]


def test_options_of_a_text():
    texts = ["the boat", "boats", "a boat"]
    assert round(cardinality(texts, shingle="word:1", stem="en", stopwords="en").value) == 1
    with pytest.raises(NeardupTypeError, match="cardinality has no option 'tokenizer'"):
        cardinality(texts, tokenizer=str.split)
