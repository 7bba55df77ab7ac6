"""An attacker that has read thousands of other writers: the style encoder's vectors, weighed for each author."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.base import Attacker, above_zero
from allonym.attackers.linear import logistic
from allonym.attackers.remembered import Rows
from allonym.attackers.support_vectors import support_vectors
from allonym.errors import ParameterError
from allonym.networks.style_encoder.inference import DEFAULT, StyleReader

Classifier = Literal["svm", "logistic", "nearest"]
Floats: TypeAlias = NDArray[np.float64]

_SVM_COST, _LOGISTIC_COST = 10.0, 100.0  # found on validation bloggers; vectors have length 1


class StyleEncoder(Attacker):
    """Vectors of a network that learned from thousands of bloggers to bring the texts of one writer together.

    Args:
        classifier: A linear SVM, logistic regression, or the nearest centroid of an author's vectors.
        model: The encoder: a shipped one by its name, or a folder.
        cost: What a wrongly named text costs the SVM or the regression; by default what was best for validation
            bloggers.
    """

    name = "style-encoder"
    describes_itself_as = "a style encoder trained on other writers, linear SVM"
    learned = ("columns", "weights", "constants")

    def __init__(self, *, classifier: Classifier = "svm", model: str = DEFAULT, cost: float | None = None) -> None:
        if classifier not in get_args(Classifier):
            raise ParameterError(f"classifier must be one of {', '.join(get_args(Classifier))}, got {classifier!r}.")
        self.classifier = classifier
        self.model = model
        self.cost = None if cost is None else above_zero("cost", cost)

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        vectors = _vectors(self.model).of(texts)
        self._columns = np.unique(vectors.indices)  # n-grams that no known text has weigh nothing
        self._weights, self._constants = weigh(vectors[:, self._columns], writers, self.classifier, self.cost)

    def _scores(self, texts: list[str]) -> Floats:
        vectors = _vectors(self.model).of(texts)[:, self._columns]
        scores: Floats = vectors @ self._weights.T + self._constants
        return scores


@lru_cache(maxsize=2)
def reader(model: str) -> StyleReader:
    """Return an encoder, opened once; it takes about 60 MB."""
    return StyleReader.open(model)


@lru_cache(maxsize=2)
def _vectors(model: str) -> Rows:
    """Return an encoder's vectors, of each text computed once."""
    return Rows(reader(model).vectors)


def weigh(
    vectors: sparse.csr_array, writers: NDArray[np.intp], classifier: Classifier, cost: float | None = None
) -> tuple[Floats, Floats]:
    """Return a weight for each author and number of a vector, and a constant for each author.

    Args:
        vectors: Texts × numbers.
        writers: The author of each text, from 0; none is missing.
        classifier: How to find the weights.
        cost: What a wrongly named text costs; by default what was best for validation writers.
    """
    if classifier == "nearest":
        return _centroids(vectors, writers)
    if classifier == "svm":
        # A finer tolerance takes half as long again and named every text of ten validation reviewers alike.
        return support_vectors(vectors, writers, cost=_SVM_COST if cost is None else cost, tolerance=0.01)
    return logistic(vectors, writers, cost=_LOGISTIC_COST if cost is None else cost)


def _centroids(vectors: sparse.csr_array, writers: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Weigh by the cosine with each author's mean, all seen from the mean of these.

    Seen from 0, authors of long texts, whose vectors have fewer gaps, would be near to everything.
    """
    of_writer = sparse.csr_array((np.ones(len(writers)), (writers, np.arange(len(writers)))))
    means: Floats = (of_writer @ vectors).toarray() / np.bincount(writers)[:, None]
    middle = means.mean(0)
    apart = means - middle
    weights = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return weights, -(weights @ middle)
