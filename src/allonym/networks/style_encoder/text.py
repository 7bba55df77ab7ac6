"""What the style encoder reads of texts: numbered characters, tokens, and hashed n-grams of both.

All texts lie one after the other in one row of small numbers. Everything is computed on that row, in whole numbers, by
NumPy or by torch (`Arithmetic`), so that training and use read the same and no vocabulary is kept.

A *token* is a row of letters (an apostrophe between letters belongs to it), a row of digits, or another sign. The
*skeleton* of a token says how it is used and not what it is about: function words and signs stand for themselves, any
other word for its last two letters, its capitals and its length.
N characters, T tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.language.stop_words import STOP_WORDS

Integers: TypeAlias = NDArray[np.int64]
Values: TypeAlias = Any  # a row of int64, of NumPy or of torch

NOTHING, OTHER_LETTER, OTHER_SIGN = 0, 1, 2
# Characters with a number of their own. Other letters share one, other signs another.
KNOWN = (
    "\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
    "’‘“”…–—•·´£€°éèáàíóúñüöäçß©®™§"
)
FIRST_KNOWN = 3
GAP = 8  # places of NOTHING before, between and after texts; no n-gram is longer

_APOSTROPHES = ("'", "’", "‘")
_SPACE, _LETTER, _DIGIT, _SIGN = 0, 1, 2, 3
_SPREAD = -7046029254386353131  # odd, 2^64 / golden ratio: Knuth's multiplicative hashing, modulo 2^64
_JOIN = 1099511628211
_LONGEST_HASHED = 64  # letters of a word that count


@dataclass(frozen=True)
class Kind:
    """A kind of n-grams."""

    of: str  # "characters", "words" or "skeleton"
    length: int  # characters or tokens of an n-gram
    bits: int  # its hashes have so many bits
    coarse_bits: int  # so many where the encoder has a row of numbers for each


KINDS = (
    *(Kind("characters", *sizes) for sizes in ((1, 8, 8), (2, 12, 12), (3, 16, 14), (4, 16, 14), (5, 15, 13))),
    *(Kind("words", *sizes) for sizes in ((1, 15, 13), (2, 15, 13))),
    *(Kind("skeleton", *sizes) for sizes in ((1, 10, 10), (2, 12, 12), (3, 13, 13))),
)
FINE = tuple(2**kind.bits for kind in KINDS)
COARSE = tuple(2**kind.coarse_bits for kind in KINDS)


@dataclass(frozen=True)
class Arithmetic:
    """What NumPy and torch call by different names, for rows of int64."""

    cumulated: Callable[[Values], Values]  # running sums, modulo 2^64
    highest_so_far: Callable[[Values], Values]  # running maxima
    places: Callable[[Values], Values]  # where a row of truth values is true
    table: Callable[[Integers], Values]  # a NumPy array as one of this kind
    either: Callable[[Values, Values, Values], Values]  # the first value where chosen, else the second
    within: Callable[[Values, Values], Values]  # which values are among some others


NUMPY = Arithmetic(np.cumsum, np.maximum.accumulate, np.flatnonzero, np.asarray, np.where, np.isin)


@dataclass(frozen=True)
class TokenRow:
    """Texts as one row."""

    characters: Values  # (N,) their numbers, with `GAP` times NOTHING before, between and after texts
    starts: Values  # (T,) the place of each token's first character
    ends: Values  # (T,) the place after its last
    words: Values  # (T,) a hash of each token in lower case, digits alike
    skeleton: Values  # (T,) a hash of its skeleton

    def hashed(self, kind: Kind) -> Values:
        """Return (N,) or (T,) numbers of the n-grams that begin at each character or token.

        The last few of a text reach beyond its end; they are not to be counted.
        """
        if kind.of == "characters":
            key = self.characters
            for further in range(1, kind.length):
                key = key + _after(self.characters, further) * 256**further
            return _bucket(key * 8 + kind.length, kind.bits) if kind.length > 1 else key
        values = key = self.words if kind.of == "words" else self.skeleton
        for further in range(1, kind.length):
            key = (key * _JOIN) ^ _after(values, further)
        return _bucket(key, kind.bits)


def numbered(texts: Sequence[str]) -> tuple[NDArray[np.uint8], Integers]:
    """Return the characters of texts as one row, and where each text begins and ends (texts × 2).

    >>> row, ranges = numbered(["ab", ""])
    >>> [KNOWN[number - FIRST_KNOWN] for number in row[8:10]], ranges.tolist()
    (['a', 'b'], [[8, 10], [18, 18]])
    """
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ends = np.cumsum(lengths + GAP)
    row = np.zeros(int(lengths.sum()) + GAP * (len(texts) + 1), dtype=np.uint8)
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    known = _numbers()
    places = np.arange(len(points)) + np.repeat(ends - np.cumsum(lengths), lengths)
    row[places] = known[np.minimum(points, len(known) - 1)]
    return row, np.stack([ends - lengths, ends], axis=1)


def read(characters: Values, arithmetic: Arithmetic) -> TokenRow:
    """Find the tokens of a row of numbered characters (int64)."""
    lookup = {name: arithmetic.table(values) for name, values in classes().items()}
    kinds = lookup["kind"][characters]
    between_letters = (_before(kinds, 1) == _LETTER) & (_after(kinds, 1) == _LETTER)
    kinds = arithmetic.either((lookup["apostrophe"][characters] == 1) & between_letters, _LETTER, kinds)
    begins = (kinds != _SPACE) & ((kinds == _SIGN) | (kinds != _before(kinds, 1)))
    ends = (kinds != _SPACE) & ((kinds == _SIGN) | (kinds != _after(kinds, 1)))
    starts, stops = arithmetic.places(begins), arithmetic.places(ends) + 1
    index = arithmetic.cumulated(characters * 0 + 1) - 1
    within = index - arithmetic.highest_so_far(arithmetic.either(begins, index, 0))
    within = arithmetic.either(within < _LONGEST_HASHED, within, _LONGEST_HASHED - 1)
    values = arithmetic.either(kinds != _SPACE, (lookup["lower"][characters] + 1) * lookup["powers"][within], 0)
    sums = arithmetic.cumulated(values)
    words = sums[stops - 1] - sums[starts] + values[starts]
    plain = (kinds[starts] != _LETTER) | arithmetic.within(words, lookup["common"])
    large = lookup["large"][characters[starts]]
    masked = _masked(characters, starts, stops, lookup, arithmetic)
    return TokenRow(characters, starts, stops, words, arithmetic.either(plain, words * 4 + large, masked))


def _masked(
    characters: Values, starts: Values, stops: Values, lookup: dict[str, Values], arithmetic: Arithmetic
) -> Values:
    """Return what is left of a word that is no function word: last two letters, capitals, class of length."""
    lengths = stops - starts
    first, last = characters[starts], characters[stops - 1]
    last_but_one = arithmetic.either(lengths > 1, lookup["lower"][characters[stops - 2]], 0)
    length_class = (lengths > 4) * 1 + (lengths > 7) * 1
    form = ((lookup["large"][first] * 2 + lookup["large"][last]) * 4 + length_class) * 4 + 3
    return (form * 256 + lookup["lower"][last]) * 256 + last_but_one


@cache
def classes() -> dict[str, Integers]:
    """Return what each numbered character is: its kind, itself in lower case (digits: 0), whether it is a capital."""
    signs = ["", "一", "☺", *KNOWN]
    number = {sign: index for index, sign in enumerate(signs)}
    lower = [number.get("0" if s.isdigit() else s.lower(), index) for index, s in enumerate(signs)]
    powers = np.cumprod(np.full(_LONGEST_HASHED, _SPREAD, dtype=np.int64))
    tables = {
        "kind": np.array([_kind(sign) for sign in signs], dtype=np.int64),
        "lower": np.array(lower, dtype=np.int64),
        "large": np.array([sign.isupper() for sign in signs], dtype=np.int64),
        "apostrophe": np.array([sign in _APOSTROPHES for sign in signs], dtype=np.int64),
        "powers": powers,
    }
    spelled = [np.array([number[sign] for sign in word]) for word in sorted(STOP_WORDS)]
    hashes = [int((tables["lower"][word] + 1) @ powers[: len(word)]) for word in spelled]
    return tables | {"common": np.unique(np.array(hashes, dtype=np.int64))}


def _kind(sign: str) -> int:
    if not sign or sign.isspace():
        return _SPACE
    return _LETTER if sign.isalpha() else _DIGIT if sign.isdigit() else _SIGN


@cache
def _numbers() -> NDArray[np.uint8]:
    """Return the number of each Unicode character; beyond the first 65,536 all are signs, as emoji are."""
    numbers = np.full(2**16 + 1, OTHER_SIGN, dtype=np.uint8)
    for point in range(2**16):
        if chr(point).isalnum():
            numbers[point] = OTHER_LETTER
        elif chr(point).isspace():
            numbers[point] = FIRST_KNOWN + KNOWN.index(" ")
    for index, sign in enumerate(KNOWN):
        numbers[ord(sign)] = FIRST_KNOWN + index
    return numbers


def _bucket(key: Values, bits: int) -> Values:
    """Return the highest bits of a multiplicative hash; fewer bits are the first of more."""
    mixed = (key ^ (key >> 29)) * _SPREAD
    return ((mixed ^ (mixed >> 32)) * _SPREAD >> (64 - bits)) & (2**bits - 1)


def _after(values: Values, places: int) -> Values:
    """Return the values so many places further on, and 0 past the end."""
    moved = values * 0
    if len(values) > places:
        moved[:-places] = values[places:]
    return moved


def _before(values: Values, places: int) -> Values:
    moved = values * 0
    if len(values) > places:
        moved[places:] = values[:-places]
    return moved
