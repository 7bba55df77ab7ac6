"""A batch of texts as WritePrints reads it: characters, words, sentences, lines and habits, found once and shared.

A word is a row of letters, digits and combining marks, with inner apostrophes (`don't`, `o'clock`); Chinese
characters and hiragana are a word each. Unlike `language.words.words` nothing is normalised, so that every finding
has its place in the text as it was written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from types import ModuleType

Places = NDArray[np.int64]

TYPOGRAPHIC: Final = "’‘“”…–—"
# Bins above ASCII: the typographic signs, then one for each other kind of character.
_FIRST_TYPOGRAPHIC: Final = 128
LETTER, CAPITAL, DIGIT, WHITE, MARK, SINGLE, WIDE_END, OTHER_SIGN = range(135, 143)
BINS: Final = 143
ELLIPSIS_BIN: Final = _FIRST_TYPOGRAPHIC + TYPOGRAPHIC.index("…")

_CODE_POINTS: Final = 0x110000
_LAST_NAMED: Final = 0x1FFFF  # beyond it only Han, private characters and invisible ones
_HAN_PLANES: Final = slice(0x20000, 0x40000)
# Inclusive: the iteration mark, hiragana, Han and its compatibility forms.
_SINGLE_RANGES: Final = ((0x3005, 0x3005), (0x3041, 0x3096), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))
_WIDE_ENDS: Final = "。！？｡؟।"
_HASH_BITS: Final = 64


def loops() -> ModuleType:
    """Return the compiled passes; late, as numba takes a while."""
    from allonym.attackers.writeprints import _loops

    return _loops


@cache
def bin_table() -> NDArray[np.uint8]:
    """Return the bin of every code point."""
    table = np.full(_CODE_POINTS, OTHER_SIGN, dtype=np.uint8)
    table[:128] = np.arange(128)
    table[128 : _LAST_NAMED + 1] = [_bin_of(chr(code)) for code in range(128, _LAST_NAMED + 1)]
    table[_HAN_PLANES] = SINGLE
    for first, last in _SINGLE_RANGES:
        block = table[first : last + 1]
        block[block == LETTER] = SINGLE
    table[[ord(sign) for sign in TYPOGRAPHIC]] = _FIRST_TYPOGRAPHIC + np.arange(len(TYPOGRAPHIC))
    table[[ord(sign) for sign in _WIDE_ENDS]] = WIDE_END
    return table


def _bin_of(character: str) -> int:
    if character.isalpha():
        return CAPITAL if character.isupper() else LETTER
    if character.isalnum():
        return DIGIT
    if character.isspace():
        return WHITE
    # Enclosing marks (Me) make signs of letters, such as an emoji's keycap.
    return MARK if unicodedata.category(character) in ("Mn", "Mc") else OTHER_SIGN


@cache
def lower_table() -> NDArray[np.uint32]:
    """Return the lower case of every code point; a typographic apostrophe is a plain one."""
    table = np.arange(_CODE_POINTS, dtype=np.uint32)
    for code in range(_LAST_NAMED + 1):
        lowered = chr(code).lower()
        if len(lowered) == 1:
            table[code] = ord(lowered)
    table[ord("’")] = ord("'")
    return table


def _bins_of(characters: str) -> list[int]:
    return [int(bin_table()[ord(character)]) for character in characters]


def of_kind(*kinds: str) -> NDArray[np.bool_]:
    """Return which bins are letters, capitals, digits or white space, by these words."""
    table = np.zeros(BINS, dtype=np.bool_)
    others = {"letter": [LETTER, CAPITAL, SINGLE], "capital": [CAPITAL], "digit": [DIGIT], "white": [WHITE]}
    tests = {"letter": str.isalpha, "capital": str.isupper, "digit": str.isdigit, "white": str.isspace}
    for kind in kinds:
        table[others[kind]] = True
        table[:128] |= [tests[kind](chr(code)) for code in range(128)]
    return table


@cache
def word_roles() -> NDArray[np.uint8]:
    """Return what each bin is to a word."""
    table = np.full(BINS, loops().SEPARATES, dtype=np.uint8)
    table[of_kind("letter", "digit")] = loops().IN_WORD
    table[_bins_of("'’")] = loops().APOSTROPHE
    table[MARK] = loops().CONTINUES
    table[SINGLE] = loops().ALONE
    return table


@cache
def sentence_roles() -> NDArray[np.uint8]:
    """Return what each bin is to a sentence or a line."""
    table = np.full(BINS, loops().OTHER, dtype=np.uint8)
    table[of_kind("letter") & ~of_kind("capital")] = loops().SMALL
    table[SINGLE] = loops().OTHER
    table[of_kind("white")] = loops().BLANK
    table[ord("\n")] = loops().NEWLINE
    table[_bins_of("!?…")] = loops().ENDS
    table[ord(".")] = loops().POINT
    table[WIDE_END] = loops().ENDS_AT_ONCE
    table[_bins_of("\"')]”’")] = loops().CLOSES
    return table


@cache
def _telling_signs() -> NDArray[np.bool_]:
    table = np.zeros(BINS, dtype=np.bool_)
    table[_bins_of("!?., …")] = True
    return table


@dataclass(frozen=True)
class Found:
    """What stands where: those of document d are `begins[offsets[d]:offsets[d + 1]]`; `kinds` where there are any."""

    begins: Places
    ends: Places
    offsets: Places
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def documents(self) -> Places:
        """The document of each finding."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.per_document)

    @cached_property
    def per_document(self) -> Places:
        """How many each document has."""
        return np.diff(self.offsets)

    def spans(self, chosen: NDArray[np.bool_] | Places) -> list[tuple[int, int]]:
        """Return begin and end of the chosen ones."""
        return list(zip(self.begins[chosen].tolist(), self.ends[chosen].tolist(), strict=True))


