"""What of a text is drawn, and for how many steps: all of it, a fixed number of steps, or its core in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.networks.erae.neutral import NeutralStyle

Sentences = Sequence[Sequence[str]]


class PublicLength:
    """As many sentences and words as the text has."""

    def read(self, sentences: Sentences) -> list[Sequence[str]]:
        """Return the sentences to draw for."""
        return list(sentences)

    def steps(self, sentence: Sequence[int]) -> int:
        """Return how many words are drawn for a sentence."""
        return len(sentence)

    def filled(self, sentences: list[list[int]]) -> list[list[int]]:
        """Return the sentences of a document, as many as are drawn."""
        return sentences

    def kept(self, numbers: NDArray[np.int64], is_end: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return all that are words."""
        return numbers[~is_end]


@dataclass(frozen=True)
class PrivateLength:
    """As many sentences and steps as the parameters say; where a sentence ends, is drawn like any word."""

    sentences: int  # of every output
    words: int  # steps of every sentence
    core: NeutralStyle | None = None  # finds the clauses that say most, if only they shall be drawn

    def read(self, sentences: Sentences) -> list[Sequence[str]]:
        """Return the pieces to draw for: long sentences are cut, further ones dropped."""
        if self.core is not None:
            sentences = self.core.core(sentences, clauses=self.sentences, words=self.words)
        pieces = [
            sentence[start : start + self.words]
            for sentence in sentences
            for start in range(0, len(sentence), self.words)
        ]
        return pieces[: self.sentences]

    def steps(self, sentence: Sequence[int]) -> int:
        """Return how many words are drawn for a sentence: always as many."""
        return self.words

    def filled(self, sentences: list[list[int]]) -> list[list[int]]:
        """Return the sentences of a document, with empty ones up to the number that every document has."""
        return sentences + [[] for _ in range(self.sentences - len(sentences))]

    def kept(self, numbers: NDArray[np.int64], is_end: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return all up to the first end."""
        return numbers[: int(is_end.argmax()) if is_end.any() else len(numbers)]
