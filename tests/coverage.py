"""Coverage of crates/core by its own tests and by the Python ones: lines, branches, and what is left.

``make coverage`` runs this. It needs llvm-profdata and llvm-cov of LLVM 19 or newer (Debian: llvm-19;
or the rustup component llvm-tools). Code under ``#[cfg(test)]`` does not count. A branch counts once
for each side, whatever the number of functions it was compiled into.

Usage: ``python tests/coverage.py [--uncovered] [PATHS OF TESTS ...]``
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = ROOT / "crates" / "core" / "src"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "coverage"
TESTS = ["laws", "golden", "unit", "hazards", "choices", "cases"]
Counts = dict[Path, dict[tuple[int, ...], int]]
FLAGS = "-C instrument-coverage -Z coverage-options=branch"


def tool(name: str) -> str:
    """The newest LLVM tool of that name that can read what rustc writes."""
    sysroot = subprocess.check_output(["rustc", "--print", "sysroot"], text=True).strip()
    found = [*Path(sysroot).glob(f"lib/rustlib/*/bin/{name}")]
    found += sorted(Path("/usr/lib").glob(f"llvm-*/bin/{name}"), key=_version, reverse=True)
    for path in found:
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=False
        ).stdout
        if int((re.search(r"version (\d+)", said) or [0, 0])[1]) >= 19:
            return str(path)
    sys.exit(
        f"missing: {name} of LLVM 19 or newer: install llvm-19, or rustup component add llvm-tools"
    )


def _version(path: Path) -> int:
    return int(path.parts[3].partition("-")[2] or 0)


def run(*command: object, **env: str) -> str:
    """Run a command from the root; what it wrote to standard output."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout[-3000:]}\n{' '.join(map(str, command))}: status {done.returncode}")
    return done.stdout


def instrumented() -> list[str]:
    """Build with counters, and run the tests of both languages; the binaries."""
    # Branches are counted by a flag of rustc that only nightly takes unless told.
    build = {
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": FLAGS,
        "CARGO_TARGET_DIR": str(TARGET),
        "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
        "LLVM_PROFILE_FILE": str(TARGET / "raw" / "%p-%m.profraw"),
    }
    shutil.rmtree(TARGET / "raw", ignore_errors=True)
    cargo = ["cargo", "test", "-p", "neardup-core", "--tests", "--locked"]
    built = run(*cargo, "--no-run", "--message-format", "json", **build)
    binaries = re.findall(r'"executable":"([^"]+)"', built)
    run(*cargo, **build)
    run(
        "cargo",
        "build",
        "-p",
        "neardup-py",
        "--locked",
        "--features",
        "pyo3/extension-module",
        **build,
    )
    library = next(TARGET.glob("debug/lib_native.*[os]"))
    overlay = TARGET / "python"
    shutil.rmtree(overlay, ignore_errors=True)
    kept_out = shutil.ignore_patterns("_native*.so", "__pycache__")
    shutil.copytree(ROOT / "python", overlay, ignore=kept_out)
    shutil.copy(library, overlay / "neardup" / "_native.abi3.so")
    tests = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    tests = tests or [f"tests/{name}" for name in TESTS]
    where = {"PYTHONPATH": str(overlay), "LLVM_PROFILE_FILE": build["LLVM_PROFILE_FILE"]}
    # Instrumented code is slow: what measures time or memory is not asked.
    python = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "default",
        *tests,
    ]
    said = subprocess.run(
        python, cwd=ROOT, env={**os.environ, **where}, capture_output=True, text=True, check=False
    )
    print(said.stdout.strip().splitlines()[-1])
    if said.returncode not in (0, 1):
        sys.exit(said.stdout[-3000:] + said.stderr[-3000:])
    return [*binaries, str(overlay / "neardup" / "_native.abi3.so")]


def counted(binaries: list[str]) -> tuple[Counts, Counts]:
    """How often each line of the core ran, and each side of each branch, by file."""
    merged = TARGET / "all.profdata"
    raw = TARGET / "raw.txt"
    raw.write_text("\n".join(map(str, (TARGET / "raw").glob("*.profraw"))))
    run(tool("llvm-profdata"), "merge", "-sparse", "-failure-mode=all", "-f", raw, "-o", merged)
    objects = [part for path in binaries for part in ("-object", path)][1:]
    export = [tool("llvm-cov"), "export", f"-instr-profile={merged}"]
    lines: Counts = defaultdict(lambda: defaultdict(int))
    branches: Counts = defaultdict(lambda: defaultdict(int))
    path = CORE
    for entry in run(*export, "-format=lcov", *objects, CORE).splitlines():
        kind, _, rest = entry.partition(":")
        if kind == "SF":
            path = Path(rest)
        elif kind == "DA":
            number, count = map(int, rest.split(",")[:2])
            lines[path][number,] += count
    # lcov gives the branches of each function that a piece of code was compiled into; here its place
    # in the text tells which are one.
    told = json.loads(run(*export, "-skip-functions", *objects, CORE))
    for file in told["data"][0]["files"]:
        for branch in file["branches"]:
            place, counts = tuple(branch[:4]), branch[4:6]
            for side, count in enumerate(counts):
                branches[Path(file["filename"])][*place, side] += count
    return lines, branches


def code(path: Path) -> int:
    """How many lines of a file come before its tests."""
    if path.name == "tests.rs":
        return 0
    lines = path.read_text("utf-8").splitlines()
    return next((i for i, line in enumerate(lines) if line.startswith("#[cfg(test)]")), len(lines))


def main() -> None:
    """Run, count and print."""
    lines, branches = counted(instrumented())
    for counts in (lines, branches):
        for path, places in counts.items():
            end = code(path)
            for place in [place for place in places if place[0] > end]:
                del places[place]
    print(f"{'file':28} {'lines':>12} {'branches':>12}")
    total = [0, 0, 0, 0]
    for path in sorted(path for path in lines if lines[path]):
        seen = [*_share(lines[path]), *_share(branches[path])]
        total = [a + b for a, b in zip(total, seen, strict=True)]
        print(f"{path.relative_to(CORE)!s:28} {_shown(*seen[:2]):>12} {_shown(*seen[2:]):>12}")
        if "--uncovered" in sys.argv:
            text = path.read_text("utf-8").splitlines()
            missed = {place[0] for place, count in lines[path].items() if not count}
            half = {place[0] for place, count in branches[path].items() if not count}
            for number in sorted(missed | half):
                mark = "  -" if number in missed else "  ?"
                print(f"{mark} {number:4}  {text[number - 1].strip()}")
    print(f"{'all':28} {_shown(*total[:2]):>12} {_shown(*total[2:]):>12}")


def _share(counts: dict[tuple[int, ...], int]) -> tuple[int, int]:
    return sum(map(bool, counts.values())), len(counts)


def _shown(hit: int, of: int) -> str:
    return f"{100 * hit / of:.1f} %" if of else ""


if __name__ == "__main__":
    main()
