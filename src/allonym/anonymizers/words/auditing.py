"""How the word-by-word methods are audited: their tables, and a version of twelve words on a line."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from allonym.anonymizers.auditing import PLAIN, Auditing, Small, varied
from allonym.anonymizers.words.segments import SEGMENT
from allonym.language.words import terms
from allonym.mechanisms import LaplaceND
from allonym.mechanisms.base import Float64, Int64, Points
from allonym.randomness import secure
from allonym.vectors.embeddings import WordTable

if TYPE_CHECKING:
    from allonym.anonymizers.words.substitution import WordSubstitution

_PLACES = (3, 9, 0, 6, 11, 4, 8, 1, 10, 5, 2, 7)  # of the words on a line
# Grid cells of the noise with ε = 1 between two neighbours: odd, so that the middle lies between two cells.
_CELLS, _CELL = 205, 2.0**-10
_MOST_WORDS = 40
_DRAWN_AT_ONCE = 1000
_LITTLE = 1.0  # of ε, for each unit of distance


class WordAuditing(Auditing):
    """What an audit asks of a method that replaces word by word."""

    method: WordSubstitution
    drawn_together = SEGMENT

    def __init__(self, method: WordSubstitution) -> None:
        super().__init__(method)
        self.in_order = method.order == "text"

    @cached_property
    def words(self) -> Sequence[str]:
        """The words of the table."""
        return self.method.table_.words

    def knows(self, word: str) -> bool:
        """Tell whether a document of this word alone is read as this word."""
        return word in self.method.table_ and self.method.words_of(word) == [word]

    def count(self, document: str) -> int:
        """Return how many words count: in a bag, neither unknown ones nor stop words."""
        if self.in_order:
            return super().count(document)
        return sum(term in self._counted for term in terms(document, morphology="lower"))

    @cached_property
    def _counted(self) -> frozenset[str]:
        if self.method.topical_words is None:
            return frozenset(self.words)
        return frozenset(self.words[row] for row in np.flatnonzero(self.method._topical).tolist())

    def at_small_loss(self) -> WordSubstitution:
        """Return the method with the same words, any of which is likely to come for any other."""
        little: WordSubstitution = copy.copy(self.method).set_params(epsilon=_LITTLE)
        return little

    def small(self) -> Small:
        """Return the method with words on a line, where the law of Laplace noise can be written out, too."""
        places = np.array(_PLACES) * (_CELLS * _CELL)
        words = None if self.method.words is None else min(int(self.method.words), _MOST_WORDS)
        table = WordTable(PLAIN, places[:, None].astype(np.float32))
        made = {"embeddings": table, "vocabulary": None, "topical_words": None}
        small = varied(self.method, **made, epsilon=1.0, words=words)
        laws = np.stack([self._small_law(small, row, places) for row in range(len(PLAIN))])
        return Small(anonymizer=small, words=PLAIN, laws=laws, short=small, shortest=small)

    def _small_law(self, small: WordSubstitution, row: int, places: Float64) -> Float64:
        law: Float64 = small.mechanism_.law(row)
        return law

    def in_places(self) -> WordSubstitution:
        """Return the method with every word in its place, as many as the text has."""
        return varied(self.method, order="text", words=None)


class MovedWordAuditing(WordAuditing):
    """What an audit asks of a method that moves words' vectors and writes the nearest words."""

    def laws(self) -> Sequence[Points]:
        """Return how the noise is checked, at the places of words."""
        return [replace(self._noise.audited(), points=self.method.table_.vectors.astype(np.float64))]

    @property
    def _noise(self) -> LaplaceND:
        noise: LaplaceND = self.method.mechanism_
        return noise

    def law_of(self, row: int) -> None:
        """Return nothing: the nearest word of a moved point has no law that could be written out."""

    def _small_law(self, small: WordSubstitution, row: int, places: Float64) -> Float64:
        law: Float64 = small.mechanism_.law(places[row], places)
        return law

    def drawn_for(self, row: int, draws: int) -> Int64:
        """Return how often each word was the nearest to the moved vector of one."""
        rng, table = secure(), self.method.table_
        counts = np.zeros(len(table), np.int64)
        for start in range(0, draws, _DRAWN_AT_ONCE):
            few = min(_DRAWN_AT_ONCE, draws - start)
            moved = self._noise.draw(np.broadcast_to(table.vectors[row], (few, table.dimensions)), rng)
            counts += np.bincount(table.nearest(moved)[:, 0], minlength=len(counts))
        return counts
