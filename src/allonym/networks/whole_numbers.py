"""Arithmetic that gives the same bits on every processor, for networks whose numbers decide what is drawn.

Libraries add the products of a matrix in an order that depends on the processor, the shape and the threads, and floats
round otherwise in another order; their `exp` and `tanh` differ in the last bit, too. So here

- weights are int8 with a scale a row, what they multiply are whole numbers of 16 bits, or of 6 before the output layer,
  and every sum is exact: in 32-bit integers (`integer_products`), or in floats that hold it exactly, by any library;
- `tanh` and `e^x` are polynomials in single operations of IEEE 754 (+, −, ×, ÷), each of which is the same everywhere;
- what is left is one operation an element, rounded to the nearest, ties to even.

Compiled loops and NumPy give the same bits; which of them runs is a question of speed alone, and tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.errors import ModelError

Floats: TypeAlias = NDArray[np.float32]
Shorts: TypeAlias = NDArray[np.int16]
Sums: TypeAlias = NDArray[np.signedinteger[Any]]
Integers: TypeAlias = NDArray[np.int64]
Weights: TypeAlias = Mapping[str, NDArray[Any]]

SCALE = ".scale"  # ends the name of the scales of an int8 matrix, one for each of its rows
ONE = 32767  # stands for 1 in the states of a network, which lie between −1 and 1
ONE_INVERSE = np.float32(1) / np.float32(ONE)
COARSE = 31  # four products with unsigned bytes add up to less than 2^15, as the oldest instruction for bytes asks
_LARGEST_SUM = 2**31 - 1
# tanh x is x·p(x²)/q(x²) up to where it is 1 in float32; highest powers first. Eigen has the same coefficients.
TANH_END = np.float32(7.90531110763549805)
TANH_ABOVE = np.array(
    [-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
     6.37261928875436e-04, 4.89352455891786e-03], np.float32
)  # fmt: skip
TANH_BELOW = np.array(
    [1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03], np.float32
)
# 2^x on [0, 1) is 1 + x·(…), highest powers first; relative error below 2e-7, and e^0 is 1.
EXP_PARTS = np.array([0.0018671302, 0.00901703, 0.055799913, 0.24016444, 0.6931513, 1.0], np.float32)
LOG2_E = np.float32(1.4426950408889634)
LEAST_EXPONENT = np.float32(-126)  # below it float32 has fewer digits; such a chance is as good as none
TOTAL_UNIT = 2**30  # chances are added up as whole numbers of 1/2^30

# As compiled loops take them.
TANH_CONSTANTS = (TANH_END, *TANH_ABOVE, *TANH_BELOW)
SOFTMAX_CONSTANTS = (tuple(EXP_PARTS), LOG2_E, LEAST_EXPONENT, np.float32(TOTAL_UNIT))


def rounded(matrix: NDArray[np.floating[Any]], most: int) -> tuple[Shorts, Floats]:
    """Round each row to whole numbers of at most `most` by a scale of its own; a row of zeros keeps them."""
    largest = np.abs(matrix).max(axis=-1).astype(np.float32)
    scales: Floats = np.where(largest > 0, largest, np.float32(1)).astype(np.float32) / np.float32(most)
    return np.rint(matrix / scales[..., None]).astype(np.int16), scales


def quantised(matrix: NDArray[np.floating[Any]]) -> tuple[NDArray[np.int8], Floats]:
    """Round each row to int8 by a scale of its own; a row of zeros keeps them."""
    whole, scales = rounded(matrix, 127)
    return whole.astype(np.int8), scales


def stored(weights: Weights, *, fewest_rows: int = 1) -> dict[str, NDArray[Any]]:
    """Return weights as a model folder holds them: matrices as int8 rows with their scales, all else as float32.

    A matrix with fewer rows than `fewest_rows` stays as it is: nothing is saved by less.
    """
    parts: dict[str, NDArray[Any]] = {}
    for name, array in weights.items():
        if array.ndim == 2 and len(array) >= fewest_rows:
            parts[name], parts[name + SCALE] = quantised(array)
        else:
            parts[name] = array.astype(np.float32)
    return {name: np.ascontiguousarray(array) for name, array in parts.items()}


class Parts(NamedTuple):
    """A network's weights by their names."""

    matrices: dict[str, WholeMatrix]
    rest: dict[str, Floats]  # what is no matrix


def opened(
    tensors: Mapping[str, tuple[int, ...]],
    weights: Weights,
    in_whole_numbers: Callable[[NDArray[Any]], tuple[Sums, Floats]],
) -> Parts:
    """Return the matrices of a model folder in whole numbers, and what else there is as float32.

    Each weight must have its shape in `tensors`; rows of a matrix that is not of int8 are rounded by
    `in_whole_numbers`.

    Raises:
        ModelError: A weight is missing, of another shape, or not finite.
    """
    parts = Parts({}, {})
    for name, sizes in tensors.items():
        if name not in weights or weights[name].shape != sizes:
            raise ModelError(f"The model's weights lack {name!r} of shape {sizes}: make or fetch the folder again.")
        given = weights[name]
        scales = weights.get(name + SCALE, np.zeros(0, np.float32)) if given.dtype == np.int8 else None
        if scales is not None and scales.shape != sizes[:1]:
            raise ModelError(f"The model's weights lack the scales of {name!r}: make or fetch the folder again.")
        if not np.isfinite(given).all() or not (scales is None or np.isfinite(scales).all()):
            raise ModelError(f"The model's {name!r} is not finite: train it again, or fetch the folder again.")
        if len(sizes) > 1:
            parts.matrices[name] = WholeMatrix(*(in_whole_numbers(given) if scales is None else (given, scales)))
        else:
            parts.rest[name] = given.astype(np.float32) * (np.float32(1) if scales is None else scales)
    return parts


