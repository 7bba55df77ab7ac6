"""What a protection is worth on a table: attackers before and after, and what is left of the texts' use.

Every configuration anonymizes all documents of the sample once. Attackers read what would be released (vectors written
out as words again), either trained on the originals (static) or on released texts (adaptive). The released texts are
measured and dropped; nothing here writes them anywhere.

Privacy: spends nothing as long as nothing is published; a published configuration is a release of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from allonym import metrics
from allonym.anonymizers.base import REPEATABLE, Anonymizer
from allonym.attackers.base import Attacker
from allonym.attackers.panel import HEADLINE, Attack, PanelResult, Texts, attack, train
from allonym.errors import ParameterError
from allonym.evaluation.sample import Sample
from allonym.metrics.base import Ground, Measure, Taking
from allonym.metrics.figures import Figure
from allonym.privacy import Guarantee
from allonym.randomness import insecure

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Candidate:
    """A configuration to evaluate: the method, and what sets it apart from others of the same method."""

    anonymizer: Anonymizer
    setting: str = ""

    @property
    def method(self) -> str:
        """The method's name."""
        return self.anonymizer.method

    def __str__(self) -> str:
        return f"{self.method}, {self.setting}" if self.setting else self.method


@dataclass(frozen=True)
class Outcome:
    """What one configuration promises and what was measured of it.

    Attributes:
        candidate: The configuration.
        promised: What it promises for each document.
        promised_to_author: What it promises to the author with most documents in the table.
        panel: What every attacker reached in every setting.
        use: What is left of the texts' use, by measure; None could not be measured.
        relative_utility: The main measure of use, as a share of what the originals reach.
        relative_attack: The strongest adaptive attack, as a share of the strongest on the originals.
    """

    candidate: Candidate
    promised: Guarantee
    promised_to_author: Guarantee
    panel: PanelResult = field(repr=False)
    use: dict[str, Figure | None]
    relative_utility: float
    relative_attack: float

    @property
    def advantage(self) -> float:
        """Relative utility minus relative attack: what an analyst gains over an attacker."""
        return self.relative_utility - self.relative_attack

    @property
    def strongest(self) -> Attack:
        """The strongest adaptive attack."""
        return self.panel.strongest("adaptive")


@dataclass(frozen=True)
class Evaluation:
    """All configurations on one sample.

    Attributes:
        sample: The documents.
        outcomes: One for each configuration, in the order given.
        measure: The main measure of use: the first in the queue that can be taken.
        before: What the originals reach in it.
        label_floor: What guessing labels without reading would reach, where use is measured by labels.
        attackers: Name and description of each attacker.
        not_measured: Measures that could not be taken, and why.
        seed: Of a repeatable run, which promises nothing.
    """

    sample: Sample
    outcomes: tuple[Outcome, ...]
    measure: Measure
    before: Figure
    label_floor: float | None
    attackers: tuple[tuple[str, str], ...]
    not_measured: dict[str, str] = field(default_factory=dict)
    seed: int | None = None

    @property
    def original(self) -> Attack:
        """The strongest attack on the originals."""
        return self.outcomes[0].panel.strongest("original")

    @property
    def floor(self) -> float:
        """What naming the most frequent author always would reach."""
        return self.outcomes[0].panel.chance

    def useful(self, outcome: Outcome) -> bool:
        """Say whether an analyst finds more labels than by guessing without reading, beyond the interval."""
        return self.label_floor is None or self.use(outcome).low > self.label_floor

    def use(self, outcome: Outcome) -> Figure:
        """Return the main measure of a configuration; 0 where it could not be measured."""
        return outcome.use[self.measure.name] or Figure(0.0, 0.0, 0.0)

    def best(self) -> int:
        """Return the place of the configuration with the largest advantage, of the useful ones if there are any.

        Guessing labels without reading has a relative utility far above 0, so that by the advantage alone a method
        that destroys everything would often win.
        """

        def merit(place: int) -> tuple[bool, float]:
            return self.useful(self.outcomes[place]), self.outcomes[place].advantage

        return max(range(len(self.outcomes)), key=merit)


