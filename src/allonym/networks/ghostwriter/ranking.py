"""Which of several passages is written: the one whose own notes agree best with those that were drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

_INVENTED: Final = 0.5  # what a note costs that nobody drew; one that is kept in its order is worth 1
_UNLIKELY: Final = 1.0  # what a mean −ln P of a piece costs


def best(versions: Sequence[tuple[str, float]], drawn: Sequence[int], noted: Callable[[str], list[int]]) -> str:
    """Return the best of some texts, which come with their mean ln P; nothing if there is none.

    Args:
        versions: Texts, the likeliest first.
        drawn: The groups that were drawn.
        noted: Tells the groups of a text's notes.
    """
    rated = [(agreement(noted(text), drawn) + _UNLIKELY * likelihood, text) for text, likelihood in versions]
    return max(rated, key=lambda one: one[0])[1] if rated else ""


def agreement(found: Sequence[int], drawn: Sequence[int]) -> float:
    """Return how many drawn notes are found in their order, less half of those found that nobody drew.

    Examples:
        >>> agreement([1, 2, 3], [1, 2, 3]), agreement([2, 1, 3], [1, 2, 3]), agreement([1, 9, 8], [1, 2, 3])
        (3.0, 2.0, 0.0)
    """
    lengths = [0] * (len(drawn) + 1)  # of the longest common row with the first so many drawn
    for note in found:
        diagonal = 0
        for place, other in enumerate(drawn, 1):
            above = lengths[place]
            lengths[place] = diagonal + 1 if note == other else max(above, lengths[place - 1])
            diagonal = above
    return lengths[-1] - _INVENTED * len(set(found) - set(drawn))
