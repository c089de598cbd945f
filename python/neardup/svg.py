"""Charts as SVG text, legible on light and dark pages, without a library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

STYLE = """
svg { font: 13px system-ui, sans-serif; --ink: #1f2328; --faint: #d0d7de; --soft: #59636e;
--c0: #0969a8; --c1: #b35900; --c2: #1a7f4e; --c3: #b3347d; --c4: #6f42c1; --c5: #8a6d00; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #3d444d; --soft: #9198a1;
--c0: #58a6ff; --c1: #f0a04b; --c2: #4cc38a; --c3: #f778ba; --c4: #b392f0; --c5: #e3c341; } }
text { fill: var(--ink); } .soft { fill: var(--soft); } .grid { stroke: var(--faint); }
.axis { stroke: var(--soft); } .line { fill: none; stroke-width: 2; }
.hollow { fill: none; stroke-width: 1.5; } .b { font-weight: 600; }
"""
STYLE += "".join(
    f".f{i} {{ fill: var(--c{i}); }} .s{i} {{ stroke: var(--c{i}); }}\n" for i in range(6)
)


@dataclass
class Chart:
    """A drawing of a width and a height in pixels, and the pieces put into it."""

    width: int
    height: int
    title: str
    parts: list[str] = field(default_factory=list)

    def text(
        self, x: float, y: float, words: str, anchor: str = "start", style: str = "", turn: int = 0
    ) -> None:
        """Words at a point."""
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{style}"{turned}>'
            f"{escape(words)}</text>"
        )

    def line(self, points: Sequence[tuple[float, float]], style: str, dash: str = "") -> None:
        """A line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" class="{style}"{dashed}/>')

    def dot(self, x: float, y: float, style: str, radius: float = 3.5) -> None:
        """A filled circle."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="{style}"/>')

    def bar(self, x: float, y: float, width: float, height: float, style: str) -> None:
        """A filled rectangle."""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" '
            f'class="{style}"/>'
        )

    def frame(self, across: Axis, up: Axis, x_title: str, y_title: str) -> None:
        """Grid, ticks and titles of two axes."""
        for value, label in across.ticks:
            x = across(value)
            self.line([(x, up.pixels[0]), (x, up.pixels[1])], "grid")
            self.text(x, up.pixels[0] + 18, label, "middle", "soft")
        for value, label in up.ticks:
            y = up(value)
            self.line([(across.pixels[0], y), (across.pixels[1], y)], "grid")
            self.text(across.pixels[0] - 8, y + 4, label, "end", "soft")
        self.text(sum(across.pixels) / 2, up.pixels[0] + 38, x_title, "middle")
        self.text(16, sum(up.pixels) / 2, y_title, "middle", turn=-90)

    def __str__(self) -> str:
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n{body}\n</svg>\n"
        )


@dataclass(frozen=True)
class Axis:
    """Values to pixels."""

    values: tuple[float, float]
    pixels: tuple[float, float]
    ticks: tuple[tuple[float, str], ...]

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        low, high = self.values
        share = (value - low) / (high - low)
        return self.pixels[0] + share * (self.pixels[1] - self.pixels[0])
