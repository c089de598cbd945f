"""The text tools as typed: options obeyed, keys kept secret, a hint where texts are short."""

import json
import os

import pytest

from neardup.cli.summary import advice

LINES = ["The boats are fishing.", "A boat that fished!", "Another text about harbours."]


@pytest.fixture
def texts(tmp_path):
    """A file of a few texts."""
    path = tmp_path / "in.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def summary_of(neardup, *arguments):
    done = neardup("dedup", *map(str, arguments), "--dry-run", "--json", "--quiet")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_stems_and_stop_words(neardup, texts):
    plain = summary_of(neardup, texts, "--shingle", "word:1")
    both = summary_of(neardup, texts, "--shingle", "word:1", "--stem", "en", "--stopwords", "en")
    assert (plain["removed"], both["removed"]) == (0, 1)
    assert "stopwords=en@" in both["text_spec"]
    assert "stem=en@" in both["text_spec"]


def test_a_key_file(neardup, texts, tmp_path):
    key = tmp_path / "key"
    key.write_bytes(os.urandom(16))
    found = summary_of(neardup, texts, "--hash", "siphash", "--hash-key-file", key)
    assert "hash=siphash:" in found["text_spec"]
    out = tmp_path / "out"
    options = ["--hash", "siphash", "--hash-key-file", str(key), "-o", str(out), "--quiet"]
    assert neardup("dedup", str(texts), *options).exit_code == 0
    secret = key.read_bytes()
    for path in filter(os.path.isfile, out.rglob("*")):
        held = path.read_bytes()
        assert secret not in held
        assert secret.hex().encode() not in held
    for wrong in (b"", secret + b"\n"):
        key.write_bytes(wrong)
        done = neardup("dedup", str(texts), "--dry-run", *options[:4])
        assert done.exit_code == 2
        assert "a key has 16" in done.stderr


def test_aliases_fractions_and_chunks(neardup, texts):
    assert "hash=murmur3_128;" in summary_of(neardup, texts, "--hash", "murmur3")["text_spec"]
    assert "hash=fnv1a_64;" in summary_of(neardup, texts, "--hash", "fnv1a")["text_spec"]
    assert summary_of(neardup, texts, "--fraction", "1/4")["text_spec"].endswith(";fraction=0.25")
    assert "shingle=chunk:512;" in summary_of(neardup, texts, "--shingle", "chunk:512")["text_spec"]


def test_a_hash_of_32_bits_warns_on_standard_error(neardup, texts):
    done = neardup("dedup", str(texts), "--dry-run", "--hash", "xxh32")
    assert done.exit_code == 0
    assert "hash xxh32 has 32 bits" in " ".join(done.stderr.split())


def test_unknown_languages_list_what_there_is(neardup, texts):
    for option in ("--stem", "--stopwords"):
        done = neardup("dedup", str(texts), "--dry-run", option, "xx")
        assert done.exit_code == 2
        assert "one of a" in done.stderr


SHORT = [
    f"这款{a}{b}{c}耳机音质很好，推荐大家购买" for a in "红黄蓝" for b in "大小" for c in "一二三"
]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ([], True),
        (["--shingle", "char:3"], True),
        (["--shingle", "char:2"], False),
        (["--preset", "short-han"], False),
        (["--shingle", "line:1"], False),
    ],
)
def test_short_chinese_texts_draw_a_hint(neardup, tmp_path, options, hint):
    path = tmp_path / "in.txt"
    path.write_text("\n".join([*SHORT, *LINES]) + "\n", encoding="utf-8")
    done = neardup("dedup", str(path), "--dry-run", *options)
    assert ("--shingle char:2 with a threshold" in " ".join(done.stderr.split())) == hint
    assert "char:2" not in done.stdout


def test_no_hint_where_most_texts_are_not(neardup, summary, texts):
    assert summary_of(neardup, texts)["short_han"] == 0
    assert not any("char:2" in sentence for sentence in advice({**summary, "short_han": 10_000}))
    assert any("char:2" in sentence for sentence in advice({**summary, "short_han": 10_001}))
