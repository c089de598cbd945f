"""Our own files, damaged: refused by name. Under a checksum made right: refused, or of use."""

from __future__ import annotations

import json
import shutil
import struct
import warnings
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import FOREIGN, Damage, damages
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import families, tree, write_jsonl
from neardup import (
    LSH,
    BloomStream,
    ContainmentIndex,
    DataError,
    Forest,
    HammingIndex,
    MultiProbeLSH,
    NeardupError,
    PackedSignatures,
    Signatures,
    StreamingDeduplicator,
    checkpoint,
    dedup,
    simhash,
    sketch,
)

SIGNATURES = sketch(["one text", "and another one", ""], size=6)
PROBED = sketch(["one text", "and another one", ""], size=6, runners_up=True)
STEADY = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
KEYS = [7, "b", b"c", -1][: len(SIGNATURES)]


def index() -> LSH:
    """An index with a removed row, its signatures kept."""
    made = LSH(6, 3, keep_signatures=True)
    made.insert(SIGNATURES)
    made.insert(SIGNATURES)
    made.remove(1)
    return made


def use_signatures(path: Path) -> None:
    """Load, and do all that can be done."""
    found = Signatures.load(path)
    for i in range(len(found)):
        assert 0.0 <= found.jaccard(i, 0) <= 1.0
    found.merge(found).save(path)
    assert np.array_equal(Signatures.load(path).matrix, found.matrix)


def use_index(path: Path) -> None:
    """Load, and do all that can be done."""
    found = LSH.load(path, num_threads=1)
    size = found.num_perm
    if found.keep_signatures:
        found.query(np.zeros((2, size), np.uint32), threshold=0.1)
    new = found.insert(np.arange(size, dtype=np.uint32)[None])
    assert new[0] in found
    found.remove(new[0])
    found.save(path)
    assert len(LSH.load(path)) == len(found)


def keyed() -> LSH:
    """An index with keys of three kinds, one of them removed."""
    made = LSH(6, 3, 2, num_threads=1)
    made.insert(SIGNATURES, keys=KEYS)
    made.remove(KEYS[1])
    return made


def use_keyed(path: Path) -> None:
    """Load, and do all that can be done."""
    found = LSH.load(path, num_threads=1)
    slots = np.arange(found.num_perm, dtype=np.uint32)[None]
    found.query(slots)
    if len(found) and KEYS[0] in found:
        found.update(KEYS[0], slots[0])
        found.remove(KEYS[0])
    found.save(path)
    assert len(LSH.load(path)) == len(found)


def stream() -> StreamingDeduplicator:
    """A stream that has seen some texts and forgotten one."""
    made = StreamingDeduplicator(size=6, bands=3, rows=2, max_documents=2, threads=1)
    for key, text in zip(KEYS, ["one text", "another text", "", "one more text"], strict=False):
        made.add(key, text)
    return made


def use_stream(path: Path) -> None:
    """Load, and do all that can be done."""
    found = StreamingDeduplicator.load(path, threads=1)
    found.check("x", "one text")
    found.add("new", "a text of its own, and more of it")
    match = found.check("y", "a text of its own, and more of it")
    assert match is not None
    assert match.similarity == 1.0
    found.save(path)
    assert len(StreamingDeduplicator.load(path)) == len(found)


def bloom() -> BloomStream:
    """A stream that has seen some."""
    made = BloomStream(20, 0.1, size=6, bands=3, rows=2)
    made.add(SIGNATURES)
    return made


