"""The shape of a text in numbers: how long its parts are, its marks, its case, how often it repeats itself. No word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.attackers.features import TOKEN

Floats: TypeAlias = NDArray[np.float64]

MARKS = ".,!?;:-–—…'\"’“”()[]&/*%$#@+="
_REMEMBERED = 2**16  # texts
_LONGEST_LENGTH = 12  # letters of a word that are told apart
_SENTENCE_END = re.compile(r"[.!?…]+")
_PARAGRAPH = re.compile(r"\n\s*\n")
_LINE = re.compile(r"\n")


def structure(texts: Sequence[str]) -> Floats:
    """Return texts × numbers: counts and shares of what a text is made of."""
    return np.array([_numbers(text) for text in texts])


@lru_cache(maxsize=_REMEMBERED)  # attackers who learn in several ways read the same texts
def _numbers(text: str) -> list[float]:
    tokens = TOKEN.findall(text)
    words = [token for token in tokens if token[0].isalnum()]
    sentences = [len(TOKEN.findall(piece)) for piece in _SENTENCE_END.split(text) if piece.strip()]
    paragraphs = [len(TOKEN.findall(piece)) for piece in _PARAGRAPH.split(text) if piece.strip()]
    marks = [tokens.count(mark) for mark in MARKS]
    count = max(1, len(tokens))
    return [
        len(text),
        len(tokens),
        len(words),
        len(_LINE.findall(text)),
        *_spread(sentences),
        *_spread(paragraphs),
        *_spread([len(word) for word in words]),
        *_lengths(words),
        *_variety(words),
        *_case(words),
        *marks,
        *(mark / count for mark in marks),
        (len(tokens) - len(words)) / count,
    ]


def _spread(lengths: Sequence[int]) -> list[float]:
    """How many, how long in the mean and how unlike, the longest and the shortest, the first and the last."""
    if not lengths:
        return [0.0] * 7
    values = np.array(lengths)
    return [
        len(values),
        float(values.mean()),
        float(values.std()),
        float(values.max()),
        float(values.min()),
        float(values[0]),
        float(values[-1]),
    ]


def _lengths(words: Sequence[str]) -> list[float]:
    """Share of words of each length."""
    counts = np.bincount([min(len(word), _LONGEST_LENGTH) for word in words], minlength=_LONGEST_LENGTH + 1)[1:]
    shares: list[float] = (counts / max(1, len(words))).tolist()
    return shares


def _variety(words: Sequence[str]) -> list[float]:
    """Share of different words, of those that stand once, and how much the commonest one takes."""
    counts = Counter(word.lower() for word in words)
    total = max(1, len(words))
    once = sum(1 for number in counts.values() if number == 1)
    return [len(counts) / total, once / total, max(counts.values(), default=0) / total]


def _case(words: Sequence[str]) -> list[float]:
    """Share of words in capitals, with a capital first, with a digit, and with a sign inside."""
    total = max(1, len(words))
    return [
        sum(word.isupper() for word in words) / total,
        sum(word[0].isupper() for word in words) / total,
        sum(any(sign.isdigit() for sign in word) for word in words) / total,
        sum(not word.isalnum() for word in words) / total,
    ]
