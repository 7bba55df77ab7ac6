"""Tables 2, 3 and 4 of the ER-AE paper on sentences of our own: candidates, their chances, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.language import sequences
from allonym.networks.erae.inference import EraeReader
from allonym.papers.erae.candidates import shares
from allonym.papers.erae.methods import Methods
from allonym.papers.erae.runs import Row

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


def candidates(network: EraeReader, *, epsilon: float, k: int) -> list[Row]:
    """Return tables 2 and 3: the first five words of two places, with what each mechanism makes of them.

    The paper's own places follow, from the probabilities it prints; what these leave over is spread evenly.
    """
    number, words = ASKED
    [sentence] = sequences.sentences(SENTENCES[number])
    tokens = [token.lower() for token in sentence]
    rated = network.probabilities(network.features([network.vocabulary.ids(sentence)], len(sentence)))[0]
    found = []
    for word in words:
        row = rated[tokens.index(word)].astype(np.float64)
        best = np.argsort(-row, kind="stable")[:SHOWN].tolist()
        first = [[network.vocabulary.tokens[place], float(row[place])] for place in best]
        found.append(
            {"model": "ours", "word": word, "first": first, **shares(row, best, epsilon=epsilon, candidates=k)}
        )
    for model, places in PAPER_TABLE_2.items():
        for word, printed in places.items():
            row = _spread(printed, len(network.vocabulary))
            first = [[None, probability] for probability in printed]
            made = shares(row, range(len(printed)), epsilon=epsilon, candidates=k)
            found.append({"model": f"paper, {model}", "word": word, "first": first, **made})
    return found


def outputs(methods: Methods, seed: int) -> list[Row]:
    """Return table 4: what each method makes of the sentences."""
    found = []
    for number, text in enumerate(SENTENCES):
        words = sum(len(sentence) for sentence in sequences.sentences(text))
        released = [[row.name, row.release([text], seed + number)[0]] for row in methods.for_a_sentence(words)]
        found.append({"input": text, "seed": seed + number, "outputs": released})
    return found


def _spread(printed: Sequence[float], words: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a row of probabilities that begins with those printed; the others share the rest."""
    row = np.full(words, (1 - sum(printed)) / (words - len(printed)))
    row[: len(printed)] = printed
    return row
