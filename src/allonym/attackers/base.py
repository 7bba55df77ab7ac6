"""What every attacker is: a scikit-learn classifier that takes texts and names their writer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from allonym.errors import InputError, ParameterError
from allonym.language.words import checked_texts

Arrays = dict[str, NDArray[Any]]


class Attacker(ClassifierMixin, BaseEstimator):
    """Base of all attackers.

    A subclass learns in `_learn` and scores in `_scores`; it is found by its `name`. Spends no privacy: an attacker
    sees what was released. What it learned is saved with it: the arrays named in `learned`, each an attribute of that
    name after an underscore, and what else `_state` returns.
    """

    name: str
    describes_itself_as: str
    learned: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        """Learn from texts and the positions of their writers in `classes_`."""

    @abstractmethod
    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        """Return documents × classes: the higher, the likelier."""

    def missing(self) -> str:
        """Say what to install before this attacker can learn; nothing if all is there."""
        return ""

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        """Return what was learned: JSON values and arrays."""
        return {}, {name: getattr(self, f"_{name}") for name in self.learned}

    def _restore(self, state: dict[str, Any], arrays: Arrays) -> None:
        """Take back what `_state` returned."""
        for name in self.learned:
            setattr(self, f"_{name}", arrays[name])

    def fit(self, texts: Sequence[str], authors: Sequence[object]) -> Self:
        """Learn how these authors write.

        Args:
            texts: Training texts.
            authors: The author of each.
        """
        documents = checked_texts(texts)
        names = np.array([str(author) for author in authors])
        if len(names) != len(documents):
            raise InputError(f"There are {len(documents)} texts but {len(names)} authors; give one author a text.")
        known, writers = np.unique(names, return_inverse=True)
        if len(known) < 2:
            raise InputError("An attacker needs texts of two authors at least to tell apart; give more.")
        self.classes_ = known
        self._learn(documents, writers)
        return self

    def decision_function(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return documents × classes: the higher, the likelier (two columns even for two classes)."""
        if not hasattr(self, "classes_"):
            raise InputError(f"The attacker {self.name} has learned nothing yet; call fit(texts, authors) first.")
        documents = checked_texts(texts)
        return self._scores(documents) if documents else np.zeros((0, len(self.classes_)))

    def predict(self, texts: Sequence[str]) -> NDArray[np.str_]:
        """Return the likeliest author of each text."""
        scores = self.decision_function(texts)
        chosen: NDArray[np.str_] = self.classes_[scores.argmax(1)]
        return chosen

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401 - scikit-learn has no types
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def above_zero(parameter: str, value: float) -> float:
    """Return a parameter of an attacker.

    Raises:
        ParameterError: It is not a number above 0.
    """
    if not 0 < value < np.inf:  # NaN compares false
        raise ParameterError(f"{parameter} must be a number above 0, got {value}.")
    return value
