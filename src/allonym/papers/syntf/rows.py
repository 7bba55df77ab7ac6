"""What was measured for SynTF's tables, as it is stored and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

import numpy as np

from allonym.anonymizers.syntf import SynTF
from allonym.errors import InputError
from allonym.mechanisms.bounds import alternative_bound, standard_bound
from allonym.papers.ruler.rows import Measured
from allonym.papers.stored import Json, PaperResults, Result
from allonym.papers.syntf.spelling import SPELLINGS
from allonym.papers.syntf.usefulness import GoodOutputs
from allonym.vectors.embeddings import WordTable

KEPT = ("f1_weighted", "precision_weighted", "recall_weighted", "accuracy")
OUTPUT_SIZES = (2, 100, 30_000)

SKIPGRAM = "skip-gram"

Kind = Literal["paper", "learned", "quoted"]


@dataclass(frozen=True)
class SyntfSetting(Result):
    """Parameters of SynTF, by default those the paper found best (its table 2).

    Attributes:
        composition: "tf" or "tf-idf"; by default what goes with the rating.
        spelling: How alike two words are spelled: one of `SPELLINGS`.
        vectors: "given", or "skip-gram": made of the messages in the manner of word2vec.
    """

    epsilon: float = 47.5
    loss_per_word: float | None = None
    words: int = 150
    spelling_weight: float = 0.3
    morphology: str = "lemma"
    synonyms: bool = False
    rating: str = "similarity"
    min_documents: int = 3
    composition: str | None = None
    spelling: str = "bigrams"
    vectors: str = "given"

    def made(self, embeddings: WordTable) -> SynTF:
        """Return the anonymizer."""
        parameters = asdict(self)
        del parameters["vectors"]
        return SPELLINGS[parameters.pop("spelling")](**parameters, embeddings=embeddings)


@dataclass(frozen=True)
class Mean(Result):
    """A mean over runs, or a figure over test messages, with its 95 % interval; one run has none."""

    mean: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def over(cls, runs: Sequence[float]) -> Mean:
        """Return the mean over runs; the interval is Student's t."""
        from scipy import stats

        numbers = np.array(runs, dtype=np.float64)
        mean = float(numbers.mean())
        if len(numbers) == 1:
            return cls(mean)
        half = float(stats.t.ppf(0.975, len(numbers) - 1) * numbers.std(ddof=1) / np.sqrt(len(numbers)))
        return cls(mean, mean - half, mean + half)


Means = dict[str, Mean]  # by measure


@dataclass(frozen=True)
class Reached(Result):
    """What analysts and attackers reach on texts, or on what was released of them."""

    utility: dict[str, Means]  # by analyst
    attack: dict[str, dict[str, Means]]  # by scenario and attacker


@dataclass(frozen=True)
class MeasuredSetting(Result, beside=("setting", "reached")):
    """A setting and what is reached on what it releases."""

    setting: SyntfSetting
    terms: int
    tight_loss_per_word: float
    runs: int
    reached: Reached = field(repr=False)


@dataclass(frozen=True)
class SweptSetting(Result, beside=("measured",)):
    """A row of the paper's sweeps, or of those with a learned rating: a setting, and the table it was measured for."""

    table: str
    bench: Kind
    measured: MeasuredSetting

    @property
    def setting(self) -> SyntfSetting:
        """The parameters."""
        return self.measured.setting

    @property
    def reached(self) -> Reached:
        """What analysts and attackers reach."""
        return self.measured.reached


@dataclass(frozen=True)
class Suspects(Result):
    """A row of table 1: a scenario, and who qualifies for it."""

    scenario: str
    suspects: int
    suspects_paper: int
    groups: int
    least_train: int
    least_test: int
    train: int  # messages
    test: int


