"""Short, empty and odd texts: none shares an empty signature, none vanishes, none overflows."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from harness import one_line
from neardup import FastSimilaritySketch, NeardupError, dedup, estimate_jaccard


@pytest.mark.parametrize(
    ("texts", "shingle", "kept"),
    [
        (["cat", "dog", "cat"], "word:5", [0, 1]),
        (["a", "b", "a", "c", "b"], "word:3", [0, 1, 3]),
        (["red fox", "red fox!", "red hen", "fox red"], "word:3", [0, 2, 3]),
        (["ab", "ac", "ab"], "char:9", [0, 1]),
        (["ab", "ac", "ab"], "byte:9", [0, 1]),
        (["one\ntwo", "one", "two", "one\ntwo"], "line:3", [0, 1, 2]),
        (["7", "8", "9", "7"], "whitespace:2", [0, 1, 2]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_texts_shorter_than_a_shingle_stay_apart(ask, texts, shingle, kept):
    assert ask(texts, shingle=shingle).kept_rows == kept


@pytest.mark.parametrize(
    "extra", [{}, {"exact_only": True}, {"verify": "sketch"}, {"bands": 128, "rows": 1}]
)
@pytest.mark.parametrize(
    ("texts", "kept", "without"),
    [
        (["", "   ", "\n", "", "real text here"], [0, 1, 2, 4], 4),
        (["\u3000", "\u00a0", "\u3000", "x"], [0, 1, 3], 3),
        (["", "!", "?", "!", "... ...", ""], [0, 1, 2, 4], 6),
    ],
    ids=["blank", "wide blank", "no word"],
)
def test_texts_without_a_token_match_byte_for_byte_only(ask, texts, kept, without, extra):
    answer = ask(texts, **extra)
    assert answer.kept_rows == kept
    assert answer.summary["no_token"] == without
    assert {row["reason"] for row in answer.removed} == {"exact"}


BAD_ROWS = {
    "null": (b'{"text": null}', 'field "text" is null'),
    "missing": (b'{"body": "x"}', 'no field "text" (fields: body)'),
    "number": (b'{"text": 7}', 'field "text" is a number, not a string'),
    "list": (b'{"text": ["x"]}', 'field "text" is an array'),
    "surrogate": (rb'{"text": "a\ud800b"}', "half a surrogate pair"),
    "not UTF-8": (b'{"text": "\xff"}', "not UTF-8 at byte 11 (0xff)"),
    "cut off": (b'{"text": "x', "not JSON"),
    "a bare word": (b"text", "not JSON"),
    "a number row": (b"12", "not an object"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_bad_row_is_named_with_file_line_and_reason(name, command, tmp_path):
    row, why = BAD_ROWS[name]
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"text": "good one"}\n\n' + row + b'\n{"text": "good two"}\n')
    one_line(command(path, "-o", tmp_path / "o"), 1, f"{path}:3: ", why, "--on-error skip")
    assert not (tmp_path / "o").exists()
    done = command(path, "-o", tmp_path / "o", "--on-error", "skip", "--json")
    summary = json.loads(done.stdout)
    assert (summary["documents"], summary["kept"], summary["rejected"]) == (3, 2, 1)
    rejected = json.loads((tmp_path / "o" / "rejected.jsonl").read_bytes())
    assert (rejected["source"], rejected["row"]) == (str(path), 1)
    assert why in rejected["reason"]
    assert (tmp_path / "o" / "kept" / "in.jsonl").read_bytes() == (
        b'{"text": "good one"}\n{"text": "good two"}\n'
    )


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (None, "the text is null"),
        (7, "of type int"),
        (b"x", "of type bytes"),
        ("\udc80", "surrogate"),
    ],
)
def test_a_bad_item_of_a_list(item, why):
    with pytest.raises(NeardupError, match=f"row 1: .*{why}"):
        dedup(["good one", item, "good two"])
    r = dedup(["good one", item, "good one"], on_error="skip")
    assert r.keep.tolist() == [True, False, False]
    assert (r.summary["rejected"], r.summary["removed"]) == (1, 1)
    assert [(row["row"], why in row["reason"]) for row in r.rejected.to_pylist()] == [(1, True)]


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (
            b'\xef\xbb\xbf{"text":"a"}\n{"text":"b"}\n{"text":"a"}\n',
            b'\xef\xbb\xbf{"text":"a"}\n{"text":"b"}\n',
        ),
        (
            b'\xef\xbb\xbf{"text":"a"}\r\n{"text":"a"}\r\n{"text":"b"}',
            b'\xef\xbb\xbf{"text":"a"}\r\n{"text":"b"}',
        ),
        (b'{"text":"a"}\r\n{"text":"b"}\r\n{"text":"a"}', b'{"text":"a"}\r\n{"text":"b"}\r\n'),
        (b'\n\n{"text":"a"}\n \t\n{"text":"a"}\n\n', b'{"text":"a"}\n'),
        (b'{"text":"a"}', b'{"text":"a"}'),
    ],
    ids=["mark", "mark and CRLF", "CRLF", "blank lines", "no line end"],
)
def test_line_ends_and_marks_stay(command, tmp_path, data, kept):
    (tmp_path / "in.jsonl").write_bytes(data)
    assert command(tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "-q").returncode == 0
    assert (tmp_path / "out.jsonl").read_bytes() == kept


def test_a_line_of_100_megabytes(command, tmp_path):
    long = b"many words in a row that is long " * (100_000_000 // 33)
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"text":"a"}\n{"text":"' + long + b'"}\n{"text":"b"}\n{"text":"a"}\n')
    done = command(path, "-o", tmp_path / "out.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["documents"], summary["removed"]) == (4, 1)
    assert (tmp_path / "out.jsonl").read_bytes() == path.read_bytes()[: -len(b'{"text":"a"}\n')]


@pytest.mark.parametrize(
    "steps", ["none", "nfkc,casefold", "remove-punct", "remove-punct,remove-digits"]
)
def test_punctuation_is_not_nothing(ask, steps):
    answer = ask(["，。！？", "", "……", "，。！？", "１２"], normalize=steps)
    assert answer.kept_rows == [0, 1, 2, 4]


def invoice(rng, amounts):
    """Forty words, some of them amounts."""
    words = ["".join(rng.choices("abcdefghijklmnop", k=6)) for _ in range(40)]
    for place, amount in zip((7, 19, 33), amounts, strict=True):
        words[place] = amount
    return " ".join(words)


def test_amounts_tell_two_invoices_apart(ask):
    texts = []
    for seed in range(20):
        for amounts in (("12.50", "3", "99"), ("13.50", "3", "98")):
            texts.append(invoice(random.Random(seed), amounts))
    answer = ask(texts, threshold=0.95)
    assert answer.summary["removed"] == 0
    same = ask(texts, threshold=0.95, normalize="nfkc,casefold,mask-digits,collapse-space")
    assert same.summary["removed"] == 20  # what masking is for, and what it costs


def test_a_million_distinct_words():
    a, b = ([f"{side}{i}" for i in range(10**6)] for side in "ab")
    sketch = FastSimilaritySketch(size=1024)
    # Slots of disjoint sets agree with a chance of about 2^-32: one in 1024 is above 4 sigma.
    assert estimate_jaccard(sketch(a), sketch(b)) == 0.0


def test_memory_of_a_text_with_a_million_words():
    code = """
import resource, neardup, pyarrow as pa
def text(n): return pa.array([" ".join(f"w{i}" for i in range(n))], pa.large_string())
neardup.dedup(text(1000))
long = text(10**6)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
neardup.dedup(long, threads=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 16 << 10


def test_repeats_count_once_and_overflow_nothing(ask):
    fox = "the quick brown fox "
    answer = ask([fox * 300, fox * 256, fox * 65_537, fox, "the quick brown dog " * 300])
    assert answer.kept_rows == [0, 3, 4]  # one fox has two shingles of four
    assert [row["similarity"] for row in answer.removed] == [1.0, 1.0]
    assert {row["reason"] for row in answer.removed} == {"near"}


@pytest.mark.parametrize(("blank", "warned"), [(6, True), (5, False)])
def test_a_spec_without_tokens_is_said(command, tmp_path, blank, warned):
    rows = [
        {"text": "!" * (i + 1) if i < blank else f"word{i} and word{i + 1}"} for i in range(100)
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = " ".join(command(path, "-o", tmp_path / "o").stderr.decode().split())
    assert (f"{blank} documents have no token under" in said) == warned
    assert json.loads((tmp_path / "o" / "summary.json").read_bytes())["no_token"] == blank
