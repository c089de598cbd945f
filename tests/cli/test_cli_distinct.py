"""`--distinct-shingles`: in the summary, on the screen, with other sketches, and never unasked."""

import json

from click.testing import CliRunner

from neardup.cli import main


def corpus(folder):
    texts = [f"{i} {i + 1} {i + 2} {i + 3}" for i in range(0, 400, 2)]
    texts += [f"{text} more" for text in texts[:40]]
    path = folder / "in.txt"
    path.write_text("\n".join(texts) + "\n")
    return path


def dedup(*options):
    outcome = CliRunner().invoke(main, ["dedup", *map(str, options)], catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome


def test_the_summary_counts_before_and_after(tmp_path):
    path = corpus(tmp_path)
    asked = [path, "-t", "0.6", "--distinct-shingles", "-o"]
    for sketch in ("fast", "dart", "icws"):
        out = tmp_path / sketch
        done = dedup(*asked, out, "--sketch", sketch, "--recall", "0.9999")
        summary = json.loads((out / "summary.json").read_text())
        assert summary["removed"] == 40
        found = summary["distinct_shingles"]
        assert found == {"before": 440, "after": 400, "relative_std_err": 0.0081}
        assert "distinct shingles" in done.stderr
        assert "400 in what is kept, give or take 0.8%" in done.stderr
    dedup(path, "-o", tmp_path / "plain")
    assert "distinct_shingles" not in json.loads((tmp_path / "plain/summary.json").read_text())
