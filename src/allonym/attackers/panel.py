"""Many attackers at once, before and after: what the strongest one still knows.

Three settings. *original*: trained and tested on the originals. *static*: trained on the originals, tested on what was
released; it flatters, because the attacker has not seen how the method changes texts. *adaptive*: trained and tested on
what was released; this is what a real attacker would do, and the headline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from allonym.attackers.base import Attacker
from allonym.attackers.floors import LengthOnly, Majority
from allonym.attackers.linear import BinaryBayes, ClearChannelSVM, NGramSVM, WordBayes, WordNGramSVM
from allonym.attackers.meaning import Meaning
from allonym.attackers.structure import Structure
from allonym.attackers.style_encoder import StyleEncoder
from allonym.attackers.writeprints.attackers import WritePrintsSVM
from allonym.errors import InputError
from allonym.metrics import scoring
from allonym.metrics.figures import Figure

Setting = Literal["original", "static", "adaptive"]
SETTINGS: tuple[Setting, ...] = ("original", "static", "adaptive")
HEADLINE = "accuracy"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Texts:
    """Training and test texts of one form (originals, or what was released of them), row by row the same documents."""

    train: Sequence[str]
    test: Sequence[str]


@dataclass(frozen=True)
class Attack:
    """What one attacker reached in one setting.

    Attributes:
        attacker: Its name.
        setting: What it was trained and tested on.
        figures: accuracy, f1_weighted, f1_macro, precision_…, recall_…, top_5, mean_reciprocal_rank.
        predicted: The author it named for each test text; kept out of public reports.
    """

    attacker: str
    setting: Setting
    figures: dict[str, Figure]
    predicted: tuple[str, ...] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return all but the predictions."""
        figures = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"attacker": self.attacker, "setting": self.setting, "figures": figures}


@dataclass(frozen=True)
class PanelResult:
    """What all attackers reached.

    Attributes:
        attacks: One for each attacker and setting.
        chance: Accuracy of naming the most frequent test author always.
        authors: How many authors the attackers choose from.
        documents: How many test texts.
    """

    attacks: tuple[Attack, ...]
    chance: float
    authors: int
    documents: int

    def strongest(self, setting: Setting, figure: str = HEADLINE) -> Attack:
        """Return the attack with the highest figure.

        The best of several on one test set is slightly flattered, in the attacker's favour: the safe side.
        """
        candidates = [attack for attack in self.attacks if attack.setting == setting]
        if not candidates:
            raise InputError(f"The panel was not run in the setting {setting!r}; run it with released texts.")
        return max(candidates, key=lambda attack: attack.figures[figure].value)


def default_panel() -> list[Attacker]:
    """Return the strong attackers, which a figure that is published should be of.

    Where an extra is not installed, the attackers that need it are left out; `missing_from_panel` says which.
    """
    return [attacker for attacker in _strong() if not attacker.missing()]


def missing_from_panel() -> dict[str, str]:
    """Return the attackers that `default_panel` leaves out here, each with what to install."""
    return {attacker.name: lack for attacker in _strong() if (lack := attacker.missing())}


def _strong() -> list[Attacker]:
    return [
        NGramSVM(),
        WordNGramSVM(),
        BinaryBayes(),
        WordBayes(),
        StyleEncoder(),
        Meaning(),
        Structure(),
        WritePrintsSVM(),
        *_what_passes_through(),
    ]


def quick_panel() -> list[Attacker]:
    """Return attackers that answer while somebody waits; `default_panel` is stronger, and takes many times as long."""
    return [WordNGramSVM(), BinaryBayes(), Structure(), *_what_passes_through()]


def _what_passes_through() -> list[Attacker]:
    """Return attackers that see little: what they reach, a method lets through."""
    return [ClearChannelSVM(), LengthOnly(), Majority()]


def train(attackers: Sequence[Attacker], texts: Sequence[str], authors: Sequence[str]) -> list[Attacker]:
    """Return a trained copy of each attacker."""
    return [clone(attacker).fit(texts, authors) for attacker in attackers]


def attack(
    attackers: Sequence[Attacker],
    train_authors: Sequence[str],
    test_authors: Sequence[str],
    *,
    original: Texts,
    released: Texts | None = None,
    trained: Sequence[Attacker] | None = None,
    progress: Progress | None = None,
) -> PanelResult:
    """Run every attacker in every setting that the texts allow.

    Args:
        attackers: The panel; each is cloned, so none keeps what it learned.
        train_authors: Who wrote each training text.
        test_authors: Who wrote each test text.
        original: The texts as written.
        released: What was released of them; without it only the setting "original" is run.
        trained: The attackers after `train` on the originals, where several releases of them are attacked.
        progress: Told how many of the attacks are done.
    """
    _check(train_authors, test_authors, original)
    if released is not None:
        _check(train_authors, test_authors, released)
    attacks: list[Attack] = []
    total = len(attackers) * (1 if released is None else len(SETTINGS))
    for place, attacker in enumerate(attackers):
        [knows] = train([attacker], original.train, train_authors) if trained is None else [trained[place]]
        attacks.append(_measure(knows, "original", original.test, test_authors))
        if released is not None:
            attacks.append(_measure(knows, "static", released.test, test_authors))
            attacks += adaptive([attacker], released, train_authors, test_authors)
        if progress is not None:
            progress(len(attacks), total)
    return PanelResult(tuple(attacks), scoring.chance(test_authors), len(set(train_authors)), len(test_authors))


def adaptive(
    attackers: Sequence[Attacker], released: Texts, train_authors: Sequence[str], test_authors: Sequence[str]
) -> list[Attack]:
    """Return what a copy of each attacker reaches that is trained and tested on what was released."""
    adapted = train(attackers, released.train, train_authors)
    return [_measure(attacker, "adaptive", released.test, test_authors) for attacker in adapted]


def _measure(attacker: Attacker, setting: Setting, texts: Sequence[str], authors: Sequence[str]) -> Attack:
    scores: NDArray[np.float64] = attacker.decision_function(texts)
    predicted = attacker.classes_[scores.argmax(1)]
    figures = scoring.classification(authors, predicted) | scoring.ranking(authors, attacker.classes_, scores)
    return Attack(attacker.name, setting, figures, tuple(predicted.tolist()))


def _check(train_authors: Sequence[str], test_authors: Sequence[str], texts: Texts) -> None:
    if len(texts.train) != len(train_authors) or len(texts.test) != len(test_authors):
        raise InputError("Texts and authors differ in number; give one author for each text.")
    if not test_authors:
        raise InputError("There is no test text to attack; give at least one.")
