"""Experiments anyone can rerun: what sketches and bands do, beside what theory says of them.

`accuracy`, `curve` and `speed` each have `run`, which returns plain numbers; `pictures` draws them.
`neardup bench` is their command line, docs/experiments.md what they show of the papers' claims.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Record = dict[str, Any]
Say = Callable[[str], None]
"""Told what is at work; it may raise to end it."""
SIZE = 128
SIGMAS = 4.0
"""What a measurement may differ by from theory, in standard deviations."""
