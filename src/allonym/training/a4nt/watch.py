"""How an A4NT training goes, on sentences held out: is the judge fooled, are words kept, is the text fluent.

The judge is a frozen copy of the opponent as it was before the game. It is no attacker of the evaluation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray

from allonym.training.a4nt.batches import A4ntSentences
from allonym.training.a4nt.draw import WordDraw
from allonym.training.a4nt.judges import Opponent, WordModel
from allonym.training.a4nt.losses import language_loss
from allonym.training.a4nt.network import Direction, Translator


@dataclass(frozen=True)
class OneWay:
    """What becomes of sentences of one class on their way to another; shares from 0 to 1.

    Attributes:
        sentences_before: How often the judge names the true writer of a sentence, before.
        sentences_after: The same after translation.
        documents_before: How often it names the true writer of a document, before.
        documents_after: The same after translation.
        kept: Share of the words that are kept.
        language_before: The language model's loss a word, before.
        language_after: The same after translation.
    """

    sentences_before: float
    sentences_after: float
    documents_before: float
    documents_after: float
    kept: float
    language_before: float
    language_after: float


@dataclass(frozen=True)
class TranslatorFigures(OneWay):
    """Means over all directions, and the worst of them.

    Attributes:
        documents_worst: How often the true writer of a document is still named in the direction in which that is most
            frequent.
    """

    documents_worst: float

    def to_json(self) -> dict[str, float]:
        """Return the figures by name."""
        return dict(vars(self))

    def rounded(self) -> TranslatorFigures:
        """Return them with four digits."""
        return TranslatorFigures(*(round(value, 4) for value in astuple(self)))


@torch.no_grad()
def measure(
    translator: Translator,
    judge: Opponent,
    language: WordModel,
    held_out: Sequence[A4ntSentences],
    draw: WordDraw,
    batch_size: int = 512,
) -> TranslatorFigures:
    """Translate held-out sentences of every class to the next one and look at them."""
    for network in (translator, judge, language):
        network.eval()
    classes = len(held_out)
    rows = [
        _one_way(translator, judge, language, sentences, Direction(writer, (writer + 1) % classes), draw, batch_size)
        for writer, sentences in enumerate(held_out)
    ]
    means = {each.name: float(np.mean([getattr(row, each.name) for row in rows])) for each in fields(OneWay)}
    return TranslatorFigures(**means, documents_worst=max(row.documents_after for row in rows))


def _one_way(
    translator: Translator,
    judge: Opponent,
    language: WordModel,
    sentences: A4ntSentences,
    direction: Direction,
    draw: WordDraw,
    batch_size: int,
) -> OneWay:
    count = len(sentences)
    before, after = (np.zeros((count, translator.shape.classes)) for _ in range(2))
    shared, words, fluency = 0, 0, np.zeros(2)
    for batch in sentences.in_order(batch_size):
        sample, lengths = translator.sample(batch.words, batch.lengths, direction, draw)
        before[batch.rows] = judge(batch.words, batch.lengths).cpu().numpy()
        after[batch.rows] = judge(sample, lengths).cpu().numpy()
        written = sample.argmax(-1)
        sentences_before = zip(batch.words.tolist(), batch.lengths.tolist(), strict=True)
        sentences_after = zip(written.tolist(), lengths.tolist(), strict=True)
        for (old, length), (new, new_length) in zip(sentences_before, sentences_after, strict=True):
            shared += (Counter(old[:length]) & Counter(new[:new_length])).total()  # in whatever place
        words += int(batch.lengths.sum())
        share = len(batch.rows) / count
        fluency[0] += share * float(language_loss(language, batch.words, batch.lengths, direction.source))
        fluency[1] += share * float(language_loss(language, written, lengths, direction.target))
    documents = np.arange(count) if sentences.documents is None else sentences.documents
    return OneWay(
        sentences_before=float((before.argmax(1) == direction.source).mean()),
        sentences_after=float((after.argmax(1) == direction.source).mean()),
        documents_before=_document_share(before, documents, direction.source),
        documents_after=_document_share(after, documents, direction.source),
        kept=shared / words,
        language_before=float(fluency[0]),
        language_after=float(fluency[1]),
    )


def _document_share(scores: NDArray[np.float64], documents: NDArray[np.int64], writer: int) -> float:
    """Return the share of documents whose added log-probabilities are highest for the writer."""
    _, numbers = np.unique(documents, return_inverse=True)
    sums = np.zeros((numbers.max() + 1, scores.shape[1]))
    np.add.at(sums, numbers, scores)
    return float((sums.argmax(1) == writer).mean())
