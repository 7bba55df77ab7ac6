"""What is measured of A4NT, as it is stored: each result a class that says itself what is written of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from allonym.metrics.figures import Figure

Json = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """Base of all results."""

    def to_json(self) -> Json:
        """Return what is stored."""
        return asdict(self)


@dataclass(frozen=True)
class Scored(Result):
    """How often an attacker is right: F1 weighted by class and of each class, and the share of each recognised."""

    f1: Figure
    f1_of: dict[str, Figure]
    recognised: dict[str, Figure]
    counted: int


@dataclass(frozen=True)
class Levels(Result):
    """An attacker on documents and, if it gives probabilities, on sentences."""

    document: Scored
    sentence: Scored | None

    def to_json(self) -> Json:
        """Return the levels that there are."""
        return {level: scored for level, scored in asdict(self).items() if scored is not None}


@dataclass(frozen=True)
class Learned(Result):
    """What an attacker who learned from originals reaches on them."""

    setting: str
    attacker: str
    train: Levels
    val: Levels
    test: Levels

    def to_json(self) -> Json:
        """Return each part's levels."""
        parts = {"train": self.train, "val": self.val, "test": self.test}
        return {"setting": self.setting, "attacker": self.attacker} | {
            name: part.to_json() for name, part in parts.items()
        }


@dataclass(frozen=True)
class TranslationAttack(Result):
    """What an attacker reaches on translations, having learned from originals, or from translations."""

    attacker: str
    static: Levels
    adaptive: Levels

    def to_json(self) -> Json:
        """Return the levels of both."""
        return {"attacker": self.attacker, "static": self.static.to_json(), "adaptive": self.adaptive.to_json()}


@dataclass(frozen=True)
class Quality(Result):
    """What is left of meaning and fluency; None could not be measured."""

    meteor: Figure | None
    unchanged: Figure | None
    same_sentence: Figure | None
    cosine: Figure | None
    grammar: Figure | None
    perplexity: Figure | None


@dataclass(frozen=True)
class Bin(Result):
    """How many sentences lie around a score."""

    middle: float
    count: int


@dataclass(frozen=True)
class MeanBin(Bin):
    """Their mean of something, too."""

    mean: float | None


@dataclass(frozen=True)
class Difficulty(Result):
    """Figures 8 to 10."""

    input: Sequence[Bin]
    output_by_input: Sequence[Bin]
    meteor_by_input: Sequence[Bin]
    gain: Sequence[Bin]
    meteor_by_gain: Sequence[Bin]
    share_with_gain: float
    share_with_loss: float


@dataclass(frozen=True)
class MeasuredModel(Result):
    """A model in one way of rewriting."""

    way: str
    attacks: Sequence[TranslationAttack]
    quality: Quality
    difficulty: Difficulty | None

    def to_json(self) -> Json:
        """Return the measures of quality beside the attacks."""
        stored = {"way": self.way, "attacks": [attack.to_json() for attack in self.attacks], **self.quality.to_json()}
        return stored if self.difficulty is None else stored | {"difficulty": self.difficulty.to_json()}


@dataclass(frozen=True)
class OperatingPoint(Result):
    """One choice among translations: its likeness to the originals, and the F1 of the LSTM."""

    pick: str
    meteor: Figure | None
    document: Figure
    sentence: Figure | None


@dataclass(frozen=True)
class OperatingPoints(Result):
    """Figure 6 of one model."""

    documents: int
    sentences: int
    points: Sequence[OperatingPoint]


@dataclass(frozen=True)
class Originals(Result):
    """What a setting is, what guessing reaches, and how fluent the originals are."""

    setting: str
    documents: dict[str, int]
    sentences: dict[str, int]
    classes: dict[str, int]
    corpus: dict[str, int]
    random_guess: dict[str, float]
    quality: Quality

    def to_json(self) -> Json:
        """Return the measures of quality beside the rest."""
        stored = asdict(self)
        quality = stored.pop("quality")
        return {**stored, **quality}


@dataclass(frozen=True)
class ShownSentence(Result):
    """A sentence of tables VII and VIII, with the LSTM's score of its class before and after."""

    source: str
    input: str
    output: str
    before: float
    after: float


@dataclass(frozen=True)
class ShownSentences(Result):
    """Those of one model."""

    setting: str
    name: str
    rows: Sequence[ShownSentence]
