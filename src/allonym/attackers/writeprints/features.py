"""WritePrints (Limited): the stylometric features of Abbasi and Chen (2008), as JStylo limits them.

Five groups: lexical, syntactic, structural, content and idiosyncratic. docs/writeprints.md lists every feature and
where this differs from the two. JStylo keeps the 50 most frequent of each kind of n-gram; so does this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.features import Features
from allonym.attackers.writeprints._batch import Batch
from allonym.attackers.writeprints._columns import (
    Block,
    LetterGrams,
    WordGrams,
    WordLengths,
    WordMeasures,
    WordSets,
    WordTraits,
    characters,
    frequent_letter_grams,
    frequent_word_grams,
    punctuation,
    single_words,
)
from allonym.attackers.writeprints._layout import Habits, LayoutStructure
from allonym.attackers.writeprints._tags import TagGrams, frequent_tag_grams
from allonym.errors import InputError, ParameterError
from allonym.language import parts_of_speech as speech
from allonym.language.function_words import (
    AMERICAN_SPELLINGS,
    BRITISH_SPELLINGS,
    FUNCTION_WORDS,
    MISSING_APOSTROPHES,
    MISSPELLINGS,
)

GROUPS: Final = ("lexical", "syntactic", "structural", "content", "idiosyncratic")
MOST: Final = 50  # of each kind of n-gram

_CHOSEN: Final = (
    "letter_bigrams",
    "letter_trigrams",
    "words",
    "word_bigrams",
    "word_trigrams",
    "tag_bigrams",
    "tag_trigrams",
)
_SIZES: Final = ((2, "bigrams"), (3, "trigrams"))
_CHARACTERS_AT_ONCE: Final = 2**22


class WritePrints(Features):
    """Counts of letters, words, function words, parts of speech, layout, frequent words and peculiar spellings.

    Values are raw: shares, rates, means and sizes, none negative. What learns from them should bring the columns to
    one scale first.

    Args:
        parts_of_speech: Whether to count parts of speech; needs the extra `style`.
        cache: Folder that remembers parts of speech between runs (tags, no text); None remembers nothing.

    Raises:
        MissingDependencyError: If parts of speech are asked for and what finds them is not installed.
    """

    def __init__(self, *, parts_of_speech: bool = True, cache: Path | None = None) -> None:
        self.parts_of_speech = parts_of_speech
        self.cache = cache
        self._chosen: dict[str, list[str]] | None = None
        if parts_of_speech:
            speech.require()

    def fit(self, texts: Sequence[str]) -> Self:
        """Choose the most frequent n-grams of the training texts.

        Equally frequent ones come in the order of the alphabet, so that the order of the texts does not matter.
        """
        batch = Batch(texts)
        pairs, triples = frequent_letter_grams(batch, MOST)
        # Function words have columns of their own; of single words those that carry content are wanted.
        words = frequent_word_grams(batch, 1, MOST, without=frozenset(FUNCTION_WORDS))
        chosen = {"letter_bigrams": pairs, "letter_trigrams": triples, "words": words}
        chosen |= {f"word_{name}": frequent_word_grams(batch, size, MOST) for size, name in _SIZES}
        tagged = speech.tags(texts, self.cache) if self.parts_of_speech else []
        chosen |= {f"tag_{name}": frequent_tag_grams(tagged, size, MOST) for size, name in _SIZES}
        return self._with(chosen)

    def transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return documents × columns; the row of a text depends on nothing but that text."""
        blocks = self._fitted()
        rows = [self._rows(blocks, part) for part in in_parts(texts)]
        if not rows:
            return sparse.csr_array((0, len(self.names())), dtype=np.float64)
        return _with_short_indices(sparse.csr_array(sparse.vstack(rows, format="csr")))

    def names(self) -> list[str]:
        """Return what each column counts, behind its group."""
        return [f"{block.group}: {name}" for block in self._fitted() for name in block.names]

    def groups(self) -> list[str]:
        """Return the group of each column."""
        return [block.group for block in self._fitted() for _ in block.names]

    def occurrences(self, column: int, text: str) -> list[tuple[int, int]]:
        """Return the character spans of a text that a column counts; none where it measures the whole."""
        within = column
        for block in self._fitted():
            if 0 <= within < len(block.names):
                return block.spans(within, Batch([text]))
            within -= len(block.names)
        raise ParameterError(f"column must be at least 0 and less than {len(self.names())}, got {column}")

    def state(self) -> dict[str, Any]:
        """Return what was chosen, ready for JSON; not the folder of the cache."""
        self._fitted()
        return {"parts_of_speech": self.parts_of_speech, "chosen": self._chosen}

    def restore(self, state: dict[str, Any]) -> Self:
        """Take what was chosen from `state` of features with the same settings."""
        if bool(state["parts_of_speech"]) != self.parts_of_speech:
            raise ParameterError("parts_of_speech must be what it was when the state was saved.")
        return self._with({name: [str(gram) for gram in state["chosen"][name]] for name in _CHOSEN})

    def _with(self, chosen: dict[str, list[str]]) -> Self:
        self._chosen = chosen
        self._blocks = list(self._made(chosen))
        return self

    def _made(self, chosen: dict[str, list[str]]) -> Iterator[Block]:
        yield characters()
        yield LetterGrams(chosen["letter_bigrams"], chosen["letter_trigrams"])
        yield WordMeasures()
        yield WordLengths()
        yield single_words("syntactic", "function word", FUNCTION_WORDS)
        yield punctuation()
        if self.parts_of_speech:
            yield TagGrams(1, speech.TAGS)
            yield from (TagGrams(size, chosen[f"tag_{name}"]) for size, name in _SIZES)
        yield LayoutStructure()
        yield single_words("content", "word", chosen["words"])
        yield from (WordGrams(size, chosen[f"word_{name}"]) for size, name in _SIZES)
        yield single_words("idiosyncratic", "misspelling", MISSPELLINGS)
        yield single_words("idiosyncratic", "missing apostrophe", MISSING_APOSTROPHES)
        spellings = {"American spellings": AMERICAN_SPELLINGS, "British spellings": BRITISH_SPELLINGS}
        yield WordSets("idiosyncratic", {"misspellings in all": MISSPELLINGS, **spellings})
        yield WordTraits()
        yield Habits()

    def _fitted(self) -> list[Block]:
        if self._chosen is None:
            raise InputError("WritePrints has chosen no features yet; call fit(texts) first.")
        return self._blocks

    def _rows(self, blocks: list[Block], texts: Sequence[str]) -> sparse.csr_array:
        batch = Batch(texts)
        if self.parts_of_speech:
            batch.tags = speech.tags(texts, self.cache)
        return _side_by_side([block.values(batch) for block in blocks])


def in_parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut texts into parts of some million characters, so that memory does not grow with their number."""
    begin, held = 0, 0
    for end, text in enumerate(texts):
        if end > begin and held + len(text) > _CHARACTERS_AT_ONCE:
            yield texts[begin:end]
            begin, held = end, 0
        held += len(text)
    if begin < len(texts):
        yield texts[begin:]


def _side_by_side(blocks: Sequence[NDArray[np.float64] | sparse.csr_array]) -> sparse.csr_array:
    return sparse.csr_array(sparse.hstack([sparse.csr_array(block) for block in blocks], format="csr"))


def _with_short_indices(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the matrix with indices of 32 bits where they are enough: scikit-learn's linear models take no others."""
    kind = np.int32 if matrix.nnz <= np.iinfo(np.int32).max else np.int64
    indices, starts = matrix.indices.astype(kind, copy=False), matrix.indptr.astype(kind, copy=False)
    return sparse.csr_array((matrix.data, indices, starts), shape=matrix.shape)
