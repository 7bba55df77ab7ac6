"""Attackers that see next to nothing: what they reach, any method gives away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.attackers.base import Attacker
from allonym.attackers.features import Lengths


class Majority(Attacker):
    """Names the author of the most training texts, whatever the text: the floor."""

    name = "majority"
    describes_itself_as = "the author with most training texts, always"
    learned = ("shares",)

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        self._shares = np.bincount(writers) / len(writers)

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        return np.tile(self._shares, (len(texts), 1))


class LengthOnly(Attacker):
    """Sees how many characters, words and lines a text has, and asks the nearest training texts.

    Args:
        neighbours: How many training texts are asked.
    """

    name = "length"
    describes_itself_as = "length alone, nearest neighbours"
    learned = ("lengths", "writers")

    def __init__(self, *, neighbours: int = 15) -> None:
        self.neighbours = neighbours

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        self._lengths = Lengths().transform(texts).toarray()
        self._writers = writers

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        asked = min(self.neighbours, len(self._writers))
        votes = np.zeros((len(texts), len(self.classes_)))
        for row, lengths in enumerate(Lengths().transform(texts).toarray()):
            distances = np.linalg.norm(self._lengths - lengths, axis=1)
            nearest = np.argsort(distances, kind="stable")[:asked]
            np.add.at(votes[row], self._writers[nearest], 1 / (1 + distances[nearest]))
        return votes
