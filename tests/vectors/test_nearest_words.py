"""The nearest word is exact: against brute force, compiled and not, in any batch, at any scale."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from allonym import acceleration
from allonym.errors import ParameterError
from allonym.vectors.embeddings import WordTable, load


def grid(rows: int, columns: int, step: float = 0.618033988749) -> np.ndarray:
    """Well-spread numbers in (-1, 1) without a random source."""
    values = np.modf(np.arange(1, rows * columns + 1) * step)[0]
    return (2 * values - 1).reshape(rows, columns).astype(np.float32)


def brute_force(vectors: np.ndarray, points: np.ndarray, k: int) -> np.ndarray:
    wide = vectors.astype(np.float64)
    distance = ((wide[None] - points[:, None]) ** 2).sum(axis=2)
    return np.argsort(distance, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("k", [1, 2, 7])
@pytest.mark.parametrize("noise", [0.0, 0.1, 3.0, 100.0])
def test_nearest_is_brute_force(k, noise):
    vectors = grid(500, 17)
    table = WordTable(tuple(map(str, range(500))), vectors)
    points = vectors[::3].astype(np.float64) + noise * grid(167, 17, 0.7548776662)
    np.testing.assert_array_equal(table.nearest(points, k), brute_force(vectors, points, k))
    one = table.nearest(points[0], k)
    assert one.shape == (1, k)
    np.testing.assert_array_equal(one[0], table.nearest(points, k)[0])


def test_nearest_ties_and_near_ties():
    vectors = np.array([[1, 0], [0, 1], [1, 0], [-1, 0], [1, 1e-7]], dtype=np.float32)
    table = WordTable(tuple("abcde"), vectors)
    assert table.nearest(np.zeros((3, 2)))[:, 0].tolist() == [0, 0, 0]
    assert table.nearest([[1, 0]], 3)[0].tolist() == [0, 2, 4]
    assert table.nearest([[1, 9e-8]])[0, 0] == 4  # float32 cannot tell these apart
    assert table.nearest([[1, 4e-8]])[0, 0] == 0


def test_nearest_does_not_depend_on_batching():
    table = load(limit=3000)
    points = table.vectors[:400].astype(np.float64) + 0.5 * grid(400, table.dimensions)
    whole = table.nearest(points)
    single = np.concatenate([table.nearest(point) for point in points])
    np.testing.assert_array_equal(whole, single)


@pytest.fixture(params=["compiled", "numpy"])
def path_of_nearest(request, monkeypatch):
    entries = 0 if request.param == "compiled" else 10**18
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", entries)
    return request.param


def exact_scores(vectors: np.ndarray, points: np.ndarray) -> np.ndarray:
    """|v|²/2 − q·v in float64: orders words as the distance does, without the cancellation of |v − q|² at large |q|."""
    wide = vectors.astype(np.float64)
    return (wide**2).sum(axis=1) / 2 - points @ wide.T


def wide_table(rows: int = 2000, columns: int = 20) -> WordTable:
    return WordTable(tuple(map(str, range(rows))), grid(rows, columns))


def test_nearest_of_many_queries_is_brute_force(path_of_nearest):
    table = wide_table()
    queries = 100_000
    lengths = 10.0 ** np.linspace(-3, 2, queries)
    points = table.vectors[np.arange(queries) % len(table)] + lengths[:, None] * grid(queries, 20, 0.7548776662)
    found = table.nearest(points)[:, 0]
    for at in range(0, queries, 10_000):
        expected = exact_scores(table.vectors, points[at : at + 10_000]).argmin(axis=1)
        np.testing.assert_array_equal(found[at : at + 10_000], expected)


def test_nearest_of_words_themselves_and_of_doubles(path_of_nearest):
    vectors = grid(700, 20)
    doubled = np.concatenate([vectors, vectors, vectors[::-1]])
    table = WordTable(tuple(map(str, range(len(doubled)))), doubled)
    np.testing.assert_array_equal(table.nearest(vectors)[:, 0], np.arange(700))
    np.testing.assert_array_equal(table.nearest(doubled)[:, 0], [*range(700), *range(700), *range(699, -1, -1)])


def test_nearest_breaks_ties_to_the_lowest_row(path_of_nearest):
    vectors = np.repeat(np.float32([[3, 0], [1, 0], [-1, 0], [0, 1]]), [3, 500, 500, 500], axis=0)
    table = WordTable(tuple(map(str, range(len(vectors)))), vectors)
    points = np.array([[0, 0], [9, 0], [1, 0], [0.5, 0.5], [-1, 1], [-1, 1.001]])
    assert table.nearest(points)[:, 0].tolist() == [3, 0, 3, 3, 503, 1003]
    one_word = WordTable(tuple(map(str, range(200))), np.ones((200, 3)))
    assert one_word.nearest(grid(50, 3)).max() == 0


def test_nearest_under_huge_noise_and_far_from_the_origin(path_of_nearest):
    table = wide_table()
    points = 1e6 * grid(3000, 20, 0.7548776662)
    np.testing.assert_array_equal(table.nearest(points)[:, 0], exact_scores(table.vectors, points).argmin(axis=1))
    shifted = WordTable(table.words, table.vectors + np.float32(1000))  # float32 cannot tell these apart
    near = shifted.vectors[:200] + 0.1 * grid(200, 20, 0.7548776662)
    np.testing.assert_array_equal(shifted.nearest(near), brute_force(shifted.vectors, near, 1))


def test_nearest_with_numbers_at_the_edges_of_float32(path_of_nearest):
    directions = grid(300, 5)
    for scale in (1e-30, 1e-22, 1e18, 1.5e19, 3e20, 1e38):
        vectors = (directions * scale).astype(np.float32)
        table = WordTable(tuple(map(str, range(300))), vectors)
        points = np.clip(vectors[::7].astype(np.float64), -9e29, 9e29)
        points[0] = 0
        expected = exact_scores(vectors, points).argmin(axis=1)
        np.testing.assert_array_equal(table.nearest(points)[:, 0], expected)


def test_nearest_k_is_the_same_on_both_paths(monkeypatch):
    table = wide_table()
    points = table.vectors[:600] + 0.3 * grid(600, 20, 0.7548776662)
    plain = {k: table.nearest(points, k) for k in (1, 2, 5)}
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    for k, expected in plain.items():
        np.testing.assert_array_equal(table.nearest(points, k), expected)
    np.testing.assert_array_equal(plain[5], brute_force(table.vectors, points, 5))
    np.testing.assert_array_equal(np.concatenate([table.nearest(point) for point in points[:50]]), plain[1][:50])
    assert table.nearest(np.empty((0, 20))).shape == (0, 1)


def test_nearest_is_right_where_float64_cannot_tell(path_of_nearest):
    """Points all but on the border of two words: against fractions, with rounding errors of every kind at work."""
    vectors = grid(40, 30)
    table = WordTable(tuple(map(str, range(40))), vectors)
    wide = vectors.astype(np.float64)
    pairs = [(i, j) for i in range(0, 40, 3) for j in range(i + 1, 40, 7)]
    points = np.array([(wide[i] + wide[j]) / 2 * (1 + n % 3 * 2.0**-52) for n, (i, j) in enumerate(pairs)])
    points += 1e5 * np.array([border(wide[i], wide[j]) for i, j in pairs])
    for point, found in zip(points, table.nearest(points, 3), strict=True):
        query = [Fraction(x) for x in point.tolist()]
        distance = [
            (sum((Fraction(v) - q) ** 2 for v, q in zip(row, query, strict=True)), n)
            for n, row in enumerate(wide.tolist())
        ]
        assert found.tolist() == [n for _, n in sorted(distance)[:3]]
        assert table.nearest(point).tolist() == [[found[0]]]


def border(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """A direction in which two points stay about equally near."""
    along = (first - second) / np.linalg.norm(first - second)
    away = first + second
    return away - (away @ along) * along


def test_nearest_refuses():
    vectors = grid(6, 20)
    table = WordTable(tuple("abcdef"), vectors)
    for queries, k in [(np.ones((1, 3)), 1), (np.full((1, 20), np.nan), 1), (vectors, 0), (vectors, 7)]:
        with pytest.raises(ParameterError):
            table.nearest(queries, k)
    assert table.nearest(np.empty((0, 20))).shape == (0, 1)
