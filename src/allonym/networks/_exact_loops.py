"""Compiled twins of what `whole_numbers` and `_recurrent` do element by element: the same operations in the same order.

No operation is joined with another or done in another order, so the bits are NumPy's. Constants are arguments: machine
code that is kept on disk would not notice that one of them changed. Imported only when compiling pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled

Floats = NDArray[np.float32]
Sums = NDArray[np.signedinteger[Any]]
Constants = tuple[np.float32, ...]
Softmax = tuple[Constants, np.float32, np.float32, np.float32]  # `whole_numbers.SOFTMAX_CONSTANTS`

TEAMS = 16
_BLOCK = 4 * TEAMS
WATCHED = _BLOCK  # words whose largest ratings are kept


@compiled
def _tanh(x: np.float32, parts: Constants) -> np.float32:
    x = min(max(x, -parts[0]), parts[0])
    square = x * x
    above = ((parts[1] * square + parts[2]) * square + parts[3]) * square + parts[4]
    above = ((above * square + parts[5]) * square + parts[6]) * square + parts[7]
    below = ((parts[8] * square + parts[9]) * square + parts[10]) * square + parts[11]
    return np.float32(above * x / below)


@compiled
def _open_gates(sums: Sums, scales: Floats, given: Floats, tanh_parts: Constants, gates: Floats) -> None:
    half, one = np.float32(0.5), np.float32(1)
    for unit in range(gates.shape[0]):
        gates[unit] = (_tanh(np.float32(sums[unit]) * scales[unit] + given[unit], tanh_parts) + one) * half


@compiled
def _renew(
    sums: Sums,
    scales: Floats,
    given: Floats,
    bias: Floats,
    gates: tuple[Floats, Floats],
    tanh_parts: Constants,
    one: np.float32,
    state: NDArray[np.int16],
) -> None:
    resets, updates = gates
    inverse = np.float32(1) / one
    for unit in range(state.shape[0]):
        change = (np.float32(sums[unit]) * scales[unit] + bias[unit]) * resets[unit]
        new = _tanh(given[unit] + change, tanh_parts)
        before = np.float32(state[unit]) * inverse
        state[unit] = np.int16(np.rint(((before - new) * updates[unit] + new) * one))


@compiled
def advance(
    sums: Sums,
    scales: Floats,
    given: Floats,
    bias: Floats,
    tanh_parts: Constants,
    one: np.float32,
    state: NDArray[np.int16],
) -> None:
    """Advance the states of a GRU, a row each; see `_recurrent.Gru`."""
    size = state.shape[1]
    gates = np.empty(2 * size, np.float32)
    both = (gates[:size], gates[size:])
    first, last = slice(0, 2 * size), slice(2 * size, 3 * size)
    for row in range(state.shape[0]):
        _open_gates(sums[row, first], scales[first], given[row, first], tanh_parts, gates)
        _renew(sums[row, last], scales[last], given[row, last], bias, both, tanh_parts, one, state[row])


@compiled
def mix(
    own: Sums,
    others: Sums,
    scales: Floats,
    bias: Floats,
    tanh_parts: Constants,
    one: np.float32,
    out: NDArray[np.int16],
) -> None:
    """Write the tangent of two sums of products, as whole numbers."""
    for row in range(out.shape[0]):
        first, second, written = own[row], others[row], out[row]
        for place in range(written.shape[0]):
            added = np.float32(first[place]) * scales[place] + np.float32(second[place]) * scales[place] + bias[place]
            written[place] = np.int16(np.rint(_tanh(added, tanh_parts) * one))


@compiled
def largest_of_teams(numbers: Floats, bests: Floats) -> None:
    """Write the largest of the numbers of each team: of every 16th. That is vectorised, unlike a maximum of all."""
    whole = numbers.shape[0] // _BLOCK * _BLOCK
    bests[:] = -np.float32(np.inf)
    for start in range(0, whole, _BLOCK):
        few = numbers[start : start + _BLOCK]
        for team in range(TEAMS):
            first = few[team] if few[team] > few[team + TEAMS] else few[team + TEAMS]
            second = few[team + 2 * TEAMS] if few[team + 2 * TEAMS] > few[team + 3 * TEAMS] else few[team + 3 * TEAMS]
            first = first if first > second else second
            bests[team] = first if first > bests[team] else bests[team]
    for place in range(whole, numbers.shape[0]):
        bests[place % TEAMS] = max(bests[place % TEAMS], numbers[place])


@compiled
def largest_in_blocks(ratings: Floats) -> NDArray[np.float32]:
    """Return the largest rating of each team in each block of `WATCHED` words of each row."""
    blocks = -(-ratings.shape[1] // WATCHED)
    bests = np.empty((ratings.shape[0], blocks, TEAMS), np.float32)
    for row in range(ratings.shape[0]):
        for block in range(blocks):
            largest_of_teams(ratings[row, block * WATCHED : (block + 1) * WATCHED], bests[row, block])
    return bests


@compiled
def exponentiate(ratings: Floats, most: np.float32, constants: Softmax, bits: NDArray[np.int32]) -> None:
    """Write e^(rating − most), as the bits of floats."""
    exp_parts, log2_e, least, _ = constants
    powers = bits.view(np.float32)
    for place in range(ratings.shape[0]):
        doublings = (ratings[place] - most) * log2_e
        possible = doublings >= least
        doublings = max(doublings, least)
        whole = np.floor(doublings)
        part = doublings - whole
        fraction_power = ((exp_parts[0] * part + exp_parts[1]) * part + exp_parts[2]) * part + exp_parts[3]
        fraction_power = (fraction_power * part + exp_parts[4]) * part + exp_parts[5]
        power = (np.int32(whole) + np.int32(127)) << np.int32(23)
        bits[place] = power if possible else np.int32(0)
        powers[place] *= fraction_power


@compiled
def softmax(ratings: Floats, constants: Softmax) -> None:
    """Turn rows of ratings into probabilities."""
    unit = constants[3]
    bits = np.empty(ratings.shape[1], np.int32)
    powers = bits.view(np.float32)
    bests = np.empty(TEAMS, np.float32)
    for row in range(ratings.shape[0]):
        chances = ratings[row]
        largest_of_teams(chances, bests)
        exponentiate(chances, np.float32(bests.max()), constants, bits)
        total = np.int64(0)
        for place in range(chances.shape[0]):
            total += np.int64(np.int32(powers[place] * unit))
        share = np.float32(np.float64(unit) / np.float64(total))
        for place in range(chances.shape[0]):
            chances[place] = powers[place] * share
