"""SynTF's algorithm 1 on counts of terms: draw words from a document, substitute each, count.

Analysis, from texts to counts, is in `recipe`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.anonymizers.base import check_positive, check_words
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
    drawn = np.searchsorted(running, targets + before[:, None], side="right")
    uniform = np.broadcast_to(empty[:, None], targets.shape)
    inside = np.minimum(drawn, max(len(running) - 1, 0))
    indices = compositions.indices[inside] if len(running) else np.zeros_like(targets)
    return np.where(uniform, targets, indices).astype(np.int64)


def counts_of(rows: Sequence[Sequence[int] | NDArray[np.int64]], terms: int) -> sparse.csr_array:
    """Return documents × terms: how often each term's number occurs."""
    from scipy import sparse

    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)
    counts = sparse.csr_array((np.ones(len(columns), np.int64), columns, starts), shape=(len(rows), terms))
    counts.sum_duplicates()
    return counts


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
