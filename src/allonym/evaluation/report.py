"""An evaluation as a record, as figures, and as a folder: report.html, report.json, and a CSV and SVG of each figure.

A public report (the default) tells nothing of single rows: no text, no author's name, no prediction. An internal one
names the authors and adds `predictions.csv`.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from allonym import __version__, metrics
from allonym.drawing.figure_data import Bar, Bars, Figure, Heatmap, Lines, Point, Rule, to_csv
from allonym.drawing.figures import draw
from allonym.drawing.trade_off import point, trade_off
from allonym.errors import InputError, ParameterError
from allonym.evaluation import claims
from allonym.evaluation.attack import Attack
from allonym.evaluation.evaluate import Evaluation, Outcome
from allonym.evaluation.knowledge import SETTINGS
from allonym.evaluation.page import page
from allonym.formats.tables import shown
from allonym.jobs.outputs import atomic
from allonym.metrics import scoring
from allonym.metrics.figures import CONFIDENCE, rounded_percent

_MOST_AUTHORS_DRAWN = 25
_FILES = {"report.html", "report.json", "predictions.csv", "figures"}


def record(evaluation: Evaluation, *, chosen: int | None = None, internal: bool = False) -> dict[str, Any]:
    """Return everything the report says, as plain values.

    Args:
        evaluation: What was measured.
        chosen: Place of the configuration to report on, from 0; by default that with the largest advantage.
        internal: Whether authors may be named.

    Raises:
        ParameterError: There is no such configuration, or a part of its promise cannot be stated.
    """
    place = evaluation.best() if chosen is None else chosen
    if not 0 <= place < len(evaluation.outcomes):
        raise ParameterError(f"The chosen configuration must be from 1 to {len(evaluation.outcomes)}, got {place + 1}.")
    outcome, sample = evaluation.outcomes[place], evaluation.sample
    return {
        "tool": "allonym",
        "version": __version__,
        "report": "internal" if internal else "public",
        "verdict": claims.verdict(evaluation, outcome),
        "chosen": place + 1,
        "chosen_by": _chosen_by(evaluation) if chosen is None else "the user (--choose)",
        "documents": {"train": len(sample.places("train")), "test": len(sample.places("test"))},
        "authors": len(set(sample.authors)),
        "documents_of_largest_author": sample.largest_author,
        "notes": list(sample.notes),
        "floor": evaluation.floor,
        "strongest_on_originals": _strongest(evaluation.original),
        "attacks_on_originals": [attack.to_json() for attack in evaluation.on_originals.attacks],
        "utility_measure": {
            "name": evaluation.measure.name,
            "meaning": evaluation.measure.describes_itself_as,
        },
        "utility_of_originals": evaluation.before.to_json(),
        "utility_floor": evaluation.use_floor,
        "recommended": evaluation.recommended(outcome),
        "configurations": [_configuration(number, one) for number, one in enumerate(evaluation.outcomes, 1)],
        "claim": claims.claim(evaluation, outcome),
        "limits": claims.limits(evaluation, by_figures=chosen is None),
        "how": _how(evaluation),
    }


def figures(evaluation: Evaluation, *, chosen: int | None = None, internal: bool = False) -> dict[str, Figure]:
    """Return the figures of the report, by the names of their files."""
    place = evaluation.best() if chosen is None else chosen
    outcome = evaluation.outcomes[place]
    return {
        "trade-off": _trade_off(evaluation, place),
        "attackers": _attackers(evaluation, outcome),
        "confusion": _confusion(evaluation, outcome, internal),
    }


def write(
    folder: Path,
    evaluation: Evaluation,
    *,
    chosen: int | None = None,
    internal: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Write the report's folder, whole or not at all.

    Returns:
        The record that went into report.json.
    """
    found = record(evaluation, chosen=chosen, internal=internal)
    drawn = figures(evaluation, chosen=chosen, internal=internal)
    vectors = {name: draw(figure) for name, figure in drawn.items()}
    html = page(found, drawn, vectors)
    with _fresh(folder, force) as place:
        (place / "figures").mkdir(parents=True)
        for name, figure in drawn.items():
            _save(place / "figures" / f"{name}.csv", to_csv(figure))
            _save(place / "figures" / f"{name}.svg", vectors[name])
        if internal:
            _save_predictions(place / "predictions.csv", evaluation, evaluation.outcomes[found["chosen"] - 1])
        _save(place / "report.json", json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
        _save(place / "report.html", html)
    return found


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
        with atomic(new) as place:
            yield place
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
        writer.writerow(["row", "author", *(f"{one.attacker} ({one.setting})" for one in attacks)])
        for number, place in enumerate(sample.places("test")):
            named = [shown(one.predicted[number]) for one in attacks]
            writer.writerow([sample.rows[place], shown(sample.authors[place]), *named])


def _chosen_by(evaluation: Evaluation) -> str:
    but = "; baselines are never advised" if any(one.candidate.is_a_baseline for one in evaluation.outcomes) else ""
    return f"the largest advantage: use kept minus attack left, each at the worse end of its interval{but}"


def _strongest(attack: Attack) -> dict[str, Any]:
    return {
        "attacker": attack.attacker,
        "setting": attack.setting,
        "validated": attack.validated,
        **attack.headline.to_json(),
    }


def _configuration(number: int, outcome: Outcome) -> dict[str, Any]:
    return {
        "number": number,
        "name": str(outcome.candidate),
        "method": outcome.candidate.method,
        "parameters": outcome.candidate.parameters(),
        "draws": outcome.draws,
        "guarantee": outcome.promised.to_dict(),
        "guarantee_of_largest_author": outcome.promised_to_author.to_dict(),
        "strongest": _strongest(outcome.strongest),
        "strongest_static": _strongest(outcome.attacked.strongest("static")),
        "use": {name: figure and figure.to_json() for name, figure in outcome.use.items()},
        "use_kept": outcome.kept.to_json(),
        "attack_left": outcome.left.to_json(),
        "advantage": outcome.advantage,
        "attacks": [attack.to_json() for attack in outcome.attacked.attacks],
    }


def _how(evaluation: Evaluation) -> dict[str, Any]:
    import numpy
    import scipy
    import sklearn

    modules = {"numpy": numpy, "scipy": scipy, "scikit-learn": sklearn}
    return {
        "versions": {
            "allonym": __version__,
            "python": platform.python_version(),
            **{name: str(module.__version__) for name, module in modules.items()},
        },
        "attackers": evaluation.attackers,
        "settings": dict(SETTINGS),
        "strongest": "all attackers together, unless one alone named clearly more of the known documents set aside; "
        "test documents had no say",
        "own_releases": f"of at most {evaluation.released_of_author} known documents of each author",
        "randomness": "cryptographic, not repeatable"
        if evaluation.seed is None
        else f"--insecure-seed {evaluation.seed}",
        "intervals": f"{rounded_percent(CONFIDENCE)} bootstrap over test documents and draws, "
        f"{scoring.RESAMPLES} resamples",
        **_how_measured(evaluation),
        "released_texts": "measured and discarded; nothing of them was written",
    }


def _how_measured(evaluation: Evaluation) -> dict[str, str]:
    """Say of measures that were taken on some documents only, or not at all."""
    told = {}
    for name in evaluation.outcomes[0].use:
        measure = metrics.measures()[name]
        if name in evaluation.not_measured:
            told[name] = f"not measured: {evaluation.not_measured[name]}"
        elif measure.most is not None:
            told[name] = f"{measure.describes_itself_as}, of at most {measure.most} test documents"
    return told


def _trade_off(evaluation: Evaluation, chosen: int) -> Lines:
    curves: dict[str, list[Point]] = {}
    for place, outcome in enumerate(evaluation.outcomes):
        candidate, attack = outcome.candidate, outcome.strongest.headline
        figures = (attack.numbers, evaluation.use(outcome).numbers)
        made = point(*figures, candidate.setting or candidate.method, chosen=place == chosen)
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
        [sample.authors[place] for place in sample.places("test")], outcome.strongest.predicted, authors
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
