"""SynTF's second phase (algorithm 1) on term counts: draw words from a document, substitute each, count.

`SynTFCounts` is the entry for those who already have a documents × terms matrix; `SynTF` reads texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from allonym.anonymizers.base import REPEATABLE, check_positive, check_words
from allonym.anonymizers.release import Release
from allonym.anonymizers.settings import settings_digest
from allonym.errors import ParameterError
from allonym.mechanisms import Exponential, ScoreRows
from allonym.mechanisms.calibration import exponential_for_loss
from allonym.privacy import Guarantee, accounting
from allonym.randomness import DocumentStreams, Noise, secure
from allonym.vectors.ratings import IdentityRatings

ASSUMPTIONS = (
    "the vocabulary and its word vectors are public, not made from the documents themselves",
    "each document is anonymized once (twice spends twice as much)",
    "the random key stays secret",
)
_FINEST_SHARE = 2**24


def check_parameters(epsilon: float, loss_per_word: float | None, words: int) -> None:
    """Raise `ParameterError` unless these can be used."""
    check_positive("epsilon", epsilon)
    if loss_per_word is not None:
        check_positive("loss_per_word", loss_per_word)
    check_words(words)


def mechanism_for(scores: ArrayLike | ScoreRows, *, epsilon: float, loss_per_word: float | None) -> Exponential:
    """Return the exponential mechanism with this ε, or with the ε that this loss buys."""
    if loss_per_word is None:
        return Exponential(scores, epsilon=epsilon)
    return exponential_for_loss(scores, loss=loss_per_word)


def synthesise(
    compositions: sparse.csr_array, words: int, mechanism: Exponential, streams: DocumentStreams
) -> sparse.csr_array:
    """Return synthetic counts: `words` draws from each row's composition, each substituted by the mechanism.

    Privacy: spends mechanism.loss() × words for each document, whatever its composition (lemma 3.2).
    """
    drawn = draw_words(compositions, words, streams)
    substitutes = mechanism.draw(drawn, streams)
    documents, terms = compositions.shape
    starts = np.arange(0, documents * words + 1, words)
    columns = substitutes.ravel()
    if documents * words < 2**31:  # scikit-learn's linear models take 32 bits only
        starts, columns = starts.astype(np.int32), columns.astype(np.int32)
    ones = np.ones(documents * words, np.int64)
    counts: sparse.csr_array = sparse.csr_array((ones, columns, starts), shape=(documents, terms))
    counts.sum_duplicates()  # sorts each row by term, so nothing of the order of the draws is left
    return counts


def draw_words(compositions: sparse.csr_array, words: int, streams: DocumentStreams) -> NDArray[np.int64]:
    """Draw `words` terms from each row, with probability in proportion to its whole-number entries.

    A row of zeros stands for every term alike: no document is special (guarantees, condition 3).
    """
    documents, terms = compositions.shape
    totals = np.asarray(compositions.sum(axis=1)).ravel()
    empty = totals == 0
    targets = streams.below(np.where(empty, terms, totals)[:, None], (documents, words))
    running = np.cumsum(compositions.data)
    before = np.cumsum(totals) - totals
    found = np.searchsorted(running, targets + before[:, None], side="right")
    uniform = np.broadcast_to(empty[:, None], targets.shape)
    inside = np.minimum(found, max(len(running) - 1, 0))
    indices = compositions.indices[inside] if len(running) else np.zeros_like(targets)
    return np.where(uniform, targets, indices).astype(np.int64)


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
        compositions = whole_numbers(_canonical(checked))
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


def _canonical(counts: Any) -> sparse.csr_array:  # noqa: ANN401 - array or sparse matrix
    rows = sparse.csr_array(counts, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def _row_digests(rows: sparse.csr_array) -> Sequence[bytes]:
    cells = np.stack([rows.indices.astype("<i8"), rows.data.astype("<i8")], axis=1)
    bounds = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [blake2b(cells[start:end].tobytes(), digest_size=32).digest() for start, end in bounds]
