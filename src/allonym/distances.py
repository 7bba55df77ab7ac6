"""Distances between words, documents and whole word tables, all of them exact.

A document is an array of word vectors, one row a word, or distinct rows with how often each occurs. What the
n-dimensional Laplace mechanism loses between two documents is its ε times one of these: the unnormalised word
mover's distance where both have n words, n times the bottleneck distance where n words are drawn from each.
A word mover's distance is the cost of a coupling that was found, so no error of a solver makes it too small.

Privacy: spends nothing. But a distance from a private document tells about it: compute it, do not publish it.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import AllonymError, ParameterError

_Floats: TypeAlias = NDArray[np.float64]
_Vectors: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
_Integers: TypeAlias = NDArray[np.int64]
_Precision: TypeAlias = type[np.float32] | type[np.float64]
_Weights: TypeAlias = ArrayLike | None
_Document: TypeAlias = tuple[_Floats, _Integers]  # distinct word vectors and how often each occurs

_TILE = 2048  # rows and columns of one tile of scores: 16 MiB of float32
_MATCHING_WORDS = 400  # up to here matching single words beats the import of POT alone
_SIMPLEX_STEPS = 10**9
_FLOW_BITS = 29  # scipy's flows are 32-bit integers, and it overflows in silence
_MOST_WORDS = 2**26  # the masses of two documents stay integers in float64


def word_movers(
    first: ArrayLike, second: ArrayLike, *, first_weights: _Weights = None, second_weights: _Weights = None
) -> float:
    """Return the normalised Word Mover's Distance: every document has mass 1, a word of n words 1/n.

    Definition 2 of Fernandes et al. defines this one, but their ε times distance holds for `unnormalised_word_movers`
    only. Two documents without words have distance 0.

    Args:
        first: Word vectors of a document, shape (words, dimensions).
        second: Word vectors of the other document.
        first_weights: How often each row of the first document occurs; once if not given.
        second_weights: The same for the second.

    Raises:
        ParameterError: A document is malformed, or just one of them is empty.
        AllonymError: The solver did not reach an optimum it can prove.

    Example:
        >>> word_movers([[0.0], [1.0]], [[1.0]])
        0.5
    """
    documents = _pair(first, second, first_weights, second_weights)
    if documents is None:
        return 0.0
    cost, mass = _transport(*documents)
    return cost / mass


def unnormalised_word_movers(
    first: ArrayLike, second: ArrayLike, *, first_weights: _Weights = None, second_weights: _Weights = None
) -> float:
    """Return the least sum of distances over all matchings of two documents of n words: n times `word_movers`.

    The arguments and errors are those of `word_movers`; unequal numbers of words are a `ParameterError`.

    Example:
        >>> unnormalised_word_movers([[0.0], [1.0]], [[1.0], [3.0]])
        3.0
    """
    documents = _pair(first, second, first_weights, second_weights)
    if documents is None:
        return 0.0
    words, others = (int(counts.sum()) for _, counts in documents)
    if words != others:
        raise ParameterError(f"Both documents must have equally many words, got {words} and {others}: use bottleneck.")
    return _transport(*documents)[0]


def bottleneck(
    first: ArrayLike, second: ArrayLike, *, first_weights: _Weights = None, second_weights: _Weights = None
) -> float:
    """Return the ∞-Wasserstein distance: the least t so that a coupling moves no mass further than t.

    The arguments and errors are those of `word_movers`. The numbers of words may differ.

    Example:
        >>> bottleneck([[0.0], [0.0], [5.0]], [[1.0]])
        4.0
    """
    documents = _pair(first, second, first_weights, second_weights)
    if documents is None:
        return 0.0
    distances = _distances(documents[0][0], documents[1][0])
    supply, demand = _masses(documents[0][1], documents[1][1])
    # Every word must go somewhere, so the search starts with the loneliest; often that is the answer.
    lonely = max(float(distances.min(axis=1).max()), float(distances.min(axis=0).max()))
    steps = np.unique(distances[distances >= lonely])

    def suffices(step: int) -> bool:
        return _carries(distances <= steps[step], supply, demand)

    return float(steps[0 if suffices(0) else bisect_left(range(len(steps) - 1), True, lo=1, key=suffices)])


def largest(first: ArrayLike, second: ArrayLike) -> float:
    """Return the largest distance between a word of one document and a word of the other."""
    documents = _pair(first, second, None, None)
    if documents is None:
        return 0.0
    one, other = documents[0][0], documents[1][0]
    return max(float(_distances(one[rows], other).max()) for rows in _slices(len(one), 1 + 2**22 // len(other)))


def diameter(vectors: ArrayLike) -> float:
    """Return the largest distance between any two vectors of a table, rounded up in about the 14th digit.

    Pairs whose lengths from the centre are too small together are skipped, float32 products with a bound on
    their rounding shortlist the others, and float64 products decide.

    Example:
        >>> round(diameter([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]]), 12)
        5.0
    """
    table = _DistanceTable.of(_points(vectors, "vectors", at_least=1))
    if table is None:
        return 0.0
    order = np.argsort(-table.half_squares, kind="stable")
    lengths = np.sqrt(2 * table.half_squares[order])
    best = 0.0
    for row in range(0, len(order), _TILE):
        for column in range(row, len(order), _TILE):
            at_least = best - table.rounding(np.float32)
            if (lengths[row] + lengths[column]) ** 2 < 2 * at_least:
                break
            rows, columns = order[row : row + _TILE], order[column : column + _TILE]
            possible = table.scores(rows, columns, np.float32) >= np.float32(at_least)
            if possible.any():
                rows, columns = rows[possible.any(axis=1)], columns[possible.any(axis=0)]
                best = max(best, float(table.scores(rows, columns, np.float64).max()))
    return math.nextafter(math.ldexp(math.sqrt(2 * (best + table.rounding(np.float64))), table.exponent), math.inf)


def nearest_neighbour_distances(vectors: ArrayLike) -> _Floats:
    """Return the distance of each vector to its nearest other vector; 0 for a vector that occurs twice.

    Float32 products with a bound on their rounding shortlist, float64 products and then differences decide.
    """
    points = _points(vectors, "vectors", at_least=2)
    distinct, numbers = _distinct(points)
    nearest = np.zeros(len(points))
    table = _DistanceTable.of(points[distinct] if len(distinct) < len(points) else points)
    if table is not None:
        distances = np.concatenate([table.nearest(rows) for rows in _slices(len(distinct), _TILE)])
        single = np.bincount(numbers)[numbers] == 1
        nearest[single] = distances[numbers[single]]
    return nearest


def _numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        numbers = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must have equally many numbers in each row, got others.") from error
    if numbers.dtype.kind not in "fiu":
        raise ParameterError(f"{name} must be numbers, got {numbers.dtype}: look the words up in a table first.")
    return numbers


def _points(vectors: ArrayLike, name: str, *, at_least: int) -> _Vectors:
    points = _numbers(vectors, name)
    if at_least == 0 and points.size == 0 and points.ndim in (1, 2):
        return np.empty((0, 1))
    if points.ndim != 2 or points.shape[1] < 1 or len(points) < at_least:
        raise ParameterError(
            f"{name} must be an array of {max(1, at_least)} or more rows, one word vector each, "
            f"got shape {points.shape}: give one word as [vector]."
        )
    points = points.astype(np.float32 if points.dtype in (np.float16, np.float32) else np.float64, copy=False)
    if not max(-float(points.min()), float(points.max())) < 1e300:  # NaN fails
        raise ParameterError(f"{name} must be finite and below 1e300, got others: drop those rows.")
    return np.ascontiguousarray(points)


def _counts(weights: _Weights, rows: int, name: str) -> _Integers:
    if weights is None:
        return np.ones(rows, dtype=np.int64)
    counts = _numbers(weights, name).astype(np.float64)
    if counts.shape != (rows,):
        raise ParameterError(f"{name} must be one number for each of the {rows} rows, got shape {counts.shape}.")
    if not ((counts >= 0) & (counts == np.floor(counts))).all() or not counts.sum() < _MOST_WORDS:
        raise ParameterError(
            f"{name} must be whole numbers of 0 or more that add up to less than {_MOST_WORDS}, got others: "
            f"give how often each word occurs, not its share."
        )
    return counts.astype(np.int64)


def _pair(
    first: ArrayLike, second: ArrayLike, first_weights: _Weights, second_weights: _Weights
) -> tuple[_Document, _Document] | None:
    """Check two documents and merge equal words; None if both are empty."""
    one, other = _document(first, first_weights, "first"), _document(second, second_weights, "second")
    if len(one[0]) == len(other[0]) == 0:
        return None
    if len(one[0]) == 0 or len(other[0]) == 0:
        raise ParameterError("Both documents must have words, or neither: leave the empty one out of the comparison.")
    if one[0].shape[1] != other[0].shape[1]:
        raise ParameterError("Both documents must have vectors of one table, got different dimensions.")
    return one, other


def _document(vectors: ArrayLike, weights: _Weights, name: str) -> _Document:
    points = _points(vectors, name, at_least=0)
    counts = _counts(weights, len(points), f"{name}_weights")
    points, counts = points[counts > 0], counts[counts > 0]
    distinct, numbers = _distinct(points)
    totals = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(totals, numbers, counts)
    return points[distinct].astype(np.float64), totals


def _distinct(points: _Vectors) -> tuple[_Integers, _Integers]:
    """Return the first row of each distinct vector, and for each vector which of these it equals."""
    rows: list[Any] = points.view(np.dtype((np.void, points.itemsize * points.shape[1]))).ravel().tolist()
    seen: dict[bytes, int] = {}
    numbers = np.fromiter((seen.setdefault(row, len(seen)) for row in rows), dtype=np.int64, count=len(rows))
    return np.unique(numbers, return_index=True)[1].astype(np.int64), numbers


def _distances(first: _Floats, second: _Floats) -> _Floats:
    from scipy.spatial.distance import cdist

    # A power of two costs no digit and keeps squares away from overflow and underflow.
    exponent = math.frexp(max(float(np.abs(first).max()), float(np.abs(second).max())))[1]
    return np.ldexp(cdist(np.ldexp(first, -exponent), np.ldexp(second, -exponent)), exponent)


def _masses(counts: _Integers, others: _Integers) -> tuple[_Integers, _Integers]:
    """Return both distributions as integers of one total, the least that makes them whole."""
    total, other_total = int(counts.sum()), int(others.sum())
    common = math.gcd(total, other_total)
    return counts * (other_total // common), others * (total // common)


def _transport(first: _Document, second: _Document) -> tuple[float, int]:
    """Return the least cost of moving the integer masses, and their total."""
    costs = _distances(first[0], second[0])
    words = int(first[1].sum())
    # Theorem 3: for equal lengths, whole words suffice. Many repeated words make the smaller flow problem faster.
    if words == int(second[1].sum()) and words <= max(_MATCHING_WORDS, 1.75 * min(costs.shape)):
        from scipy.optimize import linear_sum_assignment

        single = np.repeat(np.repeat(costs, first[1], axis=0), second[1], axis=1)
        return math.fsum(single[linear_sum_assignment(single)]), words
    supply, demand = _masses(first[1], second[1])
    return _network_simplex(costs, supply.astype(np.float64), demand.astype(np.float64)), int(supply.sum())


def _network_simplex(costs: _Floats, supply: _Floats, demand: _Floats) -> float:
    import ot  # late: it takes a second and looks for every array library there is

    scale = float(costs.max()) or 1.0
    scaled, mass = costs / scale, float(supply.sum())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it would warn of is an error here
        plan, log = ot.emd(supply, demand, scaled, numItermax=_SIMPLEX_STEPS, log=True)
    # The potentials, lowered until none exceeds a cost, prove that no plan costs less.
    excess = max(0.0, float((log["u"][:, None] + log["v"] - scaled).max()))
    proved = float(supply @ log["u"] + demand @ log["v"]) - mass * excess
    astray = max(float(np.abs(plan.sum(axis=1) - supply).max()), float(np.abs(plan.sum(axis=0) - demand).max()))
    cost = float((plan * scaled).sum())
    if log["warning"] is not None or not cost - proved <= 1e-10 * mass or not astray <= 1e-10 * mass:
        raise AllonymError("The word mover's distance did not converge: compare shorter documents.")
    return cost * scale


def _carries(allowed: NDArray[np.bool_], supply: _Integers, demand: _Integers) -> bool:
    """Tell whether the masses can be coupled over allowed pairs only: exact, by maximum flow or matching."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching, maximum_flow

    if len(supply) == len(demand) and (supply == 1).all() and (demand == 1).all():
        return bool((maximum_bipartite_matching(csr_array(allowed)) >= 0).all())
    starts, ends = (index.astype(np.int64) for index in np.nonzero(allowed))
    nodes, carried = len(supply) + len(demand) + 2, np.zeros(len(starts), dtype=np.int64)
    # Masses beyond 32 bits flow in rounds, coarse units first.
    unit = max(0, int(supply.sum()).bit_length() - _FLOW_BITS)
    while True:
        network = _network(starts, ends, supply >> unit, demand >> unit, carried >> unit)
        result = maximum_flow(csr_array(network, shape=(nodes, nodes)), nodes - 2, nodes - 1)
        if unit == 0:
            return int(result.flow_value) == int(supply.sum())
        moved = result.flow[: len(supply), len(supply) : -2].toarray()[allowed].astype(np.int64) << unit
        carried += moved
        supply, demand = supply.copy(), demand.copy()
        np.subtract.at(supply, starts, moved)
        np.subtract.at(demand, ends, moved)
        left = int(supply.sum())
        if left >= (len(starts) + nodes) << unit:  # each edge of the cut that stopped the flow had under a unit left
            return False
        unit = max(0, min(unit - 1, left.bit_length() - _FLOW_BITS))


