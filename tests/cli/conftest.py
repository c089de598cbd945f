"""What command line tests share: a runner, and a complete summary of a run that never was."""

import pytest
from click.testing import CliRunner

from neardup.cli import main


@pytest.fixture
def neardup():
    """Call the command line in this process."""

    def call(*args, **kwargs):
        return CliRunner().invoke(main, [str(arg) for arg in args], prog_name="neardup", **kwargs)

    return call


@pytest.fixture
def summary():
    """Every key of summary.json, with unremarkable numbers."""
    return {
        "documents": 20000,
        "kept": 15000,
        "removed": 5000,
        "rejected": 0,
        "exact_duplicates": 1200,
        "near_duplicates": 3800,
        "no_token": 2,
        "clusters": 2796,
        "largest_cluster": 9,
        "candidates": 9000,
        "pairs": 8000,
        "capped_buckets": 0,
        "capped_pairs": 0,
        "removed_numbers_differ": 10,
        "removed_under_30_words": 12,
        "removed_near_threshold": 400,
        "guarded_pairs": 0,
        "bands": 13,
        "rows": 7,
        "size": 128,
        "sketch": "fast",
        "hamming": None,
        "seed": 42,
        "threshold": 0.8,
        "verify": "exact",
        "recall_expected": 0.9531,
        "text_spec": "normalize=nfkc,casefold,collapse-space shingle=word:3 hash=xxh3",
        "engine": "memory",
        "seconds": 1.25,
        "megabytes_per_second": 20.0,
        "peak_rss_bytes": 150_000_000,
        "version": "0.1.0",
        "sources": {"a.jsonl": {"documents": 20000, "kept": 15000, "removed": 5000, "rejected": 0}},
    }
