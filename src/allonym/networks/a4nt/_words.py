"""Words drawn from the softmax of their ratings, for `inference`: sums are of whole numbers, so exact.

Compiled loops and NumPy give the same bits; which of them runs is a question of speed alone.
V: words.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.arithmetic import LN2, logarithm, power_of_two
from allonym.networks.whole_numbers import SOFTMAX_CONSTANTS, TOTAL_UNIT, Floats, Integers, exp

Uniforms: TypeAlias = NDArray[np.float64]

_BLOCK = 128  # words whose weights are added first
_FINE_UNIT = 2.0**40  # of probabilities of classes, which are few
_LEAST_POWER = -100.0  # of 2, as good as none
LEAST = np.finfo(np.float32).min


def log_softmax(scores: Floats) -> Floats:
    """Return log-probabilities of scores, row by row."""
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = power_of_two(np.maximum(scores.astype(np.float64) / LN2, _LEAST_POWER)) * _FINE_UNIT
    totals = np.rint(weights).astype(np.int64).sum(axis=-1, keepdims=True)
    logarithms: Floats = (scores - logarithm(totals / _FINE_UNIT)).astype(np.float32)
    return logarithms


def softplus(x: Floats) -> Floats:
    """Return ln(1 + e^x)."""
    below = logarithm(1 + power_of_two(np.maximum(-np.abs(x.astype(np.float64)) / LN2, _LEAST_POWER)))
    return (np.maximum(x, 0) + below).astype(np.float32)


def log_sums(totals: Integers, most: Floats) -> Uniforms:
    """Return the logarithm of each row's summed exponentials, −inf where there are none; see `exponentials`."""
    sums: Uniforms = np.where(totals > 0, logarithm(np.maximum(totals, 1) / TOTAL_UNIT) + most, -np.inf)
    return sums


def exponentials(ratings: Floats, *, fast: bool) -> tuple[Integers, Floats]:
    """Return for each row the sum of e^(rating − most) in whole numbers of 1/2^30, and the most."""
    if fast:
        from allonym.networks.a4nt import _loops

        totals, most = np.empty(len(ratings), np.int64), np.empty(len(ratings), np.float32)
        _loops.exponentials(ratings, SOFTMAX_CONSTANTS, LEAST, totals, most)
        return totals, most
    largest = np.maximum(ratings.max(axis=1), LEAST)
    return _weights(ratings, largest).sum(axis=1, dtype=np.int64), largest


def _weights(ratings: Floats, most: Floats) -> NDArray[np.int32]:
    return (exp(ratings - most[:, None]) * np.float32(TOTAL_UNIT)).astype(np.int32)


def chosen_words(ratings: Floats, uniforms: Uniforms, *, fast: bool = False) -> Integers:
    """Return words drawn from the softmax of each row, one for each of its uniform numbers: rows × numbers.

    Where a number is negative it is the likeliest word. One of a row's words at least must be possible.
    """
    if fast:
        from allonym.networks.a4nt import _loops

        chosen = np.empty(uniforms.shape, np.int64)
        _loops.choose(ratings, SOFTMAX_CONSTANTS, np.ascontiguousarray(uniforms), chosen)
        return chosen
    rows = np.arange(len(ratings))[:, None]
    best = ratings.argmax(axis=1)[:, None]
    weights = _weights(ratings, ratings[rows, best][:, 0])
    # In two steps, since a running sum over all words is slow: first the block of words, then the word in it.
    firsts = np.arange(0, ratings.shape[1], _BLOCK)
    sums = np.cumsum(np.add.reduceat(weights, firsts, axis=1, dtype=np.int64), axis=1)
    total = sums[:, -1:]
    wanted = np.minimum((uniforms * total).astype(np.int64), total - 1)
    block = (sums[:, None, :] <= wanted[:, :, None]).sum(axis=-1)  # rows × numbers
    block[uniforms < 0] = 0
    places = block[:, :, None] * _BLOCK + np.arange(_BLOCK)
    block_weights = weights[
        rows[:, :, None], np.minimum(places, ratings.shape[1] - 1)
    ]  # past the end nothing is wanted any more
    left = wanted - np.where(block > 0, sums[rows, block - 1], 0)
    within = (np.cumsum(block_weights, axis=-1, dtype=np.int64) <= left[:, :, None]).sum(axis=-1)
    words: Integers = np.where(uniforms < 0, best, block * _BLOCK + within)
    return words
