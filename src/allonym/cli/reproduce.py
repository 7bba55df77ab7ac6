"""`allonym reproduce`: a paper's tables on real data."""

from __future__ import annotations

import json
from pathlib import Path

import click

from allonym.cli.talk import Talk, common_options
from allonym.experiments import laplace
from allonym.jobs.outputs import atomic

_PAPERS = {"laplace": laplace}


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(sorted(_PAPERS)))
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Folder that holds the corpora.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), help="Folder for the results.")
@click.option("--force", is_flag=True, help="Replace existing results.")
@common_options
@click.pass_obj
def command(talk: Talk, /, paper: str, data: Path, out: Path, force: bool) -> None:
    """Make a paper's tables on real data: PAPER.json, and PAPER.md made from it."""
    out.mkdir(parents=True, exist_ok=True)
    if not force and (out / f"{paper}.json").exists():
        raise click.UsageError(f"{out / paper}.json exists; choose another --out or add --force.")
    results = _PAPERS[paper].run(data, talk.say)
    table = _PAPERS[paper].markdown(results)
    for suffix, content in ((".json", json.dumps(results, ensure_ascii=False, indent=1) + "\n"), (".md", table)):
        with atomic(out / f"{paper}{suffix}", force) as place:
            place.write_text(content, encoding="utf-8")
    talk.data(results, table)
