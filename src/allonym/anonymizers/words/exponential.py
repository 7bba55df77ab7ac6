"""The Laplace method's sibling on the finite vocabulary: the exponential mechanism with score −distance.

Not in the paper, but in its spirit (Chatzikokolakis et al. 2013): the output is a word anyway, so the noise may as well
be drawn on the words. Its law is exact, its worst loss per unit of distance is computed rather than bounded, and it
spends no randomness on directions that lead to no word. See docs/laplace.md for how the two compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from allonym.anonymizers.offers import Offer, Slider
from allonym.anonymizers.words.deniability import Deniability, of_laws, solve
from allonym.anonymizers.words.segments import SEGMENT, in_segments
from allonym.anonymizers.words.substitution import Int64, WordSubstitution
from allonym.errors import ParameterError
from allonym.mechanisms.metric_exponential import MetricExponential, metric_exponential_for_loss
from allonym.randomness import DocumentStreams
from allonym.vectors.closeness import WordCloseness
from allonym.vectors.embeddings import WordTable

_OFFERED = [{"epsilon": epsilon, "order": "text"} for epsilon in (5.0, 6.0, 6.5, 7.0, 8.0)]


class WordExponential(WordSubstitution):
    """Replaces every word by one drawn from all words, more likely the nearer it is.

    Privacy: at most ε for each unit of distance between two words: see `guarantee` and `between`.
    """

    method = "exponential"

    def _check(self) -> None:
        if not 1e-6 <= self.epsilon < 1e6:
            raise ParameterError(f"epsilon must be a positive number (1e-6 to 1e6), got {self.epsilon}.")
        super()._check()

    @cached_property
    def table_(self) -> WordTable:
        """The words that can come out, and their vectors as the mechanism rounds them."""
        return WordTable(self._chosen.words, self._closeness.rounded)

    @cached_property
    def _chosen(self) -> WordTable:
        return self._chosen_table()

    @cached_property
    def _closeness(self) -> WordCloseness:
        return WordCloseness(self._chosen.vectors)

    @cached_property
    def mechanism_(self) -> MetricExponential:
        """The mechanism with the largest rate that loses no more than ε for each unit of distance."""
        return metric_exponential_for_loss(self._closeness, loss_per_unit=self.epsilon)

    @property
    def loss_per_unit(self) -> float:
        """The loss of one word for each unit of distance, as computed: at most ε."""
        return self.mechanism_.loss_per_unit

    def offers(self) -> tuple[Offer, ...]:
        """Offer texts in which every word has its place."""
        gives = "every word kept by chance or replaced by one near it; hides more, and reads badly"
        return (Offer("words", "Word by word", gives, lambda: [Slider(_OFFERED)]),)

    def deniability(self, words: Sequence[str] | None = None) -> Deniability:
        """Return how often these words stay themselves, and among how many each hides, exactly; by default of a sample.

        Privacy: spends nothing; a word list is not a document.
        """
        return _exactly(self.mechanism_, self._asked_about(words))

    def epsilon_for_unchanged(self, share: float) -> float:
        """Return the ε at which this share of words stays as it is, on average over a sample of the vocabulary."""
        rows = self._asked_about(None)

        def unchanged(rate: float) -> float:
            return _exactly(MetricExponential(self._closeness, rate=rate), rows).unchanged

        return MetricExponential(self._closeness, rate=solve(unchanged, share)).loss_per_unit

    def _substitutes(self, rows: Int64, lengths: Sequence[int], streams: DocumentStreams) -> Int64:
        """Draw for all segments at once, so that each word's row of weights is computed once."""
        substitutes = np.empty(len(rows), np.int64)
        for all_of_them in in_segments(lengths, SEGMENT * max(1, len(rows)), streams):
            wanted = np.full(all_of_them.shape, self.stand_in_)  # what fills up a segment is drawn and dropped
            wanted.flat[all_of_them.cells] = rows[all_of_them.places]
            drawn = self.mechanism_.draw(wanted, all_of_them.streams)
            substitutes[all_of_them.places] = drawn.flat[all_of_them.cells]
        return substitutes


def _exactly(mechanism: MetricExponential, rows: Int64) -> Deniability:
    return of_laws(np.stack([mechanism.law(int(row)) for row in rows]), rows)


_FEW_WORDS = """
a the and of rain snow sun harbour ship boat bird gull letter word morning evening cold warm
"""

EXAMPLE = WordExponential(epsilon=4.0, words=20, order="text", vocabulary=_FEW_WORDS.split())
