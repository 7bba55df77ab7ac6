"""What a protection is worth on a table: attackers before and after, and what is left of the texts' use.

Every configuration anonymizes all documents of the sample once. Attackers read what would be released (vectors written
out as words again), either trained on the originals (static) or on released texts (adaptive). The released texts are
measured and dropped; nothing here writes them anywhere.

Privacy: spends nothing as long as nothing is published; a published configuration is a release of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from allonym import metrics
from allonym.anonymizers.base import REPEATABLE, Anonymizer
from allonym.attackers.base import Attacker
from allonym.attackers.panel import HEADLINE, Attack, PanelResult, Texts, attack, train
from allonym.errors import ParameterError
from allonym.evaluation.sample import Sample
from allonym.metrics import scoring
from allonym.metrics.scoring import Figure
from allonym.privacy import Guarantee
from allonym.randomness import insecure

MEANING_DOCUMENTS = 100  # test documents whose sentence embeddings are compared: a tenth of a second each, and more
TOPIC_FIGURE = "f1_weighted"

Measure = Literal["topic", "meaning", "unchanged"]
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
class Use:
    """What is left of the texts' use, each figure with its interval over test documents; None could not be measured.

    Attributes:
        topic: Weighted F1 of an analyst who learns the labels from released texts.
        meaning: Mean cosine of the sentence embeddings before and after.
        unchanged: Share of the words that are still there.
        length: Words after for each word before.
    """

    topic: Figure | None
    meaning: Figure | None
    unchanged: Figure | None
    length: Figure | None

    def of(self, measure: Measure) -> Figure:
        """Return the figure of a measure; 0 where it could not be measured."""
        return getattr(self, measure) or Figure(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Outcome:
    """What one configuration promises and what was measured of it.

    Attributes:
        candidate: The configuration.
        promised: What it promises for each document.
        promised_to_author: What it promises to the author with most documents in the table.
        panel: What every attacker reached in every setting.
        use: What is left of the texts' use.
        relative_utility: The main measure of use, as a share of what the originals reach.
        relative_attack: The strongest adaptive attack, as a share of the strongest on the originals.
    """

    candidate: Candidate
    promised: Guarantee
    promised_to_author: Guarantee
    panel: PanelResult = field(repr=False)
    use: Use
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
        measure: The main measure of use: labels where there are some, else meaning, else unchanged words.
        before: What the originals reach in it.
        label_floor: What guessing labels without reading would reach, where use is measured by labels.
        attackers: Name and description of each attacker.
        seed: Of a repeatable run, which promises nothing.
    """

    sample: Sample
    outcomes: tuple[Outcome, ...]
    measure: Measure
    before: Figure
    label_floor: float | None
    attackers: tuple[tuple[str, str], ...]
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
        return self.label_floor is None or outcome.use.of(self.measure).low > self.label_floor

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
    seed: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure every configuration.

    Args:
        sample: What to evaluate on.
        candidates: The configurations.
        attackers: The panel.
        seed: Makes the run repeatable; its guarantees then read "none". By default noise is drawn securely.
        progress: Told how many of the steps are done.
    """
    if not candidates or not attackers:
        raise ParameterError("An evaluation needs one method and one attacker at least.")
    steps = _Steps(len(candidates), 3 * len(attackers), progress)
    use = _UseMeasures(sample)
    known = sample.places("train")
    trained = train(attackers, _at(sample.texts, known), _at(sample.authors, known))
    outcomes = []
    for candidate in candidates:
        release = candidate.anonymizer.release(sample.texts, rng=None if seed is None else insecure(seed))
        texts = release.texts()
        found = _attacked(sample, texts, attackers, trained, steps)
        left = use.after(release.payload, texts)
        steps.candidate_done()
        to_one = _stated(candidate.anonymizer, 1, seed)
        to_author = _stated(candidate.anonymizer, sample.largest_author, seed)
        relative = _ratio(left.of(use.measure).value, use.before.value)
        attacked = _ratio(_headline(found, "adaptive"), _headline(found, "original"))
        outcomes.append(Outcome(candidate, to_one, to_author, found, left, relative, attacked))
    named = tuple((attacker.name, attacker.describes_itself_as) for attacker in attackers)
    return Evaluation(sample, tuple(outcomes), use.measure, use.before, use.floor, named, seed)


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


class _UseMeasures:
    """Measures use before once, and after for each configuration."""

    def __init__(self, sample: Sample) -> None:
        self._sample, self._train, self._test = sample, sample.places("train"), sample.places("test")
        self._originals = _at(sample.texts, self._test)
        every = max(1, len(self._test) // MEANING_DOCUMENTS)
        self._compared = list(range(0, len(self._test), every))[:MEANING_DOCUMENTS]
        self._vectors: NDArray[np.float32] | None = None
        if metrics.available()["cosine"] == metrics.READY:
            self._vectors = metrics.embed(_at(self._originals, self._compared))
        self.before, self.floor = Figure(1.0, 1.0, 1.0), None if sample.labels is None else self._label_floor()
        self.measure: Measure = "unchanged" if self._vectors is None else "meaning"
        if sample.labels is not None:
            self.measure, self.before = "topic", self._topic(sample.texts)

    def _label_floor(self) -> float:
        """Return the better of naming the most frequent label always and of guessing labels as often as they occur.

        The second reaches, in expectation, precision p and recall q of a label with share p in the test and q in the
        training part. By weighted F1 it is often the better of the two.
        """
        labels = self._sample.labels or []
        train, test = (Counter(_at(labels, part)) for part in (self._train, self._test))
        shares = [(test[label] / test.total(), train[label] / train.total()) for label in test]
        return max(self._one_label().value, sum(p * 2 * p * q / (p + q) for p, q in shares))

    def _one_label(self) -> Figure:
        """Return what naming the most frequent label always reaches."""
        labels = self._sample.labels or []
        [(most_frequent, _)] = Counter(_at(labels, self._train)).most_common(1)
        return scoring.classification(_at(labels, self._test), [most_frequent] * len(self._test))[TOPIC_FIGURE]

    def after(self, payload: Any, texts: Sequence[str]) -> Use:  # noqa: ANN401 - vectors or texts
        """Return what is left of use in a release."""
        released = _at(texts, self._test)
        topic = None
        if self._sample.labels is not None:
            try:
                topic = self._topic(payload if hasattr(payload, "tocsr") else texts)
            except ParameterError:  # not one word is left to learn from: the originals had passed
                topic = self._one_label()
        unchanged, length = (
            _mean(measure(self._originals, released)) for measure in (metrics.unchanged, metrics.length_change)
        )
        return Use(topic, self._meaning(_at(released, self._compared)), unchanged, length)

    def _topic(self, documents: Any) -> Figure:  # noqa: ANN401 - counts, which the analyst gets as they are, or texts
        labels = self._sample.labels or []
        train, test = (
            documents[part] if hasattr(documents, "tocsr") else _at(documents, part)
            for part in (self._train, self._test)
        )
        return metrics.topic_scores(train, _at(labels, self._train), test, _at(labels, self._test)).best[TOPIC_FIGURE]

    def _meaning(self, released: Sequence[str]) -> Figure | None:
        if self._vectors is None:
            return None
        after = metrics.embed(released)
        cosines = np.einsum("ij,ij->i", self._vectors, after, dtype=np.float64)
        cosines[~self._vectors.any(axis=1) & ~after.any(axis=1)] = 1.0
        return _mean(np.clip(cosines, -1.0, 1.0))


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


def _mean(values: NDArray[np.float64]) -> Figure | None:
    """Return the mean of what could be measured, if anything could."""
    known = values[~np.isnan(values)]
    return scoring.bootstrap(known) if len(known) else None


def _ratio(after: float, before: float) -> float:
    """Return what is left; where there was nothing, anything there now counts as all."""
    return after / before if before else float(after > 0)
