"""Options on the command line are the schema's: all there, explained, read alike, first come."""

import pytest

from neardup.cli import dedup
from neardup.config import RUN_OPTIONS, Config


@pytest.fixture
def configs(monkeypatch, summary):
    """The configurations and inputs that reach the pipeline."""
    seen = []

    def run(config, inputs):
        seen.append((config, inputs))
        return summary

    monkeypatch.setattr(dedup, "run", run)
    return seen


def test_every_option_is_in_the_help(neardup):
    page = neardup("dedup", "--help", terminal_width=100).output
    for option in RUN_OPTIONS:
        assert (option.flag in page) == option.typed
        if not option.typed:
            continue
        assert option.help.split()[0] in page
        if option.shown_default:
            assert f"[{option.shown_default}]" in page
    assert "Examples:" in page
    assert "Exit status:" in page


@pytest.mark.parametrize("width", [40, 80, 140])
def test_help_fits_and_breaks_no_name(neardup, width):
    page = neardup("dedup", "--help", env={"COLUMNS": str(width)}).output
    lines = page[: page.index("Examples:")].splitlines()
    # A list of words that is wider than a narrow terminal has a line of its own.
    assert all(len(line) <= width or len(line.split()) <= 3 for line in lines)
    assert not {"\u2011", "\b"} & set(page)
    assert "strip-accents" in page


def test_no_option_is_the_default(neardup, configs):
    assert neardup("dedup", "a.jsonl", "b.jsonl", "-o", "out").exit_code == 0
    assert configs == [(Config(out="out"), ("a.jsonl", "b.jsonl"))]


def test_options_reach_the_pipeline_in_their_final_type(neardup, configs):
    line = "a --preset short -t 0.5 --keep max:stars --against x --against y --memory 1GiB --quiet"
    assert neardup("dedup", *line.split(), "--dry-run").exit_code == 0
    config = configs[0][0]
    assert (config.threshold, str(config.shingle), str(config.guard)) == (
        0.5,
        "char:3",
        "numbers:100",
    )
    assert (config.keep.field, config.against, config.memory) == ("stars", ("x", "y"), 2**30)
    assert config.quiet
    assert config.dry_run


def test_typed_wins_over_file_wins_over_preset(neardup, configs, tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('preset = "short"\nthreshold = 0.6\nseed = 7\nout = "there"\n')
    assert neardup("dedup", "a", "--config", file, "--seed", "8").exit_code == 0
    config = configs[0][0]
    assert (config.threshold, config.seed, config.out) == (0.6, 8, "there")
    assert str(config.shingle) == "char:3"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("dedup", "Missing argument 'INPUT...'"),
        ("dedup a", "Add -o OUT, or --dry-run"),
        ("dedup a -o - --json", "both write to standard output"),
        ("dedup a -o x -t 1.5", "'1.5' is not allowed; use a number above 0, up to 1"),
        ("dedup a -o x --keep best", "use first, last, longest, shortest, max:FIELD"),
        ("dedup a -o x --bands 4", "bands and rows go together"),
        ("dedup a -o x --colour", "No such option"),
        ("dedup a --config nope.toml", "nope.toml: cannot read the options"),
        ("frobnicate", "No such command 'frobnicate'"),
        ("dedpu a -o x", "No such command 'dedpu'. Did you mean dedup?"),
        ("explain -t 0.01", "out of reach of 128 slots; ask for a size of at least 299"),
    ],
)
def test_misuse_is_status_2_and_says_what_to_do(neardup, configs, line, complaint):
    result = neardup(*line.split())
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stdout == ""
    assert configs == []


def test_completion_offers_choices(neardup, monkeypatch):
    monkeypatch.setenv("COMP_WORDS", "neardup dedup --cluster c")
    monkeypatch.setenv("COMP_CWORD", "3")
    result = neardup(env={"_NEARDUP_COMPLETE": "bash_complete"})
    assert "components" in result.output
    assert "star" not in result.output
