"""What peers keep of a corpus, and ours, held to the exact answer."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.api import execute
from neardup.config import Config
from neardup.io import open_inputs
from neardup.progress import Silent
from neardup.result import texts_of

if TYPE_CHECKING:
    from accuracy import Corpus

    from neardup.plan import Found

HERE = Path(__file__).parent
PEERS = os.environ.get("NEARDUP_PEERS")


def beside(corpus: Corpus, threshold: float, recall: float) -> list[dict[str, Any]]:
    """What peers keep of the corpus, and ours, held to the exact answer."""
    ours = corpus.run(threshold=threshold, recall=recall)
    setting = f"word:3, {ours.base.plan.banding.bands} bands of {ours.base.plan.banding.rows}"
    rows = [judged(corpus, "neardup", setting, threshold, ours.keep)]
    count = len(ours.keep)
    with tempfile.TemporaryDirectory() as work:
        texts_file = Path(work) / "in" / "corpus.jsonl"
        texts_file.parent.mkdir()
        texts = texts_of(ours, np.arange(count))
        lines = (json.dumps({"id": str(row), "text": texts[row]}) for row in range(count))
        texts_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        for peer in ("text-dedup", "datatrove"):
            out = Path(work) / f"{peer}.json"
            answer = answer_of(peer, texts_file, threshold, out)
            if answer is None:
                rows.append({"corpus": rows[0]["corpus"], "tool": peer, "setting": "not run"})
                continue
            keep = np.zeros(count, bool)
            keep[answer["kept"]] = True
            tool = f"{peer} {answer['version']}"
            rows.append(judged(corpus, tool, answer["setting"], threshold, keep))
            own = exact_by_words(f"{out}.words.jsonl", threshold)
            rows[-1]["wrongly_by_own_words"] = int(unlike(own, keep, threshold).sum())
    return rows


def answer_of(peer: str, texts: Path, threshold: float, out: Path) -> dict[str, Any] | None:
    """What a peer keeps; None where it is not installed or fails, which is said."""
    if not PEERS:
        return None
    call = [PEERS, str(HERE / "accuracy_peers.py"), peer, str(texts), str(threshold), str(out)]
    done = subprocess.run(call, capture_output=True, check=False)
    if done.returncode:
        print(f"{peer}: not run: {done.stderr.decode()[-400:]}", flush=True)
        return None
    answer: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return answer


def judged(corpus: Corpus, tool: str, setting: str, threshold: float, keep: Any) -> dict[str, Any]:
    """True pairs left in, and documents removed for which no similar one stays."""
    stays, a, b = staying(corpus.exact, keep, threshold)
    return {
        "corpus": corpus.name.removesuffix(".docs"),
        "tool": tool,
        "setting": setting,
        "threshold": threshold,
        "removed": int((~keep).sum()),
        "true_pairs": len(a),
        "left_in": int((stays[a] & stays[b]).sum()),
        "wrongly_removed": int(unlike(corpus.exact, keep, threshold).sum()),
    }


def staying(exact: Found, keep: Any, threshold: float) -> tuple[Any, Any, Any]:
    """For each first of equal texts whether one of them stays; and the true pairs of firsts."""
    leader = exact.base.leader.astype(np.int64)
    stays = np.zeros(len(leader), bool)
    stays[leader[keep]] = True
    mine = exact.pairs.similarity >= threshold
    return stays, exact.pairs.a[mine], exact.pairs.b[mine]


def unlike(exact: Found, keep: Any, threshold: float) -> Any:
    """Documents removed although neither an equal nor a similar text stays."""
    stays, a, b = staying(exact, keep, threshold)
    saved = stays.copy()
    saved[a[stays[b]]] = True
    saved[b[stays[a]]] = True
    return ~keep & ~saved[exact.base.leader.astype(np.int64)]


def exact_by_words(path: str, threshold: float) -> Found:
    """The exact answer where words are what the file has between spaces."""
    words = {"normalize": "none", "shingle": "whitespace:3"}
    config = Config.from_options({**words, "threshold": threshold, "exact_join": True})
    return execute(config, open_inputs([path]), Silent())[0]
