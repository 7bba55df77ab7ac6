"""Compiled twins of the NumPy passes over distances. Imported only when compiling pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@compiled
def score_tile(
    tile: Float32, row_squares: Float32, squares: Float32, fraction: np.float32, furthest: np.float32
) -> None:
    """Turn dot products into furthest − distance, in whole units."""
    for i in range(tile.shape[0]):
        row = tile[i]
        for j in range(row.shape[0]):
            square = row[j] * np.float32(-2.0) + squares[j] + row_squares[i]
            row[j] = furthest - np.rint(np.sqrt(square) * fraction)


@compiled
def steepest(
    tile: Float32, logs_of_rows: Float64, logs: Float64, furthest: float, unit: float, errors: Float64
) -> float:
    """Return the largest (|difference of logs| + errors[1]) / (distance − errors[0]) of a tile."""
    steepest_so_far = 0.0
    for i in range(tile.shape[0]):
        for j in range(tile.shape[1]):
            apart = (furthest - np.float64(tile[i, j])) * unit - errors[0]
            difference = abs(logs_of_rows[i] - logs[j]) + errors[1]
            if (
                difference >= steepest_so_far * apart and apart > 0.0
            ):  # spares most divisions, and never one that matters
                steepest_so_far = max(steepest_so_far, difference / apart)
    return steepest_so_far
