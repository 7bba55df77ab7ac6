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

    def of(self, one: str, other: str) -> float:
        """Return how near two dictionary forms are, from 0 to 1. Opposites and members of one family are not near."""
        if one == other:
            return SAME
        pair = (one, other) if one < other else (other, one)
        if pair not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[pair] = self._of(*pair)
        return self._known[pair]

    def _of(self, one: str, other: str) -> float:
        if alike.opposites(one, other):
            return NEVER
        if root(one) == root(other):
            return SAME_ROOT
        if alike.synonyms(one, other) or other in self._synonyms_of(one) or one in self._synonyms_of(other):
            return SYNONYMS
        if alike.exclusive(one, other):
            return NEVER
        return _by_vectors(one, other)

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
