"""What a term says about a document's label, learned from public labelled texts.

SynTF's proof holds for any public rating. A rating that knows which terms point to the same label lets terms stand in
for one another that mean the same *to the analyst*, and so gives an attacker less for the same loss and the same use.

    share(label | term) = (documents of the label with the term + k·prior share) / (documents with the term + k)
    profile             = √share − √prior share, scaled to length 1        (k = 10 documents)
    information         = Σ share·ln(share / prior share), in nats

The square root keeps a rare label's share from drowning beside a frequent one's (it makes Euclidean distance the
Hellinger distance); the prior k keeps a term seen once from looking certain. All of it decides what is drawn, so it is
computed by `arithmetic`, alike on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from allonym import arithmetic
from allonym.errors import InputError

if TYPE_CHECKING:
    from scipy import sparse

PRIOR_DOCUMENTS = 10.0
_WEIGHT_UNIT = 1000  # drawing weights are whole numbers of this fraction of the most informative term's


@dataclass(frozen=True)
class LabelProfiles:
    """Profiles of the terms of a vocabulary.

    Privacy: spends nothing, if the texts it was learned from are public.
    """

    vectors: NDArray[np.float64]  # terms × labels, rows of length 1; a row of zeros for a term that no text held
    information: NDArray[np.float64]  # what each term tells about the label, in nats

    @property
    def drawing_weights(self) -> NDArray[np.int64]:
        """Whole numbers in proportion to the information squared, at least 1, so that every term can still be drawn.

        Squared, because a document has many terms that tell a little, and few that tell much.
        """
        largest = self.information.max(initial=0.0)
        if not largest:
            return np.ones(len(self.information), np.int64)
        shares = self.information / largest
        weights: NDArray[np.int64] = np.rint(_WEIGHT_UNIT * (shares * shares)).astype(np.int64)
        return np.maximum(1, weights)

    def evidence(self, counts: sparse.csr_array) -> NDArray[np.float64]:
        """Return documents × (2 · labels): how the counted terms point to each label, as they are and by information.

        A function of what was released and of public knowledge: it costs nothing, and an attacker can have it too.
        """
        weighted = self.vectors * self.information[:, None]
        return np.asarray(counts.astype(np.float64) @ np.hstack([self.vectors, weighted]))


def learn(counts: sparse.csr_array, labels: Sequence[object]) -> LabelProfiles:
    """Learn profiles from documents × terms counts and the label of each document."""
    from scipy import sparse

    if counts.shape[0] != len(labels):
        raise InputError(f"There are {counts.shape[0]} reference texts but {len(labels)} labels; give one for each.")
    names, codes = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    if len(names) < 2:
        raise InputError("The reference texts need two different labels at least, for a rating to be learned from.")
    present = sparse.csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
    counts_by_label = np.asarray(present.T @ np.eye(len(names))[codes])
    held = counts_by_label.sum(1, keepdims=True)
    if not held.sum():
        raise InputError("No reference text holds a term of the vocabulary; give more texts or other terms.")
    prior = counts_by_label.sum(0) / counts_by_label.sum()
    # A label whose texts hold no term of the vocabulary would have share 0; half a document keeps logarithms finite.
    prior = (prior * held.sum() + 0.5) / (held.sum() + 0.5 * len(names))
    shares = (counts_by_label + PRIOR_DOCUMENTS * prior) / (held + PRIOR_DOCUMENTS)
    profiles = np.where(held > 0, np.sqrt(shares) - np.sqrt(prior), 0.0)
    information = np.maximum(arithmetic.added(shares * arithmetic.logarithm(shares / prior)), 0.0)
    return LabelProfiles(_units(profiles), np.where(held[:, 0] > 0, information, 0.0))


def mix(word_vectors: NDArray[np.float32], profiles: NDArray[np.float64], weight: float) -> NDArray[np.float32]:
    """Return vectors whose cosine is (1 − weight)·cosine of words + weight·cosine of profiles.

    Side by side, scaled by square roots, unit vectors have just that dot product. A term that has only one of the two
    is compared by that one alone.
    """
    words, labels = _units(word_vectors.astype(np.float64)), _units(profiles)
    has_word, has_label = words.any(1, keepdims=True), labels.any(1, keepdims=True)
    share = np.where(has_label, np.where(has_word, weight, 1.0), 0.0)
    return np.hstack([np.sqrt(1 - share) * words, np.sqrt(share) * labels]).astype(np.float32)


def _units(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = arithmetic.lengths(rows)[:, None]
    units: NDArray[np.float64] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return units
