"""The exponential mechanism on a finite metric space, with its own worst loss per unit of distance.

Law: Pr[w | v] ∝ exp(−(rate/2)·min(d(v, w), D)), as whole-number weights (see `weights`). D is where the weight has
fallen to 2^−24 of the best: beyond it all words are alike, which is the truncated form of the mechanism, and no weight
is so small that rounding it to a whole number matters.

Price: a loss of at most `loss_per_unit`·d(v, v') between any two words. The textbook bound is the rate itself. Here it
is computed: with Z_v the sum of v's weights over the weight of v itself,

    ln Pr[w | v] − ln Pr[w | v'] ≤ (rate/2)·d(v, v') + ln Z_v' − ln Z_v + 2h    for every output w,

because a distance cut at D still differs by at most d(v, v') between v and v'; h bounds how far rounding moves the
logarithm of a weight. At w = v it is an equality but for h. So

    loss_per_unit = rate/2 + max over pairs of (|ln Z_v − ln Z_v'| + 2h) / d(v, v'),

one pass over all pairs. Where words lie about as densely everywhere that is not much more than half the rate, and the
rate can be raised until `loss_per_unit` is what was asked for: closer words for the same privacy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.acceleration import in_threads, worth_compiling
from allonym.closeness import FURTHEST, WordCloseness
from allonym.errors import ParameterError
from allonym.mechanisms.exponential import Exponential
from allonym.mechanisms.weights import STEPS_PER_OCTAVE, TOP_BITS
from allonym.randomness import Stream

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

_OCTAVES = 24  # from the best weight to that of all distant words
_HALF_STEP = math.log(2) / STEPS_PER_OCTAVE / 2
# The quintic (2.1e-7), one weight cut to a whole number (2^-20) and the float32 product (2^-23 of 16.7), rounded up.
_ARITHMETIC = 5e-6
_UNITS_OF_DISTANCE = 3  # by which square root and rounding may move one distance
_TOLERANCE = 1e-3
_HOPELESS = 0.05


class MetricExponential:
    """Draws a word near each word, more likely the nearer it is.

    Privacy: `loss_per_unit` for each unit of distance between two words, for each word drawn.

    Args:
        closeness: The words' distances.
        rate: The parameter of the law; `metric_exponential_for_loss` finds it from the loss.
    """

    def __init__(self, closeness: WordCloseness, *, rate: float) -> None:
        if not 0 < rate < math.inf:
            raise ParameterError(f"rate must be a positive number, got {rate}.")
        self.rate = float(rate)
        self.closeness = closeness
        self.furthest = _OCTAVES * math.log(2) * 2 / self.rate
        self._law = Exponential(_Truncated(closeness, self.furthest), epsilon=self.rate)
        self.inputs = self.outputs = closeness.shape[0]

    def law(self, i: int) -> NDArray[np.float64]:
        """Return the probability of each output for word `i`."""
        return self._law.law(i)

    def weights(self, i: int) -> Int64:
        """Return the whole-number weights of the outputs for word `i`: the law, exactly."""
        return self._law.weights(i)

    def draw(self, inputs: ArrayLike, rng: Stream) -> Int64:
        """Draw one output for each input. Privacy: spends `loss_per_unit` times the distance for each."""
        return self._law.draw(inputs, rng)

    @cached_property
    def loss_per_unit(self) -> float:
        """The worst loss of one draw for each unit of distance between two words."""
        logs = np.log(self._law.totals() / 2.0**TOP_BITS)
        error_of_distance = _UNITS_OF_DISTANCE * self.closeness.unit
        error_of_logs = 2 * (_HALF_STEP + _ARITHMETIC + self.rate / 2 * error_of_distance)
        errors = np.array([error_of_distance, error_of_logs])
        steepest = _compiled_steepest() if worth_compiling(self.inputs**2) else _steepest

        def worst(rows: Int64) -> float:
            tiles = self.closeness.tiles(rows)
            own = logs[rows]
            return max(
                steepest(tile, own[offset : offset + len(tile)], logs, float(FURTHEST), self.closeness.unit, errors)
                for offset, tile in tiles
            )

        return self.rate / 2 + max(in_threads(worst, self.inputs, self.inputs))


def _steepest(
    tile: NDArray[np.float32], own: Float64, logs: Float64, furthest: float, unit: float, errors: Float64
) -> float:
    """Return the largest (|difference of logs| + errors[1]) / (distance − errors[0]) of a tile.

    Words with one vector have one law, so they lose nothing; all others are at least a step apart.
    """
    apart = (furthest - tile.astype(np.float64)) * unit - errors[0]
    differences = np.abs(own[:, None] - logs) + errors[1]
    return float(np.max(differences[apart > 0] / apart[apart > 0], initial=0.0))


def _compiled_steepest() -> Callable[..., float]:
    from allonym._closeness_loops import steepest

    return steepest


def metric_exponential_for_loss(closeness: WordCloseness, *, loss_per_unit: float) -> MetricExponential:
    """Return a mechanism whose `loss_per_unit` is at most this, and within a thousandth of it.

    The loss is half the rate and a part that hardly depends on it, so taking that part off leads to the rate in a
    few steps; each is a pass over all pairs.
    """
    if not 1e-6 <= loss_per_unit < math.inf:
        raise ParameterError(f"epsilon must be a number of at least 1e-6, got {loss_per_unit}.")
    too_much = MetricExponential(closeness, rate=2 * loss_per_unit)  # the loss is never less than half the rate
    enough = _with_less(too_much, loss_per_unit)
    while loss_per_unit - enough.loss_per_unit > _TOLERANCE * loss_per_unit:
        if too_much.rate - enough.rate <= _TOLERANCE / 8 * enough.rate:  # between two steps of the law
            break
        share = (loss_per_unit - enough.loss_per_unit) / (too_much.loss_per_unit - enough.loss_per_unit)
        between = enough.rate + min(max(share, 0.05), 0.95) * (too_much.rate - enough.rate)
        middle = MetricExponential(closeness, rate=between)
        enough, too_much = (middle, too_much) if middle.loss_per_unit <= loss_per_unit else (enough, middle)
    return enough


def _with_less(mechanism: MetricExponential, loss_per_unit: float) -> MetricExponential:
    """Return a mechanism that loses no more than this, taking off what the given one loses too much."""
    while mechanism.loss_per_unit > loss_per_unit:
        if mechanism.rate < _HOPELESS * loss_per_unit:  # what is left is rounding, which no rate takes away
            least = f"the least is about {mechanism.loss_per_unit:.2g}"
            raise ParameterError(
                f"No rate loses as little as {loss_per_unit:g} for each unit of distance here; {least}."
            )
        excess = mechanism.loss_per_unit - loss_per_unit
        rate = max(mechanism.rate - 2 * excess * (1 + _TOLERANCE), mechanism.rate / 2)
        mechanism = MetricExponential(mechanism.closeness, rate=rate)
    return mechanism


class _Truncated:
    """Scores that fall no further than a given distance."""

    def __init__(self, closeness: WordCloseness, furthest: float) -> None:
        self.shape = closeness.shape
        self.unit = closeness.unit
        self._closeness = closeness
        self._lowest = np.float32(max(0.0, FURTHEST - math.ceil(furthest / closeness.unit)))

    def tiles(self, rows: Int64) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield (offset into `rows`, scores of the next few rows with every output)."""
        for offset, tile in self._closeness.tiles(rows):
            np.maximum(tile, self._lowest, out=tile)
            yield offset, tile
