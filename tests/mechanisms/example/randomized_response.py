"""Randomized response (Warner 1965) over a few answers, with an exact law.

Law: the true answer with weight A, each of the s − 1 others with weight B = 2^32, and A = ⌊e^ε·B⌋.

Price: ℓ = ln(A/B) ≤ ε. Proof: the weights of all inputs add up to the same total, so an answer's probabilities under
two inputs are in proportion to its weights, and those differ by a factor of at most A/B. It is attained.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from allonym.errors import ParameterError
from allonym.mechanisms.base import Float64, Int64, Mechanism, Table
from allonym.mechanisms.two_set import check_count, log_rounded_up
from allonym.randomness import Stream

_OTHER = 2**32
_LARGEST_LOSS = 20.0


class RandomizedResponse(Mechanism):
    """Gives the true answer or, sometimes, another.

    Privacy: `loss()` for each answer drawn.

    Args:
        outputs: s, how many answers there are.
        epsilon: ε, the most that one draw may lose.
    """

    def __init__(self, outputs: int, *, epsilon: float) -> None:
        self.outputs = check_count("outputs", outputs, 1000)
        if not 0 < epsilon <= _LARGEST_LOSS:  # NaN compares false
            raise ParameterError(f"epsilon must be above 0 and at most {_LARGEST_LOSS:g}, got {epsilon}.")
        self._true = int(math.exp(epsilon) * (1 - 1e-15) * _OTHER)

    def loss(self) -> float:
        """Return the tight loss of one draw."""
        return log_rounded_up(Fraction(self._true, _OTHER)) if self.outputs > 1 else 0.0

    def law(self, i: int) -> Float64:
        """Return the probability of each answer for the true answer `i`."""
        weights = self._weights(np.array([i]))[0]
        law: Float64 = weights / weights.sum()
        return law

    def draw(self, inputs: ArrayLike, rng: Stream) -> Int64:
        """Draw an answer for each true one. Privacy: spends `loss()` for each."""
        true = np.asarray(inputs)
        numbers = rng.below(self._true + (self.outputs - 1) * _OTHER, true.shape)  # exactly uniform
        other = np.maximum(numbers - self._true, 0) // _OTHER
        return np.where(numbers < self._true, true, other + (other >= true))

    def audited(self) -> Table:
        """Say how an audit checks it: all weights can be read."""
        tiles = lambda rows: iter([(0, self._weights(rows))])  # noqa: E731
        return Table(mechanism=self, inputs=self.outputs, outputs=self.outputs, tiles=tiles)

    def _weights(self, rows: Int64) -> Int64:
        weights = np.full((len(rows), self.outputs), _OTHER)
        weights[np.arange(len(rows)), rows] = self._true
        return weights


EXAMPLE = partial(RandomizedResponse, 4, epsilon=1.5)
