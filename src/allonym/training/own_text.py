"""What methods share that are trained on a user's own text: how long, from which checkpoint, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

DEFAULT_EPOCHS = 20
_FEWEST_STEPS_BETWEEN_LOOKS, _MOST_STEPS_BETWEEN_LOOKS = 10, 500
_MOST_WARM_UP = 300
_UNLIMITED = 10**9  # steps


class OwnTextRecipe(Protocol):
    """What every recipe for a model says of its training."""

    @property
    def author(self) -> str | None:
        """The column with the authors."""

    @property
    def shared_by(self) -> int:
        """How many documents, or authors where they are known, must use a word."""

    @property
    def epochs(self) -> int | None:
        """Passes over what is learned, at most."""

    @property
    def minutes(self) -> float | None:
        """Minutes of training, at most."""

    @property
    def batch(self) -> int:
        """Examples of a step."""


@dataclass(frozen=True)
class TrainingTime:
    """How long to train, and how often to look at what is held out."""

    minutes: float
    steps: int
    warm_up: int
    look_every: int

    @classmethod
    def of(cls, recipe: OwnTextRecipe, examples: int) -> TrainingTime:
        """Return what a recipe means for so many examples."""
        each_epoch = math.ceil(examples / recipe.batch)
        epochs = DEFAULT_EPOCHS if recipe.epochs is None and recipe.minutes is None else recipe.epochs
        steps = _UNLIMITED if epochs is None else epochs * each_epoch
        return cls(
            minutes=math.inf if recipe.minutes is None else recipe.minutes,
            steps=steps,
            warm_up=min(_MOST_WARM_UP, max(1, steps // 10)),
            look_every=min(_MOST_STEPS_BETWEEN_LOOKS, max(_FEWEST_STEPS_BETWEEN_LOOKS, each_epoch)),
        )


@dataclass(frozen=True)
class TrainingRecord:
    """What the configuration says of a training: nothing that names a column."""

    recipe: DataclassInstance
    steps: int
    device: str

    def to_json(self) -> dict[str, Any]:
        """Return everything by name."""
        chosen = {name: value for name, value in asdict(self.recipe).items() if name not in ("text", "author")}
        return {**chosen, "steps": self.steps, "device": self.device, "differential_privacy": False}


def sharers(recipe: OwnTextRecipe, documents: int) -> dict[str, str | int]:
    """Return what the card says of who must use a word for the model to know it."""
    by_author = recipe.author is not None
    note = "" if by_author else "Authors were not told apart: one author who wrote several documents counts as several."
    return {
        "shared_by": recipe.shared_by,
        "sharers": "authors" if by_author else "documents",
        "documents": documents,
        "author_note": note,
    }
