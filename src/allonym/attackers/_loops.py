"""The passes over n-grams and over texts to learn from, compiled. Imported only when they run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Keys = NDArray[np.uint64]

Floats = NDArray[np.float32]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xCBF29CE484222325)
_SHIFT = np.uint64(29)


@compiled
def count_grams(
    codes: Keys,
    starts: Places,
    sizes: tuple[int, int],
    shift: np.uint64,
    table: tuple[Numbers, Keys, Places, NDArray[np.int8]],
    known: int,
    marks: tuple[Numbers, Places],
    found: tuple[Numbers, Numbers, Places],
) -> int:
    """Number the n-grams of some documents and count them in each; return how many n-grams are known now.

    Document d is `codes[starts[d]:starts[d + 1]]`. `table` holds, for each place of a hash table, the number of the
    n-gram that lies there or −1; and for each number its key, where it first stood, and its size. `marks` holds for
    each number the last document that has it, and its place in `found`: numbers, counts, and where a document's end.
    """
    slots, keys, firsts, lengths = table
    last, place = marks
    numbers, counts, ends = found
    wrap = len(slots) - 1
    size = 0
    for document in range(len(starts) - 1):
        for i in range(starts[document], starts[document + 1]):
            key = _FIRST
            for length in range(1, min(sizes[1], starts[document + 1] - i) + 1):
                key = (key ^ codes[i + length - 1]) * _FACTOR
                key ^= key >> _SHIFT
                if length < sizes[0]:
                    continue
                slot = np.int64(key * _FACTOR >> shift)
                while slots[slot] >= 0 and keys[slots[slot]] != key:
                    slot = (slot + 1) & wrap
                number = slots[slot]
                if number < 0:
                    number = known
                    slots[slot], keys[number], firsts[number], lengths[number] = number, key, i, length
                    last[number] = -1
                    known += 1
                if last[number] != document:
                    last[number], place[number] = document, size
                    numbers[size], counts[size] = number, 0
                    size += 1
                counts[place[number]] += 1
        ends[document + 1] = size
    return known


@compiled
def fill_slots(keys: Keys, shift: np.uint64, slots: Numbers) -> None:
    """Put numbered keys into a larger hash table."""
    wrap = len(slots) - 1
    for number in range(len(keys)):
        slot = np.int64(keys[number] * _FACTOR >> shift)
        while slots[slot] >= 0:
            slot = (slot + 1) & wrap
        slots[slot] = number


@compiled
def _add_features(scores: Floats, constants: Floats, weights: Floats, columns: Numbers, data: Floats) -> None:
    """Score a text: the constants and, for each of its features, the weights of all authors."""
    scores[:] = constants
    fours = len(columns) // 4 * 4
    # Each sum waits for the one before; with four features a sum, processors without AVX-512 wait a third less.
    for entry in range(0, fours, 4):
        row0, row1 = weights[columns[entry]], weights[columns[entry + 1]]
        row2, row3 = weights[columns[entry + 2]], weights[columns[entry + 3]]
        value0, value1, value2, value3 = data[entry], data[entry + 1], data[entry + 2], data[entry + 3]
        for author in range(len(scores)):
            scores[author] += (value0 * row0[author] + value1 * row1[author]) + (
                value2 * row2[author] + value3 * row3[author]
            )
    for entry in range(fours, len(columns)):
        row, value = weights[columns[entry]], data[entry]
        for author in range(len(scores)):
            scores[author] += value * row[author]


@compiled
def descend(
    order: Places,
    values: tuple[Floats, Numbers, Numbers],
    machine: tuple[Places, Floats, np.float32],
    authors: int,
    weights: Floats,
    duals: Floats,
) -> tuple[float, float]:
    """Go over all texts once, and bring the machines of all authors nearer to their best; return how far they are.

    `values` are texts × features as scikit-learn keeps sparse rows; `machine` is the author of each text, one more than
    its squared length, and what is added to the dual's diagonal. `weights` are features × authors, the constants last;
    `duals` are texts × authors. What is returned is the largest and the smallest slope that the dual has left.
    """
    data, columns, ends = values
    writers, squares, diagonal = machine
    lanes = weights.shape[1]
    constants = weights[-1]
    scores = np.empty(lanes, dtype=np.float32)
    highest, lowest = -np.inf, np.inf
    for text in order:
        first, last = ends[text], ends[text + 1]
        _add_features(scores, constants, weights, columns[first:last], data[first:last])
        moved = False
        curvature = squares[text] + diagonal
        dual = duals[text]
        for author in range(lanes):
            sign = np.float32(1) if writers[text] == author else np.float32(-1)
            slope = sign * scores[author] - np.float32(1) + dual[author] * diagonal
            change = np.float32(0)
            # What is at its bound and would go beyond it stays; authors beyond the last only fill the lanes.
            if author < authors and (dual[author] > 0 or slope < 0):
                highest, lowest = max(highest, slope), min(lowest, slope)
                nearer = max(dual[author] - slope / curvature, np.float32(0))
                change = (nearer - dual[author]) * sign
                dual[author] = nearer
                moved = moved or change != 0
            scores[author] = change
        if moved:
            constants += scores
            for entry in range(first, last):
                row, value = weights[columns[entry]], data[entry]
                for author in range(lanes):
                    row[author] += value * scores[author]
    return highest, lowest
