"""What was measured for ER-AE's table 1 and figure 2, and what its goals came to, as stored and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from allonym.attackers.neural import CharacterAverages
from allonym.metrics.figures import Figure
from allonym.papers.stored import Json, Result


@dataclass(frozen=True)
class NamedAttack(Result, beside=("accuracy",)):
    """What an attacker of table 1 reached: `static` ones learned from originals, `adaptive` ones from releases."""

    attacker: str
    setting: str
    accuracy: Figure


@dataclass(frozen=True)
class TableRow(Result, left_out=("earlier",)):
    """A row of table 1.

    Attributes:
        method: What it is called there.
        paper: Its name in the paper's table, if it is there.
        loss_per_word: The proved loss of a word; None where nothing is promised.
        as_published: What the paper states in its place.
        in_clear: What is copied from the text.
        imdb62: Measures of the film reviews, by name.
        peer_reviews: Measures of the peer reviews, by name.
        attacks: Every attacker in every setting.
        earlier: Whether it was taken over from an earlier run.
    """

    method: str
    paper: str | None
    loss_per_word: float | None
    as_published: float | None
    in_clear: tuple[str, ...]
    imdb62: Mapping[str, Figure] = field(repr=False)
    peer_reviews: Mapping[str, Figure] = field(repr=False)
    attacks: tuple[NamedAttack, ...] = field(repr=False)
    earlier: bool = False

    @property
    def similarity(self) -> float:
        """The meaning that is kept of film reviews."""
        return self.imdb62["similarity"].value

    @property
    def network_attack(self) -> Figure:
        """What the network of the paper reaches, trained on originals."""
        [network] = [
            attack.accuracy
            for attack in self.attacks
            if (attack.attacker, attack.setting) == (CharacterAverages.name, "static")
        ]
        return network

    def best(self, setting: str) -> NamedAttack | None:
        """Return the attacker of a setting who names most of the test reviews; None without any."""
        attacks = [attack for attack in self.attacks if attack.setting == setting]
        return max(attacks, key=lambda attack: attack.accuracy.value, default=None)

    def to_json(self) -> Json:
        """Return what is stored of the row, with the best attacker of each setting after all of them."""
        stored = super().to_json()
        earlier = {"earlier": stored.pop("earlier")} if self.earlier else {}
        best = {setting: self.best(setting) for setting in ("static", "adaptive")}
        return {**stored, **{setting: attack and attack.to_json() for setting, attack in best.items()}, **earlier}


@dataclass(frozen=True)
class SweepRow(Result):
    """A point of figure 2.

    Attributes:
        method: The mechanism.
        loss_per_word: The proved loss of a word.
        similarity: The meaning that is kept.
        static_network: What the network of the paper reaches, trained on originals.
        static_best: What the best attacker reaches, trained on originals.
    """

    method: str
    loss_per_word: float
    similarity: Figure
    static_network: Figure
    static_best: Figure


@dataclass(frozen=True)
class Goal(Result):
    """A goal, what was measured, and whether it was reached."""

    goal: str
    measured: str
    reached: bool
