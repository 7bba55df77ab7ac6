"""Compiled twin of the shortlist in `WordTable.nearest`. Imported only when compiling pays.

A word's score is its product with the query less half its squared length: the nearest word has the highest. Words are
seen a tile at a time; each query keeps the words that are within rounding of the best seen so far.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled

_BLOCK = 64
_NOTHING_PASSES = np.float32(np.inf)
_TOO_MANY = np.int64(-1)

Float32 = NDArray[np.float32]
Kept = tuple[Float32, NDArray[np.int64], Float32, NDArray[np.int64]]


def nothing_kept(queries: int, capacity: int) -> Kept:
    """Return for each query: its best score, its words kept, their scores, and their number (−1: too many)."""
    return (
        np.full(queries, -np.inf, np.float32),
        np.empty((queries, capacity), np.int64),
        np.empty((queries, capacity), np.float32),
        np.zeros(queries, np.int64),
    )


@compiled
def drop_row(i: int, edge: np.float32, kept: Kept) -> int:
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
def keep_words(
    i: int, row: Float32, half_squares: Float32, span: tuple[int, int, int], window: np.float32, kept: Kept
) -> np.float32:
    """Keep the words of row[start … stop − 1] that may be the nearest of query i; return the new edge."""
    best, words, scores, counts = kept
    first, start, stop = span
    edge = np.float32(best[i] - window)
    for j in range(start, stop):
        score = np.float32(row[j] - half_squares[j])
        if score >= edge:
            if score > best[i]:
                best[i] = score
                edge = np.float32(score - window)
            count = counts[i]
            if count == words.shape[1]:
                count = drop_row(i, edge, kept)
            if count == words.shape[1]:
                counts[i] = _TOO_MANY
                return _NOTHING_PASSES
            words[i, count] = first + j
            scores[i, count] = score
            counts[i] = count + 1
    return edge


@compiled
def scan_tile(products: Float32, half_squares: Float32, first: int, windows: Float32, kept: Kept) -> None:
    """Look at the products of all queries with the words from row `first` on.

    Nearly every block of words holds none that passes: whether it does is counted, which vectorises as a float
    maximum would not.
    """
    best, _, _, counts = kept
    whole = products.shape[1] // _BLOCK * _BLOCK
    for i in range(products.shape[0]):
        if counts[i] == _TOO_MANY:
            continue
        row = products[i]
        edge = np.float32(best[i] - windows[i])
        for start in range(0, whole, _BLOCK):
            passing = np.int32(0)
            for k in range(_BLOCK):  # a fixed length, which vectorises
                passing += np.int32(row[start + k] - half_squares[start + k] >= edge)
            if passing:
                edge = keep_words(i, row, half_squares, (first, start, start + _BLOCK), windows[i], kept)
        if whole < row.shape[0] and counts[i] != _TOO_MANY:
            keep_words(i, row, half_squares, (first, whole, row.shape[0]), windows[i], kept)


@compiled
def drop_all(windows: Float32, kept: Kept) -> None:
    """Drop what the best score of all leaves behind."""
    for i in range(windows.shape[0]):
        if kept[3][i] > 1:
            drop_row(i, np.float32(kept[0][i] - windows[i]), kept)
