"""The native path and its twin in neardup.reference agree on random texts, sets and corpora."""

from __future__ import annotations

import json
import random
import unicodedata

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from law_kit import TIERS, native

import neardup
from neardup import _native, reference
from neardup.banding import explain
from neardup.cli import main

MASK64 = 2**64 - 1
SCRIPTS = (
    "abcXYZ_09 .,-'",
    " \t\n\r\x0b\x1c\x85\xa0\u2003\u2028\u3000",
    "éßÅŒĳǅİıſﬁŉ½™²ẞ\u0301\u0308\u0323",
    "ΑΣσςΐὈᾼ\u0345 привет ЁЙ",
    "字漢语々〇，ー㈱１２Ａｶﾞﾟがガ\u3099\U00020bb7",
    "한각\u1100\u1161\u11a8 กำลังลາວខ្មែរမြန်",
    "हिन्दी\u093c\u09c7\u09be שָׁלוֹם العَرَبِيَّة٠١",
    "\u00ad\u200b\u200d\ufe0f\U000e0100👩‍👧𝐀𝟙𐐀\x00\x7f",
)
ASSIGNED = st.characters(exclude_categories=("Cs", "Cn", "Co"), max_codepoint=0x2FFFF)
ANY_TEXT = st.lists(
    st.one_of(
        *(st.text(st.sampled_from(pool), max_size=12) for pool in SCRIPTS),
        st.text(ASSIGNED, max_size=12),
        st.text(st.sampled_from(SCRIPTS[0]), min_size=60, max_size=140),
    ),
    max_size=6,
).map("".join)
NORMALIZE = st.one_of(
    st.sampled_from(("none", "nfkc,casefold,collapse-space", "nfkc,casefold,remove-space")),
    st.lists(st.sampled_from(sorted(reference.STEPS)), min_size=1, max_size=4).map(",".join),
)
SHINGLE = st.builds(
    "{}:{}".format,
    st.sampled_from(("word", "whitespace", "char", "byte", "line")),
    st.sampled_from((1, 2, 3, 5, 8, 9)),
)


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(ANY_TEXT, NORMALIZE, SHINGLE, st.sampled_from(TIERS))
def test_texts(text, steps, shingle, tier):
    if tier not in available():
        tier = None
    spec, kind = _native.TextSpec(steps, shingle, "xxh3", tier), shingle.partition(":")[0]
    assert spec.normalize(text) == reference.normalize(text, steps, lines=kind == "line")
    assert spec.tokens(text) == reference.tokens(reference.prepare(text, steps, kind), kind)
    expected = reference.shingles(text, normalize=steps, shingle=shingle)
    assert spec.shingles(text).tolist() == expected
    assert spec.set(text).tolist() == sorted(set(expected))


def available():
    """The tiers of this machine."""
    found = []
    for tier in TIERS:
        try:
            _native.Sketch("fast", 1, 0, None, tier)
        except ValueError:
            continue
        found.append(tier)
    return found


@pytest.mark.parametrize("tier", TIERS)
def test_sets(tier):
    native(tier=tier)

    @settings(max_examples=200, deadline=None, derandomize=True)
    @given(
        st.sets(st.integers(0, MASK64), max_size=90),
        st.sampled_from((1, 2, 7, 33, 64, 130)),
        st.integers(0, MASK64),
        st.integers(0, 16),
    )
    def check(tokens, size, seed, rounds):
        sketch = native(size, seed, rounds, tier)
        row = np.array(sorted(tokens), np.uint64)
        assert sketch.one(row, True).tolist() == reference.fast_sketch(tokens, size, seed, rounds)

    check()
    assert native().one([1, "a"], False).tolist() == reference.fast_sketch(
        [reference.token_hash(1), reference.token_hash("a")]
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(ANY_TEXT, max_size=5), st.sampled_from(((13, 7), (1, 1), (5, 3), (1, 128))))
def test_pass_one(texts, banding):
    steps, shingle = "nfkc,casefold,collapse-space", "word:3"
    spec, sketch = _native.TextSpec(steps, shingle, "xxh3"), native()
    found = _native.survey(texts, None, spec, sketch, *banding, 2)
    keys = _native.BandKeys(banding[0])
    keys.extend(found)
    columns = [keys.column(band).tolist() for band in range(banding[0])]
    for i, text in enumerate(texts):
        shingles = set(reference.shingles(text, normalize=steps, shingle=shingle))
        expected = reference.band_keys(reference.fast_sketch(shingles), *banding)
        assert [column[i] for column in columns] == (expected or [0] * banding[0])
        low, high = found.raw[i].tolist()
        assert high << 64 | low == reference.digest(text.encode())
        low, high = found.digest[i].tolist()
        normalized = reference.normalize(text, steps).encode()
        assert (high << 64 | low == reference.digest(normalized)) == bool(shingles)
        assert found.tokens[i] == len(reference.words(normalized.decode()))
        assert found.bytes[i] == len(text.encode())


WORDS = ["ein", "the", "of", "et", "и", "字", "人", "ไ", "a1", "42", "ＡＢ", "Cd", "mot", "ß"]


