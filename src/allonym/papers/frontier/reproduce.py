"""The frontier: every method over its settings and the rivals, measured by the one ruler on four kinds of texts."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from allonym import __version__, anonymizers, disk, metrics
from allonym.attackers.panel import default_panel
from allonym.errors import InputError
from allonym.evaluation.attack import Attack
from allonym.evaluation.candidates import Candidate, Method
from allonym.evaluation.evaluate import DRAWS, RELEASED_OF_AUTHOR, Outcome, Ruler
from allonym.evaluation.knowledge import SETTINGS
from allonym.evaluation.sample import Sample
from allonym.metrics.base import Measure
from allonym.papers import Results
from allonym.papers.frontier import tables
from allonym.papers.frontier.grounds import GROUNDS, SEED
from allonym.papers.frontier.settings import OURS, PLAIN_CLAUSES, Rival, Setting, read_rivals

_MEASURED = {"meaning": 100, "meaning-use": 60, "topic": None, "unchanged": None, "length": None}
_FLUENCY = {"perplexity": 60}  # minutes a row, so on one kind of texts
_TIMED = 40  # documents

markdown = tables.markdown
figures = tables.figures


def run(
    data: Path,
    report: Callable[[str], None],
    *,
    runs: int = DRAWS,
    work: Path | None = None,
    rivals: Path | None = None,
    only: str | None = None,
) -> Results:
    """Return a row for each configuration on each kind of texts.

    Args:
        data: Folder that holds the corpora.
        report: Told what is done.
        runs: How often each configuration is drawn.
        work: Folder of the rows that are done, from which an interrupted run goes on; rows there of texts that are not
            asked for now are part of the results.
        rivals: JSON file with the rivals' commands, made by `tools/rivals/make_environments.py`.
        only: Names of the texts to measure on, with commas between them; by default all. With none, nothing is measured
            and the rows that are done make the results.
    """
    asked = list(GROUNDS) if only is None else [name.strip() for name in only.split(",") if name.strip()]
    if unknown := set(asked) - set(GROUNDS):
        raise InputError(f"There are no texts called {sorted(unknown)[0]}; choose among: {', '.join(GROUNDS)}.")
    compared = _in_turn([*_installed(report), *read_rivals(rivals)])
    grounds = {}
    for name in GROUNDS:
        done = _Done(work, name, runs)
        if name in asked:
            _measure(data, name, compared if GROUNDS[name].whole else PLAIN_CLAUSES, done, runs, report)
        if rows := done.rows():
            grounds[name] = {"about": done.about(), "rows": rows}
    return {
        "allonym": __version__,
        "draws": runs,
        "seed": SEED,
        "own_releases_of_author": RELEASED_OF_AUTHOR,
        "settings": dict(SETTINGS),
        "attackers": {attacker.name: attacker.describes_itself_as for attacker in default_panel()},
        "grounds": grounds,
    }


def _installed(report: Callable[[str], None]) -> list[Setting]:
    """Return our settings whose method can be had here."""
    known = anonymizers.examples()
    for method in sorted({setting.method for setting in OURS} - set(known)):
        report(f"{method} is left out: it is not installed.")
    return [setting for setting in OURS if setting.method in known]


def _in_turn(compared: Sequence[Setting | Rival]) -> list[Setting | Rival]:
    """Return the first setting of every method, then the second ones: a run that is cut off has something of each."""
    seen: Counter[str] = Counter()
    turns = []
    for each in compared:
        seen[each.title] += 1
        turns.append(seen[each.title])
    return [each for _, each in sorted(zip(turns, compared, strict=True), key=lambda pair: pair[0])]


class _Done:
    """The rows that are done, each a file of its own, so that a run that is cut off loses one at most."""

    def __init__(self, work: Path | None, ground: str, runs: int) -> None:
        self._folder = None if work is None else work / ground / f"{runs} draws"
        self._rows: dict[str, dict[str, Any]] = {}
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            for path in sorted(self._folder.glob("*.json")):
                row = json.loads(path.read_text("utf-8"))
                self._rows[row["name"]] = row

    def __contains__(self, name: str) -> bool:
        return name in self._rows

    def keep(self, row: dict[str, Any]) -> None:
        self._rows[row["name"]] = row
        if self._folder is not None:
            name = hashlib.blake2b(row["name"].encode(), digest_size=8).hexdigest()
            disk.write(self._folder / f"{name}.json", json.dumps(row, ensure_ascii=False, indent=1).encode())

    def about(self) -> dict[str, Any]:
        return self._rows["original"]["about"]  # type: ignore[no-any-return]

    def rows(self) -> list[dict[str, Any]]:
        return [row for row in self._rows.values() if "original" in self._rows]


def _measure(
    data: Path, ground: str, compared: Sequence[Setting | Rival], done: _Done, runs: int, report: Callable[[str], None]
) -> None:
    """Measure what is not done yet."""
    missing = [each for each in compared if each.name not in done]
    if not missing and "original" in done:
        return
    sample = GROUNDS[ground].read(data)
    wanted = _MEASURED | (_FLUENCY if GROUNDS[ground].fluency else {})
    ruler = Ruler(sample, default_panel(), measures=_measures(wanted), draws=runs, seed=SEED)
    if "original" not in done:
        done.keep(_original(ground, sample, ruler))
    for each in missing:
        candidate = each.made()
        outcome = ruler.measured(candidate)
        done.keep(_row(each, candidate, outcome, sample))
        attack = outcome.strongest
        report(f"{ground}, {each.name}: attack {attack.headline} ({attack.attacker}, {attack.setting})")


def _measures(wanted: Mapping[str, int | None]) -> list[Measure]:
    """Return the measures that can be taken here, slow ones on fewer documents."""
    known = metrics.measures()
    taken = [replace(known[name], most=most) for name, most in wanted.items() if name in known]
    return [measure for measure in taken if not measure.missing()]


def _original(ground: str, sample: Sample, ruler: Ruler) -> dict[str, Any]:
    attacks = ruler.panel.on_originals
    return {
        "name": "original",
        "method": "original",
        "setting": "",
        "strongest": _attack(attacks.strongest()),
        "attacks": [_attack(attack) for attack in attacks.attacks],
        "use": {name: figure.to_json() for name, figure in ruler.of_originals().items()},
        "about": {
            "title": GROUNDS[ground].title,
            "labels": GROUNDS[ground].labels,
            "authors": len(set(sample.authors)),
            "known": len(sample.places("train")),
            "tested": len(sample.places("test")),
            "chance": ruler.panel.chance,
            "floors": ruler.floors(),
        },
    }


def _row(each: Setting | Rival, candidate: Candidate, outcome: Outcome, sample: Sample) -> dict[str, Any]:
    promised = outcome.promised
    return {
        "name": each.name,
        "method": each.title,
        "setting": each.setting,
        "rival": isinstance(each, Rival),
        "parameters": candidate.parameters(),
        "definition": candidate.guarantee(1, None).definition,
        "loss_per_document": _loss(candidate, sample),
        "copies": list(promised.released_as_is),
        "draws": outcome.draws,
        "strongest": _attack(outcome.strongest),
        "strongest_static": _attack(outcome.attacked.strongest("static")),
        "attacks": [_attack(attack) for attack in outcome.attacked.attacks],
        "use": {name: figure and figure.to_json() for name, figure in outcome.use.items()},
        "words_per_second": _speed(candidate, sample),
    }


def _attack(attack: Attack) -> dict[str, Any]:
    about = {"attacker": attack.attacker, "setting": attack.setting, "validated": attack.validated}
    return about | attack.headline.to_json()


def _loss(candidate: Candidate, sample: Sample) -> float | None:
    """Return the proved loss of a document; where its length is copied, that of a mean test document."""
    promised = candidate.guarantee(1, None)
    if not promised.formal or promised.epsilon is None:
        return None
    if promised.unit != "word" or not isinstance(candidate, Method):
        return promised.epsilon
    texts = [sample.texts[place] for place in sample.places("test")]
    return promised.epsilon * sum(map(candidate.anonymizer.words_drawn, texts)) / len(texts)


def _speed(candidate: Candidate, sample: Sample) -> float:
    """Return words a second of one processor, loading included."""
    places = sample.places("test")[:_TIMED]
    release = candidate.releasing(sample, SEED)
    began = sum(os.times()[:4])
    release(places)
    words = sum(len(sample.texts[place].split()) for place in places)
    return words / max(sum(os.times()[:4]) - began, 0.01)
