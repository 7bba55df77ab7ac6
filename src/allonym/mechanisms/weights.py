"""The exact law: from scores to whole-number weights.

A float softmax has no exact law: tiny probabilities underflow to zero (the true loss is then infinite) and sums
depend on their order. Here every probability is a ratio of two integers, fixed before anything is drawn:

    gap    = best score of the row − score                         (≥ 0)
    step   = round(gap · ε / (2·Δ·ln 2) · steps per octave)         (halving the probability is one octave)
    weight = max(1, ⌊2^44 · 2^(−step / steps per octave)⌋)
    Pr     = weight / (sum of the row's weights)

Weights never fall below 1, so at any ε every output stays possible and the loss finite. Sums are exact in 64
bits for up to 2^19 − 1 outputs. What the mechanism promises is computed from these integers, so neither the
quantised steps nor the floor at 1 can make the promise wrong: they are part of the law.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import worth_compiling
from allonym.arithmetic import LN2, power_of_two
from allonym.errors import ParameterError
from allonym.mechanisms.symmetric import worst_ratio
from allonym.randomness import fold

TOP_BITS = 44
STEP_BITS = 12
STEPS_PER_OCTAVE = 2**STEP_BITS
LARGEST_STEP = 63 * STEPS_PER_OCTAVE  # a further shift would leave the 64 bits; the weight is 1 long before
MANTISSA_BITS = 30
MOST_OUTPUTS = 2 ** (63 - TOP_BITS) - 1
_FINE_BITS = 24
_TILE_ENTRIES = 2**20
_LARGEST_RATE = 1e250
_LARGEST_SCORE = 1e300

# 2^−x on [0, 1) is 1 + x·q(x), q by these coefficients, lowest first; relative error below 2.1e-7. A polynomial,
# because a table look-up an entry is what makes such loops slow. Each operation is one IEEE 754 float32 rounding,
# so the same integers come out on every machine.
QUINTIC = np.array(
    [
        -0.6931437253952026,
        0.2401801496744156,
        -0.055297356098890305,
        0.009205796755850315,
        -0.0009449029457755387,
    ],
    np.float32,
)

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]


@runtime_checkable
class ScoreRows(Protocol):
    """Scores computed a few rows at a time, as whole numbers of a grid unit, 0 to 2^24, held in float32.

    Those that are the same with input and output exchanged may have `symmetric = True`: their loss is found faster.
    """

    shape: tuple[int, int]
    unit: float

    def tiles(self, rows: Int64) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield (offset into `rows`, scores of the next few rows); a tile is valid until the next one."""


class Weights(ABC):
    """Whole-number weights, a few rows at a time, and the passes over them that mechanisms need."""

    shape: tuple[int, int]

    @abstractmethod
    def tiles(self, rows: Int64) -> Iterator[tuple[int, Int64]]:
        """Yield (offset into `rows`, weights of the next few rows)."""

    def totals(self, rows: Int64) -> Int64:
        """Return the sum of each row's weights."""
        return np.concatenate([tile.sum(axis=1) for _, tile in self.tiles(rows)])

    def extremes(self, rows: Int64) -> tuple[Float64, Float64]:
        """Return, for each output, the highest and the lowest probability that these rows give it."""
        highest, lowest = np.zeros(self.shape[1]), np.ones(self.shape[1])
        for _, tile in self.tiles(rows):
            # Times the inverse, as in the compiled loop, so that both give the same last bit.
            probabilities = tile * (1.0 / tile.sum(axis=1, keepdims=True))
            np.maximum(highest, probabilities.max(axis=0), out=highest)
            np.minimum(lowest, probabilities.min(axis=0), out=lowest)
        return highest, lowest

    def totals_and_bests(self, rows: Int64) -> tuple[Int64, NDArray[np.float32]] | None:
        """Return the sum of each row's weights and its best score, if they can tell the loss: see `symmetric`."""
        return None

    def worst_ratio(self, totals: Int64, bests: NDArray[np.float32]) -> Fraction | None:
        """Return the largest ratio of probabilities of an output, or None if it takes a look at all of them."""
        return None

    def invert(self, rows: Int64, starts: Int64, words: NDArray[np.uint64], drawn: Int64) -> None:
        """Fill `drawn`: for row i, words starts[i] … starts[i + 1] − 1 -> outputs, or −1 where all are refused.

        `words` is (attempts, draws): a later attempt counts only where the earlier ones were refused.
        """
        for offset, tile in self.tiles(rows):
            for i, running in enumerate(tile.cumsum(axis=1), offset):
                mine = slice(starts[i], starts[i + 1])
                targets, accepted = fold(words[:, mine], running[-1:].astype(np.uint64))
                first_accepted = accepted.argmax(axis=0)
                target = np.take_along_axis(targets, first_accepted[None], axis=0)[0]
                outputs = np.searchsorted(running, target, side="right")
                drawn[mine] = np.where(accepted.any(axis=0), outputs, -1)


