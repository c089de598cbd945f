"""Writes docs/experiments.md and its pictures from the record of `experiments.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from neardup.experiments import pictures

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RECORD = HERE / "record" / "experiments.json"
Record = dict[str, Any]


def main():
    (DOCS / "experiments").mkdir(exist_ok=True)
    for name, text in pages(json.loads(RECORD.read_text("utf-8"))).items():
        (DOCS / name).write_text(text, encoding="utf-8")


def pages(record):
    found = {}
    for name in ("accuracy", "curve", "speed"):
        for picture, text in getattr(pictures, name)(record[name]).items():
            found[f"experiments/{picture}.svg"] = text
    return found


if __name__ == "__main__":
    main()
