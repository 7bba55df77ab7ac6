"""How Commonplace is audited: over a made-up book of a few words, each of which is a sentence of its own.

What is drawn is a number, so the audit compares the numbers that were drawn with the law of their candidate sets, and
holds them fixed to see whether anything else of a document shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from allonym.anonymizers.auditing import PLAIN, Auditing, Small, varied
from allonym.books.book import Book

if TYPE_CHECKING:
    from allonym.anonymizers.commonplace.recipe import Commonplace

_WORDS = 8
_LITTLE = 1.0  # loss of a sentence in small versions
_FEW, _MOST_SHORT = 1, 3  # sentences


class CommonplaceAuditing(Auditing):
    """What an audit asks of Commonplace."""

    method: Commonplace

    def small(self) -> Small:
        """Return the method with a book of eight words; laws are those of the candidate sets it hands over."""
        slots = int(self.method.sentences)
        return Small(
            anonymizer=_small(self.method, slots),
            words=PLAIN[:_WORDS],
            laws=None,
            short=_small(self.method, min(slots, _MOST_SHORT)),
            shortest=_small(self.method, _FEW),
        )

    def quick(self) -> Commonplace:
        """Return the method with one sentence and a small loss, whose answers show honestly little of a text's form."""
        return _small(self.method, _FEW)


def _small(method: Commonplace, sentences: int) -> Commonplace:
    """Return the method with the small book."""
    candidates = min(int(method.candidates), 2)
    small = varied(method, sentences=sentences, candidates=candidates, loss_per_sentence=_LITTLE)
    small.__dict__["book_"] = Book.of(PLAIN[:_WORDS], method.book_.encoder)
    return small
