"""Compiled pass over all pairs of words for `metric_pairs`. Imported only when compiling pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled
from allonym.mechanisms._loops.exponential import split_row, weight_at

_BLOCK = 64

Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]
Near = tuple[Int64, Float32, Int64]


@compiled
def note_near(row: Float32, first: int, closest: np.float32, near: Near) -> None:
    """Write down which words of a row score at least `closest`, the first of them (the word itself) left out.

    Beyond the room there is, they are only counted.
    """
    words, scores, count = near
    for start in range(0, row.shape[0], _BLOCK):
        passing = np.int32(0)
        stop = min(start + _BLOCK, row.shape[0])
        for j in range(start, stop):
            passing += np.int32(row[j] >= closest)
        if passing:
            for j in range(max(start, 1), stop):
                if row[j] >= closest:
                    if count[0] < scores.shape[0]:
                        words[count[0], 0] = first
                        words[count[0], 1] = first + j
                        scores[count[0]] = row[j]
                    count[0] += 1


@compiled
def total_pairs(
    products: Float32,
    first: int,
    squares: Float32,
    grid: tuple[np.float32, np.float32, np.float32, np.float32],
    quintic: Float32,
    split: NDArray[np.int32],
    totals: Int64,
    near: Near,
) -> None:
    """Add the weights of the pairs of words first + i, first + i + j (j ≥ 0) to the totals of both.

    `products` are those of the words from row `first` on with all from there on; they are overwritten. `grid` holds
    units of distance in a step, the best score, the lowest, and steps of the law in a unit; see `closeness`.
    """
    fraction, best, lowest, rate = grid
    for i in range(products.shape[0]):
        row = products[i, i:]
        others = squares[first + i :]
        own = others[0]
        for j in range(row.shape[0]):
            row[j] = best - np.rint(np.sqrt(row[j] * np.float32(-2.0) + others[j] + own) * fraction)
        if near[1].shape[0]:
            note_near(row, first + i, np.float32(near[2][1]), near)
        for j in range(row.shape[0]):
            row[j] = max(row[j], lowest)
        split_row(row, rate, quintic, split)
        sums = totals[first + i :]
        total = np.int64(0)
        for j in range(1, row.shape[0]):
            weight = weight_at(split, j)
            total += weight
            sums[j] += weight
        sums[0] += total + weight_at(split, 0)
