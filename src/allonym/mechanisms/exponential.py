"""The exponential mechanism over a finite set of outputs, with an exact law.

Law: Pr[w | v] ∝ exp(ε/(2Δ)·ρ(v, w)), as whole-number weights: see `weights`.

Price: any two inputs may be told apart by at most the tight loss (SynTF, eq. 1, with the logarithm it omits)

    ℓ = max over outputs w of ( max over v of ln Pr[w | v] − min over v of ln Pr[w | v] ).

Proof: for every set Z of outputs and inputs v1, v2, Pr[Z | v1] = Σ_{w in Z} Pr[w | v1] ≤ Σ e^ℓ Pr[w | v2]; the same
holds for inputs drawn at random (SynTF, lemma 3.2). It is attained by the two inputs and the output of the
maximum, so no smaller number is true. ℓ never exceeds ε by more than the rounding of a step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.acceleration import in_threads
from allonym.errors import ParameterError
from allonym.mechanisms.base import Int64, Mechanism, Table
from allonym.mechanisms.bounds import alternative_bound, standard_bound
from allonym.mechanisms.two_set import log_rounded_up
from allonym.mechanisms.weights import ScoreRows, weights_of
from allonym.randomness import Stream

# Seven roundings of float64 lie between the integers and their ratio, each below 2^-53 of it; more than that is added,
# so that ℓ is never too small.
_ROUNDING = 2.0**-40
_TOTAL_THAT_REFUSES = 2**54  # of 2^64: one word in a thousand
_INPUTS_TO_PAIR = 1024
_LARGEST_EXPONENT = 600.0  # e to more than this leaves the float64 range


class Exponential(Mechanism):
    """Draws an output for each input, more likely the better its score.

    Privacy: `loss()` for each output drawn, whatever the two inputs.

    Args:
        scores: (inputs × outputs), or an object that computes a few rows at a time (`ScoreRows`).
        epsilon: ε, the parameter of the law. The loss is usually much smaller: see `loss`.
        sensitivity: Δ, the largest difference that changing the input can make to a score.

    >>> from allonym.randomness import insecure
    >>> mechanism = Exponential([[1.0, 0.0], [0.0, 1.0]], epsilon=2.0)
    >>> mechanism.law(0).round(3).tolist(), round(mechanism.loss(), 6)
    ([0.731, 0.269], 1.0)
    >>> mechanism.draw([0, 0, 0, 1, 1, 1], insecure(1)).tolist()
    [1, 1, 0, 0, 1, 1]
    """

    def __init__(self, scores: ArrayLike | ScoreRows, *, epsilon: float, sensitivity: float = 1.0) -> None:
        if not 0 < epsilon < math.inf:
            raise ParameterError(f"epsilon must be a positive number, got {epsilon}.")
        if not 0 < sensitivity < math.inf:
            raise ParameterError(f"sensitivity must be a positive number, got {sensitivity}.")
        self.epsilon = float(epsilon)
        self.sensitivity = float(sensitivity)
        self._weights = weights_of(scores, self.epsilon / (2 * self.sensitivity))
        self.inputs, self.outputs = self._weights.shape

    def audited(self) -> Table:
        """Say how an audit checks it: the law is a table of whole-number weights."""
        return Table(mechanism=self, inputs=self.inputs, outputs=self.outputs, tiles=self._weights.tiles)

    def weights(self, i: int) -> Int64:
        """Return the whole-number weights of the outputs for input `i`: the law, exactly."""
        if not 0 <= i < self.inputs:
            raise ParameterError(f"An input must be from 0 to {self.inputs - 1}, got {i}.")
        _, tile = next(self._weights.tiles(np.array([i])))
        row: Int64 = tile[0]
        return row

    def law(self, i: int) -> NDArray[np.float64]:
        """Return the probability of each output for input `i`."""
        weights = self.weights(i)
        law: NDArray[np.float64] = weights / weights.sum()
        return law

    def loss(self) -> float:
        """Return the tight loss ℓ of one draw, over all pairs of inputs: the same number on every machine."""
        if self._worst_ratio is not None:
            return log_rounded_up(self._worst_ratio)
        highest, lowest = self.extremes
        return log_rounded_up(Fraction(float((highest / lowest).max()))) + _ROUNDING

    @cached_property
    def _worst_ratio(self) -> Fraction | None:
        """The largest ratio of probabilities of an output, exactly, where it is found without a look at all of them."""
        if self._weights.totals_and_bests(np.arange(0)) is None:
            return None
        parts = in_threads(self._weights.totals_and_bests, self.inputs, self.outputs)
        totals, bests = (np.concatenate(found) for found in zip(*(part for part in parts if part), strict=True))
        return self._weights.worst_ratio(totals, bests)

    def bounds(self) -> dict[str, float]:
        """Return the bounds that need no look at the scores, and the tight loss."""
        return {
            "standard bound (ε)": standard_bound(self.epsilon),
            "alternative bound (ε + ln η)": alternative_bound(self.epsilon, self.outputs),
            "tight loss (ℓ, the promise)": self.loss(),
        }

    def totals(self) -> Int64:
        """Return the sum of the weights of each input."""
        return np.concatenate(in_threads(self._weights.totals, self.inputs, self.outputs))

    @cached_property
    def extremes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The highest and the lowest probability that any input gives each output."""
        highest = np.zeros(self.outputs)
        lowest = np.ones(self.outputs)
        for part_highest, part_lowest in in_threads(self._weights.extremes, self.inputs, self.outputs):
            np.maximum(highest, part_highest, out=highest)
            np.minimum(lowest, part_lowest, out=lowest)
        return highest, lowest

    def renyi(self, order: float) -> float:
        """Return the Rényi loss of order α of one draw: at least D_α between the laws of any two inputs.

        Mixtures of inputs lose no more (joint quasi-convexity). For up to 1,024 inputs all pairs are compared. Above
        that, the second law is replaced by the lowest probability that any input gives each output: since α > 1 this
        can only make Σ_w p(w)^α q(w)^(1−α) larger, and one pass over the rows is enough.
        """
        if not 1 < order < math.inf:
            raise ParameterError(f"A Rényi order must be above 1, got {order}.")
        if (order - 1) * self.loss() > _LARGEST_EXPONENT:
            return self.loss()
        every_pair = self.inputs <= _INPUTS_TO_PAIR

        def largest(rows: Int64) -> float:
            return max(self._moments(rows, order, every_pair))

        moment = max(in_threads(largest, self.inputs, self.outputs))
        return min(self.loss(), math.log(moment) / (order - 1) + _ROUNDING / (order - 1))

    def _moments(self, rows: Int64, order: float, every_pair: bool) -> Iterator[float]:
        _, lowest = self.extremes
        others = self._laws(np.arange(self.inputs)) if every_pair else None
        for _, tile in self._weights.tiles(rows):
            law = tile / tile.sum(axis=1, keepdims=True)
            law *= (law / lowest) ** (order - 1)
            if others is None:
                yield float(law.sum(axis=1).max())
            else:
                yield float((law @ ((others / lowest) ** (1 - order)).T).max())

    def _laws(self, rows: Int64) -> NDArray[np.float64]:
        return np.concatenate([tile / tile.sum(axis=1, keepdims=True) for _, tile in self._weights.tiles(rows)])

    def draw(self, inputs: ArrayLike, rng: Stream) -> Int64:
        """Draw one output for each input, from the words that `rng` holds for it.

        Privacy: spends `loss()` for each output.
        """
        wanted = np.asarray(inputs)
        if wanted.dtype.kind not in "iu" or (wanted.size and not 0 <= wanted.min() <= wanted.max() < self.inputs):
            raise ParameterError(f"Inputs must be whole numbers from 0 to {self.inputs - 1}.")
        lanes = rng.lanes(wanted.shape)
        flat = wanted.ravel()
        drawn = np.empty(flat.size, np.int64)
        # 16-bit keys are sorted by radix, ten times as fast; the order within a row does not matter.
        keys = flat.astype(np.uint16) if self.inputs <= 2**16 else flat
        waiting = np.argsort(keys, kind="stable")
        attempt = 0
        while waiting.size:
            rows, starts = _runs(keys[waiting])
            attempts = range(attempt, attempt + self._attempts_worth_having(rows[0]))
            words = np.stack([lanes(number).ravel()[waiting] for number in attempts])
            outputs = self._draw_by_row(rows, starts, words)
            drawn[waiting] = outputs
            waiting = waiting[outputs < 0]
            attempt = attempts.stop
        return drawn.reshape(wanted.shape)

    def _attempts_worth_having(self, row: int) -> int:
        """Return how many words to hold ready for each draw: a second one, if the totals refuse many a first."""
        return 2 if int(self.weights(row).sum()) > _TOTAL_THAT_REFUSES else 1

    def _draw_by_row(self, rows: Int64, starts: Int64, words: NDArray[np.uint64]) -> Int64:
        """Ask for each needed row once, whatever number of draws wants it."""
        drawn = np.empty(words.shape[1], np.int64)

        def invert(part: Int64) -> None:
            self._weights.invert(rows[part], starts[part[0] : part[-1] + 2], words, drawn)

        in_threads(invert, len(rows), self.outputs)
        return drawn


def _runs(values: NDArray[np.integer]) -> tuple[Int64, Int64]:
    """Return the distinct values of a sorted array, and where each begins (with the end appended)."""
    starts = np.append(0, np.flatnonzero(values[1:] != values[:-1]) + 1)
    return values[starts].astype(np.int64), np.append(starts, len(values))


EXAMPLE = partial(Exponential, [[1.0, 0.0, 0.5], [0.0, 1.0, 0.25]], epsilon=3.0, sensitivity=1.0)
