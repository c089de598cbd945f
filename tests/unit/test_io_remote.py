"""Files at URLs, through the drivers of fsspec: read in every pass, written finished or absent."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import families, neardup, one_line, tree, write_jsonl
from neardup import NeardupError, dedup
from neardup.io import find_files, open_inputs
from neardup.io.places import exists, files_below
from neardup.io.remote import RemoteFile

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
BUCKET = "texts"


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """A bucket on an S3 server of this machine."""
    server_module = pytest.importorskip(
        "moto.server", reason="moto[s3] and flask are not installed"
    )
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    before = dict(os.environ)
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    fsspec.filesystem("s3").mkdir(BUCKET)
    yield f"s3://{BUCKET}"
    os.environ.clear()
    os.environ |= before
    server.stop()


@pytest.fixture(params=["memory", "file", "s3"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder of files at a URL: two formats, a compressed one, a folder within."""
    if request.param == "s3":
        base = request.getfixturevalue("s3")
    else:
        base = f"file://{tmp_path}" if request.param == "file" else "memory:/"
    base = f"{base}/{tmp_path.name}"
    texts = families(1, 300)
    rows = [json.dumps({"id": f"r{i}", "text": text}) + "\n" for i, text in enumerate(texts)]
    table = pa.table({"id": [f"p{i}" for i in range(100)], "text": texts[:100]})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    files = {
        "in/a.jsonl": "".join(rows[:100]).encode(),
        "in/b.jsonl.gz": gzip.compress("".join(rows[100:200]).encode()),
        "in/deep/c.parquet": sink.getvalue().to_pybytes(),
        "in/README": b"not a text",
    }
    for name, data in files.items():
        with fsspec.open(f"{base}/{name}", "wb", auto_mkdir=True) as file:
            file.write(data)
        (tmp_path / "local" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "local" / name).write_bytes(data)
    return base


def held(folder: str) -> dict[str, bytes]:
    fs, path = fsspec.core.url_to_fs(folder)
    fs.invalidate_cache()
    names = [os.path.relpath(name, path) for name in fs.find(path)]
    return {n: fs.cat_file(f"{path}/{n}") for n in names if n != "summary.json"}


def test_folders_globs_and_files(root: str) -> None:
    names = ["a.jsonl", "b.jsonl.gz", "deep/c.parquet"]
    assert find_files([f"{root}/in"]) == [f"{root}/in/{name}" for name in names]
    assert find_files([f"{root}/in/*.jsonl*"]) == [f"{root}/in/{name}" for name in names[:2]]
    assert find_files([f"{root}/in/*/*.parquet"]) == [f"{root}/in/{names[2]}"]
    assert find_files([f"{root}/in/a.jsonl"]) == [f"{root}/in/a.jsonl"]
    for wrong, said in [
        ([f"{root}/in/none.jsonl"], "none.jsonl: no such file"),
        ([f"{root}/in/none*"], "no file matches this pattern"),
        ([f"{root}/in/*.jsonl", f"{root}/in/a.jsonl"], "is named twice"),
    ]:
        with pytest.raises(NeardupError, match=said):
            find_files(wrong)


def test_a_run_is_the_same_at_a_url(root: str, tmp_path: Path) -> None:
    here = tmp_path / "local"
    expected = dedup(here / "in", out=str(here / "out"), id="id")
    found = dedup(f"{root}/in", out=f"{root}/out", id="id")
    places = {s: {**c} for s, c in found.summary["sources"].items()}
    assert list(places) == [
        f"{root}/in/{name}" for name in ("a.jsonl", "b.jsonl.gz", "deep/c.parquet")
    ]
    assert list(places.values()) == list(expected.summary["sources"].values())
    mine, theirs = held(f"{root}/out"), tree(here / "out")
    assert mine.keys() == theirs.keys()
    for name in theirs:
        if name.startswith("kept/"):
            assert mine[name] == theirs[name], name
    assert found.removed.drop_columns(["source", "kept_source"]).equals(
        expected.removed.drop_columns(["source", "kept_source"])
    )
    kept = [batch.num_rows for batch in found.kept]
    assert sum(kept) == found.summary["kept"]


