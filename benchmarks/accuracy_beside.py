"""What peers keep of a corpus, and ours, held to the exact answer."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.result import texts_of

if TYPE_CHECKING:
    from accuracy import Corpus

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
            answer = answer_of(peer, texts_file, threshold, Path(work) / f"{peer}.json")
            if answer is None:
                rows.append({"corpus": rows[0]["corpus"], "tool": peer, "setting": "not run"})
                continue
            keep = np.zeros(count, bool)
            keep[answer["kept"]] = True
            tool = f"{peer} {answer['version']}"
            rows.append(judged(corpus, tool, answer["setting"], threshold, keep))
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
    leader = corpus.exact.base.leader.astype(np.int64)
    stays = np.zeros(len(leader), bool)
    stays[leader[keep]] = True  # a text of which a copy stays
    mine = corpus.jaccard >= threshold
    a, b = corpus.a[mine], corpus.b[mine]
    saved = stays.copy()  # or of which something similar stays
    saved[a[stays[b]]] = True
    saved[b[stays[a]]] = True
    removed = ~keep
    copies = np.bincount(leader[keep], minlength=len(leader))
    tokens = corpus.exact.base.survey.tokens > 0
    return {
        "corpus": corpus.name.removesuffix(".docs"),
        "tool": tool,
        "setting": setting,
        "threshold": threshold,
        "removed": int(removed.sum()),
        "true_pairs": len(a),
        "left_in": int((stays[a] & stays[b]).sum()),
        "copies_left_in": int(np.maximum(copies[tokens] - 1, 0).sum()),
        "wrongly_removed": int((removed & ~saved[leader]).sum()),
    }
