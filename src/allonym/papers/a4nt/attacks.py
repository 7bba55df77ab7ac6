"""Attackers that tell age, gender or speaker, and how often they are right: the F1 of A4NT's tables.

What F1 means here. Every test document is translated from its true class to another one, and an attacker names the
class of each. F1 *of a class* takes the true source class as the positive one: 2 · precision · recall / (precision +
recall) over all translated documents. F1, without more, is the mean over classes weighted by their documents. (The
paper does not say which; of these, only the weighted one explains its "random classifier" of 0.54, 0.50 and 0.61.)

Sentence F1 counts sentences. Document F1 adds the log-probabilities of a document's sentences, as the paper does, but
counts how frequent a class is once, not once for every sentence, which makes the attackers stronger. Attackers without
probabilities read the document as a whole. The opponent that a translator was trained against is never among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from allonym import attackers
from allonym.attackers.base import Attacker
from allonym.metrics.figures import Figure
from allonym.papers.a4nt.documents import CLASSES, DocumentPart
from allonym.papers.a4nt.sizes import AttackerSchedule
from allonym.papers.a4nt.stored import Levels, Scored
from allonym.randomness import insecure

LSTM, HOLDOUT = "lstm", "lstm-cnn"
NEURAL = (LSTM, HOLDOUT)
PANEL = (*NEURAL, "words-svm", "characters-svm", "words-bayes", "writeprints-svm")
RESAMPLES = 500
_SEED = 2018
_NETWORK = {"embedding_size": 64, "hidden_size": 64, "learning_rate": 0.003}

Floats = NDArray[np.float64]


@dataclass
class Judge:
    """An attacker that has learned, with how frequent the classes are among the sentences it learned from."""

    attacker: Attacker
    frequencies: Floats

    def sentence_scores(self, sentences: Sequence[str]) -> Floats:
        """Return log-probabilities, sentences × classes; only of attackers that have any."""
        return self.attacker.decision_function(sentences)

    def document_scores(self, part: DocumentPart, sentences: Sequence[str], scores: Floats | None) -> Floats:
        """Return documents × classes, from the sentences' scores where there are any."""
        if scores is None:
            return self.attacker.decision_function(part.texts(sentences))
        counts = np.bincount(part.owners, minlength=len(part))
        added = np.zeros((len(part), scores.shape[1]))
        np.add.at(added, part.owners, scores)
        once: Floats = added - (counts[:, None] - 1) * np.log(self.frequencies)
        return once

    def attack(self, part: DocumentPart, sentences: Sequence[str], setting: str) -> Levels:
        """Return what the attacker makes of documents whose sentences became these."""
        scores = self.sentence_scores(sentences) if self.attacker.name in NEURAL else None
        classes = CLASSES[setting]
        named = self._named(self.document_scores(part, sentences, scores))
        documents = scored(part.classes[setting], named, np.arange(len(part)), classes)
        if scores is None:
            return Levels(documents, None)
        return Levels(documents, scored(part.sentence_classes(setting), self._named(scores), part.owners, classes))

    def source_scores(self, part: DocumentPart, sentences: Sequence[str], setting: str) -> Floats:
        """Return the probability of the true class for each sentence: A(x) in the paper's figures."""
        columns = np.searchsorted(self.attacker.classes_, part.sentence_classes(setting))
        return np.exp(self.sentence_scores(sentences)[np.arange(len(columns)), columns])

    def _named(self, scores: Floats) -> list[str]:
        return [str(name) for name in self.attacker.classes_[scores.argmax(1)]]


def learned(name: str, part: DocumentPart, sentences: Sequence[str], setting: str, schedule: AttackerSchedule) -> Judge:
    """Train an attacker on documents whose sentences are, or became, these."""
    network = {**_NETWORK, **asdict(schedule)} if name in NEURAL else {}
    attacker = attackers.make(name, **network).fit(part.texts(sentences), part.classes[setting])
    return Judge(attacker, frequencies(part, setting))


def frequencies(part: DocumentPart, setting: str) -> Floats:
    """Return how frequent each class is among the sentences, by the classes' alphabetical order."""
    _, counts = np.unique(part.sentence_classes(setting), return_counts=True)
    shares: Floats = counts / counts.sum()
    return shares


def random_guess(truth: Sequence[str]) -> float:
    """Return the expected weighted F1 of naming each class as often as it occurs, about Σ p²."""
    _, counts = np.unique(list(truth), return_counts=True)
    return float(((counts / counts.sum()) ** 2).sum())


def scored(truth: Sequence[str], named: Sequence[str], documents: NDArray[np.int64], classes: Sequence[str]) -> Scored:
    """Return F1, F1 of each class and the share of each class that was recognised, with 95 % intervals.

    Intervals resample whole documents, since sentences of one document are alike.
    """
    tables = _tables(truth, named, documents, classes)
    hits = np.diagonal(tables, axis1=1, axis2=2)
    true, guessed = tables.sum(2), tables.sum(1)
    f1, recall = _ratio(2 * hits, true + guessed), _ratio(hits, true)
    weighted = (f1 * true).sum(1) / true.sum(1)
    return Scored(
        f1=_figure(weighted),
        f1_of={name: _figure(f1[:, column]) for column, name in enumerate(classes)},
        recognised={name: _figure(recall[:, column]) for column, name in enumerate(classes)},
        counted=len(truth),
    )


def _tables(
    truth: Sequence[str], named: Sequence[str], documents: NDArray[np.int64], classes: Sequence[str]
) -> NDArray[np.float64]:
    """Return true × named classes: once of all documents, then of documents drawn with replacement."""
    number = {name: column for column, name in enumerate(classes)}
    cells = np.array(
        [number[true] * len(classes) + number[named_as] for true, named_as in zip(truth, named, strict=True)]
    )
    count = int(documents.max()) + 1
    of_document = np.zeros((count, len(classes) ** 2))
    np.add.at(of_document, (documents, cells), 1)
    drawn = insecure(_SEED).below(count, (RESAMPLES, count))
    times = np.stack([np.bincount(row, minlength=count) for row in drawn])
    tables = np.concatenate([of_document.sum(0)[None], times @ of_document])
    return tables.reshape(-1, len(classes), len(classes))


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.zeros(above.shape), where=below > 0)
    return ratio


def _figure(values: Floats) -> Figure:
    return Figure.of_resamples(float(values[0]), values[1:])
