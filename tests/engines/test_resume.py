"""A run that was stopped goes on after its last finished pass, and ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harness import families, neardup, one_line, tree, write_jsonl
from neardup import NeardupError, checkpoint, dedup

STAGES = ["sketching", "finding candidates", "reading candidates", "verifying", "writing"]
KILLED = """
import os, signal, sys
import neardup

class Killer:
    def stage(self, name, total=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGKILL)
    def advance(self, size, documents=0): pass
    def warn(self, message): pass

neardup.dedup(sys.argv[2], out=sys.argv[3], progress=Killer(), **eval(sys.argv[4]))
"""


class Stages:
    """A watcher that notes the stages, and may stop the run at one of them."""

    def __init__(self, stop: str | None = None) -> None:
        self.seen: list[str] = []
        self.stop = stop

    def stage(self, name: str, total: int | None = None) -> None:
        self.seen.append(name)
        if name == self.stop:
            raise KeyboardInterrupt

    def advance(self, size: int, documents: int = 0) -> None: ...

    def warn(self, message: str) -> None: ...


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files, the second with a bad row and rows that may be kept by a field."""
    at = tmp_path_factory.mktemp("resume")
    write_jsonl(at / "in" / "a.jsonl", families(1, 400))
    rows = [{"text": text, "n": i * 37 % 101} for i, text in enumerate(families(2, 400))]
    lines = [json.dumps(row) for row in rows]
    lines.insert(7, '{"text": null}')
    (at / "in" / "b.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return at


def kill(stage: str, folder: Path, out: Path, **options: Any) -> None:
    arguments = [stage, str(folder / "in"), str(out), repr({"on_error": "skip", **options})]
    child = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert child.returncode == -signal.SIGKILL


VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "components": {"cluster": "components", "threshold": 0.5},
    "field": {"keep": "max:n"},
    "annotate": {"annotate": True},
    "exact": {"exact_only": True},
    "hamming": {"sketch": "simhash", "hamming": 8},
}


@pytest.mark.parametrize(
    ("variant", "stage"),
    [(v, s) for v in VARIANTS for s in (STAGES if v == "plain" else STAGES[1::3])],
)
def test_killed_at_any_stage(folder: Path, tmp_path: Path, variant: str, stage: str) -> None:
    options = {"on_error": "skip", **VARIANTS[variant]}
    whole = dedup(folder / "in", out=str(tmp_path / "whole"), **options)
    kill(stage, folder, tmp_path / "out", **VARIANTS[variant])
    watch = Stages()
    again = dedup(
        folder / "in", out=str(tmp_path / "out"), resume=True, progress=watch, threads=1, **options
    )
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")
    assert (STAGES[0] in watch.seen) == (stage == STAGES[0])
    gathers = stage != "writing" or options.get("cluster") == "components"
    assert ("reading candidates" in watch.seen) == gathers
    clock = {"seconds", "megabytes_per_second", "peak_rss_bytes"}
    for name in whole.summary.keys() - clock:
        assert again.summary[name] == whole.summary[name], name
    assert again.rejected.equals(whole.rejected)
    if options.get("cluster") == "components":
        higher = again.rethreshold(0.7)
        assert higher.removed.equals(whole.rethreshold(0.7).removed)


