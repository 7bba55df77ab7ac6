"""The audit of our own mechanisms as a table: claimed loss, exact loss, and the lower bound that draws alone show.

    python -m allonym.experiments.audit_table results

writes audit.json and audit.md. All lower bounds hold together with 99.9 %.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from allonym import __version__
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.word_exponential import WordExponential
from allonym.anonymizers.word_laplace import WordLaplace
from allonym.errors import ParameterError
from allonym.experiments import audit_methods
from allonym.mechanisms import Exponential, LaplaceND, Subset, TwoSet
from allonym.privacy import audit_exact
from allonym.privacy.audit import CONFIDENCE, Finding
from allonym.privacy.audit_sampled import Pair, loss_bound, reach
from allonym.randomness import Rng, secure

DRAWS = 10**6
_MOST_TO_ENUMERATE = 8
_TIGHT = (0.1, 1.0, 3.0, 8.0)


@dataclass(frozen=True)
class Row:
    """One line of the table: a pair of inputs, what is claimed of it, and the exact loss where there is one."""

    name: str
    pair: Pair
    exact: float | None
    draws: int


def main(folder: str) -> None:
    """Audit everything and write the table."""
    rng = secure()
    rows = [*_tight(rng), *_candidates(rng), *_laplace(rng)]
    methods, more = _methods(rng)
    rows += more
    confidence = 1 - (1 - CONFIDENCE) / len(rows)
    lines = [_line(row, confidence) for row in rows]
    record = {
        "version": __version__,
        "confidence_of_all_bounds_together": CONFIDENCE,
        "bounds": lines,
        "whole_laws": methods,
    }
    target = Path(folder)
    (target / "audit.json").write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (target / "audit.md").write_text(_markdown(lines, methods), encoding="utf-8")


def _tight(rng: Rng) -> list[Row]:
    """Two inputs and two outputs with the loss asked for: how much of it the audit sees."""
    rows = []
    for loss in _TIGHT:
        mechanism = Exponential(np.eye(2), epsilon=2 * loss)
        found = audit_exact.loss_of_tiles(mechanism.weight_tiles, 2, 2)
        pair = audit_methods.drawn(mechanism, 0, 1, mechanism.loss(), rng)
        rows.append(Row(f"exponential, 2 outputs, loss {loss:g}", pair, found.loss, DRAWS))
    return rows


def _candidates(rng: Rng) -> list[Row]:
    """The mechanisms of ER-AE, small and at the size of its vocabulary, on inputs that are sure of different words."""
    rows = []
    for outputs, draws in ((5, DRAWS), (100, DRAWS), (20_000, DRAWS // 10)):
        two_set = TwoSet(outputs, epsilon=3.0)
        for name, mechanism in (("two-set", two_set), ("subset", Subset(outputs, loss=two_set.loss(), candidates=2))):
            pair = audit_methods.rated(mechanism, mechanism.loss(), rng)
            rows.append(Row(f"{name}, {outputs:,} outputs", pair, _exact(mechanism), draws))
    return rows


def _exact(mechanism: TwoSet | Subset) -> float | None:
    """Return the loss between inputs that are sure of different outputs; two-set's law is known where it is small."""
    if isinstance(mechanism, Subset):
        return audit_exact.loss_of_laws(list(mechanism.weights(audit_methods.certain(mechanism)))).loss
    if mechanism.outputs > _MOST_TO_ENUMERATE:
        return None
    return audit_exact.loss_of_laws([mechanism.fractions(row) for row in np.eye(mechanism.outputs)]).loss


def _laplace(rng: Rng) -> list[Row]:
    line = LaplaceND(1, epsilon=1.0)
    return [
        Row(
            f"Laplace, 1 dimension, distance {apart:g}",
            audit_methods.moved(line, np.array([[0.0], [apart]]), line.loss(apart), rng),
            None,
            DRAWS,
        )
        for apart in (1.0, 3.0)
    ]


