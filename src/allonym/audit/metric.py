"""Exact audits of metric claims: a loss of at most c·d(v, v') between any two inputs v and v', for every output.

A table of up to 500 inputs is enumerated: every triple (v, v', w), in rational arithmetic wherever float64 leaves any
doubt. Larger tables have too many triples (30,000 words have 2.7·10^13), so they get a certificate. Every weight is
compared with the ideal e^(−rate·min(d(v, w), D)/2); h is how far the logarithm of any of them is off. A distance cut
at D changes by at most d(v, v') between v and v', so with T the exact sums of the weights

    ln Pr[w | v] − ln Pr[w | v'] ≤ (rate/2)·d(v, v') + |ln T_v − ln T_v'| + 2h    for every output w,

and the largest of these over all pairs, for each unit of distance, is what the claim must not be below. The rate and D
are no more than a guess at the law: with wrong ones h would be large, and the certificate fail.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import in_threads
from allonym.audit.exact import log_up, within
from allonym.audit.findings import Finding
from allonym.errors import ParameterError
from allonym.mechanisms.base import Float64, Int64, Tiles

Float32 = NDArray[np.float32]

MOST_TO_ENUMERATE = 500
_DOUBT = 1e-9  # float64 logarithms of these fractions err by far less
_DOWN = 1 - 1e-13
_UP = 1 + 1e-9
_LARGEST_SQUARE = 2**22
_ROWS = 64


@dataclass(frozen=True)
class MetricLoss:
    """The worst loss for each unit of distance."""

    per_unit: float
    pair: tuple[int, int]
    broken: int  # pairs that lose more than was claimed
    pairs: int  # pairs that were compared


@dataclass(frozen=True)
class MetricCertificate:
    """What was certified of a large table: no pair loses more than `per_unit` for each unit of distance."""

    per_unit: float
    attained: float  # what the worst pair really loses for each unit, exactly but for the last digit
    pair: tuple[int, int]
    deviation: float  # h, how far the logarithm of any weight is from the ideal one
    nearest: float  # smallest distance of two different inputs


def metric_loss(weights: Sequence[Int64], distances: Float64, claimed_per_unit: float) -> MetricLoss:
    """Return the worst loss for each unit of distance over all triples, and how many pairs break the claim.

    Weights are all above 0, a row an input; distances may be off by a part in 10^13.
    """
    inputs = len(weights)
    if not 1 < inputs <= MOST_TO_ENUMERATE or distances.shape != (inputs, inputs):
        raise ParameterError(f"Triples are enumerated for 2 to {MOST_TO_ENUMERATE} inputs, got {inputs}.")
    table = np.stack(weights)
    if table.min() < 1:
        raise ParameterError("A metric claim needs every output possible for every input; check the support first.")
    logs = np.log(table / table.sum(axis=1, keepdims=True))
    worst, pair, broken = 0.0, (0, 1), 0
    for i in range(inputs):
        differences = logs[i] - logs
        largest = differences.max(axis=1)
        allowed = claimed_per_unit * distances[i]
        broken += int((largest > allowed + _DOUBT).sum())
        for j in np.flatnonzero((np.abs(largest - allowed) <= _DOUBT) & (np.arange(inputs) != i)).tolist():
            close = np.flatnonzero(differences[j] >= largest[j] - _DOUBT)
            most = Fraction(claimed_per_unit) * Fraction(float(distances[i, j]) * _DOWN)
            broken += not all(within(ratio, most) for ratio in _ratios(table[i], table[j], close.tolist()))
        slopes = largest / np.where(distances[i] > 0, distances[i], np.inf)
        if slopes.max() > worst:
            worst, pair = float(slopes.max()), (i, int(slopes.argmax()))
    return MetricLoss(worst * _UP, pair, broken, inputs * (inputs - 1))


def _ratios(first: Int64, second: Int64, outputs: Iterable[int]) -> list[Fraction]:
    """Return the exact ratios of the probabilities of these outputs under two inputs, from their weights."""
    mine, theirs = sum(first.tolist()), sum(second.tolist())
    return [Fraction(int(first[w]) * theirs, int(second[w]) * mine) for w in outputs]


def metric_certificate(tiles: Tiles, steps: Float32, step: float, *, rate: float, furthest: float) -> MetricCertificate:
    """Return a bound on the loss for each unit of distance over all pairs and outputs of a large table.

    Args:
        tiles: Rows -> (offset into them, weights of the next few); outputs are the inputs.
        steps: One vector an input, in whole numbers of `step`, none longer than 2048.
        step: Their unit.
        rate: The law's parameter, as a guess.
        furthest: D, where distances are cut, as a guess.
    """
    vectors, inputs = _Vectors(steps, step), len(steps)
    parts = in_threads(lambda rows: _measure(tiles, rows, vectors, rate, furthest), inputs, inputs)
    totals = np.concatenate([part for part, _ in parts])
    deviation = max(worst for _, worst in parts)
    _check_twins(tiles, steps)
    logs = np.log(totals.astype(np.float64))
    slopes = in_threads(lambda rows: _steepest(rows, vectors, logs, 2 * deviation), inputs, inputs)
    slope, pair, _ = max(slopes)
    nearest = min(near for *_, near in slopes)
    attained = _attained(tiles, pair) / float(vectors.apart(np.array(pair[:1]))[0, pair[1]]) if slope else 0.0
    return MetricCertificate((rate / 2 + slope) * _UP, attained, pair, deviation, nearest)


def judge_metric(loss: MetricLoss | MetricCertificate, claimed: float, *, inputs: int, where: str) -> Finding:
    """Return the finding about a metric claim."""
    if isinstance(loss, MetricLoss):
        held = not loss.broken
        how = f"all {loss.pairs:,} pairs and {inputs:,} outputs enumerated"
        figures: dict[str, float | None] = {"pairs_above_the_claim": loss.broken, "loss_per_unit": loss.per_unit}
    else:
        held = loss.per_unit <= claimed
        how = f"all {inputs * inputs:,} weights within {loss.deviation:.2e} of the ideal, so for all pairs"
        figures = {
            "certified_loss_per_unit": loss.per_unit,
            "attained_by_worst_pair": loss.attained,
            "deviation": loss.deviation,
            "nearest_distance": loss.nearest if math.isfinite(loss.nearest) else None,
        }
    says = f"The loss for each unit of distance is at most {loss.per_unit:.6f}, claimed {claimed:.6f} ({how}; {where})"
    all_figures = {"claimed_per_unit": claimed, **figures, "inputs": list(loss.pair)}
    return Finding.of("exact metric loss", not held, (f"{says}.", f"{says}: more than the claim."), all_figures)


def _measure(tiles: Tiles, rows: Int64, vectors: _Vectors, rate: float, furthest: float) -> tuple[Int64, float]:
    """Return the exact sums of these rows' weights, and the largest deviation of a weight's logarithm."""
    totals = np.empty(len(rows), np.int64)
    worst = 0.0
    for start in range(0, len(rows), _ROWS):
        here = rows[start : start + _ROWS]
        weights = np.concatenate([tile for _, tile in tiles(here)])
        totals[start : start + _ROWS] = weights.sum(axis=1)
        ideal = vectors.apart(here)
        np.minimum(ideal, furthest, out=ideal)
        ideal *= rate / 2
        at_home = weights[np.arange(len(here)), here]
        shares = weights / at_home[:, None]
        ideal += np.log(shares, out=shares)
        worst = max(worst, float(ideal.max()), -float(ideal.min()))
    return totals, worst


class _Vectors:
    """Vectors of whole numbers of a step, and their distances."""

    def __init__(self, steps: Float32, step: float) -> None:
        self.steps = steps
        self.step = step
        self.squares = np.einsum("ij,ij->i", steps, steps)
        if (steps != np.rint(steps)).any() or self.squares.max() > _LARGEST_SQUARE:
            raise ParameterError("steps must be whole numbers, and no vector longer than 2048 of them.")

    def apart(self, rows: Int64) -> Float64:
        """Return distances of these vectors to all; their squares in steps are whole numbers, exact in float32."""
        squares = self.steps[rows] @ self.steps.T
        squares *= np.float32(-2)
        squares += self.squares
        squares += self.squares[rows][:, None]
        distances: Float64 = np.sqrt(squares, dtype=np.float64)
        distances *= self.step
        return distances


def _steepest(rows: Int64, vectors: _Vectors, logs: Float64, error: float) -> tuple[float, tuple[int, int], float]:
    """Return the largest (|difference of logs| + error) / distance of these rows' pairs, the pair, and the nearest."""
    best, pair, nearest = 0.0, (0, 0), math.inf
    for start in range(0, len(rows), _ROWS):
        here = rows[start : start + _ROWS]
        apart = vectors.apart(here)
        apart[apart == 0] = math.inf  # itself, and twins, which are looked at by themselves
        slopes = logs[here][:, None] - logs
        np.abs(slopes, out=slopes)
        slopes += error
        slopes /= apart
        index = int(slopes.argmax())
        nearest = min(nearest, float(apart.min()))
        if slopes.flat[index] > best:
            best, pair = float(slopes.flat[index]), (int(here[index // len(logs)]), index % len(logs))
    return best, pair, nearest


def _check_twins(tiles: Tiles, steps: Float32) -> None:
    """Refuse a table in which two inputs at distance 0 have different laws: no loss would be small enough."""
    _, first, group = np.unique(steps, axis=0, return_index=True, return_inverse=True)
    representative = first[group.ravel()]
    for row in np.flatnonzero(representative != np.arange(len(steps))):
        if (_row(tiles, int(row)) != _row(tiles, int(representative[row]))).any():
            raise ParameterError("Two inputs at distance 0 have different laws; a metric claim forbids that.")


def _row(tiles: Tiles, row: int) -> Int64:
    _, tile = next(tiles(np.array([row])))
    weights: Int64 = tile[0].copy()
    return weights


def _attained(tiles: Tiles, pair: tuple[int, int]) -> float:
    """Return the loss between two inputs in either direction, from integers."""
    first, second = (_row(tiles, row) for row in pair)
    ratios = _ratios(first, second, range(len(first)))
    return log_up(max(max(ratios), 1 / min(ratios)))
