"""`neardup evaluate`: labels of every kind, grids, finished runs, and what it refuses."""

from __future__ import annotations

import gzip
import json

import pytest

WORDS = [f"word{i}" for i in range(40)]
TEXTS = {
    "a": WORDS,
    "b": [*WORDS[:39], "other"],  # J(a, b) = 37 / 39 = .949
    "c": [*WORDS[:30], *(f"new{i}" for i in range(10))],  # J(a, c) = J(b, c) = 28 / 48 = .583
    "copy": WORDS,
    "x": [f"far{i}" for i in range(40)],
    "y": [*(f"far{i}" for i in range(35)), "1", "2", "3", "4", "5"],  # J(x, y) = 33 / 43 = .767
}
LABELS = {"a": "one", "b": "one", "c": "one", "copy": "one", "x": "two", "y": None}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    rows = ({"id": i, "text": " ".join(w), "label": LABELS[i]} for i, w in TEXTS.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def evaluate(neardup, corpus):
    """Scores and facts of a call that must succeed."""

    def call(*args):
        done = neardup("evaluate", corpus, *args, "--json", "-q")
        assert done.exit_code == 0, done.output
        facts = json.loads(done.stdout)
        return facts.pop("scores"), facts

    return call


@pytest.fixture
def labels(tmp_path):
    def write(text, name="labels.tsv"):
        path = tmp_path / name
        data = text.replace(" ", "\t").encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def counts(row):
    return row["found"], row["true"], row["both"]


def test_true_pairs_over_a_grid(evaluate, labels):
    known = labels("id_a id_b\na b\nb a\ncopy c\na copy\nx y\nnobody a\n")
    scores, facts = evaluate(
        "--labels", known, "--id", "id", "--thresholds", ".5,.7,.9", "--shingles", "word:3,word:1"
    )
    assert facts == {"documents": 6, "exact_duplicates": 1, "unknown_ids": 1}
    assert [(row["shingle"], row["threshold"]) for row in scores] == [
        (shingle, t) for shingle in ("word:3", "word:1") for t in (0.5, 0.7, 0.9)
    ]
    # The copy is folded into a: true are ab, ac, xy. At .5 bc is found as well.
    assert [counts(row) for row in scores[:3]] == [(4, 3, 3), (2, 3, 2), (1, 3, 1)]
    assert scores[0]["precision"] == 3 / 4
    assert scores[1]["recall"] == 2 / 3
    assert (scores[1]["f1"], scores[2]["f1"]) == (4 / 5, 2 / 4)
    assert scores[0]["ari"] == 1.0  # star: a stands for b and c, x for y
    assert [row["removed"] for row in scores[:3]] == [4, 3, 2]


@pytest.mark.parametrize("header", ["", "id_a id_b jaccard\n", "# by hand\n"])
def test_a_similarity_says_from_which_threshold_on_a_pair_is_true(evaluate, labels, header):
    known = labels(f"{header}a b .95\na c .58\nb c .58\nx y .77\n", "labels.tsv.gz")
    scores, _ = evaluate(
        "--labels", known, "--id", "id", "--thresholds", ".5,.7,.9", "--exact-join"
    )
    assert [counts(row) for row in scores] == [(4, 4, 4), (2, 2, 2), (1, 1, 1)]
    assert all(row["ari"] == 1.0 for row in scores)


def test_a_column_of_another_name_is_no_similarity(evaluate, labels):
    known = labels("#id_a id_b note\na b .2\nx y .3\n")
    scores, _ = evaluate("--labels", known, "--id", "id", "-t", ".7")
    assert counts(scores[0]) == (2, 2, 2)


def test_a_field_or_a_file_of_labels(evaluate, labels):
    by_field, facts = evaluate("--label", "label", "-t", ".5")
    assert facts == {
        "documents": 6,
        "exact_duplicates": 1,
        "unknown_ids": 0,
        "exact_across_labels": 0,
        "unlabelled": 1,
    }
    assert counts(by_field[0]) == (3, 3, 3)  # y has no label: xy is not judged
    known = labels("id label\na one\nb one\nc two\ncopy three\nx four\ny four\n")
    by_file, facts = evaluate("--labels", known, "--id", "id", "-t", ".5")
    assert (facts["exact_across_labels"], facts["unlabelled"]) == (1, 0)
    assert counts(by_file[0]) == (4, 2, 2)


@pytest.mark.parametrize("cluster", ["star", "components"])
def test_a_finished_run_scores_as_the_run_itself(neardup, evaluate, corpus, tmp_path, cluster):
    done = neardup(
        "dedup", corpus, "-o", tmp_path / "out", "-t", ".5", "--keep", "last", "--cluster", cluster
    )
    assert done.exit_code == 0, done.output
    by_run, facts = evaluate("--label", "label", "--run", tmp_path / "out")
    by_itself, same = evaluate(
        "--label", "label", "-t", ".5", "--keep", "last", "--cluster", cluster
    )
    assert (by_run, facts) == (by_itself, same)


def test_the_table_is_shown_and_saved(neardup, corpus, tmp_path, monkeypatch):
    line = ["evaluate", corpus, "--label", "label", "--thresholds", ".5,.9", "-q"]
    for width, head in ((80, "precision"), (40, "ARI")):
        monkeypatch.setenv("COLUMNS", str(width))
        page = neardup(*line[:-1]).stdout
        assert head in page
        assert "…" not in page
        assert max(map(len, page.splitlines())) <= width
        assert "6 documents; 1 exact duplicates folded" in page
    assert neardup(*line, "-o", tmp_path / "s.tsv").exit_code == 0
    rows = [row.split("\t") for row in (tmp_path / "s.tsv").read_text("utf-8").splitlines()]
    assert rows[0][:3] == ["shingle", "threshold", "found"]
    assert [row[:2] for row in rows[1:]] == [["word:3", "0.5"], ["word:3", "0.9"]]
    assert neardup(*line, "-o", tmp_path / "s.json").exit_code == 0
    saved = json.loads((tmp_path / "s.json").read_text("utf-8"))
    assert [str(row["found"]) for row in saved["scores"]] == [row[2] for row in rows[1:]]
    again = neardup(*line, "-o", tmp_path / "s.json")
    assert (again.exit_code, "add --overwrite" in again.output) == (2, True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Give --labels FILE or --label FIELD"),
        ("--labels L", "say which field with --id"),
        ("--label label -o table.txt", "written as .csv, .tsv or .json"),
        ("--label label --thresholds .5,2", "use a number above 0, up to 1, commas between"),
        ("--label label --run . --thresholds .5 --seed 1", "leave out --seed, --thresholds"),
        ("--label label --run .", "not the folder of a finished run"),
        ("--label nothing", "no document has a label"),
    ],
)
def test_what_cannot_be_met_is_a_usage_error(neardup, corpus, line, message):
    done = neardup("evaluate", corpus, *line.split())
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b .5\na\n", ":2: a row is two ids with a tab between, got 'a'"),
        ("a b .5\na c much\n", ":2: a similarity is a number from 0 to 1, got 'much'"),
        ("a b .5\na c\n", "some rows have a similarity and some have none"),
        ("id label\n", "no labels in it"),
        ("id_a id_b same\na b 0\n", "no labels in it"),
        ("id_a id_b same\na b maybe\n", ":2: a pair is 1 true yes same duplicate, or 0 false"),
        ("p q\n", "no row names ids of the input; its first is 'p', the input's is 'a'"),
    ],
)
def test_bad_labels_are_one_line(neardup, corpus, labels, text, message):
    done = neardup("evaluate", corpus, "--labels", labels(text), "--id", "id", "-q")
    assert done.exit_code in (1, 2)
    assert message in done.output
    assert len(done.output.splitlines()) == 1


