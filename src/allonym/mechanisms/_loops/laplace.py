"""Compiled twin of `LaplaceND.perturb`: the same operations in the same order. Imported only when compiling pays.

Every loop is a plain pass over a row that stays in the innermost cache, which vectorises on any processor.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled
from allonym.arithmetic import (
    ATANH_TERMS,
    COSINE_TERMS,
    EXPONENT_SHIFT,
    LN2,
    SINE_TERMS,
    SQRT_HALF,
    SQRT_HALF_BITS,
    TWO_PI,
)
from allonym.mechanisms.laplace import FACTORS

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_FAR_BELOW = SQRT_HALF - 1
_ROWS = 6  # of scratch: exponents, f or an angle, its square, a sum and two results


def moved_points(starts: Float64, numbers: Float64, dimensions: int, epsilon: float, grid: float) -> Float64:
    """Return the points moved and rounded to the grid."""
    moved = np.empty((len(numbers), dimensions))
    scratch = np.empty((_ROWS, 2 * dimensions + FACTORS))
    numbers = np.ascontiguousarray(numbers)
    views = (numbers, numbers.view(np.int64))
    move(np.broadcast_to(starts, moved.shape), views, epsilon, grid, scratch, scratch.view(np.int64), moved)
    return moved


@compiled
def add_up(row: Float64, width: int) -> float:
    """Return the sum of the first numbers of a row, which is overwritten: halves are added, as in `arithmetic`."""
    if width == 0:
        return 0.0
    while width > 1:
        half = (width + 1) // 2
        early = row[:half]
        late = row[half:width]
        for j in range(width - half):
            early[j] += late[j]
        width = half
    total: float = row[0]
    return total


@compiled
def sum_series(terms: Float64, x: Float64, total: Float64) -> None:
    """Fill `total` with terms[0] + terms[1]·x + … and so on."""
    for j in range(x.shape[0]):
        total[j] = terms[-1]
    for k in range(len(terms) - 2, -1, -1):
        term = terms[k]
        for j in range(x.shape[0]):
            total[j] = total[j] * x[j] + term


@compiled
def log_of_one_plus(f: Float64, square: Float64, total: Float64) -> None:
    """Turn f into ln(1 + f)."""
    for j in range(f.shape[0]):
        f[j] = f[j] / (f[j] + 2.0)
        square[j] = f[j] * f[j]
    sum_series(ATANH_TERMS, square, total)
    for j in range(f.shape[0]):
        f[j] = total[j] * f[j]


@compiled
def split_bits(bits: Int64, exponents: Float64, mantissas: Int64) -> None:
    """Fill exponents and mantissas (as bits) of positive numbers."""
    for j in range(bits.shape[0]):
        exponent = (bits[j] - SQRT_HALF_BITS) >> EXPONENT_SHIFT
        mantissas[j] = bits[j] - (exponent << EXPONENT_SHIFT)
        exponents[j] = np.float64(exponent)


@compiled
def exponentials(numbers: Float64, bits: Int64, scratch: Float64, scratch_bits: Int64, found: Float64) -> None:
    """Fill `found` with −ln U of each number."""
    count = numbers.shape[0]
    exponents = scratch[0, :count]
    f = scratch[1, :count]
    split_bits(bits, exponents, scratch_bits[1, :count])
    for j in range(count):
        x = numbers[j]
        twice = x * 2.0 + 1.0
        f[j] = (twice if x < _FAR_BELOW else x) if x < 0.0 else f[j] - 1.0
        exponents[j] = (-1.0 if x < _FAR_BELOW else 0.0) if x < 0.0 else exponents[j]
    log_of_one_plus(f, scratch[2, :count], scratch[3, :count])
    for j in range(count):
        found[j] = -(exponents[j] * LN2 + f[j])


@compiled
def exponential_sum(numbers: Float64, scratch: Float64, scratch_bits: Int64) -> float:
    """Return −Σ ln U."""
    count = numbers.shape[0]
    groups = -(-count // FACTORS)
    uniforms = scratch[0, : FACTORS * groups]
    for j in range(count):
        uniforms[j] = numbers[j] + (1.0 if numbers[j] < 0.0 else 0.0)
    for j in range(count, FACTORS * groups):
        uniforms[j] = 1.0
    products = scratch[2, :groups]
    for j in range(groups):
        product = uniforms[j] * uniforms[groups + j] * uniforms[2 * groups + j]
        products[j] = product * uniforms[3 * groups + j]
    exponents = scratch[0, :groups]
    f = scratch[1, :groups]
    split_bits(scratch_bits[2, :groups], exponents, scratch_bits[1, :groups])
    for j in range(groups):
        f[j] = f[j] - 1.0
    log_of_one_plus(f, scratch[2, :groups], scratch[3, :groups])
    for j in range(groups):
        f[j] = exponents[j] * LN2 + f[j]
    return -add_up(f, groups)


@compiled
def cosines_and_sines(turns: Float64, quarters: Float64, scratch: Float64) -> None:
    """Turn the turns into cosines, and fill scratch[5] with the sines."""
    count = turns.shape[0]
    t = scratch[1, :count]
    square = scratch[2, :count]
    for j in range(count):
        quarters[j] = np.rint(turns[j] * 4.0)
        t[j] = (turns[j] - quarters[j] * 0.25) * TWO_PI
        square[j] = t[j] * t[j]
    cosines = scratch[3, :count]
    sines = scratch[5, :count]
    sum_series(COSINE_TERMS, square, cosines)
    sum_series(SINE_TERMS, square, sines)
    for j in range(count):
        sine = sines[j] * t[j]
        quarter = quarters[j]
        odd = abs(quarter) == 1.0
        half = -1.0 if abs(quarter) == 2.0 else 1.0
        sines[j] = half * (quarter * cosines[j] if odd else sine)
        turns[j] = half * (-quarter * sine if odd else cosines[j])


@compiled
def move(
    starts: Float64,
    views: tuple[Float64, Int64],
    epsilon: float,
    grid: float,
    scratch: Float64,
    scratch_bits: Int64,
    moved: Float64,
) -> None:
    """Fill `moved`. The numbers come twice: as they are, and as their bits."""
    numbers, bits = views
    n = moved.shape[1]
    pairs = (n + 1) // 2
    whole = n // 2
    sizes = np.empty(pairs)
    turns = np.empty(pairs)
    for i in range(numbers.shape[0]):
        row = moved[i]
        exponentials(numbers[i, :pairs], bits[i, :pairs], scratch, scratch_bits, sizes)
        further = exponential_sum(numbers[i, 2 * pairs :], scratch, scratch_bits)
        for j in range(pairs):
            scratch[0, j] = sizes[j]
            sizes[j] = np.sqrt(sizes[j])
            turns[j] = numbers[i, pairs + j]
        radius = (add_up(scratch[0], pairs) + further) / epsilon
        if n % 2:
            turns[pairs - 1] *= 0.5
        cosines_and_sines(turns, scratch[4, :pairs], scratch)
        sines = scratch[5, :pairs]
        for j in range(whole):
            row[j] = turns[j] * sizes[j]
        late = row[whole:]
        for j in range(pairs):
            late[j] = sines[j] * sizes[j]
        for j in range(n):
            scratch[0, j] = row[j] * row[j]
        factor = radius / np.sqrt(add_up(scratch[0], n))
        for j in range(n):
            row[j] = np.rint((row[j] * factor + starts[i, j]) / grid) * grid
