"""How well a book covers a sample of text: how near its nearest sentences are.

Figures about a sample of private texts are private, too: `allonym book show` prints them and writes them nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from allonym.books.book import Book
from allonym.language import sequences
from allonym.metrics.figures import percent
from allonym.networks.sentences.encoder import similarities

CLOSE: Final = 0.5  # cosine by the encoder: below it a reader hardly sees what the two have in common
_FEW_CLOSE = 0.5  # of a sample's sentences: with fewer, the book is of another kind of text


@dataclass(frozen=True)
class Coverage:
    """How near a book's sentences are to those of a sample.

    Attributes:
        sentences: Sentences of the sample that the encoder can read.
        unread: Sentences that it cannot: of another script, or without a word.
        close: The share of them that have a close sentence in the book.
        median: The usual cosine with the nearest.
        copied: How many stand in the book word for word.
    """

    sentences: int
    unread: int
    close: float
    median: float
    copied: int

    @property
    def warnings(self) -> list[str]:
        """What a user should know before he draws from the book, in sentences."""
        said = []
        if not self.sentences:
            return ["Nothing of the sample could be read; give one in English."]
        if self.close < _FEW_CLOSE:
            said.append(
                f"Only {percent(self.close)} of the sample's sentences have a close one in the book, so what is drawn "
                "will often be about something else; build a book from public text of the same kind."
            )
        if self.copied:
            said.append(
                f"{self.copied:,} sentences of the sample stand in the book word for word. If the sample is to be "
                "protected, the book would hand them out, outside of all proof: build it with --not-from."
            )
        return said


@dataclass(frozen=True)
class NearestPair:
    """A sentence of a sample beside the nearest one of a book; private as the sample is."""

    sentence: str
    nearest: str | None  # None where none is close
    cosine: float


def beside(book: Book, texts: Sequence[str]) -> list[NearestPair]:
    """Return every sentence of texts beside the nearest one of a book."""
    asked = [sentence for text in texts for sentence in sequences.cut(text)]
    vectors = book.encoder.encode(asked)
    nearest = book.nearest(vectors, 1)[:, 0] if asked else np.zeros(0, np.int64)
    alike = similarities(vectors, book.vectors[nearest]).tolist()
    return [
        NearestPair(" ".join(sentence.split()), book.sentences[number] if cosine >= CLOSE else None, round(cosine, 3))
        for sentence, number, cosine in zip(asked, nearest.tolist(), alike, strict=True)
    ]


def coverage(book: Book, texts: Sequence[str]) -> Coverage:
    """Return how well a book covers texts."""
    asked = [sentence for text in texts for sentence in sequences.cut(text)]
    vectors = book.encoder.encode(asked)
    read = vectors.any(axis=1)
    nearest = book.nearest(vectors[read], 1)[:, 0] if read.any() else np.zeros(0, np.int64)
    alike = similarities(vectors[read], book.vectors[nearest])
    known = {" ".join(sentence.lower().split()) for sentence in book.sentences}
    return Coverage(
        sentences=int(read.sum()),
        unread=int((~read).sum()),
        close=float((alike >= CLOSE).mean()) if len(alike) else 0.0,
        median=float(np.median(alike)) if len(alike) else 0.0,
        copied=sum(" ".join(sentence.lower().split()) in known for sentence in asked),
    )
