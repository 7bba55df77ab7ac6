"""The columns of WritePrints that count parts of speech, one, two or three in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.writeprints._batch import Batch
from allonym.attackers.writeprints._columns import Block, Spans, counted, looked_up
from allonym.language.parts_of_speech import TAGS, TagIds
from allonym.language.parts_of_speech import spans as tag_spans

_NAMES: Final = {1: "part of speech", 2: "part-of-speech bigram", 3: "part-of-speech trigram"}


class TagGrams(Block):
    """Shares of the chosen rows of parts of speech among all rows of that length."""

    group = "syntactic"

    def __init__(self, size: int, grams: Sequence[str]) -> None:
        self.names = [f"{_NAMES[size]} '{gram}'" for gram in grams]
        self._size = size
        numbers = np.array([_number(gram) for gram in grams], dtype=np.int64)
        self._columns = np.argsort(numbers)
        self._numbers = numbers[self._columns]

    def values(self, batch: Batch) -> sparse.csr_array:
        """Return the shares."""
        numbers, documents = _rows(batch.tags, self._size)
        sizes = np.array([len(ids) for ids in batch.tags], dtype=np.int64)
        columns = looked_up(numbers, self._numbers, self._columns)
        return counted(documents, columns, np.maximum(sizes - self._size + 1, 0), len(self.names))

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the rows, from the first token's begin to the last's end."""
        ids, places = tag_spans(batch.texts[0])
        numbers, _ = _rows([ids], self._size)
        firsts = np.flatnonzero(looked_up(numbers, self._numbers, self._columns) == column).tolist()
        return [(places[first][0], places[first + self._size - 1][1]) for first in firsts]


def frequent_tag_grams(tagged: Sequence[TagIds], size: int, most: int) -> list[str]:
    """Return the most frequent rows of parts of speech; of equally frequent ones the first in the order of `TAGS`."""
    counts = np.bincount(_rows(tagged, size)[0])
    order = np.argsort(-counts, kind="stable")[:most]
    return [_spelled(int(number), size) for number in order if counts[number]]


def _rows(tagged: Sequence[TagIds], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for each row of `size` tags within a text, and its text."""
    ids = np.concatenate([np.empty(0, np.uint8), *tagged]).astype(np.int64)
    documents = np.repeat(np.arange(len(tagged)), [len(tags) for tags in tagged])
    rows = max(len(ids) - size + 1, 0)
    numbers = np.zeros(rows, dtype=np.int64)
    for index in range(size):
        numbers = numbers * len(TAGS) + ids[index : index + rows]
    within = documents[:rows] == documents[len(documents) - rows :]
    return numbers[within], documents[:rows][within]


def _number(gram: str) -> int:
    number = 0
    for tag in gram.split():
        number = number * len(TAGS) + TAGS.index(tag)
    return number


def _spelled(number: int, size: int) -> str:
    return " ".join(TAGS[number // len(TAGS) ** power % len(TAGS)] for power in reversed(range(size)))
