"""The nearest of many vectors of whole numbers: those with the largest products, exactly, of equals the first.

Every product is a whole number of at most 2^24 with all its partial sums, so float32 holds it and any linear-algebra
library gives it, in whatever order it adds. What is compared is therefore the same on every processor, and what is
found does not depend on how many are asked for at a time. See docs/exactness.md. Where compiling pays, products are
taken of 16-bit integers, in half of the time; the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import in_threads, worth_compiling
from allonym.errors import ParameterError

Bytes = NDArray[np.int8]
Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]

_LARGEST_SUM = 2**24  # up to here float32 holds every whole number
_LARGEST_ENTRY = 128
_QUERIES = 384  # at a time: the products of a tile stay in the cache while they are looked at
_TILE = 1024  # vectors
_FEWEST = 16  # vectors that a compiled loop takes at a time


class NearestVectors:
    """Finds the nearest of fixed vectors.

    Args:
        vectors: One a row, in whole numbers of 8 bits.

    >>> table = NearestVectors(np.array([[1, 0], [0, 2], [2, 0], [0, 2]], np.int8))
    >>> table.search(np.array([[3, 1], [0, 1]], np.int8), 3).tolist()
    [[2, 0, 1], [1, 3, 0]]
    """

    def __init__(self, vectors: Bytes) -> None:
        if vectors.dtype != np.int8 or vectors.ndim != 2 or not len(vectors):
            raise ParameterError("The vectors to search must be rows of 8-bit whole numbers, at least one.")
        if vectors.shape[1] * _LARGEST_ENTRY**2 > _LARGEST_SUM:
            raise ParameterError(f"Vectors must have at most {_LARGEST_SUM // _LARGEST_ENTRY**2:,} entries.")
        self._vectors = np.ascontiguousarray(vectors)

    def search(self, queries: Bytes, count: int) -> Int64:
        """Return the numbers of the `count` nearest vectors of each query, the nearest first (fewer if there are)."""
        count = min(count, len(self._vectors))
        if not len(queries):
            return np.empty((0, count), np.int64)
        # Packed before threads begin: each would pack all of it.
        fast = worth_compiling(queries.shape[0] * len(self._vectors)) and bool(self._packed)
        parts = in_threads(lambda rows: self._some(queries[rows], count, fast), len(queries), len(self._vectors))
        return np.concatenate(parts)

    def _some(self, queries: Bytes, count: int, fast: bool) -> Int64:
        blocks = []
        for start in range(0, len(queries), _QUERIES):
            few = queries[start : start + _QUERIES]
            best = _Best(len(few), count)
            for first, products in self._integer_tiles(few) if fast else self._float_tiles(few):
                best.offer(products, first)
            blocks.append(best.numbers)
        return np.concatenate(blocks)

    def _float_tiles(self, queries: Bytes) -> Iterator[tuple[int, Float32]]:
        """Yield the products of all queries with the next few vectors, and which vector is the first of them."""
        wide = queries.astype(np.float32)
        tile = np.empty((min(_TILE, len(self._vectors)), wide.shape[1]), np.float32)
        products = np.empty((len(queries), len(tile)), np.float32)
        for start in range(0, len(self._vectors), _TILE):
            some = self._vectors[start : start + _TILE]
            tile[: len(some)] = some
            room = products if len(some) == len(tile) else np.empty((len(wide), len(some)), np.float32)
            yield start, np.matmul(wide, tile[: len(some)].T, out=room)

    def _integer_tiles(self, queries: Bytes) -> Iterator[tuple[int, Float32]]:
        """Yield the same by compiled products of integers."""
        from allonym.vectors._loops.integer_products import ROWS, multiply_as_floats, packed

        rows = packed(queries.astype(np.int16), ROWS)
        for start, tile in self._packed:
            products = np.empty((len(rows) * ROWS, min(_TILE, len(self._vectors) - start)), np.float32)
            multiply_as_floats(rows, tile, products)
            yield start, products[: len(queries)]

    @cached_property
    def _packed(self) -> list[tuple[int, NDArray[np.int32]]]:
        """The vectors in tiles as the compiled loop takes them, and the first of each; none where the last is small."""
        from allonym.vectors._loops.integer_products import packed_to_the_end

        starts = range(0, len(self._vectors), _TILE)
        if len(self._vectors) - starts[-1] < _FEWEST:
            return []
        return [(start, packed_to_the_end(self._vectors[start : start + _TILE].astype(np.int16))) for start in starts]


class _Best:
    """The largest products so far of each query, and whose they are: largest first, of equals the first vector."""

    def __init__(self, queries: int, count: int) -> None:
        self.numbers = np.empty((queries, 0), np.int64)
        self._products = np.empty((queries, 0), np.float32)
        self._count = count

    def offer(self, products: Float32, start: int) -> None:
        """Take what is larger than the least; vectors come in order, so an equal product comes too late."""
        if self.numbers.shape[1] < self._count:
            numbers = np.broadcast_to(np.arange(start, start + products.shape[1]), products.shape)
            self._keep(np.hstack([self._products, products]), np.hstack([self.numbers, numbers]))
            return
        passing = np.flatnonzero(products > self._products[:, -1:])
        if not len(passing):
            return
        rows, columns = np.divmod(passing, products.shape[1])
        changed, first, sizes = np.unique(rows, return_index=True, return_counts=True)
        at = np.arange(len(rows)) - np.repeat(first, sizes)
        found = np.full((len(changed), int(sizes.max())), -np.inf, np.float32)
        numbers = np.zeros(found.shape, np.int64)
        group = np.repeat(np.arange(len(changed)), sizes)
        found[group, at], numbers[group, at] = products[rows, columns], columns + start
        self._keep(np.hstack([self._products[changed], found]), np.hstack([self.numbers[changed], numbers]), changed)

    def _keep(self, products: Float32, numbers: Int64, rows: Int64 | None = None) -> None:
        order = np.argsort(-products, axis=1, kind="stable")[:, : self._count]
        best, whose = np.take_along_axis(products, order, 1), np.take_along_axis(numbers, order, 1)
        if rows is None:
            self._products, self.numbers = best, whose
        else:
            self._products[rows], self.numbers[rows] = best, whose
