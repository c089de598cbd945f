"""Instructions that three kernels take, counted by callgrind; run as a program, it records them.

Counts do not depend on the machine's speed or load, but on the compiler: they are recorded with its
version and compared under the same one only.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("counts.json")
KERNELS = ("text", "sketch", "intersect")
TIER = "avx2"  # valgrind knows no wider registers
SLACK = 0.05


def compiler() -> str:
    """The version of rustc."""
    return run("rustc", "--version")


def missing() -> str | None:
    """What cannot be had here, if anything."""
    tools = [tool for tool in ("cargo", "rustc", "valgrind") if shutil.which(tool) is None]
    if tools:
        return f"not counted: {', '.join(tools)} not installed"
    if TIER not in Path("/proc/cpuinfo").read_text(encoding="utf-8").split():
        return f"not counted: this machine has no {TIER}"
    return None


def counted(folder: Path) -> dict[str, int]:
    """Instructions of each kernel; `folder` is scratch."""
    build = ("cargo", "build", "--release", "--locked", "-p", "neardup-core")
    lines = run(*build, "--example", "counted", "--message-format=json").splitlines()
    built = [found for line in lines if (found := json.loads(line).get("executable"))]
    counts = {}
    for kernel in KERNELS:
        out = folder / kernel
        options = ("--collect-atstart=no", "--toggle-collect=*counted_*")
        output = f"--callgrind-out-file={out}"
        run("valgrind", "--tool=callgrind", *options, output, built[-1], kernel, TIER)
        total = re.search(r"^totals: (\d+)$", out.read_text(encoding="utf-8"), re.MULTILINE)
        assert total is not None, f"callgrind counted nothing of {kernel}"
        counts[kernel] = int(total[1])
    return counts


def run(*command: str) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        found = {"compiler": compiler(), "tier": TIER, "instructions": counted(Path(scratch))}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
