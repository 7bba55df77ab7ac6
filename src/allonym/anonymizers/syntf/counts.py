"""SynTF's second phase (algorithm 1) on term counts: draw words from a document, substitute each, count."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.anonymizers.base import check_words
from allonym.errors import ParameterError
from allonym.mechanisms import Exponential, ScoreRows
from allonym.mechanisms.calibration import exponential_for_loss
from allonym.randomness import DocumentStreams

if TYPE_CHECKING:
    from scipy import sparse

ASSUMPTIONS = (
    "the vocabulary and its word vectors are public, not made from the documents themselves",
    "each document is anonymized once (twice spends twice as much)",
    "the random key stays secret",
)
_FINEST_SHARE = 2**24


def check_parameters(epsilon: float, loss_per_word: float | None, words: int) -> None:
    """Raise `ParameterError` unless these can be used."""
    if not (isinstance(epsilon, int | float | np.number) and 0 < epsilon < math.inf):
        raise ParameterError(f"epsilon must be a positive number, got {epsilon}.")
    if loss_per_word is not None and not (
        isinstance(loss_per_word, int | float | np.number) and 0 < loss_per_word < math.inf
    ):
        raise ParameterError(f"loss_per_word must be a positive number, got {loss_per_word}.")
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
    from scipy import sparse

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
    from scipy import sparse

    rows = counts.tocsr()
    if (rows.data == np.rint(rows.data)).all() and (not rows.nnz or rows.data.max() <= _FINEST_SHARE):
        data = rows.data.astype(np.int64)
    else:
        largest = np.asarray(rows.max(axis=1).todense()).ravel()
        scale = np.divide(_FINEST_SHARE, largest, out=np.zeros(len(largest)), where=largest > 0)
        data = np.rint(rows.data * np.repeat(scale, np.diff(rows.indptr))).astype(np.int64)
    return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
