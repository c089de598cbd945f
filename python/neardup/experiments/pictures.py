"""The pictures of the experiments: dots are measured, lines are theory."""

from __future__ import annotations

import math

from neardup.experiments import SIGMAS, SIZE, Record, theory
from neardup.experiments.curve import MAIN
from neardup.experiments.draws import NAMES
from neardup.svg import Axis, Chart

WIDTH, HEIGHT = 760, 474
LEFT, RIGHT, TOP = 76, 730, 60
LABELS = {"fast": "fast", "minhash": "k n (MinHash)", "algorithm_1": "Algorithm 1 of the paper"}


def accuracy(record: Record) -> dict[str, str]:
    """Variance by size of set and errors, for every sketch; the variances of 200 draws."""
    return {
        "variance": variance(record["grid"]),
        "errors": errors(record["errors"]),
        "draws": draws(record["published"]),
    }


def curve(record: Record) -> dict[str, str]:
    """The S-curve of every sketch."""
    return {"curve": s_curve(record)}


def speed(record: Record) -> dict[str, str]:
    """Hash evaluations and time by size of set."""
    counts = record["evaluations"]
    drawn = Chart(WIDTH, HEIGHT, "Hash evaluations of a set")
    top = max(row["minhash"] for row in counts)
    across, up = by_size(counts), powers(top, 100.0, (400, TOP))
    drawn.frame(across, up, "elements of the set", "evaluations")
    legend(drawn, list(LABELS.values()))
    bound = [(row["elements"], row["elements"] + SIZE * math.log(SIZE)) for row in counts]
    drawn.line([at(across, up, *point) for point in bound], "axis", "5 4")
    drawn.text(
        RIGHT, HEIGHT - 8, "dashes: n + k ln k; lines: expected; dots: counted", "end", "soft"
    )
    for number, name in enumerate(LABELS):
        points = [at(across, up, row["elements"], row[name]) for row in counts]
        drawn.line(points, f"line s{number}")
        for row in counts:
            counted = row.get(f"{name}_counted")
            if counted is not None:
                drawn.dot(*at(across, up, row["elements"], counted), f"f{number}")
    return {"evaluations": str(drawn), "time": times(record["time"])}


def variance(grid: list[Record]) -> str:
    """Measured variance as a multiple of MinHash's, with 4 sigma either way; lines by formula."""
    rows = [row for row in grid if row["size"] == SIZE and round(row["jaccard"], 1) == 0.5]
    chart = Chart(WIDTH, HEIGHT, "Variance of estimates as a multiple of MinHash's")
    across = by_size(rows)
    up = Axis((0.4, 1.8), (400, TOP), tuple((v / 5, f"{v / 5:.1f}") for v in range(2, 10)))
    chart.frame(across, up, "elements of each set", "variance / (J (1-J) / k)")
    legend(chart, NAMES)
    for number, name in enumerate(NAMES):
        own = sorted((r for r in rows if r["sketch"] == name), key=lambda r: r["elements"])
        shift = 3.0 * (number - 2.5)
        place = [at(across, up, r["elements"], r["rho"]) for r in own]
        chart.line(place, f"line s{number}")
        for (x, _), r in zip(place, own, strict=True):
            low, high = (up(r["rho_measured"] + s * SIGMAS * r["rho_sigma"]) for s in (-1, 1))
            chart.line([(x + shift, low), (x + shift, high)], f"s{number}")
            chart.dot(x + shift, up(r["rho_measured"]), f"f{number}", 2.5)
    note = f"k = {SIZE}, J = .5; lines: formulas; bars: measured, {SIGMAS:g} sigma"
    chart.text(RIGHT, HEIGHT - 8, note, "end", "soft")
    return str(chart)


