"""Commonplace: says a text in sentences out of a public book, each drawn with a proved loss.

A *commonplace book* was where people copied other people's sentences. Here the loss is spent on whole sentences, not on
words: a dozen nats find one of a hundred thousand, and how a person writes never enters.

How a document becomes a text (docs/commonplace.md has the proof):

1. It is cut into sentences (`language.sequences.cut`), and each is read as a vector of whole numbers
   (`networks.sentences`).
2. It has a fixed number of *slots*. A longer text has its most central sentences said: one after another, those that
   together lie nearest to the whole; in the order of the text. A shorter one leaves slots absent.
3. The candidates of a slot are the k sentences of the book nearest to its own; of equals the first. An absent one has k
   candidates that say nothing.
4. The subset mechanism draws one entry for each slot, of all N sentences and k silences.
5. What was drawn is written one after the other, in one paragraph.

Whatever a text is (empty, one sentence of 3,000 words, a table, another script), as many entries are drawn for it, and
nothing of it is written. What the encoder cannot read at all, is absent. Facts, names and figures are not carried: a
drawn sentence is about what the original is about, at best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.base import Anonymizer, cached_names, check_positive, check_whole
from allonym.anonymizers.between import Between
from allonym.anonymizers.commonplace.auditing import CommonplaceAuditing
from allonym.anonymizers.offers import Offer, Slider
from allonym.books.book import DEFAULT, Book
from allonym.language import sequences
from allonym.language.words import checked_texts
from allonym.mechanisms import Subset
from allonym.models import shipped
from allonym.networks.sentences.centre import central
from allonym.privacy import Guarantee, accounting
from allonym.privacy.guarantee import Drawn
from allonym.randomness import DocumentStreams

ASSUMPTIONS = (
    "the book is public and not made from the documents themselves",
    "the encoder is public",
    "each document is anonymized once (twice spends twice as much)",
    "the random key stays secret",
)
NOT_CARRIED = "Sentences come from a public book: facts, names and figures of the text are not carried over."
_MOST_SENTENCES = 10_000
_MOST_CANDIDATES = 1_000
_AT_ONCE = 512  # documents

Int64 = NDArray[np.int64]


@dataclass(kw_only=True, eq=False, repr=False)
class Commonplace(Anonymizer):
    """Your text in sentences of a public book, each drawn with a proved loss.

    Privacy: `guarantee()`: the loss of a sentence × `sentences`, any two documents adjacent.

    Args:
        book: Where sentences come from: the folder of a book; "default" is the shipped one.
        loss_per_sentence: The loss to pay for each sentence of the output.
        sentences: Sentences of each document, whatever its length: its most central ones; of a shorter one all, and the
            others are left out, or drawn at random.
        candidates: How many sentences of the book, the nearest, are likely to be drawn for one of the text.
    """

    method = "commonplace"
    draws_its_length = True
    drawn: ClassVar[Drawn] = "sentence"

    book: str | Path = "default"
    loss_per_sentence: float = 13.0
    sentences: int = 6
    candidates: int = 3

    def _check(self) -> None:
        super()._check()
        check_positive("loss_per_sentence", self.loss_per_sentence)
        check_whole("sentences", self.sentences, _MOST_SENTENCES)
        check_whole("candidates", self.candidates, _MOST_CANDIDATES)

    @cached_property
    def book_(self) -> Book:
        """The book that sentences come from."""
        return Book.open(self.book)

    @cached_property
    def mechanism_(self) -> Subset:
        """What draws each entry: a sentence of the book, by its number, or one of as many silences as candidates."""
        outputs = len(self.book_) + self._likely
        return Subset(outputs, loss=self.loss_per_sentence, candidates=self._likely)

    @property
    def _likely(self) -> int:
        """How many candidates there are: of a small book no more than it has sentences."""
        return min(int(self.candidates), len(self.book_))

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised about `documents` documents of one author."""
        return accounting.pure(
            loss_per_word=self.mechanism_.loss(),
            words=int(self.sentences),
            documents=documents,
            assumptions=ASSUMPTIONS,
            drawn=self.drawn,
            notes=(NOT_CARRIED,),
        )

    def audited(self) -> CommonplaceAuditing:
        """Return what an audit must know of this method."""
        return CommonplaceAuditing(self)

    def offers(self) -> tuple[Offer, ...]:
        """Offer sentences of the shipped book, if there is one: nobody has another at hand on the page."""
        if DEFAULT not in shipped():
            return ()
        gives = "what you say in whole sentences that somebody else might have said; facts, names and figures are lost"
        positions = [{"sentences": count} for count in (1, 2, 3, 5, 8)]
        return (Offer("commonplace", "In other people's words", gives, lambda: [Slider(positions)]),)

    def before_drawing(self, texts: Sequence[str]) -> list[str]:
        """Return the nearest sentence of the book for each that is said, as a text."""
        best = self._candidates(texts)[:, :, 0]
        return [self._text(row) for row in best]

    def between(self, first: str, second: str) -> Between:
        """Return how many sentences of two documents have other candidates, and what telling them apart costs."""
        sets = np.sort(self._candidates(checked_texts([first, second])), axis=2)
        differ = int((sets[0] != sets[1]).any(axis=1).sum())
        loss = accounting.total(self.mechanism_.loss(), differ)
        return Between(
            int(self.sentences),
            {"sentences with other candidates in the book": float(differ)},
            {"these sentences": loss},
            self.drawn,
        )

    def __getstate__(self) -> dict[str, object]:
        # The book is opened again where it is needed: a copy of it in every worker's mail would be megabytes.
        cached = cached_names(type(self))
        return {name: value for name, value in vars(self).items() if name not in cached}

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        drawn = self.mechanism_.draw_among(self._candidates(texts), streams)
        return [self._text(row) for row in drawn]

    def _text(self, entries: Int64) -> str:
        """Write what was drawn; numbers beyond the book's are silences."""
        return " ".join(self.book_.sentences[entry] for entry in entries if entry < len(self.book_))

    def _candidates(self, texts: Sequence[str]) -> Int64:
        """Return the candidates of every slot of every document, the nearest first: documents × slots × candidates."""
        silences = np.arange(len(self.book_), len(self.book_) + self._likely)
        sets = np.broadcast_to(silences, (len(texts), int(self.sentences), self._likely)).copy()
        for start in range(0, len(texts), _AT_ONCE):
            documents, slots, vectors = self._said(texts[start : start + _AT_ONCE])
            sets[start + documents, slots] = self.book_.nearest(vectors, self._likely)
        return sets

    def _said(self, texts: Sequence[str]) -> tuple[Int64, Int64, NDArray[np.int8]]:
        """Return the document, the slot and the vector of every sentence that is said."""
        pieces = [sequences.cut(text) for text in texts]
        encoder = self.book_.encoder
        vectors = encoder.encode([piece for document in pieces for piece in document])
        documents, slots, chosen, start = list[int](), list[int](), list[int](), 0
        for number, document in enumerate(pieces):
            of_text = vectors[start : start + len(document)]
            lengths = np.array([len(piece.split()) for piece in document], np.int64)
            rows = central(of_text, lengths, int(self.sentences))
            documents += [number] * len(rows)
            slots += range(len(rows))
            chosen += (start + rows).tolist()
            start += len(document)
        return np.array(documents, np.int64), np.array(slots, np.int64), vectors[np.array(chosen, np.int64)]


EXAMPLE = Commonplace(book="book-example", loss_per_sentence=2.0, sentences=4, candidates=3)
