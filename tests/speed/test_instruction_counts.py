"""No kernel takes more instructions than it did: `python tests/speed/counts.py` records anew."""

from __future__ import annotations

import json
from pathlib import Path

import counts
import pytest


def test_kernels_take_no_more_instructions_than_recorded(tmp_path: Path) -> None:
    if reason := counts.missing():
        pytest.skip(reason)
    known = json.loads(counts.FILE.read_text(encoding="utf-8"))
    if counts.compiler() != known["compiler"]:
        pytest.skip(f"not compared: recorded with {known['compiler']}")
    allowed = {k: n * (1 + counts.SLACK) for k, n in known["instructions"].items()}
    found = counts.counted(tmp_path)
    assert found.keys() == allowed.keys()
    over = {k: (n, known["instructions"][k]) for k, n in found.items() if n > allowed[k]}
    assert not over, "a kernel takes over 5 % more; if that is meant, record anew"
