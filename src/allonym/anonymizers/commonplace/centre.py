"""Which sentences of a text say most of it: chosen by meaning, exactly, the same on every processor.

All that is compared is made of whole numbers below 2^53 by one square root and one division of IEEE 754, each of which
is rounded in one way everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]

_LONGEST = 50  # words of a sentence that count: a list without a full stop is not the whole text
_MOST_READ = 2_000  # sentences of a text that are looked at, spread evenly over it


def central(vectors: NDArray[np.int8], lengths: Int64, count: int) -> Int64:
    """Return the rows of at most `count` vectors that together lie nearest to all of them, in their order.

    They are chosen one after another: each time that which brings the sum of those chosen nearest, by the cosine, to
    the sum of all, in which a sentence counts as often as it has words. Of equals the first. Rows of zeros are never
    chosen.

    >>> central(np.array([[9, 1], [0, 9], [9, 0], [0, 0]], np.int8), np.array([9, 9, 9, 9]), 2).tolist()
    [0, 1]
    """
    rows = np.flatnonzero(vectors.any(axis=1))
    if len(rows) <= count:
        return rows
    if len(rows) > _MOST_READ:
        rows = rows[np.arange(_MOST_READ) * len(rows) // _MOST_READ]
    own = vectors[rows].astype(np.int64)
    whole = (own * np.minimum(lengths[rows], _LONGEST)[:, None]).sum(axis=0)
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
    found: Int64 = np.sort(rows[chosen])
    return found
