"""The two-set exponential mechanism of ER-AE (Bo, Ding, Fung and Iqbal 2021, definition 4), with an exact law.

Law: S is the set of the items of k draws with replacement from the model's probabilities p (repeated ones count once)
and O all others of the s outputs. S is chosen with probability e^(ρ_S·ε/2) / (e^(ρ_S·ε/2) + e^(ρ_O·ε/2)), where ρ_S and
ρ_O = 1 − ρ_S are the probabilities of the two sets, else O; then an item of the chosen set, uniformly. Where O is
empty, S is chosen.

In integers: p becomes weights ⌊scale·p⌋, `scale` a power of two (uniform where all are 0), ρ_S a ratio of sums of them,
and the choice a coin of probability t(ρ_S) / 2^63 with t a whole number between m and 2^63 − m, where
m = ⌈2^63 / (1 + e^(ε/2))⌉ is that of ρ_S = 0, and 2^63 − m that of ρ_S = 1.

Price: ℓ = ln((2^63 − m)/m) + ln(s − 1) ≤ ε/2 + ln(s − 1), whatever k is. The paper proves ε + ln s.

Proof: let q = (2^63 − m)/2^63 ≥ 1/2 be the highest probability of the coin and 1 − q its lowest. Whatever p is, and
whatever S comes of it, an output gets (coin of its set)/(size of its set) given S: at most q/1; and at least
(1 − q)/(s − 1) if no set is empty, or 1/s ≥ (1 − q)/(s − 1) if S is everything, since 1 − q ≤ 1/2 and s ≥ 2. Averages
over S obey the same bounds, so their ratio is at most (s − 1)·q/(1 − q) = e^ℓ. It is attained, for every k: with all of
p on an item w, S = {w} and w gets q; with all of p on another item, w gets (1 − q)/(s − 1). The proof asks nothing of
p, of the weights made from it or of t between its bounds: no rounding in any of them can raise the loss.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import partial

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
from allonym.randomness import Lanes, Stream, Words

_COIN_BITS = 63
FEW_OUTPUTS = 5  # of a mechanism that stands in for a larger one where laws are enumerated
_MOST_TO_ENUMERATE = 12
_MOST_CANDIDATES = 1024
_DIGITS = 60
_LARGEST_EPSILON = 200.0  # beyond it the coin is at its last bit
# e^(−x) = (e^(−x/64))^64 by a series of 16 terms for x ≤ 45: within 2e-14, and by IEEE operations in a fixed order, so
# that every machine gets the same integers, and a lone number the same as one in an array.
_SQUARINGS = 6
_TERMS = 16
_LARGEST_EXPONENT = 45.0


class TwoSet(Mechanism):
    """Draws a few candidates from the model's probabilities, then an item of theirs or, sometimes, any other.

    Privacy: `loss()` for each output drawn, whatever the probabilities are.

    Args:
        outputs: s, how many items there are.
        epsilon: ε, the parameter of the law; the loss is another number: see `loss`.
        candidates: k, how many times a candidate is drawn.

    >>> from allonym.randomness import insecure
    >>> mechanism = TwoSet(4, epsilon=3.0, candidates=2)
    >>> mechanism.law([1.0, 0.0, 0.0, 0.0]).round(3).tolist(), round(mechanism.loss(), 6)
    ([0.818, 0.061, 0.061, 0.061], 2.598612)
    >>> mechanism.draw([[0.7, 0.1, 0.1, 0.1]] * 6, insecure(1)).tolist()
    [3, 0, 2, 2, 3, 0]
    """

    input_axes = 1

    def __init__(self, outputs: int, *, epsilon: float, candidates: int = 5) -> None:
        self.outputs = check_count("outputs", outputs, MOST_OUTPUTS)
        self.candidates = check_count("candidates", candidates, _MOST_CANDIDATES)
        if not 0 < epsilon < math.inf:
            raise ParameterError(f"epsilon must be a positive number, got {epsilon}.")
        self.epsilon = float(epsilon)
        with localcontext(prec=_DIGITS):
            ratio = (Decimal(min(self.epsilon, _LARGEST_EPSILON)) / 2).exp()
            least = (Decimal(2**_COIN_BITS) / (1 + ratio)).to_integral_value(ROUND_CEILING)
        self._least = int(least)  # m, at least 1
        # Sums of weights stay below 2^62, and a weight within the 53 bits of a float64.
        self._reader = Reader(self.outputs, min(52, 62 - self.outputs.bit_length()))

    def loss(self) -> float:
        """Return the tight loss ℓ of one draw, over all pairs of probabilities: ε/2 + ln(s − 1), but for the coin."""
        if self.outputs == 1:
            return 0.0
        return log_rounded_up(Fraction((2**_COIN_BITS - self._least) * (self.outputs - 1), self._least))

    def audited(self) -> Ratings:
        """Say how an audit checks it: all sets of a few outputs can be enumerated."""

        def small() -> TwoSet:
            return TwoSet(FEW_OUTPUTS, epsilon=self.epsilon, candidates=self.candidates)

        exact = self.fractions if self.outputs <= FEW_OUTPUTS else None
        return Ratings(mechanism=self, name="two-set", small=small, exact=exact)

    @property
    def as_published(self) -> float:
        """The paper's bound, ε + ln s, which no input attains."""
        return math.nextafter(self.epsilon + math.nextafter(math.log(self.outputs), math.inf), math.inf)

    @property
    def most_for_candidates(self) -> float:
        """The most that the candidates can get together, however sure of them the model is."""
        return 1 - self._least / 2**_COIN_BITS if self.candidates < self.outputs else 1.0

    def law(self, p: ArrayLike) -> Float64:
        """Return the probability of each output for each row of probabilities, by enumeration of all sets S."""
        rows = checked(as_rows(p, self.outputs))
        laws = [[float(probability) for probability in self.fractions(row)] for row in rows]
        return np.array(laws, np.float64).reshape(np.shape(p))

    def fractions(self, p: ArrayLike) -> list[Fraction]:
        """Return the law for one row of probabilities: what is sampled, exactly."""
        s, k = self.outputs, self.candidates
        if s > _MOST_TO_ENUMERATE:
            raise ParameterError(
                f"The law is enumerated for at most {_MOST_TO_ENUMERATE} outputs, as the sets are too many for {s:,}; "
                "loss() and draw() work for any number."
            )
        rows = checked(as_rows(p, s))
        if len(rows) != 1:
            raise ParameterError(f"fractions takes one row of probabilities, got {len(rows)}.")
        weights = self.weights(rows)[0].tolist()
        masses = [sum(weight for item, weight in enumerate(weights) if chosen >> item & 1) for chosen in range(2**s)]
        draws = _draws_of_exactly([mass**k for mass in masses], s)
        coins = self._coin(np.array(masses[1:]), np.full(2**s - 1, masses[-1])).tolist()
        common = math.lcm(*range(1, s + 1))
        numerators = [0] * s
        for chosen, (many, coin) in enumerate(zip(draws[1:], coins, strict=True), 1):
            size = chosen.bit_count()
            inside = many * common // size * coin if size < s else many * (common // s) << _COIN_BITS
            outside = many * common // (s - size) * (2**_COIN_BITS - coin) if size < s else 0
            for item in range(s):
                numerators[item] += inside if chosen >> item & 1 else outside
        return [Fraction(numerator, masses[-1] ** k * common << _COIN_BITS) for numerator in numerators]

    def weights(self, p: ArrayLike) -> Int64:
        """Return the whole-number weights, in proportion to which candidates are drawn, of rows of probabilities."""
        rows = as_rows(p, self.outputs)
        scales, totals = self._reader.totals(rows)
        return _weigh(rows, scales[:, None], totals.sum(axis=1)[:, None] == 0).reshape(np.shape(p))

    def draw(self, p: ArrayLike, rng: Stream, *, rows: Int64 | None = None) -> Int64:
        """Draw one output for each row of (batch, outputs) probabilities, from the words that `rng` holds for it.

        Rows are any finite numbers of at least 0, in proportion to the probabilities. Further axes before the last are
        allowed; the words come in the same shape. Where many draws are from one row of a matrix, `rows` says which each
        is from, in the shape of the draws.

        Privacy: spends `loss()` for each output.
        """
        matrix = as_rows(p, self.outputs)
        row_of = row_of_each(p, rows)
        lanes = rng.lanes((*row_of.shape, self.candidates + 2))
        words = lanes(0).reshape(row_of.size, self.candidates + 2)
        scales, totals = self._reader.totals(matrix)
        empty = totals.sum(axis=1) == 0
        totals[empty] = np.minimum(BLOCK, self.outputs - np.arange(0, self.outputs, BLOCK))
        ends = totals.cumsum(axis=1)
        places = np.arange(words.size).reshape(words.shape)
        drawn = np.empty(row_of.size, np.int64)
        for part in parts(row_of.size, self.candidates * max(min(BLOCK, self.outputs), ends.shape[1])):
            here = row_of.ravel()[part]
            targets = exactly_below(lanes, places[part, :-2], words[part, :-2], ends[here, -1:])
            candidates = _find(matrix, here, scales[here], empty[here], ends[here], targets)
            candidates.sort(axis=1)
            weights = _weigh(matrix[here[:, None], candidates], scales[here, None], empty[here, None])
            drawn[part] = self._choose(candidates, weights, ends[here, -1], lanes, places[part, -1], words[part])
        return drawn.reshape(row_of.shape)

    def _choose(
        self, candidates: Int64, weights: Int64, totals: Int64, lanes: Lanes, places: Int64, words: Words
    ) -> Int64:
        """Toss the coin for the set of each row, S being given by its ascending items, and pick one of it."""
        first = np.ones(candidates.shape, np.bool_)
        first[:, 1:] = candidates[:, 1:] != candidates[:, :-1]
        ranks = first.cumsum(axis=1) - 1
        sizes = ranks[:, -1] + 1
        coins = self._coin((weights * first).sum(axis=1), totals)
        inside = ((words[:, -2] >> np.uint64(1)).view(np.int64) < coins) | (sizes == self.outputs)
        number = exactly_below(lanes, places, words[:, -1], np.where(inside, sizes, self.outputs - sizes))
        member = candidates[np.arange(len(candidates)), (ranks == number[:, None]).argmax(axis=1)]
        return np.where(inside, member, item_outside(candidates, ranks, first, number))

    def _coin(self, masses: Int64, totals: Int64) -> Int64:
        """Return t, of 2^63, for sets S of these masses: between m and 2^63 − m, which are those of none and all."""
        gaps = np.abs(totals - 2 * masses)
        exponents = np.minimum(self.epsilon / 2 * (gaps / totals), _LARGEST_EXPONENT)
        power = _to_minus(exponents)
        smaller = np.maximum((power / (1 + power) * 2.0**_COIN_BITS).astype(np.int64), self._least)
        smaller[gaps == totals] = self._least
        return np.where(2 * masses < totals, smaller, 2**_COIN_BITS - 1 - (smaller - 1))


