"""Writes docs/options.md from the schema; `make fmt` runs it, and a test holds the page to it."""

from __future__ import annotations

from pathlib import Path

from neardup import values
from neardup.config import GROUPS, OPTIONS, PRESETS

HEAD = """# Options

Written from the schema by `docs/make_options.py`. In Python the names have `_` for `-`; a TOML file
(`--config`) may use either. What is given explicitly wins over the TOML file, that over the preset,
that over the default. Options marked * are for the command line only, those marked † for Python
only. Where a group names commands, its options are of these alone.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for group in GROUPS:
        options = [option for option in OPTIONS if option.group == group]
        commands = sorted({name for option in options for name in option.commands})
        title = f"{group}: {', '.join(f'`neardup {name}`' for name in commands)}"
        parts.append(f"\n## {title if commands else group}\n\n")
        parts.append("| option | values | default | meaning |\n|---|---|---|---|\n")
        for option in options:
            allowed = "" if isinstance(option.kind, values.Flag) else option.kind.allowed
            default = f"`{option.shown_default}`" if option.shown_default else ""
            names = f"`{option.short}`, `{option.flag}`" if option.short else f"`{option.flag}`"
            star = "" if option.python else " *"
            star += "" if option.typed else " †"
            if len(option.commands) < len(commands):
                star += f" ({', '.join(option.commands)})"
            cells = (f"{names}{star}", allowed, default, option.help)
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    parts.append("\n## Presets\n\n| preset | sets |\n|---|---|\n")
    for name, settings in PRESETS.items():
        given = ", ".join(f"`--{key} {value}`" for key, value in settings.items())
        parts.append(f"| `{name}` | {given} |\n")
    return "".join(parts)


if __name__ == "__main__":
    Path(__file__).with_name("options.md").write_text(page(), encoding="utf-8")
