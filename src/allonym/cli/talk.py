"""Printing: data to stdout, talk to stderr, and the options every command has."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass
class Talk:
    """How this run speaks: set by the common options, wherever on the line they stand."""

    json: bool = False
    quiet: bool = False
    color: bool = True

    def data(self, value: object, text: str) -> None:
        """Print the answer: one JSON value with --json, otherwise the text."""
        if self.json:
            text = json.dumps(value, ensure_ascii=False, indent=2)
            text = text if _fits(text) else json.dumps(value, indent=2)
            click.echo(text)
        else:
            self.line(text)

    def line(self, text: str) -> None:
        """Print a line of an answer that comes in many; what standard output cannot hold is escaped."""
        click.echo(text if _fits(text) else text.encode(_encoding(), "backslashreplace").decode(_encoding()))

    def say(self, sentence: str) -> None:
        """Tell a person something that is not data."""
        if not self.quiet:
            click.echo(sentence, err=True)

    def heading(self, words: str) -> str:
        """Return words set off for a terminal, plain elsewhere."""
        return click.style(words, bold=True) if self.color and sys.stdout.isatty() else words


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _fits(text: str) -> bool:
    """Tell whether standard output can hold a text: an older console has no ε, and a file name may be no text."""
    try:
        text.encode(_encoding())
    except UnicodeEncodeError:
        return False
    return True


def with_options(command: _Command, *options: Callable[[_Command], _Command]) -> _Command:
    """Return a command with further options, which its help lists in this order."""
    for option in reversed(options):  # click lists the last decorator first
        command = option(command)
    return command


def common_options(command: _Command) -> _Command:
    """Add --json, --quiet and --no-color, which may stand before or after the command's name."""
    return with_options(
        command,
        _setter("--json", True, "Print one JSON value on standard output."),
        _setter("--quiet", True, "Print only the answer and errors."),
        _setter("--no-color", False, "No colours or bold type."),
    )


def _setter(name: str, value: bool, help_text: str) -> Callable[[_Command], _Command]:
    """Return an option that sets how this run speaks."""
    attribute = name.rpartition("-")[2]

    def set_it(context: click.Context, _: click.Parameter, given: bool) -> None:
        if given:
            setattr(context.ensure_object(Talk), attribute, value)

    return click.option(name, attribute, is_flag=True, expose_value=False, callback=set_it, help=help_text)
