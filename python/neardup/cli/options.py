"""Click options made from the schema in `neardup.config`, and a help page in sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from neardup import values
from neardup.cli import Context
from neardup.config import GROUPS, OPTIONS, Config, load_toml
from neardup.errors import UsageError
from neardup.option import Option

WHOLE_HYPHEN = "\u2011"


class Command(click.Command):
    """A command whose help lists its options by group, and never breaks a name at its hyphen."""

    context_class = Context

    def get_help(self, ctx: click.Context) -> str:
        """The help page, its protected hyphens turned back."""
        return super().get_help(ctx).replace(WHOLE_HYPHEN, "-")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section a group, in the order of the schema; the rest last."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (*GROUPS, "Other")}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                names, text = record
                text = text.replace("-", WHOLE_HYPHEN)
                groups[GROUP_OF.get(param.name or "", "Other")].append((names, text))
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records, col_max=min(28, formatter.width // 3))


GROUP_OF = {option.name: option.group for option in OPTIONS}


def schema_options(names: Iterable[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a command with the options of these names, in the order of the schema."""
    wanted = set(names)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(
            [option for option in OPTIONS if option.name in wanted and option.typed]
        ):
            function = _click_option(option)(function)
        return function

    return decorate


def explicit(ctx: click.Context) -> dict[str, Any]:
    """The options a user typed, without any default."""
    return {
        name: value
        for name, value in ctx.params.items()
        if name in GROUP_OF and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def settings(ctx: click.Context) -> tuple[Config, set[str]]:
    """What was typed over what the file of `--config` says, and the names of all of it.

    Raises
    ------
    UsageError
        The file sets what this command does not have.
    """
    typed = explicit(ctx)
    command = str(ctx.info_name)
    from_file = load_toml(typed["config"], command) if "config" in typed else {}
    if foreign := from_file.keys() - ctx.params.keys():
        raise UsageError(f"{typed['config']}: {command} has no option {min(foreign)}")
    given = {**from_file, **typed}
    return Config.from_options(given), set(given)


def _click_option(option: Option) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    names = (option.short, option.flag) if option.short else (option.flag,)
    if isinstance(option.kind, values.Flag):
        return click.option(*names, option.name, is_flag=True, help=option.help)
    text = f"{option.help}  [{option.shown_default}]" if option.shown_default else option.help
    return click.option(
        *names,
        option.name,
        multiple=isinstance(option.kind, values.Paths),
        metavar=option.kind.metavar,
        callback=_reader(option),
        shell_complete=_completer(option),
        help=text,
    )


def _reader(option: Option) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Reads what was typed, or complains in the option's own words."""

    def read(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value is None:
            return None
        try:
            return option.kind.read(value)
        except (ValueError, TypeError, OverflowError):
            raise click.BadParameter(option.complaint(value), ctx, param) from None

    return read


def _completer(
    option: Option,
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Offers the words of a choice, and files where a path is wanted."""

    def complete(ctx: click.Context, param: click.Parameter, typed: str) -> list[CompletionItem]:
        kind = option.kind
        if isinstance(kind, values.Choice | values.Verify):
            return [CompletionItem(word) for word in kind.choices if word.startswith(typed)]
        if isinstance(kind, values.Path | values.Paths):
            return [CompletionItem(typed, type="file")]
        return []

    return complete
