"""The nearest of many vectors: exact, of equals the first, however many are asked for at a time."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.errors import ParameterError
from allonym.randomness import insecure
from allonym.vectors import nearest
from allonym.vectors.nearest import NearestVectors


def made(rows: int, width: int, seed: int, most: int = 255) -> np.ndarray:
    return (insecure(seed).below(most, (rows, width)) - most // 2).astype(np.int8)


@pytest.mark.parametrize(("rows", "width", "most"), [(1, 3, 255), (900, 16, 255), (3000, 4, 5), (2500, 2, 2)])
@pytest.mark.parametrize("count", [1, 7])
def test_it_finds_what_sorting_finds(rows, width, most, count):
    vectors, queries = made(rows, width, 1, most), made(50, width, 2, most)
    products = queries.astype(np.int64) @ vectors.T.astype(np.int64)
    expected = np.argsort(-products, axis=1, kind="stable")[:, :count]
    np.testing.assert_array_equal(NearestVectors(vectors).search(queries, count), expected)


def test_batches_and_tiles_do_not_matter(monkeypatch):
    vectors, queries = made(5000, 8, 3, 7), made(40, 8, 4, 7)
    whole = NearestVectors(vectors).search(queries, 5)
    monkeypatch.setattr(nearest, "_TILE", 130)
    monkeypatch.setattr(nearest, "_QUERIES", 7)
    table = NearestVectors(vectors)
    np.testing.assert_array_equal(table.search(queries, 5), whole)
    np.testing.assert_array_equal(np.concatenate([table.search(queries[i : i + 1], 5) for i in range(40)]), whole)


@pytest.mark.parametrize("rows", [40, 1000, 2600])
def test_compiled_products_find_the_same(monkeypatch, rows):
    vectors, queries = made(rows, 10, 5, 9), made(31, 10, 6, 9)
    monkeypatch.setattr(nearest, "worth_compiling", lambda entries: False)
    plain = NearestVectors(vectors).search(queries, 6)
    monkeypatch.setattr(nearest, "worth_compiling", lambda entries: True)
    np.testing.assert_array_equal(NearestVectors(vectors).search(queries, 6), plain)


def test_the_largest_products_are_exact():
    """At the limit of width every partial sum is still a whole number that float32 holds."""
    vectors = np.full((3, 1024), -128, np.int8)
    vectors[1, 0] = -127
    assert NearestVectors(vectors).search(vectors[:1], 3).tolist() == [[0, 2, 1]]


def test_what_cannot_be_searched_is_refused():
    for bad in (np.zeros((0, 3), np.int8), np.zeros((2, 3)), np.zeros((1, 2000), np.int8)):
        with pytest.raises(ParameterError):
            NearestVectors(bad)
