"""`neardup tune`: thresholds by labels, the screen, what it refuses; and asking, by lines."""

from __future__ import annotations

import json
import math

import pytest

WORDS = [f"w{i}" for i in range(40)]
ROWS = [
    ("one", WORDS),
    ("one", [*WORDS[:39], "x"]),  # J = 37 / 39 = .949 with the first
    ("two", [*WORDS[:36], *"abcd"]),  # .810 with the first, .810 with the second
    ("one", WORDS),
    ("far", [f"v{i}" for i in range(40)]),
    ("far", [*(f"v{i}" for i in range(30)), *(f"u{i}" for i in range(10))]),  # .583
    (None, [*(f"v{i}" for i in range(39)), "end"]),
]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    rows = [{"id": f"d{i}", "label": k, "text": " ".join(w)} for i, (k, w) in enumerate(ROWS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def tune(neardup, corpus):
    """What a call says, which must succeed."""

    def call(*args):
        done = neardup("tune", corpus, *args, "--json", "-q")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return call


def test_each_threshold_is_judged_by_the_labels(tune):
    found = tune("--thresholds", ".5,.7,.9")
    assert {
        key: found[key] for key in ("documents", "exact_duplicates", "labels", "unlabelled")
    } == {
        "documents": 7,
        "exact_duplicates": 1,
        "labels": 3,
        "unlabelled": 1,
    }
    # One of `one` and one of `far` ought to go; the copy is folded first.
    assert found["removable"] == 2
    low, middle, high = found["scores"]
    assert [low[key] for key in ("removed", "wrongly_removed", "found", "true")] == [3, 1, 4, 2]
    assert (low["precision"], low["recall"]) == (2 / 4, 1.0)
    assert (low["removal_precision"], low["removal_recall"]) == (2 / 3, 1.0)
    assert [low[f"net_{cost}"] for cost in (1, 3, 10)] == [(2 - cost) / 2 for cost in (1, 3, 10)]
    assert (middle["removed"], middle["wrongly_removed"]) == (2, 1)
    assert (high["removed"], high["wrongly_removed"], high["net_10"]) == (1, 0, 0.5)
    assert high["ari"] > middle["ari"]


def test_the_best_threshold_has_a_plateau_and_an_interval(tune):
    best = {row["by"]: row for row in tune("--thresholds", ".5,.7,.9,.92,.96")["best"]}
    # At .9 and .92 the same goes: of equal ones the higher is safer.
    assert (best["net_10"]["threshold"], best["net_10"]["value"]) == (0.92, 0.5)
    assert (best["net_10"]["low"], best["net_10"]["high"]) == (0.9, 0.92)
    assert best["net_10"]["from"] <= 0.92 <= best["net_10"]["to"]
    again = {row["by"]: row for row in tune("--thresholds", ".5,.7,.9,.92,.96")["best"]}
    assert again == best


def test_other_shingles_are_as_strict_where_they_find_as_many(tune):
    rows = tune("--thresholds", ".5,.9", "--shingles", "word:1,word:3,word:30")["shingles"]
    assert [row["shingle"] for row in rows] == ["word:3", "word:1", "word:30"]
    assert rows[0]["threshold"] == 37 / 39
    assert rows[1]["threshold"] == 39 / 41
    assert rows[1]["found"] == rows[0]["found"] == 1
    assert rows[2]["threshold"] == 10 / 12


def test_pairs_across_labels_are_listed_with_their_texts(tune, corpus, neardup, monkeypatch):
    found = tune("--thresholds", ".5")
    assert found["pairs_across_labels"] == len(found["across"]) == 2
    first = found["across"][0]
    assert (first["label_a"], first["label_b"], first["row_a"], first["row_b"]) == (
        "one",
        "two",
        0,
        2,
    )
    assert first["text_b"].endswith("a b c d")
    monkeypatch.setenv("COLUMNS", "80")
    page = neardup("tune", corpus, "--thresholds", ".5").stdout
    assert "{+a+} {+b+} {+c+} {+d+}" in page


def test_true_pairs_name_documents_by_their_ids(tune, tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("id_a,id_b,similarity\nd0,d1,.1\nd1,d2,.2\n", "utf-8")
    found = tune("--labels", pairs, "--id", "id", "--thresholds", ".5")
    # Together they are one label; a document in no pair is alone.
    assert (found["labels"], found["removable"]) == (4, 2)
    assert found["scores"][0]["removal_recall"] == 1.0
    assert found["across"][0]["id_a"].startswith("d")


def test_the_page_fits_and_the_scores_are_saved(neardup, corpus, tmp_path, monkeypatch):
    for width in (48, 80, 140):
        monkeypatch.setenv("COLUMNS", str(width))
        page = neardup("tune", corpus).stdout
        assert max(map(len, page.splitlines())) <= width
        for words in ("By threshold", "Best threshold", "As strict", "Pairs across labels"):
            assert words in page
    for suffix in ("csv", "tsv", "json"):
        out = tmp_path / f"scores.{suffix}"
        assert neardup("tune", corpus, "-q", "--save", out).exit_code == 0
        assert "removal_precision" in out.read_text("utf-8")
    assert neardup("tune", corpus, "-q", "--save", out).exit_code == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--label nothing", "no document has a label"),
        ("--labels L", "say which field with --id"),
        ("--ask --label label", "leave out --label"),
        ("- --ask", "name a file to ask about"),
        ("--per-band 3", "--per-band belong to --ask"),
        ("--save x.txt", "written as .csv, .tsv or .json"),
        ("--ask --answers corpus.jsonl", "not answers under normalize="),
    ],
)
def test_what_cannot_be_met_is_a_usage_error(neardup, corpus, monkeypatch, line, message):
    monkeypatch.chdir(corpus.parent)
    done = neardup("tune", corpus, *line.split(), "-q", input="")
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


@pytest.fixture
def asking(neardup, tmp_path):
    """Answers by lines, to forty pairs: ten in each of four bands."""
    path = tmp_path / "pairs.jsonl"
    lines = []
    for band, changed in enumerate((9, 6, 3, 1)):  # J = (38 - n) / (38 + n)
        for family in range(10):
            words = [f"f{band}x{family}w{i}" for i in range(40)]
            lines += [words, [*words[: 40 - changed], *(f"n{i}" for i in range(changed))]]
    text = "".join(json.dumps({"text": " ".join(words)}) + "\n" for words in lines)
    path.write_text(text, "utf-8")

    def call(typed, *args):
        answers = tmp_path / "answers.tsv"
        line = ("tune", path, "--ask", "--answers", answers, "--per-band", 5, *args)
        done = neardup(*line, input=typed)
        assert done.exit_code == 0, done.output
        return done, answers

    return call


def rows(answers):
    return [line.split("\t") for line in answers.read_text("utf-8").splitlines()[2:]]


def test_answers_are_saved_and_asking_goes_on(asking):
    done, answers = asking("s\nFamily\nx\nd\nu\n")
    assert "'x' is none of" in done.output
    assert "1 of 20" in done.output
    assert "4 of 20 answered" in done.output
    assert [row[-1] for row in rows(answers)] == ["same", "family", "different", "unsure"]
    first = rows(answers)
    done, _ = asking("d\nb\ns\nb\nq\n")
    assert "5 of 20" in done.output
    assert rows(answers) == first  # what was taken back is not there
    asking("s\n" * 20)
    assert len(rows(answers)) == 20
    done, _ = asking("")
    assert "20 of 20 answered" in done.output


def test_bands_take_turns_and_tell_shares_with_intervals(asking):
    done, answers = asking("d\ns\ns\ns\n" * 5, "--json", "-q")
    bands = json.loads(done.stdout)["bands"]
    assert [band["pairs"] for band in bands] == [0, 10, 10, 10, 10]
    # Four bands have pairs: after every four answers each has one more.
    similar = [float(row[-2]) for row in rows(answers)]
    for turn in range(5):
        some = similar[4 * turn : 4 * turn + 4]
        assert sorted(math.floor(10 * each) for each in some) == [6, 7, 8, 9]
    told = [band for band in bands if band["different"] + band["same"]]
    assert sum(band["different"] for band in told) == 5
    assert all(
        band["different_low"] <= band["different_share"] <= band["different_high"] for band in told
    )
    assert bands[0]["different_share"] is None


def test_the_page_says_what_so_few_answers_can_tell(asking, monkeypatch, tmp_path):
    for width in (48, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        page = asking("s\n")[0].stdout
        assert max(map(len, page.splitlines())) <= width
        assert "{+" in page
        assert "--per-band 100" in page
    saved = tmp_path / "bands.csv"
    asking("", "--save", saved)
    assert saved.read_text("utf-8").startswith("from,to,pairs,families,same,family,different")


def test_answers_to_another_collection_or_broken_ones_are_refused(asking, neardup, corpus):
    _, answers = asking("s\n")
    done = neardup("tune", corpus, "--ask", "--answers", answers, "-q", input="")
    assert (done.exit_code, "answers to another collection" in done.output) == (2, True)
    done = neardup("tune", corpus, "--ask", "--answers", answers, "--shingle", "word:2", input="")
    assert (done.exit_code, "not answers under" in done.output) == (2, True)
    answers.write_text(answers.read_text("utf-8").replace("\tsame", "\tmaybe"), "utf-8")
    done = neardup("tune", corpus, "--ask", "--answers", answers, "-q", input="")
    assert (done.exit_code, "answers.tsv:3: not an answer" in done.output) == (1, True)
