"""Hashes, stop words, stems, chunks and fractions beside the twin and other libraries."""

import random
from pathlib import Path

import mmh3
import numpy as np
import pypinyin
import pytest
import snowballstemmer
import xxhash

import neardup
from neardup import reference
from neardup._native import HASH_ALIASES, HASHES, STEMS, STOPWORDS, TextSpec, sketch_texts
from neardup.reference.text import in_fraction

DEFAULT = "nfkc,casefold,collapse-space"
TEXT = "The fishing boats were closed; 我喜欢健身 and Generously naïve skies_9 — the end. " * 3
OTHERS = {
    "xxh64": lambda data: xxhash.xxh64_intdigest(data),
    "xxh32": lambda data: xxhash.xxh32_intdigest(data),
    "xxh3": lambda data: xxhash.xxh3_64_intdigest(data),
    "murmur3_32": lambda data: mmh3.hash(data, signed=False),
    "murmur3_128": lambda data: mmh3.hash64(data, signed=False)[0],
}
TABLE = Path(__file__).parents[2] / "crates/core/data/TSCharacters.txt"
ALGORITHMS = {
    "en": "english",
    "porter": "porter",
    "fr": "french",
    "es": "spanish",
    "ru": "russian",
    "pt": "portuguese",
    "sv": "swedish",
    "tr": "turkish",
    "el": "greek",
    "ar": "arabic",
    "hu": "hungarian",
    "nl": "dutch",
}


@pytest.mark.parametrize("name", OTHERS)
def test_hashes_are_those_of_other_libraries(name):
    spec = TextSpec("none", "line:1", name)
    rng = random.Random(name)
    for length in [*range(1, 70), 100, 255, 256, 1000]:
        line = "".join(rng.choices("abcé字", k=length))
        assert spec.shingles(line).tolist() == [OTHERS[name](line.encode())]


@pytest.mark.parametrize("name", ["xxh64", "xxh32", "murmur3_32", "murmur3_128"])
@pytest.mark.parametrize(
    "shingle", ["word:1", "word:3", "whitespace:2", "char:2", "char:5", "byte:3", "line:1"]
)
def test_shingles_under_another_hash_are_the_twins(name, shingle):
    native = TextSpec(DEFAULT, shingle, name)
    for text in (TEXT, "短", "", " ", "a b"):
        expected = reference.shingles(text, normalize=DEFAULT, shingle=shingle, hash=OTHERS[name])
        assert native.shingles(text).tolist() == expected


def test_every_hash_gives_other_shingles_and_another_identity():
    seen = {}
    for name in HASHES:
        key = b"0123456789abcdef" if name == "siphash" else None
        for shingle in ("word:2", "char:2"):
            spec = TextSpec(DEFAULT, shingle, name, key=key)
            seen[shingle, tuple(spec.shingles(TEXT).tolist())] = spec.identity
    assert len(seen) == len(set(seen.values())) == 2 * len(HASHES)


def test_short_names_are_the_long_ones():
    for short, name in HASH_ALIASES:
        one, other = (neardup.sketch([TEXT], hash=each) for each in (short, name))
        assert one.identity == other.identity
        assert (one.matrix == other.matrix).all()


@pytest.mark.parametrize("name", ["xxh32", "murmur3_32", "fnv1a_32"])
def test_hashes_of_32_bits_warn(name):
    with pytest.warns(UserWarning, match=f"{name} has 32 bits"):
        neardup.sketch([TEXT], hash=name)
    with pytest.warns(UserWarning, match=f"{name} has 32 bits"):
        neardup.dedup([TEXT], hash=name)
    with pytest.warns(UserWarning, match=f"{name} has 32 bits"):
        neardup.match([TEXT], [TEXT], hash=name)