def test_the_command_line_reads_and_writes_s3(s3: str, tmp_path: Path) -> None:
    """In a process of its own, against the same server: from a bucket, into it, and against it."""
    base, path = f"{s3}/{tmp_path.name}", write_jsonl(tmp_path / "a.jsonl", families(3, 200))
    with fsspec.open(f"{base}/a.jsonl", "wb") as file:
        file.write(path.read_bytes())
    assert neardup("dedup", path, "-o", tmp_path / "here").returncode == 0
    expected = (tmp_path / "here" / "kept" / "a.jsonl").read_bytes()
    done = neardup("dedup", f"{base}/a.jsonl", "-o", f"{base}/out", "--json", "--quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(json.loads(done.stdout)["sources"]) == [f"{base}/a.jsonl"]
    assert held(f"{base}/out")["kept/a.jsonl"] == expected
    done = neardup("dedup", path, "--against", f"{base}/a.jsonl", "-o", "-", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    line = one_line(neardup("dedup", f"{base}/none.jsonl", "--dry-run"), 1)
    assert f"{base}/none.jsonl: no such file" in line


def test_what_is_there_is_refused_or_replaced(root: str) -> None:
    dedup(f"{root}/in", out=f"{root}/out")
    with pytest.raises(NeardupError, match="exists and is not empty; add overwrite=True"):
        dedup(f"{root}/in", out=f"{root}/out")
    dedup(f"{root}/in/a.jsonl", out=f"{root}/out", overwrite=True)
    assert {name for name in held(f"{root}/out") if name.startswith("kept")} == {"kept/a.jsonl"}
    with pytest.raises(NeardupError, match="would overwrite the input"):
        dedup(f"{root}/in/a.jsonl", out=f"{root}/in/a.jsonl", overwrite=True)
    dedup(f"{root}/in/a.jsonl", out=f"{root}/one.jsonl.gz")
    assert exists(f"{root}/one.jsonl.gz")
    with pytest.raises(NeardupError, match=r"one\.jsonl\.gz exists"):
        dedup(f"{root}/in/a.jsonl", out=f"{root}/one.jsonl.gz")


def test_an_error_leaves_no_file(root: str) -> None:
    class Stop:
        def stage(self, name: str, total: int | None = None) -> None: ...

        def advance(self, size: int, documents: int = 0) -> None:
            if any(name.startswith("kept") for name in held(f"{root}/out")):
                raise KeyboardInterrupt

        def warn(self, message: str) -> None: ...

    with pytest.raises(KeyboardInterrupt):
        dedup(f"{root}/in", out=f"{root}/out", progress=Stop())
    assert held(f"{root}/out") == {}


def test_a_file_at_a_url_is_finished_or_absent() -> None:
    url = "memory://atomic/o.json"
    with pytest.raises(KeyError), RemoteFile(url) as out:
        out.file.write(b"half")
        raise KeyError
    assert files_below("memory://atomic") == []
    for data in (b"{}", b"second"):
        with RemoteFile(url) as out:
            out.file.write(data)
        assert files_below("memory://atomic") == [url]
    with fsspec.open(url) as file:
        assert file.read() == b"second"


def test_a_file_that_changes_between_passes_is_refused() -> None:
    url = "memory://changing/a.jsonl"
    for data in (b'{"text":"a"}\n', b'{"text":"b"}\n'):
        with fsspec.open(url, "wb") as file:
            file.write(data)
        if data.startswith(b'{"text":"a'):
            source = open_inputs([url])[0]
            assert len(list(source.rows())) == 1
    with pytest.raises(NeardupError, match="changed while it was being read"):
        list(source.rows())


def test_what_cannot_be_reached_is_one_line(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", ["a"])
    for url in ("nonsense://a/b.jsonl", "nonsense://a"):
        one_line(neardup("dedup", url, "-o", tmp_path / "o"), 2, "nonsense", "name a file")
        one_line(neardup("dedup", path, "-o", url), 2, "nonsense", "name a file")
    line = one_line(neardup("dedup", "memory://none/a.jsonl", "-o", tmp_path / "o"), 1)
    assert "memory://none/a.jsonl: no such file" in line


def test_without_fsspec_the_remedy_is_named(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['fsspec'] = sys.modules['fsspec.core'] = None\n"
        "from neardup.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "dedup", "s3://bucket/a.jsonl", "-o", str(tmp_path)]
    done: Any = subprocess.run(command, capture_output=True, check=False)
    one_line(done, 2, "s3://bucket/a.jsonl", "pip install 'neardup[remote]'")


def test_fsspec_is_imported_for_urls_only(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", ["a", "b"])
    code = (
        "import sys, neardup; neardup.dedup(sys.argv[1], out=sys.argv[2]);"
        "assert 'fsspec' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(path), str(tmp_path / "out")], check=True)
