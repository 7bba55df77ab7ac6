"""Compiled products of whole numbers, by the instructions that a processor has for bytes and for 16-bit numbers.

Two kinds. *Bytes*, for the output layer: rows of 6 bits with words of int8, which lie in the lanes with 128 added to
make them unsigned; 128 times the sum of a row's numbers is taken off at the end. *Shorts*: rows of 16 bits with int8
weights, widened. An instruction adds neighbouring products in each 32-bit lane: four bytes (VNNI's ``vpdpbusd``; or
``pmaddubsw`` twice and ``pmaddwd``, where 4·255·31 < 2^15 leaves room) or two shorts (``vpdpwssd``, or ``pmaddwd``).
Sums of whole numbers are exact, and the rest is done in NumPy's order, so all of them give NumPy's bits.
Imported only when compiling pays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from llvmlite.binding import parse_assembly  # type: ignore[import-untyped]
from numba import types
from numba.core.codegen import get_host_cpu_features
from numba.core.config import CPU_FEATURES, CPU_NAME  # type: ignore[attr-defined] # made by numba's own reading of settings
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numpy.typing import NDArray

from allonym.acceleration import compiled

Floats = NDArray[np.float32]
Builder: TypeAlias = Any  # llvmlite has no types
Value: TypeAlias = Any


def _features() -> set[str]:
    """Return what numba compiles for, which a user may have limited: by features, or by the name of a processor."""
    stated = get_host_cpu_features() if CPU_FEATURES is None else CPU_FEATURES  # type: ignore[no-untyped-call]
    found = {name[1:] for name in stated.split(",") if name.startswith("+")}
    return found | {"avx2"} if CPU_NAME is not None and _multiplies_eight_at_once() else found


def _multiplies_eight_at_once() -> bool:
    """Tell whether eight 32-bit numbers are multiplied by one instruction: what the name implies, only LLVM knows."""
    eight = ir.FunctionType(_EIGHT, [_EIGHT, _EIGHT])
    function = ir.Function(ir.Module(), eight, "multiply")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(builder.mul(*function.args))
    code = cpu_target.target_context.codegen()._tm.emit_assembly(parse_assembly(str(function.module)))
    return any("vpmulld" in line and "ymm" in line for line in code.splitlines())


_EIGHT = ir.VectorType(ir.IntType(32), 8)
_HAS = _features()
_WIDE = {"avx512f", "avx512bw", "avx512vl"} <= _HAS
_ADDS = bool({"avx512vnni", "avx512vl"} <= _HAS) or "avxvnni" in _HAS
AVAILABLE = _WIDE or "avx2" in _HAS
_LANES = 16 if _WIDE else 8
_BITS = 32 * _LANES
_WORD, _LANE, _FLOAT = ir.IntType(64), ir.IntType(32), ir.FloatType()
_LANE_VECTOR, _FLOATS = ir.VectorType(_LANE, _LANES), ir.VectorType(_FLOAT, _LANES)
_SHORT_VECTOR, _BYTE_VECTOR = ir.VectorType(ir.IntType(16), 2 * _LANES), ir.VectorType(ir.IntType(8), 4 * _LANES)
_PREFIX = "llvm.x86.avx512" if _WIDE else "llvm.x86.avx2"
_END = ".512" if _WIDE else ""
_PAIRS, _QUADS = (
    (f"{_PREFIX}.pmaddw.d{_END}", f"{_PREFIX}.pmaddubs.w{_END}")
    if _WIDE
    else (
        f"{_PREFIX}.pmadd.wd",
        f"{_PREFIX}.pmadd.ub.sw",
    )
)


@dataclass(frozen=True)
class _Tile:
    """How many rows and vectors of weights are multiplied together: sums that fit into the registers."""

    rows: int
    vectors: int
    together: int  # numbers in a lane
    groups: int = 1  # of such numbers that are added before they go to the sums

    @property
    def width(self) -> int:
        return self.vectors * _LANES


_SHORTS = _Tile(6, 4, 2) if _WIDE else _Tile(4, 2, 2)
_BYTES = _Tile(6, 4, 4, 1 if _ADDS else 2) if _WIDE else _Tile(4, 2, 4, 1 if _ADDS else 2)
LEAST_ROWS, LEAST_WORDS = _BYTES.rows, _BYTES.width


def packed_bytes(words: NDArray[np.integer[Any]]) -> NDArray[np.uint8] | None:
    """Return words of int8 in tiles as the lanes want them; None where this cannot work.

    The last tile begins early enough to be a whole one.
    """
    if not _fits(words, _BYTES):
        return None
    return _tiled((words.astype(np.int16) + 128).astype(np.uint8), _BYTES)


def packed_shorts(weights: NDArray[np.signedinteger[Any]]) -> NDArray[np.int16] | None:
    """Return rows of at most 16 bits as tiles of 16-bit numbers; None where this cannot work."""
    return _tiled(weights.astype(np.int16), _SHORTS) if _fits(weights, _SHORTS) else None


def _fits(weights: NDArray[Any], tile: _Tile) -> bool:
    return AVAILABLE and len(weights) >= tile.width and weights.shape[1] % (tile.together * tile.groups) == 0


def _tiled(weights: NDArray[Any], tile: _Tile) -> NDArray[Any]:
    starts = np.minimum(np.arange(0, len(weights), tile.width), len(weights) - tile.width)
    rows = (starts[:, None] + np.arange(tile.width)).ravel()
    shape = (len(starts), tile.width, weights.shape[1] // tile.together, tile.together)
    return np.ascontiguousarray(weights[rows].reshape(shape).transpose(0, 2, 1, 3))  # (tiles, K / …, tile, …)


def rate(
    rows: NDArray[np.int8], tiles: NDArray[np.uint8], steps: Floats, scales: Floats, bias: Floats, out: Floats
) -> None:
    """Write (rows · words) · steps · scales + bias; there must be `LEAST_ROWS` rows and `LEAST_WORDS` words."""
    excess = 128 * rows.sum(axis=1, dtype=np.int32)
    if len(rows) < LEAST_ROWS or out.shape[1] < LEAST_WORDS or out.shape != (len(rows), len(scales)):
        raise ValueError(f"out must be one row for each of {LEAST_ROWS} or more, of {LEAST_WORDS} words or more.")
    arrays = (rows, tiles, excess, steps, scales, bias, out)  # what is compiled takes addresses: all in one piece
    if not all(array.flags.c_contiguous for array in arrays):
        raise ValueError("All arrays must be contiguous.")
    _rate(*arrays)


def multiply(rows: NDArray[np.int16], tiles: NDArray[np.int16], columns: int) -> NDArray[np.int32]:
    """Return the sums of products of rows with packed weights, of which there are so many columns."""
    count = len(rows)
    if count < _SHORTS.rows:
        rows = np.pad(rows, ((0, _SHORTS.rows - count), (0, 0)))
    rows = np.ascontiguousarray(rows)
    out = np.empty((len(rows), columns), np.int32)
    _multiply(rows, tiles, out)
    return out[:count]


def _write_ratings(builder: Builder, given: list[Value]) -> None:
    """Add the code that rates a tile of words.

    Given are addresses (of the rows, the tile and the place in the output), the bytes of a row, of a row of the
    output, how many times four numbers a row has, and addresses of excess, steps, scales and bias.
    """
    rows, tile, out, width, out_width, groups, excess, steps, scales, bias = given
    totals = _sums(builder, _BYTES, _add_quads, rows, tile, width, groups)
    for row in range(_BYTES.rows):
        start = _at(builder, out, row, out_width)
        taken, step = (
            _spread(builder, _load(builder, _at(builder, base, row, _WORD(4)), kind), kind)
            for base, kind in ((excess, _LANE), (steps, _FLOAT))
        )
        for place in range(_BYTES.vectors):
            scale, shift, target = (_at(builder, base, place, _WORD(4 * _LANES)) for base in (scales, bias, start))
            rating = builder.sitofp(builder.sub(totals[row * _BYTES.vectors + place], taken), _FLOATS)
            rating = builder.fmul(builder.fmul(rating, step), _load(builder, scale, _FLOATS))
            rating = builder.fadd(rating, _load(builder, shift, _FLOATS))
            builder.store(rating, builder.inttoptr(target, _FLOATS.as_pointer()), align=4)


def _write_sums(builder: Builder, given: list[Value]) -> None:
    """Add the code that multiplies a tile of weights; as of `_write_ratings`, without the last four."""
    rows, tile, out, width, out_width, groups = given
    totals = _sums(builder, _SHORTS, _add_pairs, rows, tile, width, groups)
    for row in range(_SHORTS.rows):
        start = _at(builder, out, row, out_width)
        for place in range(_SHORTS.vectors):
            target = _at(builder, start, place, _WORD(4 * _LANES))
            builder.store(
                totals[row * _SHORTS.vectors + place], builder.inttoptr(target, _LANE_VECTOR.as_pointer()), align=4
            )


def _add_quads(builder: Builder, total: Value, weights: list[Value], numbers: list[Value]) -> Value:
    """Return the sums with four products of bytes of each group added in each lane."""
    if _ADDS:
        name = f"llvm.x86.avx512.vpdpbusd.{_BITS}"
        return _call(builder, name, _LANE_VECTOR, [total, weights[0], numbers[0]])
    first, second = (
        _call(builder, _QUADS, _SHORT_VECTOR, [builder.bitcast(vector, _BYTE_VECTOR) for vector in group])
        for group in zip(weights, numbers, strict=True)
    )
    ones = _SHORT_VECTOR([1] * 2 * _LANES)
    return builder.add(total, _call(builder, _PAIRS, _LANE_VECTOR, [builder.add(first, second), ones]))


def _add_pairs(builder: Builder, total: Value, weights: list[Value], numbers: list[Value]) -> Value:
    """Return the sums with two products of shorts added in each lane."""
    if _ADDS:
        name = f"llvm.x86.avx512.vpdpwssd.{_BITS}"
        return _call(builder, name, _LANE_VECTOR, [total, weights[0], numbers[0]])
    shorts = [builder.bitcast(vector, _SHORT_VECTOR) for vector in (weights[0], numbers[0])]
    return builder.add(total, _call(builder, _PAIRS, _LANE_VECTOR, shorts))


def _call(builder: Builder, name: str, result: Value, arguments: list[Value]) -> Value:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def _sums(
    builder: Builder,
    tile: _Tile,
    add: Callable[..., Value],
    rows: Value,
    weights: Value,
    width: Value,
    groups: Value,
) -> list[Value]:
    """Return the sums of products, rows × vectors of weights."""
    starts = [_at(builder, rows, row, width) for row in range(tile.rows)]
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    group = builder.phi(_WORD)
    group.add_incoming(_WORD(0), before)
    totals = [builder.phi(_LANE_VECTOR) for _ in range(tile.rows * tile.vectors)]
    for total in totals:
        total.add_incoming(_LANE_VECTOR([0] * _LANES), before)
    columns = [
        _load_weights(builder, tile, weights, builder.add(group, _WORD(number))) for number in range(tile.groups)
    ]
    added = []
    for row, start in enumerate(starts):
        address = builder.add(start, builder.mul(group, _WORD(4)))
        fours = (_load(builder, _at(builder, address, number, _WORD(4)), _LANE) for number in range(tile.groups))
        numbers = [_spread(builder, four, _LANE) for four in fours]
        own = totals[row * tile.vectors : (row + 1) * tile.vectors]
        added += [
            add(builder, total, list(vectors), numbers)
            for total, vectors in zip(own, zip(*columns, strict=True), strict=True)
        ]
    following = builder.add(group, _WORD(tile.groups))
    for phi, value in zip([group, *totals], [following, *added], strict=True):
        phi.add_incoming(value, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, groups), loop, after)
    builder.position_at_end(after)
    return added


def _load_weights(builder: Builder, tile: _Tile, weights: Value, group: Value) -> list[Value]:
    """Return the vectors of a tile's weights that a group of a row's numbers is multiplied with."""
    base = builder.add(weights, builder.mul(group, _WORD(tile.width * 4)))
    places = range(tile.vectors)
    return [_load(builder, _at(builder, base, place, _WORD(4 * _LANES)), _LANE_VECTOR) for place in places]


def _at(builder: Builder, base: Value, place: int, size: Value) -> Value:
    return builder.add(base, builder.mul(size, _WORD(place)))


def _load(builder: Builder, address: Value, kind: Value) -> Value:
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def _spread(builder: Builder, value: Value, kind: Value) -> Value:
    """Return a value in every lane."""
    vector = ir.VectorType(kind, _LANES)
    alone = builder.insert_element(vector(ir.Undefined), value, _LANE(0))
    return builder.shuffle_vector(alone, vector(ir.Undefined), _LANE_VECTOR([0] * _LANES))


def _as_intrinsic(write: Callable[[Builder, list[Value]], None], count: int) -> Value:
    """Return a function for compiled loops that runs what `write` adds, given a tuple of numbers."""

    @intrinsic
    def run(_: Value, given: Value) -> Value:
        def generate(context: Value, builder: Value, _: Value, arguments: Value) -> Value:
            write(builder, [builder.extract_value(arguments[0], place) for place in range(count)])
            return context.get_dummy_value()

        return types.void(given), generate

    return run


_rate_tile, _multiply_tile = _as_intrinsic(_write_ratings, 10), _as_intrinsic(_write_sums, 6)
_RATED_ROWS, _RATED_WIDTH = _BYTES.rows, _BYTES.width
_MULTIPLIED_ROWS, _MULTIPLIED_WIDTH = _SHORTS.rows, _SHORTS.width


@compiled
def _rate(
    rows: NDArray[np.int8],
    tiles: NDArray[np.uint8],
    excess: NDArray[np.int32],
    steps: Floats,
    scales: Floats,
    bias: Floats,
    out: Floats,
) -> None:
    for number in range(tiles.shape[0]):
        word = min(number * _RATED_WIDTH, out.shape[1] - _RATED_WIDTH)
        tile = tiles.ctypes.data + number * tiles.shape[1] * _RATED_WIDTH * 4
        scale, shift = scales.ctypes.data + 4 * word, bias.ctypes.data + 4 * word
        for start in range(0, rows.shape[0], _RATED_ROWS):
            row = min(start, rows.shape[0] - _RATED_ROWS)
            _rate_tile(
                (
                    rows.ctypes.data + row * rows.shape[1],
                    tile,
                    out.ctypes.data + 4 * (row * out.shape[1] + word),
                    np.int64(rows.shape[1]),
                    np.int64(4 * out.shape[1]),
                    np.int64(tiles.shape[1]),
                    excess.ctypes.data + 4 * row,
                    steps.ctypes.data + 4 * row,
                    scale,
                    shift,
                )
            )


@compiled
def _multiply(rows: NDArray[np.int16], tiles: NDArray[np.int16], out: NDArray[np.int32]) -> None:
    for number in range(tiles.shape[0]):
        column = min(number * _MULTIPLIED_WIDTH, out.shape[1] - _MULTIPLIED_WIDTH)
        tile = tiles.ctypes.data + number * tiles.shape[1] * _MULTIPLIED_WIDTH * 4
        for start in range(0, rows.shape[0], _MULTIPLIED_ROWS):
            row = min(start, rows.shape[0] - _MULTIPLIED_ROWS)
            _multiply_tile(
                (
                    rows.ctypes.data + 2 * row * rows.shape[1],
                    tile,
                    out.ctypes.data + 4 * (row * out.shape[1] + column),
                    np.int64(2 * rows.shape[1]),
                    np.int64(4 * out.shape[1]),
                    np.int64(tiles.shape[1]),
                )
            )
