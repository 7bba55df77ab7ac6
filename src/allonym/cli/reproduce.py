"""`allonym reproduce`: a paper's tables on real data."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from allonym.cli.talk import Talk, common_options
from allonym.drawing.figures import Figure, draw, to_csv
from allonym.jobs.outputs import atomic
from allonym.papers.a4nt import reproduce as a4nt
from allonym.papers.erae import reproduce as erae
from allonym.papers.laplace import reproduce as laplace
from allonym.papers.syntf import reproduce as syntf

Results = dict[str, Any]


def _no_figures(_: Results) -> dict[str, Figure]:
    return {}


@dataclass(frozen=True)
class Paper:
    """How a paper's tables are made.

    Attributes:
        run: The data folder, and whom to tell what is done, to the results; takes `runs` where there are several.
        markdown: The results to tables.
        figures: The results to figures by name.
        runs: How often each setting is run unless told otherwise; None where that cannot be told.
        models: Whether `run` takes a folder of `models` to evaluate.
        work: Whether it takes a folder for its `work`, from which it can be resumed.
        earlier: Whether it takes `earlier` results, for rows of models that are not at hand.
    """

    run: Callable[..., Results]
    markdown: Callable[[Results], str]
    figures: Callable[[Results], dict[str, Figure]] = _no_figures
    runs: int | None = None
    models: bool = False
    work: bool = False
    earlier: bool = False


_PAPERS = {
    "a4nt": Paper(a4nt.run, a4nt.markdown, a4nt.figures, models=True, work=True, earlier=True),
    "erae": Paper(erae.run, erae.markdown, erae.figures, erae.RUNS, models=True, earlier=True),
    "laplace": Paper(laplace.run, laplace.markdown),
    "syntf": Paper(syntf.run, syntf.markdown, syntf.figures, syntf.RUNS),
}
_RUNS_HELP = "Runs of each setting: " + ", ".join(
    f"{paper.runs} for {name}" for name, paper in _PAPERS.items() if paper.runs
)


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(sorted(_PAPERS)))
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Folder that holds the corpora.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), help="Folder for the results.")
@click.option("--runs", type=click.IntRange(1), help=f"{_RUNS_HELP} by default.")
@click.option(
    "--models", type=click.Path(path_type=Path), help="Folder of models beside the shipped ones, for a4nt and erae."
)
@click.option("--work", type=click.Path(path_type=Path), help="Folder to resume an interrupted run from, for a4nt.")
@click.option(
    "--earlier",
    type=click.Path(path_type=Path),
    help="JSON file of an earlier run, whose rows of models that are not there now are taken over, for a4nt and erae.",
)
@click.option("--force", is_flag=True, help="Replace existing results.")
@common_options
@click.pass_obj
def command(
    talk: Talk,
    /,
    paper: str,
    data: Path,
    out: Path,
    runs: int | None,
    models: Path | None,
    work: Path | None,
    earlier: Path | None,
    force: bool,
) -> None:
    """Make a paper's tables on real data: PAPER.json, and PAPER.md and figures made from it."""
    chosen = _PAPERS[paper]
    if runs is not None and chosen.runs is None:
        raise click.UsageError(f"The tables of {paper} are made in one run; leave --runs away.")
    if models and not chosen.models:
        raise click.UsageError(f"The tables of {paper} need no models; leave --models away.")
    for name, given, taken in (("--work", work, chosen.work), ("--earlier", earlier, chosen.earlier)):
        if given and not taken:
            raise click.UsageError(f"The tables of {paper} are made in one go; leave {name} away.")
    out.mkdir(parents=True, exist_ok=True)
    if not force and (out / f"{paper}.json").exists():
        raise click.UsageError(f"{out / paper}.json exists; choose another --out or add --force.")
    times = {} if chosen.runs is None else {"runs": runs or chosen.runs}
    folders = {"models": models} if chosen.models else {}
    folders |= {"work": work} if chosen.work else {}
    folders |= {"earlier": earlier} if chosen.earlier else {}
    results = chosen.run(data, talk.say, **times, **folders)
    table = chosen.markdown(results)
    files = {f"{paper}.json": json.dumps(results, ensure_ascii=False, indent=1) + "\n", f"{paper}.md": table}
    for name, figure in chosen.figures(results).items():
        files |= {f"{paper}-{name}.svg": draw(figure), f"{paper}-{name}.csv": to_csv(figure)}
    for name, content in files.items():
        with atomic(out / name, force) as place:
            place.write_text(content, encoding="utf-8")
    talk.data(results, table)