@dataclass(frozen=True)
class Bounds(Result):
    """Figure 1 at one ε: the standard bound, and the alternative one by the size of the output space."""

    epsilon: int
    standard: float
    alternative: dict[int, float]

    @classmethod
    def at(cls, epsilon: int) -> Bounds:
        """Return the bounds for the three sizes of the figure."""
        return cls(epsilon, standard_bound(epsilon), {size: alternative_bound(epsilon, size) for size in OUTPUT_SIZES})

    def to_json(self) -> Json:
        """Return the alternative bounds by their sizes beside the others."""
        sizes = {str(size): bound for size, bound in self.alternative.items()}
        return {"epsilon": self.epsilon, "standard": self.standard, **sizes}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        return cls(stored["epsilon"], stored["standard"], {size: stored[str(size)] for size in OUTPUT_SIZES})


@dataclass(frozen=True)
class WekaAttacks(Result):
    """What the attackers of `weka` reach on originals, on term counts and on what SynTF releases of them.

    By scenario and attacker, at the paper's best setting.
    """

    original: dict[str, dict[str, Means]]
    vectorised: dict[str, dict[str, Means]]
    optimum: dict[str, dict[str, Means]]


@dataclass(frozen=True, kw_only=True)
class SyntfResults(
    PaperResults,
    beside=("good_outputs",),
    left_out=("quoted", "weka"),
    stored_as={
        "learned_documents": "learned_rating_documents",
        "suspects": "table_1",
        "bounds": "figure_1",
        "without_reference": "original_without_reference",
        "quoted": "original_quoted",
    },
):
    """All that the paper's tables and figures show, and what the ruler measured.

    Attributes:
        seeds: One for each run.
        interval: How intervals were made, in words.
        documents: How many messages the paper's analyst learns from, and is scored on.
        learned_documents: How many messages a rating was learned from, an analyst learned from, and all are scored on.
        suspects: Table 1.
        bounds: Figure 1.
        original: The texts as they are.
        without_reference: The same for an analyst who leaves out what a rating was learned from.
        vectorised: Their term counts, before anything is drawn.
        scrubbed: The texts without what scrubadub takes for personal.
        quoted: The texts with the lines that they quote; None if they were not measured, as with the next.
        weka: What attackers nearer to the paper's reach.
        good_outputs: Theorem 3.6 and corollary 3.7.
        settings: What SynTF releases, by setting.
        grounds: What the ruler measured, by the names of the texts.
    """

    seeds: tuple[int, ...]
    interval: str
    documents: Mapping[str, int]
    learned_documents: Mapping[str, int]
    suspects: tuple[Suspects, ...]
    bounds: tuple[Bounds, ...] = field(repr=False)
    original: Reached = field(repr=False)
    without_reference: Reached = field(repr=False)
    vectorised: Reached = field(repr=False)
    scrubbed: Reached = field(repr=False)
    quoted: Reached | None = field(default=None, repr=False)
    weka: WekaAttacks | None = field(default=None, repr=False)
    good_outputs: GoodOutputs = field(default=GoodOutputs(), repr=False)
    settings: tuple[SweptSetting, ...] = field(repr=False)
    grounds: Mapping[str, Measured] = field(default_factory=dict, repr=False)

    @property
    def scenarios(self) -> list[str]:
        """The names of the scenarios."""
        return [row.scenario for row in self.suspects]

    @property
    def optimum(self) -> SweptSetting:
        """The setting that the paper found best."""
        [row] = [row for row in self.settings if row.table == "optimum"]
        return row

    def of_bench(self, kind: Kind) -> list[SweptSetting]:
        """Return the settings measured on the paper's messages, on those a learned rating leaves, or with quotes."""
        return [row for row in self.settings if row.bench == kind]

    def originals(self, kind: Kind) -> Reached:
        """Return what analysts and attackers reach on the texts as they are."""
        if kind == "quoted":
            if self.quoted is None:
                raise InputError("The originals with quotes were not measured: add --only quotes.")
            return self.quoted
        return self.original if kind == "paper" else Reached(self.without_reference.utility, self.original.attack)
