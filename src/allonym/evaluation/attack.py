"""The one attack loop: every attacker of a panel, in every way of learning, on every release of the test documents.

Beside single attackers stands their *ensemble*: their scores added up, each weighed by how much it helped on the
documents set aside (see `knowledge`). The strongest attack is the ensemble, unless a single attacker named more of the
documents set aside, by more than their number lets it do by chance: one standard error. What the strongest reaches on
the test documents is reported.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from allonym.attackers import ensemble
from allonym.attackers.base import Attacker
from allonym.errors import InputError
from allonym.evaluation.knowledge import ON_RELEASES, Knowledge, Lesson, Setting
from allonym.metrics import scoring
from allonym.metrics.figures import Figure

HEADLINE = "accuracy"
ENSEMBLE = "ensemble"
ABOUT_ENSEMBLE = "all attackers together, weighed by what they name of known documents set aside"
Floats = NDArray[np.float64]
Done = Callable[[], None]


@dataclass(frozen=True)
class AttackFigure:
    """What one attacker reached in one setting, in one figure.

    Attributes:
        attacker: Its name.
        setting: What it learned from; `allonym.evaluation.knowledge.SETTINGS` says what each name means.
        validated: Share of the known documents set aside whose author it named, by which attackers are chosen.
        accuracy: Share of the tested texts whose author it named.
    """

    attacker: str
    setting: str
    validated: float
    accuracy: Figure

    def to_json(self) -> dict[str, Any]:
        """Return the attack, with the three numbers of its figure beside its name."""
        about = {"attacker": self.attacker, "setting": self.setting, "validated": self.validated}
        return about | self.accuracy.to_json()

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> AttackFigure:
        """Return what `to_json` wrote, whatever stands beside it."""
        return cls(stored["attacker"], stored["setting"], stored["validated"], Figure.from_json(stored))


@dataclass(frozen=True)
class Attack:
    """What one attacker reached in one setting.

    Attributes:
        attacker: Its name.
        setting: What it learned from.
        validated: Share of the documents set aside whose author it named.
        figures: accuracy, f1_weighted, f1_macro, precision_…, recall_…, top_5, mean_reciprocal_rank, each over all
            test documents and releases.
        predicted: The author it named for each test document, in the first release; kept out of public reports.
    """

    attacker: str
    setting: Setting
    validated: float
    figures: dict[str, Figure]
    predicted: tuple[str, ...] = field(repr=False)

    @property
    def headline(self) -> Figure:
        """The share of test documents whose author is named."""
        return self.figures[HEADLINE]

    @property
    def in_short(self) -> AttackFigure:
        """The same with that share alone."""
        return AttackFigure(self.attacker, self.setting, self.validated, self.headline)

    def to_json(self) -> dict[str, Any]:
        """Return all but the predictions."""
        about = {"attacker": self.attacker, "setting": self.setting, "validated": self.validated}
        return about | {"figures": {name: figure.to_json() for name, figure in self.figures.items()}}


@dataclass(frozen=True)
class Attacked:
    """What all attackers reached on one method, or on the originals."""

    attacks: tuple[Attack, ...]
    set_aside: int  # documents that attackers are chosen by

    def strongest(self, setting: Setting | None = None) -> Attack:
        """Return the attack to reckon with, of all or in one setting; no test document has a say."""
        candidates = [attack for attack in self.attacks if setting in (None, attack.setting)]
        if not candidates:
            raise InputError(f"Nobody attacked in the setting {setting!r}; choose another.")
        best = max(candidates, key=lambda attack: attack.validated)
        error = math.sqrt(best.validated * (1 - best.validated) / max(1, self.set_aside))
        together = (attack for attack in candidates if attack.attacker == ENSEMBLE)
        return next((attack for attack in together if attack.validated + error >= best.validated), best)


@dataclass(frozen=True)
class _Scored:
    """What one attacker says of the documents set aside and of each release of the test documents."""

    attacker: str
    setting: Setting
    exam: Floats
    tests: list[Floats]


class Attackers:
    """A panel, and what it learned from the originals, which serves for all releases of them.

    Args:
        panel: Attackers, which are copied, so that none keeps what it learned.
        originals: What is known, without any release.
        test: The test documents as they were.
        test_authors: Who wrote each.
        done: Called after each attacker in each setting.
    """

    def __init__(
        self,
        panel: Sequence[Attacker],
        originals: Knowledge,
        test: Sequence[str],
        test_authors: Sequence[str],
        done: Done = lambda: None,
    ) -> None:
        if len(test) != len(test_authors):
            raise InputError("Test texts and their authors differ in number; give one author for each text.")
        if not test_authors:
            raise InputError("There is no test text to attack; give at least one.")
        self._panel, self._originals, self._test, self._done = panel, originals, test, done
        self._test_authors = list(test_authors)
        self._authors = np.unique(np.array(originals.authors))
        self.seconds: dict[str, float] = {}  # of the processor, by attacker

    @property
    def names(self) -> dict[str, str]:
        """What each attacker is."""
        named = {attacker.name: attacker.describes_itself_as for attacker in self._panel}
        return named | ({ENSEMBLE: ABOUT_ENSEMBLE} if len(self._panel) > 1 else {})

    @property
    def chance(self) -> float:
        """What naming the most frequent test author always would reach."""
        return scoring.chance(self._test_authors)

    @cached_property
    def on_originals(self) -> Attacked:
        """What everybody reaches on texts that nobody protected."""
        exam = self._originals.exam(released=False)
        scored = [
            _Scored(attacker.name, "original", self._scores(part, exam.texts), [self._scores(whole, self._test)])
            for attacker, (part, whole) in zip(self._panel, self._static, strict=True)
        ]
        return self._judged(scored, exam)

    def on_releases(self, knowledge: Knowledge, tests: Sequence[Sequence[str]]) -> Attacked:
        """Return what everybody reaches on releases of the test documents.

        Args:
            knowledge: What is known, with the attacker's own releases.
            tests: What was released of the test documents, once for each release.
        """
        exam = knowledge.exam(released=True)
        scored = []
        for attacker, static in zip(self._panel, self._static, strict=True):
            for setting in ON_RELEASES:
                part, whole = static if setting == "static" else self._taught(attacker, knowledge, setting)
                tested = [self._scores(whole, test) for test in tests]
                scored.append(_Scored(attacker.name, setting, self._scores(part, exam.texts), tested))
                self._done()
        return self._judged(scored, exam)

    @cached_property
    def _static(self) -> list[tuple[Attacker, Attacker]]:
        return [self._taught(attacker, self._originals, "static") for attacker in self._panel]

    def _taught(self, attacker: Attacker, knowledge: Knowledge, setting: Setting) -> tuple[Attacker, Attacker]:
        """Return an attacker who learned from all but what was set aside, and one who learned from all."""
        lessons = [knowledge.lesson(setting, whole=whole) for whole in (False, True)]
        with self._timed(attacker):
            part, whole = (clone(attacker).fit(lesson.texts, lesson.authors) for lesson in lessons)
        return part, whole

    def _scores(self, attacker: Attacker, texts: Sequence[str]) -> Floats:
        """Return documents × all known authors."""
        with self._timed(attacker):
            known = attacker.decision_function(texts)
        lowest = known.min(axis=1, keepdims=True, initial=0.0) - 1  # of an author it was taught nothing of
        scores = np.repeat(lowest, len(self._authors), axis=1)
        scores[:, np.searchsorted(self._authors, attacker.classes_)] = known
        return scores

    @contextmanager
    def _timed(self, attacker: Attacker) -> Iterator[None]:
        began = time.process_time()
        yield
        self.seconds[attacker.name] = self.seconds.get(attacker.name, 0.0) + time.process_time() - began

    def _judged(self, scored: list[_Scored], exam: Lesson) -> Attacked:
        truth = np.searchsorted(self._authors, exam.authors)
        attacks = [self._attack(each, _share(each.exam, truth)) for each in scored]
        if len(self._panel) > 1 and len(truth) > 1:
            together, validated = _together(scored, truth)
            attacks.append(self._attack(together, validated))
        return Attacked(tuple(attacks), len(truth))

    def _attack(self, scored: _Scored, validated: float) -> Attack:
        predicted = [self._authors[scores.argmax(1)].tolist() for scores in scored.tests]
        figures = scoring.classification(self._test_authors, *predicted)
        figures |= scoring.ranking(self._test_authors, self._authors, *scored.tests)
        return Attack(scored.attacker, scored.setting, validated, figures, tuple(predicted[0]))


def _together(scored: Sequence[_Scored], truth: NDArray[np.intp]) -> tuple[_Scored, float]:
    """Return the ensemble, and what it names of documents set aside that its weights were not found on."""
    exams = [each.exam for each in scored]
    weights = ensemble.stack(exams, truth)
    setting: Setting = "original" if scored[0].setting == "original" else "informed"
    tests = [ensemble.combine([each.tests[draw] for each in scored], weights) for draw in range(len(scored[0].tests))]
    right = 0.0
    for half in (0, 1):
        learned, judged = (_rows(exams, range(which, len(truth), 2)) for which in (half, 1 - half))
        learned_weights = ensemble.stack(learned, truth[half::2])
        right += _share(ensemble.combine(judged, learned_weights), truth[1 - half :: 2]) * len(truth[1 - half :: 2])
    return _Scored(ENSEMBLE, setting, ensemble.combine(exams, weights), tests), right / len(truth)


def _rows(exams: Iterable[Floats], rows: range) -> list[Floats]:
    return [exam[rows] for exam in exams]


def _share(scores: Floats, truth: NDArray[np.intp]) -> float:
    """Return the share of documents whose author has the highest score."""
    return float(np.mean(scores.argmax(1) == truth)) if len(truth) else 0.0
