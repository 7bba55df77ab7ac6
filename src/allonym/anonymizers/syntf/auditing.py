"""How SynTF is audited: its vocabulary, and a version of twelve words with a small loss."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from allonym.anonymizers.auditing import MOST_WORDS, PLAIN, Auditing, Small, made_up, varied
from allonym.vectors.embeddings import WordTable

if TYPE_CHECKING:
    from allonym.anonymizers.syntf.recipe import SynTF

_LITTLE = 0.5  # of ε


class SynTFAuditing(Auditing):
    """What an audit asks of SynTF."""

    method: SynTF

    @cached_property
    def words(self) -> Sequence[str]:
        """The vocabulary."""
        return self.method.vocabulary_

    def knows(self, word: str) -> bool:
        """Tell whether a document of this word alone is read as one known term."""
        return bool(self.method.compositions([word]).nnz == 1)

    def at_small_loss(self) -> SynTF:
        """Return SynTF with the same terms, any of which is likely to come for any other."""
        little: SynTF = copy.copy(self.method).set_params(epsilon=_LITTLE, loss_per_word=None)
        return little

    def small(self) -> Small:
        """Return SynTF with made-up word vectors."""
        table = WordTable(PLAIN, made_up((len(PLAIN), 4)))
        words = min(int(self.method.words), MOST_WORDS)
        made = {"vocabulary": list(PLAIN), "embeddings": table, "synonyms": False, "rating": "similarity"}
        small = varied(self.method, **made, composition="tf", epsilon=2.0, loss_per_word=None, words=words)
        laws = np.stack([small.mechanism_.law(row) for row in range(len(PLAIN))])
        return Small(anonymizer=small, words=PLAIN, laws=laws, short=small, shortest=small)
