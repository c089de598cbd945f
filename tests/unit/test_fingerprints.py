"""`simhash`, `Fingerprints` and `PackedSignatures`: identity, files, what is refused and how."""

from __future__ import annotations

import numpy as np
import pytest

import neardup
from neardup import (
    LSH,
    DataError,
    FastSimilaritySketch,
    Fingerprints,
    NeardupTypeError,
    NeardupValueError,
    PackedSignatures,
    Signatures,
    reference,
    simhash,
    sketch,
)

TEXTS = ["to be or not to be", "To be, or not to be!", "that is the question", "", "?!"]
SPEC = {"normalize": "nfkc,casefold,collapse-space", "shingle": "word:3"}


@pytest.mark.parametrize("bits", [64, 128])
def test_fingerprints_of_texts_weigh_shingles_by_counts(bits):
    texts = [*TEXTS, "a b c a b c a b c a b c d e f", "a b c d e f"]
    prints = simhash(texts, bits=bits)
    expected = [reference.simhash(reference.shingles(text, **SPEC), bits) for text in texts]
    digits = bits // 4
    assert prints.hex() == [f"{each:0{digits}x}" for each in expected]
    assert {len(each) for each in prints.hex()} == {digits}
    assert [int(each, 16) for each in prints.hex()] == expected
    assert prints.words.shape == (7, bits // 64)
    assert [sum(int(w) << 64 * i for i, w in enumerate(row)) for row in prints.words] == expected
    assert prints.hamming(5, 6) == reference.hamming(expected[5], expected[6]) > 0
    assert prints.counts.tolist() == [4, 4, 2, 0, 0, 6, 4]
    assert prints.identity.startswith(f"simhash/1 size={bits} seed=42 rounds=0; normalize=")


def test_leading_zeros_stay_in_hex():
    text = next(f"text {i}" for i in range(1000) if simhash([f"text {i}"]).words[0, 0] < 2**60)
    assert simhash([text]).hex()[0].startswith("0")
    assert len(simhash([text]).hex()[0]) == 16


def test_a_text_without_shingles_matches_nothing():
    prints = simhash(TEXTS)
    assert prints.hex()[3] == prints.hex()[4] == "f" * 16
    for i in range(5):
        assert (prints.hamming(3, i), prints.cosine(3, i)) == (64, 0.0)
    assert (prints.hamming(0, 1), prints.cosine(0, 1)) == (0, 1.0)
    other = simhash(TEXTS[:1])
    assert (prints.hamming(1, 0, other), prints.cosine(3, 0, other)) == (0, 0.0)


def test_sketch_gives_fingerprints_too_and_so_does_load(tmp_path):
    prints = sketch(TEXTS, sketch="simhash")
    assert isinstance(prints, Fingerprints)
    assert prints.bits == 64
    assert prints.hex() == simhash(TEXTS).hex()
    assert sketch(TEXTS, sketch="simhash", size=128).hex() == simhash(TEXTS, bits=128).hex()
    prints.save(tmp_path / "a.sig")
    for load in (Signatures.load, Fingerprints.load):
        again = load(tmp_path / "a.sig")
        assert isinstance(again, Fingerprints)
        assert (again.hex(), again.identity) == (prints.hex(), prints.identity)
    both = Fingerprints.concat([prints, prints])
    assert isinstance(both, Fingerprints)
    assert both.hamming(0, 5) == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p: p.jaccard(0, 1), r"no Jaccard estimate; use hamming\(i, j\) or cosine"),
        (lambda p: p.merge(p), "do not merge; sketch the texts joined"),
        (lambda p: p.pack(1), "bits already and cannot be packed"),
        (lambda p: p.hamming(0, 5), "j must be from 0 to 4, got 5"),
        (lambda p: p.hamming(0, 0, simhash([""], bits=128)), "size=64 .* and .* size=128 "),
        (lambda p: p.hamming(0, 0, sketch([""])), "simhash/1 .* and .*fast/1"),
        (lambda p: simhash([""], bits=32), "bits must be 64 or 128, got 32"),
        (lambda p: sketch([""], sketch="simhash", size=32), "64 or 128, got size=32; give one"),
        (lambda p: sketch([""], sketch="simhsh"), "'simhsh' is not allowed; use fast, .*, simhash"),
        (lambda p: LSH(2, 2, keep_signatures=True).insert(p), "or use HammingIndex"),
    ],
)
def test_what_has_no_meaning_is_refused(call, said):
    with pytest.raises(NeardupValueError, match=said):
        call(simhash(TEXTS))


def test_words_of_a_fingerprint_are_bands_of_an_lsh():
    """Two blocks of 32 bits: whatever differs in one bit at most shares one."""
    prints = simhash(TEXTS)
    index = LSH(num_perm=2, num_bands=2)
    index.insert(prints)
    assert index.query(prints) == [[0, 1], [0, 1], [2], [], []]
    with pytest.raises(NeardupValueError, match=r"simhash/1 .*fast/1"):
        index.query(sketch(TEXTS, size=2))


