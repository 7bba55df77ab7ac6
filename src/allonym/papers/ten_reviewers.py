"""Ten film reviewers who are known by 100 reviews each: who wrote what?

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
        """Return what the rows are of."""
        sizes = {"train": len(self.original.train), "test": len(self.original.test)}
        return {"documents": sizes, "chance": self.chance, "seed": SEED}


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
