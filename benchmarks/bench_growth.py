"""How time and memory of a whole run grow with documents: ordinary ones, and those made to be hard.

Ordinary documents are of 60 words, a fifth of them a copy of another with a few words replaced. The
hard corpora put all documents into one bucket or one cluster. A run of ten documents is taken off.
With the best kernels the picture `docs/performance/growth.svg` is drawn anew.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from bench_dedup import Took, dedup
from common import HERE, Bench, Row

from neardup.svg import Axis, Chart

SIZES = (10_000, 100_000, 1_000_000, 4_000_000)
BLOCK = 10_000
WORDS = 60
Lines = Iterator[str]


def main() -> None:
    """Microseconds of CPU time and bytes a document, and how they grow."""
    bench = Bench(main.__doc__ or "")
    sizes = SIZES[:2] if bench.quick else SIZES
    with tempfile.TemporaryDirectory(prefix="neardup-bench-") as folder:
        start = run(ordinary, 10, folder, bench)
        took = [run(ordinary, size, folder, bench) for size in sizes]
        each = [(one.cpu - start.cpu) / size for one, size in zip(took, sizes, strict=True)]
        held = [(peak(one) - peak(start)) / size for one, size in zip(took, sizes, strict=True)]
        for size, seconds, nbytes in zip(sizes, each, held, strict=True):
            print(f"{size:>9,} documents: {seconds * 1e6:6.2f} us, {nbytes:6.0f} B a document")
        wanted = f"{sizes[-1]:,} documents, a document beside {sizes[-2]:,}"
        bench.add(
            Row(
                f"time of {wanted}",
                "itself",
                f"{each[-1] * 1e6:.2f} us",
                f"{each[-2] * 1e6:.2f} us",
                each[-1] / each[-2],
                (1.2, 1.2),
                True,
            )
        )
        bench.add(
            Row(
                f"memory of {wanted}",
                "itself",
                f"{held[-1]:.0f} B",
                f"{held[-2]:.0f} B",
                held[-1] / held[-2],
                (1.2, 1.2),
                True,
            )
        )
        if not (bench.quick or bench.options.tier not in (None, "avx512")):
            draw(sizes, [one.cpu for one in took], [peak(one) for one in took])
        hard(bench, start, sizes[-1] // 4, folder)


def hard(bench: Bench, start: Took, largest: int, folder: str) -> None:
    """Four times the documents of a hard corpus take four times the time."""
    corpora = {"all equal": equal, "one template": template, "one bucket": bucket}
    for name, lines in corpora.items():
        each = []
        for size in (largest // 4, largest):
            took = run(lines, size, folder, bench)
            each.append((took.cpu - start.cpu) / size)
            print(f"{size:>9,} documents, {name}: {took.cpu:.1f} s, {peak(took) / 1e6:.0f} MB")
        bench.add(
            Row(
                f"{largest:,} documents, {name}, a document",
                "a quarter",
                f"{each[1] * 1e6:.2f} us",
                f"{each[0] * 1e6:.2f} us",
                each[1] / each[0],
                (1.2, 1.2),
                True,
            )
        )


def run(lines: Callable[[int], Lines], size: int, folder: str, bench: Bench) -> Took:
    """One run over so many documents."""
    file = Path(folder) / "documents.jsonl"
    with file.open("w", encoding="ascii") as out:
        out.writelines(f'{{"text":"{line}"}}\n' for line in lines(size))
    return dedup(file, folder, bench, 1)


def peak(took: Took) -> int:
    """Bytes at the peak."""
    return took.summary["peak_rss_bytes"]


def blocks(size: int) -> Iterator[np.ndarray]:
    """Word numbers of random documents, a row each, by Zipf's law."""
    rng = np.random.default_rng(1)
    for first in range(0, size, BLOCK):
        rows = min(BLOCK, size - first)
        yield np.minimum(rng.zipf(1.3, (rows, WORDS)) + rng.integers(0, 50, (rows, WORDS)), 1 << 20)


def joined(block: np.ndarray) -> Lines:
    """The words of each row, of up to four letters each and some more."""
    for row in block.tolist():
        yield " ".join([f"w{number:x}" for number in row])


def ordinary(size: int) -> Lines:
    """A fifth of the rows are near copies of others of their block."""
    for block in blocks(size):
        block[1::5] = block[::5][: len(block[1::5])]
        block[1::5, 7] = 3
        yield from joined(block)


def equal(size: int) -> Lines:
    """One text again and again."""
    (line,) = joined(next(blocks(1)))
    for _ in range(size):
        yield line


def template(size: int) -> Lines:
    """200 words around five words of content."""
    frame = " ".join(f"frame{i}" for i in range(100))
    for block in blocks(size):
        for line in joined(block[:, :5] * 1000 + np.arange(len(block))[:, None]):
            yield f"{frame} {line} {frame[::-1]}"


def bucket(size: int) -> Lines:
    """Halves of a template: bands put them together, and no pair is similar enough."""
    frame = " ".join(f"frame{i}" for i in range(60))
    for line in ordinary(size):
        yield f"{frame} {line[: len(line) // 2]}"


def draw(sizes: tuple[int, ...], seconds: list[float], peaks: list[int]) -> None:
    """Seconds and megabytes over documents, both axes logarithmic, with a line of slope one."""
    chart = Chart(900, 370, "Time and memory of a run by the number of documents")
    panels = (
        (60, "seconds of CPU time", seconds),
        (520, "megabytes at the peak", [peak / 1e6 for peak in peaks]),
    )
    for number, (left, title, values) in enumerate(panels):
        ideal = [values[-1] * size / sizes[-1] for size in sizes]
        low = math.floor(math.log10(min(*values, *ideal)))
        high = math.ceil(math.log10(max(values)))
        across = Axis((4, 6.7), (left, left + 340), tuple((float(i), f"10^{i}") for i in (4, 5, 6)))
        decades = tuple((float(i), f"{10.0**i:,g}") for i in range(low, high + 1))
        up = Axis((low, high), (310, 60), decades)
        chart.frame(across, up, "documents", "")
        chart.text(left, 24, title, style="b")
        chart.text(left, 44, "dashed: in proportion to the last", style="soft")
        for line, style, dash in ((ideal, "axis", "4 4"), (values, f"line s{number}", "")):
            points = [
                (across(math.log10(size)), up(math.log10(value)))
                for size, value in zip(sizes, line, strict=True)
            ]
            chart.line(points, style, dash)
        for i, ((x, y), value) in enumerate(zip(points, values, strict=True)):
            chart.dot(x, y, f"f{number}")
            label = f"{value:,.3g}" if value < 100 else f"{value:,.0f}"
            chart.text(x, y - 10, label, "middle" if i else "start")
    target = HERE.parent / "docs" / "performance" / "growth.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(str(chart), encoding="utf-8", newline=os.linesep)


if __name__ == "__main__":
    main()