# b-bit views


@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
def test_packed_signatures(bits, tmp_path):
    signatures = sketch(TEXTS, size=300)
    packed = signatures.pack(bits)
    width = -(-300 * bits // 64)
    assert (packed.matrix.shape, packed.matrix.dtype) == ((5, width), np.uint64)
    assert packed.matrix.tolist() == [reference.pack(r.tolist(), bits) for r in signatures.matrix]
    assert packed.nbytes == 5 * (8 * width + 8)
    assert packed.counts.tolist() == [4, 4, 2, 0, 0]
    assert packed.identity == f"{signatures.identity}; {bits} bits a slot"
    assert (packed.jaccard(0, 1), packed.jaccard(3, 3), packed.jaccard(3, 4)) == (1.0, 0.0, 0.0)
    assert 0.0 <= packed.jaccard(0, 2) < 0.5
    packed.save(tmp_path / "a.packed")
    again = PackedSignatures.load(tmp_path / "a.packed")
    assert (again.matrix == packed.matrix).all()
    assert (again.counts.tolist(), again.identity) == (packed.counts.tolist(), packed.identity)
    assert again.jaccard(0, 1, packed) == 1.0
    with pytest.raises(ValueError, match="read-only"):
        packed.matrix[0, 0] = 0


def test_bare_matrices():
    rows = FastSimilaritySketch().batch([["a", "b"], ["b", "a"], [], []])
    for matrix in (rows, np.asfortranarray(rows), rows.astype(">u4"), rows[::-1][::-1]):
        packed = PackedSignatures.from_matrix(matrix, 2)
        assert packed.counts.tolist() == [-1, -1, 0, 0]
        assert (packed.jaccard(0, 1), packed.jaccard(2, 3), packed.jaccard(0, 2)) == (1.0, 0.0, 0.0)
    assert packed.std_err(0.5, 10) == packed.std_err(0.5)
    assert len(PackedSignatures.from_matrix(rows[:0], 8)) == 0


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda s: s.pack(3), NeardupValueError, "bits must be 1, 2, 4, 8 or 16, got 3"),
        (lambda s: s.pack(0), NeardupValueError, "bits must be from 1"),
        (lambda s: s.pack(2.0), NeardupTypeError, "bits must be an integer"),
        (lambda s: s.pack(1).jaccard(0, 0, s.pack(2)), NeardupValueError, "1 bits.* and .*2 bits"),
        (lambda s: s.pack(1).jaccard(0, 0, s), NeardupTypeError, "got Signatures"),
        (lambda s: s.pack(1).jaccard(0, 9), NeardupValueError, "j must be from 0 to 4, got 9"),
        (lambda s: s.pack(1).jaccard(-1, 0), NeardupValueError, "i must be from 0"),
        (lambda s: s.pack(1).std_err(1.5), NeardupValueError, "jaccard: 1.5 is not allowed"),
        (lambda s: s.pack(1).std_err(0.5, 0), NeardupValueError, "union must be from 1"),
        (
            lambda s: s.pack(1).jaccard(0, 0, sketch(TEXTS, seed=1).pack(1)),
            NeardupValueError,
            "seed=42 .* and .*seed=1 ",
        ),
        (
            lambda s: PackedSignatures.from_matrix(np.zeros((2, 0), np.uint32), 1),
            NeardupValueError,
            "no slots",
        ),
        (lambda s: PackedSignatures.from_matrix([[1.5]], 1), NeardupTypeError, "got float64"),
        (lambda s: PackedSignatures.from_matrix(s.matrix[0], 1), NeardupValueError, "2 dimension"),
        (lambda s: sketch([]).pack(1).jaccard(0, 0), NeardupValueError, "there are no signatures"),
    ],
)
def test_packing_refuses(call, kind, said):
    with pytest.raises(kind, match=said):
        call(sketch(TEXTS))


def test_files_of_another_kind_or_altered_are_refused(tmp_path):
    path = tmp_path / "x"
    sketch(TEXTS).save(path)
    with pytest.raises(DataError, match="not a file of packed signatures"):
        PackedSignatures.load(path)
    sketch(TEXTS).pack(4).save(path)
    with pytest.raises(DataError, match="not a signature file"):
        Signatures.load(path)
    whole = path.read_bytes()
    for damaged in (
        whole[:-1],
        whole[:100],
        whole[:200] + bytes([whole[200] ^ 1]) + whole[201:],
        b"",
    ):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=str(path)):
            PackedSignatures.load(path)


def test_memory_a_row_is_what_the_page_says():
    assert neardup.sketch(["a"] * 10).pack(1).nbytes == 240
    assert neardup.sketch(["a"] * 10).pack(8).nbytes == 10 * (128 + 8)