def test_killed_at_random_moments(folder: Path, tmp_path: Path) -> None:
    arguments = ["dedup", write_jsonl(folder / "c.jsonl", families(3, 20_000, words=60)), "-o"]
    began = time.perf_counter()
    assert neardup(*arguments, tmp_path / "whole").returncode == 0
    seconds = time.perf_counter() - began
    for moment in range(8):
        out = tmp_path / f"out{moment}"
        command = [sys.executable, "-m", "neardup", *map(str, arguments), str(out), "-q"]
        child = subprocess.Popen(command)
        try:
            child.wait(random.Random(moment).uniform(0.3, 1) * seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        again = neardup(*arguments, out, "--resume")
        assert again.returncode == 0, again.stderr
        assert tree(out) == tree(tmp_path / "whole")


def test_a_killed_run_is_not_begun_again_by_accident(folder: Path, tmp_path: Path) -> None:
    kill("verifying", folder, tmp_path / "out")
    arguments = ["dedup", folder / "in", "-o", tmp_path / "out", "--on-error", "skip"]
    one_line(neardup(*arguments), 2, "holds a run that was stopped; add --resume", "--overwrite")
    assert neardup(*arguments, "--overwrite", "-t", "0.9").returncode == 0
    assert ".neardup" not in os.listdir(tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-t", "0.85"], "the stopped run had --threshold 0.8, this one has 0.85"),
        (["--keep", "last"], "the stopped run had --keep first, this one has last"),
        (["--normalize", "nfc"], "the stopped run had text spec"),
        (["--size", "64"], "the stopped run had sketch"),
        (["--text", "body"], "had --text ('text',), this one has ('body',)"),
    ],
)
def test_other_options_are_refused(
    folder: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    kill("verifying", folder, tmp_path / "out")
    arguments = ["dedup", folder / "in", "-o", tmp_path / "out", "--on-error", "skip", "--resume"]
    one_line(neardup(*arguments, *options), 2, said, "begin again with --overwrite")
    assert neardup(*arguments, "--threads", "1", "--memory", "1MiB").returncode == 0


def test_other_inputs_and_versions_are_refused(folder: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    inputs = tmp_path / "in"
    inputs.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (inputs / name).write_bytes((folder / "in" / name).read_bytes())
    kill("verifying", tmp_path, Path(out))

    def refused(data: Any, said: str, **options: Any) -> None:
        with pytest.raises(NeardupError, match=said):
            dedup(data, out=out, **{"resume": True, "on_error": "skip", **options})

    extra = write_jsonl(tmp_path / "c.jsonl", ["a"])
    refused([inputs / "a.jsonl"], "the stopped run read .*b.jsonl too")
    refused([inputs, extra], "the stopped run did not read .*c.jsonl")
    refused([inputs / "b.jsonl", inputs / "a.jsonl"], "in another order")
    refused(["a text"], "data in memory cannot be told")
    manifest = Path(out, checkpoint.FOLDER, checkpoint.MANIFEST)
    whole = manifest.read_text()
    manifest.write_text(whole.replace('"version": "', '"version": "9'))
    refused(inputs, "the stopped run had version 9.*, this one has")
    manifest.write_text("{")
    refused(inputs, "what the stopped run left cannot be read")
    manifest.write_text("[]")
    refused(inputs, "is not of this version")
    manifest.write_text(whole)
    survey = manifest.parent / "survey"
    data = bytearray(survey.read_bytes())
    data[len(data) // 2] ^= 1
    survey.write_bytes(data)
    refused(inputs, "survey: a finished first pass is damaged.*; begin again with overwrite=True")
    (inputs / "a.jsonl").write_bytes(b'{"text":"changed"}\n')
    refused(inputs, "a.jsonl has changed since the stopped run read it")
    dedup(inputs, out=out, resume=True, overwrite=True, on_error="skip")
    assert set(os.listdir(out)) >= {"kept", "summary.json"} - {checkpoint.FOLDER}
    assert checkpoint.FOLDER not in os.listdir(out)


def test_without_leftovers_resume_just_runs(folder: Path, tmp_path: Path) -> None:
    whole = tree(folder / "in")
    for _ in range(2):
        r = dedup(folder / "in" / "a.jsonl", out=str(tmp_path / "out"), resume=True)
        assert r.summary["documents"] == 400
    assert tree(folder / "in") == whole


@pytest.mark.parametrize("worth", [0.0, 1e9])
def test_an_interrupt_leaves_a_pass_that_took_long(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: float
) -> None:
    monkeypatch.setattr(checkpoint, "WORTH_KEEPING", worth)
    out, options = tmp_path / "out", {"on_error": "skip", "out": str(tmp_path / "out")}
    for stage in ("sketching", "verifying", "writing"):
        with pytest.raises(KeyboardInterrupt):
            dedup(folder / "in", progress=Stages(stage), resume=True, **options)
        kept = worth == 0 and stage != "sketching"
        assert out.exists() == kept
        assert not kept or os.listdir(out) == [checkpoint.FOLDER]
    dedup(folder / "in", resume=True, **options)
    dedup(folder / "in", out=str(tmp_path / "whole"), on_error="skip")
    assert tree(out) == tree(tmp_path / "whole")


def test_nothing_is_kept_of_texts_in_memory(tmp_path: Path) -> None:
    def look(stage: str, total: int | None = None) -> None:
        assert stage == "writing tables" or not (tmp_path / "out").exists()

    watch = Stages()
    watch.stage = look  # type: ignore[method-assign]
    dedup(families(1, 50), out=str(tmp_path / "out"), progress=watch)
