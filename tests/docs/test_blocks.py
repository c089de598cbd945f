"""Code in README.md and docs/ runs, and prints what the page says it prints.

A ```python block runs as it stands, blocks of one page sharing their names; one with `>>>` is a
doctest. In a ```console block, lines after `$ neardup ...` must be its output; a block that is
only commands is a recipe and is not run. `...` stands for any text, as in doctest.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page, language):
    """The fenced blocks of a language in a page."""
    return [text for name, text in FENCE.findall(page.read_text("utf-8")) if name == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks(page, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names = {}
    for text in blocks(page, "python"):
        if ">>>" not in text:
            exec(compile(text, str(page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
        said = []
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
        assert not said, "".join(said)
        names.update(test.globs)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks(page, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    same = doctest.OutputChecker().check_output
    for text in blocks(page, "console"):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            if not expected.strip():
                continue
            words = shlex.split(command)
            assert words[0] == "neardup", (
                f"only neardup commands can be shown with output: {command}"
            )
            done = subprocess.run(
                [sys.executable, "-m", *words],
                cwd=tmp_path,
                env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                check=False,
            )
            assert same(expected, done.stdout, FLAGS), f"$ {command}\n{done.stdout}"
