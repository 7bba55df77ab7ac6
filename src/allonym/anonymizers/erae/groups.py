"""Our draw: the candidates are a public group of unlike words, and the network says afterwards which was meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.mechanisms import Subset
from allonym.networks.erae.groups import WordGroups, meant
from allonym.networks.erae.inference import EraeReader
from allonym.randomness import DocumentStreams


@dataclass(frozen=True)
class GroupedWords:
    """Draws words from groups."""

    network: EraeReader  # says which word of a group was meant
    mechanism: Subset  # draws a word, mostly of the group
    groups: WordGroups
    marks: frozenset[int]  # numbers of punctuation marks
    then: Sequence[int] = ()  # what follows every sentence for sure, such as a full stop

    def drawn(
        self, block: Sequence[list[int]], steps: Sequence[int], streams: DocumentStreams
    ) -> Iterator[NDArray[np.int64]]:
        """Draw so many numbers for each sentence; the network is not asked."""
        longest = max(steps)
        candidates = np.stack([self.groups.candidates(sentence, longest) for sentence in block])
        numbers = self.mechanism.draw_among(candidates, streams)
        return (row[:length] for row, length in zip(numbers, steps, strict=True))

    def meant(self, drawn: Sequence[list[int]]) -> list[list[int]]:
        """Return the words that the network makes of drawn numbers. It sees nothing else, so this spends nothing."""
        sure = self.mechanism.probability_of_candidates
        # Below it, a word is likelier drawn by accident, when all groups are equally likely.
        doubt = (1 - sure) / (sure * len(self.groups.members))
        chosen = meant(self.network, self.groups, drawn, doubt=doubt, then=self.then)
        # What accidents leave of an empty sentence is often a mark alone.
        return [[] if self.marks.issuperset(words) else words for words in chosen]
