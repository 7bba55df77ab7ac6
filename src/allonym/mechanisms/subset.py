"""The subset mechanism over a model's best candidates, with an exact law.

Law: T is the set of the k outputs that the model finds most probable (of equals the first), fixed by the input alone.
Every output of T has weight A and each of the s − k others weight B, whole numbers with A = ⌊e^ε·B⌋ for the loss ε that
is asked for and B a power of two, as large as 62 bits allow. So T gets k·A / (k·A + (s − k)·B).

Price: ℓ = ln(A/B) ≤ ε; nothing at all if k ≥ s.

Proof: the total k·A + (s − k)·B is the same for all inputs, so the probabilities of an output under two inputs are in
proportion to its two weights, and differ by a factor of at most A/B. If k < s, some output is in T for one input and
not for another, and the factor is attained. The proof asks nothing of the model: T may be any set of k outputs, so
neither the noise of its arithmetic nor ties can raise the loss.

No mechanism of the same loss gives T more on average over all sets T of k outputs: see docs/subset.md.
"""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import ParameterError
from allonym.mechanisms._loops.candidates import (
    BLOCK,
    MOST_OUTPUTS,
    Float64,
    Int64,
    Reader,
    Rows,
    as_rows,
    checked,
    exactly_below,
    item_outside,
    parts,
    row_of_each,
)
from allonym.mechanisms.base import Mechanism, Ratings
from allonym.mechanisms.two_set import FEW_OUTPUTS, check_count, log_rounded_up
from allonym.randomness import Stream

_LARGEST_TOTAL = 2**62
_MOST_BITS = 48  # of B: enough to come within 1e-14 of the loss asked for
_DIGITS = 60
_LARGEST_LOSS = 50.0  # beyond it the weights are at the end of their 62 bits


