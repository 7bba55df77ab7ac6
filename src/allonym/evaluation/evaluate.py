"""What a protection is worth on a table: attackers before and after, and what is left of the texts' use.

The test documents are released several times, and some of the known ones, too: these are the attacker's own releases.
Attackers read what would be released (vectors written out as words again). The released texts are measured and
dropped; nothing here writes them anywhere.

Privacy: spends nothing as long as nothing is published; a published configuration is a release of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from allonym import metrics
from allonym.attackers.base import Attacker
from allonym.errors import ParameterError
from allonym.evaluation.attack import Attack, Attacked, Attackers
from allonym.evaluation.candidates import Candidate
from allonym.evaluation.knowledge import ON_RELEASES, Knowledge
from allonym.evaluation.sample import Sample
from allonym.metrics.base import Measure, MeasuredTexts, Released, ReleasedPart, Taking
from allonym.metrics.figures import Figure
from allonym.privacy import Guarantee

Progress = Callable[[int, int], None]

DRAWS = 5
_DRAWS_OF_KNOWN = 2  # an attacker who releases a known text more often learns little more, and pays for it
RELEASED_OF_AUTHOR = 100  # known documents of each author that the attacker releases himself


@dataclass(frozen=True)
class Outcome:
    """What one configuration promises and what was measured of it.

    Attributes:
        candidate: The configuration.
        promised: What it promises for each document.
        promised_to_author: What it promises to the author with most documents in the table.
        attacked: What every attacker reached in every setting.
        use: What is left of the texts' use, by measure; None could not be measured.
        use_kept: The main measure of use, as a share of what the originals reach, both above what is reached without
            reading.
        attack_left: The strongest attack, as a share of the strongest on the originals, both above chance.
        draws: How often the test documents were released: once for a method that always writes the same.
    """

    candidate: Candidate
    promised: Guarantee
    promised_to_author: Guarantee
    attacked: Attacked = field(repr=False)
    use: dict[str, Figure | None]
    use_kept: Figure
    attack_left: Figure
    draws: int

    @property
    def advantage(self) -> float:
        """What an analyst surely keeps minus what an attacker may have left: each at the worse end of its interval."""
        return self.use_kept.low - self.attack_left.high

    @property
    def strongest(self) -> Attack:
        """The attack to reckon with."""
        return self.attacked.strongest()

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values; of attacks all but the predictions."""
        return {
            "name": str(self.candidate),
            "method": self.candidate.method,
            "parameters": self.candidate.parameters(),
            "draws": self.draws,
            "guarantee": self.promised.to_dict(),
            "guarantee_of_largest_author": self.promised_to_author.to_dict(),
            "strongest": self.strongest.in_short.to_json(),
            "strongest_static": self.attacked.strongest("static").in_short.to_json(),
            "use": {name: figure and figure.to_json() for name, figure in self.use.items()},
            "use_kept": self.use_kept.to_json(),
            "attack_left": self.attack_left.to_json(),
            "advantage": self.advantage,
            "attacks": [attack.to_json() for attack in self.attacked.attacks],
        }


@dataclass(frozen=True)
class Evaluation:
    """All configurations on one sample.

    Attributes:
        sample: The documents.
        outcomes: One for each configuration, in the order given.
        measure: The main measure of use: the first in the queue that can be taken.
        before: What the originals reach in it.
        use_floor: What would be reached in it without reading.
        attackers: Description of each attacker, by name.
        on_originals: What they reach on the originals.
        floor: What naming the most frequent author always would reach.
        authors: How many authors there are to choose from.
        released_of_author: Known documents of an author that the attacker released himself, at most.
        not_measured: Measures that could not be taken, and why.
        seed: Of a repeatable run, which promises nothing.
        seconds: Time of the processor that each attacker took; it differs from run to run.
    """

    sample: Sample
    outcomes: tuple[Outcome, ...]
    measure: Measure
    before: Figure
    use_floor: float
    attackers: dict[str, str]
    on_originals: Attacked
    floor: float
    authors: int
    released_of_author: int
    not_measured: dict[str, str] = field(default_factory=dict)
    seed: int | None = None
    seconds: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def original(self) -> Attack:
        """The strongest attack on the originals."""
        return self.on_originals.strongest()

    def use(self, outcome: Outcome) -> Figure:
        """Return the main measure of a configuration; 0 where it could not be measured."""
        return outcome.use[self.measure.name] or Figure(0.0, 0.0, 0.0)

    def best(self) -> int:
        """Return the place of the configuration with the largest advantage, which the report's table shows.

        A baseline is chosen only where there is nothing else.
        """
        return max(
            range(len(self.outcomes)),
            key=lambda index: (not self.outcomes[index].candidate.is_a_baseline, self.outcomes[index].advantage),
        )

    def recommended(self, outcome: Outcome) -> bool:
        """Say whether a configuration surely hides more than it destroys, and is no baseline."""
        return not outcome.candidate.is_a_baseline and outcome.advantage > 0


