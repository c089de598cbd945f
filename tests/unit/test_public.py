"""The package as a client sees it: its names, what importing it costs, its types."""

import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import neardup

CLIENT = Path(__file__).with_name("client_typed.py")


def python(script):
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_public_name_is_there():
    assert len(set(neardup.__all__)) == len(neardup.__all__)
    for name in neardup.__all__:
        assert getattr(neardup, name) is not None
        assert name in dir(neardup)
    assert set(neardup.__all__) == set(neardup._HOME)
    with pytest.raises(AttributeError, match="has no attribute 'dedupe'"):
        _ = neardup.dedupe
    assert re.fullmatch(r"\d+\.\d+\.\d+", neardup.__version__)


def test_every_public_name_is_known_to_type_checkers():
    source = Path(neardup.__file__).read_text("utf-8")
    block = source[source.index("if TYPE_CHECKING:") : source.index("_HOME = {")]
    named = re.findall(r"^    from neardup\.(\w+) import (.+)$", block, re.MULTILINE)
    assert {name: home for home, names in named for name in names.split(", ")} == neardup._HOME


def test_every_error_is_a_neardup_error():
    for name in ("NeardupValueError", "NeardupTypeError", "DataError"):
        assert issubclass(getattr(neardup, name), neardup.NeardupError)
    assert issubclass(neardup.NeardupValueError, ValueError)
    assert issubclass(neardup.NeardupTypeError, TypeError)


def test_import_loads_nothing_but_itself():
    loaded = python("import sys, neardup; print(*sys.modules)").split()
    for name in ("numpy", "pyarrow", "click", "rich", "neardup.config", "neardup.plan"):
        assert name not in loaded


def test_a_wheel_is_under_8_megabytes():
    """A wheel is a zip: every file of the package by itself, deflated."""
    folder = Path(neardup.__file__).parent
    files = [path for path in folder.rglob("*") if path.suffix != ".pyc" and path.is_file()]
    assert any(path.name.startswith("_native.") and path.suffix != ".pyi" for path in files)
    assert sum(len(zlib.compress(path.read_bytes(), 6)) for path in files) < 8_000_000


def test_signatures_and_indexes_work_without_pyarrow(tmp_path):
    script = f"""
import sys
sys.modules["pyarrow"] = sys.modules["click"] = sys.modules["rich"] = None
import neardup
signatures = neardup.sketch(["to be or not to be", "To be, or not to be!"])
signatures.save({str(tmp_path / "a.sig")!r})
assert neardup.Signatures.load({str(tmp_path / "a.sig")!r}).jaccard(0, 1) == 1.0
index = neardup.LSH(keep_signatures=True)
index.insert(signatures)
index.save({str(tmp_path / "a.lsh")!r})
print(neardup.LSH.load({str(tmp_path / "a.lsh")!r}).query(signatures.matrix[0]))
print(neardup.jaccard("a b c d", "a b c e"), neardup.explain(0.8).bands)
print(neardup.FastSimilaritySketch(size=4)(["a"]).shape)
"""
    assert python(script) == "[(0, 1.0), (1, 1.0)]\n0.3333333333333333 13\n(4,)\n"


def test_a_typed_client_passes_mypy(tmp_path):
    pytest.importorskip("mypy", reason="mypy comes with the dev extra")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir"]
    done = subprocess.run(
        [*command, str(tmp_path), str(CLIENT)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert python(CLIENT.read_text("utf-8")) == "ok\n"
