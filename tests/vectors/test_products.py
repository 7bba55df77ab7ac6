"""Products of vectors of whole numbers: the compiled way gives what float32 products give, at every ragged edge."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.randomness import insecure
from allonym.vectors.products import WholeVectors


def gathered(vectors, rows, *, fast):
    """Return all products, and the rows that `finish` was told of."""
    told, found = [], np.full((len(rows), len(vectors)), np.nan, np.float32)

    def finish(tile, of):
        told.extend(of.tolist())
        tile += 0.5

    for offset, tile in WholeVectors(vectors).products(rows, finish, fast=fast):
        found[offset : offset + len(tile)] = tile
    return told, found


@pytest.mark.parametrize("rows", [1, 5, 6, 97, 700])
@pytest.mark.parametrize(("count", "width"), [(96, 1), (100, 7), (112, 100), (1003, 64)])
def test_both_ways_give_the_same_products(count, width, rows):
    largest = int(4096 / np.sqrt(width))
    vectors = (insecure(1).below(2 * largest + 1, (count, width)) - largest).astype(np.float32)
    asked = insecure(2).below(count, (rows,))
    expected = vectors[asked].astype(np.int64) @ vectors.T.astype(np.int64) + 0.5
    for fast in (False, True):
        told, found = gathered(vectors, asked, fast=fast)
        assert told == asked.tolist()
        assert np.array_equal(found, expected.astype(np.float32))


def test_products_of_16_777_216_are_exact():
    vectors = np.zeros((200, 4), np.float32)
    vectors[:, 0] = 4096
    vectors[::2] *= -1
    _, found = gathered(vectors, np.arange(200), fast=True)
    assert np.array_equal(found, (vectors @ vectors.T) + np.float32(0.5))


def test_fewer_vectors_than_a_block_are_multiplied_plainly():
    vectors = np.arange(12, dtype=np.float32).reshape(4, 3)
    _, found = gathered(vectors, np.array([3, 0]), fast=True)
    assert np.array_equal(found, vectors[[3, 0]] @ vectors.T + np.float32(0.5))


def test_no_rows_give_no_tile():
    assert list(WholeVectors(np.ones((100, 3), np.float32)).products(np.arange(0), print, fast=True)) == []