def check_count(name: str, number: int, most: int) -> int:
    """Return a whole number from 1 to `most`, or refuse it."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 1 <= number <= most:
        raise ParameterError(f"{name} must be a whole number from 1 to {most:,}, got {number}.")
    return int(number)


def log_rounded_up(ratio: Fraction) -> float:
    """Return the least float64 that is not below the logarithm."""
    with localcontext(prec=_DIGITS):
        exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
    nearest = float(exact)
    return nearest if Decimal(nearest) >= exact else math.nextafter(nearest, math.inf)


def _to_minus(exponents: Float64) -> Float64:
    """Return e^(−x) for 0 ≤ x ≤ 45."""
    x = exponents * -(2.0**-_SQUARINGS)
    power = np.ones_like(x)
    for term in range(_TERMS, 0, -1):
        power = 1 + power * x / term
    for _ in range(_SQUARINGS):
        power = power * power
    return power


def _weigh(numbers: Rows, scales: Float64, empty: NDArray[np.bool_]) -> Int64:
    """Return ⌊scale·p⌋, or 1 in rows where that is 0 for every output."""
    weights: Int64 = (numbers * scales).astype(np.int64) + empty
    return weights


def _find(matrix: Rows, here: Int64, scales: Float64, empty: NDArray[np.bool_], ends: Int64, targets: Int64) -> Int64:
    """Return, for each target, the output whose interval of the running sum of weights holds it.

    `own` is the row of the matrix that each row of the others belongs to.
    """
    blocks = (ends[:, None, :] <= targets[:, :, None]).sum(axis=2)
    before = np.where(blocks > 0, np.take_along_axis(ends, np.maximum(blocks - 1, 0), 1), 0)
    columns = blocks[:, :, None] * BLOCK + np.arange(min(BLOCK, matrix.shape[1]))
    last = matrix.shape[1] - 1
    numbers = matrix[here[:, None, None], np.minimum(columns, last)]
    # Past the last output the last one is counted again: too late to matter, as targets lie below the row's total.
    running = _weigh(numbers, scales[:, None, None], empty[:, None, None]).cumsum(axis=2) + before[:, :, None]
    candidates: Int64 = blocks * BLOCK + (running <= targets[:, :, None]).sum(axis=2)
    return candidates


def _draws_of_exactly(draws_within: list[int], items: int) -> list[int]:
    """Return, for each set of items, how many draws have exactly these items, from how many have no others.

    By inclusion and exclusion, an item at a time.
    """
    draws = list(draws_within)
    for item in range(items):
        for chosen in range(2**items):
            if chosen >> item & 1:
                draws[chosen] -= draws[chosen ^ 1 << item]
    return draws


EXAMPLE = partial(TwoSet, 4, epsilon=3.0, candidates=2)
