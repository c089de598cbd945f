"""Every option of every command is in the schema, in the help, in docs/options.md, in a test."""

import importlib
import importlib.util
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from neardup import cli
from neardup.config import OPTIONS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
HERE = Path(__file__).name
TESTS = "".join(path.read_text("utf-8") for path in ROOT.glob("tests/**/*.py") if path.name != HERE)


def test_the_page_is_what_the_schema_says():
    spec = importlib.util.spec_from_file_location("make_options", ROOT / "docs" / "make_options.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == PAGE, "run `make fmt`"


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_option_of_a_command_is_told(name):
    command = importlib.import_module(f"neardup.cli.{name}").command
    page = CliRunner().invoke(cli.main, [name, "--help"], terminal_width=100).output
    known = {option.name: option for option in OPTIONS}
    given = [each for each in command.params if isinstance(each, click.Option)]
    assert given
    for option in given:
        flag = known[option.name].flag if option.name in known else option.opts[-1]
        assert flag in option.opts
        assert re.search(rf"^  (-\w, )?{flag}\b", page, re.MULTILINE)
        assert f"`{flag}`" in PAGE


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_every_option_is_tested(option):
    used = rf"{option.flag}\b|\b{option.name}=|\"{option.name}\":"
    assert re.search(used, TESTS), f"no test gives {option.flag}"


def test_every_option_is_in_one_command_at_least():
    commands = [importlib.import_module(f"neardup.cli.{name}").command for name in cli.COMMANDS]
    told = {param.name for command in commands for param in command.params}
    assert {option.name for option in OPTIONS if option.typed} <= told
