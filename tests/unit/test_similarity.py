"""`similarity`, `distance`, `most_similar`: rapidfuzz unchanged, sets and counts by their formulas."""

import sys
from collections import Counter
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import distance as rf

import neardup
from neardup.measures import MEASURES
from neardup.reference import text as twin

EDITS = {
    "levenshtein": rf.Levenshtein,
    "osa": rf.OSA,
    "damerau-levenshtein": rf.DamerauLevenshtein,
    "indel": rf.Indel,
    "lcs": rf.LCSseq,
    "hamming": rf.Hamming,
    "jaro": rf.Jaro,
    "jaro-winkler": rf.JaroWinkler,
}
WHOLE = tuple(name for name in EDITS if not name.startswith("jaro"))
METRICS = ("levenshtein", "damerau-levenshtein", "indel", "lcs", "hamming", "jaccard")
"""Their distances are metrics; those of osa, Dice, overlap, cosine and Jaro are none."""
SYMMETRIC = tuple(name for name in MEASURES if name not in ("containment", "tfidf"))
PLAIN = tuple(name for name in MEASURES if name != "tfidf")

TEXTS = st.text(st.sampled_from("ab 微é\u0301😀"), max_size=12)
SPEC = {"shingle": "char:2", "normalize": "none"}


def shingles(text):
    """Runs of two code points, as the twin cuts them."""
    parts = twin.tokens(twin.prepare(text, "none", "char"), "char")
    if len(parts) < 2:
        return Counter([tuple(parts)] if parts else [])
    return Counter(pairwise(parts))


def by_hand(name, a, b):
    """Measures of shingles by their textbook formulas."""
    a, b = shingles(a), shingles(b)
    both, union = len(a.keys() & b.keys()), len(a.keys() | b.keys())
    if not a or not b:
        return 0.0
    if name == "weighted-jaccard":
        return sum((a & b).values()) / sum((a | b).values())
    if name == "cosine":
        norms = [sqrt(sum(n * n for n in side.values())) for side in (a, b)]
        return sum(n * b[x] for x, n in a.items()) / norms[0] / norms[1]
    return {
        "jaccard": both / union,
        "dice": 2 * both / (len(a) + len(b)),
        "overlap": both / min(len(a), len(b)),
        "containment": both / len(a),
        "tversky": both / (both + 0.5 * (len(a) - both) + 0.5 * (len(b) - both)),
    }[name]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_rapidfuzz_is_unchanged(pairs):
    left, right = map(list, zip(*pairs, strict=True))
    for name, metric in EDITS.items():
        expected = [metric.normalized_similarity(a, b) for a, b in pairs]
        assert neardup.similarity(left, right, name, normalize="none").tolist() == expected
        raw = neardup.distance(left, right, name, normalize="none")
        assert raw.tolist() == [metric.distance(a, b) for a, b in pairs]
        assert raw.dtype == (np.int64 if name in WHOLE else np.float64)
        many = neardup.similarity(left[0], right, name, normalize="none").tolist()
        assert many == [metric.normalized_similarity(left[0], b) for b in right]


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_measures_of_shingles_are_their_formulas(a, b):
    for name, measure in MEASURES.items():
        if measure.kind != "edit" and name != "tfidf":
            assert neardup.similarity(a, b, name, **SPEC) == pytest.approx(by_hand(name, a, b))
    assert neardup.similarity(a, b, **SPEC) == neardup.jaccard(a, b, **SPEC)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_bounds_identity_symmetry(a, b):
    for name in PLAIN:
        one = neardup.similarity(a, b, name, **SPEC)
        assert 0.0 <= one <= 1.0
        has = MEASURES[name].kind == "edit" or bool(shingles(a))
        assert neardup.similarity(a, a, name, **SPEC) == float(has)
        if name in SYMMETRIC:
            assert neardup.similarity(b, a, name, **SPEC) == one


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_the_triangle_holds_of_metrics(a, b, c):
    for name in METRICS:
        ab, bc, ac = (neardup.distance(x, y, name, **SPEC) for x, y in ((a, b), (b, c), (a, c)))
        assert ac <= ab + bc + 1e-12


