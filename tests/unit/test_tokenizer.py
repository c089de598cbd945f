"""Tokenizers of the caller's: what they may do wrong is told by row, and nothing is lost."""

import numpy as np
import pyarrow as pa
import pytest
import rjieba

import neardup
from neardup._native import TextSpec

TEXTS = ["我喜欢在早上喝普洱茶", "我喜欢在晚上喝普洱茶", "今天天气不错", ""]


def jieba(texts):
    return [rjieba.cut(text) for text in texts]


def spaces(texts):
    return [text.split() for text in texts]


def test_tokens_of_a_tokenizer_stand_for_words():
    assert neardup.jaccard(*TEXTS[:2], shingle="word:1", tokenizer=jieba) == 5 / 7
    result = neardup.dedup(TEXTS, threshold=0.6, shingle="word:1", tokenizer=jieba)
    assert result.keep.tolist() == [True, False, True, True]
    assert result.pairs["similarity"].to_pylist() == [5 / 7]
    assert result.summary["text_spec"].endswith(";tokenizer=test_tokenizer.jieba")
    assert result.summary["no_token"] == 1
    pairs = neardup.match(TEXTS[:1], TEXTS, 0.6, shingle="word:1", tokenizer=jieba)
    assert pairs["row_b"].to_pylist() == [0, 1]
    assert neardup.sketch(TEXTS, shingle="word:1", tokenizer=jieba).counts.tolist() == [6, 6, 2, 0]


def test_no_texts_and_no_tokens():
    assert (
        neardup.jaccard("", "", tokenizer=spaces)
        == neardup.jaccard("a", "b", tokenizer=spaces)
        == 0
    )
    assert neardup.sketch([], tokenizer=spaces).matrix.shape == (0, 128)
    assert neardup.dedup([], tokenizer=spaces).summary["documents"] == 0
    assert len(neardup.match([], ["a"], tokenizer=spaces)) == 0


def test_a_long_text_has_the_tokens_of_its_tokenizer():
    long = " ".join(f"word{i % 90_000}" for i in range(450_000))
    assert len(long) > 4 << 20
    options = {"shingle": "word:2", "tokenizer": spaces}
    one, other = neardup.sketch([long], **options), neardup.sketch([long], shingle="whitespace:2")
    assert (one.matrix == other.matrix).all()
    assert neardup.dedup([long, long + " x"], **options).summary["near_duplicates"] == 1


def test_a_tokenizer_like_the_librarys_own_gives_its_answer():
    texts = [f"the {i % 40} quick brown foxes {i % 7} jump over lazy dogs {i}" for i in range(2500)]
    with_it = neardup.dedup(texts, threshold=0.5, shingle="word:2", tokenizer=spaces)
    without = neardup.dedup(texts, threshold=0.5, shingle="whitespace:2")
    for name in ("removed", "pairs", "clusters"):
        assert getattr(with_it, name).equals(getattr(without, name))
    assert len(with_it.pairs) > 100
    a, b = (
        neardup.sketch(pa.array(texts), shingle="word:2", tokenizer=each) for each in (spaces, None)
    )
    assert (a.matrix == b.matrix).all()
    joined = neardup.dedup(
        texts, threshold=0.5, shingle="word:2", tokenizer=spaces, exact_join=True
    )
    assert len(joined.pairs) >= len(with_it.pairs)
    counts = [
        neardup.dedup(texts, threshold=0.5, distinct_shingles=True, **spec).summary[
            "distinct_shingles"
        ]
        for spec in ({"shingle": "word:2", "tokenizer": spaces}, {"shingle": "whitespace:2"})
    ]
    assert counts[0] == counts[1]


def test_texts_are_handed_over_normalised_and_in_batches():
    seen = []

    def watched(texts):
        seen.append(list(texts))
        return spaces(texts)

    neardup.sketch(
        [f" ＡＢＣ  {i}" for i in range(2300)], tokenizer=watched, tokenizer_name="watched"
    )
    assert [len(batch) for batch in seen] == [1000, 1000, 300]
    assert seen[0][:2] == ["abc 0", "abc 1"]


def test_stop_words_and_stems_are_of_its_tokens():
    options = {"shingle": "word:1", "tokenizer": spaces, "stem": "en", "stopwords": "en"}
    assert neardup.jaccard("the boats are fishing", "a boat fished", **options) == 1


def _raises(texts):
    return [text.index("天") and [text] for text in texts]


def _raises_for_many(texts):
    if len(texts) > 1:
        raise RuntimeError("one at a time")
    return [[text] for text in texts]


