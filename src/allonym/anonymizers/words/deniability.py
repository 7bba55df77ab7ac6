"""Plausible deniability in figures people ask for: how often a word stays itself, and among how many it hides.

These are not guarantees (a word that rarely stays itself may still be guessed); they describe a mechanism. For a law
that is known they are exact; for one that is not, they are estimated from draws, with their margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.errors import ParameterError

_HALVINGS = 40
_CLOSE = 1e-3


@dataclass(frozen=True)
class Deniability:
    """How a mechanism treats words, on average over those asked about."""

    words: int  # how many words were asked about
    unchanged: float  # probability that a word stays itself
    substitutes: float  # effective number of words it may become: e to the entropy of its law
    margin: float = 0.0  # half the width of a 99 % interval of `unchanged`; 0 where it is exact

    def __str__(self) -> str:
        margin = f" (± {self.margin:.3f})" if self.margin else ""
        return (
            f"A word stays itself with probability {self.unchanged:.3f}{margin} and hides among "
            f"{self.substitutes:,.1f} on average over {self.words} words of the vocabulary; that is no guarantee."
        )


def of_laws(laws: NDArray[np.float64], own_columns: NDArray[np.int64]) -> Deniability:
    """Return the exact figures of laws, one row a word, whose own column is given."""
    logs = np.log(laws, out=np.zeros_like(laws), where=laws > 0)
    entropies = -(laws * logs).sum(axis=1)
    unchanged = laws[np.arange(len(own_columns)), own_columns]
    return Deniability(len(own_columns), float(unchanged.mean()), float(np.exp(entropies).mean()))


def of_draws(drawn: NDArray[np.int64], originals: NDArray[np.int64]) -> Deniability:
    """Return the figures estimated from draws, one row a word.

    The number of substitutes is that of the draws, so it cannot exceed their number: a lower bound where it is near.
    """
    shares = (drawn == originals[:, None]).mean(axis=1)
    substitutes = []
    for row in drawn:
        _, counts = np.unique(row, return_counts=True)
        substitutes.append(math.exp(-(counts / len(row) * np.log(counts / len(row))).sum()))
    # By Hoeffding's inequality over all draws, which are independent.
    margin = math.sqrt(math.log(2 / 0.01) / (2 * drawn.size))
    return Deniability(len(originals), float(shares.mean()), float(np.mean(substitutes)), margin)


def solve(unchanged: Callable[[float], float], target: float) -> float:
    """Return the parameter at which a growing share of unchanged words reaches the target."""
    if not 0 < target < 1:
        raise ParameterError(f"The share of unchanged words must be above 0 and below 1, got {target}.")
    low, high = 1e-3, 1.0
    while unchanged(high) < target:
        low, high = high, 2 * high
        if high > 1e6:
            raise ParameterError(f"No parameter leaves {target:g} of the words unchanged; ask for fewer.")
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if unchanged(middle) < target else (low, middle)
        if high / low < 1 + _CLOSE:
            break
    return high
