"""Which content words of some sentences are still there in others, by themselves or by a word of their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from allonym.guard.closeness import SYNONYMS, Closeness
from allonym.guard.reading import Word
from allonym.language import alike

_NEAR: Final = 0.5  # by the word table: one word may stand for the other wherever it stands
_NEAR_IN_PLACE: Final = 0.35  # between the same neighbours less will do
_MOST_WORDS: Final = 400  # of a group; the rest of a longer row is compared word by word for sameness alone

# Small words that are no notes, and turn what is said when one takes the other's place.
_SMALL: Final = (
    "for against", "before after", "up down", "on off", "over under", "above below", "inside outside", "more less",
    "more fewer", "most least", "many few", "much little", "first last", "into out", "all none",
)  # fmt: skip
_TURNS: Final = {(one, other) for pair in _SMALL for one, other in (pair.split(), pair.split()[::-1])}
_TURNING: Final = {one for one, _ in _TURNS}


class Matched(NamedTuple):
    """How the content words of two sides go together, by their places."""

    pairs: dict[int, int]  # of the original, to the rewrite
    opposed: dict[int, int]  # pairs of opposites
    lost: list[int]
    invented: list[int]


def match(
    before: Sequence[Word], after: Sequence[Word], every: tuple[Sequence[Word], Sequence[Word]], near: Closeness
) -> Matched:
    """Match content words, the surest first; `every` word of both sides may say what one of the other's does."""
    pairs = _surest(before, after, near)
    lost, invented = _rest(before, after, pairs)
    _match_in_place(before, after, pairs, lost, invented, near)
    lost, invented = _rest(before, after, pairs)
    opposed = _opposed(before, after, lost, invented)
    # A word that is said twice, or in one word for two, is kept as long as one of its meaning is there.
    lost = [one for one in lost if one not in opposed and not _said(before[one], every[1], near)]
    invented = [one for one in invented if one not in opposed.values() and not _said(after[one], every[0], near)]
    return Matched(pairs, opposed, lost, invented)


def _surest(before: Sequence[Word], after: Sequence[Word], near: Closeness) -> dict[int, int]:
    """Take the nearest pair of those left, again and again; of equally near ones, that which moved least."""
    slope = len(after) / max(1, len(before))
    candidates = []
    for one, old in enumerate(before[:_MOST_WORDS]):
        for other, new in enumerate(after[:_MOST_WORDS]):
            likeness = max(near.of(old.lemma, new.lemma), near.of(old.text, new.text))
            if likeness >= _NEAR:
                candidates.append((-likeness, abs(one * slope - other), one, other))
    pairs = dict[int, int]()
    used = set[int]()
    for _, _, one, other in sorted(candidates):
        if one not in pairs and other not in used:
            pairs[one] = other
            used.add(other)
    return pairs


def _rest(before: Sequence[Word], after: Sequence[Word], pairs: dict[int, int]) -> tuple[list[int], list[int]]:
    used = set(pairs.values())
    return [one for one in range(len(before)) if one not in pairs], [
        other for other in range(len(after)) if other not in used
    ]


def _match_in_place(
    before: Sequence[Word],
    after: Sequence[Word],
    pairs: dict[int, int],
    lost: Sequence[int],
    invented: Sequence[int],
    near: Closeness,
) -> None:
    """Match what is left between words that are matched already."""
    for one in lost:
        for other in invented:
            if other in pairs.values():
                continue
            beside = pairs.get(one - 1) == other - 1 or pairs.get(one + 1) == other + 1
            if beside and near.of(before[one].lemma, after[other].lemma) >= _NEAR_IN_PLACE:
                pairs[one] = other
                break


def _opposed(
    before: Sequence[Word], after: Sequence[Word], lost: Sequence[int], invented: Sequence[int]
) -> dict[int, int]:
    opposites = dict[int, int]()
    for one in lost:
        for other in invented:
            if other not in opposites.values() and _opposites(before[one], after[other]):
                opposites[one] = other
                break
    return opposites


def _opposites(one: Word, other: Word) -> bool:
    return alike.opposites(one.lemma, other.lemma) or alike.opposites(one.text, other.text)


def _said(word: Word, there: Sequence[Word], near: Closeness) -> bool:
    return any(near.of(word.lemma, other.lemma) >= SYNONYMS or word.text == other.text for other in there[:_MOST_WORDS])


def turned(before: Sequence[Word], after: Sequence[Word]) -> list[tuple[Word, Word]]:
    """Return small words that became their opposites beside the same word: "voted for" and "voted against"."""
    texts = {word.text for word in before}, {word.text for word in after}
    olds, news = _small(before, texts[1]), _small(after, texts[0])
    return [
        (before[one], after[other])
        for one in olds
        for other in news
        if (before[one].text, after[other].text) in _TURNS and _beside(before, one) & _beside(after, other)
    ]


def _small(words: Sequence[Word], there: set[str]) -> list[int]:
    """Return the places of words that may have turned: those that the other side does not have."""
    places = [index for index, word in enumerate(words) if word.text in _TURNING and word.text not in there]
    return places[:_MOST_WORDS]


def _beside(words: Sequence[Word], index: int) -> set[tuple[int, str]]:
    """Return the words on both sides, with the side."""
    return {(side, words[index + side].lemma) for side in (-1, 1) if 0 <= index + side < len(words)}
