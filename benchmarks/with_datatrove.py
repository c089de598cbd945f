"""Datatrove's MinHash pipeline as its documentation shows it: four stages, one worker.

`with_datatrove.py IN OUT`: folders of JSON Lines.
"""

from __future__ import annotations

import os
import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import (
    MinhashConfig,
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
)
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter


def main() -> None:
    """Run the four stages, one after the other."""
    data, out = sys.argv[1:3]
    config = MinhashConfig(num_buckets=14, hashes_per_bucket=8)
    stage = {
        name: os.path.join(out, "datatrove", name)
        for name in ("signatures", "buckets", "remove", "kept")
    }
    for tasks, steps in (
        (1, [JsonlReader(data), MinhashDedupSignature(stage["signatures"], config=config)]),
        (14, [MinhashDedupBuckets(stage["signatures"], stage["buckets"], config=config)]),
        (1, [MinhashDedupCluster(stage["buckets"], stage["remove"], config=config)]),
        (
            1,
            [
                JsonlReader(data),
                MinhashDedupFilter(stage["remove"]),
                JsonlWriter(stage["kept"], compression=None),
            ],
        ),
    ):
        logs = os.path.join(out, "datatrove", "logs")
        LocalPipelineExecutor(
            pipeline=steps, tasks=tasks, workers=1, skip_completed=False, logging_dir=logs
        ).run()


if __name__ == "__main__":
    main()
