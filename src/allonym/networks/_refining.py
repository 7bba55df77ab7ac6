"""Compiled: the best of the output layer's words rated anew, as `OutputLayer` says.

They are few, and lie anywhere in memory that is larger than the processor's caches. So what a row needs is asked for
while the row before it is rated, and nothing is guessed where a guess would mostly be wrong. Imported only when
compiling pays.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from allonym.acceleration import compiled
from allonym.networks._exact_loops import TEAMS, WATCHED, Floats, largest_of_teams

Places = NDArray[np.int64]
Builder: TypeAlias = Any  # llvmlite has no types
Value: TypeAlias = Any

_LINE = 64  # bytes that come from memory together
_EIGHT = 8  # teams that are looked at together
_TO_READ, _AGAIN_SOON, _DATA = 0, 3, 1  # what LLVM is told of a line to fetch


@intrinsic
def _fetch(_: Value, address: Value) -> Value:
    """Have a line of memory brought near, and do not wait for it."""

    def generate(context: Value, builder: Builder, _: Value, arguments: Value) -> Value:
        line, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [line, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [line], kind)
        how = [number(part) for part in (_TO_READ, _AGAIN_SOON, _DATA)]
        builder.call(fetch, [builder.inttoptr(arguments[0], line), *how])
        return context.get_dummy_value()

    return types.void(address), generate


@compiled
def _product(feature: NDArray[np.int16], vector: NDArray[np.int8]) -> np.float32:
    total = np.int32(0)
    for place in range(vector.shape[0]):  # numba multiplies in 64 bits unless told that 32 hold the sum
        total = np.int32(total + np.int32(np.int32(feature[place]) * np.int32(vector[place])))
    return np.float32(total)


@compiled
def _set_places(flags: NDArray[np.uint64], found: Places) -> int:
    """Write where a flag is set, and return how often: each place is written, and kept if it counts."""
    count = 0
    for place in range(flags.shape[0]):
        found[count] = place
        count += flags[place] != 0
    return count


@compiled
def _candidates(
    ratings: Floats, bests: Floats, edge: np.float32, passes: NDArray[np.uint8], found: Places, chosen: Places
) -> int:
    """Write the words of each team whose best is no worse than `edge`, ask for their ratings, and return how many.

    Few teams have such a word, so eight of them are looked at together.
    """
    for team in range(bests.shape[0]):
        passes[team] = bests[team] >= edge
    count = 0
    for place in range(_set_places(passes.view(np.uint64), found)):
        for team in range(_EIGHT * found[place], _EIGHT * (found[place] + 1)):
            if passes[team]:
                first = team // TEAMS * WATCHED + team % TEAMS
                for word in range(first, min(first + WATCHED, ratings.shape[0]), TEAMS):
                    chosen[count] = word
                    count += 1
                    _fetch(ratings.ctypes.data + ratings.itemsize * word)  # type: ignore[call-arg] # the first is numba's
    return count


@compiled
def _choose(ratings: Floats, words: NDArray[np.int8], edge: np.float32, chosen: Places, candidates: int) -> int:
    """Keep the candidates that are rated no worse than `edge`, ask for their vectors, and return how many there are."""
    count = 0
    for place in range(candidates):
        word = chosen[place]
        chosen[count] = word
        count += ratings[word] >= edge
    for place in range(count):
        start = words.ctypes.data + chosen[place] * words.shape[1]
        for line in range(0, words.shape[1], _LINE):
            _fetch(start + line)  # type: ignore[call-arg]
    return count


@compiled
def refine(
    ratings: Floats,
    bests: Floats,
    features: NDArray[np.int16],
    steps: Floats,
    words: NDArray[np.int8],
    scales: Floats,
    bias: Floats,
) -> None:
    """Rate again, with features of 16 bits, the words that are no worse than the worst of the teams' bests.

    `bests` are as `largest_in_blocks` gives them.
    """
    rows, teams = ratings.shape[0], bests.shape[1] * TEAMS
    of_row, passes = np.empty(TEAMS, np.float32), np.empty(teams, np.uint8)
    found, lists = np.empty(teams // _EIGHT, np.int64), np.empty((2, ratings.shape[1]), np.int64)
    candidates, edge = 0, np.float32(0)
    for row in range(-1, rows):
        of_this, edge_of_this = candidates, edge
        if row + 1 < rows:
            of_blocks = bests[row + 1].reshape(-1)
            largest_of_teams(of_blocks, of_row)
            edge = of_row.min()
            candidates = _candidates(ratings[row + 1], of_blocks, edge, passes, found, lists[(row + 1) % 2])
        if row >= 0:
            chosen = lists[row % 2]
            for place in range(_choose(ratings[row], words, edge_of_this, chosen, of_this)):
                word = chosen[place]
                ratings[row, word] = _product(features[row], words[word]) * steps[row] * scales[word] + bias[word]
