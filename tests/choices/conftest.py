"""What the tests of choices share."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner, Result

from neardup.cli import main


@pytest.fixture
def neardup_cli() -> Any:
    """Call `neardup dedup` in this process."""

    def call(*args: object) -> Result:
        return CliRunner().invoke(main, ["dedup", *map(str, args)], prog_name="neardup")

    return call
