"""Which words an editor prefers to write where it changes one: of like meaning, and at home between their neighbours.

Privacy: spends nothing, and promises nothing.
V: words, D: numbers of a word vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from allonym.language import entities
from allonym.language.pairs import PairsOf
from allonym.language.sequences import ENDINGS, NUMBER_CLASSES
from allonym.networks.a4nt._words import exponentials, log_sums
from allonym.networks.whole_numbers import Floats, Integers, WholeMatrix

_STOPS: Final = (".", "!", "?", "...", ",", ";", ":", "--")
_KINDS: Final = (ENDINGS, NUMBER_CLASSES, entities.LABELS, _STOPS)
_WORD: Final = -len(_KINDS) - 1  # unknown words, too


@dataclass(frozen=True)
class Substitutes:
    """What an editor that changes a word prefers to write in its place; how often it changes one stays as it is.

    The game teaches which words sound like the target, and a few that sound most like it are put everywhere. So the law
    of the changed word is multiplied by e^(strength × cosine) of the word vectors, which favours words that mean about
    the same, and by how well a word fits between its neighbours as they were. A token becomes one of its kind only.
    """

    vectors: WholeMatrix  # unit word vectors in whole numbers, V × D; zeros where a word has none
    kinds: Integers  # the kind of each token, V; see `kinds`
    strength: float  # how much nearness counts
    pairs: PairsOf  # which words stand beside which

    def prefer(self, rated: Floats, words: Integers, lefts: Integers, rights: Integers, *, fast: bool = False) -> None:
        """Change the ratings at some places, places × V, where these words stand between left and right ones."""
        rows = np.arange(len(words))
        originals = rated[rows, words]
        rated[rows, words] = -np.inf
        before = log_sums(*exponentials(rated, fast=fast))
        self.pairs.add_fits(rated, lefts, rights)
        self._bend(rated, words, fast=fast)
        after = log_sums(*exponentials(rated, fast=fast))
        possible = np.isfinite(after)
        rated += np.where(possible, before - np.where(possible, after, 0), 0).astype(np.float32)[:, None]
        rated[rows, words] = originals

    def _bend(self, rated: Floats, words: Integers, *, fast: bool) -> None:
        """Add strength × cosine, and leave words of the same kind only."""
        units, strength = self.vectors.scales[words], np.float32(self.strength)
        cosines = self.vectors.sums(self.vectors.whole[words].astype(np.int16), fast=fast)
        if fast:
            from allonym.networks.a4nt import _loops

            _loops.bend(rated, words, cosines, units, self.vectors.scales, strength, self.kinds)
            return
        bonus = cosines.astype(np.float32)
        bonus *= units[:, None]
        bonus *= self.vectors.scales
        bonus *= strength
        rated += bonus
        rated[self.kinds[words][:, None] != self.kinds[None, :]] = -np.inf


def kinds(tokens: Sequence[str]) -> Integers:
    """Return the kind of each token: words, endings like `n't`, numbers, names, stops; every other sign is its own.

    A quotation mark that became a colon, or a word that became `n't`, would only look broken.
    """
    of = {token: -kind for kind, members in enumerate(_KINDS, start=1) for token in members}
    numbers = [
        of.get(token, _WORD if any(sign.isalnum() for sign in token) else number) for number, token in enumerate(tokens)
    ]
    return np.array(numbers, dtype=np.int64)
