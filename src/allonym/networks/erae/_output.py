"""ER-AE's output layer in whole numbers: how likely every word is, given what the network makes of a step.

All words are rated with features of 6 bits, which every processor's instructions for bytes multiply fast, and then the
best of them with features of 16 bits, so that what is likely to be drawn is rated as finely as it was learned. Every
sum is exact; see `whole_numbers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym import acceleration
from allonym.networks.whole_numbers import (
    COARSE,
    ONE,
    SOFTMAX_CONSTANTS,
    Floats,
    Integers,
    Shorts,
    WholeMatrix,
    rounded,
    softmax,
)

MOST_EXACT = (2**31 - 1) // (127 * ONE)  # products whose sum 32 bits hold; fewer than float32 holds of 6 bits
# Multiplied together: many, as all words are read for them; fewer where each is read again to be normalised.
_ROWS_AT_ONCE, _COMPILED_ROWS_AT_ONCE, _COMPILED_ROWS_NORMALISED = 256, 212, 24
_ROWS_IN_CACHE = 8  # finished while near the processor
_COST_OF_AN_ENTRY = 32  # a rating is a product of two vectors, far dearer than what `in_threads` counts
_COARSE_STEP = np.float32(ONE // COARSE)  # of fine ones
_COARSELY = np.float32(1) / _COARSE_STEP
_TEAMS = 16  # as in `_exact_loops`


class OutputLayer:
    """Rates words by rows of features: a vector for each word, V × E, and what is added to each word's rating."""

    def __init__(self, words: WholeMatrix, bias: Floats) -> None:
        self._words, self._bias = words, bias
        self._entries = 0  # rated so far, which tell when compiling pays

    def of(self, features: Floats, words: Integers) -> Floats:
        """Return the logits of some words for each row of features, rows × words of it."""
        return self._finely(*rounded(features, ONE), np.arange(len(words))[:, None], words)

    def _finely(self, features: Shorts, steps: Floats, rows: Integers, words: Integers) -> Floats:
        """Return the logits of single words, each for one of the rows of features."""
        products = features[rows].astype(np.int64) * self._words.whole[words]
        logits: Floats = products.sum(axis=-1).astype(np.float32)
        logits *= steps[rows]
        logits *= self._words.scales[words]
        logits += self._bias[words]
        return logits

    @cached_property
    def _columns(self) -> Floats:
        """The words' vectors as columns, E × V."""
        return np.ascontiguousarray(self._words.whole.T, dtype=np.float32)

    @cached_property
    def _tiles(self) -> NDArray[np.uint8] | None:
        """The words' vectors as compiled loops want them."""
        from allonym.networks import _byte_products

        return _byte_products.packed(self._words.whole)

    def fill(self, features: Floats, out: Floats, *, normalise: bool) -> None:
        """Write the logits, or the probabilities, of all words for each row of features, on all cores."""
        self._entries += out.size
        fast = acceleration.worth_compiling(self._entries)
        compiled_together = _COMPILED_ROWS_NORMALISED if normalise else _COMPILED_ROWS_AT_ONCE
        together = compiled_together if fast else _ROWS_AT_ONCE

        def rate(part: Integers) -> None:
            first = int(part[0])
            fine, steps = rounded(features[first : part[-1] + 1], ONE)
            coarse, coarse_steps = np.rint(fine * _COARSELY).astype(np.int8), steps * _COARSE_STEP
            for few in _batches(len(fine), together):
                ratings = out[first + few.start : first + few.stop]
                if fast:
                    self._rate_compiled(coarse[few], coarse_steps[few], fine[few], steps[few], ratings)
                else:
                    self._rate_coarsely(coarse[few], coarse_steps[few], ratings)
                    self._refine(fine[few], steps[few], ratings)
                if normalise:
                    _normalise(ratings, fast)

        acceleration.in_threads(rate, len(out), out.shape[1] * _COST_OF_AN_ENTRY)

    def _rate_compiled(
        self, coarse: NDArray[np.int8], coarse_steps: Floats, fine: Shorts, steps: Floats, out: Floats
    ) -> None:
        """Write the logits of all words, and those of the best words anew: what the two methods below do."""
        from allonym.networks import _byte_products, _exact_loops, _refining

        scales, bias = self._words.scales, self._bias
        if self._tiles is not None and len(out) >= _byte_products.LEAST_ROWS:
            bests = _byte_products.rate(coarse, self._tiles, coarse_steps, scales, bias, out)
        else:
            self._rate_coarsely(coarse, coarse_steps, out)
            bests = _exact_loops.largest_in_blocks(out)
        _refining.refine(out, bests, fine, steps, self._words.whole, scales, bias)

    def _rate_coarsely(self, features: NDArray[np.int8], steps: Floats, out: Floats) -> None:
        """Write the logits of all words for features of few bits, which is fast with every processor's instructions."""
        np.matmul(features.astype(np.float32), self._columns, out=out)  # whole numbers: exact in any order
        for first in range(0, len(out), _ROWS_IN_CACHE):
            few = slice(first, first + _ROWS_IN_CACHE)
            out[few] *= steps[few, None]
            out[few] *= self._words.scales
            out[few] += self._bias

    def _refine(self, fine: Shorts, steps: Floats, out: Floats) -> None:
        """Write the logits of the best words anew, for features of 16 bits.

        Every sixteenth word is of one team, and those are rated finely that are no worse than the worst of the teams'
        bests. As 16 words at least are no worse, one of each team, the 16 best are among them.
        """
        for first in range(0, len(out), _ROWS_IN_CACHE):
            few = out[first : first + _ROWS_IN_CACHE]
            bests = np.stack([few[:, team::_TEAMS].max(axis=1, initial=-np.inf) for team in range(_TEAMS)])
            rows, words = np.nonzero(few >= bests.min(axis=0)[:, None])
            few[rows, words] = self._finely(fine[first:], steps[first:], rows, words)


def _batches(rows: int, most: int) -> Iterator[slice]:
    """Yield slices of nearly as many rows each: a last one of few rows would be slow."""
    count = -(-rows // most)
    for number in range(count):
        yield slice(rows * number // count, rows * (number + 1) // count)


def _normalise(ratings: Floats, fast: bool) -> None:
    """Turn rows of logits into probabilities."""
    if fast:
        from allonym.networks import _exact_loops

        _exact_loops.softmax(ratings, SOFTMAX_CONSTANTS)
        return
    for first in range(0, len(ratings), _ROWS_IN_CACHE):
        softmax(ratings[first : first + _ROWS_IN_CACHE])