def evaluate(
    sample: Sample,
    candidates: Sequence[Candidate],
    attackers: Sequence[Attacker],
    *,
    measures: Sequence[Measure] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure every configuration.

    Args:
        sample: What to evaluate on.
        candidates: The configurations.
        attackers: The panel.
        measures: What to measure of use, a main one among them; by default the usual ones.
        seed: Makes the run repeatable; its guarantees then read "none". By default noise is drawn securely.
        progress: Told how many of the steps are done.
    """
    if not candidates or not attackers:
        raise ParameterError("An evaluation needs one method and one attacker at least.")
    steps = _Steps(len(candidates), 3 * len(attackers), progress)
    known = sample.places("train")
    ground = Ground(sample.texts, known, sample.places("test"), sample.labels)
    wanted = [one for one in metrics.measures().values() if one.usual] if measures is None else measures
    taken, not_measured = _taken(wanted, ground)
    main = next(one for one in wanted if one.main is not None and one.name in taken)
    use = taken[main.name]
    trained = train(attackers, _at(sample.texts, known), _at(sample.authors, known))
    outcomes = []
    for candidate in candidates:
        release = candidate.anonymizer.release(sample.texts, rng=None if seed is None else insecure(seed))
        payload, texts = release.payload, release.texts()
        panel = _attacked(sample, texts, attackers, trained, steps)
        left = {one.name: taken[one.name].after(payload, texts) if one.name in taken else None for one in wanted}
        steps.candidate_done()
        to_one = _stated(candidate.anonymizer, 1, seed)
        to_author = _stated(candidate.anonymizer, sample.largest_author, seed)
        kept = left[main.name]
        relative = _ratio(0.0 if kept is None else kept.value, use.before.value)
        attacked = _ratio(_headline(panel, "adaptive"), _headline(panel, "original"))
        outcomes.append(Outcome(candidate, to_one, to_author, panel, left, relative, attacked))
    named = tuple((attacker.name, attacker.describes_itself_as) for attacker in attackers)
    return Evaluation(sample, tuple(outcomes), main, use.before, use.floor, named, not_measured, seed)


def _taken(wanted: Sequence[Measure], ground: Ground) -> tuple[dict[str, Taking], dict[str, str]]:
    """Take the measures that can be taken of the originals; of the others, say why they cannot."""
    lacks = {one.name: one.lacks(ground) for one in wanted}
    if all(lacks[one.name] for one in wanted if one.main is not None):
        raise ParameterError("No main measure of use can be taken; leave measures out for the usual ones.")
    return {one.name: one.taking(one, ground) for one in wanted if not lacks[one.name]}, {
        name: lack for name, lack in lacks.items() if lack
    }


class _Steps:
    """Counts what is done: each attack, and for each configuration its anonymization and its use."""

    def __init__(self, candidates: int, attacks: int, progress: Progress | None) -> None:
        self._of_candidate, self._progress = attacks + 1, progress
        self._total, self._before = candidates * (attacks + 1), 0

    def attacks_done(self, done: int, _: int) -> None:
        self._tell(self._before + done)

    def candidate_done(self) -> None:
        self._before += self._of_candidate
        self._tell(self._before)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(done, self._total)


def _attacked(
    sample: Sample, released: Sequence[str], attackers: Sequence[Attacker], trained: Sequence[Attacker], steps: _Steps
) -> PanelResult:
    known, test = sample.places("train"), sample.places("test")
    return attack(
        attackers,
        _at(sample.authors, known),
        _at(sample.authors, test),
        original=Texts(_at(sample.texts, known), _at(sample.texts, test)),
        released=Texts(_at(released, known), _at(released, test)),
        trained=trained,
        progress=steps.attacks_done,
    )


def _stated(anonymizer: Anonymizer, documents: int, seed: int | None) -> Guarantee:
    promised = anonymizer.guarantee(documents).releasing("the number and order of the documents")
    return promised if seed is None else promised.withdrawn(REPEATABLE)


def _headline(panel: PanelResult, setting: Literal["original", "adaptive"]) -> float:
    return panel.strongest(setting).figures[HEADLINE].value


def _at(values: Sequence[str], places: Sequence[int]) -> list[str]:
    return [values[place] for place in places]


def _ratio(after: float, before: float) -> float:
    """Return what is left; where there was nothing, anything there now counts as all."""
    return after / before if before else float(after > 0)
