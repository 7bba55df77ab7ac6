"""Compiled products of bytes for ER-AE's output layer, by the instructions that a processor has for them.

Rows of 6 bits are multiplied with words of int8, which lie in the lanes with 128 added to make them unsigned; 128 times
the sum of a row's numbers is taken off at the end. An instruction adds four neighbouring products in each 32-bit lane:
VNNI's ``vpdpbusd``; or ``pmaddubsw`` twice and then ``pmaddwd``, where 4·255·31 < 2^15 leaves room.
Sums of whole numbers are exact, and the rest is done in NumPy's order, so all of them give NumPy's bits.
Imported only when compiling pays.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from llvmlite.binding import parse_assembly  # type: ignore[import-untyped]
from numba import types
from numba.core import config
from numba.core.codegen import get_host_cpu_features
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numpy.typing import NDArray

from allonym.acceleration import compiled
from allonym.networks._exact_loops import TEAMS, WATCHED

Floats = NDArray[np.float32]
Builder: TypeAlias = Any  # llvmlite has no types
Value: TypeAlias = Any


def _features() -> set[str]:
    """Return what numba compiles for, which a user may have limited: by features, or by the name of a processor."""
    limited: str | None = config.CPU_FEATURES  # type: ignore[attr-defined] # made by numba's own reading of settings
    stated = get_host_cpu_features() if limited is None else limited  # type: ignore[no-untyped-call]
    features = {name[1:] for name in stated.split(",") if name.startswith("+")}
    named = config.CPU_NAME is not None  # type: ignore[attr-defined]
    return features | {"avx2"} if named and _multiplies_eight_at_once() else features


def _multiplies_eight_at_once() -> bool:
    """Tell whether eight 32-bit numbers are multiplied by one instruction: what a name implies, only LLVM knows."""
    eight = ir.VectorType(ir.IntType(32), 8)
    function = ir.Function(ir.Module(), ir.FunctionType(eight, [eight, eight]), "multiply")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(builder.mul(*function.args))
    code = cpu_target.target_context.codegen()._tm.emit_assembly(parse_assembly(str(function.module)))
    return any("vpmulld" in line and "ymm" in line for line in code.splitlines())


_HAS = _features()
_WIDE = {"avx512f", "avx512bw", "avx512vl"} <= _HAS
_ADDS = {"avx512vnni", "avx512vl"} <= _HAS or "avxvnni" in _HAS
AVAILABLE = _WIDE or "avx2" in _HAS

_LANES = 16 if _WIDE else 8
_ROWS, _VECTORS = (6, 4) if _WIDE else (4, 2)  # sums that fit into the registers
_TOGETHER = 4  # bytes of one lane
_GROUPS = 1 if _ADDS else 2  # of a row's four numbers that are added before they go to the sums
_TILE = _LANES * _VECTORS
_OF_TEAMS = TEAMS // _LANES  # vectors that hold one word of each team
_TILES_IN_CACHE = 8 * WATCHED // _TILE  # while all rows are multiplied with them
_LINE = 64  # bytes
LEAST_ROWS, LEAST_WORDS = _ROWS, _TILE
_WORD, _LANE, _FLOAT = ir.IntType(64), ir.IntType(32), ir.FloatType()
_LANE_VECTOR, _FLOATS = ir.VectorType(_LANE, _LANES), ir.VectorType(_FLOAT, _LANES)
_SHORT_VECTOR, _BYTE_VECTOR = ir.VectorType(ir.IntType(16), 2 * _LANES), ir.VectorType(ir.IntType(8), 4 * _LANES)
_ADD_PRODUCTS = f"llvm.x86.avx512.vpdpbusd.{32 * _LANES}"
_MULTIPLY_BYTES = "llvm.x86.avx512.pmaddubs.w.512" if _WIDE else "llvm.x86.avx2.pmadd.ub.sw"
_MULTIPLY_SHORTS = "llvm.x86.avx512.pmaddw.d.512" if _WIDE else "llvm.x86.avx2.pmadd.wd"


def packed(words: NDArray[np.int8]) -> NDArray[np.uint8] | None:
    """Return the words in tiles as the lanes want them; None where this cannot work.

    The last tile begins early enough to be a whole one.
    """
    if not AVAILABLE or len(words) < LEAST_WORDS or words.shape[1] % (_TOGETHER * _GROUPS):
        return None
    starts = np.minimum(np.arange(0, len(words), _TILE), len(words) - _TILE)
    rows = (starts[:, None] + np.arange(_TILE)).ravel()
    unsigned = (words.astype(np.int16) + 128).astype(np.uint8)[rows]
    tiles = unsigned.reshape(len(starts), _TILE, -1, _TOGETHER).transpose(0, 2, 1, 3)
    return _on_a_line(tiles)  # (tiles, E / 4, tile, 4)


def _on_a_line(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a copy that begins where a line of the cache does, so that no vector lies on two of them."""
    room = np.empty(array.size + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE
    placed = room[start : start + array.size].reshape(array.shape)
    placed[...] = array
    return placed


def rate(
    rows: NDArray[np.int8],
    tiles: NDArray[np.uint8],
    steps: Floats,
    scales: Floats,
    bias: Floats,
    out: Floats,
) -> Floats:
    """Write (rows · words) · steps · scales + bias; there must be `LEAST_ROWS` rows and `LEAST_WORDS` words.

    Returns what `largest_in_blocks` says of them, found while they were near the processor.
    """
    excess = 128 * rows.sum(axis=1, dtype=np.int32)
    if len(rows) < LEAST_ROWS or out.shape[1] < LEAST_WORDS or out.shape != (len(rows), len(scales)):
        raise ValueError(f"out must be one row for each of {LEAST_ROWS} or more, of {LEAST_WORDS} words or more.")
    bests = np.empty((len(out), -(-out.shape[1] // WATCHED), TEAMS), np.float32)
    bests[:, -1] = -np.inf  # which may be of fewer words than are watched together
    arrays = (
        rows,
        tiles,
        excess,
        steps,
        scales,
        bias,
        out,
        bests,
    )  # what is compiled takes addresses
    if not all(array.flags.c_contiguous for array in arrays):
        raise ValueError("All arrays must be contiguous.")
    _rate(*arrays)
    return bests


@intrinsic
def _rate_tile(_: Value, given: Value) -> Value:
    """Rate a tile of words for `_ROWS` rows; see `_write_tile`."""

    def generate(context: Value, builder: Builder, _: Value, arguments: Value) -> Value:
        _write_tile(builder, [builder.extract_value(arguments[0], place) for place in range(10)])
        return context.get_dummy_value()

    return types.void(given), generate


def _write_tile(builder: Builder, given: list[Value]) -> None:
    """Add the code that rates a tile.

    Given are addresses (of the rows, the tile, excess, steps, scales, bias and the place in the output), and then the
    bytes of a row, the bytes of a row of the output, and how many times four numbers a row has.
    """
    rows, tile, excess, steps, scales, bias, out, width, out_width, groups = given
    totals = _sums(builder, [_at(builder, rows, row, width) for row in range(_ROWS)], tile, groups)
    for row in range(_ROWS):
        start = _at(builder, out, row, out_width)
        taken, step = (
            _spread(builder, _load(builder, _at(builder, base, row, _WORD(4)), kind), kind)
            for base, kind in ((excess, _LANE), (steps, _FLOAT))
        )
        for place in range(_VECTORS):
            scale, shift, target = (_at(builder, base, place, _WORD(4 * _LANES)) for base in (scales, bias, start))
            rating = builder.sitofp(builder.sub(totals[row * _VECTORS + place], taken), _FLOATS)
            rating = builder.fmul(builder.fmul(rating, step), _load(builder, scale, _FLOATS))
            rating = builder.fadd(rating, _load(builder, shift, _FLOATS))
            _store(builder, rating, target)


@intrinsic
def _watch_block(_: Value, ratings: Value, bests: Value) -> Value:
    """Write the largest of each team of `WATCHED` ratings; both are addresses."""

    def generate(context: Value, builder: Builder, _: Value, arguments: Value) -> Value:
        size = _WORD(4 * _LANES)
        numbers = [
            _load(builder, _at(builder, arguments[0], place, size), _FLOATS) for place in range(WATCHED // _LANES)
        ]
        for part in range(_OF_TEAMS):
            largest = reduce(partial(_larger, builder), numbers[part::_OF_TEAMS])
            _store(builder, largest, _at(builder, arguments[1], part, size))
        return context.get_dummy_value()

    return types.void(ratings, bests), generate


def _sums(builder: Builder, starts: list[Value], tile: Value, groups: Value) -> list[Value]:
    """Return the sums of products, rows × vectors of words."""
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    group = builder.phi(_WORD)
    group.add_incoming(_WORD(0), before)
    totals = [builder.phi(_LANE_VECTOR) for _ in range(_ROWS * _VECTORS)]
    for total in totals:
        total.add_incoming(_LANE_VECTOR([0] * _LANES), before)
    words = [_words(builder, tile, builder.add(group, _WORD(number))) for number in range(_GROUPS)]
    added = []
    for row, start in enumerate(starts):
        address = builder.add(start, builder.mul(group, _WORD(_TOGETHER)))
        fours = (_load(builder, _at(builder, address, number, _WORD(_TOGETHER)), _LANE) for number in range(_GROUPS))
        numbers = [_spread(builder, four, _LANE) for four in fours]
        added += [
            _added(builder, totals[row * _VECTORS + place], [of_group[place] for of_group in words], numbers)
            for place in range(_VECTORS)
        ]
    following = builder.add(group, _WORD(_GROUPS))
    for phi, value in zip([group, *totals], [following, *added], strict=True):
        phi.add_incoming(value, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, groups), loop, after)
    builder.position_at_end(after)
    return added


def _words(builder: Builder, tile: Value, group: Value) -> list[Value]:
    """Return the vectors of a tile's words that a group of a row's numbers is multiplied with."""
    base = builder.add(tile, builder.mul(group, _WORD(_TILE * _TOGETHER)))
    places = range(_VECTORS)
    return [_load(builder, _at(builder, base, place, _WORD(4 * _LANES)), _LANE_VECTOR) for place in places]


def _added(builder: Builder, total: Value, words: list[Value], numbers: list[Value]) -> Value:
    """Return the sums with four products of each group added in each lane."""
    if _ADDS:
        return _call(builder, _ADD_PRODUCTS, _LANE_VECTOR, [total, words[0], numbers[0]])
    first, second = (
        _call(builder, _MULTIPLY_BYTES, _SHORT_VECTOR, [builder.bitcast(vector, _BYTE_VECTOR) for vector in group])
        for group in zip(words, numbers, strict=True)
    )
    ones = _SHORT_VECTOR([1] * 2 * _LANES)
    pairs = _call(builder, _MULTIPLY_SHORTS, _LANE_VECTOR, [builder.add(first, second), ones])
    return builder.add(total, pairs)


def _larger(builder: Builder, first: Value, second: Value) -> Value:
    """Return the larger number in each lane, by the instruction itself: of a comparison LLVM makes slow stores."""
    if _WIDE:  # 4: round as usual
        return _call(builder, "llvm.x86.avx512.max.ps.512", _FLOATS, [first, second, _LANE(4)])
    return _call(builder, "llvm.x86.avx.max.ps.256", _FLOATS, [first, second])


def _call(builder: Builder, name: str, result: Value, arguments: list[Value]) -> Value:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def _at(builder: Builder, base: Value, place: int, size: Value) -> Value:
    return builder.add(base, builder.mul(size, _WORD(place)))


def _load(builder: Builder, address: Value, kind: Value) -> Value:
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def _store(builder: Builder, value: Value, address: Value) -> None:
    builder.store(value, builder.inttoptr(address, value.type.as_pointer()), align=4)


def _spread(builder: Builder, value: Value, kind: Value) -> Value:
    """Return a value in every lane."""
    vector = ir.VectorType(kind, _LANES)
    alone = builder.insert_element(vector(ir.Undefined), value, _LANE(0))
    return builder.shuffle_vector(alone, vector(ir.Undefined), _LANE_VECTOR([0] * _LANES))


@compiled
def _rate(
    rows: NDArray[np.int8],
    tiles: NDArray[np.uint8],
    excess: NDArray[np.int32],
    steps: Floats,
    scales: Floats,
    bias: Floats,
    out: Floats,
    bests: Floats,
) -> None:
    for first in range(0, tiles.shape[0], _TILES_IN_CACHE):
        end = min(first + _TILES_IN_CACHE, tiles.shape[0])
        for start in range(0, rows.shape[0], _ROWS):
            row = min(start, rows.shape[0] - _ROWS)
            for number in range(first, end):
                word = min(number * _TILE, out.shape[1] - _TILE)
                _rate_tile(  # type: ignore[call-arg] # the first one is numba's
                    (
                        rows.ctypes.data + row * rows.shape[1],
                        tiles.ctypes.data + number * tiles.shape[1] * _TILE * _TOGETHER,
                        excess.ctypes.data + 4 * row,
                        steps.ctypes.data + 4 * row,
                        scales.ctypes.data + 4 * word,
                        bias.ctypes.data + 4 * word,
                        out.ctypes.data + 4 * (row * out.shape[1] + word),
                        np.int64(rows.shape[1]),
                        np.int64(4 * out.shape[1]),
                        np.int64(tiles.shape[1]),
                    )
                )
            for rated in range(row, row + _ROWS):
                for block in range(first * _TILE // WATCHED, min(end * _TILE, out.shape[1]) // WATCHED):
                    _watch_block(  # type: ignore[call-arg]
                        out.ctypes.data + 4 * (rated * out.shape[1] + block * WATCHED),
                        bests.ctypes.data + 4 * TEAMS * (rated * bests.shape[1] + block),
                    )
    for row in range(out.shape[0]):
        for word in range(out.shape[1] // WATCHED * WATCHED, out.shape[1]):
            bests[row, -1, word % TEAMS] = max(bests[row, -1, word % TEAMS], out[row, word])
