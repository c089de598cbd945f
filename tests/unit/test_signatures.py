"""`sketch`, `Signatures`, `jaccard`: texts in, estimates out, identity held, files whole."""

import json
import struct
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pytest

import neardup
from neardup import (
    DataError,
    NeardupError,
    NeardupTypeError,
    NeardupValueError,
    Signatures,
    jaccard,
    sketch,
)

TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "the  QUICK brown fox jumps over the lazy dog",
    "",
    "我喜欢普洱茶，也喜欢健身",
    "cat",
]


class Speaker:
    """A stranger that speaks one of Arrow's two protocols."""

    def __init__(self, held, name):
        setattr(self, name, getattr(held, name))


def test_texts_of_every_kind():
    expected = sketch(TEXTS)
    whole = pa.array(TEXTS)
    parts = pa.chunked_array([whole[:2], whole[2:2], whole[2:]])
    kinds = [
        tuple(TEXTS),
        iter(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, object),
        whole,
        pa.array(["x", *TEXTS, "y"])[1:-1],
        whole.cast(pa.large_string()),
        whole.cast(pa.string_view()),
        whole.dictionary_encode(),
        parts,
        Speaker(whole, "__arrow_c_array__"),
        Speaker(parts, "__arrow_c_stream__"),
    ]
    for texts in kinds:
        found = sketch(texts)
        assert found.identity == expected.identity
        assert np.array_equal(found.matrix, expected.matrix)
        assert np.array_equal(found.counts, expected.counts)
    assert expected.matrix.shape == (5, 128)
    assert (expected.matrix.dtype, expected.counts.dtype) == (np.uint32, np.int64)
    assert expected.counts.tolist() == [7, 7, 0, 9, 1]
    assert (expected.matrix[2] == 0xFFFFFFFF).all()


@pytest.mark.parametrize(
    "texts",
    [[], (), iter([]), pa.array([], pa.string()), pa.array([]), pa.chunked_array([], "str")],
)
def test_no_texts(texts):
    found = sketch(texts, size=16)
    assert len(found) == 0
    assert found.matrix.shape == (0, 16)
    assert found.counts.shape == (0,)


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        ("a text", r"got one str; pass \[text\]"),
        (b"a text", r"got one bytes; pass \[text\]"),
        (7, "a collection of texts is needed, got int"),
        ({"text": ["a"]}, r'one column of texts is needed, got a dict; pass the column, .*data\["'),
        (np.array([["a"]]), "one column of texts is needed, got a ndarray"),
        (pa.table({"id": [1], "text": ["a"]}), "got a table of id, text; pass the column"),
        (["a", None], "row 1: a text is a str, got NoneType"),
        (["a", b"b"], "row 1: a text is a str, got bytes"),
        (["a", float("nan")], "row 1: a text is a str, got float"),
        (pa.array([1, 2]), "a text column holds strings, got int64"),
    ],
)
def test_what_is_no_collection_of_texts(texts, complaint):
    with pytest.raises(NeardupTypeError, match=complaint):
        sketch(texts)


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["a", "b", "\ud800"], "row 2: the text holds a lone surrogate"),
        (pa.chunked_array([["a", "b"], ["c", None]]), "row 3: the text is null"),
        (pa.array([None, None]), "row 0: the text is null"),
    ],
)
def test_what_is_no_text(texts, complaint):
    with pytest.raises(NeardupValueError, match=complaint):
        sketch(texts)


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ({"shingle": "word:0"}, "shingle: 'word:0' is not allowed"),
        ({"normalize": "nfc,shout"}, "normalize: 'nfc,shout' is not allowed"),
        ({"sketch": "fancy"}, "sketch: 'fancy' is not allowed"),
        ({"size": 0}, "size: 0 is not allowed"),
        ({"seed": -1}, "seed: -1 is not allowed"),
        ({"threads": -1}, "threads: -1 is not allowed"),
    ],
)
def test_bad_options(option, complaint):
    with pytest.raises(NeardupValueError, match=complaint):
        sketch(["a"], **option)


def test_threads_and_options_in_their_final_type_change_nothing():
    texts = [f"the text number {i} of some more texts" for i in range(300)]
    expected = sketch(texts, normalize="nfkc,casefold,collapse-space")
    for threads in (1, 2, 5):
        found = sketch(texts, normalize=("nfkc", "casefold", "collapse-space"), threads=threads)
        assert np.array_equal(found.matrix, expected.matrix)


