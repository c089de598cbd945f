"""Writes files/, one sample of each file that is written, for later versions to read or to refuse by name.

``python tests/golden/make_files.py`` writes them anew. They change only with a version of their format.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import make

from neardup import (
    LSH,
    BloomStream,
    ContainmentIndex,
    Forest,
    HammingIndex,
    MultiProbeLSH,
    StreamingDeduplicator,
    checkpoint,
    dedup,
    simhash,
    sketch,
)

FOLDER = Path(__file__).with_name("files")
KEYS = (7, "two", b"three", -4)
TEXTS = [make.TEXTS[name] for name in ("english", "chinese", "empty", "arabic")]
SIZE, SEED, SHINGLE = 8, 7, "char:3"
ROWS = [
    {"id": f"r{i}", "text": text}
    for i, text in enumerate(
        ["one two three four five six", "One, two, three: four five six!", "one two three four five",
         "something else that is not alike", None, "something else that is not alike"]
    )
]  # fmt: skip
OPTIONS = {"threshold": 0.7, "id": "id", "on_error": "skip", "size": SIZE, "bands": 4, "rows": 2}


class Stopped:
    """A watcher that stops a run before it writes."""

    def stage(self, name: str, total: int | None = None) -> None:
        if name == "writing":
            raise KeyboardInterrupt

    def advance(self, size: int, documents: int = 0) -> None: ...

    def warn(self, message: str) -> None: ...


def make_files(folder: Path) -> None:
    """Write every kind of file; names of sources are relative, and stage files lie side by side."""
    folder.mkdir(exist_ok=True)
    signatures = sketch(TEXTS, size=SIZE, seed=SEED, shingle=SHINGLE)
    signatures.save(folder / "signatures.sig")
    index = LSH(SIZE, 4, keep_signatures=True)
    index.insert(signatures)
    index.insert(signatures)
    index.remove(1)
    index.save(folder / "index.lsh")
    keyed = LSH(SIZE, 4, 2)
    keyed.insert(signatures, keys=KEYS)
    keyed.remove(KEYS[1])
    keyed.save(folder / "keys.lsh")
    seen = StreamingDeduplicator(size=SIZE, seed=SEED, bands=4, rows=2, shingle=SHINGLE, threads=1)
    for at, (key, text) in enumerate(zip(KEYS, TEXTS, strict=True)):
        seen.add(key, text, at=float(at))
    seen.save(folder / "seen.stream")
    probed = sketch(TEXTS, size=SIZE, seed=SEED, shingle=SHINGLE, runners_up=True)
    probed.save(folder / "probed.sig")
    probes = MultiProbeLSH(num_perm=SIZE, num_bands=4, rows=2, probes="both", keep_signatures=True)
    probes.insert(probed)
    probes.save(folder / "index.probes")
    forest = Forest(4, 3, num_perm=SIZE)
    forest.insert(signatures)
    forest.save(folder / "index.forest")
    stream = BloomStream(8, 0.01, bands=4, rows=2, size=SIZE, seed=SEED, shingle=SHINGLE)
    stream.add(TEXTS)
    stream.save(folder / "stream.bloom")
    ContainmentIndex(TEXTS, shingle=SHINGLE).save(folder / "index.containment")
    signatures.pack(4).save(folder / "signatures.packed")
    prints = simhash(TEXTS, seed=SEED, shingle=SHINGLE)
    prints.save(folder / "fingerprints.sig")
    near = HammingIndex(distance=5)
    near.insert(prints)
    near.insert(prints)
    near.remove(1)
    near.save(folder / "index.hamming")
    before = os.getcwd(), checkpoint.WORTH_KEEPING
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        try:
            Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
            dedup(Path("in.jsonl"), out="out", **OPTIONS)
            checkpoint.WORTH_KEEPING = 0.0
            with contextlib.suppress(KeyboardInterrupt):
                dedup(Path("in.jsonl"), out="left", progress=Stopped(), **OPTIONS)
            for path in [*Path("out").glob("*.*"), *Path("left", ".neardup").glob("*")]:
                name = f"stage-{path.name}" if path.parent.name == ".neardup" else path.name
                shutil.copyfile(path, folder / name)
        finally:
            os.chdir(before[0])
            checkpoint.WORTH_KEEPING = before[1]


if __name__ == "__main__":
    make_files(FOLDER)
