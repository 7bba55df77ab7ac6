"""What is counted in a text to compare it with many writers: rates of small words and signs, spellings, shape.

Everything is a rate for each 1,000 words, or a length. Square roots of rates are compared, because counts scatter with
the square root of their size.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from allonym.language.function_words import (
    AMERICAN_SPELLINGS,
    BRITISH_SPELLINGS,
    FUNCTION_WORDS,
    MISSING_APOSTROPHES,
    MISSPELLINGS,
    OLD_WORDS,
)
from allonym.vectors import embeddings

Kind = Literal["spelling", "function", "punctuation", "wording", "shape"]
Spans = list[tuple[int, int]]

# Signs that people use at very different rates; each is counted as typed.
SIGNS: tuple[tuple[str, str], ...] = (
    (",", "comma"),
    (".", "full stop"),
    (";", "semicolon"),
    (":", "colon"),
    ("!", "exclamation mark"),
    ("?", "question mark"),
    ("(", "bracket"),
    ('"“”', "double quotation mark"),
    ("-", "hyphen"),
    ("–—", "dash"),
    ("/", "slash"),
    ("&", "ampersand"),
    ("*", "asterisk"),
    ("%", "per cent sign"),
    ("$£€", "currency sign"),
)
PATTERNS: tuple[tuple[str, Kind, str], ...] = (
    ("row of dots", "punctuation", r"\.{2,}|…"),
    ("repeated ! or ?", "punctuation", r"[!?]{2,}"),
    ("smiley", "punctuation", r"[:;=]-?[)(DPp]"),
    ("contraction (don’t, it’s)", "spelling", r"\b\w+['’](?:t|s|re|ve|ll|d|m)\b"),
    ("word in capitals", "spelling", r"\b[A-Z]{2,}\b"),
    ("lower-case i for I", "spelling", r"(?<![\w'’.])i(?![\w'’.])"),
    ("letter repeated (sooo)", "spelling", r"\b\w*([a-zA-Z])\1\1+\w*\b"),
    ("sentence that begins in lower case", "spelling", r"(?<=[.!?]\s)[a-z]\w*"),
    ("two spaces after a sentence", "punctuation", r"(?<=[.!?])  (?=\S)"),
    ("number in digits", "wording", r"\b\d[\d.,]*\b"),
    ("apostrophe before or after a word (’tis)", "punctuation", r"(?<!\w)['’](?=\w)|(?<=\w)['’](?!\w)"),
)
LISTS: tuple[tuple[str, Kind, tuple[str, ...]], ...] = (
    ("American spelling", "spelling", AMERICAN_SPELLINGS),
    ("British spelling", "spelling", BRITISH_SPELLINGS),
    ("usual misspelling", "spelling", MISSPELLINGS),
    ("missing apostrophe (dont)", "spelling", MISSING_APOSTROPHES),
    ("old word (thou, ’tis)", "wording", OLD_WORDS),
)
UNCOMMON = "word outside the 30,000 commonest"
ONCE = "words used only once"
# What is missing everywhere is rare nowhere: only together do no small words, or no signs, stand out.
SHARES: tuple[tuple[str, Kind, Literal["words", "letters"]], ...] = (
    ("small words together", "function", "words"),
    ("signs together", "punctuation", "words"),
    ("capital letters", "spelling", "letters"),
    ("letters outside a–z", "spelling", "letters"),
)
SHAPES = ("letters in a word", "words in a sentence", "spread of sentence lengths", "words in a paragraph")
SPREAD = SHAPES[2]  # the one shape that is no logarithm

WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
# A row of signs is tried once, from its beginning: time stays linear on a million of them.
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++(?=\s|$)|\n{2,}")
_SIGN = re.compile(r"[^\w\s]")
_FOREIGN_LETTER = re.compile(r"[^\W\d_a-zA-Z]")
_PER = 1_000.0


@dataclass(frozen=True)
class Feature:
    """One thing that is measured.

    Attributes:
        name: What it is, in words.
        kind: How it is marked in a text.
        counted: Whether it is a number of places; otherwise it measures the whole.
        among: What it is a rate among, if it is one.
    """

    name: str
    kind: Kind
    counted: bool = True
    among: Literal["words", "letters"] = "words"


def features(function_words: Sequence[str]) -> list[Feature]:
    """Return everything measured, in the order of the columns."""
    return [
        *(Feature(f"“{word}”", "function") for word in function_words),
        *(Feature(name, "punctuation") for _, name in SIGNS),
        *(Feature(name, kind) for name, kind, _ in PATTERNS),
        *(Feature(name, kind) for name, kind, _ in LISTS),
        Feature(UNCOMMON, "wording"),
        Feature(ONCE, "wording", counted=False),
        *(Feature(name, kind, counted=False, among=among) for name, kind, among in SHARES),
        *(Feature(name, "shape", counted=False) for name in SHAPES),
    ]


def count_plain_words(text: str) -> int:
    """Return how many words of letters a text has: what rates are for each 1,000 of. Numbers and marks are none."""
    return sum(1 for _ in WORD.finditer(text))


def measure(text: str, function_words: Sequence[str]) -> NDArray[np.float64]:
    """Return the value of every feature: square roots of rates in 1,000 words or letters, logarithms of lengths."""
    tokens = [match.group().lower().replace("’", "'") for match in WORD.finditer(text)]
    counts = Counter(tokens)
    common = _common()
    raw = [
        *(counts[word] for word in function_words),
        *(sum(text.count(sign) for sign in signs) for signs, _ in SIGNS),
        *(sum(1 for _ in _compiled(pattern).finditer(text)) for *_, pattern in PATTERNS),
        *(sum(count for word, count in counts.items() if word in listed) for listed in _lists()),
        sum(count for word, count in counts.items() if not _is_common(word, common)),
        sum(1 for count in counts.values() if count == 1),
        sum(count for word, count in counts.items() if word in _small_words()),
        len(_SIGN.findall(text)),
    ]
    of_words = np.array(raw, dtype=np.float64) / max(1, len(tokens))
    letters = [sum(map(str.isupper, text)), len(_FOREIGN_LETTER.findall(text))]
    of_letters = np.array(letters, dtype=np.float64) / max(1, sum(map(str.isalpha, text)))
    return np.concatenate([np.sqrt(np.concatenate([of_words, of_letters]) * _PER), _shape(text, tokens)])


def places(text: str, column: int, function_words: Sequence[str]) -> Spans:
    """Return where a feature stands in a text; nowhere if it measures the whole."""
    return _finders(tuple(function_words))[column](text)


@cache
def _finders(function_words: tuple[str, ...]) -> list[Callable[[str], Spans]]:
    """Return what finds each feature, in the order of the columns."""
    uncommon: Callable[[str], Spans] = lambda text: _words_where(text, lambda word: not _is_common(word, _common()))  # noqa: E731
    return [
        *(_word_finder(frozenset((word,))) for word in function_words),
        *(_pattern_finder(f"[{re.escape(signs)}]") for signs, _ in SIGNS),
        *(_pattern_finder(pattern) for *_, pattern in PATTERNS),
        *(_word_finder(listed) for listed in _lists()),
        uncommon,
        *(_nowhere for _ in (ONCE, *SHARES, *SHAPES)),
    ]


def _word_finder(wanted: frozenset[str]) -> Callable[[str], Spans]:
    return lambda text: _words_where(text, lambda word: word in wanted)


def _pattern_finder(pattern: str) -> Callable[[str], Spans]:
    return lambda text: [match.span() for match in _compiled(pattern).finditer(text)]


def _nowhere(_: str) -> Spans:
    return []


def _words_where(text: str, is_wanted: Callable[[str], bool]) -> Spans:
    return [match.span() for match in WORD.finditer(text) if is_wanted(match.group().lower().replace("’", "'"))]


def _shape(text: str, tokens: Sequence[str]) -> NDArray[np.float64]:
    """Return logarithms of lengths, and how unequal sentences are."""
    lengths = [size for size in (count_plain_words(piece) for piece in _SENTENCE_END.split(text)) if size] or [1]
    paragraphs = [size for size in (count_plain_words(piece) for piece in text.split("\n")) if size] or [1]
    letters = sum(map(len, tokens)) / max(1, len(tokens))
    logs = np.log(lengths)
    return np.array([math.log(max(1.0, letters)), logs.mean(), logs.std(), math.log(sum(paragraphs) / len(paragraphs))])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _lists() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(listed) for *_, listed in LISTS)


@cache
def _small_words() -> frozenset[str]:
    return frozenset(FUNCTION_WORDS)


@cache
def _common() -> frozenset[str]:
    return frozenset(embeddings.load().words)


def _is_common(word: str, common: frozenset[str]) -> bool:
    """Tell whether a word, its parts or the word before an ending is among the commonest."""
    if word in common:
        return True
    return all(part in common or len(part) < 3 for part in re.split(r"['\-]", word))
