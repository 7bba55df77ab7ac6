"""Compiled twins of the NumPy passes in `exponential`. Imported only when compiling pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled
from allonym.mechanisms.weights import LARGEST_STEP, MANTISSA_BITS, STEP_BITS, STEPS_PER_OCTAVE, TOP_BITS

_MASK = np.int32(STEPS_PER_OCTAVE - 1)
_PER_STEP = np.float32(1 / STEPS_PER_OCTAVE)
_FURTHEST = np.float32(LARGEST_STEP)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_MANTISSA_ONE = np.float32(2**MANTISSA_BITS)
_SHIFT = np.int64(TOP_BITS - MANTISSA_BITS)
_BLOCK = 64

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


@compiled
def weigh_row(
    row: NDArray[np.float32],
    rate: np.float32,
    quintic: NDArray[np.float32],
    scratch: NDArray[np.int32],
    weights: Int64,
) -> np.int64:
    """Fill `weights` with the integer weights of one row of grid scores and return their sum.

    `scratch` holds octaves and mantissas: two plain loops over them vectorise where one mixed loop does not.
    """
    octaves = scratch[0]
    mantissas = scratch[1]
    best = np.int32(0)  # an integer maximum vectorises, a float one does not
    for j in range(row.shape[0]):
        best = max(best, np.int32(row[j]))
    anchor = np.float32(best)
    for j in range(row.shape[0]):
        step = np.int32(min((anchor - row[j]) * rate, _FURTHEST) + _HALF)
        x = np.float32(step & _MASK) * _PER_STEP
        power = ((((quintic[4] * x + quintic[3]) * x + quintic[2]) * x + quintic[1]) * x + quintic[0]) * x
        mantissas[j] = np.int32((power + _ONE) * _MANTISSA_ONE)
        octaves[j] = step >> STEP_BITS
    total = np.int64(0)
    for j in range(row.shape[0]):
        weight = max((np.int64(mantissas[j]) << _SHIFT) >> np.int64(octaves[j]), np.int64(1))
        weights[j] = weight
        total += weight
    return total


@compiled
def measure_tile(
    tile: NDArray[np.float32],
    rate: np.float32,
    quintic: NDArray[np.float32],
    scratch: NDArray[np.int32],
    weights: Int64,
    highest: Float64,
    lowest: Float64,
) -> None:
    """Update, for each output, the highest and the lowest probability that any row gives it."""
    for i in range(tile.shape[0]):
        inverse = 1.0 / weigh_row(tile[i], rate, quintic, scratch, weights)
        for j in range(weights.shape[0]):
            probability = weights[j] * inverse
            highest[j] = max(highest[j], probability)
            lowest[j] = min(lowest[j], probability)


@compiled
def invert_row(weights: Int64, total: np.int64, words: NDArray[np.uint64], drawn: Int64, ends: Int64) -> None:
    """Draw from one row: word t of an attempt -> the output whose weight interval holds it, or −1 if refused.

    `words` is (attempts, draws). The rule is that of `randomness.fold`: words above the largest multiple of the
    total are refused. Block totals first, then a walk inside the block, so no full running sum is written.
    """
    reached = np.int64(0)
    blocks = 0
    for start in range(0, weights.shape[0], _BLOCK):
        for j in range(start, min(weights.shape[0], start + _BLOCK)):
            reached += weights[j]
        ends[blocks] = reached
        blocks += 1
    bound = np.uint64(total)
    last_kept = np.uint64(0xFFFFFFFFFFFFFFFF) - (np.uint64(0) - bound) % bound
    for t in range(words.shape[1]):
        attempt = 0
        while attempt < words.shape[0] and words[attempt, t] > last_kept:
            attempt += 1
        if attempt == words.shape[0]:
            drawn[t] = -1
            continue
        target = np.int64(words[attempt, t] % bound)
        low = 0
        high = blocks - 1
        while low < high:
            middle = (low + high) // 2
            if ends[middle] > target:
                high = middle
            else:
                low = middle + 1
        j = low * _BLOCK
        reached = weights[j]
        if low > 0:
            reached += ends[low - 1]
        while reached <= target:
            j += 1
            reached += weights[j]
        drawn[t] = j


@compiled
def draw_tile(
    tile: NDArray[np.float32],
    rate: np.float32,
    quintic: NDArray[np.float32],
    scratch: NDArray[np.int32],
    weights: Int64,
    ends: Int64,
    starts: Int64,
    words: NDArray[np.uint64],
    drawn: Int64,
) -> None:
    """Draw starts[i] … starts[i + 1] − 1 from row i of the tile."""
    for i in range(tile.shape[0]):
        total = weigh_row(tile[i], rate, quintic, scratch, weights)
        mine = slice(starts[i], starts[i + 1])
        invert_row(weights, total, words[:, mine], drawn[mine], ends)
