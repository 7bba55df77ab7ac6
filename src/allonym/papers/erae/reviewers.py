"""ER-AE on the protocol by which rival tools were measured: ten reviewers, who wrote what?

The protocol, its attackers and the rivals' figures are those of `reviews`. Released texts are read in the protocol's
form (lower case, blanks around marks): the layout of ours is a function of the drawn words alone, and would only disarm
attackers who learned from originals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import metrics
from allonym.attackers.base import Attacker
from allonym.attackers.features import TOKEN
from allonym.attackers.panel import PanelResult, Texts, attack, train
from allonym.metrics import scoring
from allonym.papers.erae.methods import erae
from allonym.papers.erae.runs import Method, Row, figure, similarity
from allonym.papers.laplace.reviews import RIVALS, SEED, panel, read_reviews, strongest, test_part, train_part


@dataclass(frozen=True)
class Protocol:
    """The reviews, and what is learned or computed from the originals once."""

    texts: list[str]
    known: list[bool]
    authors: tuple[list[str], list[str]]
    original: Texts
    trained: list[Attacker]
    vectors: NDArray[np.float32]

    def released(self, method: Method) -> Row:
        """Return the row of a method."""
        texts = [in_protocol(text) for text in method.release(self.texts, SEED)]
        after = Texts(train_part(texts, self.known), test_part(texts, self.known))
        found = attack(panel(), *self.authors, original=self.original, released=after, trained=self.trained)
        return self._row(method.name, method, found, after.test)

    def originals(self) -> Row:
        """Return the row of the originals."""
        found = attack(panel(), *self.authors, original=self.original, trained=self.trained)
        return self._row("original", None, found, self.original.test)

    def _row(self, name: str, method: Method | None, found: PanelResult, after: Sequence[str]) -> Row:
        return {
            "method": name,
            "loss_per_word": None if method is None else method.loss_per_word,
            "in_clear": [] if method is None else list(method.in_clear),
            "unchanged": scoring.bootstrap(metrics.unchanged(self.original.test, after)).value,
            "cosine": figure(similarity(self.vectors, after)),
            "static": None if method is None else strongest(found, "static"),
            "adaptive": strongest(found, "original" if method is None else "adaptive"),
            "attacks": [
                {"attacker": each.attacker, "setting": each.setting, "accuracy": each.figures["accuracy"].value}
                for each in found.attacks
            ],
        }


@cache
def protocol(data: Path) -> Protocol:
    """Return the protocol on the reviews of the data folder."""
    texts, authors, _, known = read_reviews(data)
    original = Texts(train_part(texts, known), test_part(texts, known))
    names = train_part(authors, known), test_part(authors, known)
    trained = train(panel(), original.train, names[0])
    return Protocol(texts, known, names, original, trained, metrics.embed(original.test))


def row(data: Path, name: str, parameters: dict[str, Any] | None) -> Row:
    """Return the row of ER-AE with these parameters, or of the originals without any."""
    found = protocol(data)
    return found.originals() if parameters is None else found.released(erae(name, parameters))


def results(data: Path, rows: Sequence[Row]) -> Row:
    """Return all rows, with the rivals' figures."""
    _, authors, _, known = read_reviews(data)
    tested = test_part(authors, known)
    rivals = [
        dict(zip(("method", "unchanged", "cosine", "attack", "in_clear"), rival, strict=True)) for rival in RIVALS
    ]
    sizes = {"train": sum(known), "test": len(tested)}
    return {"seed": SEED, "documents": sizes, "chance": scoring.chance(tested), "rows": list(rows), "rivals": rivals}


def in_protocol(text: str) -> str:
    """Return a text in lower case, with a blank around every mark."""
    return " ".join(TOKEN.findall(text.lower()))
