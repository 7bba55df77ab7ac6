"""SynTF's synthesis (algorithm 1) for those who already have a documents × terms matrix; `SynTF` reads texts."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from allonym.anonymizers.base import REPEATABLE
from allonym.anonymizers.release import Release
from allonym.anonymizers.settings import settings_digest
from allonym.anonymizers.syntf.counts import ASSUMPTIONS, check_parameters, mechanism_for, synthesise
from allonym.errors import ParameterError
from allonym.mechanisms import ScoreRows
from allonym.privacy import Guarantee, accounting
from allonym.randomness import Noise, secure
from allonym.vectors.ratings import IdentityRatings

_FINEST_SHARE = 2**24


def whole_numbers(counts: sparse.csr_array) -> sparse.csr_array:
    """Return each row as whole numbers in the same proportions, so that drawing from it is exact.

    Counts stay as they are. Other weights (tf-idf) are scaled by the row's largest; how a composition is rounded
    changes only what is drawn before the mechanism, which costs no privacy.
    """
    rows = counts.tocsr()
    if (rows.data == np.rint(rows.data)).all() and (not rows.nnz or rows.data.max() <= _FINEST_SHARE):
        data = rows.data.astype(np.int64)
    else:
        largest = np.asarray(rows.max(axis=1).todense()).ravel()
        scale = np.divide(_FINEST_SHARE, largest, out=np.zeros(len(largest)), where=largest > 0)
        data = np.rint(rows.data * np.repeat(scale, np.diff(rows.indptr))).astype(np.int64)
    return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


class SynTFCounts(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Synthetic term counts from term counts.

    Privacy: loss per word × `words` for each document, any two documents adjacent.

    Args:
        epsilon: ε of the exponential mechanism (not its loss: see `guarantee`).
        loss_per_word: The loss to pay for each output word; ε is then found from it.
        words: Output words of each document, whatever its input.
        ratings: (terms × terms) ratings in 0 … 1, or `ScoreRows`. By default a term is similar to itself alone.
    """

    def __init__(
        self,
        *,
        epsilon: float = 47.5,
        loss_per_word: float | None = None,
        words: int = 150,
        ratings: ArrayLike | ScoreRows | None = None,
    ) -> None:
        check_parameters(epsilon, loss_per_word, words)
        self.epsilon = epsilon
        self.loss_per_word = loss_per_word
        self.words = words
        self.ratings = ratings

    def fit(self, counts: ArrayLike, y: object = None) -> Self:
        """Note the number of terms and prepare the mechanism; the counts themselves are not looked at."""
        validate_data(self, counts, accept_sparse="csr", ensure_non_negative=True)
        check_parameters(self.epsilon, self.loss_per_word, self.words)
        ratings = _checked_ratings(self.ratings, self.n_features_in_)
        self.mechanism_ = mechanism_for(ratings, epsilon=self.epsilon, loss_per_word=self.loss_per_word)
        return self

    def transform(self, counts: ArrayLike) -> sparse.csr_array:
        """Return synthetic counts, of which every row sums to `words`."""
        return self.release(counts).payload  # type: ignore[no-any-return]

    def release(self, counts: ArrayLike, *, rng: Noise | None = None, start: int = 0) -> Release:
        """Return synthetic counts with what is promised for each document."""
        check_is_fitted(self)
        checked = validate_data(
            self, counts, accept_sparse="csr", ensure_non_negative=True, reset=False, dtype=np.float64
        )
        rows = sparse.csr_array(checked, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        compositions = whole_numbers(rows)
        rng = secure() if rng is None else rng
        guarantee = self.guarantee()
        settings = settings_digest(type(self).__name__, self.get_params(deep=False), self.n_features_in_)
        streams = rng.documents(_row_digests(compositions), start, settings)
        payload = synthesise(compositions, self.words, self.mechanism_, streams)
        return Release(
            payload, guarantee.withdrawn(REPEATABLE) if rng.repeatable else guarantee, self.get_feature_names_out()
        )

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised about `documents` documents of one author."""
        check_is_fitted(self)
        return accounting.pure(
            loss_per_word=self.mechanism_.loss(),
            words=self.words,
            documents=documents,
            assumptions=ASSUMPTIONS,
        )

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.non_deterministic = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _checked_ratings(ratings: ArrayLike | ScoreRows | None, terms: int) -> ArrayLike | ScoreRows:
    if ratings is None:
        return IdentityRatings(terms)
    if not isinstance(ratings, ScoreRows):
        ratings = np.asarray(ratings, np.float64)
        if not ((ratings >= 0) & (ratings <= 1)).all():
            raise ParameterError("ratings must be numbers from 0 to 1: their sensitivity is taken to be 1.")
    if tuple(ratings.shape) != (terms, terms):
        raise ParameterError(f"ratings must be {terms} × {terms}, one row and column a term.")
    return ratings


def _row_digests(rows: sparse.csr_array) -> Sequence[bytes]:
    cells = np.stack([rows.indices.astype("<i8"), rows.data.astype("<i8")], axis=1)
    bounds = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [blake2b(cells[start:end].tobytes(), digest_size=32).digest() for start, end in bounds]
