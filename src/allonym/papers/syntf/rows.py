"""What was measured for SynTF's tables, as it is stored and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

import numpy as np

from allonym.anonymizers.syntf import SynTF
from allonym.errors import InputError
from allonym.mechanisms.bounds import alternative_bound, standard_bound
from allonym.papers.stored import Json, Result
from allonym.papers.syntf.spelling import SPELLINGS
from allonym.papers.syntf.usefulness import Needed, Usefulness
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
class MeasuredSetting(Result):
    """A setting and what is reached on what it releases."""

    beside = ("setting", "reached")

    setting: SyntfSetting
    terms: int
    tight_loss_per_word: float
    runs: int
    reached: Reached = field(repr=False)

    def to_json(self) -> Json:
        """Return the parameters, then what follows from them, side by side."""
        sizes = {"terms": self.terms, "tight_loss_per_word": self.tight_loss_per_word, "runs": self.runs}
        return asdict(self.setting) | sizes | self.reached.to_json()


@dataclass(frozen=True)
class SweptSetting(Result):
    """A row of the paper's sweeps, or of those with a learned rating: a setting, and the table it was measured for."""

    beside = ("measured",)

    table: str
    bench: Kind
    measured: MeasuredSetting

    def to_json(self) -> Json:
        """Return both names, then what was measured, side by side."""
        return {"table": self.table, "bench": self.bench, **self.measured.to_json()}

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


@dataclass(frozen=True)
class SyntfResults:
    """All that the paper's own tables and figures show.

    Attributes:
        interval: How intervals were made, in words.
        suspects: Table 1.
        bounds: Figure 1.
        original: The texts as they are.
        without_reference: The same for an analyst who leaves out what a rating was learned from.
        vectorised: Their term counts, before anything is drawn.
        scrubbed: The texts without what scrubadub takes for personal.
        settings: What SynTF releases, by setting.
        quoted: The texts with the lines that they quote; None if they were not measured, as with those below.
        learned_documents: How many messages a rating was learned from, an analyst learned from, and all are scored on.
        weka: What attackers nearer to the paper's reach.
        useful: Theorem 3.6.
        needed: Corollary 3.7.
    """

    interval: str
    suspects: tuple[Suspects, ...]
    bounds: tuple[Bounds, ...]
    original: Reached
    without_reference: Reached
    vectorised: Reached
    scrubbed: Reached
    quoted: Reached | None
    settings: tuple[SweptSetting, ...]
    learned_documents: Mapping[str, int]
    weka: WekaAttacks | None
    useful: tuple[Usefulness, ...]
    needed: tuple[Needed, ...]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> SyntfResults:
        """Return the results of a run as they were stored."""
        return cls(
            interval=stored["interval"],
            suspects=tuple(map(Suspects.from_json, stored["table_1"])),
            bounds=tuple(map(Bounds.from_json, stored["figure_1"])),
            original=Reached.from_json(stored["original"]),
            without_reference=Reached.from_json(stored["original_without_reference"]),
            vectorised=Reached.from_json(stored["vectorised"]),
            scrubbed=Reached.from_json(stored["scrubbed"]),
            quoted=Reached.from_json(stored["original_quoted"]) if "original_quoted" in stored else None,
            settings=tuple(map(SweptSetting.from_json, stored["settings"])),
            learned_documents=stored["learned_rating_documents"],
            weka=WekaAttacks.from_json(stored["weka"]) if "weka" in stored else None,
            useful=tuple(map(Usefulness.from_json, stored.get("theorem_3_6", []))),
            needed=tuple(map(Needed.from_json, stored.get("corollary_3_7", []))),
        )

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
