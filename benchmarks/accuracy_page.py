"""Writes docs/accuracy.md and its pictures from the record of `accuracy.py`."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from accuracy_charts import KINDS, cells, curve, recall, removals
from accuracy_text import CORPORA, HEAD, MEASURED, PEERS, RIGHT

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
RECORD = HERE / "record" / "accuracy.json"
SIGMAS = 4

Record = dict[str, Any]


def main() -> None:
    """Write the page and its pictures."""
    (DOCS / "accuracy").mkdir(exist_ok=True)
    for name, text in pages(json.loads(RECORD.read_text("utf-8"))).items():
        (DOCS / name).write_text(text, encoding="utf-8")


def pages(record: Record) -> dict[str, str]:
    """Every file that the record makes, by its path below docs/."""
    return {
        "accuracy.md": page(record),
        "accuracy/curve.svg": curve(record),
        "accuracy/recall.svg": recall(record),
        "accuracy/removals.svg": removals(record),
    }


def page(record: Record) -> str:
    """The page."""
    parts = [HEAD, reading(record), MEASURED.format(**about(record)), table_recall(record)]
    parts += [RIGHT, table_verification(record), PEERS, table_peers(record), table_corpora(record)]
    return "".join(parts)


def holds(cell: Record) -> bool:
    """Whether measured recall is at least the asked one, less 4 sigma."""
    return bool(cell["measured"] >= cell["recall"] - SIGMAS * cell["sigma"])


def about(record: Record) -> Record:
    """What the text of the page needs."""
    left = record["left_out"]
    return {
        "machine": record["machine"],
        "date": record["date"],
        "minutes": f"{record['seconds'] / 60:.0f}",
        "cpu": f"{record['cpu_seconds'] / 60:.0f}",
        "load": f"{record['load']:g}",
        "left": f" Left out: {', '.join(left)}." if left else "",
    }


def reading(record: Record) -> str:
    """What the figures say, in sentences made of them."""
    every = cells(record)
    judged = [(c, cell) for c, cell in every if not cell["capped_pairs"]]
    capped = len(every) - len(judged)
    failed = [(c, cell) for c, cell in judged if not holds(cell)]
    under = [(c, cell) for c, cell in judged if cell["measured"] < cell["recall"]]
    below = [
        (c, cell)
        for c, cell in judged
        if cell["measured"] < cell["expected"] - SIGMAS * cell["sigma"]
    ]
    worst_corpus, worst = min(judged, key=lambda pair: pair[1]["measured"] - pair[1]["recall"])
    found = sum(cell["found"] for _, cell in every)
    false = sum(cell["false"] for _, cell in every)
    twins = [c["twin"] for c in record["corpora"]]
    lines = [
        f"* **Recall.** In {len(judged) - len(failed)} of {len(judged)} cells (a corpus at a "
        f"threshold and an asked recall) in which no bucket cap acted, measured recall is at least "
        f"the asked one less {SIGMAS} sigma" + ("." if not failed else f"; not in {names(failed)}.")
    ]
    if under:
        lines.append(
            f"  It is below the asked one at all, within that bound, in {len(under)}: "
            f"{names(under[:6])}."
        )
    else:
        lines.append(
            "  In none of them is it below the asked one at all; the nearest is "
            f"{worst_corpus['name']} at {worst['threshold']:g}: {worst['measured']:.4f} of "
            f"{worst['recall']:g}."
        )
    lines.append(
        f"  It is more than {SIGMAS} sigma below what the formula expects of the true pairs in "
        f"{len(below)} cells" + (f": {names(below[:6])}." if below else ".")
    )
    far_corpus, far = min(judged, key=lambda pair: pair[1]["measured"] - pair[1]["expected"])
    if far["measured"] < far["expected"]:
        off = (far["expected"] - far["measured"]) / far["sigma"]
        lines.append(
            f"  The farthest below is {far_corpus['name']} {far['threshold']:g}/{far['recall']:g}: "
            f"{far['measured']:.4f} for {far['expected']:.4f}, {off:.1f} sigma. Where one family "
            "holds most pairs all of them depend on few texts, and the columns `2-30` and "
            "`resolved` say more."
        )
    if capped:
        lines.append(
            f"* **Caps.** In {capped} cells buckets above `--bucket-cap` were not compared in full "
            "(marked †); the summary of a run says so, and recall may be lower there."
        )
    lines.append(
        f"* **Precision.** {found:,} pairs were listed in all cells, {false} of them not in the "
        f"exact join. Of the joins' pairs {sum(t['pairs'] for t in twins):,} were computed anew by "
        f"plain Python sets: {sum(t['equal'] for t in twins):,} have the same similarity, to the "
        "bit."
    )
    # The largest corpus holds the texts of its parts, which count once.
    parts = [c for c in record["corpora"] if not c["name"].startswith("bench-")]
    at = [(c["name"], c["verification"]) for c in parts]
    gone, unlike = (sum(v[KINDS[2]][key] for _, v in at) for key in ("removed", "below"))
    linked, apart = (sum(v[KINDS[1]][key] for _, v in at) for key in ("removed", "below"))
    starred = sum(v[KINDS[0]]["removed"] for _, v in at)
    name, giant = max(at, key=lambda each: each[1][KINDS[2]]["largest"])
    lines.append(
        f"* **Verification** at threshold {at[0][1]['threshold']:g}: unverified candidates, joined "
        f"into components, would remove {gone:,} documents, {unlike:,} of them less similar to the "
        "one that stays than the threshold; the largest cluster would be "
        f"{giant[KINDS[2]]['largest']:,} documents of {name}. Components of verified pairs remove "
        f"{linked:,}, {apart:,} of them so; stars {starred:,}, none."
    )
    peers = [row for row in record["peers"] if "removed" in row]
    if len({row["tool"] for row in peers}) > 1:
        told = []
        for tool in dict.fromkeys(row["tool"] for row in peers):
            mine = [row for row in peers if row["tool"] == tool]
            left = sum(row["left_in"] for row in mine)
            true = sum(row["true_pairs"] for row in mine)
            wrong = sum(row["wrongly_removed"] for row in mine)
            own = sum(row.get("wrongly_by_own_words", row["wrongly_removed"]) for row in mine)
            told.append(f"{tool}: {left / true:.1%}, {wrong:,} and {own:,}")
        lines.append(
            "* **Peers**, on the same texts: true pairs left in, documents removed for which "
            f"nothing similar stays, and the same by the tool's own words: {'; '.join(told)}."
        )
    paragraphs = " ".join(line.strip() for line in lines).split(" * ")
    return "".join(wrapped(text.removeprefix("* ")) for text in paragraphs)


def wrapped(text: str) -> str:
    """A point of a list, in lines."""
    return (
        textwrap.fill(
            f"* {text}", 98, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        + "\n"
    )


def names(some: list[tuple[Record, Record]]) -> str:
    """Cells by name."""
    return ", ".join(
        f"{corpus['name']} {cell['threshold']:g}/{cell['recall']:g} ({cell['measured']:.4f})"
        for corpus, cell in some
    )


def table_recall(record: Record) -> str:
    """Measured against expected, a row for each corpus and threshold."""
    asked = sorted({cell["recall"] for _, cell in cells(record)})
    head = ["corpus", "T", "true pairs", *(f"{r:g}" for r in asked), "2-30", "resolved"]
    rows = []
    for corpus in record["corpora"]:
        for threshold in sorted({cell["threshold"] for cell in corpus["cells"]}):
            mine = {c["recall"]: c for c in corpus["cells"] if c["threshold"] == threshold}
            usual = mine[0.95]
            if not usual["true"]:
                continue
            row = [corpus["name"], f"{threshold:g}", f"{usual['true']:,}"]
            row += [outcome(mine[r]) if r in mine else "" for r in asked]
            row += ["" if usual["usual"] is None else f"{usual['usual']:.4f}"]
            row += [f"{usual['resolved']:.4f}"]
            rows.append(row)
    return table(head, rows, 2)


def outcome(cell: Record) -> str:
    """One cell in words: measured, expected, verdict."""
    mark = "†" if cell["capped_pairs"] else "✓" if holds(cell) else "✗"
    return f"{cell['measured']:.4f} / {cell['expected']:.4f} {mark}"


def table_verification(record: Record) -> str:
    """What verification and star remove or save."""
    head = ["corpus", "candidates", "true", "unverified", "components", "stars", "largest"]
    rows = []
    for corpus in record["corpora"]:
        v = corpus["verification"]
        share = f"{v['true'] / v['candidates']:.3f}" if v["candidates"] else ""
        gone = [f"{v[kind]['removed']:,} ({v[kind]['below']:,})" for kind in reversed(KINDS)]
        row = [corpus["name"], f"{v['candidates']:,}", share, *gone]
        row.append(" / ".join(f"{v[kind]['largest']:,}" for kind in reversed(KINDS)))
        rows.append(row)
    return table(head, rows, 1)


def table_peers(record: Record) -> str:
    """Ours and the peers' answers, against the exact one."""
    head = [
        "corpus",
        "tool",
        "setting",
        "removed",
        "pairs left in",
        "of true",
        "wrong",
        "own words",
    ]
    rows = []
    for row in record["peers"]:
        if "removed" not in row:
            rows.append([row["corpus"], row["tool"], row["setting"], "", "", "", "", ""])
            continue
        row = {**row, "own": row.get("wrongly_by_own_words", row["wrongly_removed"])}
        numbers = (row[k] for k in ("removed", "left_in", "true_pairs", "wrongly_removed", "own"))
        rows.append([row["corpus"], row["tool"], row["setting"], *(f"{n:,}" for n in numbers)])
    return table(head, rows, 3)


def table_corpora(record: Record) -> str:
    """What the corpora are."""
    head = ["corpus", "documents", "distinct texts", "MB of text", "shingle", "CPU s"]
    rows = [
        [
            c["name"],
            *(f"{c[key]:,}" for key in ("documents", "distinct")),
            f"{c['megabytes']:,}",
            c["shingle"],
            f"{c['seconds']:g}",
        ]
        for c in record["corpora"]
    ]
    return CORPORA + table(head, rows, 1)


def table(head: list[str], rows: list[list[str]], words: int) -> str:
    """A Markdown table of which the first columns are words."""
    rule = ["---"] * words + ["---:"] * (len(head) - words)
    return "\n" + "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *rows])


if __name__ == "__main__":
    main()
