"""Tables 2, 3 and 4 of the ER-AE paper on sentences of our own: candidates, their chances, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.language import sequences
from allonym.networks.erae.inference import EraeReader
from allonym.papers.erae.candidates import shares
from allonym.papers.erae.methods import Methods
from allonym.papers.stored import Result

SENTENCES = (
    "The soup was cold, but the waiter was friendly and brought us another bowl.",
    "There are several unusual films in this collection, and most of them are worth your time.",
    "I bought this lamp last week and it has already stopped working.",
    "The authors explain their method clearly, but the experiments are too small to convince me.",
    "We walked along the river until it got dark, then took the last bus home.",
)
ASKED = (1, ("several", "unusual"))  # which sentence, and at which of its words the candidates are shown
SHOWN = 5

# Table 2 of the paper: the five most likely words of two steps, and table 3: how likely one of them is drawn.
PAPER_TABLE_2 = {
    "AE-DP": {"several": (0.98, 0.007, 0.003, 0.002, 0.001), "unique": (0.99, 0.0001, 3.1e-05, 2.5e-05, 2.1e-05)},
    "ER-AE": {"several": (0.55, 0.20, 0.14, 0.04, 0.03), "unique": (0.37, 0.21, 0.15, 0.10, 0.05)},
}
PAPER_TABLE_3 = {
    "several": {"exponential": 0.0017, "two_set": 0.7411},
    "unique": {"exponential": 0.00091, "two_set": 0.6794},
}


@dataclass(frozen=True)
class CandidatePlace(Result, beside=("shares",)):
    """A place of tables 2 and 3.

    Attributes:
        model: Whose probabilities they are.
        word: The word that stood there.
        first: The most likely words, where they are known, with their probabilities.
        shares: How likely one of these is drawn, by mechanism.
    """

    model: str
    word: str
    first: tuple[tuple[str | None, float], ...]
    shares: Mapping[str, float]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> CandidatePlace:
        """Return what `to_json` wrote."""
        shares = {name: share for name, share in stored.items() if name not in ("model", "word", "first")}
        first = tuple((word, probability) for word, probability in stored["first"])
        return cls(stored["model"], stored["word"], first, shares)


@dataclass(frozen=True)
class RewrittenSentence(Result):
    """A sentence of table 4, and what each method makes of it, by the methods' names."""

    input: str
    seed: int
    outputs: tuple[tuple[str, str], ...]


def candidates(network: EraeReader, *, epsilon: float, k: int) -> list[CandidatePlace]:
    """Return tables 2 and 3: the first five words of two places, with what each mechanism makes of them.

    The paper's own places follow, from the probabilities it prints; what these leave over is spread evenly.
    """
    number, words = ASKED
    [sentence] = sequences.sentences(SENTENCES[number])
    tokens = [token.lower() for token in sentence]
    rated = network.probabilities(network.features([network.vocabulary.ids(sentence)], len(sentence)))[0]
    drawn_at = []
    for word in words:
        row = rated[tokens.index(word)].astype(np.float64)
        best = np.argsort(-row, kind="stable")[:SHOWN].tolist()
        first = tuple((network.vocabulary.tokens[index], float(row[index])) for index in best)
        drawn_at.append(CandidatePlace("ours", word, first, shares(row, best, epsilon=epsilon, candidates=k)))
    for model, places in PAPER_TABLE_2.items():
        for word, printed in places.items():
            row = _spread(printed, len(network.vocabulary))
            unnamed = tuple((None, probability) for probability in printed)
            made = shares(row, range(len(printed)), epsilon=epsilon, candidates=k)
            drawn_at.append(CandidatePlace(f"paper, {model}", word, unnamed, made))
    return drawn_at


def outputs(methods: Methods, seed: int) -> list[RewrittenSentence]:
    """Return table 4: what each method makes of the sentences."""
    sentences = []
    for number, text in enumerate(SENTENCES):
        words = sum(len(sentence) for sentence in sequences.sentences(text))
        rows = methods.for_a_sentence(words)
        released = tuple((row.name, row.release([text], seed + number)[0]) for row in rows)
        sentences.append(RewrittenSentence(text, seed + number, released))
    return sentences


def _spread(printed: Sequence[float], words: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a row of probabilities that begins with those printed; the others share the rest."""
    row = np.full(words, (1 - sum(printed)) / (words - len(printed)))
    row[: len(printed)] = printed
    return row