class StreamedWeights(Weights):
    """Weights over `ScoreRows`: 4,096 steps an octave, so a probability is within 0.02 % of the ideal one."""

    def __init__(self, scores: ScoreRows, exponent_per_score: float) -> None:
        self.shape = scores.shape
        self._scores = scores
        # Beyond the cap, one grid unit already puts an output on the floor: a larger rate would change nothing.
        rate = exponent_per_score / LN2 * STEPS_PER_OCTAVE * scores.unit
        self._rate = np.float32(min(rate, LARGEST_STEP))

    def tiles(self, rows: Int64) -> Iterator[tuple[int, Int64]]:
        """Yield (offset into `rows`, weights of the next few rows)."""
        for offset, scores in self._scores.tiles(rows):
            yield offset, self._weigh(scores.max(axis=1, keepdims=True) - scores)

    def _weigh(self, gaps: NDArray[np.float32]) -> Int64:
        """Return the weights of scores that are so far below the best of their row."""
        steps = (np.minimum(gaps * self._rate, np.float32(LARGEST_STEP)) + np.float32(0.5)).astype(np.int32)
        mantissas = _MANTISSAS[steps & (STEPS_PER_OCTAVE - 1)]
        weights: Int64 = np.maximum(mantissas >> (steps >> STEP_BITS), 1)
        return weights

    def totals(self, rows: Int64) -> Int64:
        """Return the same as `Weights.totals`, compiled for large work."""
        return self._totals_and_bests(rows)[0]

    def totals_and_bests(self, rows: Int64) -> tuple[Int64, NDArray[np.float32]] | None:
        """Return sums and best scores, of symmetric scores."""
        return self._totals_and_bests(rows) if getattr(self._scores, "symmetric", False) else None

    def _totals_and_bests(self, rows: Int64) -> tuple[Int64, NDArray[np.float32]]:
        totals, bests = np.empty(len(rows), np.int64), np.empty(len(rows), np.float32)
        split = np.empty((2, self.shape[1]), np.int32)
        total_tile = _compiled_total_tile() if worth_compiling(len(rows) * self.shape[1]) else None
        for offset, scores in self._scores.tiles(rows):
            here = slice(offset, offset + len(scores))
            if total_tile is not None:
                total_tile(scores, self._rate, QUINTIC, split, totals[here], bests[here])
            else:
                scores.max(axis=1, out=bests[here])
                totals[here] = self._weigh(bests[here, None] - scores).sum(axis=1)
        return totals, bests

    def worst_ratio(self, totals: Int64, bests: NDArray[np.float32]) -> Fraction | None:
        """Return the largest ratio of probabilities of an output, where a few rows tell it."""

        def score_rows(rows: Int64) -> NDArray[np.float32]:
            return np.concatenate(
                [tile.copy() for _, tile in self._scores.tiles(rows)]
            )  # a tile is valid until the next

        return worst_ratio(score_rows, self._weigh, totals, bests)

    def extremes(self, rows: Int64) -> tuple[Float64, Float64]:
        """Return the same as `Weights.extremes`, compiled for large work."""
        if not worth_compiling(len(rows) * self.shape[1]):
            return super().extremes(rows)
        from allonym.mechanisms._loops.exponential import measure_tile

        highest, lowest = np.zeros(self.shape[1]), np.ones(self.shape[1])
        split, weights = np.empty((2, self.shape[1]), np.int32), np.empty(self.shape[1], np.int64)
        views = (weights, weights.view(np.float64))
        for _, scores in self._scores.tiles(rows):
            measure_tile(scores, self._rate, QUINTIC, split, views, highest, lowest)
        return highest, lowest

    def invert(self, rows: Int64, starts: Int64, words: NDArray[np.uint64], drawn: Int64) -> None:
        """Do the same as `Weights.invert`, compiled for large work."""
        if not worth_compiling(len(rows) * self.shape[1]):
            super().invert(rows, starts, words, drawn)
            return
        from allonym.mechanisms._loops.exponential import draw_tile

        split = np.empty((2, self.shape[1]), np.int32)
        ends = np.empty(self.shape[1], np.int64)
        for offset, scores in self._scores.tiles(rows):
            here = starts[offset : offset + len(scores) + 1]
            draw_tile(scores, self._rate, QUINTIC, split, ends, here, words, drawn)


