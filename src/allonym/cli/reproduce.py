"""`allonym reproduce`: a paper's tables on real data."""

from __future__ import annotations

from pathlib import Path

import click

from allonym import papers
from allonym.cli.talk import Talk, common_options
from allonym.errors import ParameterError
from allonym.jobs.outputs import atomic

_RUNS = ", ".join(f"{papers.find(name).RUNS} for {name}" for name in papers.takers("runs"))
_FOR = {
    option: f"for {', '.join(papers.takers(option))}." for option in ("models", "work", "earlier", "rivals", "only")
}


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(papers.names()))
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Folder that holds the corpora.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), help="Folder for the results.")
@click.option("--runs", type=click.IntRange(1), help=f"Runs of each setting: {_RUNS} by default.")
@click.option(
    "--models", type=click.Path(path_type=Path), help=f"Folder of models beside the shipped ones, {_FOR['models']}"
)
@click.option(
    "--work",
    type=click.Path(path_type=Path),
    help=f"Folder with what an interrupted run, or a run for another paper, has measured, {_FOR['work']}",
)
@click.option(
    "--earlier",
    type=click.Path(path_type=Path),
    help=f"JSON file of an earlier run, to take over what is not measured now, {_FOR['earlier']}",
)
@click.option(
    "--rivals",
    type=click.Path(path_type=Path),
    help=f"JSON file with the commands of other tools (tools/rivals/make_environments.py makes it), {_FOR['rivals']}",
)
@click.option(
    "--only",
    help=f"Names of the texts to measure on, or of parts of a paper, with commas between them, {_FOR['only']}",
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
    rivals: Path | None,
    only: str | None,
    force: bool,
) -> None:
    """Reproduce a paper's tables on real data: PAPER.json, and PAPER.md and figures made from it."""
    try:
        options = papers.options(paper, runs=runs, models=models, work=work, earlier=earlier, rivals=rivals, only=only)
    except ParameterError as error:
        raise click.UsageError(str(error)) from error
    out.mkdir(parents=True, exist_ok=True)
    if not force and (out / f"{paper}.json").exists():
        raise click.UsageError(f"{out / paper}.json exists; choose another --out or add --force.")
    results = papers.find(paper).run(papers.Asked(data, talk.say, **options))
    files = papers.files(paper, results)
    for name, content in files.items():
        with atomic(out / name, force) as path:
            path.write_text(content, encoding="utf-8")
    talk.data(results.to_json(), files[f"{paper}.md"])
