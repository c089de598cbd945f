"""`neardup compare`: what is a file, the numbers of the Python face, screens of every width."""

import json
import sys

import pytest

import neardup as package
from neardup.measures import MEASURES, OF_TWO

A, B = "the cat sat on the mat 微信号", "the cat sat on a mat 薇信号"


def test_json_has_every_measure_as_python_says(neardup):
    found = json.loads(neardup("compare", A, B, "--shingle", "word:1", "--json").stdout)
    assert list(found["measures"]) == list(OF_TWO)
    assert found["left_out"] == {}
    assert (found["a"]["source"], found["a"]["characters"]) == ("text", len(A))
    assert "shingle=word:1" in found["text_spec"]
    for name, numbers in found["measures"].items():
        assert numbers["similarity"] == package.similarity(A, B, name, shingle="word:1")
        assert numbers["distance"] == package.distance(A, B, name, shingle="word:1")


def test_measures_and_normalisation_can_be_chosen(neardup):
    line = ("compare", "ABC", "abc", "--measure", "osa,dice", "--normalize", "none", "--json")
    found = json.loads(neardup(*line).stdout)["measures"]
    assert list(found) == ["osa", "dice"]
    assert found["osa"] == {"similarity": 0.0, "distance": 3}
    said = neardup("compare", "a", "b", "--measure", "soundex")
    assert said.exit_code == 2
    assert all(name in said.output for name in OF_TWO)


@pytest.mark.parametrize("width", [40, 80, 140])
def test_the_screen_fits_and_marks_the_words(neardup, width):
    result = neardup("compare", A, B, env={"COLUMNS": str(width), "NO_COLOR": "1"})
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert all(len(line) + sum(c > "\u3000" for c in line) <= width for line in lines)
    assert "\x1b" not in result.output
    rows = {line.split()[0]: line.split() for line in lines if line}
    assert rows["levenshtein"][1:3] == ["0.8462", "4"]
    assert set(OF_TWO) <= set(rows)
    for mark in ("[-the-]", "{+a+}", "[-微-]", "{+薇+}"):
        assert mark in result.output
    assert (MEASURES["jaro"].says in result.output) == (width >= 80)


def test_what_exists_is_a_file_and_the_rest_a_text(neardup, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").write_text("to be or not\n", "utf-8")
    (tmp_path / "two.txt").write_bytes("微信".encode("gb18030"))

    def sides(*args, **more):
        result = neardup("compare", *args, "--json", **more)
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        return (found["a"]["source"], found["b"]["source"], found["measures"]["osa"]["similarity"])

    assert sides("one", "to be or not") == ("one", "text", 1.0)
    assert sides("one", "one", "--text") == ("text", "text", 1.0)
    assert sides("one", "-", input="To be or NOT") == ("one", "-", 1.0)
    assert sides("two.txt", "微信", "--encoding", "gb18030") == ("two.txt", "text", 1.0)
    missing = neardup("compare", "tow.txt", "one")
    assert missing.exit_code == 0
    assert "tow.txt: no such file, so this is compared as a text" in missing.stderr
    for args, status, said in (
        (("tow.txt", "one", "--file"), 1, "tow.txt: cannot be read: No such file"),
        (("two.txt", "one"), 1, "is not utf-8; name"),
        ((tmp_path, "one"), 1, "cannot be read: Is a directory"),
        (("-", "-"), 2, "only one of A and B can be standard input"),
        (("a", "b", "--text", "--file"), 2, "contradict each other"),
        (("a\udcff", "b"), 2, "A and B must be UTF-8"),
    ):
        result = neardup("compare", *args)
        assert result.exit_code == status
        assert said in result.stderr


def test_equal_and_empty_texts(neardup):
    assert "No difference" in neardup("compare", "a b c", "a b c").output
    result = neardup("compare", "", "", "--text", "--json")
    measures = json.loads(result.stdout)["measures"]
    assert (measures["osa"]["similarity"], measures["jaccard"]["similarity"]) == (1.0, 0.0)


def test_long_files_leave_out_what_takes_long(neardup, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    words = " ".join(str(i) for i in range(4000))
    one.write_text(words + " end", "utf-8")
    two.write_text(words + " fin", "utf-8")
    result = neardup("compare", one, two)
    assert "damerau-levenshtein: would take long" in " ".join(result.output.split())
    assert "Differences, from character" in result.output
    assert "[-end-]" in result.output
    assert "{+fin+}" in result.output


def test_without_rapidfuzz_the_rest_is_shown(neardup, monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    found = json.loads(neardup("compare", "a b", "a c", "--json").stdout)
    assert set(found["measures"]) == {n for n in OF_TWO if MEASURES[n].kind != "edit"}
    assert "pip install" in found["left_out"]["levenshtein"]
    asked = neardup("compare", "a b", "a c", "--measure", "osa")
    assert (asked.exit_code, "pip install 'neardup[similarity]'" in asked.stderr) == (1, True)


def test_options_of_a_text(neardup):
    asked = [
        "compare",
        "boats fishing",
        "the boat fished",
        "--measure",
        "jaccard",
        "--shingle",
        "word:1",
    ]
    plain, stemmed = (
        json.loads(neardup(*asked, "--json", *more).stdout)
        for more in ([], ["--stem", "en", "--stopwords", "en"])
    )
    assert plain["measures"]["jaccard"]["similarity"] == 0
    assert stemmed["measures"]["jaccard"]["similarity"] == 1
    assert "stem=en" in stemmed["text_spec"]
