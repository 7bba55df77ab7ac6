"""Exact audits of finite laws, in rational arithmetic over their whole-number weights.

For each output the highest and the lowest probability over all inputs are found by comparing fractions, never floats,
and their largest ratio is compared with a rational number just below e to the claimed loss. An output that one input
can give and another cannot is an infinite loss, whatever was claimed.

A table of 30,000 × 30,000 words has 9·10^8 fractions. Float64 tells which of two is larger unless they agree to 15
digits; only those that do are compared as integers. So the answer is that of integers throughout.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

import numpy as np

from allonym.acceleration import in_threads
from allonym.audit.findings import Finding
from allonym.errors import ParameterError
from allonym.mechanisms.base import Float64, Int64, Law, Tiles

_DIGITS = 60
_LN_2_UP = 0.6931471805599454
_SURE = 2.0**-50  # a float64 quotient of two integers errs by less, so a larger gap settles which is larger
_CONTENDERS = 1e-12
_LARGEST_TOTAL = 2.0**63 * (1 - 1e-9)


@dataclass(frozen=True)
class ExactLoss:
    """The worst that any output tells about any two inputs."""

    ratio: Fraction | None  # largest over smallest probability of the worst output; None if that is infinite
    output: int  # that output
    likely: int  # the input that gives it most often
    unlikely: int  # the input that gives it least often
    impossible: int  # outputs that some inputs can give and others cannot
    possible: tuple[int, int, int]  # fewest and most outputs that an input can give, and how many outputs there are
    success: tuple[float, float]  # how often the best guess of a uniformly chosen input is right, rounded down and up
    inputs: int

    @property
    def loss(self) -> float:
        """The loss, rounded up."""
        return math.inf if self.ratio is None else log_up(self.ratio)


def exp_below(exponent: float | Fraction) -> Fraction:
    """Return a rational number just below e to an exponent of at least 0: 58 digits are right.

    >>> float(exp_below(1.0))
    2.718281828459045
    """
    exact = Fraction(exponent)
    with localcontext(prec=_DIGITS, rounding=ROUND_FLOOR) as context:
        power = (Decimal(exact.numerator) / Decimal(exact.denominator)).exp()
        return Fraction(context.next_minus(power))


def log_up(ratio: Fraction) -> float:
    """Return the least float64 that is not below the logarithm."""
    with localcontext(prec=_DIGITS, rounding=ROUND_CEILING) as context:
        exact = context.next_plus((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln())
    nearest = float(exact)
    return nearest if Decimal(nearest) >= exact else math.nextafter(nearest, math.inf)


def within(ratio: Fraction, claimed: float | Fraction) -> bool:
    """Tell whether a ratio of probabilities is certainly no more than e to the claimed loss."""
    if not claimed >= 0:
        raise ParameterError(f"A claimed loss must be a number of at least 0, got {claimed}.")
    # A ratio has no more bits than this; where e^claimed has, no need to compute it.
    bits = ratio.numerator.bit_length() - ratio.denominator.bit_length() + 1
    return claimed >= bits * _LN_2_UP or ratio == 1 or ratio <= exp_below(claimed)


def loss_of_tiles(tiles: Tiles, inputs: int, outputs: int) -> ExactLoss:
    """Return the exact loss of a table of whole-number weights, read a few rows at a time.

    `tiles` takes rows to (offset into them, weights of the next few), none below 0, each row's sum below 2^63.
    """
    parts = in_threads(lambda rows: _extremes(tiles, rows, outputs), inputs, outputs)
    highest, lowest, fewest, most = parts[0]
    for other_highest, other_lowest, other_fewest, other_most in parts[1:]:
        highest.merge(other_highest)
        lowest.merge(other_lowest)
        fewest, most = min(fewest, other_fewest), max(most, other_most)
    return _worst(highest, lowest, (fewest, most, outputs), inputs)


def loss_of_laws(laws: Iterable[Law]) -> ExactLoss:
    """Return the exact loss of a few laws: weights, fractions or floats, which are taken for the numbers they are."""
    rows = [[Fraction(entry) for entry in (law.tolist() if isinstance(law, np.ndarray) else law)] for law in laws]
    if not rows or len({len(row) for row in rows}) != 1 or any(min(row) < 0 or not any(row) for row in rows):
        raise ParameterError("Laws must be rows of equal length, of numbers of at least 0 that are not all 0.")
    totals = [sum(row) for row in rows]
    shares = [[entry / total for entry in row] for row, total in zip(rows, totals, strict=True)]
    columns = list(zip(*shares, strict=True))
    largest, smallest = [max(column) for column in columns], [min(column) for column in columns]
    ratios = [math.inf if low == 0 < high else high / (low or 1) for high, low in zip(largest, smallest, strict=True)]
    worst = max(range(len(columns)), key=ratios.__getitem__)
    possible = [sum(share > 0 for share in row) for row in shares]
    success = sum(largest, Fraction(0)) / len(rows)
    return ExactLoss(
        ratio=None if smallest[worst] == 0 else Fraction(ratios[worst]),
        output=worst,
        likely=columns[worst].index(largest[worst]),
        unlikely=columns[worst].index(smallest[worst]),
        impossible=sum(low == 0 < high for high, low in zip(largest, smallest, strict=True)),
        possible=(min(possible), max(possible), len(columns)),
        success=_bracket(success),
        inputs=len(rows),
    )


def judge(loss: ExactLoss, claimed: float, *, where: str) -> list[Finding]:
    """Return the findings: whether the support is one for all inputs, and whether the loss is what was claimed."""
    fewest, most, outputs = loss.possible
    figures: dict[str, object] = {"outputs": outputs, "impossible_for_some": loss.impossible}
    figures["possible"] = [fewest, most]
    if loss.impossible:
        says = f"{loss.impossible:,} of {outputs:,} outputs are possible for some inputs only: the loss is infinite"
        return [Finding("support", "violated", f"{says} ({where}); {_why(loss)}.", figures)]
    which = f"each of the {most:,} outputs" if most == outputs else f"the same {most:,} of {outputs:,} outputs"
    support = Finding("support", "holds", f"Every input can give {which} ({where}).", figures)
    broken = loss.ratio is None or not within(loss.ratio, claimed)
    figures = {
        "claimed": claimed,
        "exact_loss": loss.loss,
        "output": loss.output,
        "inputs": [loss.likely, loss.unlikely],
        "pairs": loss.inputs * (loss.inputs - 1),
    }
    says = f"The loss over all pairs of {loss.inputs:,} inputs is {loss.loss:.6f}, claimed {claimed:.6f} ({where})"
    sentences = (f"{says}.", f"{says}{_excess(loss.loss, claimed)}.")
    return [support, Finding.of("exact loss", broken, sentences, figures)]


def _why(loss: ExactLoss) -> str:
    fewest, most, outputs = loss.possible
    if fewest == most < outputs:
        return f"every input has {most:,} possible outputs of its own: the candidate set is chosen from the input"
    return "probabilities vanish for some inputs, as those of a float softmax do when they underflow"


def _excess(loss: float, claimed: float) -> str:
    """Return how much too large a loss is, and what usually causes that factor."""
    if not claimed:
        return ": not 0"
    factor = loss / claimed
    usual = "; a factor of 2, as of the sensitivity, is missing" if 1.8 <= factor <= 2.2 else ""
    return f": {factor:.4g} times the claim{usual}"


class _Records:
    """Of each output, the input that gives it the highest (or lowest) probability, by exact comparison."""

    def __init__(self, outputs: int, sign: int) -> None:
        self._sign = sign
        self.weights = np.zeros(outputs, np.int64)
        self.totals = np.ones(outputs, np.int64)
        self.rows = np.full(outputs, -1)
        # What a float64 must reach (in either direction) to be worth a closer look.
        self._edges = np.full(outputs, -math.inf if sign > 0 else math.inf)

    def offer(self, floats: Float64, weights: Int64, totals: Int64, rows: Int64) -> None:
        """Take the fractions weights/totals, about `floats`, where they beat the record."""
        near = np.flatnonzero(floats >= self._edges if self._sign > 0 else floats <= self._edges)
        # One total and one row for all outputs, or those of each.
        total, row = np.broadcast_to(totals, floats.shape)[near], np.broadcast_to(rows, floats.shape)[near]
        changed = (weights[near] != self.weights[near]) | (total != self.totals[near]) | (self.rows[near] < 0)
        near, total, row = near[changed], total[changed], row[changed]
        record = self.weights[near] / self.totals[near]
        gap = (floats[near] - record) * self._sign
        better = (gap > record * _SURE) | (self.rows[near] < 0)
        unsure = np.flatnonzero(~better & (gap >= -record * _SURE) & ((weights[near] > 0) | (record > 0)))
        if unsure.size:
            theirs = weights[near[unsure]].astype(object) * self.totals[near[unsure]].astype(object)
            ours = self.weights[near[unsure]].astype(object) * total[unsure].astype(object)
            better[unsure] = np.array([self._sign * int(a - b) > 0 for a, b in zip(theirs, ours, strict=True)])
        taken = near[better]
        self.weights[taken], self.totals[taken], self.rows[taken] = weights[taken], total[better], row[better]
        self._edges[taken] = floats[taken] * (1 - 2 * self._sign * _SURE)

    def merge(self, other: _Records) -> None:
        """Take the records of other inputs."""
        self.offer(other.weights / other.totals, other.weights, other.totals, other.rows)


def _extremes(tiles: Tiles, rows: Int64, outputs: int) -> tuple[_Records, _Records, int, int]:
    highest, lowest = _Records(outputs, 1), _Records(outputs, -1)
    fewest, most = outputs, 0
    for offset, tile in tiles(rows):
        if tile.min() < 0 or (tile.sum(axis=1, dtype=np.float64) > _LARGEST_TOTAL).any():
            raise ParameterError("Weights must be whole numbers of at least 0 whose sum stays below 2^63.")
        totals = tile.sum(axis=1)
        possible = np.count_nonzero(tile, axis=1)
        fewest, most = min(fewest, int(possible.min())), max(most, int(possible.max()))
        for weights, total, row in zip(tile, totals, rows[offset : offset + len(tile)], strict=True):
            floats = weights / total
            highest.offer(floats, weights, total, row)
            lowest.offer(floats, weights, total, row)
    return highest, lowest, fewest, most


def _worst(highest: _Records, lowest: _Records, possible: tuple[int, int, int], inputs: int) -> ExactLoss:
    zero = (lowest.weights == 0) & (highest.weights > 0)
    held = np.flatnonzero(highest.weights > 0)
    if zero.any():
        output, ratio = int(np.flatnonzero(zero)[0]), None
    else:
        floats = (highest.weights / highest.totals)[held] / (lowest.weights / lowest.totals)[held]
        contenders = held[floats >= floats.max() * (1 - _CONTENDERS)]
        exact = {int(w): _ratio(highest, lowest, int(w)) for w in contenders}
        output = max(exact, key=exact.__getitem__)
        ratio = exact[output]
    return ExactLoss(
        ratio=ratio,
        output=output,
        likely=int(highest.rows[output]),
        unlikely=int(lowest.rows[output]),
        impossible=int(zero.sum()),
        possible=possible,
        success=_success(highest, inputs),
        inputs=inputs,
    )


def _ratio(highest: _Records, lowest: _Records, output: int) -> Fraction:
    most = Fraction(int(highest.weights[output]), int(highest.totals[output]))
    return most / Fraction(int(lowest.weights[output]), int(lowest.totals[output]))


def _success(highest: _Records, inputs: int) -> tuple[float, float]:
    """Return (1/n)·Σ_w max_v Pr[w | v], from sums of integers of 2^-128, rounded down and up."""
    shares = zip(highest.weights.tolist(), highest.totals.tolist(), strict=True)
    down = sum((weight << 128) // total for weight, total in shares)
    low, _ = _bracket(Fraction(down, inputs << 128))
    _, high = _bracket(Fraction(down + len(highest.weights), inputs << 128))
    return low, min(1.0, high)


def _bracket(exact: Fraction) -> tuple[float, float]:
    nearest = float(exact)
    low = nearest if Fraction(nearest) <= exact else math.nextafter(nearest, 0)
    return low, nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)
