"""What gives a text away to an attacker that weighs features, and where it stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from allonym.attackers.linear import LinearAttacker

_CLUES_WEIGHED = 40  # single features, many of which overlap: “Dolb”, “olby”, “olb”
_CLUES_SHOWN = 10


@dataclass(frozen=True)
class Place:
    """A stretch of the text: first character, the one after the last, and the line (from 1) it begins on."""

    start: int
    stop: int
    line: int


@dataclass(frozen=True)
class Evidence:
    """A habit that gives the author away.

    Attributes:
        feature: What it is, in words.
        share: Its part, with features that lie over it, of all that speaks for the author.
        places: Where it stands in the text; none if it measures the whole.
    """

    feature: str
    share: float
    places: tuple[Place, ...]


def evidence(attacker: LinearAttacker, text: str, author: str) -> tuple[Evidence, ...]:
    """Return what speaks for an author, strongest first; features that overlap everywhere are counted as one."""
    clues = attacker.clues(text, author, most=_CLUES_WEIGHED)
    total = attacker.speaks_for(text, author)
    merged: list[tuple[str, float, list[tuple[int, int]], list[tuple[int, int]]]] = []
    for clue in clues:
        for position, (feature, weight, places, stretched) in enumerate(merged):
            if clue.places and _all_overlap(clue.places, places):
                merged[position] = (feature, weight + clue.weight, places, stretched + clue.places)
                break
        else:
            merged.append((clue.feature, clue.weight, list(clue.places), list(clue.places)))
    merged.sort(key=lambda entry: -entry[1])
    line_starts = [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]
    return tuple(
        Evidence(feature, weight / total, _places(stretched, line_starts))
        for feature, weight, _, stretched in merged[:_CLUES_SHOWN]
    )


def joined(spans: Sequence[tuple[int, int]], *, gap: int = 1) -> list[tuple[int, int]]:
    """Join spans that overlap, in the order of the text; with a `gap` of 0 also those that touch.

    >>> joined([(4, 6), (0, 3), (2, 4)]), joined([(4, 6), (0, 3), (2, 4)], gap=0)
    ([(0, 4), (4, 6)], [(0, 6)])
    """
    whole: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if whole and start + gap <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(stop, whole[-1][1]))
        else:
            whole.append((start, stop))
    return whole


def _all_overlap(places: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> bool:
    """Tell whether each of `places` shares a character with one of `others`, one feature's places in order."""
    for start, stop in places:
        last_before = bisect_left(others, (stop, 0)) - 1
        if last_before < 0 or others[last_before][1] <= start:
            return False
    return True


def placed(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Place, ...]:
    """Return where spans stand in a text, those that overlap joined."""
    line_starts = [0, *(place + 1 for place, sign in enumerate(text) if sign == "\n")]
    return _places(spans, line_starts)


def _places(spans: Sequence[tuple[int, int]], line_starts: Sequence[int]) -> tuple[Place, ...]:
    return tuple(Place(start, stop, bisect_right(line_starts, start)) for start, stop in joined(spans))