def use_bloom(path: Path) -> None:
    """Load, and do all that can be done."""
    found = BloomStream.load(path, threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a forged count may be above capacity
        found.check_and_add(["one text", "more", ""])
        found.merge(found)
    assert 0.0 <= found.fill.false_positives <= 1.0
    found.save(path)
    assert BloomStream.load(path).fill == found.fill


def forest() -> Forest:
    """A small one."""
    made = Forest(2, 3, num_perm=6)
    made.insert(SIGNATURES)
    return made


def use_forest(path: Path) -> None:
    """Load, and do all that can be done."""
    found = Forest.load(path, num_threads=1)
    found.query(np.zeros((2, found.num_perm), np.uint32), 3)
    found.insert(np.arange(found.num_perm, dtype=np.uint32)[None])
    found.merge(found)
    found.save(path)
    assert len(Forest.load(path)) == len(found)


def probes() -> MultiProbeLSH:
    """A small one."""
    made = MultiProbeLSH(
        num_perm=6, num_bands=3, rows=2, probes="both", keep_signatures=True, num_threads=1
    )
    made.insert(PROBED)
    return made


def use_probes(path: Path) -> None:
    """Load, and do all that can be done."""
    found = MultiProbeLSH.load(path, num_threads=1)
    slots = np.arange(found.plan.size, dtype=np.uint32)[None]
    new = found.insert((slots, slots + np.uint32(1)))
    assert new[0] in [
        each[0] if found.keep_signatures else each
        for each in found.query((slots, slots + np.uint32(1)))[0]
    ]
    found.merge(found)
    found.save(path)
    assert len(MultiProbeLSH.load(path)) == len(found)


def containment_index() -> ContainmentIndex:
    """A small one."""
    return ContainmentIndex(["one text and another", "and another one", ""], shingle="word:1")


def use_containment_index(path: Path) -> None:
    """Load, and do all that can be done."""
    found = ContainmentIndex.load(path, threads=1)
    for answers in found.query(["one", "and another one", ""], 0.1):
        assert all(0 <= id < len(found) for id, _ in answers)
    found.insert(["a text"])
    assert (len(found) - 1, 1.0) in found.query("a text")
    found.merge(found)
    found.save(path)
    assert len(ContainmentIndex.load(path)) == len(found)


def packed() -> PackedSignatures:
    """Packed signatures, one of an empty text among them."""
    return SIGNATURES.pack(4)


def use_packed(path: Path) -> None:
    """Load, and do all that can be done."""
    found = PackedSignatures.load(path)
    for i in range(len(found)):
        assert 0.0 <= found.jaccard(i, 0) <= 1.0
    assert found.std_err(0.5) > 0.0
    found.save(path)
    assert np.array_equal(PackedSignatures.load(path).matrix, found.matrix)


def hamming() -> HammingIndex:
    """An index with a removed fingerprint and one of an empty text."""
    made = HammingIndex(distance=5)
    made.insert(simhash(["one two three", "four five six", "", "seven"]))
    made.remove(1)
    return made


def use_hamming(path: Path) -> None:
    """Load, and do all that can be done."""
    found = HammingIndex.load(path, num_threads=1)
    found.query([0, 1])
    found.pairs()
    new = found.insert([3])
    assert (new[0], 0) in found.query(3)
    found.remove(new[0])
    found.save(path)
    assert len(HammingIndex.load(path)) == len(found)


#: A file's name, how it is written, and what is done with it.
KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "a.sig": (SIGNATURES.save, use_signatures),
    "b.sig": (PROBED.save, use_signatures),
    "a.lsh": (lambda path: index().save(path), use_index),
    "b.lsh": (lambda path: keyed().save(path), use_keyed),
    "a.stream": (lambda path: stream().save(path), use_stream),
    "a.bloom": (lambda path: bloom().save(path), use_bloom),
    "a.forest": (lambda path: forest().save(path), use_forest),
    "a.probes": (lambda path: probes().save(path), use_probes),
    "a.containment": (lambda path: containment_index().save(path), use_containment_index),
    "a.packed": (lambda path: packed().save(path), use_packed),
    "a.hamming": (lambda path: hamming().save(path), use_hamming),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, bytes, Callable[..., None]]:
    """The place of a file, its bytes, and its use."""
    save, use = KINDS[request.param]
    path = tmp_path / request.param
    save(path)
    data = path.read_bytes()
    use(path)
    return path, data, use


@given(damage=damages())
@STEADY
def test_damage_is_refused_by_name(kind: Any, damage: Damage) -> None:
    path, data, use = kind
    path.write_bytes(damage(data))
    if damage(data) == data:
        use(path)
        return
    with pytest.raises(DataError, match=path.name):
        use(path)


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_foreign_file_is_refused_by_name(kind: Any, foreign: str) -> None:
    path, _, use = kind
    path.write_bytes(FOREIGN[foreign])
    with pytest.raises(DataError, match=path.name):
        use(path)


def sealed(body: bytes) -> bytes:
    """Under the checksum of a sound file."""
    return body + blake2b(body, digest_size=16).digest()


@given(damage=damages())
@STEADY
def test_a_lie_under_a_right_checksum_is_refused_or_of_use(kind: Any, damage: Damage) -> None:
    path, data, use = kind
    path.write_bytes(sealed(damage(data[:-16])))
    try:
        use(path)
    except NeardupError as error:
        assert path.name in str(error)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(data=st.data())
@settings(STEADY, max_examples=60)
def test_a_header_that_says_anything(kind: Any, data: st.DataObject) -> None:
    path, whole, use = kind
    length = struct.unpack_from("<I", whole, 12)[0]
    header = json.loads(whole[16 : 16 + length])
    header[data.draw(st.sampled_from(sorted(header)))] = data.draw(VALUES)
    text = json.dumps(header).encode()
    body = whole[:12] + struct.pack("<I", len(text)) + text + whole[16 + length : -16]
    path.write_bytes(sealed(body))
    try:
        use(path)
    except NeardupError as error:
        assert path.name in str(error)