def _short(texts):
    return [[text] for text in texts if "晚" not in text]


def _pops(texts):
    return [[texts.pop()] for _ in range(len(texts))]


def _changes(texts):
    texts[1] = "other"
    return [[text] for text in texts]


def _numbers(texts):
    return [[text, 3] if "天" in text else [text] for text in texts]


def _bare(texts):
    return [text if "天" in text else [text] for text in texts]


def _one(texts):
    return " ".join(texts)


def _stops(texts):
    return [iter(text) if "天" not in text else (1 / 0 for _ in text) for text in texts]


@pytest.mark.parametrize(
    ("tokenizer", "row", "words"),
    [
        (_raises, 0, "raised ValueError: substring not found"),
        (_raises_for_many, 0, "raised RuntimeError: one at a time in the batch rows 0 to 3"),
        (_short, 1, "gave 3 lists for 4 texts, rows 0 to 3, and 0 for this text alone"),
        (_pops, 0, "changed the list it was given"),
        (_changes, 1, "changed the list it was given"),
        (_numbers, 2, "gave a token that is a int, not a str"),
        (_bare, 2, "gave one str in place of a list of tokens"),
        (_one, 0, "gave one str for 4 texts"),
        (_stops, 2, "gave tokens that cannot be read (ZeroDivisionError: division by zero)"),
    ],
)
def test_the_row_is_named_and_nothing_is_lost(tokenizer, row, words, tmp_path):
    texts = list(TEXTS)
    out = tmp_path / "out"
    for call in (
        lambda: neardup.dedup(texts, tokenizer=tokenizer, out=out),
        lambda: neardup.sketch(texts, tokenizer=tokenizer),
        lambda: neardup.match(texts, texts, tokenizer=tokenizer),
    ):
        with pytest.raises(neardup.DataError) as caught:
            call()
        assert caught.value.row == row
        assert words in str(caught.value)
        assert tokenizer.__name__ in str(caught.value)
    assert texts == TEXTS
    assert not list(tmp_path.glob("out/kept/*"))


def test_the_source_is_named_too(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("a 天\nb\n", encoding="utf-8")
    with pytest.raises(neardup.DataError) as caught:
        neardup.dedup(path, tokenizer=_raises)
    assert str(caught.value).startswith(f"{path}: row 1: the tokenizer ")


def test_rejected_rows_are_not_handed_over(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a b c"}\n{"text": null}\n{"text": "a b c d"}\n', encoding="utf-8")
    result = neardup.dedup(path, tokenizer=spaces, on_error="skip", threshold=0.5)
    assert result.keep.tolist() == [True, False, False]
    assert (result.summary["rejected"], result.summary["near_duplicates"]) == (1, 1)


def test_names_are_given_or_the_functions_own():
    one = neardup.sketch(["a"], tokenizer=spaces, tokenizer_name="spaces-1")
    other = neardup.sketch(["a"], tokenizer=spaces)
    assert one.text.endswith(";tokenizer=spaces-1")
    with pytest.raises(ValueError, match="different making"):
        one.merge(other)
    with pytest.raises(ValueError, match="has no name to tell it from others"):
        neardup.sketch(["a"], tokenizer=lambda texts: spaces(texts))


def test_a_wish_to_stop_is_not_a_fault_of_the_row():
    def stops(texts):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        neardup.sketch(["a"], tokenizer=stops, tokenizer_name="stops")


def test_arrow_columns_of_every_layout():
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        column = pa.chunked_array([pa.array(TEXTS[:2], kind), pa.array(TEXTS[2:], kind)])
        counts = neardup.sketch(column, shingle="word:1", tokenizer=jieba).counts
        assert counts.tolist() == [6, 6, 2, 0]


def test_native_checks_what_it_is_given():
    from neardup._native import Tokenized, take_texts

    with pytest.raises(ValueError, match="2 texts and tokens of 1"):
        Tokenized(["a", "b"], [["a"]])
    with pytest.raises(TypeError, match="row 0: a tokenizer gives a list of str"):
        Tokenized(["a"], [[3]])
    with pytest.raises(ValueError, match="row 0: a token holds a lone surrogate"):
        Tokenized(["a"], [["\ud800"]])
    with pytest.raises(ValueError, match="beyond the column"):
        take_texts(["a"], np.array([1], np.uint32))
    assert TextSpec("casefold", "word:1", "xxh3").normalize_all(["A", "B"]) == ["a", "b"]