def test_osa_is_no_metric_and_true_damerau_levenshtein_is():
    sides = [("ca", "ac"), ("ac", "abc"), ("ca", "abc")]
    assert [neardup.distance(a, b, "osa") for a, b in sides] == [1, 1, 3]
    assert [neardup.distance(a, b, "damerau-levenshtein") for a, b in sides] == [1, 1, 2]


def test_tversky_weighs_the_sides():
    a, b = "a b c d", "a b x"
    words = {"shingle": "word:1"}
    weights = {"alpha": 1.0, "beta": 0.0}
    assert neardup.similarity(a, b, "tversky", **weights, **words) == 2 / 4
    assert neardup.similarity(a, b, "tversky", **weights, **words) == neardup.similarity(
        a, b, "containment", **words
    )
    assert neardup.similarity(a, b, "tversky", alpha=0, beta=1, **words) == 2 / 3
    assert neardup.similarity(a, b, "tversky", alpha=1, beta=1, **words) == neardup.jaccard(
        a, b, **words
    )


def test_tfidf_is_the_cosine_of_smooth_weights():
    corpus = ["a a b", "a c", "a d d d"]
    n = {"a": 3, "b": 1, "c": 1, "d": 1}
    idf = {word: log((1 + 3) / (1 + n.get(word, 0))) + 1 for word in "abcdz"}
    x, y = "a a b z", "a z d"
    u, v = ({w: k * idf[w] for w, k in Counter(t.split()).items()} for t in (x, y))
    norms = [sqrt(sum(w * w for w in side.values())) for side in (u, v)]
    expected = sum(w * v.get(word, 0) for word, w in u.items()) / norms[0] / norms[1]
    fitted = neardup.TfIdf(corpus, shingle="word:1")
    assert (fitted.documents, len(fitted)) == (3, 4)
    for given_corpus in (corpus, fitted):
        found = neardup.similarity(x, y, "tfidf", corpus=given_corpus, shingle="word:1")
        assert found == pytest.approx(expected)
    with pytest.raises(neardup.NeardupValueError, match=r"shingle=word:1.*shingle=word:3"):
        neardup.similarity(x, y, "tfidf", corpus=fitted)
    empty = neardup.TfIdf([], shingle="word:1")
    assert neardup.similarity("a b", "a b", "tfidf", corpus=empty, shingle="word:1") == 1.0


def test_empty_texts():
    for name, measure in MEASURES.items():
        more = {"corpus": ["a"]} if name == "tfidf" else {}
        both = 1.0 if measure.kind == "edit" else 0.0
        assert neardup.similarity("", "", name, **more) == both
        assert neardup.similarity("", "a", name, **more) == 0.0
        assert neardup.similarity("a", "", name, **more) == 0.0
        assert len(neardup.similarity([], [], name, **more)) == 0
        assert len(neardup.similarity("a", [], name, **more)) == 0


def test_texts_are_normalised_unless_asked_otherwise():
    assert neardup.similarity("ＡＢＣ", "abc", "levenshtein") == 1.0
    assert neardup.similarity("ＡＢＣ", "abc", "levenshtein", normalize="none") == 0.0
    assert neardup.distance("e\u0301", "é", "levenshtein") == 0  # nfkc composes
    assert neardup.distance("e\u0301", "é", "levenshtein", normalize="none") == 2


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        tuple,
        np.array,
        pa.array,
        lambda x: pa.chunked_array([x[:1], x[1:]]),
        lambda x: iter(x),
        lambda x: pa.array(x, pa.string_view()),
    ],
)
def test_columns_of_every_kind(wrap):
    a, b = ["one two", "three", "four"], ["one too", "tree", "四"]
    for name in ("osa", "dice", "cosine"):
        expected = [neardup.similarity(x, y, name) for x, y in zip(a, b, strict=True)]
        assert neardup.similarity(wrap(a), wrap(b), name).tolist() == expected


def test_the_most_similar_come_first():
    texts = ["apple", "grape", "appel", "maple", "apple pie"]
    found = neardup.most_similar("apple", texts, "levenshtein", limit=None)
    assert found == sorted(found, key=lambda row: (-row[1], row[0]))
    assert [row for row, _ in found][:1] == [0]
    assert neardup.most_similar("apple", texts, "levenshtein", limit=2) == found[:2]
    kept = neardup.most_similar("apple", texts, "levenshtein", threshold=0.6)
    assert kept == [row for row in found if row[1] >= 0.6]