class Stopped:
    """A watcher that stops a run at one of its stages."""

    def __init__(self, at: str) -> None:
        self.at = at

    def stage(self, name: str, total: int | None = None) -> None:
        if name == self.at:
            raise KeyboardInterrupt

    def advance(self, size: int, documents: int = 0) -> None: ...

    def warn(self, message: str) -> None: ...


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an input, a run over it, and what a run left that was stopped before writing."""
    at = tmp_path_factory.mktemp("stages")
    write_jsonl(at / "in.jsonl", families(33, 60))
    with open(at / "in.jsonl", "ab") as file:
        file.write(b'{"text":null}\n')
    options = {"on_error": "skip", "threads": 1}
    dedup(at / "in.jsonl", out=str(at / "whole"), **options)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(checkpoint, "WORTH_KEEPING", 0.0)
        dedup(at / "in.jsonl", out=str(at / "left"), progress=Stopped("writing"), **options)
    assert sorted(path.name for path in (at / "left" / ".neardup").iterdir()) == [
        "manifest.json", "pairs", "survey",
    ]  # fmt: skip
    return at


def resumed(stopped: Path, out: Path, name: str, data: bytes) -> None:
    """Hold that a run over what was left, one file of it changed, is refused or ends as the whole."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(stopped / "left", out)
    (out / ".neardup" / name).write_bytes(data)
    try:
        dedup(stopped / "in.jsonl", out=str(out), resume=True, on_error="skip", threads=1)
    except NeardupError as error:
        assert ".neardup" in str(error) or name in str(error)
        assert "overwrite=True" in str(error)
        assert "kept" not in {path.name for path in out.iterdir()}
    else:
        assert tree(out) == tree(stopped / "whole")


@pytest.mark.parametrize("name", ["survey", "pairs", "manifest.json"])
@given(damage=damages())
@settings(STEADY, max_examples=40)
def test_case_34_damaged_stage_files(
    stopped: Path, tmp_path: Path, name: str, damage: Damage
) -> None:
    data = (stopped / "left" / ".neardup" / name).read_bytes()
    resumed(stopped, tmp_path / "out", name, damage(data))


@pytest.mark.parametrize("name", ["survey", "pairs", "manifest.json"])
@pytest.mark.parametrize("foreign", FOREIGN)
def test_case_34_foreign_stage_files(
    stopped: Path, tmp_path: Path, name: str, foreign: str
) -> None:
    resumed(stopped, tmp_path / "out", name, FOREIGN[foreign])


@pytest.mark.parametrize("name", ["survey", "pairs"])
def test_case_34_stage_files_whose_parts_do_not_go_together(
    stopped: Path, tmp_path: Path, name: str
) -> None:
    """Each column of another length, each entry of the header gone, under a right checksum."""
    whole = (stopped / "left" / ".neardup" / name).read_bytes()
    length = struct.unpack_from("<I", whole, 12)[0]
    header = json.loads(whole[16 : 16 + length])
    sections, at = [], 16 + length
    for each in header["sections"]:
        sections.append(whole[at : at + each])
        at += each

    def forge(header: dict[str, Any], sections: list[bytes]) -> bytes:
        text = json.dumps({**header, "sections": [len(each) for each in sections]}).encode()
        return sealed(whole[:12] + struct.pack("<I", len(text)) + text + b"".join(sections))

    assert forge(header, sections) == whole
    forged = []
    columns = len(sections) - (name == "survey")  # the rejected rows are any number of bytes
    for i in range(columns):
        if sections[i]:
            forged.append(forge(header, [*sections[:i], sections[i][:-8], *sections[i + 1 :]]))
    for entry in header.keys() - {"sections"}:
        forged.append(forge({key: header[key] for key in header if key != entry}, sections))
        forged.append(forge({**header, entry: [None]}, sections))
    for data in forged:
        resumed_refused(stopped, tmp_path / "out", name, data)


def resumed_refused(stopped: Path, out: Path, name: str, data: bytes) -> None:
    """Hold that a run over what was left is refused."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(stopped / "left", out)
    (out / ".neardup" / name).write_bytes(data)
    with pytest.raises(DataError, match=rf"{name}: .* is inconsistent: .*overwrite=True"):
        dedup(stopped / "in.jsonl", out=str(out), resume=True, on_error="skip", threads=1)


def test_case_34_stage_files_of_another_run(stopped: Path, tmp_path: Path) -> None:
    """Sound files, but of another input, or of the same under other options."""
    whole = stopped / "in.jsonl"
    other = write_jsonl(tmp_path / "in.jsonl", families(34, 30))
    said = {
        "manifest.json": ["the stopped run did not read", "had threshold=0.7, this one has 0.8"],
        "survey": ["first pass is inconsistent: it belongs to a run over other inputs"] * 2,
        "pairs": ["verification is inconsistent: it belongs to a run over other inputs"] * 2,
    }
    for which, (path, options) in enumerate([(other, {}), (whole, {"threshold": 0.7})]):
        left = tmp_path / f"left{which}"
        with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(checkpoint, "WORTH_KEEPING", 0.0)
            stop = {"progress": Stopped("writing"), "on_error": "skip"}
            dedup(path, out=str(left), **stop, **options)
        for name, complaints in said.items():
            out = tmp_path / f"out {which} {name[:3]}"
            shutil.copytree(stopped / "left", out)
            shutil.copy(left / ".neardup" / name, out / ".neardup" / name)
            with pytest.raises(NeardupError, match=complaints[which]):
                dedup(whole, out=str(out), resume=True, on_error="skip")
