"""Neutral style for ER-AE: the clauses that say most about a text, in plain words.

Who wrote a text shows in how much of it there is, in its marks, adverbs, contractions and tenses more than in what it
says. So a text is cut into clauses, its words become plainer ones or are dropped, and only the clauses are kept that
together come nearest to the whole text, by word vectors weighted with how much a word says. The first clause has a
head start: it mostly says what a text is about.

All of this happens before a mechanism draws anything, by public tables: it is a function of the text, which is all that
the mechanisms' proofs ask. Privacy: spends nothing, and promises nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.errors import ModelError
from allonym.language import ENGLISH
from allonym.language.sequences import Vocabulary
from allonym.vectors import embeddings

DEFAULT = ENGLISH.model("neutral")
FORMAT, VERSION = "neutral", 1

_LEAST = 5  # words of a clause, unless the sentence is shorter
_HEAD_START = 0.1  # of the first clause, as cosine
_CONJUNCTIONS = frozenset({"and", "but", "so", "or", "then", "because"})  # not at the start of a sentence
_NONE = 0
# What a plainer verb becomes after a pronoun.
_AGREEING: Final = {("i", "is"): "am"} | {
    (pronoun, verb): agreeing
    for pronoun in ("i", "you", "we", "they")
    for verb, agreeing in (("has", "have"), ("does", "do"))
}

_STEPS = np.float32(1024)  # of a word vector's grid

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


class NeutralStyle:
    """Cuts, simplifies and selects; see `open`.

    Args:
        vocabulary: The tokens that are known; others are dropped.
        weight: How much each says about a text.
        instead: The number of the token written in its place, 0 for none.
        begins: Whether a clause begins with it.
        vectors: A vector for each, zeros where there is none.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        weight: NDArray[np.floating],
        instead: NDArray[np.integer],
        begins: NDArray[np.integer],
        vectors: Floats,
    ) -> None:
        self._vocabulary = vocabulary
        # Whole numbers, so that sums and products are exact: which clauses are drawn must not depend on the processor.
        self._vectors: Integers = np.rint(vectors * weight.astype(np.float32)[:, None] * _STEPS).astype(np.int64)
        self._instead: list[int] = instead.tolist()
        self._begins: list[bool] = begins.astype(np.bool_).tolist()

    @classmethod
    def open(cls, model: str = DEFAULT) -> NeutralStyle:
        """Open a model folder, or a shipped one by its name, after checking every file of it.

        Raises:
            ModelError: The folder is missing, damaged, or no model of this kind.
        """
        opened = models.verify_format(model, FORMAT, VERSION)
        vocabulary = Vocabulary.load(opened.folder / models.VOCABULARY)
        tensors = models.open_tensors(opened)
        names = ("weight", "instead", "begins")
        if any(name not in tensors or tensors[name].shape != (len(vocabulary),) for name in names):
            raise ModelError(f"{opened.folder} does not fit its vocabulary: make or fetch the folder again.")
        table = embeddings.load()
        rows = table.rows(list(vocabulary.tokens))
        vectors = np.where((rows >= 0)[:, None], table.vectors[np.maximum(rows, 0)], np.float32(0)).astype(np.float32)
        weight, instead, begins = (tensors[name] for name in names)
        return cls(vocabulary, weight, instead, begins, vectors)  # type: ignore[arg-type]

    def core(self, sentences: Sequence[Sequence[str]], *, clauses: int, words: int) -> list[list[str]]:
        """Return the tokens of at most `clauses` clauses, cut to `words` words at most, in the order of the text."""
        numbered = (self._vocabulary.ids(sentence) for sentence in sentences)
        plain = [self._plain(clause) for sentence in numbered for clause in self._clauses(sentence)]
        clauses_left = [clause[:words] for clause in plain if clause]
        return [self._agreeing(clauses_left[index]) for index in self._nearest(clauses_left, clauses)]

    def _clauses(self, sentence: Sequence[int]) -> Iterator[list[int]]:
        """Cut a sentence where a clause begins, unless too few words, but for those dropped, stand before or after."""
        written = [self._instead[number] != _NONE for number in sentence]
        after = sum(written)
        clause: list[int] = []
        words = 0
        for number, counts in zip(sentence, written, strict=True):
            if self._begins[number] and min(words, after) >= _LEAST:
                yield clause
                clause, words = [], 0
            clause.append(number)
            words, after = words + counts, after - counts
        if clause:
            yield clause

    def _plain(self, clause: Sequence[int]) -> list[int]:
        """Write plainer words, each once where it is repeated at once, and none that joins clauses at the start."""
        plain: list[int] = []
        for number in clause:
            written = self._instead[number]
            joins = not plain and self._vocabulary.tokens[written] in _CONJUNCTIONS
            if written != _NONE and not joins and plain[-1:] != [written]:
                plain.append(written)
        return plain

    def _agreeing(self, clause: Sequence[int]) -> list[str]:
        tokens = [self._vocabulary.tokens[number] for number in clause]
        pairs = zip(["", *tokens], tokens, strict=False)
        return [_AGREEING.get(pair, pair[1]) for pair in pairs]

    def _nearest(self, clauses: Sequence[Sequence[int]], count: int) -> list[int]:
        """Return the places of the clauses that are nearest to all of them together, chosen one after another."""
        if len(clauses) <= count:
            return list(range(len(clauses)))
        each = np.stack([self._vectors[list(clause)].sum(axis=0) for clause in clauses])  # (clauses, D)
        whole = each.sum(axis=0)
        chosen: list[int] = []
        together = np.zeros_like(whole)
        for _ in range(count):
            sums = together + each
            likeness = sums @ whole / np.sqrt(np.maximum(1, (sums * sums).sum(axis=1) * float(whole @ whole)))
            likeness[0] += _HEAD_START
            likeness[chosen] = -np.inf
            best = int(likeness.argmax())
            chosen.append(best)
            together = together + each[best]
        return sorted(chosen)
