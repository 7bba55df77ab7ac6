"""What a rewrite changed, word by word, so that each change can be taken back or made otherwise.

A change holds the exact stretch of the original and the exact stretch of the released text; all stretches joined give
the one or the other, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\S+\s*|\s+")
_CORE = re.compile(r"[\w'’\-]+")
_REACH = 24  # tokens: drawn words stand about where the originals stood, so nothing further off is compared
_GAP = 0.9  # price of a word without a partner
_PAIR, _LEFT_OUT, _ADDED = range(3)


@dataclass(frozen=True)
class Change:
    """A stretch of both texts."""

    before: str  # in the original, with the white space after it
    after: str  # in the released text, with the white space after it
    same: bool  # whether both hold the same words, but for case and punctuation


def compare(original: str, released: str) -> list[Change]:
    """Return the stretches of two texts, in order: an alignment with few changes, near the diagonal."""
    before, after = _TOKEN.findall(original), _TOKEN.findall(released)
    cores = [_core(token) for token in before], [_core(token) for token in after]
    changes: list[Change] = []
    for row, column in _aligned(*cores):
        left = "" if row is None else before[row]
        right = "" if column is None else after[column]
        same = row is not None and column is not None and cores[0][row] == cores[1][column]
        if column is None and changes and not changes[-1].after:  # one stretch for all that was left out together
            left = changes.pop().before + left
        changes.append(Change(left, right, same))
    return changes


def _aligned(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Yield pairs of indices; None stands for a word that has no partner."""
    if not before or not after:
        yield from ((row, None) for row in range(len(before)))
        yield from ((None, column) for column in range(len(after)))
        return
    starts, steps = _cheapest(before, after)
    row, column = len(before), len(after)
    path: list[tuple[int | None, int | None]] = []
    while row or column:
        step = steps[row][column - starts[row]]
        row -= step != _ADDED
        column -= step != _LEFT_OUT
        path.append((None if step == _ADDED else row, None if step == _LEFT_OUT else column))
    yield from reversed(path)


def _cheapest(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[bytearray]]:
    """Return, row by row, the first column looked at, and the last step of the cheapest way to each cell.

    Needleman and Wunsch's table, of which only a band around the diagonal is filled in: time grows with the length.
    """
    reach = _REACH + abs(len(after) - len(before)) // max(1, len(before)) + 1
    slope = len(after) / len(before)
    starts, steps = [], []
    former: dict[int, float] = {}
    for row in range(len(before) + 1):
        middle = round(row * slope)
        low, high = max(0, middle - reach), min(len(after), middle + reach + int(slope) + 1)
        prices: dict[int, float] = {}
        taken = bytearray()
        for column in range(low, high + 1):
            price, step = _best(row, column, before, after, former, prices)
            prices[column] = price
            taken.append(step)
        starts.append(low)
        steps.append(taken)
        former = prices
    return starts, steps


def _best(
    row: int,
    column: int,
    before: Sequence[str],
    after: Sequence[str],
    former: dict[int, float],
    row_prices: dict[int, float],
) -> tuple[float, int]:
    """Return the price of a cell and the step that leads to it."""
    if not row and not column:
        return 0.0, _PAIR
    best, step = float("inf"), _ADDED
    if row and column - 1 in former:
        best = former[column - 1] + _apart(before[row - 1], after[column - 1])
        step = _PAIR
    if row and column in former and former[column] + _GAP < best:
        best, step = former[column] + _GAP, _LEFT_OUT
    if column - 1 in row_prices and row_prices[column - 1] + _GAP < best:
        best, step = row_prices[column - 1] + _GAP, _ADDED
    return best, step


def _apart(word: str, other: str) -> float:
    """Return the price of a pair of words: nothing for the same, less for those that begin alike."""
    if word == other:
        return 0.0
    return 0.7 if word[:3] == other[:3] else 1.0


def _core(token: str) -> str:
    """Return a token's word in lower case; one without letters stays as it is."""
    word = _CORE.search(token)
    return word.group().lower().replace("’", "'") if word else token.strip()


def with_word(stretch: str, word: str) -> str:
    """Return a stretch with its words replaced by one, the punctuation and white space around them kept.

    >>> with_word("(coffee), ", "tea")
    '(tea), '
    """
    cores = list(_CORE.finditer(stretch))
    if not cores:
        return word + stretch[len(stretch.rstrip()) :]
    return stretch[: cores[0].start()] + word + stretch[cores[-1].end() :]


def core(stretch: str) -> tuple[int, int]:
    """Return where the words of a stretch begin and end, without what stands around them."""
    cores = list(_CORE.finditer(stretch))
    return (cores[0].start(), cores[-1].end()) if cores else (0, len(stretch.rstrip()))
