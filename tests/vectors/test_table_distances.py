"""Distances within a table, its diameter and nearest neighbours: against brute force and exact fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from allonym import distances
from allonym.distances import diameter, nearest_neighbour_distances
from allonym.errors import ParameterError


def grid(rows: int, columns: int, step: float = 0.618033988749) -> np.ndarray:
    """Well-spread numbers in (-1, 1) without a random source."""
    values = np.modf(np.arange(1, rows * columns + 1) ** 1.5 * step)[0]
    return (2 * values - 1).reshape(rows, columns)


# Small integers make ties and repeated words likely; the floats make neither.
coordinates = st.one_of(st.integers(-2, 2).map(float), st.floats(-10, 10, width=32))


def check_table(vectors):
    exact = cdist(np.asarray(vectors, np.float64), np.asarray(vectors, np.float64))
    assert exact.max() <= diameter(vectors) <= exact.max() * (1 + 1e-13)
    np.fill_diagonal(exact, np.inf)
    np.testing.assert_allclose(nearest_neighbour_distances(vectors), exact.min(axis=1), rtol=1e-12, atol=0)


@given(st.lists(st.lists(coordinates, min_size=3, max_size=3), min_size=2, max_size=30))
@settings(max_examples=150, deadline=None)
def test_tables_of_ties_and_repeats_against_brute_force(rows):
    check_table(np.array(rows))


@pytest.mark.parametrize("tile", [1, 3, 7, 64])
def test_tiles_do_not_matter(monkeypatch, tile):
    monkeypatch.setattr(distances, "_TILE", tile)
    check_table(np.vstack([grid(30, 4), grid(9, 4) * 3, grid(5, 4)]))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "vectors",
    [
        grid(5000, 20),  # several tiles
        grid(300, 20) + 1000,  # far from the origin
        np.vstack([grid(300, 20) / 1000, 60 * grid(3, 20)]),  # far outliers
        grid(300, 20) / np.linalg.norm(grid(300, 20), axis=1, keepdims=True),  # lengths tell nothing
        np.eye(200),  # all distances tie
        np.repeat(grid(20, 5), 15, axis=0),
        np.array([[3.0], [4.0]]),
    ],
    ids=["large", "shifted", "outliers", "sphere", "ties", "repeats", "two"],
)
def test_tables_against_brute_force(vectors, kind):
    check_table(vectors.astype(kind))


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-500, 1e-30, 1e30, 2.0**500, 2.0**990])
def test_tables_of_any_scale(scale):
    vectors = grid(300, 6)
    exact = diameter(vectors) * scale
    assert diameter(vectors * scale) == pytest.approx(exact, rel=1e-12, abs=0)
    nearest = nearest_neighbour_distances(vectors) * scale
    np.testing.assert_allclose(nearest_neighbour_distances(vectors * scale), nearest, rtol=1e-9)


def test_near_repeats_are_told_apart():
    """Products cannot see distances of 1e-9; differences can."""
    vectors = grid(40, 5)
    vectors = np.vstack([vectors, vectors + 1e-9 * np.arange(1, 41)[:, None], vectors[:3]])
    check_table(vectors)
    assert (nearest_neighbour_distances(vectors)[:3] == 0).all()
    check_table(np.vstack([grid(40, 5) + shift for shift in (0, 1e-9, 2.4e-9, 3e-9, 7e-9)]))
    check_table(1 + 2.0**-52 * np.arange(12).reshape(6, 2))
    beside = np.where(np.arange(9000) % 2, 0.1, np.nextafter(0.1, 1))  # the mean rounds by more than the spread
    assert diameter(np.column_stack([beside, beside[::-1]])) == pytest.approx(math.sqrt(2) * 2.0**-56, rel=1e-13, abs=0)


def test_near_ties_for_the_diameter(monkeypatch):
    """Opposite points of a circle that differ in the tenth digit: float32 sees them all as one distance."""
    angles = np.arange(60) * np.pi / 30
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * (1 + 1e-10 * grid(60, 1))
    for tile in (1, 4, 2048):
        monkeypatch.setattr(distances, "_TILE", tile)
        check_table(circle)


@given(st.lists(st.lists(coordinates, min_size=3, max_size=3), min_size=2, max_size=12))
@settings(max_examples=60, deadline=None)
def test_diameter_is_never_too_small(rows):
    reaches_every_pair(rows)


def test_diameter_is_never_too_small_in_many_dimensions():
    for vectors in grid(60, 1000).reshape(30, 2, 1000):
        reaches_every_pair(vectors.tolist())


def reaches_every_pair(rows) -> None:
    """Square and compare as fractions, so that no rounding can hide a shortfall."""
    exact = [[Fraction(value) for value in row] for row in rows]
    squares = [sum((x - y) ** 2 for x, y in zip(*pair, strict=True)) for pair in itertools.combinations(exact, 2)]
    assert Fraction(diameter(rows)) ** 2 >= max(squares)


def test_one_vector_and_equal_vectors():
    assert diameter([[1.0, 2.0]]) == 0
    assert diameter([[0.1, 0.7]] * 9) == 0
    assert nearest_neighbour_distances([[0.1, 0.7]] * 9).tolist() == [0] * 9
    assert nearest_neighbour_distances([[0.0], [3.0], [4.0]]).tolist() == [3, 1, 1]


def test_a_table_of_several_blocks():
    vectors = grid(5000, 100).astype(np.float32)
    nearest, widest = nearest_neighbour_distances(vectors), diameter(vectors)
    exact = vectors.astype(np.float64)
    for row in (0, 1, distances._TILE - 1, distances._TILE, 4999):  # at the edges of what is computed at once
        others = np.delete(np.linalg.norm(exact - exact[row], axis=1), row)
        assert nearest[row] == pytest.approx(others.min(), rel=1e-9)
        assert widest >= others.max()


@pytest.mark.parametrize("measure", [diameter, nearest_neighbour_distances])
@pytest.mark.parametrize("wrong", [[], [1.0], [[math.nan], [1.0]], [["a"]], np.empty((4, 0)), [[1.0, math.inf]] * 2])
def test_malformed_tables(measure, wrong):
    with pytest.raises(ParameterError, match="vectors must be"):
        measure(wrong)


def test_one_vector_has_no_neighbour():
    with pytest.raises(ParameterError, match="2 or more rows"):
        nearest_neighbour_distances([[1.0]])
