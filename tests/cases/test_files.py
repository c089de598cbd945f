"""Files in and out: the same bytes, broken inputs, full devices, and what is there is spared."""

from __future__ import annotations

import datetime
import gzip
import itertools
import json
import os
import re
import resource
import shutil
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from io_files import COMPRESS, DECOMPRESS

from harness import families, one_line, tree, write_jsonl
from neardup import NeardupError, dedup

INPUT = families(40, 300)
ODD_ROWS = [
    rb'{"text":"one","n":1e400,"big":12345678901234567890123,"neg":-0.0}',
    rb'{ "b" : [1 , 2],"text" : "two" , "a":{"z":1,"y":2}, "b":3 }',
    rb'{"text":"\u0074hree \/ \u00e9 \ud83d\ude00","t":true}',
    '{"text":"四个字","k":"é\\u00e9"}'.encode(),
    rb'{"text":"six","float":1.10,"exp":1E+2,"nan":NaN,"inf":-Infinity}',
    rb'{"id":null,"text":"seven","deep":[[[[]]]],"tab":"\t"}   ',
]
COPY = rb'{"other":1,"text":"\u006fne"}'


@pytest.mark.parametrize("suffix", COMPRESS)
def test_kept_rows_are_the_same_bytes(command, tmp_path, suffix):
    path = tmp_path / f"in.jsonl{suffix}"
    data = b"\n".join([*ODD_ROWS[:3], COPY, *ODD_ROWS[3:], COPY]) + b"\n"
    path.write_bytes(COMPRESS[suffix](data))
    done = command(path, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    kept = (tmp_path / "out" / "kept" / path.name).read_bytes()
    assert DECOMPRESS[suffix](kept) == b"\n".join(ODD_ROWS) + b"\n"
    assert DECOMPRESS[suffix](path.read_bytes()) == data


def test_parquet_keeps_everything(command, tmp_path):
    zone = pa.timestamp("us", "Asia/Shanghai")
    when = datetime.datetime(2020, 2, 29, tzinfo=datetime.UTC)
    columns = {
        "text": pa.array(["one text", "two text", "one text", "three text"], pa.large_string()),
        "when": pa.array([when, None, when, when], zone),
        "kind": pa.array(["a", "b", "a", None]).dictionary_encode(),
        "deep": pa.array([{"x": [1, 2]}, {"x": []}, None, {"x": None}]),
        "map": pa.array([[("k", 1)], [], None, [("z", 2)]], pa.map_(pa.string(), pa.int8())),
        "price": pa.array([1, 2, 3, 4], pa.int32()).cast(pa.decimal128(20, 4)),
        "blob": pa.array([b"\x00\xff", b"", None, b"x"]),
        "nothing": pa.nulls(4),
    }
    fields = [pa.field(name, col.type, metadata={"note": name}) for name, col in columns.items()]
    schema = pa.schema(fields, metadata={"made by": "hand", "pandas": "{}"})
    table = pa.table(list(columns.values()), schema=schema)
    pq.write_table(table, tmp_path / "in.parquet", compression="gzip", row_group_size=2)
    before = (tmp_path / "in.parquet").read_bytes()
    done = command(tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "in.parquet").read_bytes() == before
    kept = pq.read_table(tmp_path / "out.parquet")
    expected = pq.read_table(tmp_path / "in.parquet").take([0, 1, 3])
    assert kept.schema.equals(expected.schema, check_metadata=True)
    assert kept.to_pylist() == expected.to_pylist()
    meta = pq.ParquetFile(tmp_path / "out.parquet").metadata
    assert meta.row_group(0).column(0).compression == "GZIP"


CODECS = [suffix for suffix in COMPRESS if suffix]


def broken(kind: str, folder: Path) -> Path:
    """A file that is not what its name says."""
    whole = write_jsonl(folder / "whole.jsonl", families(39, 3000)).read_bytes()
    if kind == "missing":
        return folder / "missing.jsonl"
    if kind == "no footer":
        pq.write_table(pa.table({"text": ["a", "b"] * 500}), folder / "in.parquet")
        path = folder / "in.parquet"
        path.write_bytes(path.read_bytes()[:-30])
        return path
    if kind == "empty parquet":
        (folder / "in.parquet").write_bytes(b"")
        return folder / "in.parquet"
    if kind == "page cut out":
        pq.write_table(pa.table({"text": families(1, 5000)}), folder / "in.parquet")
        path = folder / "in.parquet"
        data = bytearray(path.read_bytes())
        data[2000:9000] = bytes(7000)
        path.write_bytes(data)
        return path
    suffix, damage = kind.split(" ")
    data = COMPRESS[suffix](whole)
    path = folder / f"in.jsonl{suffix}"
    path.write_bytes(
        {
            "cut": data[: len(data) // 2],
            "foreign": whole,
            "junk": data[:100] + b"\0" * 500 + data[600:],
        }[damage]
    )
    return path


@pytest.mark.parametrize("kind", [
    "missing", "no footer", "empty parquet", "page cut out",
    *(f"{codec} {damage}" for codec in CODECS for damage in ("cut", "foreign", "junk")),
])  # fmt: skip
def test_a_broken_input_is_one_line(command, tmp_path, kind):
    path = broken(kind, tmp_path)
    before = path.read_bytes() if path.exists() else None
    for out in (tmp_path / "out", tmp_path / f"out{''.join(path.suffixes)}"):
        one_line(command(path, "-o", out), 1, path.name)
        assert not out.exists()
    with pytest.raises(NeardupError, match=path.name):
        dedup(path)
    assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="a superuser may read everything")
def test_an_unreadable_file(command, tmp_path):
    path = write_jsonl(tmp_path / "in.jsonl", ["a"])
    path.chmod(0)
    one_line(
        command(path, "-o", tmp_path / "out"), 1, "in.jsonl: cannot be read: permission denied"
    )


def limited(limit: int, value: int):
    """Called in a child before it becomes neardup."""
    return lambda: resource.setrlimit(limit, (value, value))


@pytest.mark.parametrize("out", ["out", "out.jsonl", "out.jsonl.gz"])
def test_a_full_device(command, tmp_path, out):
    path = write_jsonl(
        tmp_path / "in.jsonl", [f"text {i} of its own {i * i}" for i in range(60_000)]
    )
    limit = limited(resource.RLIMIT_FSIZE, 100_000)
    done = command(
        path,
        "-o",
        tmp_path / out,
        preexec_fn=limit,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    one_line(done, 1, "cannot be written", "choose another output folder")
    assert os.listdir(tmp_path) == ["in.jsonl"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_standard_output_is_full(tmp_path):
    path = write_jsonl(tmp_path / "in.jsonl", families(1, 3000))
    import subprocess
    import sys

    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "neardup", "dedup", str(path), "-o", "-"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    done.stdout = b""
    one_line(done, 1, "standard output: cannot be written: no space left")


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--removed", "-"], "only -o - writes to standard output; name a file"),
        (["--removed", "r.csv"], "r.csv: this table is written as plain parquet; name a .parquet"),
        (["--pairs", "p.jsonl.gz"], "p.jsonl.gz: this table is written as plain parquet"),
        (["--on-error", "skip", "--rejected", "x.parquet"], "x.parquet: this table is written as"),
        (["--on-error", "skip", "--rejected", "x.jsonl.gz"], "plain jsonl; name a .jsonl file"),
    ],
)
def test_a_table_has_the_suffix_of_its_format(command, tmp_path, extra, said):
    path = write_jsonl(tmp_path / "in.jsonl", INPUT)
    one_line(command(path, "-o", "out", *extra, cwd=tmp_path), 2, said)
    assert os.listdir(tmp_path) == ["in.jsonl"]


def test_temporary_files_are_written_whole_or_the_run_stops(command, tmp_path):
    texts = [" ".join(f"w{i}" for i in range(k, k + 3000)) for k in range(400)]
    path = write_jsonl(tmp_path / "in.jsonl", texts)
    (tmp_path / "temporary").mkdir()
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path / "temporary"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    limit = limited(resource.RLIMIT_FSIZE, 1_000_000)
    done = command(path, "-o", tmp_path / "out", preexec_fn=limit, env=environment)
    one_line(done, 1, f"{tmp_path / 'temporary'}: temporary files cannot be written", "TMPDIR")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("inputs", "out"),
    [
        (["data"], "data"),
        (["data"], "data/"),
        (["data"], "data/sub"),
        (["data"], "data/sub/out"),
        (["data"], "data/clean.jsonl"),
        (["data/a.jsonl"], "data"),
        (["data/a.jsonl"], "data/a.jsonl"),
        (["data/a.jsonl"], "link/a.jsonl"),
        (["data/a.jsonl"], "data/../data/a.jsonl"),
        (["link"], "data"),
        (["data"], "link/out"),
        (["data/*.jsonl"], "data"),
        (["data/a.jsonl", "--against", "data/sub"], "data/sub"),
        (["data/a.jsonl", "--against", "data/sub/b.jsonl"], "data/sub"),
        (["data/a.jsonl", "--removed", "data/a.jsonl"], "out"),
        (["data/a.jsonl", "--pairs", "link/a.jsonl"], "out"),
        (["data/a.jsonl", "--rejected", "data/a.jsonl", "--on-error", "skip"], "out"),
        (["data/a.jsonl", "--removed", "data/sub/b.jsonl", "--against", "data/sub"], "o.jsonl"),
        (["data/a.jsonl", "--removed", "x", "--pairs", "x"], "out.jsonl"),
        (["data/a.jsonl", "--removed", "out.jsonl"], "out.jsonl"),
        (["data/a.jsonl", "--removed", "out/pairs.parquet"], "out"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("extra", [[], ["--overwrite"]], ids=["", "overwrite"])
def test_no_output_over_an_input(command, tmp_path, inputs, out, extra):
    write_jsonl(tmp_path / "data" / "a.jsonl", INPUT)
    write_jsonl(tmp_path / "data" / "sub" / "b.jsonl", INPUT[:20])
    (tmp_path / "link").symlink_to("data")
    before = tree(tmp_path)
    one_line(
        command(*inputs, "-o", out, *extra, cwd=tmp_path),
        2,
        "choose another" if "x" not in inputs else "x",
    )
    assert tree(tmp_path) == before


def test_what_is_there_stays_unless_told(command, tmp_path):
    path = write_jsonl(tmp_path / "in.jsonl", INPUT)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    one_line(command(path, "-o", tmp_path / "mine"), 2, "is not empty", "--overwrite")
    one_line(command(path, "-o", tmp_path / "mine", "--overwrite"), 2, "no run wrote", "letter.txt")
    for name in ("old.jsonl", "old.parquet"):
        (tmp_path / name).write_text("old")
    one_line(command(path, "-o", tmp_path / "old.jsonl"), 2, "old.jsonl exists", "--overwrite")
    one_line(
        command(path, "-o", tmp_path / "new.jsonl", "--removed", tmp_path / "old.parquet"),
        2,
        "old.parquet exists",
        "--overwrite",
    )
    assert (tmp_path / "old.parquet").read_text() == "old"
    assert not (tmp_path / "new.jsonl").exists()
    assert tree(tmp_path / "mine") == {"letter.txt": b"dear"}
    (tmp_path / "empty").mkdir()
    assert command(path, "-o", tmp_path / "empty").returncode == 0
    assert command(path, "-o", tmp_path / "old.jsonl", "--overwrite").returncode == 0
    assert (tmp_path / "old.jsonl").read_bytes() == (
        tmp_path / "empty" / "kept" / "in.jsonl"
    ).read_bytes()


def test_overwrite_leaves_nothing_of_the_earlier_run(command, tmp_path):
    write_jsonl(tmp_path / "in" / "a.jsonl", INPUT)
    write_jsonl(tmp_path / "in" / "b.jsonl", INPUT[:9])
    out, again = tmp_path / "out", tmp_path / "again"
    assert command(tmp_path / "in", "-o", out, "--on-error", "skip").returncode == 0
    assert (out / "kept" / "b.jsonl").exists()
    for folder, extra in ((out, ["--overwrite"]), (again, [])):
        assert command(tmp_path / "in" / "a.jsonl", "-o", folder, *extra).returncode == 0
    assert tree(out) == tree(again)


def test_a_failed_run_takes_nothing_with_it(command, tmp_path):
    texts = [f"text {i} of its own {i * i}" for i in range(60_000)]
    path = write_jsonl(tmp_path / "in.jsonl", texts)
    (tmp_path / "results").mkdir()
    limit = limited(resource.RLIMIT_FSIZE, 100_000)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    one_line(
        command(path, "-o", tmp_path / "results" / "out", preexec_fn=limit, env=environment), 1
    )
    assert (tmp_path / "results").is_dir()  # it was there before
    assert os.listdir(tmp_path / "results") == []


def test_ragged_rows(command, tmp_path):
    rows = [
        {"text": "first text", "a": 1}, {"a": "x", "text": "second text"},
        {"text": "first text", "a": [1]}, {"text": "third text", "b": {"text": 5}},
        {"a": None, "text": "fourth text", "c": 1.5},
    ]  # fmt: skip
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for extra in ([], ["--id", "a"]):
        out = tmp_path / f"out{len(extra)}"
        assert command(path, "-o", out, *extra).returncode == 0
        assert [
            json.loads(line) for line in (out / "kept" / "in.jsonl").read_bytes().splitlines()
        ] == [
            *rows[:2],
            *rows[3:],
        ]
    assert pq.read_table(out / "removed.parquet")["id"].to_pylist() == ["[1]"]
    assert pq.read_table(out / "removed.parquet")["kept_id"].to_pylist() == ["1"]


def test_an_output_as_input(command, tmp_path):
    write_jsonl(tmp_path / "in" / "a.jsonl", INPUT)
    pq.write_table(pa.table({"text": INPUT}), tmp_path / "in" / "b.parquet")
    assert command(tmp_path / "in", "-o", tmp_path / "one").returncode == 0
    done = command(tmp_path / "one" / "kept", "-o", tmp_path / "two", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["removed"] == 0
    assert tree(tmp_path / "two" / "kept") == tree(tmp_path / "one" / "kept")
    one_line(command(tmp_path / "one", "-o", tmp_path / "three"), 1, 'no field "text"')
    named = ["--text", "source,kept_source,reason", "--id", "row"]
    done = command(tmp_path / "one" / "removed.parquet", "-o", tmp_path / "four", *named)
    assert done.returncode == 0, done.stderr
    assert pq.read_table(tmp_path / "four" / "clusters.parquet").num_rows > 0


def test_reserved_names_in_the_input(command, tmp_path):
    names = (
        "source row id kept_source kept_row kept_id similarity reason cluster representative "
        "__index_level_0__ neardup_keep"
    )
    rows = [
        {"text": text, **{name: f"{name} {i}" for name in names.split()}}
        for i, text in enumerate(INPUT)
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert command(path, "-o", tmp_path / "out", "--id", "source").returncode == 0
    removed = pq.read_table(tmp_path / "out" / "removed.parquet")
    assert removed["id"].to_pylist() == [f"source {row}" for row in removed["row"].to_pylist()]
    table = dedup(pa.Table.from_pylist(rows)).kept
    assert table.schema.names == ["text", *names.split()]


def test_many_tiles_and_few_handles(command, tmp_path):
    texts = [" ".join(f"w{i}" for i in range(k, k + 2000)) for k in range(300)]
    path = write_jsonl(tmp_path / "in.jsonl", texts)
    few = limited(resource.RLIMIT_NOFILE, 256)
    done = command(path, "-o", tmp_path / "out", "--memory", "16KiB", preexec_fn=few)
    assert done.returncode == 0, done.stderr
    assert command(path, "-o", tmp_path / "roomy").returncode == 0
    assert tree(tmp_path / "out") == tree(tmp_path / "roomy")


@pytest.mark.parametrize("name", [
    "in.jsonl", "in.jsonl.gz", "in.jsonl.zst", "in.json",
    "in.csv", "in.tsv", "in.txt", "in.parquet",
])  # fmt: skip
@pytest.mark.parametrize("rows", [0, 1])
def test_files_of_no_row_and_of_one(command, tmp_path, name, rows):
    path = tmp_path / name
    texts = ["the only text"][:rows]
    if name.endswith(".parquet"):
        pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), path)
    else:
        _, suffix = os.path.splitext(name)
        codec = suffix if suffix in (".gz", ".zst") else ""
        head = "text\n" if "csv" in name or "tsv" in name else ""
        line = json.dumps({"text": texts[0]}) if texts and "json" in name else "".join(texts)
        path.write_bytes(COMPRESS[codec]((head + line + "\n" * rows).encode()))
    done = command(path, "-o", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["documents"], summary["kept"]) == (rows, rows)
    kept = tmp_path / "out" / "kept" / name
    if name.endswith(".parquet"):
        assert pq.read_table(kept).equals(pq.read_table(path))
    elif name == "in.json" and not rows:
        assert kept.read_bytes().strip() in (b"", b"[]")
    else:
        assert DECOMPRESS[codec](kept.read_bytes()) == DECOMPRESS[codec](path.read_bytes())


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_pipe_is_read_once_and_kept_whole(command, tmp_path, suffix):
    data = write_jsonl(tmp_path / "in.jsonl", INPUT).read_bytes()
    assert command(tmp_path / "in.jsonl", "-o", tmp_path / "plain").returncode == 0
    pipe = tmp_path / f"pipe.jsonl{suffix}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(COMPRESS[suffix](data),))
    writer.start()
    done = command(pipe, "-o", tmp_path / "out")
    writer.join(60)
    assert done.returncode == 0, done.stderr
    kept = (tmp_path / "out" / "kept" / pipe.name).read_bytes()
    assert DECOMPRESS[suffix](kept) == (tmp_path / "plain" / "kept" / "in.jsonl").read_bytes()


class Shrinking:
    """Rows in memory that are fewer each time they are read."""

    def __init__(self, rows):
        self.table = pa.table({"text": rows})

    def __iter__(self):
        self.table = self.table[:-1]
        return iter(self.table.to_batches(max_chunksize=10))


def test_data_with_other_rows_in_a_later_pass(tmp_path):
    from neardup.api import execute
    from neardup.config import Config
    from neardup.io import ArrowSource
    from neardup.progress import Silent

    source = ArrowSource(
        pa.schema([("text", pa.string())]), Shrinking([f"text {i}" for i in range(50)])
    )
    with pytest.raises(NeardupError, match="the data changed during the run"):
        execute(Config.from_options({"out": str(tmp_path / "out")}), [source], Silent())
    assert not (tmp_path / "out").exists()


def test_a_file_that_changes_between_passes(tmp_path, monkeypatch):
    """It grows as it is looked at for the nth time: an error, or the answer for one state."""
    path = tmp_path / "in.jsonl"
    more = b'{"text": "one more"}\n'
    answers = []
    for data in (write_jsonl(path, INPUT).read_bytes(), path.read_bytes() + more):
        path.write_bytes(data)
        dedup(path, out=tmp_path / f"whole{len(answers)}")
        answers.append(tree(tmp_path / f"whole{len(answers)}"))
    real, refused = os.stat, []
    for moment in range(1, 20):
        write_jsonl(path, INPUT)
        calls = itertools.count(1)

        def later(name, *args, calls=calls, moment=moment, **kwargs):
            if name == str(path) and next(calls) == moment:
                with open(path, "ab") as file:
                    file.write(more)
            return real(name, *args, **kwargs)

        out = tmp_path / f"out{moment}"
        with monkeypatch.context() as patch:
            patch.setattr(os, "stat", later)
            try:
                dedup(path, out=out)
            except NeardupError as error:
                refused.append(str(error))
        assert tree(out) in answers or (not out.exists() and len(refused))
    assert len(refused) >= 4  # before and after each of the passes but the first
    for each in refused:  # as its stamp, or first as its rows, tell
        assert re.search(r"in\.jsonl: the (file changed while it was|data changed during)", each)


def test_a_file_that_grows_after_the_run(tmp_path):
    path = write_jsonl(tmp_path / "in.jsonl", INPUT)
    r = dedup(path)
    write_jsonl(path, INPUT[:10])
    with pytest.raises(NeardupError, match="changed"):
        list(r.kept)
    shutil.copy(path, tmp_path / "same.jsonl")
    with gzip.open(tmp_path / "same.jsonl.gz", "wb") as file:
        file.write(path.read_bytes())
    assert dedup(tmp_path / "same.jsonl").summary["documents"] == 10