def test_an_id_given_twice_is_refused(neardup, corpus, labels):
    with corpus.open("a", encoding="utf-8") as file:
        file.write('{"id": "a", "text": "again"}\n')
    done = neardup("evaluate", corpus, "--labels", labels("a b\n"), "--id", "id", "-q")
    assert (done.exit_code, "'a' is there twice, as documents 0 and 6" in done.output) == (2, True)


def test_a_file_of_options_sets_them_and_no_others(neardup, evaluate, corpus, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text('label = "label"\nthresholds = [0.5, 0.9]\nshingles = "word:3,word:1"\n')
    by_file, _ = evaluate("--config", settings)
    by_hand, _ = evaluate(
        "--label", "label", "--thresholds", ".5,.9", "--shingles", "word:3,word:1"
    )
    assert by_file == by_hand
    assert len(by_file) == 4
    for command, text, message in (
        ("evaluate", 'out = "o"\n', "evaluate has no option out"),
        ("evaluate", "ask = true\n", "ask: is an option of tune, not of evaluate"),
        ("tune", 'run = "o"\n', "run: is an option of evaluate, not of tune"),
        ("dedup", "thresholds = [0.5]\n", "is an option of evaluate and tune, not of dedup"),
    ):
        settings.write_text(text)
        done = neardup(command, corpus, "--config", settings)
        assert (done.exit_code, message in done.output) == (2, True), done.output


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("True", "False"), ("same", "family")])
def test_pairs_judged_not_to_be_the_same_are_not_true(evaluate, labels, yes, no):
    known = labels(f"id_a id_b label\na b {yes}\na c {no}\nx y {yes}\n")
    scores, _ = evaluate("--labels", known, "--id", "id", "-t", ".5")
    assert counts(scores[0]) == (4, 2, 2)


def test_labels_by_comma(evaluate, tmp_path):
    known = tmp_path / "labels.csv"
    known.write_text('id_a,id_b,jaccard\n"a",b,.95\nx,y,.77\n', "utf-8")
    scores, _ = evaluate("--labels", known, "--id", "id", "-t", ".8")
    assert counts(scores[0]) == (1, 1, 1)


def test_a_bad_row_is_set_aside_under_each_shingle(evaluate, corpus):
    with corpus.open("a", encoding="utf-8") as file:
        file.write('{"id": "bad", "label": "one"}\n')
    scores, facts = evaluate(
        "--label", "label", "--on-error", "skip", "-t", ".5", "--shingles", "word:1,word:3"
    )
    assert facts["documents"] == 6
    assert [counts(row)[1] for row in scores] == [3, 3]
