"""The passes over n-grams, compiled. Imported only when they run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Keys = NDArray[np.uint64]

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
