"""`allonym tune`: the most useful setting that meets a target, chosen on some authors and verified on others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from allonym.cli import RISK
from allonym.cli.candidates import ComparedMethods, ComparedTable, comparing_options
from allonym.cli.numbers import SHARE, Within
from allonym.cli.talk import Talk, common_options
from allonym.evaluation import report
from allonym.evaluation.evaluate import Evaluation, Outcome
from allonym.evaluation.tune import Targets, Tuned, tune
from allonym.metrics.figures import spread
from allonym.privacy.statement import number


@click.command(name="tune")
@comparing_options
@click.option("--target-attack", type=SHARE, help="How often the strongest attacker may be right, at most.")
@click.option("--target-loss", type=Within(0), help="The proved loss of a document, at most.")
@click.option("--target-meaning", type=SHARE, help="The main measure of use, at least.")
@click.option("--report", "folder", type=click.Path(path_type=Path), help="Folder for a report on all settings tried.")
@click.option("--force", is_flag=True, help="Replace an existing report.")
@common_options
@click.pass_context
def command(
    context: click.Context,
    /,
    target_attack: float | None,
    target_loss: float | None,
    target_meaning: float | None,
    folder: Path | None,
    force: bool,
    **others: Any,  # noqa: ANN401 - what is compared, on what and by whom, and the parameters of the methods
) -> None:
    """Find the setting that keeps the texts of TABLE most useful and meets a target.

    Settings are compared on half of the authors, and the chosen one is measured once on the other half. Targets are
    compared with the worse end of an interval. Without --sweep, the settings are those of the page's sliders.
    """
    talk: Talk = context.obj
    if target_attack is None and target_loss is None and target_meaning is None:
        raise click.UsageError("Name a target: --target-attack, --target-loss or --target-meaning.")
    targets = Targets(target_attack, target_loss, target_meaning)
    if folder is not None:
        report.check_folder(folder, force)
    table = ComparedTable.taken(others)
    compared = ComparedMethods.of(context, others, table=table, offered=True)
    tuned = tune(
        table.sample(talk), compared.candidates, targets, lambda part, tried: compared.evaluated(talk, part, tried)
    )
    if folder is not None:
        report.write(folder, tuned.chosen_on, chosen=tuned.index, force=force)
        talk.say(f"Wrote {folder / 'report.html'} on the settings that were tried.")
    talk.data(tuned.to_json(), _told(tuned))
    if not tuned.held:
        context.exit(RISK)


def _told(tuned: Tuned) -> str:
    """Return what was chosen, what it reached, and how to use it."""
    fitted = "It meets the target" if tuned.fitted else "No setting meets the target; this one comes nearest"
    held = "the target is met there, too" if tuned.held else "the target is not met there"
    return (
        f"Chosen: {tuned.chosen.candidate}. {fitted}: {_reached(tuned.chosen_on, tuned.chosen)}.\n"
        f"Verified once on {tuned.verified_on.authors} other authors: {held}: "
        f"{_reached(tuned.verified_on, tuned.verified)}.\n"
        f"{tuned.chosen.promised}"
    )


def _reached(evaluation: Evaluation, outcome: Outcome) -> str:
    attack, epsilon = outcome.strongest, outcome.promised.epsilon
    promised = "nothing is proved" if epsilon is None else f"ε = {number(epsilon)} for each {outcome.promised.unit}"
    return (
        f"attack {spread(attack.headline.to_json(), 2)} by {attack.attacker} (originals "
        f"{evaluation.original.headline.value:.2f}, chance {evaluation.floor:.2f}), {evaluation.measure.title} "
        f"{spread(evaluation.use(outcome).to_json(), 2)}, {promised}"
    )
