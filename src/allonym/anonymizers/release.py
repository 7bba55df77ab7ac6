"""What may leave the house: a payload with its promise, and how it reads as text, whatever kind it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym.privacy import Guarantee

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class Release:
    """What may leave the house.

    Attributes:
        payload: One row or item for each document: texts, bags of words, or counts of terms.
        guarantee: What is promised about each of them.
        terms: The columns' terms, where rows are counts.
    """

    payload: Any
    guarantee: Guarantee
    terms: Sequence[str] = field(default=(), repr=False)

    def texts(self) -> list[str]:
        """Return what a reader is handed: texts, the words of a bag one after the other, counts as repeated words."""
        if hasattr(self.payload, "tocsr"):
            return texts_of_counts(self.payload, self.terms)
        return [document if isinstance(document, str) else " ".join(document) for document in self.payload]

    def counts(self) -> list[dict[str, int]]:
        """Return how often each term occurs in each document, most frequent first; for payloads of counts."""
        rows = [self.payload[[row]] for row in range(self.payload.shape[0])]
        counted = ({str(self.terms[at]): int(n) for at, n in zip(row.indices, row.data, strict=True)} for row in rows)
        return [dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))) for counts in counted]


def texts_of_counts(counts: sparse.csr_array, terms: Sequence[str]) -> list[str]:
    """Write each row of counts as a text that repeats every term so often (SynTF, section 4.2: reverse vectorisation).

    >>> from scipy.sparse import csr_array
    >>> texts_of_counts(csr_array([[2, 0, 1]]), ["tea", "train", "bus"])
    ['tea tea bus']
    """
    words = np.array(terms, dtype=object)
    rows = counts.tocsr()
    return [
        " ".join(np.repeat(words[rows.indices[first:last]], rows.data[first:last].astype(np.int64)))
        for first, last in pairwise(rows.indptr)
    ]
