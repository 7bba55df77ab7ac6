"""Products of vectors of whole numbers with one another, a few rows at a time: exact, so the same on every machine.

Where every product and all its partial sums are whole numbers of at most 2^24, float32 holds each exactly, and the
order in which a linear-algebra library adds them does not matter. Where compiling pays, the products are taken of
16-bit integers, in half of the time; the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import slab_bytes

Float32: TypeAlias = NDArray[np.float32]
Int64: TypeAlias = NDArray[np.int64]
Finish: TypeAlias = Callable[[Float32, Int64], None]

TILE_BYTES = 2**19  # finished and consumed while still in the cache
_SLAB_ROWS = 512  # of float32 products: a library works on many rows at once, or slowly
_FEW_ROWS = 96  # of integer products: what they fill stays in the cache of all cores


class WholeVectors:
    """Vectors of whole numbers that 16 bits hold, with products and partial sums of at most 2^24.

    Args:
        vectors: One row a vector.
    """

    def __init__(self, vectors: Float32) -> None:
        self.vectors = vectors

    def products(self, rows: Int64, finish: Finish, *, fast: bool) -> Iterator[tuple[int, Float32]]:
        """Yield (offset into `rows`, products of the next few rows with all vectors, finished in place).

        Products of many rows at once are fast; a few of them are finished and consumed while still in the cache.

        Args:
            rows: The vectors asked for.
            finish: Told the products of a few rows and which rows these are; changes the products in place.
            fast: Whether compiling pays.
        """
        slabs = self._integer_slabs if fast and len(self.vectors) >= _FEW_ROWS else self._float_slabs
        tile_rows = max(1, TILE_BYTES // (4 * len(self.vectors)))
        for start, slab in slabs(rows):
            for offset in range(0, len(slab), tile_rows):
                tile = slab[offset : offset + tile_rows]
                finish(tile, rows[start + offset : start + offset + len(tile)])
                yield start + offset, tile

    def _float_slabs(self, rows: Int64) -> Iterator[tuple[int, Float32]]:
        outputs = len(self.vectors)
        step = max(1, min(_SLAB_ROWS, slab_bytes() // (4 * outputs), len(rows)))
        slab = np.empty((step, outputs), np.float32)
        for start in range(0, len(rows), step):
            chosen = self.vectors[rows[start : start + step]]
            yield start, np.matmul(chosen, self.vectors.T, out=slab[: len(chosen)])

    def _integer_slabs(self, rows: Int64) -> Iterator[tuple[int, Float32]]:
        from allonym.vectors._loops.integer_products import ROWS, multiply_as_floats, packed

        outputs = len(self.vectors)
        step = max(1, min(_FEW_ROWS, slab_bytes() // (4 * outputs), len(rows)))
        step += -step % ROWS
        slab = np.empty((step, outputs), np.float32)
        for start in range(0, len(rows), step):
            chosen = packed(self.vectors[rows[start : start + step]].astype(np.int16), ROWS)
            multiply_as_floats(chosen, self._packed, slab)
            yield start, slab[: len(rows) - start]

    @cached_property
    def _packed(self) -> NDArray[np.int32]:
        from allonym.vectors._loops.integer_products import packed_to_the_end

        return packed_to_the_end(self.vectors.astype(np.int16))
