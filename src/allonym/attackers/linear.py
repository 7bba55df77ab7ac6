"""Attackers that weigh features: a linear SVM, multinomial naive Bayes, and what both say about a text.

Both score a text by W·x + b with a row of W for each author, so one class keeps, explains and saves them all.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.base import Arrays, Attacker, above_zero
from allonym.attackers.features import Features, NGrams, Spans, Together, without_words
from allonym.attackers.support_vectors import Values, of_each_author, support_vectors
from allonym.errors import InputError


@dataclass(frozen=True)
class Clue:
    """A feature that speaks for one author against the others.

    Attributes:
        feature: What it is, in words.
        weight: How much it adds to the author's score beyond the mean of the other authors'.
        places: Where it stands in the text; empty if it measures the whole.
    """

    feature: str
    weight: float
    places: Spans


class LinearAttacker(Attacker):
    """Features of a text, each weighed for each author."""

    learned = ("weights", "constants", "scale")

    @abstractmethod
    def _features(self) -> Features:
        """Return features that have learned nothing yet."""

    def _weigh(self, values: sparse.csr_array, writers: NDArray[np.intp]) -> tuple[Any, Any]:
        """Return a weight for each author and feature, and a constant for each author: those of a linear SVM."""
        return support_vectors(values, writers)

    def clues(self, text: str, author: str, *, most: int = 20) -> list[Clue]:
        """Return what speaks most for `author` having written `text`, strongest first."""
        columns, weights = self._speaking_for(text, author)
        strongest = [int(column) for column in np.argsort(-weights)[:most] if weights[column] > 0]
        names = self._fitted_features.names()
        return [
            Clue(
                names[columns[column]],
                float(weights[column]),
                self._fitted_features.occurrences(int(columns[column]), text),
            )
            for column in strongest
        ]

    def speaks_for(self, text: str, author: str) -> float:
        """Return the sum of all weights above 0, of which `clues` lists the largest."""
        _, weights = self._speaking_for(text, author)
        return float(weights[weights > 0].sum())

    def _speaking_for(self, text: str, author: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the features of a text, and what each adds to the author's score beyond the mean of the others'."""
        if author not in self.classes_:
            raise InputError("That author is not among those the attacker knows; give one of classes_.")
        row = int(np.flatnonzero(self.classes_ == author)[0])
        values = self._prepared([text])
        columns = values.indices
        others = np.delete(self._weights[:, columns], row, axis=0).mean(0)
        return columns, values.data * (self._weights[row, columns] - others)

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        self._fitted_features = self._features()
        raw = self._fitted_features.fit_transform(texts)
        self._scale = self._scaling(raw)
        weights, constants = self._weigh(self._scaled(raw), writers)
        self._weights = np.ascontiguousarray(weights, dtype=np.float64)
        self._constants = np.asarray(constants, dtype=np.float64)

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = self._prepared(texts) @ self._weights.T + self._constants
        return scores

    def _scaling(self, raw: sparse.csr_array) -> NDArray[np.float64]:
        """Return what each column is multiplied by."""
        return np.ones(raw.shape[1])

    def _prepared(self, texts: list[str]) -> sparse.csr_array:
        return self._scaled(self._fitted_features.transform(texts))

    def _scaled(self, raw: sparse.csr_array) -> sparse.csr_array:
        if (self._scale == 1).all():
            return raw
        # SciPy would multiply by way of coordinates and sort them again, a tenth of the time of an attack.
        return sparse.csr_array((raw.data * self._scale[raw.indices], raw.indices, raw.indptr), raw.shape)

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        return {"features": self._fitted_features.state()}, super()._state()[1]

    def _restore(self, state: dict[str, Any], arrays: Arrays) -> None:
        self._fitted_features = self._features().restore(state["features"])
        super()._restore(state, arrays)


def logistic(values: Values, writers: NDArray[np.intp], *, cost: float) -> tuple[Any, Any]:
    """Weigh by logistic regression with a ridge penalty, all authors at once; `cost` is its C."""
    from sklearn.linear_model import LogisticRegression

    return of_each_author(LogisticRegression(C=cost, max_iter=1000), values, writers)