def test_a_key_is_read_used_and_told_to_nobody(tmp_path):
    secret = bytes(range(100, 116))
    path = tmp_path / "key"
    path.write_bytes(secret)
    of_bytes = neardup.dedup([TEXT, TEXT], hash="siphash", hash_key_file=secret)
    of_file = neardup.dedup([TEXT, TEXT], hash="siphash", hash_key_file=path)
    other = neardup.dedup([TEXT], hash="siphash", hash_key_file=bytes(16))
    spec = of_bytes.summary["text_spec"]
    assert spec == of_file.summary["text_spec"] != other.summary["text_spec"]
    assert of_bytes.keep.tolist() == [True, False]
    told = f"{of_bytes.summary}{of_file.summary}{neardup.config.Config.from_options({'hash_key_file': secret})!r}"
    assert secret.decode("latin-1") not in told
    assert secret.hex() not in told
    assert repr(secret)[2:-1] not in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hash": "siphash"}, "secret key of 16 bytes; give a file that holds it as hash_key_file"),
        ({"hash": "siphash", "hash_key_file": b"short"}, "5 bytes, a key has 16"),
        ({"hash": "siphash", "hash_key_file": bytes(17)}, "more bytes, a key has 16"),
        ({"hash": "siphash", "hash_key_file": "no/such"}, "no/such: cannot read the key"),
        ({"hash_key_file": bytes(16)}, "xxh3 takes no key"),
        ({"hash": "md5"}, "'md5' is not allowed; use xxh3, xxh64"),
        ({"stem": "xx"}, "use one of ar, ca, cs"),
        ({"stopwords": "xx"}, "use one of af, ar"),
        ({"stem": "en", "shingle": "char:3"}, "stems are of words"),
        ({"stopwords": "en", "shingle": "line:1"}, "write word:N"),
        ({"fraction": "0"}, "above 0 and below 1"),
        ({"fraction": "1/0"}, "above 0 and below 1"),
        ({"fraction": 1}, "above 0 and below 1"),
        ({"tokenizer_name": "jieba"}, "there is no tokenizer"),
        ({"tokenizer": str.split, "shingle": "char:2"}, "tokenizer of one's own gives words"),
        ({"tokenizer": str.split, "tokenizer_name": "a b"}, "text without white space"),
        ({"shingle": "chunk:255"}, "chunk:BYTES with BYTES from 256 to 1048576"),
    ],
)
def test_what_is_refused_names_what_there_is(options, words):
    with pytest.raises(neardup.NeardupError) as caught:
        neardup.sketch([TEXT], **options)
    assert words in str(caught.value)


def test_an_option_of_no_text_is_refused():
    with pytest.raises(TypeError, match="jaccard has no option 'threshold'; of texts there are"):
        neardup.jaccard("a", "b", threshold=0.5)
    with pytest.raises(TypeError, match="is not allowed; use a function"):
        neardup.sketch(["a"], tokenizer=3)


@pytest.mark.parametrize("code", ALGORITHMS)
def test_stems_are_those_of_snowball(code):
    letters = {
        "ru": "абвгдежзиклмнопрстуфхцчшщыьэюя",
        "el": "αβγδεζηθικλμνξοπρστυφχψω",
        "ar": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    }
    rng = random.Random(code)
    pool = letters.get(code, "abcdefghijklmnoprstuvyzéüçñ")
    words = ["".join(rng.choices(pool, k=rng.randint(1, 14))) for _ in range(2000)]
    words += [
        "relational",
        "conditional",
        "rational",
        "hopefulness",
        "generously",
        "skies",
        "dying",
        "national",
    ]
    spec = TextSpec("none", "word:1", "xxh3", stem=code)
    theirs = snowballstemmer.stemmer(ALGORITHMS[code]).stemWords(words)
    assert spec.tokens(" ".join(words)) == theirs


def test_filtered_words_have_the_twins_shingles():
    english = snowballstemmer.stemmer("english")
    stop = {"the", "were", "and", "end"}  # of those in the text
    native = TextSpec(DEFAULT, "word:2", "xxh3", stopwords="en", stem="en")

    def becomes(token):
        return None if token in stop else english.stemWord(token)

    expected = reference.shingles(TEXT, normalize=DEFAULT, shingle="word:2", becomes=becomes)
    for _ in range(3):  # what is remembered is what was found out
        assert native.shingles(TEXT).tolist() == expected


def test_what_stop_words_and_stems_do():
    a, b = "the boats are fishing", "a boat that fished"
    assert neardup.jaccard(a, b, shingle="word:1") == 0
    assert neardup.jaccard(a, b, shingle="word:1", stem="en", stopwords="en") == 1
    assert neardup.dedup(["the of", "and the"], stopwords="en").summary["no_token"] == 2
    assert len(STEMS) == 38
    assert len(STOPWORDS) > 50


def test_a_fraction_has_the_twins_shingles():
    text = " ".join(map(str, range(3000)))
    for share in (0.5, 0.01):
        native = TextSpec(DEFAULT, "word:2", "xxh3", fraction=share)
        expected = reference.shingles(text, normalize=DEFAULT, shingle="word:2", fraction=share)
        assert native.shingles(text).tolist() == expected
    assert in_fraction(7, 1.0)


