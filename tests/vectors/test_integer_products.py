"""Products of 16-bit vectors: against 64 bits, at the ends of the range and at every ragged edge."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.acceleration import compiled
from allonym.randomness import insecure
from allonym.vectors._loops.integer_products import COLUMNS, ROWS, block_of_products, packed


@compiled
def multiply(left, right, products):
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            place = products.ctypes.data + 4 * (i * ROWS * products.shape[1] + j * COLUMNS)
            block_of_products(left[i].ctypes.data, right[j].ctypes.data, left.shape[1], place, products.shape[1])


@pytest.mark.parametrize("width", [1, 2, 7, 128, 301])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (6, 16), (7, 17), (40, 100)])
def test_products_are_exact(rows, columns, width):
    left, right = (
        (insecure(seed).below(2 * 2400 + 1, (count, width)) - 2400).astype(np.int16)
        for seed, count in ((1, rows), (2, columns))
    )
    check(left, right)


def test_products_at_the_ends_of_the_range():
    ends = np.array([[-32768, 32767], [32767, 32767], [-32767, -32768], [0, -32768]], np.int16)
    check(ends[1:], ends[:1])
    check(ends[3:], ends)


def check(left, right):
    blocks = packed(left, ROWS), packed(right, COLUMNS)
    products = np.empty((len(blocks[0]) * ROWS, len(blocks[1]) * COLUMNS), np.int32)
    multiply(*blocks, products)
    expected = left.astype(np.int64) @ right.astype(np.int64).T
    assert np.array_equal(products[: len(left), : len(right)], expected)
    assert not products[len(left) :].any()
    assert not products[:, len(right) :].any()
