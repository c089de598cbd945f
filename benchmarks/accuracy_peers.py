"""One answer of a peer, as a cluster number a document: what `accuracy.py` holds against the truth.

Runs in an environment that has the peer, on rows of `{"id": ROW, "text": ...}`:

    python benchmarks/accuracy_peers.py text-dedup|datatrove CORPUS.jsonl THRESHOLD OUT.json

Settings are the peer's own but for the shingle, which is 3 words. text-dedup is given 128
permutations and the threshold, for which it chooses its bands; datatrove has no threshold but
14 buckets of 8 hashes. OUT.json holds `version`, `setting` and `kept`: the rows that stay.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

SHINGLE = 3


def text_dedup(corpus: Path, threshold: float, work: Path) -> tuple[str, list[int]]:
    """text-dedup's MinHash, by its command."""
    import datasets

    words = f"--path json --data_files {corpus} --split train --column text --batch_size 10000"
    words += f" --cache_dir {work / 'cache'} --output {work / 'out'}"
    words += f" --ngram {SHINGLE} --min_length 1 --num_perm 128 --threshold {threshold}"
    call = [sys.executable, "-m", "text_dedup.minhash", *words.split()]
    subprocess.run(call, check=True, cwd=work, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    kept = datasets.load_from_disk(str(work / "out"))["id"]
    return f"128 permutations, {SHINGLE}-word shingles, threshold {threshold:g}", [
        int(row) for row in kept
    ]


def datatrove(corpus: Path, threshold: float, work: Path) -> tuple[str, list[int]]:
    """datatrove's MinHash, its four steps in one process."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import (
        MinhashConfig,
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
    )
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    config = MinhashConfig(n_grams=SHINGLE)
    step = {name: str(work / name) for name in ("sigs", "buckets", "remove", "kept")}
    reader = JsonlReader(str(corpus.parent), glob_pattern=corpus.name)
    for pipeline in (
        [reader, MinhashDedupSignature(step["sigs"], config=config)],
        [MinhashDedupBuckets(step["sigs"], step["buckets"], config=config)],
        [MinhashDedupCluster(step["buckets"], step["remove"], config=config)],
        [
            reader,
            MinhashDedupFilter(step["remove"]),
            JsonlWriter(step["kept"], compression=None),
        ],
    ):
        tasks = config.num_buckets if isinstance(pipeline[0], MinhashDedupBuckets) else 1
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1, skip_completed=False).run()
    kept = [
        int(json.loads(line)["id"])
        for path in sorted(Path(step["kept"]).glob("*.jsonl"))
        for line in path.read_text("utf-8").split("\n")
        if line
    ]
    setting = f"{config.num_buckets} buckets of {config.hashes_per_bucket} hashes"
    return f"{setting}, {SHINGLE}-word shingles", kept


PEERS = {"text-dedup": text_dedup, "datatrove": datatrove}


def main(peer: str, corpus: str, threshold: str, out: str) -> None:
    """Run one peer and write which rows it keeps."""
    with tempfile.TemporaryDirectory() as work:
        setting, kept = PEERS[peer](Path(corpus).resolve(), float(threshold), Path(work))
    found = {"version": version(peer), "setting": setting, "kept": sorted(kept)}
    Path(out).write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