class Subset(Mechanism):
    """Draws one of the model's best candidates or, sometimes, any other output.

    Privacy: `loss()` for each output drawn, whatever the probabilities are.

    Args:
        outputs: s, how many items there are.
        loss: ε, the most that one draw may lose.
        candidates: k, how many of the best are candidates.

    >>> from allonym.randomness import insecure
    >>> mechanism = Subset(6, loss=2.0, candidates=2)
    >>> mechanism.law([0.5, 0.1, 0.1, 0.2, 0.1, 0.0]).round(3).tolist(), round(mechanism.loss(), 6)
    ([0.393, 0.053, 0.053, 0.393, 0.053, 0.053], 2.0)
    >>> mechanism.draw([[0.5, 0.1, 0.1, 0.2, 0.1, 0.0]] * 6, insecure(1)).tolist()
    [3, 0, 0, 5, 0, 2]
    """

    input_axes = 1
    ways = ("draw", "draw_among")

    def __init__(self, outputs: int, *, loss: float, candidates: int) -> None:
        self.outputs = check_count("outputs", outputs, MOST_OUTPUTS)
        self.candidates = min(check_count("candidates", candidates, MOST_OUTPUTS), self.outputs)
        if not 0 < loss < math.inf:
            raise ParameterError(f"loss must be a positive number, got {loss}.")
        self._weight_in, self._weight_out = _weights(self.outputs, self.candidates, float(loss))
        self._total = self.candidates * self._weight_in + (self.outputs - self.candidates) * self._weight_out
        self._reader = Reader(self.outputs)

    def loss(self) -> float:
        """Return the tight loss ℓ of one draw: the one asked for, or just below it; 0 if all outputs are candidates."""
        if self.candidates == self.outputs:
            return 0.0
        return log_rounded_up(Fraction(self._weight_in, self._weight_out))

    def audited(self) -> Ratings:
        """Say how an audit checks it: the law of any row of ratings is known, and all rows of a few outputs."""

        def small() -> Subset:
            return Subset(FEW_OUTPUTS, loss=self.loss() or 1.0, candidates=min(self.candidates, FEW_OUTPUTS // 2))

        return Ratings(mechanism=self, name="subset", small=small, exact=self.weights, sure=self.candidates)

    def inputs_of(self, way: str, inputs: Any, rows: Any = None) -> NDArray[Any]:  # noqa: ANN401
        """Return the ratings that a draw was made by; where sets were given, 1 for their items."""
        return self.ratings(np.asarray(inputs)) if way == "draw_among" else super().inputs_of(way, inputs, rows)

    def ratings(self, sets: Int64) -> NDArray[np.float32]:
        """Return rows of ratings of which these sets are the candidates: 1 for their items, 0 for all others."""
        rated = np.zeros((*sets.shape[:-1], self.outputs), np.float32)
        np.put_along_axis(rated, sets, 1, axis=-1)
        return rated

    @property
    def probability_of_candidates(self) -> float:
        """How likely one of the model's best candidates is drawn."""
        return float(Fraction(self.candidates * self._weight_in, self._total))

    def weights(self, p: ArrayLike) -> Int64:
        """Return the whole-number weights of the outputs for rows of probabilities: the law, exactly."""
        rows = checked(as_rows(p, self.outputs))
        weights = np.full(rows.shape, self._weight_out)
        np.put_along_axis(weights, self._best(rows), self._weight_in, axis=1)
        return weights.reshape(np.shape(p))

    def law(self, p: ArrayLike) -> Float64:
        """Return the probability of each output for rows of probabilities."""
        law: Float64 = self.weights(p) / self._total
        return law

    def draw(self, p: ArrayLike, rng: Stream, *, rows: Int64 | None = None) -> Int64:
        """Draw one output for each row of (batch, outputs) probabilities, from the words that `rng` holds for it.

        Rows are any finite numbers of at least 0: only their order counts. Further axes before the last are allowed;
        the words come in the same shape. Where many draws are from one row of a matrix, `rows` says which each is from,
        in the shape of the draws.

        Privacy: spends `loss()` for each output.
        """
        best = self._best(as_rows(p, self.outputs))
        where = row_of_each(p, rows)
        return self.draw_among(best[where.ravel()].reshape(*where.shape, self.candidates), rng)

    def draw_among(self, candidates: ArrayLike, rng: Stream) -> Int64:
        """Draw one output for each set T, given by its items: (…, k) different numbers, of any order.

        Privacy: spends `loss()` for each output.
        """
        sets = np.sort(np.asarray(candidates), axis=-1)
        if sets.dtype.kind not in "iu" or sets.shape[-1:] != (self.candidates,):
            raise ParameterError(f"Candidates must come in sets of {self.candidates} whole numbers.")
        if sets.size and not (0 <= sets.min() <= sets.max() < self.outputs and (np.diff(sets, axis=-1) > 0).all()):
            raise ParameterError(f"Candidates must be different numbers from 0 to {self.outputs - 1}.")
        shape = sets.shape[:-1]
        best = sets.astype(np.int64).reshape(-1, self.candidates)
        lanes = rng.lanes(shape)
        words = lanes(0).ravel()
        targets = exactly_below(lanes, np.arange(words.size), words, np.array(self._total))
        beyond = targets - self.candidates * self._weight_in
        member = best[np.arange(len(best)), np.minimum(targets // self._weight_in, self.candidates - 1)]
        other = item_outside(best, np.arange(self.candidates), np.ones(1, np.bool_), beyond // self._weight_out)
        return np.where(beyond < 0, member, other).reshape(shape)

    def _best(self, rows: Rows) -> Int64:
        """Return T for each row, its items ascending.

        An item of T lies in one of the k blocks with the largest maxima (of equals the first): otherwise each of those
        blocks had an item before it, k in all. So only these blocks are searched.
        """
        maxima = self._reader.maxima(rows)
        best = np.empty((len(rows), self.candidates), np.int64)
        if maxima.shape[1] <= self.candidates:
            for part in parts(len(rows), self.outputs):
                best[part] = _largest(rows[part], self.candidates)
            return best
        for part in parts(len(rows), self.candidates * BLOCK):
            blocks = _largest(maxima[part], self.candidates)
            columns = (blocks[:, :, None] * BLOCK + np.arange(BLOCK)).reshape(len(blocks), -1)
            numbers = np.take_along_axis(rows[part], np.minimum(columns, self.outputs - 1), 1)
            numbers[columns >= self.outputs] = -1
            best[part] = np.take_along_axis(columns, _largest(numbers, self.candidates), 1)
        return best


def _weights(outputs: int, candidates: int, loss: float) -> tuple[int, int]:
    """Return A and B: the largest B, a power of two, for which the total keeps to 62 bits."""
    with localcontext(prec=_DIGITS):
        ratio = Decimal(min(loss, _LARGEST_LOSS)).exp()
        for bits in range(_MOST_BITS, -1, -1):
            inside = int((ratio * 2**bits).to_integral_value(ROUND_FLOOR))
            if candidates * inside + (outputs - candidates) * 2**bits <= _LARGEST_TOTAL:
                return inside, 2**bits
    return (_LARGEST_TOTAL - outputs) // candidates, 1  # less than the loss asked for, and T as good as certain


def _largest(numbers: NDArray[np.floating], count: int) -> Int64:
    """Return where the `count` largest of each row are, of equals the first ones, ascending."""
    place = numbers.shape[1] - count
    least = np.partition(numbers, place, axis=1)[:, place : place + 1]
    chosen = numbers >= least
    tied = np.flatnonzero(chosen.sum(axis=1) > count)
    if tied.size:
        above, equal = numbers[tied] > least[tied], numbers[tied] == least[tied]
        spare = count - above.sum(axis=1, keepdims=True)
        chosen[tied] = above | (equal & (equal.cumsum(axis=1) <= spare))
    return np.nonzero(chosen)[1].reshape(len(numbers), count)


EXAMPLE = partial(Subset, 5, loss=2.0, candidates=2)
