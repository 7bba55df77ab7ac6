"""`allonym train`: models of your own, one module a method, loaded when it is asked for."""

from __future__ import annotations

import click

from allonym.cli import LazyGroup
from allonym.cli.talk import common_options

_METHODS = {
    "a4nt": "Train A4NT's networks, which rewrite one style as another.",
    "erae": "Train ER-AE's network, which rates the words to draw from.",
    "ghostwriter": "Train Ghostwriter's network, which writes drawn notes out.",
}


@click.group(name="train", cls=LazyGroup, package="allonym.cli.train", summaries=_METHODS, no_args_is_help=True)
@common_options
def command() -> None:
    """Train a model on your own text. The model is then a release of that text: see its card."""