def test_a_signature_is_the_sketch_of_the_shingles():
    words = [" ".join(TEXTS[0][:-1].lower().split()[i : i + 3]) for i in range(7)]
    other = sketch([TEXTS[0]], shingle="whitespace:1")
    assert other.counts.tolist() == [8]
    expected = neardup.FastSimilaritySketch()(TEXTS[0].lower().split())
    assert np.array_equal(other.matrix[0], expected)
    assert sketch([TEXTS[0]]).counts.tolist() == [len(words)]


def test_estimates_lie_about_the_exact_value():
    a = " ".join(f"w{i}" for i in range(1000))
    b = " ".join(f"w{i}" for i in range(500, 1500))
    exact = jaccard(a, b)
    assert exact == 498 / (998 + 998 - 498)
    errors = []
    for seed in range(20):
        found = sketch([a, b], size=256, seed=seed)
        errors.append(found.jaccard(0, 1) - exact)
        assert found.jaccard(1, 0) == found.jaccard(0, 1, sketch([a, b], size=256, seed=seed))
    bound = 4 * (exact * (1 - exact) / 256) ** 0.5
    assert max(map(abs, errors)) < bound
    assert abs(np.mean(errors)) < bound / 20**0.5


def test_rows_that_are_not_there():
    found = sketch(["a", "b"])
    for i, j in [(2, 0), (0, 2), (-1, 0)]:
        with pytest.raises(NeardupValueError, match="must be from 0 to 1"):
            found.jaccard(i, j)
    with pytest.raises(NeardupValueError, match="there are no signatures"):
        sketch([]).jaccard(0, 0)
    with pytest.raises(NeardupTypeError, match="i must be an integer"):
        found.jaccard("a", 0)


@pytest.mark.parametrize(
    "option",
    [{"seed": 43}, {"size": 64}, {"shingle": "word:2"}, {"normalize": "nfc"}],
)
def test_signatures_of_another_making_are_refused(option):
    one, other = sketch(["a b c d"]), sketch(["a b c d"], **option)
    for meet in (
        lambda: one.jaccard(0, 0, other),
        lambda: one.merge(other),
        lambda: Signatures.concat([one, one, other]),
    ):
        with pytest.raises(NeardupValueError, match="of different making") as caught:
            meet()
        assert one.identity in str(caught.value)
        assert other.identity in str(caught.value)
    with pytest.raises(NeardupTypeError, match="other must be Signatures, got ndarray"):
        one.merge(other.matrix)


def test_merge_is_the_signature_of_the_union():
    words = [f"w{i}" for i in range(40)]
    left, right = " ".join(words[:25]), " ".join(words[15:])
    spec = {"shingle": "word:1"}
    merged = sketch([left, "", ""], **spec).merge(sketch([right, right, ""], **spec))
    union = sketch([" ".join(words), right, ""], **spec)
    assert np.array_equal(merged.matrix, union.matrix)
    assert merged.identity == union.identity
    assert merged.counts[1:].tolist() == [25, 0]
    # 50 / (1 + J): the derivative at J = 1/4 times four standard errors of J
    assert abs(merged.counts[0] - 40) <= 50 / 1.25**2 * 4 * (0.25 * 0.75 / 128) ** 0.5
    itself = union.merge(union)
    assert np.array_equal(itself.counts, union.counts)
    with pytest.raises(NeardupValueError, match="1 signatures cannot be merged with 2, row by row"):
        sketch(["a"]).merge(sketch(["a", "b"]))


def test_concat_and_length():
    parts = [sketch(TEXTS[:2]), sketch([]), sketch(TEXTS[2:])]
    whole = Signatures.concat(parts)
    assert len(whole) == 5
    assert np.array_equal(whole.matrix, sketch(TEXTS).matrix)
    assert np.array_equal(whole.counts, sketch(TEXTS).counts)
    with pytest.raises(NeardupValueError, match="empty list"):
        Signatures.concat([])
    assert "5 signatures of [fast/1 size=128 seed=42" in repr(whole)


def test_what_made_signatures_cannot_be_changed():
    found = sketch(TEXTS)
    with pytest.raises(ValueError, match="read-only"):
        found.matrix[0, 0] = 1
    with pytest.raises(AttributeError):
        found.identity = "mine"


