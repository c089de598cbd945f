"""Writes docs/options.md from the schema; `make fmt` runs it, and a test holds the page to it."""

from __future__ import annotations

from pathlib import Path

import click

from neardup import values
from neardup.cli import evaluate
from neardup.config import GROUPS, OPTIONS, PRESETS

HEAD = """# Options of `neardup dedup`

Written from the schema by `docs/make_options.py`. In Python the names have `_` for `-`; a TOML file
(`--config`) may use either. What is given explicitly wins over the TOML file, that over the preset,
that over the default. Options marked * are for the command line only.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for group in GROUPS:
        parts.append(
            f"\n## {group}\n\n| option | values | default | meaning |\n|---|---|---|---|\n"
        )
        for option in (option for option in OPTIONS if option.group == group):
            allowed = "" if isinstance(option.kind, values.Flag) else option.kind.allowed
            default = f"`{option.shown_default}`" if option.shown_default else ""
            names = f"`{option.short}`, `{option.flag}`" if option.short else f"`{option.flag}`"
            star = "" if option.python else " *"
            cells = (f"{names}{star}", allowed, default, option.help)
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    parts.append("\n## Presets\n\n| preset | sets |\n|---|---|\n")
    for name, settings in PRESETS.items():
        given = ", ".join(f"`--{key} {value}`" for key, value in settings.items())
        parts.append(f"| `{name}` | {given} |\n")
    parts.append(evaluation())
    return "".join(parts)


def evaluation() -> str:
    """The options that `neardup evaluate` has of its own."""
    parts = ["\n## Only `neardup evaluate`\n\n| option | values | meaning |\n|---|---|---|\n"]
    schema = {option.name for option in OPTIONS} - {"out"}
    for option in evaluate.command.params:
        if isinstance(option, click.Option) and option.name not in schema:
            names = ", ".join(f"`{name}`" for name in option.opts)
            parts.append(f"| {names} | {option.metavar} | {option.help} |\n")
    return "".join(parts)


if __name__ == "__main__":
    Path(__file__).with_name("options.md").write_text(page(), encoding="utf-8")
