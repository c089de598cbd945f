"""One answer of a peer, as a cluster number a document: what `accuracy.py` holds against the truth.

Runs in an environment that has the peer, on rows of `{"id": ROW, "text": ...}`:

    python benchmarks/accuracy_peers.py text-dedup|datatrove CORPUS.jsonl THRESHOLD OUT.json

Settings are the peer's own but for the shingle, which is 3 words. text-dedup is given 128
permutations and the threshold, for which it chooses its bands; datatrove has no threshold but
14 buckets of 8 hashes. OUT.json holds `version`, `setting` and `kept`: the rows that stay. Beside
it, OUT.words.jsonl holds the texts as the words that the peer cuts them into, so that it can be
judged by these too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

SHINGLE = 3
Words = Callable[[str], list[str]]
Answer = tuple[str, list[int], Words]


def text_dedup(corpus: Path, threshold: float, work: Path) -> Answer:
    """text-dedup's MinHash, by its command."""
    import datasets
    from text_dedup.minhash import NON_ALPHA

    words = f"--path json --data_files {corpus} --split train --column text --batch_size 10000"
    words += f" --cache_dir {work / 'cache'} --output {work / 'out'}"
    words += f" --ngram {SHINGLE} --min_length 1 --num_perm 128 --threshold {threshold}"
    call = [sys.executable, "-m", "text_dedup.minhash", *words.split()]
    subprocess.run(call, check=True, cwd=work, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    kept = datasets.load_from_disk(str(work / "out"))["id"]
    setting = f"128 permutations, {SHINGLE}-word shingles, threshold {threshold:g}"
    return setting, [int(row) for row in kept], lambda text: NON_ALPHA.split(text.lower())


def datatrove(corpus: Path, threshold: float, work: Path) -> Answer:
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
    from datatrove.utils.text import simplify_text
    from datatrove.utils.word_tokenizers import load_word_tokenizer

    config = MinhashConfig(n_grams=SHINGLE)
    step = {name: str(work / name) for name in ("sigs", "buckets", "remove", "kept", "logs")}
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
        LocalPipelineExecutor(
            pipeline, tasks=tasks, workers=1, skip_completed=False, logging_dir=step["logs"]
        ).run()
    kept = [
        int(json.loads(line)["id"])
        for path in sorted(Path(step["kept"]).glob("*.jsonl"))
        for line in path.read_text("utf-8").split("\n")
        if line
    ]
    setting = f"{config.num_buckets} buckets of {config.hashes_per_bucket} hashes"
    tokenize = load_word_tokenizer("eng").word_tokenize
    setting = f"{setting}, {SHINGLE}-word shingles"
    return setting, kept, lambda text: tokenize(simplify_text(text, config.norm_config))


PEERS = {"text-dedup": text_dedup, "datatrove": datatrove}


def main(peer: str, corpus: str, threshold: str, out: str) -> None:
    """Run one peer and write which rows it keeps."""
    with tempfile.TemporaryDirectory() as work:
        setting, kept, words = PEERS[peer](Path(corpus).resolve(), float(threshold), Path(work))
    with open(corpus, encoding="utf-8") as rows, open(f"{out}.words.jsonl", "w") as written:
        for row in rows:
            # An empty word, of which text-dedup has many, becomes a sign; spaces in words go.
            cut = ["".join(word.split()) or "-" for word in words(json.loads(row)["text"])]
            written.write(json.dumps({"text": " ".join(cut)}) + "\n")
    found = {"version": version(peer), "setting": setting, "kept": sorted(kept)}
    Path(out).write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