def _methods(rng: Rng) -> tuple[list[dict[str, Any]], list[Row]]:
    """The methods with usual settings: their whole laws, and the worst pair of each by sampling."""
    audits: list[tuple[str, Callable[[], list[Finding]]]] = []
    syntf, exponential = SynTF(), WordExponential(epsilon=10.0, order="text")
    promised, metric = syntf.guarantee(), exponential.guarantee()
    laplace, erae = WordLaplace(epsilon=30.0, order="text"), ERAE()
    few = 1000  # here the law matters; what draws show is a line of the other table
    audits.append(
        (
            "syntf, ε = 47.5",
            lambda: audit_methods.of_exponential(syntf.mechanism_, promised.loss_per_word or 0.0, few, rng),
        )
    )
    audits.append(
        (
            "exponential, ε = 10 a unit",
            lambda: audit_methods.of_metric(
                exponential.mechanism_, metric.loss_per_unit or 0.0, metric.loss_per_word or 0.0, few, rng
            ),
        )
    )
    audits.append(
        ("erae, ε = 3", lambda: audit_methods.of_candidates(erae.mechanism_, erae.mechanism_.loss(), few, rng))
    )
    points = laplace.table_.vectors.astype(np.float64)
    audits.append(("laplace, ε = 30 a unit", lambda: audit_methods.of_laplace(laplace.mechanism_, points, few, rng)))
    methods, rows = [], []
    for name, audit in audits:
        findings = audit()
        exact = [
            one for one in findings if one.check in ("support", "exact loss", "exact metric loss", "reconstruction")
        ]
        methods.append({"method": name, "findings": [one.to_dict() for one in exact]})
        worst = next((one.figures for one in exact if one.check == "exact loss"), None)
        if name.startswith("syntf") and worst is not None:
            first, second = worst["inputs"]
            pair = audit_methods.drawn(syntf.mechanism_, first, second, worst["claimed"], rng)
            rows.append(
                Row(f"{name}, worst pair of {syntf.mechanism_.inputs:,} words", pair, worst["exact_loss"], DRAWS)
            )
    return methods, rows


def _line(row: Row, confidence: float) -> dict[str, Any]:
    """Return what draws show of one pair, by itself and as one of all lines."""
    drawn = row.pair.first(2 * row.draws), row.pair.second(2 * row.draws)
    alone, together = (loss_bound(*drawn, 1 - level) for level in (CONFIDENCE, confidence))
    claimed = row.pair.claimed or 0.0
    return {
        "mechanism": row.name,
        "claimed": claimed,
        "exact": row.exact,
        "lower_bound": together.loss,
        "confidence": confidence,
        "lower_bound_alone": alone.loss,
        "confidence_alone": CONFIDENCE,
        "share_alone": alone.loss / claimed,
        "reach": reach(row.draws, 1 - CONFIDENCE),
        "draws": row.draws,
        "verdict": "violated" if together.loss > claimed else "holds",
    }


def _markdown(lines: list[dict[str, Any]], methods: list[dict[str, Any]]) -> str:
    """Return both tables."""
    confidence = lines[0]["confidence"]
    text = [
        "# Our own mechanisms, audited",
        "",
        "Made by `python -m allonym.experiments.audit_table results`. "
        "*Exact* is the loss by rational arithmetic, where",
        "the law can be written out. The *lower bound* is what draws alone show: events are chosen on as many draws",
        "again, and judged by exact binomial tails.",
        f"*Alone* it holds with {100 * CONFIDENCE:g} %; "
        f"*together* each is at {100 * confidence:.4f} %, so that all lines",
        f"hold at once with {100 * CONFIDENCE:g} %, and the verdict is by that. "
        "Nothing above *reach* could be shown with",
        "so many draws.",
        "",
        "| mechanism | claimed | exact | lower bound alone | of the claim | together | reach | "
        "draws of each | verdict |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in lines:
        exact = "–" if one["exact"] is None else f"{one['exact']:.4f}"
        cells = [one["mechanism"], f"{one['claimed']:.4f}", exact, f"{one['lower_bound_alone']:.4f}"]
        cells += [f"{100 * one['share_alone']:.1f} %", f"{one['lower_bound']:.4f}", f"{one['reach']:.2f}"]
        text.append("| " + " | ".join([*cells, f"{one['draws']:,}", one["verdict"]]) + " |")
    text += ["", "## Whole laws", "", "| method | check | verdict | found |", "|---|---|---|---|"]
    text += [
        f"| {one['method']} | {finding['check']} | {finding['verdict']} | {finding['says']} |"
        for one in methods
        for finding in one["findings"]
    ]
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise ParameterError("Name the folder to write to: python -m allonym.experiments.audit_table results")
    main(sys.argv[1])
