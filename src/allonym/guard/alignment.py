"""Which sentences of a rewrite say what which sentences of the original said.

The best way through both texts in order: one sentence for one, two for one, one for two, or none. A pair is worth more
the more of its content words and facts both sides share, and, for the rest, the nearer their words are on average.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.guard.closeness import direction
from allonym.guard.reading import Sentence, root

_STEPS: Final = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1))
_FAR: Final = 12  # sentences: what stands further from the diagonal is not compared
_SHARED, _NEAR = 0.75, 0.25  # what words that both have count for, and what nearness does
_UNRELATED: Final = 0.12  # likeness at which a pair is worth nothing
_ALONE: Final = -0.03  # worth of a sentence without partner, a word
_MERGED: Final = -1.5  # worth of each further sentence of a group, so that none is merged for nothing


class Group(NamedTuple):
    """Sentences that say the same, by their places: ranges of the original and of the rewrite."""

    before: range
    after: range


class _Content(NamedTuple):
    """What is compared of a sentence, or of some in a row."""

    keys: Counter[str]  # roots of content words and values of facts, with how often they are there
    total: int  # of these
    sum: NDArray[np.float64]
    length: float  # of the sum
    size: int


class _Side:
    """The sentences of a text, alone and in rows."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._keys = [_keys(sentence) for sentence in sentences]
        self._sums = [direction([word.lemma for word in sentence.notes]) for sentence in sentences]
        self.sizes = [1 + len(sentence.words) for sentence in sentences]
        self._rows = dict[tuple[int, int], _Content]()

    def row(self, start: int, stop: int) -> _Content:
        """Return the content of sentences in a row."""
        if (start, stop) not in self._rows:
            keys = self._keys[start] if stop == start + 1 else sum(self._keys[start:stop], Counter[str]())
            vector: NDArray[np.float64] = np.sum(self._sums[start:stop], axis=0)
            size = sum(self.sizes[start:stop])
            self._rows[start, stop] = _Content(keys, keys.total(), vector, float(np.linalg.norm(vector)), size)
        return self._rows[start, stop]


def align(before: Sequence[Sentence], after: Sequence[Sentence]) -> list[Group]:
    """Return the groups in order; each sentence is in one."""
    olds, news = _Side(before), _Side(after)
    worth = {(0, 0): 0.0}
    came = dict[tuple[int, int], tuple[int, int]]()
    slope = len(after) / max(1, len(before))
    reach = _FAR + abs(len(after) - len(before))
    for row in range(len(before) + 1):
        middle = round(row * slope)
        for column in range(max(0, middle - reach), min(len(after), middle + reach) + 1):
            _extend(worth, came, olds, news, row, column)
    return _walked(came, len(before), len(after))


def _extend(
    worth: dict[tuple[int, int], float],
    came: dict[tuple[int, int], tuple[int, int]],
    olds: _Side,
    news: _Side,
    row: int,
    column: int,
) -> None:
    """Find the best step to a place."""
    if (row, column) == (0, 0):
        return
    reached = []
    if (row - 1, column) in worth:
        reached.append((worth[row - 1, column] + _ALONE * olds.sizes[row - 1], (1, 0)))
    if (row, column - 1) in worth:
        reached.append((worth[row, column - 1] + _ALONE * news.sizes[column - 1], (0, 1)))
    for rows, columns in _STEPS:
        start = worth.get((row - rows, column - columns))
        if start is not None:
            pair = _pair(olds.row(row - rows, row), news.row(column - columns, column))
            reached.append((start + pair + _MERGED * (rows + columns - 2), (rows, columns)))
    if reached:
        worth[row, column], came[row, column] = max(reached)


def _walked(came: dict[tuple[int, int], tuple[int, int]], row: int, column: int) -> list[Group]:
    groups = []
    while row or column:
        rows, columns = came[row, column]
        groups.append(Group(range(row - rows, row), range(column - columns, column)))
        row, column = row - rows, column - columns
    return groups[::-1]


def _keys(sentence: Sentence) -> Counter[str]:
    keys = Counter(root(word.lemma) for word in sentence.notes)
    keys.update(fact.value for fact in sentence.facts if fact.kind != "negation")
    return keys or Counter(word.text for word in sentence.words)


def _pair(first: _Content, second: _Content) -> float:
    """Return what it is worth to say that these sentences say the same."""
    total = first.total + second.total
    few, many = (first.keys, second.keys) if len(first.keys) < len(second.keys) else (second.keys, first.keys)
    shared = 2 * sum(min(count, many.get(key, 0)) for key, count in few.items()) / total if total else 1.0
    lengths = first.length * second.length
    near = max(0.0, float(first.sum @ second.sum) / lengths) if lengths else 0.0
    return (_SHARED * shared + _NEAR * near - _UNRELATED) * (first.size + second.size)
