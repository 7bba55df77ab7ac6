"""What is promised, as an object that carries everything a reader must know to judge it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from allonym.errors import ParameterError
from allonym.privacy import habits
from allonym.privacy.statement import copied, statement

Definition = Literal["pure", "approximate", "metric", "none"]
Unit = Literal["word", "document", "author"]
Evidence = Literal["proved", "claimed", "none"]
Drawn = Literal["word", "sentence", "note"]

ANY_TWO_DOCUMENTS = "any two documents"
_CHOICES = (("definition", Definition), ("unit", Unit), ("evidence", Evidence), ("drawn", Drawn))


@dataclass(frozen=True, kw_only=True)
class AlsoHolds:
    """Another true bound on the same release: ε at a small failure probability δ."""

    epsilon: float
    delta: float
    method: str


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A privacy promise about one release.

    Attributes:
        definition: "pure" (ε), "approximate" (ε, δ), "metric" (ε times a distance) or "none".
        loss_per_word: Largest loss of one draw, which gives an output word or what `drawn` says; None where nothing is
            promised.
        words: Draws of one document: its output words, or what `drawn` says.
        documents: Documents of the unit: 1, or all documents of one author.
        epsilon: The total for the unit: loss per word × words × documents.
        delta: Probability that the bound fails; 0 for pure promises.
        unit: Whose protection the total speaks of.
        adjacency: Which inputs cannot be told apart.
        metric: The distance of a metric promise; `loss_per_word` is then that of the two words furthest apart.
        loss_per_unit: The loss for each unit of that distance.
        evidence: Whether the promise is proved, claimed by somebody, or absent.
        assumptions: What must hold for the promise to hold.
        copies: The habits of a text that the method copies, by name (`allonym.privacy.habits`), for programs.
        released_as_is: What of the input is in the output unprotected, in words: those habits, and what a job adds.
        also_holds: Further bounds on the same release, never in place of the main one.
        drawn: What one draw gives: a word or a sentence.
        notes: What a reader should know of such a release beside its privacy, in sentences.
    """

    definition: Definition
    loss_per_word: float | None
    words: int | None
    epsilon: float | None
    unit: Unit = "document"
    documents: int = 1
    delta: float = 0.0
    adjacency: str = ANY_TWO_DOCUMENTS
    metric: str | None = None
    loss_per_unit: float | None = None
    evidence: Evidence = "proved"
    assumptions: tuple[str, ...] = ()
    copies: frozenset[str] = frozenset()
    released_as_is: tuple[str, ...] = ()
    also_holds: tuple[AlsoHolds, ...] = ()
    drawn: Drawn = "word"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES:
            if getattr(self, name) not in get_args(allowed):
                raise ParameterError(f"{name} must be one of {get_args(allowed)}, got {getattr(self, name)!r}.")
        if self.documents < 1 or (self.words is not None and self.words < 0):
            raise ParameterError("A guarantee speaks of at least one document and no negative number of words.")
        if not 0 <= self.delta < 1:
            raise ParameterError(f"delta must be at least 0 and below 1, got {self.delta}.")
        if self.formal != (self.epsilon is not None and self.loss_per_word is not None):
            raise ParameterError("A formal guarantee must state its losses, and no other may.")
        if (self.definition == "metric") != (self.metric is not None and self.loss_per_unit is not None):
            raise ParameterError("A metric guarantee must name its metric and the loss for each unit of it.")
        for loss in (self.epsilon, self.loss_per_word, self.loss_per_unit):
            if loss is not None and not 0 <= loss < math.inf:
                raise ParameterError(f"A loss must be a finite number of at least 0, got {loss}.")
        # What is named for programs is said to people, too, whoever made the object.
        object.__setattr__(self, "copies", habits.checked(self.copies))
        said = dict.fromkeys((*copied(self.copies), *self.released_as_is))
        object.__setattr__(self, "released_as_is", tuple(said))

    @property
    def formal(self) -> bool:
        """Whether anything is promised at all."""
        return self.definition != "none"

    @property
    def carries_names(self) -> bool:
        """Whether names and the like come through that no public list holds."""
        return bool(self.copies & habits.CARRY_NAMES)

    def copying(self, *what: str) -> Guarantee:
        """Return this guarantee for a method that copies these habits of a text."""
        return replace(self, copies=self.copies | frozenset(what))

    def releasing(self, *what: str) -> Guarantee:
        """Return this guarantee for an output that also copies `what` from the input."""
        return replace(self, released_as_is=self.released_as_is + what)

    def withdrawn(self, why: str) -> Guarantee:
        """Return a guarantee of nothing, for the reason given."""
        return replace(
            self,
            definition="none",
            loss_per_word=None,
            loss_per_unit=None,
            metric=None,
            epsilon=None,
            delta=0.0,
            evidence="none",
            assumptions=(why,),
            also_holds=(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and the statement, as plain values."""
        fields = asdict(self)
        for name in ("assumptions", "released_as_is", "also_holds", "notes"):
            fields[name] = list(fields[name])
        fields["copies"] = sorted(fields["copies"])
        return {**fields, "formal": self.formal, "statement": str(self)}

    def to_json(self) -> str:
        """Return all fields, and the statement, as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        return statement(self)