def errors(facts: Record) -> str:
    """A panel a sketch: how often estimates are so far off, and the normal curve by formula."""
    chart = Chart(WIDTH, 430, "Errors of estimates")
    far = facts["furthest"]
    ticks = tuple((float(v), f"{v / SIZE:+.3f}" if v else "0") for v in (-16, 0, 16))
    for number, name in enumerate(NAMES):
        left, bottom = 30 + 246 * (number % 3), 180 + 190 * (number // 3)
        across = Axis((-far, far), (left, left + 208), ticks)
        up = Axis((0.0, 0.13), (bottom, bottom - 140), ())
        for slots, count in enumerate(facts["counts"][name], start=-far):
            top = up(count / facts["draws"])
            chart.bar(across(slots - 0.4), top, 3.8, bottom - top, f"f{number}")
        sigma = facts["sigma_slots"][name]
        points = [v / 4 for v in range(-4 * far, 4 * far + 1)]
        scale = 1 / (sigma * math.sqrt(2 * math.pi))
        bell = [(across(v), up(scale * math.exp(-((v / sigma) ** 2) / 2))) for v in points]
        chart.line(bell, "axis")
        chart.line([(left, bottom), (left + 208, bottom)], "axis")
        for value, label in ticks:
            chart.text(across(value), bottom + 18, label, "middle", "soft")
        chart.text(left, bottom - 140, name, style=f"b f{number}")
    note = f"k = {SIZE}, J = .5, n = 96; {facts['draws']:,} draws; lines: normal, sigma by formula"
    chart.text(RIGHT, 422, note, "end", "soft")
    return str(chart)


def draws(facts: Record) -> str:
    """How the variances of 200 draws scatter, and where theory and the published pair lie."""
    chart = Chart(WIDTH, 430, "Variances of 200 draws, of which a published table shows one each")
    bins = facts["bins"]
    ticks = tuple((v, f"{v:.4f}") for v in bins[1::3])
    across = Axis((bins[0], bins[-1]), (LEFT, RIGHT), ticks)
    most = max(max(each["counts"]) for each in facts["spread"].values())
    for number, (name, each) in enumerate(facts["spread"].items()):
        bottom = 190 + 180 * number
        up = Axis((0, most), (bottom, bottom - 120), ())
        for low, high, count in zip(bins, bins[1:], each["counts"], strict=False):
            x = across(low)
            chart.bar(x + 1, up(count), across(high) - x - 2, bottom - up(count), f"f{number}")
        chart.line([(LEFT, bottom), (RIGHT, bottom)], "axis")
        for v, label in ticks:
            chart.text(across(v), bottom + 18, label, "middle", "soft")
        for value, words in (
            (each["published"], f"published {each['published']:.6f}"),
            (facts["all"][number]["variance"], f"theory {facts['all'][number]['variance']:.6f}"),
        ):
            x = across(value)
            right = value > sum(bins) / len(bins)
            level = bottom - (150 if words.startswith("theory") else 132)
            chart.line([(x, bottom), (x, level)], "axis", "4 3")
            chart.text(x + (5 if right else -5), level + 8, words, "start" if right else "end", "b")
        chart.text(RIGHT, bottom - 40, name, "end", f"b f{number}")
    note = f"{facts['groups']} times 200 draws each; k = {SIZE}, J = .5, n = 1000"
    chart.text(RIGHT, 420, note, "end", "soft")
    return str(chart)


def s_curve(record: Record) -> str:
    """Share of pairs with an equal band by similarity; below, what it differs from the formula."""
    chart = Chart(WIDTH, 650, "Share of pairs that share a band, by similarity")
    across = Axis((0.0, 1.0), (LEFT, RIGHT), tuple((v / 10, f"{v / 10:g}") for v in range(11)))
    up = Axis((0.0, 1.0), (340, TOP), tuple((v / 5, f"{v * 20} %") for v in range(6)))
    chart.frame(across, up, "", "pairs that share a band")
    steps = [step / 200 for step in range(201)]
    chart.line([(across(j), up(theory.curve(j, *MAIN[1:]))) for j in steps], "line axis")
    below = Axis(
        (-0.06, 0.06), (580, 400), tuple((v / 100, f"{v:+d} %" if v else "0") for v in (-4, 0, 4))
    )
    chart.frame(across, below, "Jaccard similarity", "measured less formula")
    legend(chart, NAMES)
    for number, name in enumerate(NAMES):
        for row in record["curve"]:
            if row["sketch"] != name:
                continue
            x = across(row["jaccard"]) + 3.0 * (number - 2.5)
            chart.dot(across(row["jaccard"]), up(row["measured"]), f"f{number}", 5 - 0.7 * number)
            sure = SIGMAS * math.sqrt(row["formula"] * (1 - row["formula"]) / row["draws"])
            off = row["measured"] - row["formula"]
            ends = [min(max(off + s * sure, -0.06), 0.06) for s in (-1, 1)]
            chart.line([(x, below(end)) for end in ends], f"s{number}")
            chart.dot(x, below(min(max(off, -0.06), 0.06)), f"f{number}", 2.5)
    bands, rows = MAIN[1:]
    note = f"{bands} bands of {rows} rows; line: 1 - (1 - J^{rows})^{bands}; bars: {SIGMAS:g} sigma"
    chart.text(RIGHT, 642, note, "end", "soft")
    return str(chart)


def times(rows: list[Record]) -> str:
    """Nanoseconds a set by its size, for every sketch."""
    chart = Chart(WIDTH, HEIGHT, "Time of a signature")
    every = [row[name] for row in rows for name in NAMES]
    across, up = by_size(rows), powers(max(every), min(every), (400, TOP))
    chart.frame(across, up, "elements of the set", "ns a set, one thread")
    legend(chart, NAMES)
    for number, name in enumerate(NAMES):
        points = [at(across, up, row["elements"], row[name]) for row in rows]
        chart.line(points, f"line s{number}")
        for point in points:
            chart.dot(*point, f"f{number}")
    chart.text(RIGHT, HEIGHT - 8, f"k = {SIZE}; of one machine: take the ratios", "end", "soft")
    return str(chart)


def legend(chart: Chart, names: list[str] | tuple[str, ...]) -> None:
    """The names in their colours, in a row at the top."""
    x = float(LEFT)
    for number, name in enumerate(names):
        chart.dot(x + 5, 26, f"f{number}", 5)
        chart.text(x + 15, 31, name, style=f"f{number} b")
        x += 36 + 8.0 * len(name)


def by_size(rows: list[Record]) -> Axis:
    """The axis of sizes of sets, by powers."""
    sizes = sorted({row["elements"] for row in rows})
    low, high = math.log10(sizes[0]), math.log10(sizes[-1])
    return Axis(
        (low - 0.05, high + 0.05), (LEFT, RIGHT), tuple((math.log10(n), f"{n:,}") for n in sizes)
    )


def powers(most: float, least: float, pixels: tuple[float, float]) -> Axis:
    """An axis of powers of ten that holds two values."""
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    names = ("1", "10", "100", "1,000", "10 k", "100 k", "1 M", "10 M", "100 M")
    return Axis((low, high), pixels, tuple((p, names[p]) for p in range(low, high + 1)))


def at(across: Axis, up: Axis, elements: float, value: float) -> tuple[float, float]:
    """A point; the axis of values is one of powers where its values are."""
    by_power = isinstance(up.values[0], int)
    return across(math.log10(elements)), up(math.log10(value) if by_power else value)
