"""`allonym reproduce`: a paper's tables on real data."""

from __future__ import annotations

import json
from pathlib import Path

import click

from allonym.cli.talk import Talk, common_options
from allonym.experiments import figures, laplace, syntf
from allonym.jobs.outputs import atomic

_PAPERS = {"laplace": laplace, "syntf": syntf}


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(sorted(_PAPERS)))
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Folder that holds the corpora.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), help="Folder for the results.")
@click.option("--runs", type=click.IntRange(1), default=10, show_default=True, help="Runs of each setting. [syntf]")
@click.option("--force", is_flag=True, help="Replace existing results.")
@common_options
@click.pass_obj
def command(talk: Talk, /, paper: str, data: Path, out: Path, runs: int, force: bool) -> None:
    """Make a paper's tables on real data: PAPER.json, and PAPER.md and figures made from it."""
    out.mkdir(parents=True, exist_ok=True)
    if not force and (out / f"{paper}.json").exists():
        raise click.UsageError(f"{out / paper}.json exists; choose another --out or add --force.")
    results = syntf.run(data, talk.say, runs=runs) if paper == "syntf" else laplace.run(data, talk.say)
    table = _PAPERS[paper].markdown(results)
    files = {f"{paper}.json": json.dumps(results, ensure_ascii=False, indent=1) + "\n", f"{paper}.md": table}
    if paper == "syntf":
        for name, figure in syntf.figures(results).items():
            files[f"{paper}-{name}.svg"] = figures.draw(figure)
            files[f"{paper}-{name}.csv"] = figures.to_csv(figure)
    for name, content in files.items():
        with atomic(out / name, force) as place:
            place.write_text(content, encoding="utf-8")
    talk.data(results, table)
