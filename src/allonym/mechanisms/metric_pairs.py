"""What `metric_exponential` must know of all pairs of words: sums of weights, and where their logarithms are steepest.

Distances are symmetric, so a pass looks at each pair once. And the first pass writes down the pairs of words that lie
near one another, because slopes, (|difference of logs| + an error) / distance, are steep there: with those known, a
pair further apart could only be steeper if its logs differed more than most do, so that few words are left to look at.
The answer is the maximum over all pairs, the same as that of a second pass over all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import in_threads, slab_bytes, worth_compiling
from allonym.arithmetic import LN2
from allonym.mechanisms.exponential import Exponential
from allonym.mechanisms.weights import LARGEST_STEP, QUINTIC, STEPS_PER_OCTAVE
from allonym.vectors.closeness import FURTHEST, WordCloseness

Int64 = NDArray[np.int64]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
_Grid = tuple[np.float32, np.float32, np.float32, np.float32]
_Noted = tuple[Int64, Float32, Int64]

_SLAB_ROWS = 512
_SAMPLE = 64  # words that show what is near
_NEAR_A_WORD = 2  # words that count as near, on average
_MOST_NEAR_A_WORD = 16  # more are not written down, and then none are: a table of clusters
_FRACTION = 4096  # units of distance in a step of the closeness
_DOWN = 1 - 1e-12  # float64 errs by less


@dataclass(frozen=True)
class _Near:
    """Pairs of words within `limit` units of one another: all of them."""

    words: Int64
    units: Float64
    limit: float


class AllPairs:
    """Passes over all pairs of words.

    Privacy: spends nothing; a function of public word vectors alone.
    """

    def __init__(self, closeness: WordCloseness) -> None:
        self._closeness = closeness
        self._words = closeness.shape[0]
        self._near: _Near | None = None

    def totals(self, law: Exponential, lowest: float) -> Int64:
        """Return the sum of the weights of each word under a law of scores that fall no further than `lowest`."""
        if not worth_compiling(self._words**2):
            self._near = self._near_by_tiles() if self._near is None else self._near
            return law.totals()
        unit, words = self._closeness.unit, self._words
        # As `StreamedWeights` has it.
        rate = min(law.epsilon / (2 * law.sensitivity) / LN2 * STEPS_PER_OCTAVE * unit, LARGEST_STEP)
        grid = (np.float32(_FRACTION), np.float32(FURTHEST), np.float32(lowest), np.float32(rate))
        steps = np.rint(self._closeness.rounded / (unit * _FRACTION)).astype(np.float32)
        limit = self._usual_near() if self._near is None else 0.0
        room = _MOST_NEAR_A_WORD * words if limit else 0

        def add(part: Int64) -> tuple[Int64, Int64, Float32, int]:
            near = (
                np.empty((room, 2), np.int64),
                np.empty(room, np.float32),
                np.array([0, FURTHEST - limit], np.int64),
            )
            totals = np.zeros(words, np.int64)
            self._add(_folded(part, words), steps, grid, totals, near)
            count = int(near[2][0])
            return totals, near[0][:count], near[1][:count], count

        parts = in_threads(add, words, words)
        if limit and sum(found for *_, found in parts) <= room:  # so that it does not depend on the number of parts
            pairs, scores = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
            order = np.lexsort(pairs.T[::-1])
            self._near = _Near(pairs[order], FURTHEST - scores[order].astype(np.float64), limit)
        summed: Int64 = np.sum([totals for totals, *_ in parts], axis=0)
        return summed

    def _add(self, slabs: list[slice], steps: Float32, grid: _Grid, totals: Int64, near: _Noted) -> None:
        """Add the weights of the pairs of some words with all that follow them."""
        from allonym.mechanisms._loops.metric import total_pairs

        squares = np.einsum("ij,ij->i", steps, steps)
        buffer = np.empty(max((slab.stop - slab.start for slab in slabs), default=0) * self._words, np.float32)
        split = np.empty((2, self._words), np.int32)
        for slab in slabs:
            # A copy: for an array and itself NumPy asks for a triangle (SSYRK), which OpenBLAS 0.3.31 gets wrong on
            # aarch64 with SME, or with SVE registers of 512 bits.
            rows, others = steps[slab].copy(), steps[slab.start :]
            products = buffer[: len(rows) * len(others)].reshape(len(rows), len(others))
            np.matmul(rows, others.T, out=products)
            total_pairs(products, slab.start, squares, grid, QUINTIC, split, totals, near)

    def _near_by_tiles(self) -> _Near | None:
        """Return the pairs that `totals` writes down where it is compiled."""
        limit, room = self._usual_near(), _MOST_NEAR_A_WORD * self._words
        pairs, scores = [np.empty((0, 2), np.int64)], [np.empty(0, np.float32)]
        for offset, tile in self._closeness.tiles(np.arange(self._words)):
            rows, columns = np.nonzero(tile >= np.float32(FURTHEST - limit))
            later = columns > rows + offset
            pairs.append(np.stack([rows + offset, columns], axis=1)[later])
            scores.append(tile[rows, columns][later])
            if sum(map(len, scores)) > room:
                return None
        return (
            _Near(np.concatenate(pairs), FURTHEST - np.concatenate(scores).astype(np.float64), limit) if limit else None
        )

    def _usual_near(self) -> float:
        """Return a distance in units within which a word has a few others, on average over a sample."""
        rows = np.unique(np.arange(_SAMPLE) * (self._words - 1) // (_SAMPLE - 1))
        nearest = _SAMPLE * _NEAR_A_WORD
        scores = [np.sort(tile.ravel())[-nearest - len(tile) :] for _, tile in self._closeness.tiles(rows)]
        units = FURTHEST - np.sort(np.concatenate(scores)).astype(np.float64)
        return float(units[-min(nearest + len(rows), len(units))])  # each is nearest to itself

    def steepest(self, logs: Float64, errors: Float64) -> float:
        """Return the largest (|difference of logs| + errors[1]) / (distance − errors[0]) of all pairs.

        Words with one vector have one law, so they lose nothing; all others are at least a step apart.
        """
        if self._near is None:
            return self._steepest_of(np.arange(self._words), logs, errors)
        slopes = self._near_slopes(logs, errors)
        slope = float(slopes.max(initial=0.0))
        # All other pairs are further apart than the limit; steeper are only those that differ by more than this.
        edge = (slope * ((self._near.limit + 1) * self._closeness.unit - errors[0]) - errors[1]) * _DOWN
        high, low = np.flatnonzero(logs - logs.min() > edge), np.flatnonzero(logs.max() - logs > edge)
        return max(slope, self._steepest_of(min(high, low, key=len), logs, errors))

    def steepest_near(self, logs: Float64, errors: Float64, most: int) -> Int64:
        """Return the steepest of the pairs that are known to be near one another, at most so many."""
        if self._near is None:
            return np.empty((0, 2), np.int64)
        return self._near.words[np.argsort(-self._near_slopes(logs, errors), kind="stable")[:most]]

    def _near_slopes(self, logs: Float64, errors: Float64) -> Float64:
        if self._near is None:
            return np.empty(0)
        apart = self._near.units * self._closeness.unit - errors[0]
        first, second = self._near.words.T
        slopes = (np.abs(logs[first] - logs[second]) + errors[1]) / np.where(apart > 0, apart, np.inf)
        return np.asarray(slopes, np.float64)

    def _steepest_of(self, rows: Int64, logs: Float64, errors: Float64) -> float:
        """Return the steepest of these words' pairs with all words."""
        steepest = _compiled_steepest() if worth_compiling(len(rows) * self._words) else _steepest
        unit = self._closeness.unit

        def worst(part: Int64) -> float:
            logs_of_rows = logs[rows[part]]
            slopes = (
                steepest(tile, logs_of_rows[offset : offset + len(tile)], logs, float(FURTHEST), unit, errors)
                for offset, tile in self._closeness.tiles(rows[part])
            )
            return max(slopes, default=0.0)

        return max(in_threads(worst, len(rows), self._words), default=0.0)


def _folded(part: Int64, words: int) -> list[slice]:
    """Return the slabs of rows for a thread: early ones, which have many words after them, with late ones."""
    rows = max(1, min(_SLAB_ROWS, slab_bytes() // (4 * words)))
    slabs = [slice(start, min(start + rows, words)) for start in range(0, words, rows)]
    pairs = -(-len(slabs) // 2)
    chosen = slice(int(part[0]) * pairs // words, (int(part[-1]) + 1) * pairs // words) if len(part) else slice(0)
    early, late = slabs[chosen], slabs[::-1][chosen]
    return early + [slab for slab in late if slab not in early]


def _steepest(
    tile: Float32, logs_of_rows: Float64, logs: Float64, furthest: float, unit: float, errors: Float64
) -> float:
    """Return the steepest of a tile of scores."""
    apart = (furthest - tile.astype(np.float64)) * unit - errors[0]
    differences = np.abs(logs_of_rows[:, None] - logs) + errors[1]
    return float(np.max(differences[apart > 0] / apart[apart > 0], initial=0.0))


def _compiled_steepest() -> Callable[..., float]:
    from allonym.vectors._loops.closeness import steepest

    return steepest
