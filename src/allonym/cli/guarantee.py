"""`allonym guarantee`: what a configuration promises, before any data is seen."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from allonym.cli.guiding import MethodCommand
from allonym.cli.options import build, method_options
from allonym.cli.talk import Talk, common_options
from allonym.formats.files import open_documents
from allonym.formats.tables import shown
from allonym.privacy import accounting
from allonym.privacy.statement import counted, number


@click.command(name="guarantee", cls=MethodCommand)
@method_options
@click.option("--documents", type=click.IntRange(1, 10**9), default=1, help="Add up this many documents of one author.")
@click.option("--delta", type=float, help="Also give the smaller ε that holds except with this probability.")
@click.option(
    "--between", type=(Path, Path), default=None, help="Two .txt files: how well they hide behind one another."
)
@common_options
@click.pass_obj
def command(
    talk: Talk,
    /,
    method: str,
    reference: str | None,
    target_unchanged: float | None,
    documents: int,
    delta: float | None,
    between: tuple[Path, Path] | None,
    **parameters: Any,  # noqa: ANN401 - the parameters of the method
) -> None:
    """Say what a configuration promises, before any data is seen."""
    anonymizer = build(method, parameters, reference=reference, unchanged=target_unchanged)
    promised = anonymizer.guarantee(documents)
    mechanism = anonymizer.mechanism_
    if delta is not None:
        if mechanism is None or mechanism.renyi is None:
            raise click.UsageError(f"--delta is not available for the method {method}; leave it out.")
        promised = accounting.with_approximation(promised, mechanism.renyi, delta)
        if not promised.also_holds:
            talk.say(f"Allowing a failure probability of {delta:g} gives no smaller ε here (by Rényi accounting).")
    bounds = {} if mechanism is None else mechanism.bounds()
    lines = [talk.heading(f"{method}: {promised.definition}"), str(promised)]
    if target_unchanged is not None:
        talk.say(f"ε for {target_unchanged:g} of the words unchanged: {anonymizer.get_params()['epsilon']:g}")
    lines += [f"  {name}: {number(value)} per word" for name, value in bounds.items()]
    answer = {"method": method, "guarantee": promised.to_dict(), "bounds_per_word": bounds}
    for name, figures in anonymizer.further_figures().items():
        answer[name] = asdict(figures)
        lines.append(str(figures))
    if between is not None:
        compared = anonymizer.between(*_documents(between))
        answer["between"] = asdict(compared)
        lines.append(f"Between the two documents ({counted(compared.words, compared.drawn)} each):")
        lines += [f"  {name}: {value:.4f}" for name, value in compared.distances.items()]
        lines += [f"  loss by {name}: {number(value)}" for name, value in compared.losses.items()]
    talk.data(answer, "\n".join(lines))


def _documents(paths: tuple[Path, Path]) -> list[str]:
    """Return the two documents to compare."""
    texts = list[str]()
    for path in paths:
        if path.exists() and path.suffix.lower() != ".txt":
            raise click.UsageError(f"{shown(path)} is no .txt file; --between compares two of them.")
        [batch] = open_documents(path)
        texts += batch.texts
    return texts
