"""Every word replaced by a random one: the other end of every comparison (ER-AE's "Random-R").

Perfect privacy and no meaning. The paper keeps the text's length; here the length is a parameter, so that the output
is independent of the text and the loss is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.auditing import MOST_WORDS, PLAIN, Auditing, Small, varied
from allonym.anonymizers.base import Anonymizer, check_words
from allonym.anonymizers.offers import Offer
from allonym.privacy import Guarantee, accounting
from allonym.randomness import DocumentStreams
from allonym.vectors import vocabularies
from allonym.vectors.vocabularies import Vocabulary


class _UniformAuditing(Auditing):
    """What an audit asks of a method whose words are all equally likely."""

    method: RandomReplacement

    @cached_property
    def words(self) -> Sequence[str]:
        """The vocabulary."""
        return vocabularies.read(self.method.vocabulary)

    def law_of(self, row: int) -> NDArray[np.float64]:
        """Return the uniform law."""
        return np.full(len(self.words), 1 / len(self.words))

    def small(self) -> Small:
        """Return the method with twelve words."""
        words = min(int(self.method.words), MOST_WORDS)
        small = varied(self.method, vocabulary=list(PLAIN), words=words)
        laws = np.full((len(PLAIN), len(PLAIN)), 1 / len(PLAIN))
        return Small(anonymizer=small, words=PLAIN, laws=laws, short=small, shortest=small)


@dataclass(kw_only=True, eq=False, repr=False)
class RandomReplacement(Anonymizer):
    """Returns `words` words drawn uniformly from the vocabulary, whatever the text.

    Privacy: loses nothing; the output is independent of the input.

    Args:
        words: Output words of each document.
        vocabulary: The public words to draw from: a list, a file with one per line, or "words-en" (the default).
    """

    method = "random-replacement"
    is_a_baseline = True

    words: int = 150
    vocabulary: Vocabulary = None

    def _check(self) -> None:
        super()._check()
        check_words(self.words)

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return the promise: a loss of 0."""
        return accounting.pure(
            loss_per_word=0.0,
            words=self.words,
            documents=documents,
            assumptions=("the vocabulary is public", "the random key stays secret"),
        )

    def offers(self) -> tuple[Offer, ...]:
        """Offer nothing: this is for comparisons, and leaves no meaning."""
        return ()

    def audited(self) -> Auditing:
        """Return what an audit must know: the words, and that all are equally likely."""
        return _UniformAuditing(self)

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        vocabulary = vocabularies.read(self.vocabulary)
        drawn = streams.below(len(vocabulary), (len(texts), self.words))
        return [" ".join(vocabulary[i] for i in row) for row in drawn]


EXAMPLE = RandomReplacement(words=20)
