"""What is measured of A4NT: each result a class that says itself what is stored of it, and reads it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from allonym.metrics.figures import Figure
from allonym.papers.a4nt.sizes import Sizes
from allonym.papers.ruler.rows import Measured
from allonym.papers.stored import PaperResults, Result

Level = Literal["document", "sentence"]


@dataclass(frozen=True)
class Scored(Result):
    """How often an attacker is right: F1 weighted by class and of each class, and the share of each recognised."""

    f1: Figure
    f1_of: dict[str, Figure]
    recognised: dict[str, Figure]
    counted: int


@dataclass(frozen=True)
class Levels(Result, left_out=("sentence",)):
    """An attacker on documents and, if it gives probabilities, on sentences."""

    document: Scored
    sentence: Scored | None = None

    def f1(self, level: Level) -> Figure | None:
        """Return the F1 weighted by class on documents or on sentences."""
        scored = self.document if level == "document" else self.sentence
        return None if scored is None else scored.f1


@dataclass(frozen=True)
class Learned(Result):
    """What an attacker who learned from originals reaches on them."""

    setting: str
    attacker: str
    train: Levels
    val: Levels
    test: Levels


@dataclass(frozen=True)
class LearnedRow(Learned):
    """The same, with what one reaches that learned from as few documents as those attacking translations."""

    test_few: Levels


@dataclass(frozen=True)
class TranslationAttack(Result):
    """What an attacker reaches on translations, having learned from originals, or from translations."""

    attacker: str
    static: Levels
    adaptive: Levels


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
    output_by_input: Sequence[MeanBin]
    meteor_by_input: Sequence[MeanBin]
    gain: Sequence[Bin]
    meteor_by_gain: Sequence[MeanBin]
    share_with_gain: float
    share_with_loss: float


@dataclass(frozen=True)
class MeasuredModel(Result, beside=("quality",), left_out=("difficulty",)):
    """A model in one way of rewriting."""

    way: str
    attacks: Sequence[TranslationAttack]
    quality: Quality
    difficulty: Difficulty | None = None

    def attack(self, attacker: str) -> TranslationAttack:
        """Return what an attacker reached."""
        return next(attack for attack in self.attacks if attack.attacker == attacker)


@dataclass(frozen=True)
class ModelNames(Result, left_out=("earlier",)):
    """What tells a model from others, and whether its rows are of an earlier run."""

    name: str
    trained_for: str
    variant: str
    recipe: str
    neutral: bool
    balance: float
    weights: str
    size_bytes: int
    earlier: bool = False

    @property
    def kind(self) -> tuple[str, str, str]:
        """What it was trained for, as which variant and by which recipe; a folder may hold several of a kind."""
        return self.trained_for, self.variant, self.recipe


@dataclass(frozen=True)
class ListedModel(ModelNames, in_front=("name", "folder")):
    """The same, and where the model lies, as the list of all models has it."""

    folder: str = field(kw_only=True)  # its name

    @property
    def names(self) -> ModelNames:
        """What rows have of it."""
        return ModelNames(**{each.name: getattr(self, each.name) for each in fields(ModelNames)})


@dataclass(frozen=True)
class ModelRow(Result, beside=("model", "measured"), in_front=("measured",)):
    """Something that was measured of a model in a setting."""

    setting: str
    model: ModelNames
    measured: Result


@dataclass(frozen=True)
class MeasuredRow(ModelRow):
    """What attackers reach on what it writes, and what is left of the text."""

    measured: MeasuredModel


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
class OperatingRow(ModelRow):
    """The same, with its setting and the model's names."""

    measured: OperatingPoints


@dataclass(frozen=True)
class Originals(Result, beside=("quality",)):
    """What a setting is, what guessing reaches, and how fluent the originals are."""

    setting: str
    documents: dict[str, int]
    sentences: dict[str, int]
    classes: dict[str, int]
    corpus: dict[str, int]
    random_guess: dict[str, float]
    quality: Quality


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


@dataclass(frozen=True)
class A4ntResults(PaperResults, stored_as={"not_reproduced": "left_out"}):
    """All that the paper's tables and figures show.

    Attributes:
        sizes: How much was measured.
        interval: How intervals were made, in words.
        meteor: Which METEOR was at hand.
        models: The models that were evaluated.
        not_evaluated: Models that were not, in words.
        not_reproduced: What of the paper is not, in words.
        originals: The texts as they are.
        attackers: What attackers reach on these.
        measured: What they reach on what models write, and what is left of the texts.
        operating_points: Figure 6.
        examples: Tables VII and VIII.
        grounds: What the ruler measured, by the names of the texts.
    """

    sizes: Sizes
    interval: str
    meteor: str
    models: Sequence[ListedModel]
    not_evaluated: Sequence[str]
    not_reproduced: Sequence[str]
    originals: Sequence[Originals] = field(repr=False)
    attackers: Sequence[LearnedRow] = field(repr=False)
    measured: Sequence[MeasuredRow] = field(repr=False)
    operating_points: Sequence[OperatingRow] = field(repr=False)
    examples: Sequence[ShownSentences] = field(repr=False)
    grounds: Mapping[str, Measured] = field(default_factory=dict, repr=False)

    def of_setting(self, setting: str) -> Originals:
        """Return what a setting is."""
        return next(row for row in self.originals if row.setting == setting)

    def learned(self, setting: str, attacker: str) -> LearnedRow:
        """Return what an attacker reaches that learned from originals of a setting."""
        return next(row for row in self.attackers if (row.setting, row.attacker) == (setting, attacker))