def test_save_and_load(tmp_path):
    for texts in (TEXTS, []):
        saved = sketch(texts, size=33, shingle="char:2", seed=2**64 - 1)
        saved.save(tmp_path / "new" / "a.sig")
        found = Signatures.load(tmp_path / "new" / "a.sig")
        assert found.identity == saved.identity
        assert np.array_equal(found.matrix, saved.matrix)
        assert np.array_equal(found.counts, saved.counts)
        assert found.matrix.dtype == np.uint32
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.sig"]


def test_bytes_a_signature(tmp_path):
    sizes = []
    for n in (10, 1010):
        sketch([f"text {i}" for i in range(n)]).save(tmp_path / "a.sig")
        sizes.append((tmp_path / "a.sig").stat().st_size)
    assert abs(sizes[1] - sizes[0] - 1000 * (4 * 128 + 8)) < 16


def test_damaged_files_are_refused_by_name(tmp_path):
    path = tmp_path / "a.sig"
    sketch(["one text", "and another"], size=3).save(path)
    good = path.read_bytes()
    for end in range(len(good)):
        path.write_bytes(good[:end])
        with pytest.raises(DataError, match=r"a\.sig: "):
            Signatures.load(path)
    for at in range(len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 16]) + good[at + 1 :])
        with pytest.raises(DataError, match=r"a\.sig: "):
            Signatures.load(path)
    path.write_bytes(good + b"\0")
    with pytest.raises(DataError, match="truncated or altered"):
        Signatures.load(path)


def forged(header, sections, version=1, length=None):
    """A file with a right checksum and whatever else."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    head = struct.pack("<8sII", b"ndsigns\0", version, len(text) if length is None else length)
    body = head + text + b"".join(sections)
    return body + blake2b(body, digest_size=16).digest()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "the file is empty, not a signature file"),
        (b"PAR1 and so on", "not a signature file: it begins with b'PAR1 and'"),
        (b"ndlshidx" + bytes(40), "not a signature file"),
        (forged({}, [], version=2), "is of version 2, this program reads 1"),
        (forged({}, []), "do not add up"),
        (forged([1], []), "do not add up"),
        (forged(b"\xff{", []), "a.sig: "),
        (forged({"sections": [8, 4]}, [], length=2**32 - 1), "a.sig: "),
        (forged({"sections": [8, 8]}, [bytes(12)]), "do not add up"),
        (forged({"sections": [2**70, -(2**70) + 12]}, [bytes(12)]), "do not add up"),
        (forged({"sections": [8, 4]}, [bytes(12)]), "do not add up"),
        (
            forged({"sketch": "s", "text": "t", "shape": [2, 1], "sections": [8, 4]}, [bytes(12)]),
            "do not add up",
        ),
        (
            forged({"sketch": 1, "text": "t", "shape": [1, 1], "sections": [8, 4]}, [bytes(12)]),
            "do not add up",
        ),
    ],
)
def test_foreign_and_forged_files(tmp_path, data, complaint):
    (tmp_path / "a.sig").write_bytes(data)
    with pytest.raises(DataError, match=complaint):
        Signatures.load(tmp_path / "a.sig")


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(NeardupError, match=r"none\.sig: cannot be read: No such file"):
        Signatures.load(tmp_path / "none.sig")
    with pytest.raises(NeardupError, match="cannot be written"):
        sketch(["a"]).save(tmp_path)


@pytest.mark.parametrize(
    ("a", "b", "options", "expected"),
    [
        ("我喜欢健身", "我喜欢普洱茶", {"shingle": "char:2"}, 2 / 7),
        ("a b c d", "A  b, c d!", {}, 1.0),
        ("a b c d", "A b c d", {"normalize": "none"}, 1 / 3),
        ("", "", {}, 0.0),
        ("", "a", {}, 0.0),
        ("cat", "cat", {"shingle": "word:5"}, 1.0),
        ("cat", "dog", {"shingle": "word:5"}, 0.0),
        ("ＡＢＣ１２３", "ABC123", {}, 1.0),
        ("ＡＢＣ１２３", "ABC123", {"normalize": "nfc"}, 0.0),
    ],
)
def test_exact_jaccard(a, b, options, expected):
    assert jaccard(a, b, **options) == expected
    assert jaccard(b, a, **options) == expected


def test_what_jaccard_refuses():
    with pytest.raises(NeardupTypeError, match="b must be a str, got bytes"):
        jaccard("a", b"a")
    with pytest.raises(NeardupValueError, match="a holds a lone surrogate"):
        jaccard("\ud800", "a")
    with pytest.raises(NeardupValueError, match="shingle: 'words' is not allowed"):
        jaccard("a", "a", shingle="words")
