"""What A4NT chooses translations by, besides the judge: likeness of meaning (word vectors) and fluency (word pairs)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from allonym.language import pairs
from allonym.language.stop_words import STOP_WORDS
from allonym.networks.a4nt.substitutes import Substitutes, kinds
from allonym.networks.whole_numbers import WholeMatrix
from allonym.vectors import embeddings, ratings

UNIT: Final = 2.0**-20  # cosines, and the judge's log-probabilities, are added up in whole numbers of it
_MUCH: Final = 5  # what a word with a meaning of its own counts for the similarity, where another counts 1


class Wording:
    """How near two sentences are in meaning, by the shipped word vectors, and which words go together."""

    def __init__(self, tokens: Sequence[str], nearness: float) -> None:
        table = embeddings.load()
        rows = table.rows(tokens)
        known = np.where(rows[:, None] >= 0, table.vectors[np.maximum(rows, 0)], np.float32(0))
        scales = np.full(len(rows), 1 / math.sqrt(ratings.ONE), np.float32)
        self._vectors = WholeMatrix(ratings.quantise(known).astype(np.int16), scales)
        content = [row >= 0 and token not in STOP_WORDS for row, token in zip(rows, tokens, strict=True)]
        self._weights = np.where(content, _MUCH, 1)
        self.pairs = pairs.WordPairs.open().of(tokens)
        self.substitutes = Substitutes(self._vectors, kinds(tokens), nearness, self.pairs)

    def similarities(self, sentence: Sequence[int], others: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return how well the words of a sentence are found in each of the others and theirs in it, from 0 to 1.

        Each word counts by its best cosine with a word of the other sentence, 1 for itself; this is the mean of the
        two sentences' weighted means.
        """
        left = np.asarray(sentence)
        known, codes = np.unique(np.concatenate(others), return_inverse=True)
        these, those = (self._vectors.whole[words].astype(np.float64) for words in (left, known))  # exact products
        rounded = np.rint(these @ those.T / (ratings.ONE * UNIT)).astype(np.int64)
        cosines = np.where(left[:, None] == known, int(1 / UNIT), rounded)
        means = []
        for right in np.split(codes, np.cumsum([len(other) for other in others])[:-1]):
            best, weights = cosines[:, right], (self._weights[left], self._weights[known[right]])
            means.append([(best.max(axis=1 - way) * weight).sum() / weight.sum() for way, weight in enumerate(weights)])
        both = np.array(means, np.float64)
        return (both[:, 0] + both[:, 1]) * (UNIT / 2)
