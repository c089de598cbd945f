"""The tree in CONTRIBUTING.md names every source file, or a folder that holds it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
TREE = re.search(r"## The tree\n\n```\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1]


def named():
    """The paths that the tree names, from the root."""
    folders = {0: Path()}
    paths = []
    for line in TREE.splitlines():
        indent = len(line) - len(line.lstrip())
        if indent > 4:
            continue  # what stands there, of names too long for one line
        parent = folders[indent]
        names = re.split(r"   +", line.strip(), maxsplit=1)[0].split("  ")
        paths += [parent / name for name in names]
        folders[indent + 2] = paths[-1]
    return paths


def sources():
    """Source files of the package and of the crates."""
    folders = [ROOT / "python" / "neardup", *ROOT.glob("crates/*/src")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    kinds = (".py", ".pyi", ".rs")
    return sorted(path.relative_to(ROOT) for path in files if path.suffix in kinds)


def test_what_the_tree_names_is_there():
    assert len(named()) > 50
    for path in named():
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("folder", ["python/neardup", "crates/core/src", "crates/py/src"])
def test_every_source_file_has_a_room(folder):
    tree = named()
    # A folder is a room for what is in it unless the tree goes on inside.
    rooms = {path for path in tree if not any(path in other.parents for other in tree)}
    files = [path for path in sources() if path.is_relative_to(folder)]
    assert files
    for path in files:
        assert rooms & {path, *path.parents}, f"{path} is not in the tree of CONTRIBUTING.md"
