"""A run that is stopped at any moment: nothing half written, inputs whole, and it runs again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness import families, neardup, tree, write_jsonl

MOMENTS = 20


class Scene:
    """A run over a file and standard input, and what it writes when nobody disturbs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = write_jsonl(folder / "in" / "a.jsonl", families(1, 10_000, words=60))
        self.data = write_jsonl(folder / "b.jsonl", families(2, 10_000, words=60)).read_bytes()
        self.before = tree(folder / "in")
        began = time.perf_counter()
        done = neardup(*self.arguments("whole"), stdin=self.data)
        assert done.returncode == 0, done.stderr
        self.seconds = time.perf_counter() - began
        self.whole = tree(folder / "whole")

    def arguments(self, out: str) -> list[str]:
        return ["dedup", str(self.path), "-", "-o", str(self.folder / out), "--id", "id"]

    def stop(self, out: str, number: signal.Signals, delay: float) -> tuple[int, str]:
        """Start a run, send it a signal once it is at work, and wait for its end."""
        scratch = self.folder / f"{out}-scratch"
        scratch.mkdir()
        # Where this suite runs in the background its children would ignore Ctrl-C, too.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        child = subprocess.Popen(
            [sys.executable, "-m", "neardup", *self.arguments(out)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(scratch)},
        )
        signal.signal(signal.SIGINT, before)
        assert child.stdin is not None
        child.stdin.write(self.data)  # more than a pipe holds: it is read, so the command runs
        child.stdin.close()
        try:
            child.wait(delay)
        except subprocess.TimeoutExpired:
            child.send_signal(number)
        assert child.stderr is not None
        with child.stderr:
            said = child.stderr.read().decode()
        return child.wait(60), said


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("stopped"))


@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "SIGKILL"])
def test_stopped_at_any_moment(scene: Scene, number: signal.Signals, moment: int) -> None:
    out = f"{number.name}{moment}"
    delay = random.Random(moment).uniform(0, scene.seconds)
    status, said = scene.stop(out, number, delay)
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert tree(scene.folder / "in") == scene.before
    left = tree(scene.folder / out)
    if number == signal.SIGINT and status != 0:
        assert (status, said) == (
            130,
            "neardup: interrupted; no output was left half written\n",
        )
        assert not (scene.folder / out).exists()
    if number == signal.SIGINT:
        assert os.listdir(scene.folder / f"{out}-scratch") == []
        if not left:
            return  # as before the run: nothing to run over
    finished = {name: data for name, data in left.items() if ".neardup-" not in name}
    assert finished == {name: scene.whole[name] for name in finished}
    again = neardup(*scene.arguments(out), "--overwrite", stdin=scene.data)
    assert again.returncode == 0, again.stderr
    assert tree(scene.folder / out) == scene.whole
