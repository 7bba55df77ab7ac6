"""Compiled search of `WordTable.nearest` for one word each. Imported only when compiling pays.

A word's score is its product with the query less half its squared length: the nearest word has the highest. Vectors and
queries are rounded to 16-bit integers, whose products are exact and fast; each query keeps the words that the rounding
leaves possible. Float64 then looks at these again, and keeps what *its* rounding leaves possible: nearly always one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled
from allonym.vectors._loops.integer_products import COLUMNS, ROWS, block_of_products, packed

TOO_MANY = np.int64(-1)
_LONGEST = 32_000.0  # of vectors and queries, in steps: products stay below 2^31
_SMALLEST_QUERY = 2.0**-10  # of the longest vector: what is shorter is rounded as if it were that long
_MOST_KEPT = 32
_TILE = 512  # words, whose packed vectors stay in a core's own cache
_STRIPE = 64
_FAR_BELOW = np.float32(-3e38)
_NOTHING_PASSES = np.float32(np.inf)

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Kept = tuple[Float32, Int64, Float32, Int64]


class RoundedTable:
    """Word vectors, one row a word and not all of them zero, as whole numbers of a step, packed."""

    def __init__(self, vectors: Float32) -> None:
        wide = vectors.astype(np.float64)
        half_squares = np.einsum("ij,ij->i", wide, wide) / 2
        self.step = math.sqrt(2 * float(half_squares.max())) / _LONGEST
        self.vectors = vectors
        self._packed = packed(np.rint(wide / self.step).astype(np.int16), COLUMNS)
        self._half_squares = (half_squares / self.step / self.step).astype(np.float32)

    def search(self, points: Float64) -> tuple[Int64, Int64]:
        """Return for each query the words that may be the nearest, and how many: one, a few, or `TOO_MANY`."""
        lengths = np.sqrt(np.einsum("ij,ij->i", points, points))
        steps = np.maximum(lengths / _LONGEST, self.step * _SMALLEST_QUERY)
        queries = packed(np.rint(points / steps[:, None]).astype(np.int16), ROWS)
        factors = self.step / steps
        # Rounding moves a coordinate by half a step at most, so a product by √n/2 times the sum of both lengths; what
        # float32 does to a score is far below 2^−20 of its parts. Twice both, as two scores are compared.
        rounding = math.sqrt(points.shape[1]) / 2 * 2.01 * _LONGEST
        windows = 2 * rounding + 2.0**-19 * (2.0**30 + factors * float(self._half_squares.max()))
        kept = (
            np.full(len(points), _FAR_BELOW),
            np.empty((len(points), _MOST_KEPT), np.int64),
            np.empty((len(points), _MOST_KEPT), np.float32),
            np.zeros(len(points), np.int64),
        )
        scan(queries, self._packed, self._half_squares, factors.astype(np.float32), windows.astype(np.float32), kept)
        look_again(points, self.vectors, kept)
        return kept[1], kept[3]


@compiled
def scan(queries: Int32, words: Int32, half_squares: Float32, factors: Float32, windows: Float32, kept: Kept) -> None:
    """Look at the products of all queries with all words, a tile of words at a time."""
    products = np.empty((ROWS, _TILE), np.int32)
    count = half_squares.shape[0]
    pairs = queries.shape[1]
    for first in range(0, count, _TILE):
        last = min(first + _TILE, count)
        for block in range(queries.shape[0]):
            for column in range(0, last - first, COLUMNS):
                block_of_products(
                    queries[block].ctypes.data,
                    words[(first + column) // COLUMNS].ctypes.data,
                    pairs,
                    products.ctypes.data + 4 * column,
                    _TILE,
                )
            for i in range(block * ROWS, min(block * ROWS + ROWS, kept[0].shape[0])):
                if kept[3][i] != TOO_MANY:
                    row = products[i - block * ROWS, : last - first]
                    scan_row(i, row, half_squares[first:last], first, factors[i], windows[i], kept)
    for i in range(kept[0].shape[0]):
        if kept[3][i] > 1:
            drop(i, np.float32(kept[0][i] - windows[i]), kept)


@compiled
def scan_row(
    i: int, row: Int32, half_squares: Float32, first: int, factor: np.float32, window: np.float32, kept: Kept
) -> None:
    """Keep the words of a tile that may be the nearest of query i.

    Nearly every stripe of words holds none that passes: whether it does is counted, which vectorises as a float
    maximum would not.
    """
    edge = np.float32(kept[0][i] - window)
    whole = row.shape[0] // _STRIPE * _STRIPE
    for start in range(0, whole, _STRIPE):
        passing = np.int32(0)
        for k in range(_STRIPE):  # a fixed length, which vectorises
            passing += np.int32(np.float32(row[start + k]) - half_squares[start + k] * factor >= edge)
        if passing:
            edge = keep(i, row[start : start + _STRIPE], half_squares[start:], (first + start, factor, window), kept)
    if whole < row.shape[0] and kept[3][i] != TOO_MANY:
        keep(i, row[whole:], half_squares[whole:], (first + whole, factor, window), kept)


@compiled
def keep(i: int, row: Int32, half_squares: Float32, of: tuple[int, np.float32, np.float32], kept: Kept) -> np.float32:
    """Keep the words of a stripe that may be the nearest of query i; return the new edge."""
    best, words, scores, counts = kept
    first, factor, window = of
    edge = np.float32(best[i] - window)
    for j in range(row.shape[0]):
        score = np.float32(np.float32(row[j]) - half_squares[j] * factor)
        if score >= edge:
            if score > best[i]:
                best[i] = score
                edge = np.float32(score - window)
            count = counts[i]
            if count == words.shape[1]:
                count = drop(i, edge, kept)
            if count == words.shape[1]:
                counts[i] = TOO_MANY
                return _NOTHING_PASSES
            words[i, count] = first + j
            scores[i, count] = score
            counts[i] = count + 1
    return edge


@compiled
def drop(i: int, edge: np.float32, kept: Kept) -> int:
    """Drop the words of query i that score below the edge, and return how many stay."""
    _, words, scores, counts = kept
    stay = 0
    for n in range(counts[i]):
        if scores[i, n] >= edge:
            words[i, stay] = words[i, n]
            scores[i, stay] = scores[i, n]
            stay += 1
    counts[i] = stay
    return stay


@compiled
def look_again(points: Float64, vectors: Float32, kept: Kept) -> None:
    """Drop of each query's few words those that float64 can tell from the best."""
    _, words, _, counts = kept
    distances = np.empty(words.shape[1])
    doubts = np.empty(words.shape[1])
    width = points.shape[1]
    for i in range(points.shape[0]):
        if counts[i] < 2:
            continue
        reach = np.inf
        for n in range(counts[i]):
            vector = vectors[words[i, n]]
            total = 0.0
            size = 0.0
            for j in range(width):
                v = np.float64(vector[j])
                term = v * (v / 2.0 - points[i, j])
                total += term
                size += abs(term)
            distances[n] = total
            doubts[n] = size * ((width + 4) * 2.0**-52)  # twice what rounding can do
            reach = min(reach, total + doubts[n])
        stay = 0
        for n in range(counts[i]):
            if distances[n] - doubts[n] <= reach:
                words[i, stay] = words[i, n]
                stay += 1
        counts[i] = stay
