"""Other ways to tell how alike two words are spelled, which section 4.1.2 of the SynTF paper names beside letter pairs.

Each is a rating ρ = clip(cos − s·B, 0, 1) with another B in 0 … 1: letter trigrams in the place of bigrams, or one less
Levenshtein's distance divided by the longer word's letters. Ratings are whole numbers on the same grid.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.syntf import SynTF
from allonym.mechanisms import ScoreRows
from allonym.vectors.products import Finish, Float32, Int64
from allonym.vectors.ratings import ONE, WordRatings

Letters = NDArray[np.uint64]

_MOST_LETTERS = 64  # of a word: the bits of a number; longer words count as their beginning


class TrigramSynTF(SynTF):
    """SynTF whose rating counts letter trigrams."""

    def _ratings(self, vocabulary: Sequence[str]) -> ScoreRows:
        return WordRatings(vocabulary, self._rated_vectors(), spelling_weight=self.spelling_weight, letters=3)


class LevenshteinSynTF(SynTF):
    """SynTF whose rating counts Levenshtein's distance."""

    def _ratings(self, vocabulary: Sequence[str]) -> ScoreRows:
        return LevenshteinRatings(vocabulary, self._rated_vectors(), spelling_weight=self.spelling_weight)


SPELLINGS: dict[str, type[SynTF]] = {"bigrams": SynTF, "trigrams": TrigramSynTF, "levenshtein": LevenshteinSynTF}


class LevenshteinRatings(WordRatings):
    """Ratings that fall with s·(1 − distance / letters of the longer word)."""

    def __init__(self, words: Sequence[str], vectors: Float32, *, spelling_weight: float) -> None:
        super().__init__(words, vectors, spelling_weight=0.0)
        self._price = spelling_weight * ONE
        self._distances = LevenshteinTable(words)

    def _finish(self, tile: Float32, rows: Int64) -> None:
        tile[np.arange(len(rows)), rows] = ONE
        tile -= np.floor(self._price * self._distances.likeness(rows)).astype(np.float32)
        np.clip(tile, 0, ONE, out=tile)

    def _compiled_finish(self) -> Finish:
        return self._finish


class LevenshteinTable:
    """Levenshtein's distances between the words of a list, each row computed once.

    Myers' algorithm (1999) with Hyyrö's step for whole words, for all words at a time: a word's 64 bits say where the
    distance to each beginning of the asked word rises and falls.
    """

    def __init__(self, words: Sequence[str]) -> None:
        cut = [word.lower()[:_MOST_LETTERS] for word in words]
        self.lengths = np.array([len(word) for word in cut])
        self._order = np.argsort(-self.lengths, kind="stable")  # longest first: those still read stand at the front
        self._numbers = {letter: number for number, letter in enumerate(sorted(set("".join(cut))))}
        self._spelled = [np.array([self._numbers[letter] for letter in word]) for word in cut]
        # For each place the letters of the words that reach it.
        self._columns = [
            np.array([self._spelled[word][place] for word in self._order[: int((self.lengths > place).sum())]])
            for place in range(int(self.lengths.max()))
        ]
        self._rows = np.zeros((len(words), len(words)), np.uint8)
        self._is_known = np.zeros(len(words), np.bool_)

    def distances(self, rows: Int64) -> NDArray[np.uint8]:
        """Return the distances of these words to all."""
        for row in rows[~self._is_known[rows]].tolist():
            self._rows[row] = self._of(row)
            self._is_known[row] = True
        return self._rows[rows]

    def likeness(self, rows: Int64) -> NDArray[np.float64]:
        """Return one less the distance as a share of the longer word's letters."""
        longer = np.maximum(self.lengths[rows][:, None], self.lengths)
        alike: NDArray[np.float64] = 1 - self.distances(rows) / longer
        return alike

    def _of(self, row: int) -> NDArray[np.uint8]:
        letters = self._spelled[row]
        holds = np.zeros(len(self._numbers), np.uint64)  # in which places the word has each letter
        for place, letter in enumerate(letters.tolist()):
            holds[letter] |= np.uint64(1 << place)
        words, one, last = len(self.lengths), np.uint64(1), np.uint64(len(letters) - 1)
        rises, falls = np.full(words, ~np.uint64(0)), np.zeros(words, np.uint64)
        distances = np.full(words, len(letters), np.int64)
        for column in self._columns:
            here, (up, down) = slice(len(column)), (rises[: len(column)], falls[: len(column)])
            equal = holds[column]
            across = (((equal & up) + up) ^ up) | equal
            more, less = down | ~(across | up), up & across
            distances[here] += ((more >> last) & one).astype(np.int64) - ((less >> last) & one).astype(np.int64)
            more, less = (more << one) | one, less << one
            rises[here], falls[here] = less | ~(equal | down | more), more & (equal | down)
        found = np.empty(words, np.uint8)
        found[self._order] = distances
        return found
