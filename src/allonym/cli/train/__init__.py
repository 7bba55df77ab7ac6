"""`allonym train`: models of your own, one module a method, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

import click

from allonym.cli.talk import common_options

_METHODS = {
    "a4nt": "a4nt",
    "erae": "erae",
}


class _Methods(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_METHODS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _METHODS:
            return None
        method: click.Command = import_module(f"allonym.cli.train.{_METHODS[cmd_name]}").command
        return method


@click.group(name="train", cls=_Methods, no_args_is_help=True)
@common_options
def command() -> None:
    """Train a model on your own text. The model is then a release of that text: see its card."""
