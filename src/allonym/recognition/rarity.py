"""How rare a text's habits are together: one number, larger the rarer, made of a few that each say something apart.

A sum over 200 habits hides what one glance sees: that a text is in capitals, that it has no full stop, that a third of
its small words are missing. So the habits are first gathered into statistics: shares and lengths of the whole text, and
for each kind of habits how far they lie from the mean. Each is judged by how few public writers' texts go as far, and
these chances are combined by their harmonic mean, which the smallest decide (Wilson 2019) and which needs no
independence. What the number amounts to is read off a table of other writers' texts of the same length.

N texts, F features, S statistics, Q quantiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from allonym.recognition.profile_features import ONCE, SHARES, Feature

# Where the distribution of each statistic is stored; finer where it decides.
GRID = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35),
    *(0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999),
)
_KINDS = ("function", "punctuation", "spelling", "wording")
_WHOLES = frozenset((ONCE, *(name for name, *_ in SHARES)))
_LARGEST = 400.0  # of a squared deviation: what is twenty spreads away is not twice as odd as what is fourteen
_LEAST = 0.05  # added to mean squares, so that their logarithms are finite
_SUREST = 20.0  # of a logit: chances below one in 500 million are all alike

Floats = NDArray[np.float64]


def whole_columns(features: Sequence[Feature]) -> list[int]:
    """Return the features that are statistics as they are: of the whole text, odd in either direction."""
    return [column for column, one in enumerate(features) if one.kind == "shape" or one.name in _WHOLES]


def statistics(features: Sequence[Feature], values: Floats, scores: Floats) -> Floats:
    """Return the statistics (N × S) of texts.

    Args:
        features: What the columns are.
        values: N × F, as measured.
        scores: N × F, in spreads above the mean of texts as long.
    """
    squares = np.minimum(scores**2, _LARGEST)
    distances = [np.log(squares[:, columns].mean(axis=1) + _LEAST) for columns in _groups(tuple(features))]
    return np.column_stack([values[:, whole_columns(features)], *distances])


def two_sided(features: Sequence[Feature]) -> NDArray[np.bool_]:
    """Return (S) which statistics are odd in either direction; distances are only if they are large."""
    wholes = len(whole_columns(features))
    return np.arange(wholes + len(_KINDS)) < wholes


def surprise(found: Floats, quantiles: Floats, either: NDArray[np.bool_]) -> Floats:
    """Return (N) the logarithm of one over the harmonic mean of how few texts go as far in each statistic.

    Args:
        found: N × S, from `statistics`.
        quantiles: S × Q, of public writers' texts as long, at `GRID`.
        either: S, from `two_sided`.
    """
    sides = [_logits(column, table) for column, table in zip(found.T, quantiles, strict=True)]
    below, at_most = (np.column_stack(side) for side in zip(*sides, strict=True))
    as_large, as_small = 1 + np.exp(below), 1 + np.exp(-at_most)  # one over the share of texts that are
    inverse = np.where(either, np.maximum(as_large, as_small) / 2, as_large)
    rarest: Floats = np.log(inverse.mean(axis=1))
    return rarest


def share_below(value: float, quantiles: Floats) -> float:
    """Return which share of a table's texts lies below a value, by its quantiles at `GRID`; never none or all."""
    below, _ = _logits(np.array([value]), quantiles)
    return float(np.clip(1 / (1 + np.exp(-below[0])), GRID[0] / 2, 1 - GRID[0] / 2))


def _logits(values: Floats, quantiles: Floats) -> tuple[Floats, Floats]:
    """Return the logits of the shares below, and of those at most as large: a habit that most lack has many equals.

    Straight lines between quantiles, and on beyond the last four each way: a logistic tail is an exponential one,
    neither so thin nor so thick as to run away with what lies outside.
    """
    steps = _grid()
    at_most = np.interp(values, quantiles, steps)  # of equal quantiles NumPy takes the last
    below = -np.interp(-values, -quantiles[::-1], -steps[::-1])
    further = _beyond(values - quantiles[-1], quantiles[-1] - quantiles[-4], steps[-1] - steps[-4])
    further -= _beyond(quantiles[0] - values, quantiles[3] - quantiles[0], steps[3] - steps[0])
    return np.clip(below + further, -_SUREST, _SUREST), np.clip(at_most + further, -_SUREST, _SUREST)


def _beyond(distance: Floats, run: float, rise: float) -> Floats:
    """Return how much a line goes on rising so far beyond its end."""
    return np.asarray(np.maximum(distance, 0.0) * (rise / max(run, 1e-6)))


@cache
def _grid() -> Floats:
    shares = np.array(GRID)
    logits: Floats = np.log(shares / (1 - shares))
    return logits


@cache
def _groups(features: tuple[Feature, ...]) -> list[list[int]]:
    """Return the columns of each kind of single habits."""
    wholes = set(whole_columns(features))
    return [
        [column for column, one in enumerate(features) if one.kind == kind and column not in wholes] for kind in _KINDS
    ]
