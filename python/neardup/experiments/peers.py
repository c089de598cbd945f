"""Whole runs, a file of texts to the rows that stay, by neardup and by peers that are installed.

Each run is a process of its own, which prints its seconds from the closed file to the rows that
stay; its start and imports are not counted. All use 3-word shingles, 128 slots and 16 bands of 8.
Answers differ: neardup verifies every pair and keeps one text of a group, datasketch keeps one and
verifies none, rensa and FastSketchLSH flag all members of a group.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from neardup.errors import DataError
from neardup.experiments import SIZE, Record, Say

BANDS, WORDS, SEED = 16, 3, 42
ROUNDS = 3
"""Runs at most, of which the best counts; one of a second or more is not repeated."""
HAN = re.compile("[\u3400-\u9fff]")
WORD = re.compile("[\u3400-\u9fff]|[^\\W\u3400-\u9fff]+")
MOST = {False: 5_000_000, True: 200_000}
"""Bytes of text that are taken of each corpus, by `quick`."""
Keep = Callable[[Path, int], int]


def texts(file: Path) -> list[str]:
    """The texts of a JSON Lines file."""
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def shingles(text: str) -> set[str]:
    """Runs of three words, a Han character being one, as a user of signatures alone cuts them."""
    text = text.lower()
    words = WORD.findall(text) if HAN.search(text) else text.split()
    if len(words) < WORDS:
        return {" ".join(words)}
    return {" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)}


def neardup(file: Path, threads: int) -> int:
    """Ours: the same bands, every pair verified."""
    from neardup.api import dedup

    return int(dedup(file, threads=threads, bands=BANDS, rows=SIZE // BANDS).summary["kept"])


def rensa(file: Path, threads: int) -> int:
    """rensa's R-MinHash and its index; `RAYON_NUM_THREADS` sets its threads."""
    from rensa import RMinHash, RMinHashLSH

    rows = [list(shingles(text)) for text in texts(file)]
    matrix = RMinHash.digest_matrix_from_token_sets(rows, SIZE, SEED)
    index = RMinHashLSH(threshold=0.8, num_perm=SIZE, num_bands=BANDS)
    return len(rows) - sum(map(bool, index.query_duplicate_flags_matrix_one_shot(matrix)))


def fastsketchlsh(file: Path, threads: int) -> int:
    """FastSketchLSH's signatures and flags."""
    from FastSketchLSH import LSH, FastSimilaritySketch

    rows = [list(shingles(text)) for text in texts(file)]
    matrix = FastSimilaritySketch(SIZE, SEED).batch(rows, num_threads=threads)
    flags = LSH(SIZE, BANDS, num_threads=threads).insert_and_query_duplicates(matrix)
    return len(rows) - sum(map(bool, flags))


def datasketch(file: Path, threads: int) -> int:
    """datasketch's MinHash and MinHashLSH, a text at a time; it has one thread."""
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=SIZE, params=(BANDS, SIZE // BANDS))
    kept = 0
    for row, text in enumerate(texts(file)):
        signature = MinHash(num_perm=SIZE, seed=SEED)
        signature.update_batch([shingle.encode() for shingle in shingles(text)])
        if not index.query(signature):
            kept += 1
        index.insert(row, signature)
    return kept


TOOLS: dict[str, Keep] = {
    "neardup": neardup,
    "rensa": rensa,
    "FastSketchLSH": fastsketchlsh,
    "datasketch": datasketch,
}
ONE_THREAD = ("datasketch",)


def corpora() -> list[Path]:
    """Corpora of `$NEARDUP_DATA`, else of `../shared/data`, else of `examples`."""
    for folder in (os.environ.get("NEARDUP_DATA", ""), "../shared/data", "examples"):
        found = sorted(Path(folder).glob("*.jsonl.gz")) if folder else []
        if found:
            return found
    return []


def rows(inputs: Sequence[Path], quick: bool, say: Say) -> list[Record]:
    """A row a corpus, tool and number of threads; `seconds` is None where the tool is not there."""
    found = []
    with tempfile.TemporaryDirectory(prefix="neardup-bench-") as folder:
        for path in list(inputs) or corpora()[: 1 if quick else None]:
            file = Path(folder) / "corpus.jsonl"
            documents, size = sample(path, file, MOST[quick])
            for tool in TOOLS:
                for threads in sorted({1, os.cpu_count() or 1}):
                    if tool in ONE_THREAD and threads > 1:
                        continue
                    say(f"{tool} on {path.name}, {threads} thread(s)")
                    row: Record = {"corpus": path.name.split(".")[0], "documents": documents}
                    row |= {"bytes": size, "tool": tool, "threads": threads}
                    found.append(row | whole(tool, file, threads))
    return found


def sample(path: Path, file: Path, most: int) -> tuple[int, int]:
    """Write the first documents of a corpus; how many there are, and the bytes of their texts."""
    documents = size = 0
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as lines, file.open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            text = field(line, path, number)
            out.write(json.dumps({"text": text}) + "\n")
            documents += 1
            size += len(text.encode())
            if size >= most:
                break
    return documents, size


def field(line: bytes, path: Path, number: int) -> str:
    """The text of a line."""
    try:
        text = json.loads(line)["text"]
        text.encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        message = "not a JSON object with a string in its field text; give JSON Lines"
        raise DataError(message, source=str(path), line=number) from None
    return str(text)


def whole(tool: str, file: Path, threads: int) -> Record:
    """Run a tool on a file in a process of its own."""
    if importlib.util.find_spec(tool) is None:
        return {"seconds": None, "kept": None}
    command = [sys.executable, "-m", "neardup.experiments.peers", tool, str(file), str(threads)]
    more = {"RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        command, check=False, capture_output=True, env={**os.environ, **more}, encoding="utf-8"
    )
    if done.returncode:
        return {"seconds": None, "kept": None, "failed": done.stderr.strip().split("\n")[-1]}
    result: Record = json.loads(done.stdout)
    return result


def main(tool: str, file: str, threads: str) -> None:
    """Run on a small file, then on this one; say how long that takes and how many rows stay."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as small:
        small.write('{"text": "to be or not"}\n{"text": "to be or not to be"}\n')
    TOOLS[tool](Path(small.name), int(threads))
    os.unlink(small.name)
    took: list[float] = []
    while len(took) < ROUNDS and sum(took) < 1:
        start = time.perf_counter()
        kept = TOOLS[tool](Path(file), int(threads))
        took.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(took), "kept": kept}))


if __name__ == "__main__":
    main(*sys.argv[1:])