def test_many_pairs_cross_the_slices():
    rng = np.random.default_rng(7)
    words = [" ".join(rng.choice(list("abcdefgh"), 6)) for _ in range(9000)]
    other = words[1:] + words[:1]
    for name in ("jaccard", "levenshtein"):
        found = neardup.similarity(words, other, name, shingle="word:1")
        alone = neardup.similarity(words, other, name, shingle="word:1", threads=1)
        assert (found == alone).all()
        for i in (0, 4095, 4096, 8191, 8192, 8999):
            one = neardup.similarity(words[i], other[i], name, shingle="word:1")
            assert found[i] == one


def test_an_unknown_measure_lists_them_all():
    with pytest.raises(neardup.NeardupValueError) as error:
        neardup.similarity("a", "b", "soundex")
    assert all(name in str(error.value) for name in MEASURES)
    with pytest.raises(neardup.NeardupTypeError, match="levenshtein"):
        neardup.similarity("a", "b", 3)
    assert neardup.similarity("a", "b", "Jaro_Winkler") == 0.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: neardup.similarity("a", 3), "a collection of texts is needed, got int"),
        (lambda: neardup.similarity("a", b"b"), "got one bytes"),
        (lambda: neardup.similarity(["a", 3], "a", "osa"), "row 1: a text must be a str, got int"),
        (lambda: neardup.similarity(["a", None], "a"), "row 1: a text must be a str"),
        (lambda: neardup.similarity(pa.array(["a", None]), "a"), "row 1: the text is null"),
        (lambda: neardup.similarity(pa.array([1]), "a"), "a text column holds strings, got int64"),
        (lambda: neardup.similarity("a\ud800", "a", "osa"), "a holds a lone surrogate"),
        (
            lambda: neardup.similarity("a", ["\udc00"], "osa"),
            "row 0: a text holds a lone surrogate",
        ),
        (lambda: neardup.similarity(["a"], ["a", "b"]), "row by row, got 1 and 2 rows"),
        (lambda: neardup.similarity("a", "b", alpha=1.0), "alpha: is an option of tversky"),
        (lambda: neardup.similarity("a", "b", "tversky", alpha=-1), "alpha: -1 is not allowed"),
        (lambda: neardup.similarity("a", "b", "tfidf"), "corpus: tfidf needs one"),
        (lambda: neardup.similarity("a", "b", corpus=["a"]), "corpus: is an option of tfidf"),
        (lambda: neardup.similarity("a", "b", colour=1), "unknown option 'colour'; options are"),
        (lambda: neardup.similarity("a", "b", shingle="no"), "shingle: 'no' is not allowed"),
        (
            lambda: neardup.similarity("a", "b", "jaro-winkler", prefix_weight=3),
            "prefix_weight has",
        ),
        (lambda: neardup.most_similar("a", "b"), "texts must be a collection"),
        (lambda: neardup.most_similar("a", ["b"], limit=-1), "limit: -1 is not allowed"),
    ],
)
def test_errors_say_what_is_wrong(call, said):
    with pytest.raises(neardup.NeardupError) as error:
        call()
    assert said in str(error.value)


def test_without_rapidfuzz_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    with pytest.raises(neardup.NeardupError, match=r"pip install 'neardup\[similarity\]'"):
        neardup.similarity("a", "b", "levenshtein")
    assert neardup.similarity("a", "a") == 1.0


def test_options_of_a_text_are_all_taken():
    a, b = "The boats are fishing in the harbour.", "A boat fished in its harbours"
    spec = {"shingle": "word:1", "stem": "en", "stopwords": "en"}
    assert neardup.similarity(a, b, "dice", **spec) == neardup.jaccard(a, b, **spec) == 1
    corpus = neardup.TfIdf([a, "the sea"], **spec)
    assert corpus.identity == neardup.sketch([a], **spec).text
    for each in (corpus, [a, "the sea"]):
        assert abs(neardup.similarity(a, b, "tfidf", corpus=each, **spec) - 1) < 1e-12
    with pytest.raises(neardup.NeardupValueError, match=r"corpus: it was cut by .*same options"):
        neardup.similarity(a, b, "tfidf", corpus=corpus, shingle="word:1")
    with pytest.raises(neardup.NeardupTypeError, match="TfIdf has no option 'tokenizer'"):
        neardup.TfIdf([a], tokenizer=str.split)
