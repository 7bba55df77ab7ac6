"""The protocol by which rival tools were measured: ten reviewers, who wrote what?

IMDb62, the ten lowest author numbers, 100 training and 40 test reviews of each: first 150 tokens, last sentence dropped
(many end in a sign-off), lower case. Attackers static and adaptive; meaning by MiniLM; one draw a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import metrics
from allonym.attackers.base import Attacker
from allonym.attackers.linear import CharacterNGramSVM, ClearChannelSVM, WordBayes, WordNGramSVM
from allonym.attackers.panel import HEADLINE, PanelResult, Setting, Texts, attack, train
from allonym.metrics import scoring
from allonym.papers.corpora import imdb62
from allonym.randomness import insecure

AUTHORS, TRAIN, TEST = 10, 100, 40
TOKENS = 150
SEED = 2018
_ENDS = {".", "!", "?", "..."}

# Measured in November 2026 on this protocol (rivals' own objects, batched draws of the same law): share of words left,
# MiniLM cosine, the strongest of the attacks on what they release, and what their guarantee leaves in clear.
RIVALS = [
    ("mldp-text MADLIB, ε = 10", 0.14, 0.28, 0.62, "5.2 % of words and all punctuation in clear"),
    ("mldp-text MADLIB, ε = 14", 0.40, 0.53, 0.72, "5.2 % of words and all punctuation in clear"),
    ("mldp-text MADLIB, ε = 17", 0.63, 0.73, 0.78, "5.2 % of words and all punctuation in clear"),
    ("mldp-text MADLIB, ε = 20", 0.81, 0.88, 0.87, "5.2 % of words and all punctuation in clear"),
    ("mldp-text Mahalanobis, ε = 14", 0.31, 0.45, 0.62, "5.2 % of words and all punctuation in clear"),
    ("mldp-text TEM, ε = 2.5", 0.34, 0.47, 0.65, "5.2 % of words and all punctuation in clear"),
    ("mldp-text TEM, ε = 3", 0.66, 0.73, 0.79, "5.2 % of words and all punctuation in clear"),
    ("dp-diffractor geometric, ε = 0.5", 0.64, 0.65, 0.83, "unknown words, stop words and punctuation in clear"),
    ("dp-diffractor geometric, stop words replaced, ε = 1", 0.51, 0.71, 0.78, "unknown words and punctuation in clear"),
]

Row = dict[str, Any]


@dataclass(frozen=True)
class Reviews:
    """The reviews, and what is learned or computed from the originals once.

    Attributes:
        texts: All of them.
        authors: Who wrote each.
        ratings: "fair" or what is said of the film.
        train: Whether each may be learned from.
    """

    texts: list[str]
    authors: list[str]
    ratings: list[str]
    train: list[bool]

    def parts(self, values: Sequence[str]) -> Texts:
        """Return the values of training and of test documents."""
        return Texts(list(compress(values, self.train)), list(compress(values, (not known for known in self.train))))

    @cached_property
    def original(self) -> Texts:
        """The reviews as they are."""
        return self.parts(self.texts)

    @cached_property
    def trained(self) -> list[Attacker]:
        """The attackers that learned from originals."""
        return train(panel(), self.original.train, self.parts(self.authors).train)

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """Sentence embeddings of the test documents."""
        return metrics.embed(self.original.test)

    @property
    def chance(self) -> float:
        """Accuracy of naming one author always."""
        return scoring.chance(self.parts(self.authors).test)

    def row(self, released: Sequence[str] | None) -> Row:
        """Return what attackers reach on a release, or on the originals, and what is left of the words."""
        authors = self.parts(self.authors)
        after = None if released is None else self.parts(released)
        found = attack(
            panel(), authors.train, authors.test, original=self.original, released=after, trained=self.trained
        )
        texts = self.original if after is None else after
        return {
            "unchanged": scoring.bootstrap(metrics.unchanged(self.original.test, texts.test)).value,
            "cosine": scoring.bootstrap(metrics.similarity(self.vectors, texts.test)).to_json(),
            "static": None if after is None else _strongest(found, "static"),
            "adaptive": _strongest(found, "original" if after is None else "adaptive"),
            "attacks": [
                {"attacker": each.attacker, "setting": each.setting, "accuracy": each.figures[HEADLINE].value}
                for each in found.attacks
            ],
        }

    def about(self) -> Row:
        """Return what the rows are of, and the rivals' figures."""
        sizes = {"train": len(self.original.train), "test": len(self.original.test)}
        names = ("method", "unchanged", "cosine", "attack", "in_clear")
        rivals = [dict(zip(names, rival, strict=True)) for rival in RIVALS]
        return {"documents": sizes, "chance": self.chance, "seed": SEED, "rivals": rivals}


def panel() -> list[Attacker]:
    """Return the attackers of the protocol, untrained."""
    return [WordNGramSVM(), CharacterNGramSVM(), WordBayes(), ClearChannelSVM()]


def read_reviews(data: Path) -> Reviews:
    """Return the reviews of the data folder."""
    corpus = imdb62.load(data)
    order = insecure(SEED).words(len(corpus.texts)).argsort().tolist()
    chosen: list[int] = []
    for author in sorted(set(corpus.authors), key=int)[:AUTHORS]:
        own = [row for row in order if corpus.authors[row] == author]
        for part, most in ((True, TRAIN), (False, TEST)):
            chosen += [row for row in own if corpus.train[row] is part][:most]
    return Reviews(
        [_cut(corpus.texts[row]) for row in chosen],
        [corpus.authors[row] for row in chosen],
        [corpus.labels[row] for row in chosen],
        [corpus.train[row] for row in chosen],
    )


def _cut(text: str) -> str:
    """Return the first tokens in lower case, without the last sentence unless it is the only one."""
    tokens = text.lower().split()[:TOKENS]
    ends = [place for place, token in enumerate(tokens[:-1]) if token in _ENDS]
    return " ".join(tokens[: ends[-1] + 1] if ends else tokens)


def _strongest(found: PanelResult, setting: Setting) -> Row:
    best = found.strongest(setting)
    return {"by": best.attacker, **best.figures[HEADLINE].to_json()}
