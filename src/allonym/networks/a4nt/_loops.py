"""Compiled twins of what A4NT's inference does element by element: the same operations in the same order.

As in `_exact_loops`, the bits are NumPy's, and constants are arguments. Imported only when compiling pays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled
from allonym.networks._exact_loops import (
    TEAMS,
    Constants,
    Floats,
    Softmax,
    Sums,
    _tanh,
    exponentiate,
    largest_of_teams,
)

Integers = NDArray[np.int64]

_BLOCK = 128


@compiled
def _advance_row(
    gates: tuple[Floats, Floats, Floats, Floats],
    tanh_parts: Constants,
    one: np.float32,
    state: NDArray[np.int16],
    cell: Floats,
) -> None:
    half, unit = np.float32(0.5), np.float32(1)
    inputs, forgets, candidates, outputs = gates
    for place in range(state.shape[0]):
        let_in = (_tanh(inputs[place], tanh_parts) + unit) * half
        keep = (_tanh(forgets[place], tanh_parts) + unit) * half
        let_out = (_tanh(outputs[place], tanh_parts) + unit) * half
        kept = cell[place] * keep
        cell[place] = kept + let_in * _tanh(candidates[place], tanh_parts)
        state[place] = np.int16(np.rint(let_out * _tanh(cell[place], tanh_parts) * one))


@compiled
def advance(
    sums: Sums,
    scales: Floats,
    given: Floats,
    tanh_parts: Constants,
    one: np.float32,
    state: NDArray[np.int16],
    cell: Floats,
) -> None:
    """Advance the states and cells of an LSTM, a row each; see `_recurrent.Lstm`."""
    size = state.shape[1]
    for row in range(state.shape[0]):
        gates, own = given[row], sums[row]
        for place in range(gates.shape[0]):
            gates[place] += np.float32(own[place]) * scales[place]
        four = (gates[:size], gates[size : 2 * size], gates[2 * size : 3 * size], gates[3 * size :])
        _advance_row(four, tanh_parts, one, state[row], cell[row])


@compiled
def _largest(ratings: Floats, bests: Floats) -> np.float32:
    largest_of_teams(ratings, bests)
    return np.float32(bests.max())


@compiled
def _weigh(
    ratings: Floats, most: np.float32, constants: Softmax, bits: NDArray[np.int32], weights: NDArray[np.int32]
) -> np.int64:
    """Write e^(rating − most) in whole numbers; return their sum. The bits are room to work in."""
    exponentiate(ratings, most, constants, bits)
    powers = bits.view(np.float32)
    total = np.int64(0)
    for place in range(ratings.shape[0]):
        weights[place] = np.int32(powers[place] * constants[3])
        total += np.int64(weights[place])
    return total


@compiled
def exponentials(ratings: Floats, constants: Softmax, lowest: np.float32, totals: Integers, most: Floats) -> None:
    """Write the sum of each row's exponentials in whole numbers, and its largest rating."""
    bits, weights = np.empty(ratings.shape[1], np.int32), np.empty(ratings.shape[1], np.int32)
    bests = np.empty(TEAMS, np.float32)
    for row in range(ratings.shape[0]):
        most[row] = max(_largest(ratings[row], bests), lowest)
        totals[row] = _weigh(ratings[row], most[row], constants, bits, weights)


@compiled
def choose(ratings: Floats, constants: Softmax, uniforms: NDArray[np.float64], chosen: Integers) -> None:
    """Write the words that uniform numbers choose from each row's softmax; the likeliest for negative numbers."""
    words = ratings.shape[1]
    bits, weights = np.empty(words, np.int32), np.empty(words, np.int32)
    bests = np.empty(TEAMS, np.float32)
    sums = np.empty((words + _BLOCK - 1) // _BLOCK, np.int64)
    for row in range(ratings.shape[0]):
        most = _largest(ratings[row], bests)
        total = _weigh(ratings[row], most, constants, bits, weights)
        for block in range(sums.shape[0]):
            sums[block] = weights[block * _BLOCK : (block + 1) * _BLOCK].astype(np.int64).sum()
        for number in range(uniforms.shape[1]):
            place = 0
            if uniforms[row, number] < 0:
                while place < words - 1 and ratings[row, place] != most:
                    place += 1
                chosen[row, number] = place
                continue
            left = min(np.int64(uniforms[row, number] * np.float64(total)), total - 1)
            block = 0
            while block < sums.shape[0] - 1 and sums[block] <= left:
                left -= sums[block]
                block += 1
            place = block * _BLOCK
            while place < words - 1 and weights[place] <= left:
                left -= weights[place]
                place += 1
            chosen[row, number] = place


@compiled
def bend(
    rated: Floats,
    words: Integers,
    cosines: Sums,
    units: Floats,
    scales: Floats,
    strength: np.float32,
    kinds: Integers,
) -> None:
    """Add the cosines of each row's word with all words, times the strength, and leave words of its kind only."""
    for row in range(rated.shape[0]):
        own, found, unit, kind = rated[row], cosines[row], units[row], kinds[words[row]]
        for place in range(own.shape[0]):
            bent = own[place] + np.float32(found[place]) * unit * scales[place] * strength
            own[place] = bent if kinds[place] == kind else -np.float32(np.inf)
