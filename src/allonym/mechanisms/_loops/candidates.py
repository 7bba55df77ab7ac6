"""What the mechanisms over a model's probabilities share: one pass over the rows, 64 outputs at a time.

A row has thousands of outputs and only a few blocks of it matter: those that hold a drawn item, or the largest ones.
So the whole matrix is read once, to a number a block; everything after that reads a few blocks. The pass is compiled
where that pays and gives the same numbers as NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.acceleration import compiled, in_threads, worth_compiling
from allonym.errors import ParameterError
from allonym.randomness import Lanes, Words, fold

BLOCK = 64
_LANES = BLOCK // 4
MOST_OUTPUTS = 2**24
_TILE_ENTRIES = 2**20
_LOWEST_EXPONENT = -960  # so that the scale of a row stays a normal float64

Rows = NDArray[np.floating[Any]]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Index = slice | Int64


class Reader:
    """Reads rows of probabilities block by block; compiled once it has seen enough of them.

    The largest probability of a row gets a whole-number weight of so many bits.
    """

    def __init__(self, outputs: int, bits: int = 1) -> None:
        self._outputs = outputs
        self._bits = bits
        self._blocks = -(-outputs // BLOCK)
        self._starts = np.arange(0, outputs, BLOCK)
        self._entries_seen = 0

    def totals(self, rows: Rows) -> tuple[Float64, Int64]:
        """Return the scale of each row, and the total of ⌊scale·p⌋ over each of its blocks.

        The scale is the power of two that brings the row's largest number below 2^bits by less than one bit (numbers
        below 2^−960, or subnormal ones of float32, are left as small as they are).
        """
        table, scales = self._scale_of_exponent(rows.dtype), np.empty(len(rows))
        totals = np.empty((len(rows), self._blocks), np.int64)

        def total(part: Rows, where: Index) -> None:
            largest = part.max(axis=1) + 0  # which rids a zero of its sign
            scale = table[_as_integers(largest) >> np.finfo(rows.dtype).nmant]
            weights = (part * scale[:, None]).astype(np.int64)
            scales[where] = scale
            totals[where] = np.add.reduceat(weights, self._starts, axis=1)

        self._pass(
            rows, total, partial(_compiled(_total_blocks), table) if self._compile_for(rows) else None, totals, scales
        )
        return scales, totals

    def maxima(self, rows: Rows) -> Rows:
        """Return the largest number of each block of each row."""
        maxima = np.empty((len(rows), self._blocks), rows.dtype)

        def largest(part: Rows, where: Index) -> None:
            maxima[where] = np.maximum.reduceat(part, self._starts, axis=1)

        self._pass(
            rows, largest, _compiled(_largest_of_blocks) if self._compile_for(rows) else None, _as_integers(maxima)
        )
        return maxima

    def _compile_for(self, rows: Rows) -> bool:
        self._entries_seen += rows.size
        return worth_compiling(self._entries_seen)

    def _pass(
        self,
        rows: Rows,
        plain: Callable[[Rows, Index], None],
        loop: Callable[..., None] | None,
        *results: NDArray[Any],
    ) -> None:
        """Fill the results, a row for each row, by the loop or, where there is none or it found a row odd, plainly."""
        odd = np.ones(len(rows), np.bool_)
        if loop is not None:
            self._in_threads(loop, rows, odd, *results)
        where = np.flatnonzero(odd)
        for part in parts(len(where), self._outputs):
            # A slice where all rows go this way: it does not copy.
            here = part if len(where) == len(rows) else where[part]
            plain(checked(rows[here]), here)

    @staticmethod
    def _in_threads(loop: Callable[..., None], rows: Rows, *results: NDArray[Any]) -> None:
        infinity = _as_integers(np.full(1, np.inf, rows.dtype))[0]
        bits = _as_integers(rows)

        def work(part: Int64) -> None:
            if part.size:
                mine = slice(part[0], part[-1] + 1)
                loop(rows[mine], bits[mine], infinity, *(result[mine] for result in results))

        in_threads(work, *rows.shape)

    def _scale_of_exponent(self, dtype: np.dtype[Any]) -> Float64:
        """Return the scale for each exponent field that the largest number of a row can have."""
        precision = np.finfo(dtype)
        exponents = np.arange(2**precision.iexp - 1) + int(precision.minexp)
        scales: Float64 = np.ldexp(1.0, self._bits - np.maximum(exponents, _LOWEST_EXPONENT))
        return scales


def as_rows(p: ArrayLike, outputs: int) -> Rows:
    """Return (…, outputs) as a contiguous matrix of float32 or float64."""
    given = np.asarray(p)
    if given.dtype.kind not in "fiub":
        raise ParameterError("Probabilities must be real numbers.")
    if given.ndim < 1 or given.shape[-1] != outputs:
        raise ParameterError(f"Probabilities must come in rows of {outputs:,}, got an array of shape {given.shape}.")
    small = given.dtype.kind == "f" and given.dtype.itemsize <= 4
    dtype: type[np.floating[Any]] = np.float32 if small else np.float64
    count = given.size // outputs  # not −1, which an empty batch could not fill
    return np.ascontiguousarray(given, dtype).reshape(count, outputs)


def row_of_each(p: ArrayLike, rows: Int64 | None) -> Int64:
    """Return which row of a matrix each draw is from: as given, or one after another in the shape of `p`."""
    shape = np.shape(p)[:-1]
    count = math.prod(shape)
    if rows is None:
        return np.arange(count).reshape(shape)
    if rows.dtype.kind not in "iu" or (rows.size and not 0 <= rows.min() <= rows.max() < count):
        raise ParameterError(f"rows must be whole numbers from 0 to {count - 1}.")
    return rows


def checked(rows: Rows) -> Rows:
    """Return the rows if they hold finite numbers of at least 0, else refuse them."""
    if rows.size and not 0 <= rows.min() <= rows.max() < np.inf:  # NaN compares false
        raise ParameterError(
            "Probabilities must be finite numbers of at least 0; these hold NaN, infinity or a negative number. "
            "Check the model that gave them."
        )
    return rows


def parts(rows: int, entries_per_row: int) -> Iterator[slice]:
    """Yield slices of so many rows that about a million entries are held at a time."""
    step = max(1, _TILE_ENTRIES // max(entries_per_row, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def exactly_below(lanes: Lanes, places: Int64, words: Words, bounds: Int64) -> Int64:
    """Return whole numbers exactly uniform on 0 … bound − 1.

    `words` are those of lane 0 at `places`; where one is refused, the next lane's word at the same place counts.
    """
    limits = np.broadcast_to(bounds, words.shape).astype(np.uint64)
    values, kept = fold(words, limits)
    attempt = 1
    while not kept.all():
        again = np.flatnonzero(~kept.ravel())
        values.flat[again], kept.flat[again] = fold(lanes(attempt, places.ravel()[again]), limits.ravel()[again])
        attempt += 1
    return values


def item_outside(members: Int64, ranks: Int64, counted: NDArray[np.bool_], number: Int64) -> Int64:
    """Return the item with this number among those that are not members: one for each row of ascending members.

    A member is passed over if no more than `number` non-members precede it: its own number less that of the members
    before it, its rank. Only `counted` members count, so that repeated ones can be left in place.
    """
    passed = counted & (members - ranks <= number[:, None])
    outside: Int64 = number + passed.sum(axis=1)
    return outside


def _as_integers(numbers: Rows) -> NDArray[Any]:
    """Return the bits of floats as integers: in the same order, but with all that has a sign beyond infinity."""
    return numbers.view(np.uint32 if numbers.dtype == np.float32 else np.uint64)


@cache
def _compiled(loop: Callable[..., None]) -> Callable[..., None]:
    return compiled(loop)


def _total_blocks(
    table: Float64,
    rows: Rows,
    bits: NDArray[Any],
    infinity: int,
    odd: NDArray[np.bool_],
    totals: Int64,
    scales: Float64,
) -> None:
    """Fill in scales and block totals, or say that a row is odd: it holds NaN, infinity or a sign.

    Few processors make integers of 64 bits out of several floats at once. A float32 times a power of two is exact, and
    so are its upper part, in units of 2^26, and what remains; a block's sums of either stay below 2^32.
    """
    count = rows.shape[1]
    single = table.shape[0] < 256
    upwards, downwards = np.float32(2.0**26), np.float32(2.0**-26)
    for i in range(rows.shape[0]):
        row = rows[i]
        highest = bits[i, 0]
        for j in range(count):  # of integers, because a maximum of floats does not vectorise
            highest = max(highest, bits[i, j])
        odd[i] = highest >= infinity
        if odd[i]:
            continue
        scale = table[np.int64(highest) >> (23 if single else 52)]
        scales[i] = scale
        in_parts = count // BLOCK if single and scale < 2.0**127 else 0
        for b in range(in_parts):
            upper, lower = np.uint32(0), np.uint32(0)
            for j in range(BLOCK):  # a fixed length, which vectorises
                weight = np.float32(row[b * BLOCK + j]) * np.float32(scale)
                part = np.int32(weight * downwards)
                upper = np.uint32(upper + np.uint32(part))
                lower = np.uint32(lower + np.uint32(np.int32(weight - np.float32(part) * upwards)))
            totals[i, b] = (np.int64(upper) << 26) + np.int64(lower)
        for b in range(in_parts, totals.shape[1]):
            total = np.int64(0)
            for j in range(b * BLOCK, min((b + 1) * BLOCK, count)):
                total += np.int64(row[j] * scale)
            totals[i, b] = total


def _largest_of_blocks(
    rows: Rows, bits: NDArray[Any], infinity: int, odd: NDArray[np.bool_], maxima: NDArray[Any]
) -> None:
    """Fill in the bits of block maxima, and say which rows are odd."""
    count = rows.shape[1]
    whole = count // BLOCK
    lanes = np.empty(_LANES, bits.dtype)
    for i in range(rows.shape[0]):
        row = bits[i]
        highest = row[0]
        for b in range(whole):
            start = b * BLOCK
            for j in range(_LANES):  # lane by lane first: half the time of one maximum over the block
                half = max(row[start + j], row[start + j + _LANES])
                lanes[j] = max(half, max(row[start + j + 2 * _LANES], row[start + j + 3 * _LANES]))
            largest = lanes[0]
            for j in range(_LANES):
                largest = max(largest, lanes[j])
            maxima[i, b] = largest
            highest = max(highest, largest)
        if whole < maxima.shape[1]:
            largest = row[whole * BLOCK]
            for j in range(whole * BLOCK, count):
                largest = max(largest, row[j])
            maxima[i, whole] = largest
            highest = max(highest, largest)
        odd[i] = highest >= infinity
