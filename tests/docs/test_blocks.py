"""Code in README.md, README.zh-CN.md, docs/ and examples/ runs, and prints what the page says.

Blocks of one page run in their order, in one folder that holds `examples/` and files that stand
for a reader's own (`stand_ins`). A ```python block runs as it stands, a ```pycon block as a
doctest; they share names. Each `$` command of a ```console block runs in a shell: lines after it
must be its output; without any, it must end with status 0. `...` stands for any text, as in
doctest; figures that depend on the clock and the machine may differ.
"""

import csv
import doctest
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neardup import cli

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ", re.MULTILINE)
EXAMPLE = re.compile(r"^ +((?:neardup|zcat) .+)$", re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BUILDS = ("make", "pip", "git", "cargo", "cd")
"""Commands that build, install or fetch: the suite that runs this test was built by them."""
SHOWN = {"make demo": "python examples/demo.py"}
"""What one of them runs, where the page shows what it prints."""
MACHINE = re.compile(r"in [\d.]+ s \([\d.]+ MB/s, [\d.]+ [MG]B memory\)")


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A folder of examples and stand-ins, to be copied by each page."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(ROOT / "examples", folder / "examples")
    stand_ins(folder)
    return folder


def stand_ins(folder):
    """Files that pages name where a reader has his own."""
    examples = folder / "examples"
    shutil.copy(examples / "manuals-en.jsonl.gz", folder / "corpus.jsonl.gz")
    pairs = gzip.decompress((examples / "manuals-en.pairs.tsv.gz").read_bytes())
    (folder / "pairs.tsv").write_bytes(pairs)
    with gzip.open(examples / "manuals-en.jsonl.gz", "rt", encoding="utf-8") as lines:
        manuals = [json.loads(line) for line in lines]
    texts = [row["text"] for row in manuals]
    for name, rows in (("old", manuals[:800]), ("new", manuals[800:])):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    urls = [f"https://example.org/{row['id']}" for row in manuals]
    (folder / "crawl").mkdir()
    for name, part in (("a", slice(0, 800)), ("b", slice(800, None))):
        for field, path in (("content", f"crawl/{name}.parquet"), ("body", f"{name}.parquet")):
            pq.write_table(pa.table({field: texts[part], "url": urls[part]}), folder / path)
    lines = (examples / "comments-zh.jsonl").read_text("utf-8").splitlines()
    comments = [json.loads(line) for line in lines]
    with (folder / "comments.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["id", "text"])
        writer.writeheader()
        writer.writerows(comments)


@pytest.fixture
def run(tmp_path, place):
    """Run a shell command as a reader would: `neardup` and `python` are those under test."""
    shutil.copytree(place, tmp_path, dirs_exist_ok=True)
    tools = tmp_path / ".bin"
    tools.mkdir()
    for name, words in (("neardup", "-m neardup"), ("python", "")):
        script = tools / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        script.chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    more = {"PATH": path, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}

    def call(command):
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=tmp_path,
            env={**os.environ, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return call


def console(text, run):
    """Run the commands of a console block and hold each to what the page says of it."""
    same = doctest.OutputChecker().check_output
    for part in COMMAND.split(text)[1:]:
        lines = part.splitlines(keepends=True)
        length = next(i for i, line in enumerate(lines) if not line.endswith("\\\n")) + 1
        command, expected = "".join(lines[:length]).strip(), "".join(lines[length:])
        if expected.strip():
            command = SHOWN.get(command, command)
        if command.split()[0] in BUILDS:
            assert not expected.strip(), f"what {command} prints is not tested, so it is not shown"
            continue
        done = run(command)
        if expected.strip():
            said = MACHINE.sub("in TIME", done.stdout)
            assert same(MACHINE.sub("in TIME", expected), said, FLAGS), f"$ {command}\n{said}"
        else:
            assert done.returncode == 0, f"$ {command}\n{done.stdout}"


def python(text, names, page):
    """Run a Python block, as a doctest where it has prompts."""
    if ">>>" not in text:
        exec(compile(text, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    said = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
    assert not said, "".join(said)
    names.update(test.globs)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_says(page, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, text in FENCE.findall(page.read_text("utf-8")):
        if language == "console":
            console(text, run)
        elif language in ("python", "pycon"):
            python(text, names, page)


@pytest.mark.parametrize("command", ["", *cli.COMMANDS])
def test_the_examples_of_the_help_run(command, run):
    page = run(f"neardup {command} --help").stdout
    examples = EXAMPLE.findall(page[page.index("Examples:") :])
    assert examples
    for number, example in enumerate(examples):
        done = run(example.replace("clean", f"clean{number}"))
        assert done.returncode == 0, f"$ {example}\n{done.stdout}"


def test_every_link_between_pages_leads_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"
