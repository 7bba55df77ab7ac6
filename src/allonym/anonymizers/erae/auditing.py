"""How ER-AE is audited: over made-up networks of a few words, and with candidate sets as a table where they are public.

ER-AE draws lengths, capitals and punctuation like any word: at a large loss they follow the text honestly. What still
follows it at a small loss came around the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.auditing import PLAIN, Auditing, Small, made_up, varied
from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.mechanisms import Subset
from allonym.mechanisms.base import Audited, Int64, Table
from allonym.networks.erae.groups import WordGroups
from allonym.networks.erae.inference import EraeReader, EraeShape

if TYPE_CHECKING:
    from allonym.anonymizers.erae.recipe import ERAE

_WORDS = 8
_ROOMY = 200  # words of a network that is small, but has room for all that is drawn
_FEW_STEPS = 6  # where texts are audited: all steps are alike, and each takes a network's time
_LITTLE = 0.1  # of two-set's ε
_LITTLE_A_WORD = 7.0  # of subset's loss
_SETS_AT_ONCE = 100  # rows of weights


class ERAEAuditing(Auditing):
    """What an audit asks of ER-AE."""

    method: ERAE
    slow = True

    @cached_property
    def words(self) -> Sequence[str]:
        """The words of the network that are plain words."""
        return [form for form in self.method.network_.vocabulary.forms if form.isalpha() and form.islower()]

    def laws(self) -> Sequence[Audited | None]:
        """Return how the mechanism is checked, and how it is over public groups of words."""
        groups, mechanism = self.method._groups, self.method.mechanism_
        return [*super().laws(), *([of_groups(mechanism, groups)] if groups and isinstance(mechanism, Subset) else [])]

    def small(self) -> Small:
        """Return ER-AE with a made-up network of eight words; its outputs have their own length, unless short."""
        return Small(
            anonymizer=tiny(self.method, _WORDS),
            words=PLAIN[:_WORDS],
            laws=None,
            short=tiny(self.method, _WORDS, sentences=3, steps=4),
            shortest=tiny(self.method, _WORDS, sentences=1, steps=2),
            roomy=tiny(self.method, _ROOMY) if self.method.style == "kept" else None,
        )

    def quick(self) -> ERAE:
        """Return ER-AE with fewer steps and a smaller loss."""
        method = self.method
        steps = min(_FEW_STEPS, method.words)
        if method.mechanism == "two-set":
            little = min(_LITTLE, method.epsilon)
            return varied(method, sentences=1, words=steps, loss_per_word=None, epsilon=little)
        return varied(method, sentences=1, words=steps, loss_per_word=min(_LITTLE_A_WORD, method.mechanism_.loss()))


def of_groups(mechanism: Subset, groups: WordGroups) -> Table:
    """Return the law over public groups of words: the word at a place is the input, so it is a table.

    Words with the same candidates are one input: nothing tells them apart, whatever is drawn.
    """
    sets = candidate_sets(mechanism, groups)

    def tiles(rows: Int64) -> Iterator[tuple[int, Int64]]:
        for start in range(0, len(rows), _SETS_AT_ONCE):
            yield start, mechanism.weights(mechanism.ratings(sets[rows[start : start + _SETS_AT_ONCE]]))

    def given(row: int) -> NDArray[np.float32]:
        return mechanism.ratings(sets[row])

    of = f"subset over public groups, all candidate sets of {mechanism.outputs:,} words"
    return Table(mechanism=mechanism, inputs=len(sets), outputs=mechanism.outputs, tiles=tiles, given=given, of=of)


def candidate_sets(mechanism: Subset, groups: WordGroups) -> Int64:
    """Return the candidate sets that ER-AE may hand to the mechanism, one a row: those of every word there is."""
    of_each = [groups.candidates([word], 1)[0] for word in range(mechanism.outputs)]
    sets: Int64 = np.unique(np.sort(np.array(of_each), axis=1), axis=0)
    return sets


def tiny(method: ERAE, words: int, *, sentences: int | None = None, steps: int | None = None) -> ERAE:
    """Return ER-AE with a made-up network of so many words, besides the special tokens, and a small loss.

    Outputs have so many sentences and steps of each; by default the method's own.
    """
    more = (f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(words - len(PLAIN)))
    vocabulary = Vocabulary((*SPECIAL, *PLAIN[:words], *more))
    shape = EraeShape(words=len(vocabulary), variant="attention", embedding=8, encoder=4, latent=4, generator=8)
    tensors = enumerate(shape.tensors().items(), 1)
    weights = {name: made_up(sizes, start=index << 32) for index, (name, sizes) in tensors}
    small = varied(method, style="kept", sentences=sentences or method.sentences, words=steps or method.words)
    if method.mechanism == "two-set":
        small.set_params(epsilon=1.0, loss_per_word=None)
    else:
        small.set_params(loss_per_word=1.0, candidates=min(int(method.candidates), 3))
    small.__dict__["network_"] = EraeReader(shape, weights, vocabulary)
    return small
