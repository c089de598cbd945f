"""What a person reads: progress, summary, texts side by side."""

import io

import pytest
from rich.console import Console

from neardup.cli import dedup
from neardup.cli.progress import Lines, Live, Meter, Quiet, duration, megabytes
from neardup.cli.show import difference, pair
from neardup.cli.summary import advice, show


def console(width=80, terminal=False):
    """A console that writes to memory."""
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, highlight=False)


class Clock:
    """Seconds that pass when told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_units():
    assert [duration(s) for s in (0.04, 9.96, 59.4, 61, 7260)] == [
        "0.0 s",
        "10.0 s",
        "59 s",
        "1 min 1 s",
        "2 h 1 min",
    ]
    assert megabytes(1_500_000) == "1.5 MB"
    assert megabytes(2_340_000_000) == "2.34 GB"


def test_a_meter_knows_rate_and_time_left():
    clock = Clock()
    meter = Meter("sketch", 4_000_000_000, clock)
    clock.now = 20.0
    meter.advance(1_000_000_000, 123_456)
    assert meter.line() == (
        "sketch: 1.00 GB of 4.00 GB (25%), 50.0 MB/s, 123,456 documents, 1 min 0 s left"
    )
    assert meter.facts(short=True) == "50.0 MB/s, 1 min 0 s left"


def test_without_a_terminal_a_line_a_minute(capsys):
    clock = Clock()
    lines = Lines(clock)
    lines.stage("read", 1000)
    for second in range(1, 151):
        clock.now = float(second)
        lines.advance(1, 1)
    lines.warn("look here")
    said = capsys.readouterr()
    assert said.out == ""
    rows = said.err.splitlines()
    assert len(rows) == 3
    assert rows[0].startswith("neardup: read: 0.0 MB of 0.0 MB (6%)")
    assert rows[2] == "neardup: warning: look here"


@pytest.mark.parametrize("width", [40, 80, 140])
def test_on_a_terminal_one_line(width):
    screen = console(width, terminal=True)
    live = Live(screen)
    with live.bar:
        live.stage("sketch", 100_000_000)
        live.advance(50_000_000, 10)
        live.bar.refresh()
        live.stage("verify")
        live.advance(0)
    said = screen.file.getvalue()
    assert "sketch" in said
    assert "50%" in said


def test_quiet_says_nothing(capsys):
    quiet = Quiet()
    quiet.stage("read", 1)
    quiet.advance(1, 1)
    quiet.warn("x")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("width", [40, 80, 140])
def test_the_summary_fits_and_counts(summary, width):
    screen = console(width)
    show(summary, out=None, console=screen)
    said = screen.file.getvalue()
    assert max(map(len, said.splitlines())) <= width
    for number in ("20,000", "15,000", "5,000", "2,796"):
        assert number in said
    assert "!" not in said
    assert "rejected" not in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"removed_numbers_differ": 51}, "--guard numbers"),
        ({"removed_under_30_words": 501}, "under 30 words"),
        ({"removed_near_threshold": 1001}, "within .05 of the threshold"),
        ({"largest_cluster": 21}, "template"),
        ({"verify": "none"}, "nothing was verified"),
        ({"verify": "sketch"}, "estimates"),
        ({"no_token": 1001}, "no token"),
        ({"capped_buckets": 1, "capped_pairs": 5}, "--bucket-cap"),
        (
            {"sources": {"b": {"documents": 20, "kept": 1, "removed": 19, "rejected": 0}}},
            "b lost 95% of its documents",
        ),
    ],
)
def test_a_high_number_gets_a_sentence(summary, change, words):
    assert advice(summary) == []
    (sentence,) = advice(summary | change)
    assert words in sentence


def test_an_empty_run_has_a_summary(summary):
    empty = {key: 0 if isinstance(value, int | float) else value for key, value in summary.items()}
    screen = console()
    show(empty | {"sources": {}}, out="-", console=screen)
    assert "0 documents" in screen.file.getvalue()


def test_json_goes_to_standard_output_and_words_to_standard_error(neardup, monkeypatch, summary):
    monkeypatch.setattr(dedup, "run", lambda config, inputs: summary)
    result = neardup("dedup", "a", "--dry-run", "--json")
    assert result.stdout.startswith("{")
    assert "20,000 documents" in result.stderr
    result = neardup("dedup", "a", "--dry-run", "--quiet")
    assert result.output == ""


def test_where_the_outputs_are(summary, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "summary.json").touch()
    screen = console(200)
    show(summary, out=str(tmp_path), console=screen)
    assert f"written to {tmp_path}/: kept/, summary.json" in screen.file.getvalue()


def test_differences_are_words_and_han_characters():
    left, right = difference("我喜欢红茶", "我喜欢绿茶")
    assert ("红", True) in left
    assert ("绿", True) in right
    left, right = difference("same", "same")
    assert left == right == [("same", False)]
    left, right = difference("ＡＢ，Ｃ\n一", "ab,c 一")
    assert not any(differs for _, differs in left + right)
    left, right = difference("", "new")
    assert left == []
    assert right == [("new", True)]


def test_long_equal_stretches_are_shortened():
    words = " ".join(f"w{number}" for number in range(1000))
    left, _ = difference(f"{words} red {words}", f"{words} blue {words}")
    assert sum(len(text) for text, _ in left) < 400
    assert ("red", True) in left


@pytest.mark.parametrize("width", [40, 80, 140])
@pytest.mark.parametrize("terminal", [True, False])
def test_two_texts_side_by_side(width, terminal):
    screen = console(width, terminal)
    pair(screen, "a [red] fox", "a [blue] fox", "title [with] brackets")
    said = screen.file.getvalue()
    assert "title [with] brackets" in said
    assert ("[-red-]" in said) is not terminal
    assert ("{+blue+}" in said) is not terminal
