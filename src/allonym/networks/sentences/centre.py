"""Which sentences or words of a text say most of it: chosen by meaning, exactly, the same on every processor.

All that is compared is made of whole numbers below 2^53 by one square root and one division of IEEE 754, each of which
is rounded in one way everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]

_HEAVIEST = 50  # a weight at most: a list without a full stop is not the whole text
_MOST_READ = 2_000  # rows of a text that are looked at, spread evenly over it


def central(vectors: NDArray[np.int8], weights: Int64, count: int) -> Int64:
    """Return the rows of at most `count` vectors that together lie nearest to all of them, in their order.

    >>> central(np.array([[9, 1], [0, 9], [9, 0], [0, 0]], np.int8), np.array([9, 9, 9, 9]), 2).tolist()
    [0, 1]
    """
    rows = np.flatnonzero(vectors.any(axis=1))
    return rows if len(rows) <= count else np.sort(most_central_first(vectors, weights, count))


def most_central_first(vectors: NDArray[np.int8], weights: Int64, count: int) -> Int64:
    """Return the same rows in the order in which they are chosen: the first alone is nearest to all, and so on.

    Each is that which brings the sum of those chosen nearest, by the cosine, to the sum of all, in which a row counts
    by its weight, such as the words of a sentence. Of equals the first. Rows of zeros are never chosen.
    """
    rows = np.flatnonzero(vectors.any(axis=1))
    if len(rows) > _MOST_READ:
        rows = rows[np.arange(_MOST_READ) * len(rows) // _MOST_READ]
    own = vectors[rows].astype(np.int64)
    whole = (own * np.minimum(weights[rows], _HEAVIEST)[:, None]).sum(axis=0)
    towards, squares = own @ whole, (own * own).sum(axis=1)
    chosen = list[int]()
    so_far = np.zeros(own.shape[1], np.int64)
    for _ in range(min(count, len(rows))):
        together = own @ so_far
        alike = (towards + int(so_far @ whole)).astype(np.float64)
        alike /= np.sqrt(np.maximum(squares + 2 * together + int(so_far @ so_far), 1).astype(np.float64))
        alike[chosen] = -np.inf
        best = int(alike.argmax())
        chosen.append(best)
        so_far += own[best]
    found: Int64 = rows[np.array(chosen, np.int64)]
    return found
