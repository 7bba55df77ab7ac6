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
_TURNS: Final = {(word, other) for pair in _SMALL for word, other in (pair.split(), pair.split()[::-1])}
_TURNING: Final = {word for word, _ in _TURNS}


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
    lost = [index for index in lost if index not in opposed and not _said(before[index], every[1], near)]
    invented = [
        index for index in invented if index not in opposed.values() and not _said(after[index], every[0], near)
    ]
    return Matched(pairs, opposed, lost, invented)


def _surest(before: Sequence[Word], after: Sequence[Word], near: Closeness) -> dict[int, int]:
    """Take the nearest pair of those left, again and again; of equally near ones, that which moved least."""
    slope = len(after) / max(1, len(before))
    candidates = []
    for from_old, old in enumerate(before[:_MOST_WORDS]):
        for to_new, new in enumerate(after[:_MOST_WORDS]):
            likeness = max(near.of(old.lemma, new.lemma), near.of(old.text, new.text))
            if likeness >= _NEAR:
                candidates.append((-likeness, abs(from_old * slope - to_new), from_old, to_new))
    pairs = dict[int, int]()
    used = set[int]()
    for _, _, from_old, to_new in sorted(candidates):
        if from_old not in pairs and to_new not in used:
            pairs[from_old] = to_new
            used.add(to_new)
    return pairs


def _rest(before: Sequence[Word], after: Sequence[Word], pairs: dict[int, int]) -> tuple[list[int], list[int]]:
    used = set(pairs.values())
    return [index for index in range(len(before)) if index not in pairs], [
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
    for gone in lost:
        for other in invented:
            if other in pairs.values():
                continue
            beside = pairs.get(gone - 1) == other - 1 or pairs.get(gone + 1) == other + 1
            if beside and near.of(before[gone].lemma, after[other].lemma) >= _NEAR_IN_PLACE:
                pairs[gone] = other
                break


def _opposed(
    before: Sequence[Word], after: Sequence[Word], lost: Sequence[int], invented: Sequence[int]
) -> dict[int, int]:
    opposites = dict[int, int]()
    for gone in lost:
        for other in invented:
            if other not in opposites.values() and _opposites(before[gone], after[other]):
                opposites[gone] = other
                break
    return opposites


def _opposites(first: Word, second: Word) -> bool:
    return alike.opposites(first.lemma, second.lemma) or alike.opposites(first.text, second.text)


def _said(word: Word, there: Sequence[Word], near: Closeness) -> bool:
    return any(near.of(word.lemma, other.lemma) >= SYNONYMS or word.text == other.text for other in there[:_MOST_WORDS])


def turned(before: Sequence[Word], after: Sequence[Word]) -> list[tuple[Word, Word]]:
    """Return small words that became their opposites beside the same word: "voted for" and "voted against"."""
    texts = {word.text for word in before}, {word.text for word in after}
    olds, news = _small(before, texts[1]), _small(after, texts[0])
    return [
        (before[old], after[new])
        for old in olds
        for new in news
        if (before[old].text, after[new].text) in _TURNS and _beside(before, old) & _beside(after, new)
    ]


def _small(words: Sequence[Word], there: set[str]) -> list[int]:
    """Return the places of words that may have turned: those that the other side does not have."""
    places = [index for index, word in enumerate(words) if word.text in _TURNING and word.text not in there]
    return places[:_MOST_WORDS]


def _beside(words: Sequence[Word], index: int) -> set[tuple[int, str]]:
    """Return the words on both sides, with the side."""
    return {(side, words[index + side].lemma) for side in (-1, 1) if 0 <= index + side < len(words)}
