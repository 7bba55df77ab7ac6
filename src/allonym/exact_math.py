"""Logarithms, powers of e, sines and cosines that have the same bits on every machine.

Libraries compute them by instructions that the processor happens to have, and their last bits differ. Here they are
made of single operations of IEEE 754 in float64, each of which is the same everywhere, and good to about 1e-15.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Doubles = NDArray[np.float64]

_LOG_2: Final = 0.6931471805599453
_LOG_2_HIGH, _LOG_2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # their sum; whole multiples are exact
_ROOT_OF_HALF: Final = 0.7071067811865476
_LEAST, _MOST = -745.0, 709.0  # beyond, e^x is 0 or more than float64 holds
# Coefficients, highest powers first.
_LOG_PARTS: Final = tuple(1 / (2 * power + 1) for power in range(12, -1, -1))
_EXP_PARTS: Final = tuple(1 / math.factorial(power) for power in range(15, -1, -1))
_SINE_PARTS: Final = tuple((-1) ** power / math.factorial(2 * power + 1) for power in range(9, -1, -1))
_COSINE_PARTS: Final = tuple((-1) ** power / math.factorial(2 * power) for power in range(10, -1, -1))


def log(x: ArrayLike) -> Doubles:
    """Return natural logarithms; −inf for 0."""
    parts, exponents = np.frexp(np.asarray(x, np.float64))
    small = parts < _ROOT_OF_HALF
    parts = np.where(small, 2 * parts, parts)  # from √½ up to √2
    ratio = (parts - 1) / (parts + 1)  # ln m = 2·artanh of it
    found = (exponents - small) * _LOG_2 + 2 * ratio * _polynomial(ratio * ratio, _LOG_PARTS)
    return np.where(parts > 0, found, -np.inf)


def exp(x: ArrayLike) -> Doubles:
    """Return e^x, for x of at most 709."""
    given = np.clip(np.asarray(x, np.float64), _LEAST, _MOST)
    doublings = np.rint(given / _LOG_2)
    rest = (given - doublings * _LOG_2_HIGH) - doublings * _LOG_2_LOW
    found: Doubles = np.ldexp(_polynomial(rest, _EXP_PARTS), doublings.astype(np.int32))
    return found


def sine_and_cosine(x: Doubles) -> tuple[Doubles, Doubles]:
    """Return both, of angles from −1 to 1."""
    square = x * x
    return x * _polynomial(square, _SINE_PARTS), _polynomial(square, _COSINE_PARTS)


def _polynomial(x: Doubles, parts: tuple[float, ...]) -> Doubles:
    found = np.full_like(x, parts[0])
    for part in parts[1:]:
        found = found * x + part
    return found
