"""How near two words are in meaning: same word, same root, synonyms, or neighbours in the word table."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from allonym.guard.reading import root
from allonym.language import alike
from allonym.language.synonyms import WordNet
from allonym.vectors import embeddings
from allonym.vectors.embeddings import WordTable

SAME: Final = 1.0
SAME_ROOT: Final = 0.95
SYNONYMS: Final = 0.9
NEVER: Final = 0.0
_MOST_BY_VECTORS: Final = 0.85  # what the word table says is never surer than a list
_REMEMBERED: Final = 2**17


class Closeness:
    """Nearness of words.

    Args:
        wordnet: Whose synonyms count, too; without, our own lists must do.
    """

    def __init__(self, wordnet: WordNet | None = None) -> None:
        self._wordnet = wordnet
        self._known: dict[tuple[str, str], float] = {}
        self._synonyms: dict[str, frozenset[str]] = {}

    def of(self, first: str, second: str) -> float:
        """Return how near two dictionary forms are, from 0 to 1. Opposites and members of one family are not near."""
        if first == second:
            return SAME
        pair = (first, second) if first < second else (second, first)
        if pair not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[pair] = self._of(*pair)
        return self._known[pair]

    def _of(self, first: str, second: str) -> float:
        if alike.opposites(first, second):
            return NEVER
        if root(first) == root(second):
            return SAME_ROOT
        if alike.synonyms(first, second) or second in self._synonyms_of(first) or first in self._synonyms_of(second):
            return SYNONYMS
        if alike.exclusive(first, second):
            return NEVER
        return _by_vectors(first, second)

    def _synonyms_of(self, word: str) -> frozenset[str]:
        if self._wordnet is None:
            return frozenset()
        if word not in self._synonyms:
            self._synonyms[word] = frozenset(self._wordnet.of(word))
        return self._synonyms[word]


def _by_vectors(one: str, other: str) -> float:
    first, second = table().index(one), table().index(other)
    if first is None or second is None:
        return NEVER
    unit = table().unit()
    return max(NEVER, min(_MOST_BY_VECTORS, float(unit[first] @ unit[second])))


@cache
def table() -> WordTable:
    """Return the word table that closeness is read from."""
    return embeddings.load()


def direction(words: list[str]) -> NDArray[np.float64]:
    """Return the sum of the unit vectors of words, those that the table lacks left out."""
    rows = table().rows(words)
    total: NDArray[np.float64] = table().unit()[rows[rows >= 0]].sum(axis=0, dtype=np.float64)
    return total