def evaluate(
    sample: Sample,
    candidates: Sequence[Candidate],
    attackers: Sequence[Attacker],
    *,
    measures: Sequence[Measure] | None = None,
    draws: int = DRAWS,
    released_of_author: int = RELEASED_OF_AUTHOR,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure every configuration.

    Args:
        sample: What to evaluate on.
        candidates: The configurations.
        attackers: The panel.
        measures: What to measure of use, a main one among them; by default the usual ones.
        draws: How often the test documents are released.
        released_of_author: Known documents of each author that the attacker releases himself, at most.
        seed: Makes the run repeatable; its guarantees then read "none". By default noise is drawn securely.
        progress: Told how many of the steps are done.
    """
    if not candidates:
        raise ParameterError("An evaluation needs one method at least.")
    steps = _Steps(len(candidates) * (len(attackers) * len(ON_RELEASES) + draws + 1), progress)
    ruler = Ruler(
        sample,
        attackers,
        measures=measures,
        draws=draws,
        released_of_author=released_of_author,
        seed=seed,
        step=steps.step,
    )
    outcomes = []
    for number, candidate in enumerate(candidates, 1):
        outcomes.append(ruler.measured(candidate))
        steps.at(number / len(candidates))
    return ruler.evaluation(outcomes)


class Ruler:
    """A sample with all that is learned and computed of it once, by which any number of configurations is measured.

    Args are those of `evaluate`; `step` is called after each release, each attacker in each setting, and all measures.
    """

    def __init__(
        self,
        sample: Sample,
        attackers: Sequence[Attacker],
        *,
        measures: Sequence[Measure] | None = None,
        draws: int = DRAWS,
        released_of_author: int = RELEASED_OF_AUTHOR,
        seed: int | None = None,
        step: Callable[[], None] = lambda: None,
    ) -> None:
        if not attackers or draws < 1 or released_of_author < 1:
            raise ParameterError(
                "An evaluation needs one attacker, one draw and one known document an author at least."
            )
        self._sample, self._draws, self._seed, self._step = sample, draws, seed, step
        self._released_of_author = released_of_author
        self._bench = Bench(sample, released_of_author)
        self._wanted = (
            [measure for measure in metrics.measures().values() if measure.usual] if measures is None else measures
        )
        self._taken, self._not_measured = _taken(self._wanted, self._bench.ground)
        self._main = next(
            measure for measure in self._wanted if measure.main is not None and measure.name in self._taken
        )
        bench = self._bench
        self.panel = Attackers(attackers, bench.knowledge(), bench.test_texts, bench.test_authors, step)

    def measured(self, candidate: Candidate) -> Outcome:
        """Release the documents, attack what was released, and measure what is left of its use."""
        releases = self._bench.releases(candidate, self._draws, self._seed, self._step)
        known = [released.train.texts for released in releases[:_DRAWS_OF_KNOWN]]
        knowledge = self._bench.knowledge(known, candidate.before_drawing(self._bench.known_texts))
        attacked = self.panel.on_releases(knowledge, [released.test.texts for released in releases])
        use = {name: measure.after(releases) for name, measure in self._taken.items()}
        self._step()
        to_one, to_author = (candidate.guarantee(number, self._seed) for number in (1, self._sample.largest_author))
        main = self._taken[self._main.name]
        use_kept = _above(use[self._main.name] or Figure(0.0, 0.0, 0.0), main.before, main.floor)
        attack_left = _above(
            attacked.strongest().headline, self.panel.on_originals.strongest().headline, self.panel.chance
        )
        every = {measure.name: use.get(measure.name) for measure in self._wanted}
        return Outcome(candidate, to_one, to_author, attacked, every, use_kept, attack_left, len(releases))

    def evaluation(self, outcomes: Sequence[Outcome]) -> Evaluation:
        """Return configurations that were measured, with what they are compared to."""
        main = self._taken[self._main.name]
        return Evaluation(
            sample=self._sample,
            outcomes=tuple(outcomes),
            measure=self._main,
            before=main.before,
            use_floor=main.floor,
            attackers=self.panel.names,
            on_originals=self.panel.on_originals,
            floor=self.panel.chance,
            authors=len(set(self._sample.authors)),
            released_of_author=self._released_of_author,
            not_measured=self._not_measured,
            seed=self._seed,
            seconds=self.panel.seconds,
        )

    def floors(self) -> dict[str, float]:
        """Return what is reached in every measure without reading."""
        return {name: taking.floor for name, taking in self._taken.items()}

    def of_originals(self) -> dict[str, Figure]:
        """Return what the originals reach in every measure."""
        return {name: taking.before for name, taking in self._taken.items()}


class Bench:
    """A sample as an evaluation uses it: known documents, those of them that the attacker releases, test documents."""

    def __init__(self, sample: Sample, released_of_author: int) -> None:
        self._sample = sample
        self._known, self._test = sample.places("train"), sample.places("test")
        self.known_texts, self._known_authors = (
            self._of(sample.texts, self._known),
            self._of(sample.authors, self._known),
        )
        self.test_texts, self.test_authors = self._of(sample.texts, self._test), self._of(sample.authors, self._test)
        by_author: dict[str, list[int]] = {}
        for number, author in enumerate(self._known_authors):
            by_author.setdefault(author, []).append(number)
        spaced = (numbers[:: -(-len(numbers) // released_of_author)] for numbers in by_author.values())
        self._chosen = sorted(number for numbers in spaced for number in numbers)
        learned = [self._known[number] for number in self._chosen]
        self.ground = MeasuredTexts(sample.texts, learned, self._test, sample.labels)

    def knowledge(self, releases: Sequence[Sequence[str]] = (), computed: Sequence[str] | None = None) -> Knowledge:
        """Return what an attacker knows, with his own releases."""
        return Knowledge(self.known_texts, self._known_authors, self._chosen, releases, computed)

    def releases(self, candidate: Candidate, draws: int, seed: int | None, step: Callable[[], None]) -> list[Released]:
        """Release everything so often; only once where the second time comes out as the first."""
        release = candidate.releasing(self._sample, seed)
        parts: list[ReleasedPart] = []
        released: list[Released] = []
        for draw in range(draws):
            if draw < _DRAWS_OF_KNOWN:
                parts.append(release(self.ground.train))
            released.append(Released(parts[draw % len(parts)], release(self._test)))
            step()
            if not candidate.draws or (draw == 1 and _texts(released[0]) == _texts(released[1])):
                return released[:1]
        return released

    @staticmethod
    def _of(values: Sequence[str], places: Sequence[int]) -> list[str]:
        return [values[row] for row in places]


def _taken(wanted: Sequence[Measure], ground: MeasuredTexts) -> tuple[dict[str, Taking], dict[str, str]]:
    """Take the measures that can be taken of the originals; of the others, say why they cannot."""
    lacks = {measure.name: measure.lacks(ground) for measure in wanted}
    if all(lacks[measure.name] for measure in wanted if measure.main is not None):
        raise ParameterError("No main measure of use can be taken; leave measures out for the usual ones.")
    return {measure.name: measure.taking(measure, ground) for measure in wanted if not lacks[measure.name]}, {
        name: lack for name, lack in lacks.items() if lack
    }


class _Steps:
    """Counts what is done; a method that always writes the same takes fewer steps than were reckoned with."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._done, self._progress = total, 0, progress

    def step(self) -> None:
        self.at((self._done + 1) / self._total)

    def at(self, share: float) -> None:
        self._done = max(self._done, round(share * self._total))
        if self._progress is not None:
            self._progress(self._done, self._total)


def _texts(released: Released) -> list[str]:
    return [*released.train.texts, *released.test.texts]


def _above(after: Figure, before: Figure, floor: float) -> Figure:
    """Return what is left as a share of what there was, both above what is had for nothing; never below 0.

    Where there was nothing above the floor, anything there now counts as all.
    """
    had = before.value - floor
    shares = (max(0.0, value - floor) / had if had > 0 else float(value > floor) for value in after.numbers)
    return Figure(*shares)
