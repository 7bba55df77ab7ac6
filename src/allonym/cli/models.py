"""`allonym models`: the shipped and local models, their cards and checksums."""

from __future__ import annotations

import click

from allonym import models
from allonym.cli.talk import Talk, common_options
from allonym.errors import ModelError


@click.group(name="models", no_args_is_help=True)
@common_options
def command() -> None:
    """List and verify models."""


def _format(model: models.Model) -> str:
    """Say what kind of model it is; A4NT's call it their kind."""
    return str(model.config.get("format") or model.config.get("kind") or "unknown")


@command.command(name="list")
@common_options
@click.pass_obj
def list_models(talk: Talk) -> None:
    """List the shipped models."""
    verified = [models.verify(models.find(name)) for name in models.shipped()]
    rows = [
        {"name": each.name, "format": _format(each), "bytes": each.size_bytes, "files": list(each.files)}
        for each in verified
    ]
    lines = [f"{each.name:<18} {each.size_bytes / 1e6:6.1f} MB  {_format(each)}" for each in verified]
    talk.data(rows, "\n".join(lines))


@command.command(name="verify")
@click.argument("names", nargs=-1)
@common_options
@click.pass_obj
def verify_models(talk: Talk, names: tuple[str, ...]) -> None:
    """Check models (all shipped ones by default, or names and folders) against their checksums."""
    results = {}
    for name in names or models.shipped():
        try:
            models.verify(models.find(name))
            results[name] = "ok"
        except ModelError as error:
            results[name] = str(error)
    talk.data(results, "\n".join(f"{name}: {result}" for name, result in results.items()))
    if any(result != "ok" for result in results.values()):
        raise ModelError("Not every model is as it was published; do not use those named above.")
