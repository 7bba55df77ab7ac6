"""Author obfuscation with generalised differential privacy: Laplace noise on word vectors.

Fernandes, Dras and McIver, "Author Obfuscation using Generalised Differential Privacy", 2018.

Algorithm 1: look up each word's vector, move it by n-dimensional Laplace noise, and write down the nearest word.

Where this differs from the paper, and why (proofs in docs/laplace.md):
- The paper's ε·WMD holds for the *unnormalised* sum of distances. With its own definition (mass 1/n a word) the bound
  for documents of n words is ε·n·WMD; `between` gives both numbers with their names.
- Words drawn to a fixed length follow another distance: the bound is n·ε·W∞ of the two word distributions.
- A text without a known word is not passed by: it goes through the mechanism as the word nearest to the mean.
- Noise is rounded to a grid after it is added, and that is part of the loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym import acceleration
from allonym.anonymizers.offers import Offer
from allonym.anonymizers.words.auditing import MovedWordAuditing
from allonym.anonymizers.words.deniability import Deniability, of_draws, solve
from allonym.anonymizers.words.segments import SEGMENT, in_segments
from allonym.anonymizers.words.substitution import Int64, WordSubstitution
from allonym.mechanisms import LaplaceND
from allonym.randomness import DocumentStreams, Rng, secure

_NOISE_BYTES = 2**20  # of random numbers at a time
_SEARCHED_AT_ONCE = 8192  # words
_DRAWS = 200  # of each word asked about
_DRAWS_A_STEP = 50  # while looking for an ε


class WordLaplace(WordSubstitution):
    """Replaces every word by the nearest word to its vector plus Laplace noise.

    Privacy: ε for each unit of distance between two words: see `guarantee` and `between`.

    >>> private = WordLaplace(epsilon=40.0, words=4)
    >>> [len(bag) for bag in private.transform(["The coffee on the train was cold.", ""])]
    [4, 4]
    """

    method = "laplace"

    def _check(self) -> None:
        LaplaceND(1, epsilon=self.epsilon)
        super()._check()

    @property
    def mechanism_(self) -> LaplaceND:
        """The Laplace mechanism on the table's vectors."""
        return LaplaceND(self.table_.dimensions, epsilon=self.epsilon)

    @property
    def loss_per_unit(self) -> float:
        """The loss of one word for each unit of distance: ε."""
        return self.mechanism_.epsilon

    @property
    def _slack(self) -> float:
        return self.mechanism_.slack

    def offers(self) -> tuple[Offer, ...]:
        """Offer nothing: people are offered its sibling, the exponential mechanism, in its place."""
        return ()

    def audited(self) -> MovedWordAuditing:
        """Return what an audit must know of this method."""
        return MovedWordAuditing(self)

    def deniability(self, words: Sequence[str] | None = None) -> Deniability:
        """Return how often these words stay themselves, estimated from draws; by default of a sample.

        Privacy: spends nothing; a word list is not a document.
        """
        return self._estimate(self.mechanism_, self._asked_about(words), secure(), _DRAWS)

    def epsilon_for_unchanged(self, share: float) -> float:
        """Return the ε at which this share of words stays as it is, on average over a sample of the vocabulary."""
        rows, key = self._asked_about(None), secure().key

        def unchanged(epsilon: float) -> float:
            mechanism = LaplaceND(self.table_.dimensions, epsilon=epsilon)
            # The same noise at every ε, so that the share only grows with it.
            return self._estimate(mechanism, rows, secure(key), _DRAWS_A_STEP).unchanged

        return solve(unchanged, share)

    def _estimate(self, mechanism: LaplaceND, rows: Int64, rng: Rng, draws: int) -> Deniability:
        drawn = np.empty((len(rows), draws), np.int64)
        for i, row in enumerate(rows):
            numbers = rng.centred((draws, mechanism.numbers_per_point))
            drawn[i] = self.table_.nearest(mechanism.perturb(self.table_.vectors[row], numbers))[:, 0]
        return of_draws(drawn, rows)

    def _substitutes(self, rows: Int64, lengths: Sequence[int], streams: DocumentStreams) -> Int64:
        """Move every word and look up the nearest, so many words at a time, so that memory stays bounded.

        Noise is made for fewer words at a time than are looked up: its arrays stay in the caches.
        """
        mechanism, in_bulk = self.mechanism_, acceleration.worth_compiling(len(rows) * len(self.table_))
        per_word = mechanism.numbers_per_point
        substitutes = np.empty(len(rows), np.int64)
        at_once = max(SEGMENT, _NOISE_BYTES // (8 * per_word))
        moved = np.empty((min(_SEARCHED_AT_ONCE, len(rows)) + at_once, self.table_.dimensions))
        first = last = 0
        for some in in_segments(lengths, at_once, streams):
            numbers = some.streams.centred((*some.shape, per_word)).reshape(-1, per_word)
            numbers = numbers if len(some.cells) == len(numbers) else numbers[some.cells]
            last = int(some.places[-1]) + 1
            starts = self.table_.vectors[rows[some.places]]
            moved[some.places[0] - first : last - first] = mechanism.perturb(starts, numbers, in_bulk=in_bulk)
            if last - first >= _SEARCHED_AT_ONCE:
                substitutes[first:last] = self.table_.nearest(moved[: last - first])[:, 0]
                first = last
        if last > first:
            substitutes[first:] = self.table_.nearest(moved[: last - first])[:, 0]
        return substitutes


EXAMPLE = WordLaplace(epsilon=30.0, words=20, order="text")