def test_a_fraction_estimates_without_bias():
    """Jaccard on a sample: mean J, and a variance of J (1 - J) over the size of the sample."""
    n, share, found = 3000, 0.1, []
    for i in range(60):
        a = " ".join(f"{i}x{j}" for j in range(n))
        b = " ".join(f"{i}x{j}" for j in range(n // 2, n + n // 2))
        found.append(neardup.jaccard(a, b, shingle="word:1", fraction=share))
    sampled, j = 1.5 * n * share, 1 / 3
    assert abs(np.mean(found) - j) < 4 * np.sqrt(j * (1 - j) / sampled / len(found))


def test_texts_without_a_sampled_shingle_are_told():
    texts = ["a b c d", "a b c d e", "A b c d"]
    for joined in (False, True):
        with pytest.warns(UserWarning, match="3 documents have no shingle in the fraction 1e-09"):
            result = neardup.dedup(texts, fraction=1e-9, threshold=0.1, exact_join=joined)
        assert result.keep.tolist() == [True, True, False]
        assert result.summary["exact_duplicates"] == result.summary["removed"] == 1


def test_chunks_find_what_was_moved_along():
    rng = random.Random("chunks")
    log = "\n".join(f"{rng.random()} GET /{rng.randint(0, 9)} 字" for _ in range(20_000))
    at = log.index("\n", len(log) // 2)
    longer = log[:at] + "\none more line" + log[at:]
    options = {"shingle": "chunk:1024", "normalize": "none"}
    assert neardup.jaccard(log, log, **options) == 1
    assert neardup.jaccard(log, longer, **options) > 0.98
    result = neardup.dedup([log, longer, log[::-1]], threshold=0.9, **options)
    assert result.keep.tolist() == [True, False, True]


def test_masked_digits_make_one_of_log_lines():
    a, b = "2024-01-02 03:04:05 user 17 logged in", "2024-11-12 13:14:15 user 4711 logged in"
    assert neardup.jaccard(a, b, normalize="nfkc,casefold,mask-digits") == 1


def test_simplified_characters_are_those_of_the_published_table():
    spec = TextSpec("t2s", "char:1", "xxh3")
    rows = [line.split("\t") for line in TABLE.read_text("utf-8").splitlines() if "\t" in line]
    assert len(rows) == 4148
    text = "".join(row[0] for row in rows)
    assert spec.normalize(text) == "".join(row[1].split(" ")[0] for row in rows)


def test_readings_are_those_of_another_library():
    """Both come from mozillazg's pinyin-data, in versions of their own."""
    spec = TextSpec("pinyin", "char:1", "xxh3")
    common = [chr(c) for c in range(0x4E00, 0x9FA6)]
    theirs = pypinyin.lazy_pinyin([*common], style=pypinyin.Style.NORMAL, v_to_u=False)
    differ = [c for c, reading in zip(common, theirs, strict=True) if spec.normalize(c) != reading]
    assert len(differ) < 0.02 * len(common), differ[:20]
    for c in "微薇信女绿中国人民银行联系方式":
        assert c not in differ


@pytest.mark.parametrize(
    "written", ["加微信聊", "加薇信聊", "加weixin聊", "加WeiXin聊", "加ｗｅｉｘｉｎ聊", "佳威心辽"]
)
def test_what_sounds_alike_is_alike(written):
    options = {"normalize": "nfkc,casefold,pinyin", "shingle": "char:4"}
    assert neardup.jaccard("加微信聊", written, **options) == 1
    assert neardup.dedup(["加微信聊", written], **options).summary["exact_duplicates"] == 1


def test_a_specs_identity_is_in_the_options_too():
    from neardup.config import Config

    plain = Config.from_options({}).text_spec
    assert plain == "normalize=nfkc,casefold,collapse-space shingle=word:3 hash=xxh3"
    others = [
        {"stem": "en"},
        {"stopwords": "en"},
        {"fraction": 0.5},
        {"hash": "siphash", "hash_key_file": bytes(16)},
        {"hash": "siphash", "hash_key_file": bytes(range(16))},
        {"normalize": "t2s"},
        {"shingle": "chunk:4096"},
    ]
    assert len({Config.from_options(each).text_spec for each in others} | {plain}) == 8


def test_signatures_of_different_specs_do_not_meet():
    a, b = neardup.sketch([TEXT]), neardup.sketch([TEXT], stem="en")
    with pytest.raises(ValueError, match="stem=en@snowball"):
        a.merge(b)


def test_tiers_agree_under_filters():
    from neardup._native import Sketch

    sketch = Sketch("fast", 64, 1)
    found = []
    for tier in ("scalar", None):
        spec = TextSpec(DEFAULT, "word:2", "xxh3", tier, stem="en", stopwords="en")
        found.append(spec.shingles(TEXT * 50).tolist())
    assert found[0] == found[1]
    spec = TextSpec(DEFAULT, "word:2", "xxh3", stem="en")
    one, many = (
        sketch_texts([TEXT, "fishing boats"] * 200, spec, sketch, threads)[0] for threads in (1, 3)
    )
    assert (one == many).all()
