"""Which notes of a text are taken: those that together say most of it, chosen by meaning.

Each note gets the number of slots from which on it is taken, so one reading serves every number of slots. Where a word
lies is what the shipped sentence encoder says; how much it counts grows with its public rarity. Whole numbers alone
decide, the same on every processor. What is chosen is a function of the text and costs nothing, because every slot is
drawn, whatever is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allonym.language.sequences import SPECIAL, UNKNOWN, Vocabulary
from allonym.networks.ghostwriter import reading
from allonym.networks.ghostwriter.reading import FUTURE, PAST, PRESENT, Unit
from allonym.networks.sentences.centre import most_central_first
from allonym.networks.sentences.encoder import SentenceEncoder

Int64 = NDArray[np.int64]

MOST_SLOTS = 1_000
_TENSES = frozenset({(PAST,), (PRESENT,), (FUTURE,)})
_MOST_NOTES = 20_000  # of a text that are looked at, the first ones
_RAREST = 13  # bits of a rank: all rarer words count alike, as many are names or misspelled


class Notes(NamedTuple):
    """The notes of a text.

    Attributes:
        numbers: Of each, in the order of the text.
        slots: With how many slots each is taken.
    """

    numbers: Int64
    slots: Int64

    def taken(self, slots: int) -> Int64:
        """Return the numbers of those that are taken with so many slots: as many, or fewer."""
        return self.numbers[self.slots <= slots]


class NoteReader:
    """Reads texts as numbered notes.

    Args:
        vocabulary: The public list of notes: the special ones, then marks and words, frequent ones first.
        encoder: Says how near words are in meaning; by default the shipped one.
    """

    def __init__(self, vocabulary: Vocabulary, encoder: SentenceEncoder | None = None) -> None:
        self.vocabulary = vocabulary
        self._given = encoder
        self._vectors: dict[str, NDArray[np.int8]] = {}

    @cached_property
    def encoder(self) -> SentenceEncoder:
        """What says how near words are in meaning."""
        return self._given or SentenceEncoder.open()

    def read(self, text: str, most: int = MOST_SLOTS) -> Notes:
        """Return the notes of a text that are taken with `most` slots."""
        return self.chosen(reading.units(text), most)

    def chosen(self, units: Sequence[Unit], most: int = MOST_SLOTS) -> Notes:
        """Return the same of what was noted of a text."""
        known = [unit for unit in units[:_MOST_NOTES] if self._knows(unit)]
        needed = np.full(len(known), np.iinfo(np.int64).max)
        so_far = 0
        for place in self._order(known, most):
            so_far += len(known[place].notes)
            if so_far > most:
                break
            needed[place] = so_far
        chosen = [place for place in range(len(known)) if needed[place] <= most]
        numbers = self.vocabulary.ids(note for place in chosen for note in known[place].notes)
        slots = [int(needed[place]) for place in chosen for _ in known[place].notes]
        return Notes(np.array(numbers, np.int64), np.array(slots, np.int64))

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of all notes of a text that are known."""
        return [number for number in self.vocabulary.ids(reading.flat(text)) if number >= len(SPECIAL)]

    def _knows(self, unit: Unit) -> bool:
        return UNKNOWN not in self.vocabulary.ids(unit.notes)

    def _order(self, known: Sequence[Unit], most: int) -> list[int]:
        """Return the places of units: when it was, the words that say most, then what is left in the text's order."""
        tenses = [place for place, unit in enumerate(known) if unit.notes in _TENSES]
        first: dict[str, int] = {}
        for place, unit in enumerate(known):
            if unit.word:
                first.setdefault(unit.word, place)
        places = np.array(list(first.values()), np.int64)
        words = [known[place].word for place in places]
        central = most_central_first(self._of(words), self._weights(words), most)
        order = [*tenses, *places[central].tolist()]
        done = set(order)
        return order + [place for place in range(len(known)) if place not in done]

    def _of(self, words: Sequence[str]) -> NDArray[np.int8]:
        """Return the vector of each word; all are remembered, being words of the list."""
        if unknown := [word for word in words if word not in self._vectors]:
            self._vectors.update(zip(unknown, self.encoder.encode(unknown), strict=True))
        rows = [self._vectors[word] for word in words]
        return np.stack(rows) if rows else np.zeros((0, self.encoder.dimensions), np.int8)

    def _weights(self, words: Sequence[str]) -> Int64:
        """Return how much words count: as much as their ranks have bits."""
        ranks = (number - len(SPECIAL) for number in self.vocabulary.ids(words))
        return np.array([min(_RAREST, max(1, rank).bit_length()) for rank in ranks], np.int64)
