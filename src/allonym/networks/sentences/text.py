"""What the sentence encoder reads of a sentence: its words, pairs of neighbours, and letters of words it does not know.

Every *feature* has a number: words first, then hashed pairs of neighbouring words, then hashed runs of letters, which
stand for a word that is not in the vocabulary. Numbers depend on the sentence alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

NUMBER = "0"  # all numbers are one word
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[!?]")
_APOSTROPHES = re.compile("[\u2018\u2019\u02bc`\u00b4]")
_RUNS = range(3, 6)  # letters of a run, the marks at the ends of its word counted
_LONGEST_WORD = 32
_MOST_TOKENS = 256  # of a sentence; what follows is not read


def tokens(sentence: str) -> list[str]:
    """Return the words of a sentence in lower case, and its question and exclamation marks.

    >>> tokens("Didn't we pay 1,250 pounds?")
    ["didn't", 'we', 'pay', '0', '0', 'pounds', '?']
    """
    plain = sentence if sentence.isascii() else unicodedata.normalize("NFKC", sentence)
    pieces = _TOKEN.findall(_APOSTROPHES.sub("'", plain).lower())[:_MOST_TOKENS]
    return [NUMBER if token[0].isdecimal() else token[:_LONGEST_WORD] for token in pieces]


@dataclass(frozen=True)
class SentenceFeatures:
    """How sentences are read.

    Attributes:
        words: The vocabulary.
        pairs: Buckets that pairs of neighbours are hashed into.
        letters: Buckets that runs of letters are hashed into.
    """

    words: tuple[str, ...]
    pairs: int
    letters: int

    def __len__(self) -> int:
        return len(self.words) + self.pairs + self.letters

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def of(self, sentence: str) -> list[int]:
        """Return the numbers of a sentence's features; none if it has no word in Latin letters."""
        features: list[int] = []
        read: list[str] = []
        for token in tokens(sentence):
            known = self._numbers.get(token)
            if known is not None:
                features.append(known)
                read.append(token)
            elif latin := _latin(token):
                features += self._runs(latin)
                read.append(latin)
        if not any(token[0].isalnum() for token in read):  # marks alone say nothing
            return []
        start = len(self.words)
        features += [start + crc32(f"{one} {two}".encode()) % self.pairs for one, two in pairwise(read)]
        return features

    def _runs(self, word: str) -> Iterator[int]:
        """Yield the features of a word that is not in the vocabulary: its runs of letters."""
        start, marked = len(self.words) + self.pairs, f"<{word}>"
        for length in _RUNS:
            for place in range(len(marked) - length + 1):
                yield start + crc32(marked[place : place + length].encode()) % self.letters

    def of_all(self, sentences: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the features of sentences, one after another, and how many each has."""
        rows = [self.of(sentence) for sentence in sentences]
        counts = np.fromiter(map(len, rows), np.int64, len(rows))
        flat = np.fromiter((feature for row in rows for feature in row), np.int64, int(counts.sum()))
        return flat, counts


def _latin(token: str) -> str:
    """Return a word without accents; nothing of one in another script, which cannot be read."""
    return token if token.isascii() else unicodedata.normalize("NFKD", token).encode("ascii", "ignore").decode()
