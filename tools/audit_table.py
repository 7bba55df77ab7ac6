"""The audit of our own mechanisms as a table: claimed loss, exact loss, and the lower bound that draws alone show.

    python tools/audit_table.py results

writes audit.json and audit.md. All lower bounds hold together with 99.9 %.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from allonym import __version__, anonymizers, disk
from allonym.anonymizers.base import Anonymizer
from allonym.audit import exact as audit_exact
from allonym.audit import mechanisms as audit_mechanisms
from allonym.audit import texts
from allonym.audit.findings import CONFIDENCE, Audit, Finding
from allonym.audit.methods import TEXT_DRAWS, of_texts
from allonym.audit.release import of_release
from allonym.audit.sampled import Pair, least_loss, loss_bound, reach
from allonym.errors import ParameterError
from allonym.mechanisms import Exponential, LaplaceND, Mechanism, Subset, TwoSet
from allonym.mechanisms.base import Ratings, Table
from allonym.randomness import Rng, secure

DRAWS = 10**6
_TIGHT = (0.1, 1.0, 3.0, 8.0)
_EXACT = ("support", "exact loss", "exact metric loss", "reconstruction")
_GROUPED = "erae, subset of 5 in groups, neutral style, loss 10"


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
    methods, more = _laws(rng)
    rows += more
    releases = _releases()
    boxes = _black_boxes()
    confidence = 1 - (1 - CONFIDENCE) / len(rows)
    lines = [_line(row, confidence) for row in rows]
    record = {
        "version": __version__,
        "confidence_of_all_bounds_together": CONFIDENCE,
        "bounds": lines,
        "whole_laws": methods,
        "whole_releases": releases,
        "black_boxes": boxes,
    }
    target = Path(folder)
    disk.write(target / "audit.json", (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode())
    disk.write(target / "audit.md", _markdown(lines, methods, releases, boxes).encode())


def _tight(rng: Rng) -> list[Row]:
    """Two inputs and two outputs with the loss asked for: how much of it the audit sees."""
    rows = []
    for loss in _TIGHT:
        mechanism = Exponential(np.eye(2), epsilon=2 * loss)
        found = audit_exact.loss_of_tiles(mechanism.audited().tiles, 2, 2)
        pair = audit_mechanisms.drawn(mechanism.audited(), 0, 1, mechanism.loss(), rng)
        rows.append(Row(f"exponential, 2 outputs, loss {loss:g}", pair, found.loss, DRAWS))
    return rows


def _candidates(rng: Rng) -> list[Row]:
    """The mechanisms of ER-AE, small and at the size of its vocabulary, on inputs that are sure of different words."""
    rows = []
    for outputs, draws in ((5, DRAWS), (100, DRAWS), (20_000, DRAWS // 10)):
        two_set = TwoSet(outputs, epsilon=3.0)
        for name, mechanism in (("two-set", two_set), ("subset", Subset(outputs, loss=two_set.loss(), candidates=2))):
            pair = audit_mechanisms.rated(mechanism, mechanism.loss(), rng)
            rows.append(Row(f"{name}, {outputs:,} outputs", pair, _exact(mechanism), draws))
    return rows


def _exact(mechanism: Mechanism) -> float | None:
    """Return the loss between inputs that are sure of different outputs, where their laws are known."""
    audited = mechanism.audited()
    if not isinstance(audited, Ratings) or audited.exact is None:
        return None
    return audit_exact.loss_of_laws([audited.exact(row) for row in audit_mechanisms.certain(mechanism)]).loss


def _laplace(rng: Rng) -> list[Row]:
    line = LaplaceND(1, epsilon=1.0)
    return [
        Row(
            f"Laplace, 1 dimension, distance {apart:g}",
            audit_mechanisms.moved(line, np.array([[0.0], [apart]]), rng),
            None,
            DRAWS,
        )
        for apart in (1.0, 3.0)
    ]


def _laws(rng: Rng) -> tuple[list[dict[str, Any]], list[Row]]:
    """The methods with usual settings: their whole laws, and the worst pair of each by sampling."""
    few = 1000  # here the law matters; what draws show is a line of the other table
    exact, rows = dict[str, list[Finding]](), list[Row]()
    for name, method in _methods().items():
        promised = method.guarantee()
        claimed, per_unit = promised.loss_per_word or 0.0, promised.loss_per_unit or 0.0
        laws = method.audited().laws()
        found = [one for law in laws for one in audit_mechanisms.of_mechanism(law, claimed, per_unit, few, rng)]
        exact[name] = [one for one in found if one.check in _EXACT]
        if laws and isinstance(laws[-1], Table) and laws[-1].metric is None:
            worst, table = _worst(exact[name]), laws[-1]
            first, second = worst["inputs"]
            pair = audit_mechanisms.drawn(table, first, second, claimed, rng)
            draws = DRAWS // 10 if table.mechanism.input_axes else DRAWS
            inputs = f"{table.inputs:,} {'candidate sets' if table.of else 'words'}"
            rows.append(Row(f"{name}, worst pair of {inputs}", pair, worst["exact_loss"], draws))
    return [{"method": name, "findings": [one.to_json() for one in own]} for name, own in exact.items() if own], rows


def _worst(findings: list[Finding]) -> Mapping[str, Any]:
    """Return the figures of the last exact loss, which is the one at full size."""
    return [one.figures for one in findings if one.check == "exact loss"][-1]


def _methods() -> dict[str, Anonymizer]:
    """Return all methods with usual settings, those that promise nothing too."""
    grouped = {"mechanism": "subset", "candidate_sets": "groups", "style": "neutral", "loss_per_word": 10.0}
    private = {"model": "age", "target": "adult", "prefer": "privacy", "placeholders": True}
    settings: dict[str, dict[str, Any]] = {
        "syntf, ε = 47.5": {},
        "exponential, ε = 10 a unit": {"epsilon": 10.0, "order": "text"},
        "laplace, ε = 30 a unit": {"epsilon": 30.0, "order": "text"},
        "erae, ε = 3": {},
        _GROUPED: grouped,
        "commonplace, 6 sentences of the example book, loss 10": {"book": "book-example", "loss_per_sentence": 10.0},
        "random-replacement": {"words": 20},
        "a4nt, age to adult": {"model": "age", "target": "adult"},
        "a4nt, age to adult, for privacy": private,
        "a4nt, gender to female": {"model": "gender", "target": "female"},
        "round-trip": {},
        "ghostwriter": {},
        "identity": {},
    }
    return {name: anonymizers.find(name.partition(",")[0])(**chosen) for name, chosen in settings.items()}


def _releases() -> list[dict[str, Any]]:
    """Whole releases of all methods that promise something."""
    found = []
    for name, method in _methods().items():
        if method.guarantee().formal:
            audit = Audit(subject=name, claim="its guarantee", findings=tuple(of_release(method)))
            found.append(audit.to_json())
    return found


def _black_boxes() -> list[dict[str, Any]]:
    """All methods by their texts alone, those that promise nothing too."""
    audited_at = {"erae, ε = 3": " (audited at ε = 0.1)", _GROUPED: " (audited at 7)"}
    found = []
    for name, method in _methods().items():
        findings = of_texts(method, draws=TEXT_DRAWS)
        claim = "nothing" if not method.guarantee().formal else "its guarantee"
        audit = Audit(subject=f"{name}{audited_at.get(name, '')}", claim=claim, findings=tuple(findings))
        found.append({**audit.to_json(), "draws": TEXT_DRAWS})
    return found


def _line(row: Row, confidence: float) -> dict[str, Any]:
    """Return what draws show of one pair, by itself and as one of all lines."""
    together = loss_bound(row.pair.first(2 * row.draws), row.pair.second(2 * row.draws), 1 - confidence)
    alone = least_loss(together.likely, together.unlikely, together.draws, 1 - CONFIDENCE)
    claimed = row.pair.claimed or 0.0
    return {
        "mechanism": row.name,
        "claimed": claimed,
        "exact": row.exact,
        "lower_bound": together.loss,
        "confidence": confidence,
        "lower_bound_alone": alone,
        "confidence_alone": CONFIDENCE,
        "share_alone": alone / claimed,
        "reach": reach(row.draws, 1 - CONFIDENCE),
        "draws": row.draws,
        "verdict": "violated" if together.loss > claimed else "holds",
    }


def _markdown(
    lines: list[dict[str, Any]],
    methods: list[dict[str, Any]],
    releases: list[dict[str, Any]],
    boxes: list[dict[str, Any]],
) -> str:
    """Return the tables."""
    confidence = lines[0]["confidence"]
    text = [
        "# Our own mechanisms, audited",
        "",
        "Made by `python tools/audit_table.py results`. *Exact* is the loss by rational arithmetic, where",
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
    return "\n".join([*text, *_releases_in_words(releases), *_boxes_in_words(boxes)]) + "\n"


def _releases_in_words(releases: list[dict[str, Any]]) -> list[str]:
    text = [
        "",
        "## Whole releases",
        "",
        "Non-interference (draws held fixed), the streams of random words, and a method's own draws against their law;",
        "what each check looks at is said in `docs/audit.md`. Everything at the settings named and, where it says so,",
        "with a few words and a small loss.",
        "",
        "| method | check | verdict | found |",
        "|---|---|---|---|",
    ]
    return text + [
        f"| {one['subject']} | {finding['check']} | {finding['verdict']} | {finding['says']} |"
        for one in releases
        for finding in one["findings"]
    ]


def _boxes_in_words(boxes: list[dict[str, Any]]) -> list[str]:
    text = [
        "",
        "## Texts alone",
        "",
        f"Every method as a black box, by {2 * TEXT_DRAWS:,} answers to each word and {texts.ROWS} to each",
        "document of a habit. A method that claims nothing cannot be violated, and what it leaks is said all the same;",
        "*declared* is what its guarantee says it copies. All figures are in `audit.json`.",
        "",
        "| method | found |",
        "|---|---|",
    ]
    for one in boxes:
        verdict = one["verdict"].removeprefix(f"{one['subject']}: ")
        text.append(f"| {one['subject']} | {verdict[0].upper()}{verdict[1:]} |")
    text += ["", "What those leak that claim nothing:", "", "| method | check | found |", "|---|---|---|"]
    text += [
        f"| {one['subject']} | {finding['check']} | {finding['says']} |"
        for one in boxes
        for finding in one["findings"]
        if finding["check"] in one["leaks"]
    ]
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise ParameterError("Name the folder to write to: python tools/audit_table.py results")
    main(sys.argv[1])
