"""Burrows' Delta: how far a text's use of the commonest words is from each author's."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.attackers.base import Arrays, Attacker
from allonym.errors import ParameterError
from allonym.language.words import words


class Delta(Attacker):
    """Burrows' Delta over the most frequent words.

    Burrows (2002): rates of the n most frequent words as z-scores over the training texts; an author is the mean of
    their texts; the distance is the mean absolute difference. A short text's z-scores are noisy, so Delta wants
    long ones.

    Args:
        most_frequent: How many words.
    """

    name = "delta"
    describes_itself_as = "Burrows' Delta over the commonest words"
    learned = ("mean", "per_spread", "profiles")

    def __init__(self, *, most_frequent: int = 500) -> None:
        if not most_frequent >= 1:
            raise ParameterError(f"most_frequent must be at least 1, got {most_frequent}.")
        self.most_frequent = most_frequent

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        split = [_words(text) for text in texts]
        counts = Counter(word for document in split for word in document)
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        self._column = {word: column for column, word in enumerate(ordered[: self.most_frequent])}
        rates = self._rates(split)
        self._mean = rates.mean(0)
        spread = rates.std(0)
        self._per_spread = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        scores = (rates - self._mean) * self._per_spread
        self._profiles = np.array([scores[writers == writer].mean(0) for writer in range(len(self.classes_))])

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        scores = (self._rates([_words(text) for text in texts]) - self._mean) * self._per_spread
        columns = [-np.abs(scores - profile).mean(1) for profile in self._profiles]
        return np.stack(columns, axis=1)

    def _rates(self, split: list[list[str]]) -> NDArray[np.float64]:
        rates = np.zeros((len(split), max(1, len(self._column))))
        for row, document in enumerate(split):
            for word, count in Counter(document).items():
                if word in self._column:
                    rates[row, self._column[word]] = count / len(document)
        return rates

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        return {"words": list(self._column)}, super()._state()[1]

    def _restore(self, state: dict[str, Any], arrays: Arrays) -> None:
        self._column = {word: column for column, word in enumerate(state["words"])}
        super()._restore(state, arrays)


def _words(text: str) -> list[str]:
    return [word.lower() for word in words(text)]
