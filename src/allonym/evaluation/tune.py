"""The setting that fits a target: chosen on some authors, then verified once on others.

Whoever tries many settings and reports the best on the same texts flatters it. So half of the authors serve to choose,
and only the chosen setting is ever measured on the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from allonym.errors import InputError, ParameterError
from allonym.evaluation.candidates import Candidate
from allonym.evaluation.evaluate import Evaluation, Outcome
from allonym.evaluation.sample import Sample

_FEWEST_AUTHORS = 4

Evaluating = Callable[[Sample, Sequence[Candidate]], Evaluation]


@dataclass(frozen=True)
class Targets:
    """What a setting must keep to; each may be left out, but not all.

    Attributes:
        attack: Accuracy of the strongest attacker at most, by the upper end of its interval.
        loss: Proved loss of a document at most.
        meaning: The main measure of use at least, by the lower end of its interval.
    """

    attack: float | None = None
    loss: float | None = None
    meaning: float | None = None

    def __post_init__(self) -> None:
        if self.attack is None and self.loss is None and self.meaning is None:
            raise ParameterError("Name a target: an attack, a loss or a meaning.")
        for name, largest in (("attack", 1.0), ("loss", float("inf")), ("meaning", 1.0)):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= largest:
                raise ParameterError(f"The target of {name} must be from 0 to {largest:g}, got {value}.")

    def affordable(self, candidate: Candidate) -> bool:
        """Say, before anything is drawn, whether a setting's proved loss is within the target."""
        if self.loss is None:
            return True
        promised = candidate.guarantee(1, None)
        return promised.epsilon is not None and promised.unit != "word" and promised.epsilon <= self.loss

    def met(self, evaluation: Evaluation, outcome: Outcome) -> bool:
        """Say whether what was measured is within the targets, by the worse ends."""
        hidden = self.attack is None or outcome.strongest.headline.high <= self.attack
        return hidden and (self.meaning is None or evaluation.use(outcome).low >= self.meaning)

    def best(self, evaluation: Evaluation) -> tuple[int, bool]:
        """Return the place of the setting to take, and whether it meets the targets.

        Of those that do: the one that keeps most use or, where use has a target, the one that hides most. If none does:
        the one that comes nearest to the attack asked for or, without such a target, keeps most use.
        """
        outcomes = evaluation.outcomes
        fitting = [index for index, outcome in enumerate(outcomes) if self.met(evaluation, outcome)]
        hiding = (self.meaning is not None) if fitting else (self.attack is not None)

        def merit(index: int) -> float:
            return -outcomes[index].strongest.headline.high if hiding else evaluation.use(outcomes[index]).low

        return max(fitting or range(len(outcomes)), key=merit), bool(fitting)


@dataclass(frozen=True)
class TunedSide:
    """A setting on one half of the authors: what it reached there, and what the originals do."""

    evaluation: Evaluation
    outcome: Outcome

    def to_json(self) -> dict[str, Any]:
        """Return the figures."""
        evaluation, attack, promised = self.evaluation, self.outcome.strongest, self.outcome.promised
        return {
            "authors": evaluation.authors,
            "attack": {"attacker": attack.attacker, "setting": attack.setting, **attack.headline.to_json()},
            "attack_on_originals": evaluation.original.headline.to_json(),
            "chance": evaluation.floor,
            "use": {"measure": evaluation.measure.name, **evaluation.use(self.outcome).to_json()},
            "use_of_originals": evaluation.before.to_json(),
            "epsilon": promised.epsilon,
            "unit": promised.unit,
        }


@dataclass(frozen=True)
class Tuned:
    """A setting that was chosen, and what became of it on other authors.

    Attributes:
        chosen_on: All settings on the authors that served to choose.
        index: Which of them was chosen, from 0.
        fitted: Whether it met the targets there.
        verified_on: The chosen setting on the other authors.
        held: Whether it met the targets there, too.
        left_out: Settings that were not tried, because their proved loss is above the target.
    """

    chosen_on: Evaluation
    index: int
    fitted: bool
    verified_on: Evaluation
    held: bool
    left_out: int

    @property
    def chosen(self) -> Outcome:
        """The chosen setting, on the authors that served to choose."""
        return self.chosen_on.outcomes[self.index]

    @property
    def verified(self) -> Outcome:
        """The chosen setting, on the other authors."""
        return self.verified_on.outcomes[0]

    def to_json(self) -> dict[str, Any]:
        """Return what was chosen and what it reached."""
        return {
            "chosen": str(self.chosen.candidate),
            "method": self.chosen.candidate.method,
            "parameters": self.chosen.candidate.parameters(),
            "guarantee": self.chosen.promised.to_dict(),
            "targets_met": {"where_it_was_chosen": self.fitted, "where_it_was_verified": self.held},
            "settings": {"tried": len(self.chosen_on.outcomes), "left_out_for_their_loss": self.left_out},
            "chosen_on": TunedSide(self.chosen_on, self.chosen).to_json(),
            "verified_on": TunedSide(self.verified_on, self.verified).to_json(),
            "tried": [
                {"name": str(outcome.candidate), **TunedSide(self.chosen_on, outcome).to_json()}
                for outcome in self.chosen_on.outcomes
            ],
        }


def tune(sample: Sample, candidates: Sequence[Candidate], targets: Targets, evaluating: Evaluating) -> Tuned:
    """Choose a setting on half of the authors and verify it on the other half.

    Args:
        sample: All documents.
        candidates: The settings.
        targets: What the chosen one must keep to.
        evaluating: Measures settings on a part of the sample.

    Raises:
        InputError: There are too few authors.
        ParameterError: No setting has a proved loss within the target.
    """
    choosing, verifying = halves(sample)
    tried = [candidate for candidate in candidates if not candidate.is_a_baseline and targets.affordable(candidate)]
    if not tried:
        raise ParameterError(
            "No setting has a proved loss within the target; raise --target-loss, or sweep lower ones."
        )
    chosen_on = evaluating(choosing, tried)
    index, fitted = targets.best(chosen_on)
    verified_on = evaluating(verifying, [tried[index]])
    held = targets.met(verified_on, verified_on.outcomes[0])
    return Tuned(chosen_on, index, fitted, verified_on, held, len(candidates) - len(tried))


def halves(sample: Sample) -> tuple[Sample, Sample]:
    """Return the documents of every second author, by how many each has, and those of the others."""
    authors = sample.by_size()
    if len(authors) < _FEWEST_AUTHORS:
        raise InputError(
            f"Tuning needs {_FEWEST_AUTHORS} authors at least, half of them for choosing a setting and half for "
            f"verifying it; this table has {len(authors)}. Add authors, or compare settings with evaluate."
        )
    return _of(sample, set(authors[::2])), _of(sample, set(authors[1::2]))


def _of(sample: Sample, authors: set[str]) -> Sample:
    rows = [row for row, author in enumerate(sample.authors) if author in authors]
    return replace(
        sample,
        texts=[sample.texts[row] for row in rows],
        authors=[sample.authors[row] for row in rows],
        labels=None if sample.labels is None else [sample.labels[row] for row in rows],
        train=[sample.train[row] for row in rows],
        rows=[sample.rows[row] for row in rows],
        released={name: [texts[row] for row in rows] for name, texts in sample.released.items()},
    )
