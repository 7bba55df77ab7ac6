"""How an A4NT training goes, on sentences held out: is the judge fooled, are words kept, is the text fluent.

The judge is a frozen copy of the opponent as it was before the game. It is no attacker of the evaluation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from allonym.training.a4nt.batches import A4ntSentences
from allonym.training.a4nt.draw import WordDraw
from allonym.training.a4nt.judges import Opponent, WordModel
from allonym.training.a4nt.losses import language_loss
from allonym.training.a4nt.network import Direction, Translator


@torch.no_grad()
def measure(
    translator: Translator,
    judge: Opponent,
    language: WordModel,
    held_out: Sequence[A4ntSentences],
    draw: WordDraw,
    batch_size: int = 512,
) -> dict[str, float]:
    """Translate held-out sentences of every class to the next one and look at them.

    Returns:
        Means over directions: how often the judge names the true writer of a sentence and of a document, before and
        after; the share of words that are kept; and the language model's loss before and after. `documents_worst` is
        how often the true writer of a document is still named in the direction in which that is most frequent.
    """
    for network in (translator, judge, language):
        network.eval()
    classes = len(held_out)
    rows = [
        _one_way(translator, judge, language, sentences, Direction(writer, (writer + 1) % classes), draw, batch_size)
        for writer, sentences in enumerate(held_out)
    ]
    worst = max(row["documents_after"] for row in rows)
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]} | {"documents_worst": worst}


def _one_way(
    translator: Translator,
    judge: Opponent,
    language: WordModel,
    sentences: A4ntSentences,
    direction: Direction,
    draw: WordDraw,
    batch_size: int,
) -> dict[str, float]:
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
    return {
        "sentences_before": float((before.argmax(1) == direction.source).mean()),
        "sentences_after": float((after.argmax(1) == direction.source).mean()),
        "documents_before": _document_share(before, documents, direction.source),
        "documents_after": _document_share(after, documents, direction.source),
        "kept": shared / words,
        "language_before": float(fluency[0]),
        "language_after": float(fluency[1]),
    }


def _document_share(scores: NDArray[np.float64], documents: NDArray[np.int64], writer: int) -> float:
    """Return the share of documents whose added log-probabilities are highest for the writer."""
    _, numbers = np.unique(documents, return_inverse=True)
    sums = np.zeros((numbers.max() + 1, scores.shape[1]))
    np.add.at(sums, numbers, scores)
    return float((sums.argmax(1) == writer).mean())