class DenseWeights(Weights):
    """Weights over a matrix of any real scores: 2^24 steps an octave."""

    def __init__(self, scores: Float64, exponent_per_score: float) -> None:
        self.shape = (scores.shape[0], scores.shape[1])
        self._scores = scores
        self._steps_per_score = min(exponent_per_score, _LARGEST_RATE) / LN2 * 2**_FINE_BITS
        self._high = power_of_two(TOP_BITS - np.arange(4096) / 4096)
        self._low = power_of_two(-np.arange(4096) / 2**_FINE_BITS)

    def tiles(self, rows: Int64) -> Iterator[tuple[int, Int64]]:
        """Yield (offset into `rows`, weights of the next few rows)."""
        tile_rows = max(1, _TILE_ENTRIES // self.shape[1])
        largest = 63.0 * 2**_FINE_BITS
        for offset in range(0, len(rows), tile_rows):
            scores = self._scores[rows[offset : offset + tile_rows]]
            gaps = scores.max(axis=1, keepdims=True) - scores
            with np.errstate(over="ignore"):  # an infinite step is beyond the largest, as it should be
                steps = np.rint(np.minimum(gaps * self._steps_per_score, largest)).astype(np.int64)
            fractions = steps & (2**_FINE_BITS - 1)
            mantissas = (self._high[fractions >> 12] * self._low[fractions & 4095]).astype(np.int64)
            yield offset, np.maximum(mantissas >> (steps >> _FINE_BITS), 1)


def weights_of(scores: object, exponent_per_score: float) -> Weights:
    """Return the integer law over a score matrix or over row blocks computed on the fly."""
    if isinstance(scores, ScoreRows):
        law: Weights = StreamedWeights(scores, exponent_per_score)
    else:
        matrix = np.array(scores, np.float64)
        if matrix.ndim != 2 or not matrix.size:
            raise ParameterError(f"scores must be a matrix (inputs × outputs), got shape {matrix.shape}.")
        if not np.isfinite(matrix).all() or not np.abs(matrix).max() < _LARGEST_SCORE:
            raise ParameterError("scores must be finite numbers; they hold NaN, infinity or more than 1e300.")
        law = DenseWeights(matrix, exponent_per_score)
    if law.shape[1] > MOST_OUTPUTS:
        raise ParameterError(f"At most {MOST_OUTPUTS:,} outputs have an exact law, got {law.shape[1]:,}.")
    return law


def _compiled_total_tile() -> Callable[..., None]:
    from allonym.mechanisms._loops.exponential import total_tile

    return total_tile


def _mantissas() -> Int64:
    """Return 2^44 · 2^(−f/4096) for f = 0 … 4095, by the very operations of `_exponential_loops.split_row`."""
    x = np.arange(STEPS_PER_OCTAVE, dtype=np.float32) * np.float32(1 / STEPS_PER_OCTAVE)
    power = np.zeros_like(x)
    for coefficient in QUINTIC[::-1]:
        power = (power + coefficient) * x
    scaled = (power + np.float32(1.0)) * np.float32(2**MANTISSA_BITS)
    return scaled.astype(np.int32).astype(np.int64) << (TOP_BITS - MANTISSA_BITS)


_MANTISSAS = _mantissas()
