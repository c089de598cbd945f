"""`neardup bench`: screens at every width, numbers and pictures where they are asked for."""

import json

import pytest

from neardup.experiments import accuracy, curve, speed

MODULES = {"accuracy": accuracy, "curve": curve, "speed": speed}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "some.jsonl"
    path.write_text('{"text": "to be or not to be"}\n' * 2, "utf-8")
    return path


@pytest.fixture(scope="module")
def records(corpus):
    """What each experiment finds, once for all tests here."""
    return {
        "accuracy": accuracy.run(quick=True),
        "curve": curve.run(quick=True),
        "speed": speed.run([corpus], quick=True),
    }


@pytest.fixture
def found(records, monkeypatch):
    """Experiments that are done already; how they were called."""
    calls = []
    for name, module in MODULES.items():

        def run(*args, _name=name, **options):
            calls.append((_name, args, options))
            return records[_name]

        monkeypatch.setattr(module, "run", run)
    return calls


@pytest.mark.parametrize("width", ["40", "80", "140"])
@pytest.mark.parametrize("name", MODULES)
def test_the_screen_fits(neardup, found, name, width):
    result = neardup("bench", name, "--quick", env={"COLUMNS": width, "NO_COLOR": "1"})
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= int(width)
    assert "All within 4 sigma of theory." in result.output
    assert "\x1b" not in result.output
    known = {"accuracy": "0.001447", "curve": "0.6133", "speed": "1,049"}
    assert known[name] in result.output


def test_options_reach_the_experiment(neardup, found, corpus):
    assert neardup("bench", "speed", corpus, "--seed", "9").exit_code == 0
    ((name, args, options),) = found
    assert (name, args) == ("speed", ((corpus,),))
    assert (options["quick"], options["seed"]) == (False, 9)


def test_json_says_what_was_run(neardup, found, records):
    said = json.loads(neardup("bench", "curve", "--quick", "--json").stdout)
    assert (said["experiment"], said["quick"], said["seed"]) == ("curve", True, 42)
    assert said["curve"] == records["curve"]["curve"]


def test_numbers_go_to_a_file_and_pictures_to_a_folder(neardup, found, tmp_path):
    assert neardup("bench", "curve", "-o", tmp_path / "c.json", "--quiet").output == ""
    assert json.loads((tmp_path / "c.json").read_text())["experiment"] == "curve"
    for name, pictures in {
        "accuracy": {"variance.svg", "errors.svg", "draws.svg"},
        "curve": {"curve.svg"},
        "speed": {"evaluations.svg", "time.svg"},
    }.items():
        folder = tmp_path / name
        assert neardup("bench", name, "-o", folder).exit_code == 0
        assert {path.name for path in folder.iterdir()} == {f"{name}.json", *pictures}


def test_what_is_there_is_not_replaced_unasked(neardup, found, tmp_path):
    (tmp_path / "c.json").write_text("mine")
    result = neardup("bench", "curve", "-o", tmp_path / "c.json")
    assert result.exit_code == 2
    assert "exists; give another -o, or --overwrite" in result.stderr
    assert (tmp_path / "c.json").read_text() == "mine"
    assert found == []
    assert neardup("bench", "curve", "-o", tmp_path / "c.json", "--overwrite").exit_code == 0
    assert (tmp_path / "c.json").read_text() != "mine"


def test_what_is_beyond_theory_is_said(neardup, found, records, monkeypatch):
    monkeypatch.setitem(records["curve"], "holds", False)
    assert "Not all within 4 sigma" in neardup("bench", "curve").output


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("bench", "Missing argument 'EXPERIMENT'"),
        ("bench fast", "'fast' is not one of 'accuracy', 'curve', 'speed'"),
        ("bench curve some.jsonl", "curve draws its own sets, got some.jsonl; leave INPUT out"),
        ("bench speed nope.jsonl", "nope.jsonl: no such file; give JSON Lines with a field text"),
        ("bench curve -o -", "bench writes files, got -o -; use --json for standard output"),
        ("bench curve --seed -1", "use a whole number from 0"),
    ],
)
def test_misuse(neardup, found, words, complaint):
    result = neardup(*words.split())
    assert result.exit_code == 2
    assert complaint in " ".join(result.stderr.split())
    assert found == []
