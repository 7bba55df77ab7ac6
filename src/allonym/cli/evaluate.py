"""`allonym evaluate`: attackers before and after, what is left of the texts' use, and a report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from allonym.cli import RISK
from allonym.cli.candidates import ComparedMethods, ComparedTable, comparing_options
from allonym.cli.guiding import KindChoice, MethodCommand
from allonym.cli.numbers import SHARE
from allonym.cli.presets import ABOUT, PRESETS, expanded
from allonym.cli.talk import Talk, common_options
from allonym.evaluation import report
from allonym.evaluation.attack import HEADLINE

_HELP = """Measure protections on TABLE (.csv, .xlsx, .jsonl or .parquet): attacks before and after, and usefulness.

Writes a folder with report.html, report.json, and a CSV and SVG of each figure. Nothing anonymized is kept.

\b
allonym evaluate survey.xlsx --preset survey --text answer --author person --report report
allonym evaluate reviews.csv --text review --author user --label stars \\
    --method syntf --sweep epsilon=35,40,45 --report report
allonym evaluate --method erae --help                        the options of one method
"""


@click.command(name="evaluate", cls=MethodCommand, help=_HELP)
@comparing_options
@click.option("--preset", type=KindChoice(PRESETS), help=ABOUT)
@click.option(
    "--split", help="Column that says train or test; by default 70 % of each author's texts are for training."
)
@click.option(
    "--released", multiple=True, metavar="COL", help="Column with texts rewritten elsewhere; may be repeated."
)
@click.option("--report", "folder", type=click.Path(path_type=Path), required=True, help="Folder for the report.")
@click.option("--choose", type=click.IntRange(1), help="Number of the configuration to report on; by default the best.")
@click.option("--public/--internal", "public", default=True, help="Leave out names and single rows, or show both.")
@click.option("--force", is_flag=True, help="Replace an existing report.")
@click.option(
    "--fail-above",
    type=SHARE,
    help="Exit with 1 if the strongest attack is above this, going by the upper end of its interval.",
)
@common_options
@click.pass_context
def command(
    context: click.Context,
    /,
    split: str | None,
    folder: Path,
    choose: int | None,
    released: tuple[str, ...],
    public: bool,
    force: bool,
    fail_above: float | None,
    preset: str | None,
    **others: Any,  # noqa: ANN401 - what is compared, on what and by whom, and the parameters of the methods
) -> None:
    """Measure protections on TABLE."""
    talk: Talk = context.obj
    if preset is not None:
        talk.say(f"Preset {preset}: {shlex.join(expanded(preset))}")
    report.check_folder(folder, force)
    table = ComparedTable.taken(others)
    compared = ComparedMethods.of(context, others, table=table, released=released)
    if choose is not None and choose > len(compared.candidates):
        raise click.UsageError(f"--choose must be from 1 to {len(compared.candidates)}, the number of configurations.")
    evaluation = compared.evaluated(talk, table.sample(talk, split=split, released=released))
    chosen = None if choose is None else choose - 1
    written = report.write(folder, evaluation, chosen=chosen, internal=not public, force=force)
    talk.data(written.to_json(), talk.heading(written.verdict))
    talk.say(f"Wrote {folder / 'report.html'} ({written.kind}), report.json and figures; nothing anonymized is kept.")
    risk = written.outcome.strongest.headline.high
    if fail_above is not None and risk > fail_above:
        talk.say(f"The strongest attack may have an {HEADLINE} of {risk:.3f}, above {fail_above:g}.")
        context.exit(RISK)
