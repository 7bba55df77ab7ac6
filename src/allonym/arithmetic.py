"""Arithmetic that gives the same bits on every machine, for all that decides a draw.

NumPy's logarithms and trigonometric functions come in several versions, one for each kind of processor, and a sum's
last digits depend on how many numbers a processor adds at once. Here there are only additions, subtractions,
multiplications, divisions and square roots of float64, which IEEE 754 rounds in one way, in an order that is fixed: a
retry on another machine draws what the first try drew.

The functions are series with a remainder below the rounding of their terms; see each for its error, which
`tests/exact/test_arithmetic.py` compares with 50 digits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

LN2 = 0.6931471805599453  # the float64 nearest to ln 2, as all that follow
SQRT_HALF = 0.7071067811865476
TWO_PI = 6.283185307179586
SQRT_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)
EXPONENT_SHIFT = np.int64(52)

# ln((1 + s)/(1 − s)) = 2s·(1 + s²/3 + s⁴/5 + …): for |s| ≤ 0.1716 what follows s²²/23 is below 2^−59 of the sum.
ATANH_TERMS = np.array([2 / (2 * k + 1) for k in range(12)])
# For an eighth of a turn, t ≤ 0.786: what follows t¹⁹/19! is below 2^−71 of sin t, and t²⁰/20! below 2^−68.
SINE_TERMS = np.array([(-1) ** k / math.factorial(2 * k + 1) for k in range(10)])
COSINE_TERMS = np.array([(-1) ** k / math.factorial(2 * k) for k in range(11)])
# For x ≤ ln 2: what follows x¹⁹/19! is below 2^−71.
EXPONENTIAL_TERMS = np.array([1 / math.factorial(k) for k in range(20)])


def added(numbers: Float64) -> Float64:
    """Return the sums over the last axis: the second half is added to the first until one number is left."""
    left = np.array(numbers, np.float64)
    width = left.shape[-1]
    if not width:
        return np.zeros(left.shape[:-1])
    while width > 1:
        half = (width + 1) // 2
        left[..., : width - half] += left[..., half:width]
        width = half
    return left[..., 0].copy()


def lengths(rows: NDArray[np.floating]) -> Float64:
    """Return the Euclidean length of each row."""
    wide = rows.astype(np.float64)
    wide *= wide
    return np.sqrt(added(wide))


def logarithm(numbers: Float64) -> Float64:
    """Return ln x of positive normal numbers, within 2^−50 of |ln x| or, near x = 1, of |x − 1|."""
    exponents, mantissas = split(np.asarray(numbers, np.float64))
    return exponents * LN2 + log_of_one_plus(mantissas - 1.0)


def split(numbers: Float64) -> tuple[Float64, Float64]:
    """Return e and m, with x = 2^e·m and m from √½ up to √2, of positive normal numbers. Exact: only bits are moved."""
    bits = np.ascontiguousarray(numbers).view(np.int64)
    exponents = (bits - SQRT_HALF_BITS) >> EXPONENT_SHIFT
    mantissas: Float64 = (bits - (exponents << EXPONENT_SHIFT)).view(np.float64)
    return exponents.astype(np.float64), mantissas.reshape(np.shape(numbers))


def log_of_one_plus(f: Float64) -> Float64:
    """Return ln(1 + f) for 1 + f from √½ to √2, within 2^−50 of |f|."""
    s = f / (f + 2.0)
    return series(ATANH_TERMS, s * s) * s


def series(terms: Float64, x: Float64) -> Float64:
    """Return terms[0] + terms[1]·x + terms[2]·x² + …, by Horner's rule."""
    total = np.full_like(x, terms[-1])
    for term in terms[-2::-1]:
        total *= x
        total += term
    return total


def cosine_and_sine(turns: Float64) -> tuple[Float64, Float64]:
    """Return cos 2πy and sin 2πy for |y| ≤ ½: each within 2^−50, the sine near 0 within 2^−50 of itself."""
    quarters = np.rint(turns * 4.0)
    t = (turns - quarters * 0.25) * TWO_PI  # the difference is exact
    square = t * t
    cosine, sine = series(COSINE_TERMS, square), series(SINE_TERMS, square) * t
    odd = np.abs(quarters) == 1.0
    turned_cosine, turned_sine = np.where(odd, -quarters * sine, cosine), np.where(odd, quarters * cosine, sine)
    half = np.where(np.abs(quarters) == 2.0, -1.0, 1.0)
    return half * turned_cosine, half * turned_sine


def power_of_two(exponents: Float64) -> Float64:
    """Return 2^x for any x above −1000, within 2^−50 of itself."""
    whole = np.ceil(exponents)
    fraction = series(EXPONENTIAL_TERMS, (exponents - whole) * LN2)
    return np.ldexp(fraction, whole.astype(np.int32))
