"""An attacker that looks at what a text says, not how: sentence embeddings, weighed for each author."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.attackers.base import Attacker, above_zero
from allonym.attackers.linear import logistic

Floats: TypeAlias = NDArray[np.float64]


class Meaning(Attacker):
    """Sentence embeddings of whole texts (MiniLM, extra `semantics`), with logistic regression.

    A method that changes every word and keeps the meaning does not stop it: what people write about gives them away,
    too. Reading takes most of the time, some 25 texts of 130 words a second and core; the process remembers what it
    read (`allonym.metrics.embed`), so that a text costs once however many attackers and measures ask for it.

    Args:
        cost: What a wrongly named text costs: the inverse of the ridge penalty.
    """

    name = "meaning"
    describes_itself_as = "sentence embeddings (MiniLM), logistic regression"
    learned = ("weights", "constants")

    def __init__(self, *, cost: float = 10.0) -> None:
        self.cost = above_zero("cost", cost)

    def missing(self) -> str:
        """Say what to install before texts can be read."""
        from allonym.metrics import READY, available

        lack = available()["embed"]
        return "" if lack == READY else lack

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        self._weights, self._constants = logistic(_read(texts), writers, cost=self.cost)

    def _scores(self, texts: list[str]) -> Floats:
        scores: Floats = _read(texts) @ self._weights.T + self._constants
        return scores


def _read(texts: list[str]) -> Floats:
    from allonym.metrics import embed

    vectors: Floats = embed(texts).astype(np.float64)
    return vectors
