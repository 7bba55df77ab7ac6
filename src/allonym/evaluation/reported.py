"""What a report says of an evaluation: one configuration with what may be claimed of it, and the figures of all."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any, Self

from allonym import __version__, metrics
from allonym.errors import ParameterError
from allonym.evaluation import claims
from allonym.evaluation.claims import Claim
from allonym.evaluation.evaluate import Evaluation, Outcome
from allonym.evaluation.knowledge import SETTINGS
from allonym.metrics import scoring
from allonym.metrics.figures import CONFIDENCE, rounded_percent


@dataclass(frozen=True)
class EvaluationReport:
    """Everything that a report says.

    Attributes:
        evaluation: What was measured.
        index: Of the configuration that is reported on, from 0.
        chosen_by: Who chose it, or by what.
        internal: Whether authors may be named.
        verdict: What came out, in words.
        claim: What a release with it may claim.
        limits: What the figures do not say.
    """

    evaluation: Evaluation
    index: int
    chosen_by: str
    internal: bool
    verdict: str
    claim: Claim
    limits: tuple[str, ...]

    @classmethod
    def on(cls, evaluation: Evaluation, *, chosen: int | None = None, internal: bool = False) -> Self:
        """Return the report on a configuration, by default on that with the largest advantage.

        Raises:
            ParameterError: There is no such configuration, or a part of its promise cannot be stated.
        """
        index = evaluation.best() if chosen is None else chosen
        number = len(evaluation.outcomes)
        if not 0 <= index < number:
            raise ParameterError(f"The chosen configuration must be from 1 to {number}, got {index + 1}.")
        outcome = evaluation.outcomes[index]
        return cls(
            evaluation,
            index,
            _chosen_by(evaluation) if chosen is None else "the user (--choose)",
            internal,
            claims.verdict(evaluation, outcome),
            claims.claim(evaluation, outcome),
            tuple(claims.limits(evaluation, by_figures=chosen is None)),
        )

    @property
    def outcome(self) -> Outcome:
        """The configuration that is reported on."""
        return self.evaluation.outcomes[self.index]

    @property
    def kind(self) -> str:
        """Who may read it."""
        return "internal" if self.internal else "public"

    @property
    def documents(self) -> dict[str, int]:
        """How many documents there are to learn from and to test on."""
        sample = self.evaluation.sample
        return {"train": len(sample.places("train")), "test": len(sample.places("test"))}

    @property
    def versions(self) -> dict[str, str]:
        """What computed the figures."""
        import numpy
        import scipy
        import sklearn

        modules = {"numpy": numpy, "scipy": scipy, "scikit-learn": sklearn}
        libraries = {name: str(module.__version__) for name, module in modules.items()}
        return {"allonym": __version__, "python": platform.python_version(), **libraries}

    @property
    def how(self) -> dict[str, str]:
        """How it was measured, in words."""
        evaluation = self.evaluation
        return {
            "strongest": "all attackers together, unless one alone named clearly more of the known documents set "
            "aside; test documents had no say",
            "own_releases": f"of at most {evaluation.released_of_author} known documents of each author",
            "randomness": "cryptographic, not repeatable"
            if evaluation.seed is None
            else f"--insecure-seed {evaluation.seed}",
            "intervals": f"{rounded_percent(CONFIDENCE)} bootstrap over test documents and draws, "
            f"{scoring.RESAMPLES} resamples",
            **_how_measured(evaluation),
            "released_texts": "measured and discarded; nothing of them was written",
        }

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        evaluation, sample = self.evaluation, self.evaluation.sample
        return {
            "tool": "allonym",
            "version": __version__,
            "report": self.kind,
            "verdict": self.verdict,
            "chosen": self.index + 1,
            "chosen_by": self.chosen_by,
            "documents": self.documents,
            "authors": evaluation.authors,
            "documents_of_largest_author": sample.largest_author,
            "notes": list(sample.notes),
            "floor": evaluation.floor,
            "strongest_on_originals": evaluation.original.in_short.to_json(),
            "attacks_on_originals": [attack.to_json() for attack in evaluation.on_originals.attacks],
            "utility_measure": {
                "name": evaluation.measure.name,
                "meaning": evaluation.measure.describes_itself_as,
            },
            "utility_of_originals": evaluation.before.to_json(),
            "utility_floor": evaluation.use_floor,
            "recommended": evaluation.recommended(self.outcome),
            "configurations": [
                {"number": number, **outcome.to_json()} for number, outcome in enumerate(evaluation.outcomes, 1)
            ],
            "claim": self.claim.to_json(),
            "limits": list(self.limits),
            "how": {
                "versions": self.versions,
                "attackers": evaluation.attackers,
                "settings": dict(SETTINGS),
                **self.how,
            },
        }


def _chosen_by(evaluation: Evaluation) -> str:
    but = (
        "; baselines are never advised"
        if any(outcome.candidate.is_a_baseline for outcome in evaluation.outcomes)
        else ""
    )
    return f"the largest advantage: use kept minus attack left, each at the worse end of its interval{but}"


def _how_measured(evaluation: Evaluation) -> dict[str, str]:
    """Say of measures that were taken on some documents only, or not at all."""
    exceptions = {}
    for name in evaluation.outcomes[0].use:
        measure = metrics.measures()[name]
        if name in evaluation.not_measured:
            exceptions[name] = f"not measured: {evaluation.not_measured[name]}"
        elif measure.most is not None:
            exceptions[name] = f"{measure.describes_itself_as}, of at most {measure.most} test documents"
    return exceptions
