"""Which words stand beside which: how well a word fits between its neighbours, by counted pairs of words.

Law: P(w | l) = (c(l, w) + κ·p(w)) / (c(l) + κ), where c counts pairs and words and p(w) is the share of w among all
words (a Dirichlet prior). Kept is the *level* of a pair, ln(1 + c(l, w) / (κ·p(w))): how much likelier w is after l
than it would be had the pair never been seen. Pairs that are not in the table have the level 0.

All of it has the same bits on every machine: sums are of whole numbers.

Small and coarse on purpose: it knows that "about then water" is odd, and nothing of what is three words away.

Privacy: spends nothing; the table comes from public text, and only pairs that several writers used are in it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.arithmetic import LN2, logarithm, power_of_two
from allonym.errors import ModelError
from allonym.language import ENGLISH
from allonym.language.sequences import END, START, UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

DEFAULT: Final = ENGLISH.model("pairs")
FORMAT, VERSION = "word-pairs", 1
PRIOR: Final = 50.0  # κ: a word seen so often is believed as much as the prior
STEPS: Final = 20  # of a level, to be kept in a byte
_OFTEN: Final = 10  # times by chance; pairs that were seen less often are not in the table
_UNIT: Final = 2.0**-30  # likelihoods are added up in whole numbers of it


class WordPairs:
    """Pairs of words and their levels; see `open`.

    Args:
        vocabulary: The words that are known.
        counts: How often each stood before another, and so of `START`; how often it stood after one, of `END`.
        follows: How many known pairs begin with each word.
        seconds: The second words of all pairs, in the order of the first ones.
        levels: Of all pairs.

    Raises:
        ModelError: The arrays do not fit each other.
    """

    def __init__(
        self, vocabulary: Vocabulary, counts: Floats, follows: Integers, seconds: Integers, levels: Floats
    ) -> None:
        words = len(vocabulary)
        fits = [counts.shape == follows.shape == (words,), seconds.shape == levels.shape == (follows.sum(),)]
        fits += [bool((counts > 0).all()), bool((follows >= 0).all()), bool((levels >= 0).all())]  # no NaN is
        if not all(fits) or (len(seconds) and not 0 <= seconds.min() <= seconds.max() < words):
            raise ModelError("The pairs of words do not fit their vocabulary: make or fetch the folder again.")
        self._vocabulary, self._counts = vocabulary, counts.astype(np.float64)
        self._firsts, self._seconds, self._levels = np.repeat(np.arange(words), follows), seconds, levels
        self._begins = np.concatenate([[0], np.cumsum(follows)])

    @classmethod
    def open(cls, model: str | os.PathLike[str] = DEFAULT) -> WordPairs:
        """Open a model folder, or a shipped one by its name, after checking every file of it.

        Raises:
            ModelError: The folder is missing, damaged, or no model of this kind.
        """
        opened = models.verify_format(model, FORMAT, VERSION)
        tensors = models.open_tensors(opened)
        missing = {"counts", "follows", "seconds", "levels"} - tensors.keys()
        if missing:
            raise ModelError(f"{opened.folder} lacks {', '.join(sorted(missing))}: make or fetch the folder again.")
        return cls(
            Vocabulary.load(opened.folder / models.VOCABULARY),
            tensors["counts"].astype(np.float32),
            tensors["follows"].astype(np.int64),
            tensors["seconds"].astype(np.int64),
            tensors["levels"].astype(np.float32) / np.float32(STEPS),
        )

    def avoided(self, first: str, second: str) -> bool:
        """Tell whether two known words never stand beside each other, though by chance alone they often would.

        Examples:
            >>> pairs = WordPairs.open()
            >>> pairs.avoided("a", "enough"), pairs.avoided("good", "enough"), pairs.avoided("exactly", "six")
            (True, False, False)
        """
        left, right = self._vocabulary.ids((first, second))
        if UNKNOWN in (left, right):
            return False
        row = self._seconds[self._begins[left] : self._begins[left + 1]]
        place = int(np.searchsorted(row, right))
        seen = place < len(row) and row[place] == right
        return bool(not seen and self._counts[left] * self._counts[right] > _OFTEN * self._counts.sum())

    def of(self, tokens: Sequence[str]) -> PairsOf:
        """Return the pairs of a model's tokens, by the model's numbers, the first four of which are special."""
        known = np.full(len(self._vocabulary), -1, np.int64)
        rows = np.array(self._vocabulary.ids(tokens))
        rows[UNKNOWN] = UNKNOWN
        counts = np.where(rows == UNKNOWN, self._counts.min(), self._counts[rows])
        for number, row in enumerate(rows.tolist()):
            if row != UNKNOWN:
                known[row] = number
        firsts, seconds = known[self._firsts], known[self._seconds]
        both = (firsts >= 0) & (seconds >= 0)
        return PairsOf(counts / math.fsum(self._counts), counts, firsts[both], seconds[both], self._levels[both])


class PairsOf:
    """The levels of pairs of one model's words. A word that the table does not know counts as a rare one."""

    def __init__(
        self,
        shares: NDArray[np.float64],
        counts: NDArray[np.float64],
        firsts: Integers,
        seconds: Integers,
        levels: Floats,
    ) -> None:
        self._size = len(shares)
        self._shares, self._log_shares = shares, logarithm(shares)
        # ln P of a second word that was never seen, but for p(w)
        self._log_priors = logarithm(PRIOR / (counts + PRIOR))
        order = np.lexsort((seconds, firsts))
        self._firsts, self._seconds, self._levels = firsts[order], seconds[order], levels[order]
        self._keys = self._firsts * self._size + self._seconds

    @cached_property
    def after(self) -> sparse.csr_array:
        """How well each word fits after another: a row a first word."""
        from scipy import sparse

        return sparse.csr_array((self._levels, (self._firsts, self._seconds)), (self._size, self._size))

    @cached_property
    def before(self) -> sparse.csr_array:
        """How well each word fits before another: a row a second word; the level is that of P(first | second)."""
        from scipy import sparse

        seen = power_of_two(self._levels.astype(np.float64) / LN2) - 1
        seen *= self._shares[self._seconds] / self._shares[self._firsts]
        levels = logarithm(1 + seen).astype(np.float32)
        return sparse.csr_array((levels, (self._seconds, self._firsts)), (self._size, self._size))

    def add_fits(self, rated: Floats, lefts: Integers, rights: Integers) -> None:
        """Add how well every word fits between two words to its rating, a row for each two, a column for each word."""
        for table, beside in ((self.after, lefts), (self.before, rights)):
            for row, word in zip(rated, beside.tolist(), strict=True):
                neighbours = slice(table.indptr[word], table.indptr[word + 1])
                row[table.indices[neighbours]] += table.data[neighbours]

    def log_likelihoods(self, sentences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return ln P of each word after the one before it, and of the end, as a mean over each sentence."""
        if not sentences:
            return np.empty(0)
        lefts = np.concatenate([[START, *sentence] for sentence in sentences])
        rights = np.concatenate([[*sentence, END] for sentence in sentences])
        keys = lefts * self._size + rights
        places = np.minimum(np.searchsorted(self._keys, keys), max(0, len(self._keys) - 1))
        levels = np.zeros(len(keys))
        if len(self._keys):
            levels = np.where(self._keys[places] == keys, self._levels[places], 0)
        likelihoods = np.rint((self._log_priors[lefts] + self._log_shares[rights] + levels) / _UNIT).astype(np.int64)
        lengths = np.array([len(sentence) + 1 for sentence in sentences])
        means: NDArray[np.float64] = np.add.reduceat(likelihoods, np.cumsum(lengths) - lengths) * _UNIT / lengths
        return means