def _network(
    starts: _Integers, ends: _Integers, supply: _Integers, demand: _Integers, carried: _Integers
) -> tuple[NDArray[np.int32], tuple[_Integers, _Integers]]:
    """Return the capacities that are left, and between which nodes: words, other words, source, sink."""
    words, nodes = len(supply), len(supply) + len(demand) + 2
    most, back = min(int(supply.sum()), int(demand.sum())), carried > 0
    tails = [starts, ends[back] + words, np.full(words, nodes - 2), np.arange(words, nodes - 2)]
    heads = [ends + words, starts[back], np.arange(words), np.full(len(demand), nodes - 1)]
    capacities = [np.full(len(starts), most), np.minimum(carried[back], most), supply, demand]
    return np.concatenate(capacities).astype(np.int32), (np.concatenate(tails), np.concatenate(heads))


@dataclass(frozen=True, eq=False)
class _DistanceTable:
    """Vectors seen from their centre and scaled by a power of two, so that the largest coordinate is in [½, 1)."""

    vectors: _Vectors
    centre: _Floats
    exponent: int
    close: NDArray[np.float32]
    half_squares: _Floats

    @classmethod
    def of(cls, vectors: _Vectors) -> _DistanceTable | None:
        """Return the table, or None if all vectors are equal."""
        low, high = vectors.min(axis=0).astype(np.float64), vectors.max(axis=0).astype(np.float64)
        if (low == high).all():
            return None
        centre = np.clip(vectors.mean(axis=0, dtype=np.float64), low, high)  # the mean of equal numbers can be another
        exponent = math.frexp(float(np.maximum(high - centre, centre - low).max()))[1]
        table = cls(vectors, centre, exponent, np.empty(vectors.shape, np.float32), np.empty(len(vectors)))
        for rows in _slices(len(vectors), _TILE):
            exact = table.exact(rows)
            table.close[rows], table.half_squares[rows] = exact, np.einsum("ij,ij->i", exact, exact) / 2
        return table

    def exact(self, rows: slice | _Integers) -> _Floats:
        """Return some vectors, centred and scaled, in float64."""
        return np.ldexp(self.vectors[rows].astype(np.float64) - self.centre, -self.exponent)

    def scores(self, rows: _Integers, columns: _Integers, precision: _Precision) -> _Vectors:
        """Return half the squared distances, each within `rounding` of the truth."""
        of = self.close.__getitem__ if precision is np.float32 else self.exact
        scores: _Vectors = of(rows) @ of(columns).T
        np.subtract(self.half_squares[columns].astype(precision), scores, out=scores)
        np.add(scores, self.half_squares[rows].astype(precision)[:, None], out=scores)
        return scores

    def rounding(self, precision: _Precision) -> float:
        """Bound the error of a score: of the product, both squares, the centring and the sums, with some to spare."""
        return float((len(self.centre) + 16) * np.finfo(precision).eps * 2 * self.half_squares.max())

    def nearest(self, block: slice) -> _Floats:
        """Return the distance to the nearest other vector for each of a block."""
        numbers = np.arange(len(self.vectors))
        rows, lowest, nearest = numbers[block], *np.full((2, len(numbers[block])), np.inf)
        rough, fine = self.rounding(np.float32), self.rounding(np.float64)
        for part in _slices(len(numbers), _TILE):
            scores = self.scores(rows, numbers[part], np.float32)
            if part == block:
                np.fill_diagonal(scores, np.inf)
            limits = np.minimum(scores.min(axis=1) + 2 * rough, lowest + rough)
            possible = scores <= limits.astype(np.float32)[:, None]
            left, columns = np.flatnonzero(possible.any(axis=1)), numbers[part][possible.any(axis=0)]
            if len(left) == 0:
                continue
            scores = self.scores(rows[left], columns, np.float64)
            scores[rows[left][:, None] == columns] = np.inf
            lowest[left] = np.minimum(lowest[left], scores.min(axis=1))
            # Where products settle 12 digits the closest is enough; elsewhere differences judge all that may be it.
            margin = np.where(4 * fine < 1e-12 * lowest[left], 0.0, 2 * fine)
            near, other = np.nonzero((scores <= (lowest[left] + margin)[:, None]) & (scores < np.inf))
            for pairs in _slices(len(near), 1 + 2**20 // len(self.centre)):
                here = left[near[pairs]]
                np.minimum.at(nearest, here, self.apart(rows[here], columns[other[pairs]]))
        return nearest

    def apart(self, rows: _Integers, columns: _Integers) -> _Floats:
        """Return the distances of pairs, from the differences of the vectors as they came."""
        differences = self.vectors[rows].astype(np.float64) - self.vectors[columns]
        exponents = np.frexp(np.abs(differences).max(axis=1))[1]
        lengths: _Floats = np.linalg.norm(np.ldexp(differences, -exponents[:, None]), axis=1)
        return np.ldexp(lengths, exponents)


def _slices(rows: int, most: int) -> Iterator[slice]:
    return (slice(start, start + most) for start in range(0, rows, most))
