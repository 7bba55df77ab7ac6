"""Compiled twin of the whole-number product in `EraeReader._rate`, by a processor's own instruction for int8.

The instruction (VNNI's ``vpdpbusd``) adds, in each of its 32-bit lanes, four products of unsigned and signed bytes.
Words lie in the lanes, 128 added to make them unsigned: 128 times the sum of a row's numbers is taken off at the end.
Sums of whole numbers are exact, and the rest is done in NumPy's order, so the ratings are NumPy's to the last bit.
Imported only when compiling pays.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding  # type: ignore[import-untyped]
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from allonym.acceleration import compiled

Floats = NDArray[np.float32]

_FEATURES = llvmlite.binding.get_host_cpu_features()
_WIDE = bool(_FEATURES.get("avx512vnni") and _FEATURES.get("avx512vl"))
AVAILABLE = _WIDE or bool(_FEATURES.get("avxvnni"))

_LANES = 16 if _WIDE else 8
_ROWS, _VECTORS = (6, 4) if _WIDE else (3, 4)  # sums that fit into the registers
_TOGETHER = 4  # bytes of one lane
_TILE = _LANES * _VECTORS
LEAST_ROWS, LEAST_WORDS = _ROWS, _TILE
_WORD, _LANE = ir.IntType(64), ir.IntType(32)
_LANE_VECTOR, _FLOATS = ir.VectorType(_LANE, _LANES), ir.VectorType(ir.FloatType(), _LANES)
_INSTRUCTION = f"llvm.x86.avx512.vpdpbusd.{32 * _LANES}"


def packed(words: NDArray[np.int8] | Floats) -> NDArray[np.uint8] | None:
    """Return the words, whole numbers of at most 127, in tiles as the lanes want them; None where this cannot work.

    The last tile begins early enough to be a whole one.
    """
    if not AVAILABLE or len(words) < LEAST_WORDS or words.shape[1] % _TOGETHER:
        return None
    starts = np.minimum(np.arange(0, len(words), _TILE), len(words) - _TILE)
    rows = (starts[:, None] + np.arange(_TILE)).ravel()
    bytes_ = (words.astype(np.int16) + 128).astype(np.uint8)[rows]
    tiles = bytes_.reshape(len(starts), _TILE, -1, _TOGETHER).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(tiles)  # (tiles, E / 4, tile, 4)


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


@intrinsic
def _rate_tile(_: Any, given: Any) -> Any:  # noqa: ANN401 - numba's own types
    """Rate a tile of words for `_ROWS` rows; see `_write_tile`."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:  # noqa: ANN401
        _write_tile(builder, [builder.extract_value(arguments[0], place) for place in range(10)])
        return context.get_dummy_value()

    return types.void(given), generate


def _write_tile(builder: Any, given: list[Any]) -> None:  # noqa: ANN401
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
            for base, kind in ((excess, _LANE), (steps, ir.FloatType()))
        )
        for place in range(_VECTORS):
            scale, shift, target = (_at(builder, base, place, _WORD(4 * _LANES)) for base in (scales, bias, start))
            rating = builder.sitofp(builder.sub(totals[row * _VECTORS + place], taken), _FLOATS)
            rating = builder.fmul(builder.fmul(rating, step), _load(builder, scale, _FLOATS))
            rating = builder.fadd(rating, _load(builder, shift, _FLOATS))
            builder.store(rating, builder.inttoptr(target, _FLOATS.as_pointer()), align=4)


def _sums(builder: Any, starts: list[Any], tile: Any, groups: Any) -> list[Any]:  # noqa: ANN401
    """Return the sums of products, rows × vectors of words."""
    add_products = builder.module.globals.get(_INSTRUCTION) or ir.Function(
        builder.module, ir.FunctionType(_LANE_VECTOR, [_LANE_VECTOR] * 3), _INSTRUCTION
    )
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    group = builder.phi(_WORD)
    group.add_incoming(_WORD(0), before)
    totals = [builder.phi(_LANE_VECTOR) for _ in range(_ROWS * _VECTORS)]
    for total in totals:
        total.add_incoming(_LANE_VECTOR([0] * _LANES), before)
    base = builder.add(tile, builder.mul(group, _WORD(_TILE * _TOGETHER)))
    weights = [_load(builder, _at(builder, base, place, _WORD(4 * _LANES)), _LANE_VECTOR) for place in range(_VECTORS)]
    added = []
    for row, start in enumerate(starts):
        four = _load(builder, builder.add(start, builder.mul(group, _WORD(_TOGETHER))), _LANE)
        numbers = _spread(builder, four, _LANE)
        added += [
            builder.call(add_products, [totals[row * _VECTORS + place], weight, numbers])
            for place, weight in enumerate(weights)
        ]
    following = builder.add(group, _WORD(1))
    for phi, value in zip([group, *totals], [following, *added], strict=True):
        phi.add_incoming(value, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, groups), loop, after)
    builder.position_at_end(after)
    return added


def _at(builder: Any, base: Any, place: int, size: Any) -> Any:  # noqa: ANN401
    return builder.add(base, builder.mul(size, _WORD(place)))


def _load(builder: Any, address: Any, kind: Any) -> Any:  # noqa: ANN401
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1)


def _spread(builder: Any, value: Any, kind: Any) -> Any:  # noqa: ANN401
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
) -> None:
    for number in range(tiles.shape[0]):
        word = min(number * _TILE, out.shape[1] - _TILE)
        tile = tiles.ctypes.data + number * tiles.shape[1] * _TILE * _TOGETHER
        scale, shift = scales.ctypes.data + 4 * word, bias.ctypes.data + 4 * word
        for start in range(0, rows.shape[0], _ROWS):
            row = min(start, rows.shape[0] - _ROWS)
            _rate_tile(  # type: ignore[call-arg] # the first one is numba's
                (
                    rows.ctypes.data + row * rows.shape[1],
                    tile,
                    excess.ctypes.data + 4 * row,
                    steps.ctypes.data + 4 * row,
                    scale,
                    shift,
                    out.ctypes.data + 4 * (row * out.shape[1] + word),
                    np.int64(rows.shape[1]),
                    np.int64(4 * out.shape[1]),
                    np.int64(tiles.shape[1]),
                )
            )