@st.composite
def corpora(draw):
    """Some texts and many variants of them: words changed, cut off, cased, spaced, copied."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    texts = ["", " ", "\n", "，。"][: rng.randint(0, 4)]
    for _ in range(draw(st.integers(1, 5))):
        base = rng.choices(WORDS, k=rng.choice((1, 2, 5, 12, 30)))
        for _ in range(rng.randint(1, 6)):
            words = list(base)
            for _ in range(rng.choice((0, 0, 1, 1, 2, 6))):
                words[rng.randrange(len(words))] = rng.choice(WORDS)
            text = rng.choice((" ", " ", "\n", "  ")).join(words[rng.choice((0, 0, 1)) :])
            texts.append(
                rng.choice((text, text.upper(), f" {text}", unicodedata.normalize("NFD", text)))
            )
    rng.shuffle(texts)
    return texts


def options():
    """Everything that the twin of the pipeline knows."""
    return st.fixed_dictionaries(
        {
            "normalize": st.sampled_from(("nfkc,casefold,collapse-space", "none", "remove-space")),
            "shingle": st.sampled_from(("word:3", "word:1", "char:2", "byte:8", "line:1")),
            "threshold": st.sampled_from((0.3, 0.5, 2 / 3, 0.8, 0.95, 1.0)),
            "size": st.sampled_from((16, 64)),
            "seed": st.sampled_from((0, 42, MASK64)),
            "cluster": st.sampled_from(("star", "components")),
            "keep": st.sampled_from(("first", "last", "longest", "shortest")),
            "bucket_cap": st.sampled_from((1, 2, 2000)),
        }
    )


def rows(table, *names):
    """Columns of a table as tuples."""
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def assert_same(result, expected):
    """A native answer is the twin's, in every part."""
    assert result.keep.tolist() == expected.kept
    removed = rows(result.removed, "row", "kept_row", "similarity", "reason")
    assert removed == [(i, *expected.removed[i]) for i in sorted(expected.removed)]
    pairs = rows(result.pairs, "row_a", "row_b", "similarity")
    assert pairs == [(*pair, expected.pairs[pair]) for pair in sorted(expected.pairs)]
    counts = {
        name: result.summary[name] for name in ("candidates", "capped_buckets", "capped_pairs")
    }
    assert counts == {name: getattr(expected, name) for name in counts}


@settings(max_examples=250, deadline=None, derandomize=True)
@given(corpora(), options(), st.sampled_from((0.6, 0.95)))
def test_corpora(texts, chosen, recall):
    banding = explain(chosen["threshold"], recall, chosen["size"])
    expected = reference.dedup(texts, banding=(banding.bands, banding.rows), **chosen)
    assert_same(neardup.dedup(texts, recall=recall, **chosen), expected)


@pytest.mark.parametrize("name", [name for name in reference.SKETCHES if name != "fast"])
def test_corpora_by_other_sketches(name):
    @settings(max_examples=12, deadline=None, derandomize=True)
    @given(corpora(), options())
    def check(texts, chosen):
        chosen = {**chosen, "size": 16}
        banding = explain(chosen["threshold"], 0.9, 16)
        expected = reference.dedup(
            texts,
            banding=(banding.bands, banding.rows),
            sketch=reference.SKETCHES[name],
            **chosen,
        )
        assert_same(neardup.dedup(texts, recall=0.9, sketch=name, **chosen), expected)

    check()


@pytest.mark.parametrize(
    ("cap", "keep"), [(69, "last"), (70, "first"), (89, "longest"), (90, "first")]
)
def test_buckets_above_the_cap(cap, keep):
    rng = random.Random(cap)
    base = [f"w{i}" for i in range(60)]
    texts = []
    for i in range(90):
        words = list(base)
        words[rng.randrange(60)] = f"x{i}" * rng.randint(1, 3)
        texts.append(" ".join(words))
    chosen = {"shingle": "word:1", "size": 16, "keep": keep, "bucket_cap": cap}
    expected = reference.dedup(texts, banding=(16, 1), **chosen)
    assert (expected.capped_pairs > 0) == (cap < 90)
    assert_same(neardup.dedup(texts, bands=16, rows=1, **chosen), expected)


def test_the_command_line(tmp_path):
    rng = random.Random(1)
    texts = [" ".join(rng.choices(WORDS, k=rng.choice((8, 30)))) for _ in range(40)]
    texts += [f"{rng.choice(texts)}{end}" for end in (" end", "!", "", "\u3000", " 42") * 4]
    lines = [json.dumps({"text": text, "n": i}) for i, text in enumerate(texts)]
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    call = ["dedup", str(source), "-o", str(tmp_path / "out"), "--keep", "shortest", "--quiet"]
    outcome = CliRunner().invoke(main, call, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    expected = reference.dedup(texts, keep="shortest")
    assert 10 < sum(expected.kept) < len(texts) - 10
    kept = (tmp_path / "out/kept/in.jsonl").read_text(encoding="utf-8").splitlines()
    assert kept == [line for line, stays in zip(lines, expected.kept, strict=True) if stays]
    removed = pq.read_table(tmp_path / "out/removed.parquet")
    found = rows(removed, "row", "kept_row", "similarity", "reason")
    assert found == [(i, *expected.removed[i]) for i in sorted(expected.removed)]
    pairs = rows(pq.read_table(tmp_path / "out/pairs.parquet"), "row_a", "row_b", "similarity")
    assert pairs == [(*pair, expected.pairs[pair]) for pair in sorted(expected.pairs)]
