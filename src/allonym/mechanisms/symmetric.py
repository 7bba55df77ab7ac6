"""The tight loss of a law over symmetric scores, from the sums of weights alone.

The loss is the logarithm of the largest H(w)/L(w), with H(w) and L(w) the highest and the lowest probability that any
input gives the output w. To find both for every output takes a look at every probability, after the sums by which
weights are divided are known: nearly twice the work of the sums. But scores that are symmetric let a *column* of
probabilities be computed from a row of scores. So H/L is computed for a few outputs that promise most, and for all
others it is bounded:

    H(w) ≤ the largest weight that the inputs with the least sums give an output not looked at, over that sum,
           or the top weight over the least of the other sums;
    L(w) ≥ min over inputs v of (v's weight of score 0) / (v's sum), as no score is below 0.

If no bound is above what was found, that is the loss, exactly, in fractions. Otherwise there is no answer here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
Float32 = NDArray[np.float32]

_LOOKED_AT = 16  # inputs whose best outputs promise most
_CLOSE = 1 - 2.0**-50  # float64 errs by less in a ratio


def worst_ratio(
    score_rows: Callable[[Int64], Float32], weigh: Callable[[Float32], Int64], totals: Int64, bests: Float32
) -> Fraction | None:
    """Return the largest H(w)/L(w), or None if it is not among the outputs that were looked at.

    Args:
        score_rows: Inputs -> their scores with all outputs; symmetric, and none below 0.
        weigh: Gaps to the best score -> weights.
        totals: Of each input, the sum of its weights.
        bests: Of each input, its best score.
    """
    order = np.argsort(totals, kind="stable")
    least, others = order[:_LOOKED_AT], order[_LOOKED_AT:]
    given = weigh(bests[least, None] - score_rows(least))
    looked_at = np.unique(given.argmax(axis=1))
    columns = weigh(bests - score_rows(looked_at))
    worst = max(_largest(column, totals) * _largest(totals, column) for column in columns)
    given[:, looked_at] = 0
    highest = _largest(given.max(axis=1), totals[least])
    if len(others):
        top = int(weigh(np.zeros((1, 1), np.float32))[0, 0])
        highest = max(highest, Fraction(top, int(totals[others[0]])))
    bound = highest * _largest(totals, weigh(bests[None])[0])
    return worst if worst >= bound else None


def _largest(numerators: Int64, denominators: Int64) -> Fraction:
    """Return the largest of some ratios, exactly."""
    ratios = numerators / denominators
    close = np.flatnonzero(ratios >= ratios.max() * _CLOSE)
    pairs = set(zip(numerators[close].tolist(), denominators[close].tolist(), strict=True))
    return max(Fraction(*pair) for pair in pairs)
