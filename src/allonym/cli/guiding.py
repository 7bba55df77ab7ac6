"""How the command line helps: with the options of one method alone, presets, and what may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import click

from allonym.cli import presets, told

_METHOD = "allonym.method"


def meant(word: str, known: Iterable[str]) -> str:
    """Return a question for somebody who may have mistyped a word; nothing where no known one is close.

    Examples:
        >>> meant("anonymise", ["anonymize", "audit"])
        " Did you mean 'anonymize'?"
        >>> meant("xyz", ["anonymize"])
        ''
    """
    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


class KindChoice(click.Choice[str]):
    """A choice that asks what may have been meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401 - click's own
        """Return the message with the likeliest of the choices."""
        return f"{super().get_invalid_choice_message(value, ctx)}{meant(str(value), self.choices)}"


class MethodCommand(click.Command):
    """A command with the options of all methods: `--method M --help` shows those of one, and presets are expanded."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put a preset's options before all others, and remember the method for the help."""
        if any(parameter.name == "preset" for parameter in self.params):
            preset = _value(args, "--preset")
            args = [*(presets.expanded(preset) if preset else ()), *args]
        ctx.meta[_METHOD] = _value(args, "--method")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options of the chosen method first, and none of another."""
        method, kept = ctx.meta.get(_METHOD), told.kept()
        if method not in kept["methods"]:
            super().format_options(ctx, formatter)
            return
        own, others = [], []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            about = kept["parameters"].get(parameter.name)
            if record is None or (about is not None and method not in about["methods"]):
                continue
            if about is None:
                others.append(record)
            else:
                own.append((record[0], _described(about["methods"][method])))
        if own:
            with formatter.section(f"Options of {method}"):
                formatter.write_dl(own)
        with formatter.section("Options"):
            formatter.write_dl(others)


def _described(about: dict[str, str]) -> str:
    """Return what an option means for one method, and its default."""
    return f"{about['help']} [default: {about['default']}]" if about["default"] else about["help"]


def _value(args: Sequence[str], option: str) -> str | None:
    """Return what is given for an option, the last time that it is."""
    found = None
    for place, word in enumerate(args):
        if word == option and place + 1 < len(args):
            found = args[place + 1]
        elif word.startswith(f"{option}="):
            found = word.partition("=")[2]
    return found
