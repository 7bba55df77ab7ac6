"""A4NT's weights in whole numbers, see `whole_numbers`, and products with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.networks.whole_numbers import ONE, Floats, Parts, Shorts, WholeMatrix, rounded


class Linear:
    """A matrix and what is added to its products.

    Args:
        matrix: The matrix.
        bias: What is added, one number for each of the matrix's rows.
    """

    def __init__(self, matrix: WholeMatrix, bias: Floats) -> None:
        self._matrix, self._bias = matrix, bias

    @classmethod
    def named(cls, parts: Parts, name: str) -> Linear:
        """Return the layer of a name."""
        return cls(parts.matrices[f"{name}.weight"], parts.rest[f"{name}.bias"])

    def __call__(self, rows: Floats, *, fast: bool) -> Floats:
        """Return rows · matrixᵀ + bias, each row rounded to 16 bits first.

        Args:
            rows: What is multiplied.
            fast: Whether compiling pays by now.
        """
        return self.whole(*rounded(rows, ONE), fast=fast)

    def whole(self, rows: Shorts, units: Floats, *, fast: bool) -> Floats:
        """Return the same of whole numbers, which stand for so many units in each row."""
        found = self._matrix.times(rows, units[:, None], fast=fast)
        found += self._bias
        return found


def inside(lengths: NDArray[np.int64], places: int) -> NDArray[np.bool_]:
    """Tell which places belong to their sentences, B × places."""
    return np.arange(places) < lengths[:, None]
