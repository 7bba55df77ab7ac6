"""What was measured on one kind of texts: a row for the originals and one for each setting, as stored and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from allonym.evaluation.attack import AttackFigure
from allonym.metrics.figures import Figure
from allonym.papers.stored import Json, Result

ORIGINAL = "original"  # the name of the row of texts that nobody protected


@dataclass(frozen=True)
class About(Result):
    """What the texts are.

    Attributes:
        title: What they are called, in a few words.
        labels: What an analyst looks for in them.
        authors: How many wrote them.
        known: How many texts attackers know.
        tested: How many are attacked.
        chance: What naming the most frequent author always would reach.
        floors: What is reached in every measure without reading.
    """

    title: str
    labels: str
    authors: int
    known: int
    tested: int
    chance: float
    floors: Mapping[str, float]


@dataclass(frozen=True)
class Row(Result):
    """Base of the rows.

    Attributes:
        name: What the row is called; no two on the same texts share it.
        method: What its curve is called.
        setting: What its point is called.
        strongest: The attack to reckon with.
        attacks: Every attacker in every setting.
        use: What is left of the texts' use, by measure; None could not be measured.
    """

    name: str
    method: str
    setting: str
    strongest: AttackFigure
    attacks: tuple[AttackFigure, ...] = field(repr=False)
    use: Mapping[str, Figure | None] = field(repr=False)

    @property
    def meaning(self) -> Figure | None:
        """The likeness of meaning before and after, by MiniLM."""
        return self.use.get("meaning")


@dataclass(frozen=True)
class OriginalRow(Row):
    """The texts as they are, and what they are."""

    about: About


# What stands first in the file, where attacks and use come late.
_FIRST = ("name", "method", "setting", "rival", "parameters", "definition", "loss_per_document", "copies", "draws",
          "strongest", "strongest_static")  # fmt: skip


@dataclass(frozen=True)
class MethodRow(Row, in_front=_FIRST):
    """A method with one setting.

    Attributes:
        rival: Whether it is a program of others.
        parameters: Of a method of ours, as plain values.
        definition: Which kind of promise it makes.
        loss_per_document: The proved loss of a document; None where nothing is proved.
        copies: What of a text is released as it is.
        draws: How often the tested texts were released.
        strongest_static: The attack to reckon with of those who never saw a released text.
        words_per_second: Of one processor, loading included.
    """

    rival: bool
    parameters: Mapping[str, Any]
    definition: str
    loss_per_document: float | None
    copies: tuple[str, ...]
    draws: int
    strongest_static: AttackFigure
    words_per_second: float


@dataclass(frozen=True)
class Measured:
    """All that was measured on one kind of texts.

    Attributes:
        original: The texts as they are.
        methods: A row for each setting.
    """

    original: OriginalRow
    methods: tuple[MethodRow, ...] = ()

    @property
    def about(self) -> About:
        """What the texts are."""
        return self.original.about

    @property
    def rows(self) -> tuple[Row, ...]:
        """The originals first."""
        return self.original, *self.methods

    def find(self, name: str) -> MethodRow | None:
        """Return the row of a setting; None if it was not measured."""
        return next((row for row in self.methods if row.name == name), None)

    def to_json(self) -> Json:
        """Return what the texts are, and the rows."""
        return {"about": self.about.to_json(), "rows": [row.to_json() for row in self.rows]}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Measured:
        """Return what `to_json` wrote; the originals may stand anywhere among the rows."""
        return cls.of_rows([row_from_json(row) for row in stored["rows"]])

    @classmethod
    def of_rows(cls, rows: Sequence[Row]) -> Measured:
        """Return rows in their order, the originals first."""
        [original] = [row for row in rows if isinstance(row, OriginalRow)]
        return cls(original, tuple(row for row in rows if isinstance(row, MethodRow)))


def row_from_json(stored: Mapping[str, Any]) -> Row:
    """Return a row as it was stored."""
    kind = OriginalRow if stored["name"] == ORIGINAL else MethodRow
    return kind.from_json(stored)
