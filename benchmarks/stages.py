"""Where the time of a run goes: CPU seconds of each stage, and nanoseconds a byte of the file.

`stages.py FILE.jsonl [THREADS]`; the kernels on their own: `cargo run --release -p neardup-core
--example text_speed` and `sketch_speed`.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from pathlib import Path

import neardup


class Stages:
    """A watcher that notes what each stage cost."""

    def __init__(self, size: int) -> None:
        self.size, self.name, self.began = size, "opening", self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime, used.ru_stime

    def stage(self, name: str, total: int | None = None) -> None:
        """The stage before has ended."""
        del total
        (user, system), (user0, system0) = self._now(), self.began
        each = (user + system - user0 - system0) * 1e9 / self.size
        print(f"{self.name:<20} {user - user0:7.2f} {system - system0:7.2f} {each:7.2f}")
        self.name, self.began = name, (user, system)

    def advance(self, nbytes: int, documents: int) -> None:
        """Not of interest here."""

    def warn(self, message: str) -> None:
        """Say it."""
        print(message)


def main() -> None:
    """Print a line a stage."""
    file = Path(sys.argv[1])
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    size = file.stat().st_size
    print(f"{size / 1e6:.0f} MB, {threads} threads")
    print(f"{'':<20} {'user s':>7} {'sys s':>7} {'ns/byte':>7}")
    with tempfile.TemporaryDirectory(prefix="neardup-bench-") as folder:
        watcher = Stages(size)
        out = os.path.join(folder, "out")
        neardup.dedup(file, out=out, threads=threads, progress=watcher)
        watcher.stage("")
    whole = sum(Stages._now()) * 1e9 / size
    print(f"{'in all':<20} {'':>15} {whole:7.2f} = {1e3 / whole:.0f} MB/s a core")


if __name__ == "__main__":
    main()
