"""The paper's draw: the network rates all words at each step, and the mechanism draws one by its rating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.language.sequences import END
from allonym.mechanisms import Subset, TwoSet
from allonym.networks.erae.inference import EraeReader
from allonym.randomness import DocumentStreams

_FLOATS_AT_ONCE = 2**23  # of ratings: 32 MiB at most


@dataclass(frozen=True)
class RatedWords:
    """Draws words by the network's ratings."""

    network: EraeReader  # rates all words
    mechanism: TwoSet | Subset  # draws one
    # Numbers that stand for the end as well, where the mechanism has several candidates; none with two-set.
    ends: Sequence[int] = ()

    def drawn(
        self, block: Sequence[list[int]], steps: Sequence[int], streams: DocumentStreams
    ) -> Iterator[NDArray[np.int64]]:
        """Draw so many numbers for each sentence.

        After a sentence's last word the network is asked once more, for the end. All later steps are drawn, too, but
        from one law, that of a sentence that is over: there is nothing left to read.
        """
        asked = [min(length, len(sentence) + 1) for length, sentence in zip(steps, block, strict=True)]
        features = self.network.features(block, asked)  # (steps of all sentences, E)
        ends = np.cumsum(asked)
        longest = max(steps)
        # How many sentences are drawn together is public: not even the number of draws may depend on the text.
        at_once = max(1, _FLOATS_AT_ONCE // (max(longest, 1) * len(self.network.vocabulary)))
        for start in range(0, len(block), at_once):
            part = slice(start, min(start + at_once, len(block)))
            first = ends[part.start] - asked[part.start]
            rated = self.rated(features[first : ends[part.stop - 1]])
            rows = np.full((part.stop - part.start, longest), len(rated) - 1)
            for row, end, count in zip(rows, ends[part] - first, asked[part], strict=True):
                row[:count] = np.arange(end - count, end)
            # A sentence's numbers are the first of its stream, so that steps past its end change nothing.
            numbers = self.mechanism.draw(rated, streams.part(part.start, part.stop), rows=rows)
            yield from (row[:length] for row, length in zip(numbers, steps[part], strict=True))

    def rated(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the ratings of all words at each step, and in a last row those where a sentence is over.

        Where the end is the best guess, it fills all places of the candidates: numbers that are never written stand for
        it, too. Otherwise a sentence that is over would mostly go on, with another of the candidates.
        """
        rated = np.empty((len(features) + 1, len(self.network.vocabulary)), np.float32)
        self.network.probabilities(features, out=rated[:-1])
        rated[-1] = 0
        rated[-1, END] = 1
        if self.ends:
            over = rated.argmax(axis=-1) == END
            for alias in self.ends:
                rated[over, alias] = rated[over, END]
        return rated