class Batch:
    """Texts, and all that is found in them; each thing is looked for when first asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.starts = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in texts], out=self.starts[1:])
        # One byte a character; what is not ASCII becomes a question mark, until its bin is looked up.
        self.bins = np.frombuffer(bytearray("".join(texts).encode("ascii", "replace")), dtype=np.uint8)
        self._beyond_ascii = self._read_beyond_ascii()
        self.tags: list[NDArray[np.uint8]] = []  # parts of speech, where they are wanted

    def _read_beyond_ascii(self) -> tuple[NDArray[np.uint32], Places]:
        """Look up the bins of documents that are not ASCII; return their code points, and how far from the bins."""
        others = [number for number, text in enumerate(self.texts) if not text.isascii()]
        joined = "".join(self.texts[number] for number in others).encode("utf-32-le", "surrogatepass")
        codes = np.frombuffer(joined, dtype=np.uint32)
        bins = bin_table()[codes] if others else self.bins
        shifts = np.zeros(len(self.texts), dtype=np.int64)
        offset = 0
        for number in others:
            start, end = self.starts[number : number + 2]
            self.bins[start:end] = bins[offset : offset + end - start]
            shifts[number] = offset - start
            offset += end - start
        return codes, shifts

    @cached_property
    def characters(self) -> Places:
        """How many characters each document has."""
        return np.diff(self.starts)

    @cached_property
    def character_counts(self) -> NDArray[np.int32]:
        """How often each document has each bin."""
        counts = np.zeros((len(self.texts), BINS), dtype=np.int32)
        loops().count_characters(self.bins, self.starts, counts)
        return counts

    @cached_property
    def words(self) -> Found:
        """The words."""
        return self._words_and_hashes[0]

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """A number for each word that depends on its lower-case letters only."""
        return self._words_and_hashes[1]

    @cached_property
    def _words_and_hashes(self) -> tuple[Found, NDArray[np.uint64]]:
        most = len(self.bins)  # with Chinese every character; what is not filled takes no memory
        begins, ends, offsets = self._room(most)
        hashes = np.empty(most, dtype=np.uint64)
        tables = (word_roles(), lower_table())
        with np.errstate(over="ignore"):  # hashing overflows on purpose; NumPy minds where numba is not there
            size = loops().find_words(
                self.bins, self.starts, self._beyond_ascii, tables, (begins, ends, hashes), offsets
            )
        return Found(begins[:size], ends[:size], offsets, np.empty(0, np.uint8)), hashes[:size]

    @cached_property
    def traits(self) -> NDArray[np.uint8]:
        """Flags of each word: in capitals, small i, stretched."""
        traits = np.empty(len(self.words), dtype=np.uint8)
        loops().find_traits(self.bins, of_kind("capital"), (self.words.begins, self.words.ends), traits)
        return traits

    @cached_property
    def distinct(self) -> Distinct:
        """The distinct words."""
        return distinct(self.hashes, self.words.documents)

    @cached_property
    def sentences(self) -> Found:
        """The sentences."""
        begins, ends, offsets = self._room(len(self.bins))
        tables = (sentence_roles(), word_roles())
        size = loops().find_sentences(self.bins, self.starts, tables, (begins, ends), offsets)
        return Found(begins[:size], ends[:size], offsets, np.empty(0, np.uint8))

    @cached_property
    def lines(self) -> Found:
        """The lines, with flags of what each is."""
        begins, ends, offsets = self._room(len(self.bins))
        kinds = np.empty(len(begins), dtype=np.uint8)
        size = loops().find_lines(self.bins, self.starts, sentence_roles(), (begins, ends, kinds), offsets)
        return Found(begins[:size], ends[:size], offsets, kinds[:size])

    @cached_property
    def habits(self) -> Found:
        """The habits of typing, each with its kind."""
        begins, ends, offsets = self._room(len(self.bins))
        kinds = np.empty(len(begins), dtype=np.uint8)
        tables = (_telling_signs(), word_roles(), ELLIPSIS_BIN)
        size = loops().find_habits(self.bins, self.starts, tables, (begins, ends, kinds), offsets)
        return Found(begins[:size], ends[:size], offsets, kinds[:size])

    def word_grams(self, size: int, opens: NDArray[np.bool_] | None = None) -> tuple[NDArray[np.uint64], Places]:
        """Return a number for each row of `size` words within a document, and the place of its first word.

        Args:
            size: Words of a row.
            opens: For each word whether a row may begin with it; all may if None.
        """
        if opens is None:
            opens = np.ones(len(self.words), dtype=np.bool_)
        numbers, firsts = np.empty(len(opens), np.uint64), np.empty(len(opens), np.int64)
        with np.errstate(over="ignore"):
            rows = loops().join_words(self.hashes, self.words.offsets, size, opens, (numbers, firsts))
        return numbers[:rows], firsts[:rows]

    def spelled(self, first: int, size: int = 1) -> str:
        """Return `size` words of one document, from word `first` on, in lower case and joined by blanks."""
        document = self.words.documents[first]
        text, start, lower = self.texts[document], self.starts[document], lower_table()
        begins, ends = (places[first : first + size] - start for places in (self.words.begins, self.words.ends))
        words = (text[begin:end] for begin, end in zip(begins, ends, strict=True))
        return " ".join("".join(chr(lower[ord(character)]) for character in word) for word in words)

    def _room(self, most: int) -> tuple[Places, Places, Places]:
        return np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(len(self.texts) + 1, np.int64)


@dataclass(frozen=True)
class Distinct:
    """Numbers for distinct hashes: of each hash its number; of each number its count, its documents and its first."""

    numbers: NDArray[np.int32]
    counts: Places
    holders: Places
    firsts: Places


def distinct(hashes: NDArray[np.uint64], documents: Places) -> Distinct:
    """Number hashes in the order they first appear."""
    bits = max(len(hashes), 1).bit_length() + 1
    table = np.full(2**bits, -1, dtype=np.int32)
    numbers = np.empty(len(hashes), dtype=np.int32)
    counts, holders, firsts = (np.empty(len(hashes), np.int64) for _ in range(3))
    columns = (numbers, counts, holders, firsts)
    with np.errstate(over="ignore"):
        size = loops().number_hashes(hashes, documents, np.uint64(_HASH_BITS - bits), table, columns)
    return Distinct(numbers, counts[:size], holders[:size], firsts[:size])
