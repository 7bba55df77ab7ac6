"""SynTF's rating of one word as a substitute for another: ρ(v, w) = clip(cos(v, w) − s·B(v, w), 0, 1).

Ratings are whole numbers on a public grid, and the same on every machine. Unit vectors are scaled by 4064 and
rounded to integers, so they are no longer than 4096 (in up to 4096 dimensions) and by the Cauchy–Schwarz
inequality every partial sum of a dot product is an integer of at most 2^24: float32 holds each exactly, and
the order in which a linear-algebra library adds them no longer matters. The rounding moves a cosine by about
1e-4, well below what word vectors know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from allonym import arithmetic
from allonym.acceleration import worth_compiling
from allonym.errors import ParameterError
from allonym.language.words import letter_grams
from allonym.vectors.products import TILE_BYTES, Finish, WholeVectors

if TYPE_CHECKING:
    from scipy import sparse

Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]

_SCALE = 4064
_MOST_DIMENSIONS = 4096
ONE = _SCALE * _SCALE  # the rating 1, in grid units


class WordRatings:
    """All ratings between the words of a vocabulary, computed a few rows at a time.

    Privacy: spends nothing; a function of the public vocabulary and word vectors alone.

    Args:
        words: The vocabulary.
        vectors: One row a word; a row of zeros is a word without a vector, similar to itself alone.
        spelling_weight: s, how much sharing letters lowers a rating.
        letters: How many in a row are compared: pairs in the paper.
    """

    unit = 1 / ONE
    symmetric = True

    def __init__(self, words: Sequence[str], vectors: Float32, *, spelling_weight: float, letters: int = 2) -> None:
        from scipy import sparse

        if not 0 <= spelling_weight <= 1:
            raise ParameterError(f"spelling_weight must be between 0 and 1, got {spelling_weight}.")
        if vectors.ndim != 2 or len(vectors) != len(words) or not len(words):
            raise ParameterError(f"vectors must have one row for each of the {len(words)} words.")
        if vectors.shape[1] > _MOST_DIMENSIONS:
            raise ParameterError(f"vectors must have at most {_MOST_DIMENSIONS} dimensions.")
        self.shape = (len(words), len(words))
        self._vectors = WholeVectors(quantise(vectors))
        self._spelling_weight = float(spelling_weight)
        self._bigrams = gram_incidence(words, letters)
        self._words_with = sparse.csr_array(self._bigrams.T)
        sizes = np.diff(self._bigrams.indptr)
        distinct, self._price_of = np.unique(sizes, return_inverse=True)
        # One bigram in common costs 2·s/(bigrams of v + bigrams of w), rounded down to a whole number of units.
        prices = np.floor(2 * self._spelling_weight * ONE / (distinct[:, None] + sizes[None, :]))
        self._prices = prices.astype(np.float32)

    def tiles(self, rows: Int64) -> Iterator[tuple[int, Float32]]:
        """Yield (offset into `rows`, ratings of the next few rows with every word), in grid units."""
        fast = worth_compiling(len(rows) * self.shape[1])
        return self._vectors.products(rows, self._compiled_finish() if fast else self._finish, fast=fast)

    def _finish(self, tile: Float32, rows: Int64) -> None:
        """Turn scaled cosines into ratings: spelling, then the clip."""
        # A word is itself, whatever rounding did to its vector and even if it has none.
        tile[np.arange(len(rows)), rows] = ONE
        if self._spelling_weight:
            shared = (self._bigrams[rows] @ self._words_with).tocoo()
            tile[shared.row, shared.col] -= shared.data * self._prices[self._price_of[rows][shared.row], shared.col]
        np.clip(tile, 0, ONE, out=tile)

    def _compiled_finish(self) -> Finish:
        from allonym.vectors._loops.ratings import spell_and_clip

        bigrams, words = self._bigrams, self._words_with
        bigrams_of = (bigrams.indptr.astype(np.int64), bigrams.indices)
        words_with = (words.indptr.astype(np.int64), words.indices)

        smallest = np.min_scalar_type(int(np.diff(bigrams.indptr).max()))  # the type that holds every count
        counts = np.zeros(self.shape[1], smallest)

        def finish(tile: Float32, rows: Int64) -> None:
            spell_and_clip(tile, rows, bigrams_of, words_with, self._prices, self._price_of, counts, np.float32(ONE))

        return finish


class IdentityRatings:
    """Every term is similar to itself alone: rating 1 on the diagonal, 0 elsewhere."""

    unit = 1 / ONE
    symmetric = True

    def __init__(self, terms: int) -> None:
        self.shape = (terms, terms)

    def tiles(self, rows: Int64) -> Iterator[tuple[int, Float32]]:
        """Yield (offset into `rows`, ratings of the next few rows with every term), in grid units."""
        tile_rows = max(1, TILE_BYTES // (4 * self.shape[1]))
        for offset in range(0, len(rows), tile_rows):
            here = rows[offset : offset + tile_rows]
            tile = np.zeros((len(here), self.shape[1]), np.float32)
            tile[np.arange(len(here)), here] = ONE
            yield offset, tile


def quantise(vectors: Float32) -> Float32:
    """Return the unit vectors, scaled and rounded to whole numbers."""
    lengths = arithmetic.lengths(vectors)[:, None]
    if not np.isfinite(lengths).all():
        raise ParameterError("vectors must be finite numbers; the word table holds NaN or infinity.")
    units = np.divide(vectors, lengths, out=np.zeros(vectors.shape), where=lengths > 0)
    return np.ascontiguousarray(np.rint(units * _SCALE), dtype=np.float32)


def gram_incidence(words: Sequence[str], letters: int = 2) -> sparse.csr_array:
    """Return words × rows of so many letters (bigrams, for two): 1 where a word holds one."""
    from scipy import sparse

    numbers: dict[str, int] = {}
    columns: list[int] = []
    starts = [0]
    for word in words:
        columns.extend(sorted(numbers.setdefault(gram, len(numbers)) for gram in letter_grams(word, letters)))
        starts.append(len(columns))
    shape = (len(words), len(numbers))
    data = np.ones(len(columns), np.float32)
    return sparse.csr_array((data, np.array(columns, np.int32), np.array(starts, np.int32)), shape=shape)
