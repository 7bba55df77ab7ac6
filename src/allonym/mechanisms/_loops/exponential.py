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
_2_52 = 2.0**52
_FLOAT_2_52 = np.int64(0x4330000000000000)  # its bits

Int64 = NDArray[np.int64]
Split = NDArray[np.int32]


@compiled
def split_row(row: NDArray[np.float32], rate: np.float32, quintic: NDArray[np.float32], split: Split) -> np.float32:
    """Fill `split` with the octave and mantissa of each weight of one row of grid scores; return the best of these.

    Two plain arrays of 32 bits, because loops over them vectorise where one that mixes widths does not.
    """
    octaves = split[0]
    mantissas = split[1]
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
    return anchor


@compiled
def weight_at(split: Split, j: int) -> np.int64:
    """Return one weight of a split row."""
    return max((np.int64(split[1, j]) << _SHIFT) >> np.int64(split[0, j]), np.int64(1))


@compiled
def total_tile(
    tile: NDArray[np.float32],
    rate: np.float32,
    quintic: NDArray[np.float32],
    split: Split,
    totals: Int64,
    bests: NDArray[np.float32],
) -> None:
    """Fill `totals` with the sum of each row's weights, and `bests` with its best score."""
    for i in range(tile.shape[0]):
        bests[i] = split_row(tile[i], rate, quintic, split)
        total = np.int64(0)
        for j in range(tile.shape[1]):
            total += weight_at(split, j)
        totals[i] = total


@compiled
def measure_tile(
    tile: NDArray[np.float32],
    rate: np.float32,
    quintic: NDArray[np.float32],
    split: Split,
    weights: tuple[Int64, NDArray[np.float64]],
    highest: NDArray[np.float64],
    lowest: NDArray[np.float64],
) -> None:
    """Update, for each output, the highest and the lowest probability that any row gives it.

    `weights` is scratch, seen as integers and as floats: few processors turn many 64-bit integers into floats at once,
    but one below 2^52 becomes a float by writing it into the last bits of 2^52, which is then subtracted.
    """
    bits, floats = weights
    for i in range(tile.shape[0]):
        split_row(tile[i], rate, quintic, split)
        total = np.int64(0)
        for j in range(tile.shape[1]):
            weight = weight_at(split, j)
            bits[j] = weight | _FLOAT_2_52
            total += weight
        inverse = 1.0 / total
        for j in range(tile.shape[1]):
            probability = (floats[j] - _2_52) * inverse
            highest[j] = max(highest[j], probability)
            lowest[j] = min(lowest[j], probability)


@compiled
def invert_row(split: Split, words: NDArray[np.uint64], drawn: Int64, ends: Int64) -> None:
    """Draw from one row: word t of an attempt -> the output whose weight interval holds it, or −1 if refused.

    `words` is (attempts, draws). The rule is that of `randomness.fold`: words above the largest multiple of the
    total are refused. Block totals first, then a walk inside the block, so no running sum is written.
    """
    count = split.shape[1]
    blocks = count // _BLOCK
    total = np.int64(0)
    for b in range(blocks):
        block = np.int64(0)
        for k in range(_BLOCK):  # a fixed length, which vectorises
            block += weight_at(split, b * _BLOCK + k)
        total += block
        ends[b] = total
    if count % _BLOCK:
        for j in range(blocks * _BLOCK, count):
            total += weight_at(split, j)
        ends[blocks] = total
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
        reached = weight_at(split, j)
        if low > 0:
            reached += ends[low - 1]
        while reached <= target:
            j += 1
            reached += weight_at(split, j)
        drawn[t] = j


@compiled
def draw_tile(
    tile: NDArray[np.float32],
    rate: np.float32,
    quintic: NDArray[np.float32],
    split: Split,
    ends: Int64,
    starts: Int64,
    words: NDArray[np.uint64],
    drawn: Int64,
) -> None:
    """Draw starts[i] … starts[i + 1] − 1 from row i of the tile."""
    for i in range(tile.shape[0]):
        split_row(tile[i], rate, quintic, split)
        mine = slice(starts[i], starts[i + 1])
        invert_row(split, words[:, mine], drawn[mine], ends)
