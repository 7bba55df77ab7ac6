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

one pass over all pairs (see `metric_pairs`). Where words lie about as densely everywhere that is not much more than
half the rate, and the rate can be raised until `loss_per_unit` is what was asked for: closer words for equal privacy.
The rate decides the law, so all that leads to it is computed by `arithmetic`, alike on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym import arithmetic
from allonym.arithmetic import LN2
from allonym.errors import ParameterError
from allonym.mechanisms.base import Float64, Int64, Mechanism, Metric, Table
from allonym.mechanisms.exponential import Exponential
from allonym.mechanisms.metric_pairs import AllPairs
from allonym.mechanisms.weights import STEPS_PER_OCTAVE, TOP_BITS
from allonym.randomness import Stream
from allonym.vectors.closeness import FURTHEST, WordCloseness

_OCTAVES = 24  # from the best weight to that of all distant words
_HALF_STEP = LN2 / STEPS_PER_OCTAVE / 2
# The quintic (2.1e-7), one weight cut to a whole number (2^-20) and the float32 product (2^-23 of 16.7), rounded up.
_ARITHMETIC = 5e-6
_UNITS_OF_A_STEP = 4096  # of closeness, in one step of the words' vectors
_UNITS_OF_DISTANCE = 3  # by which square root and rounding may move one distance
_TOLERANCE = 1e-3
_HOPELESS = 0.05
_FIRST_GUESS = 1.9  # of the rate, in the loss asked for: words lie about as densely everywhere
_ESTIMATES = 6  # of the rate, before halving takes over
_GUESSES = 5  # of each estimate
_TELLING_PAIRS = 8


class MetricExponential(Mechanism):
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
        self.furthest = _OCTAVES * LN2 * 2 / self.rate
        self._scores = _Truncated(closeness, self.furthest)
        self._law = Exponential(self._scores, epsilon=self.rate)
        self._pairs = AllPairs(closeness)
        self.inputs = self.outputs = closeness.shape[0]

    def audited(self) -> Table:
        """Say how an audit checks it: the law is a table of whole-number weights, and words have their places."""
        step = self.closeness.unit * _UNITS_OF_A_STEP
        steps = np.rint(self.closeness.rounded / step).astype(np.float32)
        metric = Metric(steps=steps, step=step, rate=self.rate, furthest=self.furthest)
        return replace(self._law.audited(), mechanism=self, metric=metric)

    def loss(self) -> float:
        """Return the tight loss of one draw over all pairs of words; usually `loss_per_unit` says more."""
        return self._law.loss()

    @property
    def metric_loss(self) -> float:
        """The loss for each unit of distance: `loss_per_unit`."""
        return self.loss_per_unit

    def law(self, i: int) -> NDArray[np.float64]:
        """Return the probability of each output for word `i`."""
        return self._law.law(i)

    def weights(self, i: int) -> Int64:
        """Return the whole-number weights of the outputs for word `i`: the law, exactly."""
        return self._law.weights(i)

    def draw(self, inputs: ArrayLike, rng: Stream) -> Int64:
        """Draw one output for each input. Privacy: spends `loss_per_unit` times the distance for each."""
        return self._law.draw(inputs, rng)

    def at(self, rate: float) -> MetricExponential:
        """Return the mechanism on the same words with another rate, sharing what does not depend on it."""
        other = MetricExponential(self.closeness, rate=rate)
        other._pairs = self._pairs
        return other

    @cached_property
    def loss_per_unit(self) -> float:
        """The worst loss of one draw for each unit of distance between two words."""
        return self.rate / 2 + self._pairs.steepest(self._logs, self._errors)

    @cached_property
    def _logs(self) -> Float64:
        """Of each word, ln Z."""
        return _logs_of(self._pairs.totals(self._law, float(self._scores.lowest)))

    @property
    def _errors(self) -> Float64:
        """How far a distance, and a difference of two logs, may be off."""
        error_of_distance = _UNITS_OF_DISTANCE * self.closeness.unit
        error_of_logs = 2 * (_HALF_STEP + _ARITHMETIC + self.rate / 2 * error_of_distance)
        return np.array([error_of_distance, error_of_logs])

    def rate_for(self, loss_per_unit: float) -> float:
        """Return the rate that likely has this loss: an estimate, from the near pairs of words that lose most here.

        What the worst pair of all loses beyond those hardly depends on the rate.
        """
        pairs = self._pairs.steepest_near(self._logs, self._errors, _TELLING_PAIRS)
        beyond = self.loss_per_unit - self._loss_among(pairs)
        rate = self.rate
        for _ in range(_GUESSES if len(pairs) else 1):
            rate += 2 * (loss_per_unit - beyond - self.at(rate)._loss_among(pairs))
            if not 0 < rate < math.inf:
                break
        return rate

    def _loss_among(self, pairs: Int64) -> float:
        """Return the worst loss for each unit of distance between some pairs of words."""
        if not len(pairs):
            return self.rate / 2
        words, places = np.unique(pairs, return_inverse=True)
        logs = _logs_of(np.array([self.weights(int(word)).sum() for word in words]))[places.reshape(pairs.shape)]
        vectors = self.closeness.rounded.astype(np.float64)
        apart = arithmetic.lengths(vectors[pairs[:, 0]] - vectors[pairs[:, 1]]) - self._errors[0]
        differences = np.abs(logs[:, 0] - logs[:, 1]) + self._errors[1]
        return self.rate / 2 + float((differences[apart > 0] / apart[apart > 0]).max(initial=0.0))


