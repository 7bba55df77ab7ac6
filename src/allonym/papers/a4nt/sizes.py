"""How much is measured of A4NT: documents, sentences, and how long attackers learn."""

from __future__ import annotations

from dataclasses import dataclass

from allonym.papers.stored import Result


@dataclass(frozen=True)
class AttackerSchedule(Result):
    """How long a neural attacker learns: passes at most, and sentences of a step."""

    epochs: int
    batch_size: int


@dataclass(frozen=True)
class SentenceCounts(Result):
    """How much of a corpus is used."""

    train: int  # sentences of each training document, for attackers trained on originals
    test: int  # sentences of each document of the other parts
    adaptive_documents: int  # training documents that are translated, for attackers trained on translations
    adaptive: int  # sentences of each of these


@dataclass(frozen=True)
class Sizes(Result):
    """How much is measured."""

    blogs: SentenceCounts = SentenceCounts(train=10, test=12, adaptive_documents=500, adaptive=8)
    speeches: SentenceCounts = SentenceCounts(train=24, test=24, adaptive_documents=320, adaptive=12)
    full: AttackerSchedule = AttackerSchedule(epochs=4, batch_size=256)  # neural attackers, all training documents
    few: AttackerSchedule = AttackerSchedule(epochs=8, batch_size=64)  # the same, those that adaptive attackers have
    meteor: int = 800  # sentence pairs for METEOR
    cosine: int = 250  # sentence pairs for the similarity of sentence embeddings
    perplexity: int = 60  # sentences for the perplexity
    operating: tuple[int, int] = (80, 6)  # documents, and sentences of each, for the operating points

    def of(self, setting: str) -> SentenceCounts:
        """Return those of a setting's corpus."""
        return self.speeches if setting == "speech" else self.blogs
