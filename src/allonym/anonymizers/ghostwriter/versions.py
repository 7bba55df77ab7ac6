"""Versions of one sentence, for a writer to choose from: what the networks wrote and the guard lets stand."""

from __future__ import annotations

from collections import Counter
from typing import Final

from allonym.anonymizers.ghostwriter import carried, ranking, writing
from allonym.errors import MissingDependencyError
from allonym.language.persons import PERSONS
from allonym.language.public_style import lengths
from allonym.language.words import words
from allonym.networks.translation import weights

MOST: Final = 3
LONGEST: Final = 1_000  # characters of a sentence: longer ones are none
_STYLE: Final = writing.Style(beam=8, pivots=3)
_PERSONS: Final = frozenset({*PERSONS, "it", "its", "itself"})


def of(sentence: str, most: int = MOST) -> list[str]:
    """Return other versions of a sentence that state the same, the plainest first; fewer where fewer stand.

    Raises:
        MissingDependencyError: The networks are not installed.
    """
    missing = weights.missing()
    if missing:
        raise MissingDependencyError(missing)
    held = carried.carry(carried.without_signs(" ".join(sentence[:LONGEST].split())))
    parts = [] if writing.stays(held.text) else writing.sentences(held.text)
    if not parts:
        return []
    choices = [
        _choices(part, [(one.text, one.likelihood) for one in found])
        for part, found in zip(parts, writing.versions(parts, _STYLE), strict=True)
    ]
    rows = range(max(map(len, choices)))
    joined = [" ".join(lengths.joined([own[min(row, len(own) - 1)] for own in choices])) for row in rows]
    texts = {tuple(map(str.lower, words(text))): held.put_back(text) for text in reversed(joined)}
    same = " ".join(sentence.split())
    return [text for text in reversed(texts.values()) if text != same][:most]


def _choices(part: str, found: list[tuple[str, float]]) -> list[str]:
    """Return what one sentence of the public style may become: versions about the same persons, at last itself."""
    likely = {writing.finished(text): likelihood for text, likelihood in found if carried.same_signs(part, text)}
    standing = ranking.standing(part, list(likely.items()), _STYLE.costs)
    return [*(text for text in standing if _persons(text) == _persons(part)), writing.finished(part)]


def _persons(text: str) -> Counter[str]:
    return Counter(word for word in map(str.lower, words(text)) if word in _PERSONS)