def _logs_of(totals: Int64) -> Float64:
    return arithmetic.logarithm(totals / 2.0**TOP_BITS)


def metric_exponential_for_loss(closeness: WordCloseness, *, loss_per_unit: float) -> MetricExponential:
    """Return a mechanism whose `loss_per_unit` is at most this, and within a thousandth of it.

    Each step is a pass over all pairs of words, so the next rate is estimated well; two or three steps are usual.
    """
    if not 1e-6 <= loss_per_unit < math.inf:
        raise ParameterError(f"epsilon must be a number of at least 1e-6, got {loss_per_unit}.")
    aim = loss_per_unit * (1 - _TOLERANCE / 4)
    too_much = 2 * loss_per_unit  # the loss is never less than half the rate
    enough: MetricExponential | None = None
    mechanism = MetricExponential(closeness, rate=_FIRST_GUESS * loss_per_unit)
    steps = 0
    while True:
        if mechanism.loss_per_unit > loss_per_unit:
            too_much = mechanism.rate
            _check_hope(mechanism, loss_per_unit)
        else:
            enough = mechanism
        least = 0.0 if enough is None else enough.rate
        if enough and (
            loss_per_unit - enough.loss_per_unit <= _TOLERANCE * loss_per_unit
            or too_much - least <= _TOLERANCE / 8 * least  # between two steps of the law
        ):
            return enough
        rate = mechanism.rate_for(aim)
        if steps >= _ESTIMATES or not max(least, mechanism.rate / 2) < rate < too_much:
            rate = (least + too_much) / 2
        mechanism = mechanism.at(rate)
        steps += 1


def _check_hope(mechanism: MetricExponential, loss_per_unit: float) -> None:
    """Refuse a loss that no rate has: what is left at a very small one is rounding."""
    if mechanism.rate < _HOPELESS * loss_per_unit:
        least = f"the least is about {mechanism.loss_per_unit:.2g}"
        raise ParameterError(f"No rate loses as little as {loss_per_unit:g} for each unit of distance here; {least}.")


class _Truncated:
    """Scores that fall no further than a given distance."""

    def __init__(self, closeness: WordCloseness, furthest: float) -> None:
        self.shape = closeness.shape
        self.unit = closeness.unit
        self._closeness = closeness
        self.lowest = np.float32(max(0.0, FURTHEST - math.ceil(furthest / closeness.unit)))

    def tiles(self, rows: Int64) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Yield (offset into `rows`, scores of the next few rows with every output)."""
        for offset, tile in self._closeness.tiles(rows):
            np.maximum(tile, self.lowest, out=tile)
            yield offset, tile


_PLACES = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.75], [-0.5, -0.5]], np.float32)
EXAMPLE = partial(MetricExponential, WordCloseness(_PLACES), rate=4.0)
