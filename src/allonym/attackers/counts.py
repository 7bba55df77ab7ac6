"""Reverse vectorisation: an attacker who is handed term counts writes them out as words again (SynTF, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy import sparse


def texts_of_counts(counts: sparse.csr_array, vocabulary: Sequence[str]) -> list[str]:
    """Write each row of term counts as a text that repeats every term so often ("reverse vectorisation").

    >>> texts_of_counts(sparse.csr_array([[2, 0, 1]]), ["tea", "train", "bus"])
    ['tea tea bus']
    """
    words = np.array(vocabulary, dtype=object)
    rows = sparse.csr_array(counts)
    starts = rows.indptr
    return [
        " ".join(np.repeat(words[rows.indices[first:last]], rows.data[first:last].astype(np.int64)))
        for first, last in pairwise(starts)
    ]
