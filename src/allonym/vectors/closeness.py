"""Distances of words as whole numbers on a public grid, a few rows at a time.

Vectors are first rounded: scaled so that the longest is just below 2048, each coordinate a whole number. Squared
distances are then integers of at most 2^24, exact in float32 in whatever order they are added (see `ratings`); the
square root is one IEEE operation, and distances are counted in 1/4096 of the grid. So all machines compute the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from allonym import arithmetic
from allonym.acceleration import worth_compiling
from allonym.errors import ParameterError
from allonym.vectors.products import Float32, WholeVectors

_LONGEST = 2048
_FRACTION = 4096  # units of distance in one step of the grid
FURTHEST = 2 * _LONGEST * _FRACTION  # 2^24


class WordCloseness:
    """Scores 2^24 − distance between all words of a table, as `ScoreRows`.

    Privacy: spends nothing; a function of public word vectors alone.

    Args:
        vectors: One row a word. They are rounded, and distances are those of the rounded ones: `rounded`.
    """

    def __init__(self, vectors: Float32) -> None:
        if vectors.ndim != 2 or not vectors.size:
            raise ParameterError(f"word vectors must be one row a word, got shape {vectors.shape}.")
        longest = float(arithmetic.lengths(vectors).max())
        room = _LONGEST - math.sqrt(vectors.shape[1]) / 2 - 1  # rounding lengthens a vector by at most √n/2
        if not 0 < longest < math.inf or room <= 0:
            raise ParameterError("word vectors must be finite, not all zero, and of fewer than 16 million dimensions.")
        step = longest / room
        steps = np.ascontiguousarray(np.rint(vectors.astype(np.float64) / step), dtype=np.float32)
        self._squares: Float32 = np.einsum("ij,ij->i", steps, steps)
        self._steps = WholeVectors(steps)
        self.shape = (len(vectors), len(vectors))
        self.unit = step / _FRACTION
        self.rounded: Float32 = (steps * step).astype(np.float32)

    def tiles(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, Float32]]:
        """Yield (offset into `rows`, scores of the next few words with every word)."""
        fast = worth_compiling(len(rows) * self.shape[1])
        finish, squares = _compiled_finish() if fast else _finish, self._squares
        return self._steps.products(rows, lambda tile, of: finish(tile, squares[of], squares), fast=fast)


def _finish(tile: Float32, row_squares: Float32, squares: Float32) -> None:
    """Turn dot products into scores, in place."""
    tile *= np.float32(-2.0)
    tile += squares
    tile += row_squares[:, None]
    np.sqrt(tile, out=tile)
    tile *= np.float32(_FRACTION)
    np.rint(tile, out=tile)
    np.subtract(np.float32(FURTHEST), tile, out=tile)


def _compiled_finish() -> Callable[[Float32, Float32, Float32], None]:
    from allonym.vectors._loops.closeness import score_tile

    def finish(tile: Float32, row_squares: Float32, squares: Float32) -> None:
        score_tile(tile, row_squares, squares, np.float32(_FRACTION), np.float32(FURTHEST))

    return finish