def tanh(x: Floats) -> Floats:
    """Return the hyperbolic tangent, within a few units of float32's last digit."""
    x = np.clip(x, -TANH_END, TANH_END)
    square = x * x
    above, below = np.full_like(x, TANH_ABOVE[0]), np.full_like(x, TANH_BELOW[0])
    for parts, total in ((TANH_ABOVE, above), (TANH_BELOW, below)):
        for part in parts[1:]:
            total *= square
            total += part
    above *= x
    above /= below
    return above


def exp(x: Floats) -> Floats:
    """Return e^x for numbers of at most 0; 0 where that is below 2^−126."""
    doublings = x * LOG2_E
    tiny = doublings < LEAST_EXPONENT
    doublings[tiny] = LEAST_EXPONENT
    whole = np.floor(doublings)
    doublings -= whole
    powers = np.full_like(x, EXP_PARTS[0])
    for part in EXP_PARTS[1:]:
        powers *= doublings
        powers += part
    powers *= ((whole.astype(np.int32) + 127) << 23).view(np.float32)
    powers[tiny] = 0
    return powers


def softmax(ratings: Floats) -> None:
    """Turn rows of ratings into probabilities, in place. The total is added up in whole numbers, so exactly."""
    ratings -= ratings.max(axis=-1, keepdims=True)
    ratings[:] = exp(ratings)
    totals = (ratings * np.float32(TOTAL_UNIT)).astype(np.int32).sum(axis=-1, keepdims=True, dtype=np.int64)
    ratings *= (TOTAL_UNIT / totals).astype(np.float32)


class WholeMatrix:
    """A matrix with int8 rows, and a scale of each, that multiplies whole numbers of 16 bits, every sum of it exact.

    Rows of 16 bits work, too, but are slower where sums need more than 32 bits. `fast` is whether compiling pays by
    now.
    """

    def __init__(self, whole: Sums, scales: Floats) -> None:
        self.whole, self.scales = np.ascontiguousarray(whole), np.ascontiguousarray(scales, np.float32)
        largest = int(np.abs(self.whole.astype(np.int64)).sum(axis=1).max(initial=0)) * ONE
        self._in_32_bits = largest <= _LARGEST_SUM

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        return np.ascontiguousarray(self.whole.T, dtype=np.float64)

    @cached_property
    def _packed(self) -> NDArray[np.int32]:
        from allonym.vectors._loops import integer_products

        return integer_products.packed(self.whole.astype(np.int16), integer_products.COLUMNS)

    def sums(self, rows: Shorts, *, fast: bool = False) -> Sums:
        """Return rows, of whole numbers of at most `ONE`, · matrixᵀ without the scales."""
        if fast and self._in_32_bits:
            from allonym.vectors._loops import integer_products

            return integer_products.multiply(rows, self._packed, len(self.whole))
        # Below 2^53 in every order: float64 holds all of it.
        products = rows.astype(np.float64) @ self._columns
        return products.astype(np.int32) if self._in_32_bits else products.astype(np.int64)

    def times(self, rows: Shorts, unit: np.float32 | Floats, *, fast: bool = False) -> Floats:
        """Return rows · matrixᵀ in floats; the unit is what 1 in the rows stands for, as a column if it differs."""
        products = self.sums(rows, fast=fast).astype(np.float32)
        products *= unit
        products *= self.scales
        return products


class Linear:
    """A matrix, and what is added to its products: one number for each of its rows."""

    def __init__(self, matrix: WholeMatrix, bias: Floats) -> None:
        self._matrix, self._bias = matrix, bias

    @classmethod
    def named(cls, parts: Parts, name: str) -> Linear:
        """Return the layer of a name."""
        return cls(parts.matrices[f"{name}.weight"], parts.rest[f"{name}.bias"])

    def __call__(self, rows: Floats, *, fast: bool) -> Floats:
        """Return rows · matrixᵀ + bias, each row rounded to 16 bits first."""
        return self.whole(*rounded(rows, ONE), fast=fast)

    def whole(self, rows: Shorts, units: Floats, *, fast: bool) -> Floats:
        """Return the same of whole numbers, which stand for so many units in each row."""
        return self.of_states(rows, units[:, None], fast=fast)

    def of_states(self, rows: Shorts, unit: np.float32 | Floats = ONE_INVERSE, *, fast: bool) -> Floats:
        """Return the same of whole numbers that stand for one unit: `ONE` for 1, unless another is given."""
        products = self._matrix.times(rows, unit, fast=fast)
        products += self._bias
        return products


def inside(lengths: Integers, places: int) -> NDArray[np.bool_]:
    """Tell which places belong to their sentences, B × places."""
    return np.arange(places) < lengths[:, None]
