"""The passes over characters and words of WritePrints, compiled where numba is there. Imported only when they run.

Texts come as one array of `bins` (see `_batch`): ASCII as itself, a number above 127 for every other kind
of character. Document d is `bins[starts[d]:starts[d + 1]]`. What a pass finds is written to arrays that are as long as
there could be findings, document after document; `offsets[d + 1]` says where those of document d end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled

Bins = NDArray[np.uint8]
Codes = NDArray[np.uint32]
Places = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_Loop = TypeVar("_Loop", bound=Callable[..., Any])

LETTERS: Final = 26
ASCII: Final = 128
# What a character is to a word …
SEPARATES, IN_WORD, CONTINUES, APOSTROPHE, ALONE = 0, 1, 2, 3, 4
# … and to a sentence.
OTHER, BLANK, NEWLINE, ENDS, ENDS_AT_ONCE, CLOSES, SMALL, POINT = 0, 1, 2, 3, 4, 5, 6, 7
# What a line is: flags.
EMPTY_LINE, INDENTED, QUOTED, OPENS_PARAGRAPH = 1, 2, 4, 8
# Habits of typing, in the order of their columns.
REPEATED_MARKS, ELLIPSIS, WIDE_GAP, GAP_BEFORE_MARK, COMMA_WITHOUT_GAP = 0, 1, 2, 3, 4
# Traits of words: flags.
ALL_CAPITALS, SMALL_I, STRETCHED = 1, 2, 4
RICHNESS: Final = 8

_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xCBF29CE484222325)
_SHIFT: Final = np.uint64(29)
_BRUNET: Final = -0.165


def _fast(loop: _Loop) -> _Loop:
    # Without numba the same code runs as it is: slow, with the same results.
    return compiled(loop) if find_spec("numba") is not None else loop


@_fast
def count_characters(bins: Bins, starts: Places, counts: NDArray[np.int32]) -> None:
    """Count the bins of every document."""
    for document in range(len(starts) - 1):
        row = counts[document]
        for i in range(starts[document], starts[document + 1]):
            row[bins[i]] += 1


@_fast
def count_letter_grams(
    bins: Bins,
    starts: Places,
    step: int,
    slots: tuple[NDArray[np.int32], NDArray[np.int32]],
    counts: tuple[NDArray[np.int32], NDArray[np.int32]],
    totals: NDArray[np.int64],
) -> None:
    """Count pairs and triples of adjacent letters a–z in any case.

    `slots` maps the number of a pair or triple (base 26) to its column; what falls in the last column is not wanted.
    The counts of document d go to row d · step, so a step of 0 adds all documents up.
    """
    pairs, triples = slots
    for document in range(len(starts) - 1):
        of_pairs, of_triples = counts[0][document * step], counts[1][document * step]
        run = all_pairs = all_triples = 0
        last = pair = np.int64(0)
        for i in range(starts[document], starts[document + 1]):
            letter = np.int64(bins[i] | 32) - 97
            if letter < 0 or letter >= LETTERS:
                run = 0
                continue
            if run > 1:
                of_triples[triples[pair * LETTERS + letter]] += 1
                all_triples += 1
            if run > 0:
                pair = last * LETTERS + letter
                of_pairs[pairs[pair]] += 1
                all_pairs += 1
            last = letter
            run += 1
        totals[document * step, 0] += all_pairs
        totals[document * step, 1] += all_triples


@_fast
def _word_end(bins: Bins, roles: Bins, i: int, end: int) -> int:
    """Return where the word that begins at i ends."""
    alone = roles[bins[i]] == ALONE
    i += 1
    while i < end:
        role = roles[bins[i]]
        if role == CONTINUES or (role == IN_WORD and not alone):
            i += 1
        elif role == APOSTROPHE and not alone and i + 1 < end and roles[bins[i + 1]] == IN_WORD:
            i += 2
        else:
            break
    return i


@_fast
def find_words(
    bins: Bins,
    starts: Places,
    beyond_ascii: tuple[Codes, Places],
    tables: tuple[Bins, Codes],
    found: tuple[Places, Places, Hashes],
    offsets: Places,
) -> int:
    """Find the words of every document, and a number of 64 bits for each that depends on its lower-case letters only.

    Any two of a million words share their number with a probability of about 3 in 100 million. `beyond_ascii` holds
    the code points of the documents that are not ASCII, and how far these lie from the bins.
    """
    roles, lower = tables
    codes, shifts = beyond_ascii
    begins, ends, hashes = found
    words = 0
    for document in range(len(starts) - 1):
        i, end = starts[document], starts[document + 1]
        while i < end:
            role = roles[bins[i]]
            if role != IN_WORD and role != ALONE:
                i += 1
                continue
            stop = _word_end(bins, roles, i, end)
            number = _FIRST
            for place in range(i, stop):
                code = bins[place] if bins[place] < ASCII else codes[place + shifts[document]]
                number = (number ^ np.uint64(lower[code])) * _FACTOR
            begins[words], ends[words] = i, stop
            hashes[words] = number ^ (number >> _SHIFT)
            words += 1
            i = stop
        offsets[document + 1] = words
    return words


@_fast
def number_hashes(
    hashes: Hashes,
    documents: Places,
    shift: np.uint64,
    table: NDArray[np.int32],
    found: tuple[NDArray[np.int32], Places, Places, Places],
) -> int:
    """Number the distinct hashes in the order they first appear; count each and its documents, remember the first.

    `table` holds −1 at first, and 2^(64 − shift) places, more than there are hashes.
    """
    numbers, counts, holders, firsts = found
    lasts = np.empty_like(firsts)
    mask = np.int64(len(table) - 1)
    distinct = 0
    for i in range(len(hashes)):
        value = hashes[i]
        slot = np.int64((value * _FACTOR) >> shift)
        while table[slot] >= 0 and hashes[firsts[table[slot]]] != value:
            slot = (slot + 1) & mask
        number = table[slot]
        if number < 0:
            number = table[slot] = distinct
            counts[number] = holders[number] = 0
            firsts[number], lasts[number] = i, -1
            distinct += 1
        counts[number] += 1
        holders[number] += lasts[number] != documents[i]
        lasts[number] = documents[i]
        numbers[i] = number
    return distinct


@_fast
def join_words(
    hashes: Hashes, offsets: Places, size: int, opens: NDArray[np.bool_], found: tuple[Hashes, Places]
) -> int:
    """Give a number to each row of `size` words of a document whose first word opens one."""
    numbers, firsts = found
    rows = 0
    for document in range(len(offsets) - 1):
        for first in range(offsets[document], offsets[document + 1] - size + 1):
            if opens[first]:
                number = hashes[first]
                for place in range(first + 1, first + size):
                    number = (number ^ (number >> _SHIFT)) * _FACTOR + hashes[place]
                numbers[rows], firsts[rows] = number, first
                rows += 1
    return rows


@_fast
def _richness(words: int, types: int, once: int, twice: int, squares: int, row: NDArray[np.float64]) -> None:
    if words == 0:
        return
    row[0] = types / words
    row[1] = once / words
    row[2] = twice / words
    row[3] = 1e4 * (squares - words) / words / words  # Yule's K
    row[4] = (squares - words) / (words * max(words - 1, 1))  # Simpson's D
    # Honoré's R is infinite where no word is repeated; it stops where one type is.
    row[5] = 100.0 * math.log(words) / max(1.0 - once / types, 1.0 / types)
    row[6] = twice / types  # Sichel's S
    row[7] = words ** (types**_BRUNET)  # Brunet's W


@_fast
def measure_richness(
    numbers: NDArray[np.int32], offsets: Places, scratch: Places, measures: NDArray[np.float64]
) -> None:
    """Compute the measures of vocabulary richness of every document; `scratch` has a zero for each distinct word."""
    for document in range(len(offsets) - 1):
        first, last = offsets[document], offsets[document + 1]
        types = once = twice = squares = 0
        for i in range(first, last):
            scratch[numbers[i]] += 1
        for i in range(first, last):
            times = scratch[numbers[i]]
            if times > 0:
                types += 1
                once += times == 1
                twice += times == 2
                squares += times * times
                scratch[numbers[i]] = 0
        _richness(last - first, types, once, twice, squares, measures[document])


@_fast
def find_traits(bins: Bins, capitals: NDArray[np.bool_], found: tuple[Places, Places], traits: Bins) -> None:
    """Flag the words in capitals, the small i, and words with three of the same letter in a row."""
    begins, ends = found
    for word in range(len(begins)):
        begin, end = begins[word], ends[word]
        upper = same = longest = 0
        before = np.int64(-1)
        for i in range(begin, end):
            sign = np.int64(bins[i])
            upper += capitals[sign]
            letter = sign | 32
            same = same + 1 if letter == before and 97 <= letter <= 122 else 1
            longest = max(longest, same)
            before = letter
        trait = ALL_CAPITALS if upper == end - begin and upper > 1 else 0
        if end - begin == 1 and bins[begin] == 105:
            trait |= SMALL_I
        traits[word] = trait | STRETCHED if longest > 2 else trait


@_fast
def _is_initial(bins: Bins, roles: Bins, i: int, start: int) -> bool:
    """Tell whether a point stands after a single letter other than I (e.g., i.e., J. Smith, U.S.)."""
    if i <= start or roles[bins[i - 1]] != IN_WORD or bins[i - 1] == 73 or 48 <= bins[i - 1] <= 57:
        return False
    return i - 1 == start or roles[bins[i - 2]] == SEPARATES


@_fast
def find_sentences(
    bins: Bins, starts: Places, tables: tuple[Bins, Bins], found: tuple[Places, Places], offsets: Places
) -> int:
    """Find the sentences: they end in . ! ? … before white space, or at an empty line, and hold a word."""
    roles, word_roles = tables
    begins, ends = found
    sentences = 0
    for document in range(len(starts) - 1):
        start = starts[document]
        begin = end = np.int64(-1)
        holds_word, state, newlines = False, OTHER, 0
        for i in range(start, starts[document + 1]):
            role = roles[bins[i]]
            if role in (BLANK, NEWLINE):
                newlines += role == NEWLINE
                continue
            # The sentence is over if white space follows its end, but not in: "Really?" she said.
            over = i > end and state != OTHER and not (state == CLOSES and role == SMALL)
            over |= state == ENDS_AT_ONCE and role != CLOSES and role != ENDS_AT_ONCE
            if begin >= 0 and holds_word and (over or newlines > 1):
                begins[sentences], ends[sentences] = begin, end
                sentences += 1
                begin, holds_word = np.int64(-1), False
            newlines = 0
            begin = np.int64(i) if begin < 0 else begin
            holds_word |= word_roles[bins[i]] == IN_WORD or word_roles[bins[i]] == ALONE
            if role == CLOSES:
                state = CLOSES if state != OTHER and i == end else OTHER
            elif role in (ENDS, ENDS_AT_ONCE):
                state = role
            else:
                state = ENDS if role == POINT and not _is_initial(bins, word_roles, i, start) else OTHER
            end = np.int64(i + 1)
        if begin >= 0 and holds_word:
            begins[sentences], ends[sentences] = begin, end
            sentences += 1
        offsets[document + 1] = sentences
    return sentences


@_fast
def find_lines(bins: Bins, starts: Places, roles: Bins, found: tuple[Places, Places, Bins], offsets: Places) -> int:
    """Find the lines, without their newlines, and what each is."""
    begins, ends, flags = found
    lines = 0
    for document in range(len(starts) - 1):
        i, end = starts[document], starts[document + 1]
        after_empty = True
        while i < end:
            text = stop = i
            while text < end and roles[bins[text]] == BLANK:
                text += 1
            stop = text
            while stop < end and roles[bins[stop]] != NEWLINE:
                stop += 1
            flag = EMPTY_LINE
            if stop > text:
                flag = INDENTED if text > i else 0
                flag |= QUOTED if bins[text] == 62 or bins[text] == 124 else 0  # > and |
                flag |= OPENS_PARAGRAPH if after_empty else 0
            after_empty = flag == EMPTY_LINE
            begins[lines], ends[lines], flags[lines] = i, stop, flag
            lines += 1
            i = stop + 1
        offsets[document + 1] = lines
    return lines


@_fast
def _habit(bins: Bins, roles: Bins, i: int, stop: int, bounds: tuple[int, int]) -> int:
    """Return the habit seen in a run of like signs, or −1."""
    sign = bins[i]
    before = bins[i - 1] if i > bounds[0] else 10
    after = bins[stop] if stop < bounds[1] else 10
    if sign == 33 or sign == 63:
        return REPEATED_MARKS if stop - i > 1 else -1
    if sign == 46:
        return ELLIPSIS if stop - i > 2 else -1
    if sign == 44:
        joins = stop - i == 1 and roles[before] == IN_WORD and roles[after] == IN_WORD
        return COMMA_WITHOUT_GAP if joins and not (48 <= before <= 57 and 48 <= after <= 57) else -1
    if sign != 32 or before == 10 or before == 9:
        return -1
    if stop - i > 1:
        return WIDE_GAP if after != 10 and after != 13 and after != 9 else -1
    is_mark = after == 33 or after == 44 or after == 46 or after == 58 or after == 59 or after == 63
    return GAP_BEFORE_MARK if is_mark and roles[before] == IN_WORD else -1


@_fast
def find_habits(
    bins: Bins,
    starts: Places,
    tables: tuple[NDArray[np.bool_], Bins, int],
    found: tuple[Places, Places, Bins],
    offsets: Places,
) -> int:
    """Find the habits of typing; `tables` are the signs that can begin one, roles in words, and the bin of “…”."""
    telling, roles, ellipsis = tables
    begins, ends, kinds = found
    habits = 0
    for document in range(len(starts) - 1):
        i, end = starts[document], starts[document + 1]
        bounds = (i, end)
        while i < end:
            sign = bins[i]
            if not telling[sign]:
                i += 1
                continue
            stop = i + 1
            is_mark = sign == 33 or sign == 63
            while stop < end and (bins[stop] == sign or (is_mark and (bins[stop] == 33 or bins[stop] == 63))):
                stop += 1
            kind = ELLIPSIS if sign == ellipsis else _habit(bins, roles, i, stop, bounds)
            if kind >= 0:
                begins[habits], ends[habits], kinds[habits] = i, stop, kind
                habits += 1
            i = stop
        offsets[document + 1] = habits
    return habits