def naive_bayes(values: sparse.csr_array, writers: NDArray[np.intp], *, smoothing: float = 1.0) -> tuple[Any, Any]:
    """Weigh by multinomial naive Bayes (Laplace smoothing by default)."""
    from sklearn.naive_bayes import MultinomialNB

    model = MultinomialNB(alpha=smoothing).fit(values, writers)
    return model.feature_log_prob_, model.class_log_prior_


class NGramSVM(LinearAttacker):
    """Characters, words and punctuation together, with a linear SVM: the strongest single attacker where much is known.

    Args:
        cost: What a wrongly named text costs: the inverse of the ridge penalty.
    """

    name = "ngrams"
    describes_itself_as = "character 2–5-grams with word and punctuation 1–2-grams, linear SVM"

    def __init__(self, *, cost: float = 0.1) -> None:
        self.cost = above_zero("cost", cost)

    def _features(self) -> Features:
        return Together(NGrams("characters", 2, 5, across_words=True), NGrams("words", 1, 2))

    def _weigh(self, values: sparse.csr_array, writers: NDArray[np.intp]) -> tuple[Any, Any]:
        # A finer tolerance takes longer and names the same writers.
        return support_vectors(values, writers, cost=self.cost, tolerance=0.01)


class BinaryBayes(LinearAttacker):
    """Which words, marks and pairs of them a text has, however often, with naive Bayes.

    What a method repeats or drops counts once, so it holds where frequencies are noise.

    Args:
        smoothing: How often everything is taken to stand in texts of everybody, beside what was counted.
    """

    name = "binary-bayes"
    describes_itself_as = "presence of word and punctuation 1–2-grams, multinomial naive Bayes"

    def __init__(self, *, smoothing: float = 0.3) -> None:
        self.smoothing = above_zero("smoothing", smoothing)

    def _features(self) -> Features:
        return NGrams("words", 1, 2, presence=True)

    def _weigh(self, values: sparse.csr_array, writers: NDArray[np.intp]) -> tuple[Any, Any]:
        return naive_bayes(values, writers, smoothing=self.smoothing)


class CharacterNGramSVM(LinearAttacker):
    """Character 2- to 4-grams, with a linear SVM."""

    name = "characters-svm"
    describes_itself_as = "character 2–4-grams, linear SVM"

    def _features(self) -> Features:
        return NGrams("characters", 2, 4)


class WordNGramSVM(LinearAttacker):
    """Word and punctuation 1- to 3-grams, with a linear SVM.

    Args:
        cost: What a wrongly named text costs: the inverse of the ridge penalty.
    """

    name = "words-svm"
    describes_itself_as = "word and punctuation 1–3-grams, linear SVM"

    def __init__(self, *, cost: float = 1.0) -> None:
        self.cost = above_zero("cost", cost)

    def _features(self) -> Features:
        return NGrams("words", 1, 3)

    def _weigh(self, values: sparse.csr_array, writers: NDArray[np.intp]) -> tuple[Any, Any]:
        return support_vectors(values, writers, cost=self.cost)


class WordBayes(LinearAttacker):
    """Single words and punctuation, with naive Bayes: the strongest on term counts, where order is gone."""

    name = "words-bayes"
    describes_itself_as = "single words and punctuation, multinomial naive Bayes"

    def _features(self) -> Features:
        return NGrams("words", 1, 1)

    def _weigh(self, values: sparse.csr_array, writers: NDArray[np.intp]) -> tuple[Any, Any]:
        return naive_bayes(values, writers, smoothing=0.01)


class ClearChannelSVM(LinearAttacker):
    """Sees only what a word method may let through: punctuation, counts, case, layout; words are masked."""

    name = "clear-channel"
    describes_itself_as = "punctuation, case and layout alone (words masked), linear SVM"

    def _features(self) -> Features:
        return NGrams("words", 1, 3, reading=without_words)
