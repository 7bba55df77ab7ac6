"""Documents of unequal length, cut into segments that share a random stream, so that many are drawn for at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.randomness import DocumentStreams

SEGMENT = 16  # words that share a random stream

Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Segments:
    """Some segments of documents, to be drawn for in one array: a row each, as wide as the longest of them."""

    streams: DocumentStreams  # their randomness
    # Words of the longest: a word's randomness depends on its place in its segment, not on the array's width.
    width: int
    places: Int64  # the places of their words in all documents
    cells: Int64  # the same in the array

    @property
    def shape(self) -> tuple[int, int]:
        """The array's rows and columns."""
        return len(self.streams), self.width


def in_segments(lengths: Sequence[int], most_cells: int, streams: DocumentStreams) -> Iterator[Segments]:
    """Yield the segments of documents of so many words, in arrays of at most so many cells."""
    segments = streams.segments(lengths, SEGMENT)
    held = [min(SEGMENT, n - start) for n in map(int, lengths) for start in range(0, n, SEGMENT)]
    ends = np.concatenate([[0], np.cumsum(held)]).astype(np.int64)
    first = width = 0
    for last in range(1, len(held) + 1):
        width = max(width, held[last - 1])
        wider = max(width, held[last]) if last < len(held) else SEGMENT
        if last == len(held) or wider * (last + 1 - first) > most_cells:
            places = np.arange(ends[first], ends[last])
            skipped = width * np.arange(last - first) - ends[first:last]
            yield Segments(segments.part(first, last), width, places, places + np.repeat(skipped, held[first:last]))
            first, width = last, 0
