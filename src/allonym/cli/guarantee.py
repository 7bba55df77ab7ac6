"""`allonym guarantee`: what a configuration promises, before any data is seen."""

from __future__ import annotations

from typing import Any

import click

from allonym.cli.methods import build, method_options
from allonym.cli.talk import Talk, common_options
from allonym.mechanisms import Exponential
from allonym.mechanisms.bounds import alternative_bound, standard_bound
from allonym.privacy import accounting
from allonym.privacy.statement import number


@click.command(name="guarantee")
@method_options
@click.option("--documents", type=click.IntRange(1, 10**9), default=1, help="Documents of one author, added up.")
@click.option("--delta", type=float, help="Also give the smaller ε that holds except with this probability.")
@common_options
@click.pass_obj
def command(
    talk: Talk,
    /,
    method: str,
    reference: str | None,
    documents: int,
    delta: float | None,
    **parameters: Any,  # noqa: ANN401 - the parameters of the method
) -> None:
    """Say what a configuration promises, before any data is seen."""
    anonymizer = build(method, parameters, reference=reference)
    promised = anonymizer.guarantee(documents)
    mechanism: Exponential | None = getattr(anonymizer, "mechanism_", None)
    if delta is not None:
        if mechanism is None:
            raise click.UsageError(f"--delta is not available for the method {method}; leave it out.")
        promised = accounting.with_approximation(promised, mechanism.renyi, delta)
        if not promised.also_holds:
            talk.say(f"Allowing a failure probability of {delta:g} gives no smaller ε here (by Rényi accounting).")
    bounds = {} if mechanism is None else _bounds(mechanism)
    lines = [talk.heading(f"{method}: {promised.definition}"), str(promised)]
    lines += [f"  {name}: {number(value)} per word" for name, value in bounds.items()]
    talk.data({"method": method, "guarantee": promised.to_dict(), "bounds_per_word": bounds}, "\n".join(lines))


def _bounds(mechanism: Exponential) -> dict[str, float]:
    """Return the three bounds of the exponential mechanism, loosest first."""
    return {
        "standard bound (ε)": standard_bound(mechanism.epsilon),
        "alternative bound (ε + ln η)": alternative_bound(mechanism.epsilon, mechanism.outputs),
        "tight loss (ℓ, the promise)": mechanism.loss(),
    }
