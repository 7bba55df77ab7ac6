"""An evaluation as figures, and as a folder: report.html, report.json, and a CSV and SVG of each figure.

A public report (the default) tells nothing of single rows: no text, no author's name, no prediction. An internal one
names the authors and adds `predictions.csv`.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from allonym.drawing.figure_data import Bar, Bars, Figure, Heatmap, Lines, Point, Rule, to_csv
from allonym.drawing.figures import draw
from allonym.drawing.trade_off import point, trade_off
from allonym.errors import InputError
from allonym.evaluation.evaluate import Evaluation, Outcome
from allonym.evaluation.knowledge import SETTINGS
from allonym.evaluation.page import page
from allonym.evaluation.reported import EvaluationReport
from allonym.formats.tables import shown
from allonym.jobs.outputs import atomic
from allonym.metrics import scoring

_MOST_AUTHORS_DRAWN = 25
_FILES = {"report.html", "report.json", "predictions.csv", "figures"}


def figures(report: EvaluationReport) -> dict[str, Figure]:
    """Return the figures of the report, by the names of their files."""
    return {
        "trade-off": _trade_off(report.evaluation, report.index),
        "attackers": _attackers(report.evaluation, report.outcome),
        "confusion": _confusion(report.evaluation, report.outcome, report.internal),
    }


def write(
    folder: Path,
    evaluation: Evaluation,
    *,
    chosen: int | None = None,
    internal: bool = False,
    force: bool = False,
) -> EvaluationReport:
    """Write the report's folder, whole or not at all; return what it says."""
    report = EvaluationReport.on(evaluation, chosen=chosen, internal=internal)
    drawn = figures(report)
    vectors = {name: draw(figure) for name, figure in drawn.items()}
    html = page(report, drawn, vectors)
    with _fresh(folder, force) as new:
        (new / "figures").mkdir(parents=True)
        for name, figure in drawn.items():
            _save(new / "figures" / f"{name}.csv", to_csv(figure))
            _save(new / "figures" / f"{name}.svg", vectors[name])
        if internal:
            _save_predictions(new / "predictions.csv", evaluation, report.outcome)
        _save(new / "report.json", json.dumps(report.to_json(), ensure_ascii=False, indent=2, allow_nan=False) + "\n")
        _save(new / "report.html", html)
    return report


def check_folder(folder: Path, force: bool) -> None:
    """Refuse, before hours of measuring, a folder that cannot be written to or holds other things."""
    if not folder.name or folder.name == "..":
        raise InputError(f"{shown(folder)} cannot be the folder of a report; choose another --report.")
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        raise InputError(f"{shown(folder.parent)} is no folder that can be written to; choose another --report.")
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(f"{shown(folder)} exists and is no folder; choose another --report.")
    names = set(os.listdir(folder))
    if names and not force:
        raise InputError(f"{shown(folder)} exists and is not empty; choose another --report or add --force.")
    if names and ("report.json" not in names or names - _FILES):  # a slip must not delete other things
        raise InputError(f"{shown(folder)} holds more than a report; choose another --report.")


@contextmanager
def _fresh(folder: Path, force: bool) -> Iterator[Path]:
    """Give a folder to write to, and put it in the place of the target on success."""
    check_folder(folder, force)
    new, old = (folder.with_name(f".{folder.name}.{os.getpid()}.{what}") for what in ("new", "old"))
    try:
        with atomic(new) as staged:
            yield staged
        check_folder(folder, force)
        if folder.exists():
            os.rename(folder, old)
        try:
            os.rename(new, folder)
        except BaseException:
            if old.exists():
                os.rename(old, folder)
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if folder.exists():  # only then is the older report of no more use
            shutil.rmtree(old, ignore_errors=True)


def _save(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def _save_predictions(path: Path, evaluation: Evaluation, outcome: Outcome) -> None:
    sample, attacks = evaluation.sample, outcome.attacked.attacks
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "author", *(f"{attack.attacker} ({attack.setting})" for attack in attacks)])
        for number, row in enumerate(sample.places("test")):
            named = [shown(attack.predicted[number]) for attack in attacks]
            writer.writerow([sample.rows[row], shown(sample.authors[row]), *named])


def _trade_off(evaluation: Evaluation, chosen: int) -> Lines:
    curves: dict[str, list[Point]] = {}
    for index, outcome in enumerate(evaluation.outcomes):
        candidate, attack = outcome.candidate, outcome.strongest.headline
        figures = (attack.numbers, evaluation.use(outcome).numbers)
        made = point(*figures, candidate.setting or candidate.method, chosen=index == chosen)
        curves.setdefault(candidate.method, []).append(made)
    rules = [Rule("x", evaluation.floor, "chance"), Rule("y", evaluation.use_floor, "without reading")]
    return trade_off(
        "Each point is a configuration: further up the texts keep more of their use "
        f"({evaluation.measure.describes_itself_as}), further left the strongest attacker names fewer "
        "authors. The ring marks the chosen configuration, dashed lines what would be reached without reading. Lines "
        "through points are intervals.",
        ("accuracy of the strongest attacker", evaluation.measure.title),
        curves,
        (evaluation.original.headline.numbers, evaluation.before.numbers),
        rules,
    )


def _attackers(evaluation: Evaluation, outcome: Outcome) -> Bars:
    groups = []
    attacks = (*evaluation.on_originals.attacks, *outcome.attacked.attacks)
    for name in evaluation.attackers:
        reached = {attack.setting: attack.headline for attack in attacks if attack.attacker == name}
        groups.append(
            (name, tuple(Bar(setting, *reached[setting].numbers) for setting in SETTINGS if setting in reached))
        )
    return Bars(
        "Attackers before and after",
        f"Accuracy of each attacker on the originals, and on texts released by {outcome.candidate}: trained on the "
        "originals (static), on the attacker’s own releases (adaptive) and on all he has (informed), with intervals.",
        "accuracy: share of test documents whose author is named",
        tuple(groups),
        evaluation.floor,
        f"floor {evaluation.floor:.2f}",
    )


def _confusion(evaluation: Evaluation, outcome: Outcome, internal: bool) -> Heatmap:
    """Return who is taken for whom; beyond so many authors, the smaller ones together."""
    sample, authors = evaluation.sample, evaluation.sample.by_size()
    counts = scoring.confusion(
        [sample.authors[row] for row in sample.places("test")], outcome.strongest.predicted, authors
    )
    names = [shown(author) if internal else f"author {number}" for number, author in enumerate(authors, 1)]
    if len(names) > _MOST_AUTHORS_DRAWN:
        first = _MOST_AUTHORS_DRAWN - 1
        folded = counts[:, [*range(first), first]].copy()
        folded[:, first] = counts[:, first:].sum(1)
        counts = folded[[*range(first), first]].copy()
        counts[first] = folded[first:].sum(0)
        names = [*names[:first], "all others"]
    return Heatmap(
        "Who is taken for whom",
        "Test documents by their author (rows) and by the author that the strongest attacker "
        f"({outcome.strongest.attacker}) names (columns), largest first. On the diagonal it is right.",
        "named by the attacker",
        "true author",
        tuple(names),
        tuple(names),
        tuple(tuple(float(count) for count in row) for row in counts),
    )
