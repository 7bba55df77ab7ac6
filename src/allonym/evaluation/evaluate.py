"""What a protection is worth on a table: attackers before and after, and what is left of the texts' use.

The test documents are released several times, and some of the known ones, too: these are the attacker's own releases.
Attackers read what would be released (vectors written out as words again). The released texts are measured and
dropped; nothing here writes them anywhere.

Privacy: spends nothing as long as nothing is published; a published configuration is a release of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from allonym import metrics
from allonym.attackers.base import Attacker
from allonym.errors import ParameterError
from allonym.evaluation.attack import Attack, Attacked, Attackers
from allonym.evaluation.candidates import Candidate
from allonym.evaluation.knowledge import ON_RELEASES, Knowledge
from allonym.evaluation.sample import Sample
from allonym.metrics.base import Ground, Measure, Part, Released, Taking
from allonym.metrics.figures import Figure
from allonym.privacy import Guarantee

Progress = Callable[[int, int], None]

DRAWS = 5
_DRAWS_OF_KNOWN = 2  # an attacker who releases a known text more often learns little more, and pays for it
_RELEASED_OF_AUTHOR = 100  # known documents of each author that the attacker releases himself


@dataclass(frozen=True)
class Outcome:
    """What one configuration promises and what was measured of it.

    Attributes:
        candidate: The configuration.
        promised: What it promises for each document.
        promised_to_author: What it promises to the author with most documents in the table.
        attacked: What every attacker reached in every setting.
        use: What is left of the texts' use, by measure; None could not be measured.
        kept: The main measure of use, as a share of what the originals reach, both above what is reached without
            reading.
        left: The strongest attack, as a share of the strongest on the originals, both above chance.
        draws: How often the test documents were released: once for a method that always writes the same.
    """

    candidate: Candidate
    promised: Guarantee
    promised_to_author: Guarantee
    attacked: Attacked = field(repr=False)
    use: dict[str, Figure | None]
    kept: Figure
    left: Figure
    draws: int

    @property
    def advantage(self) -> float:
        """What an analyst surely keeps minus what an attacker may have left: each at the worse end of its interval."""
        return self.kept.low - self.left.high

    @property
    def strongest(self) -> Attack:
        """The attack to reckon with."""
        return self.attacked.strongest()


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
            key=lambda place: (not self.outcomes[place].candidate.is_a_baseline, self.outcomes[place].advantage),
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
    released_of_author: int = _RELEASED_OF_AUTHOR,
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
    if not candidates or not attackers or draws < 1:
        raise ParameterError("An evaluation needs one method, one attacker and one draw at least.")
    steps = _Steps(len(candidates) * (len(attackers) * len(ON_RELEASES) + draws + 1), progress)
    bench = _Bench(sample, released_of_author)
    wanted = [measure for measure in metrics.measures().values() if measure.usual] if measures is None else measures
    taken, not_measured = _taken(wanted, bench.ground)
    main = next(measure for measure in wanted if measure.main is not None and measure.name in taken)
    panel = Attackers(attackers, bench.knowledge(), bench.test_texts, bench.test_authors, steps.done)
    outcomes = []
    for candidate in candidates:
        releases = bench.releases(candidate, draws, seed, steps)
        computed = candidate.before_drawing(bench.known_texts)
        attacked = panel.on_releases(
            bench.knowledge([released.train.texts for released in releases[:_DRAWS_OF_KNOWN]], computed),
            [released.test.texts for released in releases],
        )
        use = {name: measure.after(releases) for name, measure in taken.items()}
        steps.done()
        to_one, to_author = (candidate.guarantee(number, seed) for number in (1, sample.largest_author))
        kept = _above(use[main.name] or Figure(0.0, 0.0, 0.0), taken[main.name].before, taken[main.name].floor)
        left = _above(attacked.strongest().headline, panel.on_originals.strongest().headline, panel.chance)
        every = {measure.name: use.get(measure.name) for measure in wanted}
        outcomes.append(Outcome(candidate, to_one, to_author, attacked, every, kept, left, len(releases)))
    steps.finished()
    return Evaluation(
        sample, tuple(outcomes), main, taken[main.name].before, taken[main.name].floor, panel.names,
        panel.on_originals, panel.chance, len(set(sample.authors)), released_of_author, not_measured, seed,
        panel.seconds,
    )  # fmt: skip


class _Bench:
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
        self.ground = Ground(sample.texts, learned, self._test, sample.labels)

    def knowledge(self, releases: Sequence[Sequence[str]] = (), computed: Sequence[str] | None = None) -> Knowledge:
        """Return what an attacker knows, with his own releases."""
        return Knowledge(self.known_texts, self._known_authors, self._chosen, releases, computed)

    def releases(self, candidate: Candidate, draws: int, seed: int | None, steps: _Steps) -> list[Released]:
        """Release everything; stop after the second time if it came out as the first."""
        release = candidate.releasing(self._sample, seed)
        parts: list[Part] = []
        released: list[Released] = []
        for draw in range(draws):
            if draw < _DRAWS_OF_KNOWN:
                parts.append(release(self.ground.train))
            released.append(Released(parts[draw % len(parts)], release(self._test)))
            steps.done()
            same = draw == 1 and all(
                list(first.texts) == list(second.texts)
                for first, second in ((released[0].train, released[1].train), (released[0].test, released[1].test))
            )
            if same:
                steps.skip(draws - 2)
                return released[:1]
        return released

    @staticmethod
    def _of(values: Sequence[str], places: Sequence[int]) -> list[str]:
        return [values[place] for place in places]


def _taken(wanted: Sequence[Measure], ground: Ground) -> tuple[dict[str, Taking], dict[str, str]]:
    """Take the measures that can be taken of the originals; of the others, say why they cannot."""
    lacks = {measure.name: measure.lacks(ground) for measure in wanted}
    if all(lacks[measure.name] for measure in wanted if measure.main is not None):
        raise ParameterError("No main measure of use can be taken; leave measures out for the usual ones.")
    return {measure.name: measure.taking(measure, ground) for measure in wanted if not lacks[measure.name]}, {
        name: lack for name, lack in lacks.items() if lack
    }


class _Steps:
    """Counts what is done: each release, each attacker in each setting, and what use is left."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._done, self._progress = total, 0, progress

    def done(self) -> None:
        self.skip(1)

    def skip(self, steps: int) -> None:
        self._done += steps
        if self._progress is not None:
            self._progress(self._done, self._total)

    def finished(self) -> None:
        self.skip(self._total - self._done)


def _above(after: Figure, before: Figure, floor: float) -> Figure:
    """Return what is left as a share of what there was, both above what is had for nothing; never below 0.

    Where there was nothing above the floor, anything there now counts as all.
    """
    had = before.value - floor
    shares = (max(0.0, value - floor) / had if had > 0 else float(value > floor) for value in after.numbers)
    return Figure(*shares)
