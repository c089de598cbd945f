"""The committed samples in files/ are read as what they were, and written alike today."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from make_files import FOLDER, KEYS, ROWS, SEED, SHINGLE, SIZE, TEXTS, make_files

from neardup import (
    LSH,
    BloomStream,
    ContainmentIndex,
    DataError,
    Fingerprints,
    Forest,
    HammingIndex,
    MultiProbeLSH,
    PackedSignatures,
    Signatures,
    StreamingDeduplicator,
    checkpoint,
    reference,
    sketch,
)

SPEC = {"normalize": "nfkc,casefold,collapse-space", "shingle": SHINGLE}


def slots(text: str) -> list[int]:
    """The signature of a text, by the twin."""
    shingles = reference.shingles(text, **SPEC)
    made = reference.fast_sketch(set(shingles), SIZE, SEED, reference.ROUNDS)
    return made if shingles else [reference.EMPTY_SLOT] * SIZE


def test_every_kind_has_a_sample_and_every_sample_a_version(tmp_path: Path) -> None:
    make_files(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(p.name for p in FOLDER.iterdir())
    for name in (*SEALED, "stage-survey", "stage-pairs"):
        assert int.from_bytes((FOLDER / name).read_bytes()[8:12], "little") == 1
    for name in ("removed", "pairs", "clusters"):
        assert (
            pq.read_schema(FOLDER / f"{name}.parquet").metadata[b"neardup.table"]
            == f"{name}/1".encode()
        )
    for name in ("summary.json", "stage-manifest.json"):
        assert json.loads((FOLDER / name).read_bytes())["version"]


SEALED = {
    "signatures.sig": Signatures.load,
    "probed.sig": Signatures.load,
    "index.lsh": LSH.load,
    "keys.lsh": LSH.load,
    "seen.stream": StreamingDeduplicator.load,
    "index.probes": MultiProbeLSH.load,
    "index.forest": Forest.load,
    "stream.bloom": BloomStream.load,
    "index.containment": ContainmentIndex.load,
    "signatures.packed": PackedSignatures.load,
    "fingerprints.sig": Signatures.load,
    "index.hamming": HammingIndex.load,
}


@pytest.mark.parametrize("name", [*SEALED, "rejected.jsonl"])
def test_files_that_are_written_alike_to_the_byte(tmp_path: Path, name: str) -> None:
    make_files(tmp_path)
    assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_tables_and_summary_are_written_alike(tmp_path: Path) -> None:
    make_files(tmp_path)
    for name in ("removed", "pairs", "clusters"):
        found, expected = (pq.read_table(at / f"{name}.parquet") for at in (tmp_path, FOLDER))
        assert found.equals(expected)
        assert found.schema.equals(expected.schema, check_metadata=True)
    clock = {"seconds", "megabytes_per_second", "peak_rss_bytes", "version"}
    found, expected = (json.loads((at / "summary.json").read_bytes()) for at in (tmp_path, FOLDER))
    assert found.keys() == expected.keys()
    for name in expected.keys() - clock:
        assert found[name] == expected[name], name


def test_signatures() -> None:
    found = Signatures.load(FOLDER / "signatures.sig")
    assert found.matrix.tolist() == [slots(text) for text in TEXTS]
    assert found.counts.tolist() == [len(set(reference.shingles(t, **SPEC))) for t in TEXTS]
    assert found.identity == sketch([], size=SIZE, seed=SEED, shingle=SHINGLE).identity
    assert found.identity.startswith("fast/1 size=8 seed=7 ")


def test_an_index() -> None:
    index = LSH.load(FOLDER / "index.lsh")
    assert (index.num_perm, index.num_bands, index.rows, len(index)) == (8, 4, 2, 7)
    found = index.query(Signatures.load(FOLDER / "signatures.sig"))
    assert found == [[(0, 1.0), (4, 1.0)], [(5, 1.0)], [], [(3, 1.0), (7, 1.0)]]
    assert index.insert(np.zeros((1, 8), np.uint32)) == range(8, 9)


def test_an_index_under_keys() -> None:
    index = LSH.load(FOLDER / "keys.lsh")
    assert [key in index for key in KEYS] == [True, False, True, True]
    for key, text in zip(KEYS, TEXTS, strict=True):
        found = index.query(np.array(slots(text), np.uint32))
        assert (key in found) == (key in index and bool(reference.shingles(text, **SPEC)))


def test_a_stream() -> None:
    stream = StreamingDeduplicator.load(FOLDER / "seen.stream")
    assert len(stream) == len(TEXTS)
    for key, text in zip(KEYS, TEXTS, strict=True):
        match = stream.check("new", text)
        assert match is not None
        assert (match.id, match.similarity) == (key, 1.0)


def test_lookups_beside_the_index() -> None:
    sets = [set(reference.shingles(text, **SPEC)) for text in TEXTS]
    probed = Signatures.load(FOLDER / "probed.sig")
    assert probed.matrix.tolist() == [slots(text) for text in TEXTS]
    second = [reference.runners_up(each, SIZE, SEED) for each in sets]
    assert probed.runners_up is not None
    assert probed.runners_up.tolist() == second
    probes = MultiProbeLSH.load(FOLDER / "index.probes")
    keys = [
        set(reference.probes(a, b, 4, 2))
        for a, b in zip(probed.matrix.tolist(), second, strict=True)
    ]
    expected = [{i for i, other in enumerate(keys) if own & other} for own in keys]
    assert [{i for i, _ in found} for found in probes.query(probed)] == expected
    forest = Forest.load(FOLDER / "index.forest")
    rows = probed.matrix.tolist()
    assert forest.query(probed, 2, candidates=2) == [
        reference.forest(rows, row, 4, 3, 2, 2) for row in rows
    ]
    stream = BloomStream.load(FOLDER / "stream.bloom")
    assert stream.check(TEXTS).tolist() == [bool(each) for each in sets]
    assert stream.fill.documents == sum(map(bool, sets))
    index = ContainmentIndex.load(FOLDER / "index.containment")
    assert index.query(TEXTS, 0.1) == [reference.containing(each, sets, 0.1) for each in sets]


def test_packed_signatures() -> None:
    found = PackedSignatures.load(FOLDER / "signatures.packed")
    assert found.matrix.tolist() == [reference.pack(slots(text), 4) for text in TEXTS]
    assert found.counts.tolist() == [len(set(reference.shingles(t, **SPEC))) for t in TEXTS]
    assert (found.size, found.bits) == (SIZE, 4)
    assert found.identity == sketch([], size=SIZE, seed=SEED, shingle=SHINGLE).pack(4).identity


def test_fingerprints_and_their_index() -> None:
    found = Signatures.load(FOLDER / "fingerprints.sig")
    assert isinstance(found, Fingerprints)
    made = [reference.simhash(reference.shingles(text, **SPEC), 64, SEED) for text in TEXTS]
    assert found.hex() == [f"{each:016x}" for each in made]
    assert found.identity.startswith("simhash/1 size=64 seed=7 ")
    index = HammingIndex.load(FOLDER / "index.hamming")
    assert (index.bits, index.distance, len(index)) == (64, 5, 7)
    assert index.query(found) == [[(0, 0), (4, 0)], [(5, 0)], [], [(3, 0), (7, 0)]]
    assert index.insert([0]) == range(8, 9)


def test_a_finished_first_pass() -> None:
    header, sections = checkpoint.SURVEY.read(FOLDER / "stage-survey", len(checkpoint._ARRAYS) + 2)
    assert (header["bands"], header["rejected"]) == (4, {"0": 1})
    assert header["absent"] == ["keep_value", "keep_rest"]
    kinds = checkpoint._ARRAYS.items()
    found = {
        name: np.frombuffer(part, kind) for (name, kind), part in zip(kinds, sections, strict=False)
    }
    texts = [row["text"] for row in ROWS]
    assert found["starts"].tolist() == [0, len(ROWS)]
    assert found["ok"].tolist() == [text is not None for text in texts]
    keys = np.frombuffer(sections[-2], "<u8").reshape(4, -1)
    for row, text in enumerate(texts):
        if text is not None:
            normal = reference.normalize(text, SPEC["normalize"])
            for name, digested in (("digest", normal), ("raw", text)):
                low, high = found[name].reshape(-1, 2)[row].tolist()
                assert high << 64 | low == reference.digest(digested.encode())
            made = reference.fast_sketch(
                set(reference.shingles(text, normalize=SPEC["normalize"], shingle="word:3")),
                SIZE,
                42,
                reference.ROUNDS,
            )
            assert keys[:, row].tolist() == reference.band_keys(made, 4, 2)
            assert found["bytes"][row] == len(text)
            assert found["tokens"][row] == found["words"][row] == len(text.split())
    assert bytes(sections[-1]) == (FOLDER / "rejected.jsonl").read_bytes()


def test_a_finished_verification() -> None:
    header, sections = checkpoint.PAIRS.read(FOLDER / "stage-pairs", 4)
    a, b, similarity, differ = (
        np.frombuffer(part, kind).tolist()
        for part, kind in zip(sections, checkpoint._SIDES.values(), strict=True)
    )
    assert list(zip(a, b, similarity, strict=True)) == [(0, 1, 1.0), (0, 2, 0.75), (1, 2, 0.75)]
    assert not any(differ)
    assert (header["guarded"], header["candidates"]["capped_buckets"]) == (0, 0)
    survey, _ = checkpoint.SURVEY.read(FOLDER / "stage-survey", len(checkpoint._ARRAYS) + 2)
    assert header["run"] == survey["run"]


def test_tables() -> None:
    removed = pq.read_table(FOLDER / "removed.parquet").to_pylist()
    told = [(row["id"], row["kept_id"], row["similarity"], row["reason"]) for row in removed]
    assert told == [
        ("r1", "r0", 1.0, "near"),
        ("r2", "r0", 0.75, "near"),
        ("r5", "r3", 1.0, "exact"),
    ]
    pairs = pq.read_table(FOLDER / "pairs.parquet")
    sides = zip(pairs["row_a"].to_pylist(), pairs["row_b"].to_pylist(), strict=True)
    assert list(sides) == [(0, 1), (0, 2), (1, 2), (3, 5)]
    clusters = pq.read_table(FOLDER / "clusters.parquet")
    assert clusters["cluster"].to_pylist() == [0, 0, 0, 1, 1]
    assert clusters["representative"].to_pylist() == [True, False, False, True, False]
    rejected = json.loads((FOLDER / "rejected.jsonl").read_bytes())
    assert (rejected["row"], rejected["reason"]) == (4, 'field "text" is null')
    summary = json.loads((FOLDER / "summary.json").read_bytes())
    assert (summary["documents"], summary["kept"], summary["removed"], summary["rejected"]) == (
        6,
        2,
        3,
        1,
    )


@pytest.mark.parametrize("name", SEALED)
def test_another_version_is_refused_by_name(tmp_path: Path, name: str) -> None:
    data = bytearray((FOLDER / name).read_bytes())
    data[8] = 2
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DataError, match=rf"{name}: .* is of version 2, this program reads 1"):
        SEALED[name](path)
