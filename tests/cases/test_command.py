"""The command line's promises: exit status, one line a fault, what goes to which stream."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from harness import SUMMARY_KEYS, families, neardup, one_line, tree, write_jsonl

TEXTS = families(5, 400)


@pytest.fixture
def path(tmp_path):
    return write_jsonl(tmp_path / "in.jsonl", TEXTS)


def kept_lines(path, out):
    removed = set(pq.read_table(out / "removed.parquet")["row"].to_pylist())
    lines = path.read_bytes().splitlines(keepends=True)
    return b"".join(line for row, line in enumerate(lines) if row not in removed)


def test_a_folder_holds_what_the_contract_names(command, path, tmp_path):
    done = command(path, "-o", tmp_path / "out")
    assert (done.returncode, done.stdout) == (0, b"")
    names = {"kept/in.jsonl", "removed.parquet", "pairs.parquet", "clusters.parquet"}
    assert set(tree(tmp_path / "out")) == names
    summary = json.loads((tmp_path / "out" / "summary.json").read_bytes())
    assert [key for key in summary if key in SUMMARY_KEYS] == SUMMARY_KEYS
    assert set(summary) - set(SUMMARY_KEYS) == {"hamming", "short_han", "verify"}
    assert list(summary["sources"]) == [str(path)]
    assert set(summary["sources"][str(path)]) == {"documents", "kept", "removed", "rejected"}
    removed, pairs, clusters = (
        pq.read_schema(tmp_path / "out" / f"{name}.parquet")
        for name in ("removed", "pairs", "clusters")
    )
    place = ["source", "row", "id"]
    kept = [f"kept_{name}" for name in place]
    assert removed.names == [*place, *kept, "similarity", "reason"]
    sides = [f"{name}_{side}" for side in "ab" for name in place]
    assert pairs.names == [*sides, "similarity"]
    assert clusters.names == [*place, "cluster", "representative"]
    types = {f.name: str(f.type) for schema in (removed, pairs, clusters) for f in schema}
    for kind, names in {
        "int64": ("row", "kept_row", "row_a", "row_b", "cluster"),
        "double": ("similarity",),
        "bool": ("representative",),
        "string": ("source", "id", "kept_source", "kept_id", "source_a", "id_b", "reason"),
    }.items():
        assert {types[name] for name in names} == {kind}


def test_json_is_all_there_is_on_standard_output(command, path, tmp_path):
    done = command(path, "-o", tmp_path / "out", "--json")
    printed, written = (
        json.loads(done.stdout),
        json.loads((tmp_path / "out" / "summary.json").read_bytes()),
    )
    assert printed == written
    assert done.stderr != b""
    quiet = command(path, "--dry-run", "--json", "--quiet")
    assert quiet.stderr == b""
    timed = ("seconds", "megabytes_per_second", "peak_rss_bytes")
    assert {k: v for k, v in json.loads(quiet.stdout).items() if k not in timed} == {
        k: v for k, v in printed.items() if k not in timed
    }


def test_quiet_says_nothing_but_faults(command, path, tmp_path):
    done = command(path, "-o", tmp_path / "out", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    one_line(command(path, "-o", tmp_path / "out", "--quiet"), 2, "is not empty")


def test_dry_run_writes_nothing(command, path, tmp_path):
    before = tree(tmp_path, without=())
    asked = [
        "--removed",
        "r.parquet",
        "--pairs",
        "p.parquet",
        "--rejected",
        "x.jsonl",
        "--on-error",
        "skip",
    ]
    for out in ([], ["-o", "out"], ["-o", "out.jsonl"], ["-o", "-"]):
        done = command(path, "--dry-run", *out, *asked, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, b"")
        assert b"documents" in done.stderr
    assert tree(tmp_path, without=()) == before


def test_one_file_and_what_was_asked_for(command, path, tmp_path):
    assert command(path, "-o", tmp_path / "out").returncode == 0
    asked = ["--removed", tmp_path / "r.parquet", "--pairs", tmp_path / "sub" / "p.parquet"]
    done = command(path, "-o", tmp_path / "one.jsonl", *asked)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "one.jsonl").read_bytes() == kept_lines(path, tmp_path / "out")
    assert (tmp_path / "r.parquet").read_bytes() == (
        tmp_path / "out" / "removed.parquet"
    ).read_bytes()
    assert (tmp_path / "sub" / "p.parquet").read_bytes() == (
        tmp_path / "out" / "pairs.parquet"
    ).read_bytes()
    assert {p.name for p in tmp_path.iterdir()} == {
        "in.jsonl",
        "out",
        "one.jsonl",
        "r.parquet",
        "sub",
    }


def test_standard_streams(command, path, tmp_path):
    assert command(path, "-o", tmp_path / "out").returncode == 0
    data = path.read_bytes()
    for source, stdin in ((path, None), ("-", data)):
        done = command(
            source, "-o", "-", "--removed", tmp_path / f"{source != '-'}.parquet", stdin=stdin
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == kept_lines(path, tmp_path / "out")
    assert command("-", "-o", tmp_path / "piped", stdin=data).returncode == 0
    assert (tmp_path / "piped" / "kept" / "stdin.jsonl").read_bytes() == kept_lines(
        path, tmp_path / "out"
    )
    assert set(pq.read_table(tmp_path / "piped" / "removed.parquet")["source"].to_pylist()) == {"-"}
    one_line(command(path, "-o", "-", "--json"), 2, "--json")
    one_line(command(path, "-o", "-", "--on-error", "skip"), 2, "--rejected")
    one_line(command(path, "-o", "-", "--rejected", "r.jsonl"), 2, "--on-error skip")


def test_rejected_rows_beside_one_file(command, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"text":"a b c d"}\n{"text":1}\n\xff\xfe\n{"text":"e f g h"}')
    one_line(command(path, "-o", tmp_path / "o.jsonl", "--on-error", "skip"), 2, "--rejected FILE")
    done = command(
        path, "-o", tmp_path / "o.jsonl", "--on-error", "skip", "--rejected", tmp_path / "x.jsonl"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "o.jsonl").read_bytes() == b'{"text":"a b c d"}\n{"text":"e f g h"}'
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_bytes().splitlines()]
    assert [(row["row"], row.get("raw"), row.get("raw_base64")) for row in rows] == [
        (1, '{"text":1}', None),
        (2, None, "//4="),
    ]


@pytest.mark.parametrize(
    ("typed", "status", "words"),
    [
        (["in.jsonl"], 2, ["-o OUT"]),
        ([], 2, ["INPUT"]),
        (["in.jsonl", "-o", "x", "--no-such"], 2, ["--no-such"]),
        (["in.jsonl", "in.jsonl", "-o", "x"], 2, ["named twice"]),
        (["in.jsonl", "-o", "x.parquet"], 2, ["x.parquet is parquet", "jsonl"]),
        (["in.jsonl", "copy.jsonl", "-o", "x.jsonl"], 2, ["one file for 2 inputs"]),
        (["in.jsonl", "copy.jsonl", "-o", "-"], 2, ["2 inputs"]),
        (["in.jsonl", "-o", "x", "--config", "none.toml"], 2, ["none.toml"]),
        (["in.jsonl", "-o", "x", "--encoding", "klingon"], 2, ["klingon"]),
        (["in.jsonl", "-o", "x", "--encoding", "utf-16"], 2, ["utf-16"]),
        (["in.jsonl", "-o", "x", "--text", "body"], 1, ["in.jsonl:1: ", '"body"', "--text text"]),
        (["none.jsonl", "-o", "x"], 1, ["none.jsonl", "no such file"]),
        (["in.jsonl", "-o", "x", "--against", "none.jsonl"], 1, ["none.jsonl", "no such file"]),
        (["*.csv", "-o", "x"], 1, ["*.csv", "no file matches"]),
        (["empty", "-o", "x"], 1, ["empty", "no file"]),
        (["in.jsonl", "-o", "in.jsonl/x"], 1, ["in.jsonl/x", "cannot be written"]),
        (["in.jsonl", "-o", "x", "--removed", "empty"], 2, ["empty"]),
    ],
)  # fmt: skip
def test_faults_have_a_status_and_words(command, path, tmp_path, typed, status, words):
    write_jsonl(tmp_path / "copy.jsonl", TEXTS)
    (tmp_path / "empty").mkdir()
    before = tree(tmp_path)
    done = command(*typed, cwd=tmp_path)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (status, b""), said
    assert "Traceback" not in said
    assert all(word in said for word in words), said
    if not said.startswith("Usage:"):
        assert said.count("\n") == 1, said
    assert tree(tmp_path) == before
    assert not (tmp_path / "x").exists()


def test_verify_none_says_that_nothing_is_guaranteed(command, path, tmp_path):
    said = " ".join(command(path, "-o", tmp_path / "o", "--verify", "none").stderr.decode().split())
    assert "nothing is guaranteed" in said
    for how in ("exact", "sketch"):
        assert b"guaranteed" not in command(path, "--dry-run", "--verify", how).stderr


def test_capped_buckets_are_said(command, tmp_path):
    words = [f"w{i}" for i in range(100)]
    path = write_jsonl(tmp_path / "t.jsonl", (" ".join([*words, f"x{i}"]) for i in range(200)))
    done = command(path, "-o", tmp_path / "o", "--bucket-cap", "100")
    summary = json.loads((tmp_path / "o" / "summary.json").read_bytes())
    assert summary["capped_buckets"] > 0
    assert summary["capped_pairs"] > 0
    said = " ".join(done.stderr.decode().split())
    assert f"{summary['capped_buckets']:,} buckets were larger than the cap" in said
    assert f"{summary['capped_pairs']:,} pairs were not compared" in said
    assert b"the cap" not in command(path, "--dry-run").stderr


def test_whole_files_are_documents(command, tmp_path):
    for name, text in (
        ("a", "one text\nof two lines\n"),
        ("b", "one text\nof two lines\n"),
        ("c", "other\n"),
    ):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.txt").write_text(text)
    done = command(tmp_path / "in", "-o", tmp_path / "out", "--whole-file", "--json")
    summary = json.loads(done.stdout)
    assert (summary["documents"], summary["kept"], summary["exact_duplicates"]) == (3, 2, 1)
    assert (tmp_path / "out" / "kept" / "a.txt").read_text() == "one text\nof two lines\n"
    assert not (tmp_path / "out" / "kept" / "b.txt").exists()
    again = command(tmp_path / "out" / "kept", "-o", tmp_path / "2", "--whole-file", "--json")
    assert (json.loads(again.stdout)["documents"], json.loads(again.stdout)["kept"]) == (2, 2)


def test_the_other_side_is_read_as_the_inputs_are(command, tmp_path):
    (tmp_path / "a.csv").write_bytes(
        "text\n这是一个很长的句子\n另一个完全不同的句子\n".encode("gb18030")
    )
    (tmp_path / "b.csv").write_bytes("text\n这是一个很长的句子\n".encode("gb18030"))
    done = command(
        tmp_path / "a.csv",
        "-o",
        tmp_path / "out",
        "--against",
        tmp_path / "b.csv",
        "--encoding",
        "gb18030",
    )
    assert done.returncode == 0, done.stderr
    removed = pq.read_table(tmp_path / "out" / "removed.parquet").to_pylist()
    assert [(row["row"], row["kept_source"]) for row in removed] == [(0, str(tmp_path / "b.csv"))]


def test_a_reader_that_hangs_up(path):
    child = subprocess.Popen(
        [sys.executable, "-m", "neardup", "dedup", str(path), "-o", "-", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.close()
    said = child.stderr.read()
    child.stderr.close()
    child.wait(timeout=60)
    assert said == b""
    assert child.returncode in (1, -signal.SIGPIPE)


def test_names_that_are_no_text(command, tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    with open(name, "wb") as file:
        file.write(b'{"text":"a"}\n{"text":"a"}\n')
    for out in ("out", "out.jsonl"):
        done = command(os.fsdecode(name), "-o", tmp_path / out, "--json")
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
    assert os.path.exists(os.fsencode(tmp_path) + b"/out/kept/caf\xe9.jsonl")
    source = pq.read_table(tmp_path / "out" / "removed.parquet")["source"].to_pylist()
    summary = json.loads((tmp_path / "out" / "summary.json").read_bytes())
    assert source == list(summary["sources"]) == [f"{tmp_path}/caf\\xe9.jsonl"]


def test_help_and_version_need_no_data():
    for typed in (["--help"], ["--version"], ["dedup", "--help"], ["explain"]):
        done = neardup(*typed)
        assert (done.returncode, done.stderr) == (0, b"")
    assert neardup("no-such-command").returncode == 2
