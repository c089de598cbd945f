"""Runs every experiment in full, and writes their record, pictures and docs/experiments.md.

`experiments.py`: two minutes. Corpora of the whole runs are found by `$NEARDUP_DATA`; peers are
those of the environment it runs in.
"""

from __future__ import annotations

import datetime
import json
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import experiments_page
from run import header

from neardup.experiments import accuracy, curve, speed
from neardup.experiments.peers import TOOLS


def main() -> None:
    """Run, keep, write."""
    record: dict[str, Any] = {
        "date": str(datetime.datetime.now(tz=datetime.UTC).date()),
        "machine": header().splitlines()[0].rsplit(", ", 1)[0],
        "peers": ", ".join(map(installed, (t for t in TOOLS if t != "neardup"))),
    }
    for module in (accuracy, curve, speed):
        name = module.__name__.rsplit(".", 1)[-1]
        print(f"== {name}", flush=True)
        record[name] = short(module.run(say=lambda words: print(f"   {words}", flush=True)))
    experiments_page.RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    experiments_page.main()


def installed(package: str) -> str:
    """A package with its version, or that it is not there."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"


def short(value: Any) -> Any:
    """The same with six figures a number."""
    if isinstance(value, dict):
        return {name: short(each) for name, each in value.items()}
    if isinstance(value, list):
        return [short(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
