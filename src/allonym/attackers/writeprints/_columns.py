"""The columns of WritePrints in blocks: what each is called, its values in a batch, and where it stands in a text.

All values are shares or rates (what is counted, over all there is of that kind), plain numbers or means.
"""

from __future__ import annotations

import string
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.writeprints._batch import BINS, Batch, bin_table, distinct, loops, of_kind

Float64 = NDArray[np.float64]
Numbers = NDArray[np.uint64] | NDArray[np.int64]
Spans = list[tuple[int, int]]

PUNCTUATION: Final = ".,?!:;'\"()’‘“”…–—"
SPECIAL_CHARACTERS: Final = "~@#$%^&*-_=+><[]{}/\\|`"
LONGEST_WORD: Final = 20
_SHORT_WORD: Final = 3
_GRAM_NAMES: Final = {2: "bigram", 3: "trigram"}


def rates(counts: Float64 | NDArray[np.int64] | NDArray[np.int32], totals: NDArray[np.int64]) -> Float64:
    """Divide each row by its total; an empty total leaves zeros."""
    by = np.maximum(totals, 1)
    return counts / (by[:, None] if counts.ndim == 2 else by)


class Block(ABC):
    """Some columns of one group.

    Attributes:
        group: The group of all of them.
        names: What each counts, without the group.
    """

    group: str
    names: list[str]

    @abstractmethod
    def values(self, batch: Batch) -> Float64 | sparse.csr_array:
        """Return documents × columns."""

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return where a column stands in the batch's only text; nowhere if it measures the whole."""
        return []


class Signs(Block):
    """Shares of characters."""

    def __init__(self, group: str, members: dict[str, NDArray[np.bool_]]) -> None:
        self.group = group
        self.names = list(members)
        self._members = np.array(list(members.values()), dtype=np.float64).T

    def values(self, batch: Batch) -> Float64:
        """Return the shares."""
        return rates(batch.character_counts @ self._members, batch.characters)

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the characters."""
        places = np.flatnonzero(self._members[batch.bins, column]).tolist()
        return [(position, position + 1) for position in places]


def _only(*characters: str) -> NDArray[np.bool_]:
    members = np.zeros(BINS, dtype=np.bool_)
    members[[bin_table()[ord(character)] for character in characters]] = True
    return members


def characters() -> Signs:
    """Return the character-level lexical columns."""
    kinds = {"letters": "letter", "digits": "digit", "capitals": "capital", "white space": "white"}
    members = {f"share of {name}": of_kind(kind) for name, kind in kinds.items()}
    members |= {f"letter '{letter}'": _only(letter, letter.upper()) for letter in string.ascii_lowercase}
    members |= {f"digit '{digit}'": _only(digit) for digit in string.digits}
    members |= {f"special character '{sign}'": _only(sign) for sign in SPECIAL_CHARACTERS}
    return Signs("lexical", members)


def punctuation() -> Signs:
    """Return the punctuation columns."""
    return Signs("syntactic", {f"punctuation '{sign}'": _only(sign) for sign in PUNCTUATION})


class LetterGrams(Block):
    """Shares of the chosen pairs and triples of letters among all of a text."""

    group = "lexical"

    def __init__(self, pairs: Sequence[str], triples: Sequence[str]) -> None:
        self._grams = [*pairs, *triples]
        self._pairs = len(pairs)
        self.names = [f"letter bigram '{pair}'" for pair in pairs] + [f"letter trigram '{three}'" for three in triples]
        self._slots = (_slots(pairs, 2), _slots(triples, 3))

    def values(self, batch: Batch) -> Float64:
        """Return the shares."""
        rows = len(batch.texts)
        sizes = (self._pairs, len(self._grams) - self._pairs)
        counts = tuple(np.zeros((rows, size + 1), dtype=np.int32) for size in sizes)
        totals = np.zeros((rows, 2), dtype=np.int64)
        loops().count_letter_grams(batch.bins, batch.starts, 1, self._slots, counts, totals)
        return np.hstack([rates(counts[which][:, :-1], totals[:, which]) for which in (0, 1)])

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the letters."""
        gram = self._grams[column].encode("ascii")
        rows = max(len(batch.bins) - len(gram) + 1, 0)
        here = np.ones(rows, dtype=np.bool_)
        for index, letter in enumerate(gram):
            here &= (batch.bins[index : index + rows] | 32) == letter
        return [(index, index + len(gram)) for index in np.flatnonzero(here).tolist()]


def _slots(grams: Sequence[str], size: int) -> NDArray[np.int32]:
    slots = np.full(26**size, len(grams), dtype=np.int32)
    for column, gram in enumerate(grams):
        slots[_gram_number(gram)] = column
    return slots


def _gram_number(gram: str) -> int:
    number = 0
    for letter in gram:
        number = number * 26 + string.ascii_lowercase.index(letter)
    return number


def frequent_letter_grams(batch: Batch, most: int) -> tuple[list[str], list[str]]:
    """Return the most frequent pairs and triples of letters; of equally frequent ones the first in the alphabet."""
    slots = tuple(np.arange(26**size, dtype=np.int32) for size in (2, 3))
    counts = tuple(np.zeros((1, 26**size + 1), dtype=np.int32) for size in (2, 3))
    loops().count_letter_grams(batch.bins, batch.starts, 0, slots, counts, np.zeros((1, 2), dtype=np.int64))
    chosen = []
    for size, of_all in zip((2, 3), counts, strict=True):
        order = np.argsort(-of_all[0, :-1], kind="stable")[:most]
        numbers = [int(number) for number in order if of_all[0, number]]
        chosen.append([_letters(number, size) for number in numbers])
    return chosen[0], chosen[1]


def _letters(number: int, size: int) -> str:
    return "".join(string.ascii_lowercase[number // 26**power % 26] for power in reversed(range(size)))


class WordMeasures(Block):
    """Sizes of the whole text, and the richness of its vocabulary."""

    group = "lexical"
    names = [  # noqa: RUF012 - read only
        "number of characters",
        "number of words",
        "mean word length",
        "type-token ratio",
        "share of words used once",
        "share of words used twice",
        "Yule's K",
        "Simpson's D",
        "Honoré's R",
        "Sichel's S",
        "Brunet's W",
    ]

    def values(self, batch: Batch) -> Float64:
        """Return the measures."""
        values = np.zeros((len(batch.texts), len(self.names)))
        words = batch.words
        values[:, 0] = batch.characters
        values[:, 1] = words.per_document
        lengths = np.bincount(words.documents, words.ends - words.begins, len(batch.texts))
        values[:, 2] = rates(lengths, words.per_document)
        richness = np.zeros((len(batch.texts), loops().RICHNESS))
        scratch = np.zeros(len(batch.distinct.counts), dtype=np.int64)
        loops().measure_richness(batch.distinct.numbers, words.offsets, scratch, richness)
        values[:, 3:] = richness
        return values


class WordShapes(Block):
    """Shares of words by their length or look."""

    def __init__(self, group: str, names: Sequence[str]) -> None:
        self.group = group
        self.names = list(names)

    def values(self, batch: Batch) -> Float64:
        """Return the shares."""
        rows, words = len(batch.texts), batch.words
        counts = [np.bincount(words.documents[self._are(c, batch)], minlength=rows) for c in range(len(self.names))]
        return rates(np.array(counts).T, words.per_document)

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the words."""
        return batch.words.spans(self._are(column, batch))

    @abstractmethod
    def _are(self, column: int, batch: Batch) -> NDArray[np.bool_]:
        """Tell which words a column counts."""


class WordLengths(WordShapes):
    """Shares of short words and of words of each length."""

    def __init__(self) -> None:
        lengths = [f"words of {length} character{'s' * (length > 1)}" for length in range(1, LONGEST_WORD)]
        short = f"words of {_SHORT_WORD} characters or less"
        super().__init__("lexical", [short, *lengths, f"words of {LONGEST_WORD} characters or more"])

    def values(self, batch: Batch) -> Float64:
        """Return the shares, counted in one go."""
        words, rows = batch.words, len(batch.texts)
        lengths = np.minimum(words.ends - words.begins, LONGEST_WORD)
        cells = np.bincount(words.documents * (LONGEST_WORD + 1) + lengths, minlength=rows * (LONGEST_WORD + 1))
        counts = cells.reshape(rows, LONGEST_WORD + 1)
        counts[:, 0] = counts[:, 1 : _SHORT_WORD + 1].sum(axis=1)
        return rates(counts, words.per_document)

    def _are(self, column: int, batch: Batch) -> NDArray[np.bool_]:
        lengths = np.minimum(batch.words.ends - batch.words.begins, LONGEST_WORD)
        return np.asarray(lengths <= _SHORT_WORD if column == 0 else lengths == column)


class WordTraits(WordShapes):
    """Shares of words that look peculiar."""

    def __init__(self) -> None:
        super().__init__("idiosyncratic", ["words in capitals", "small i", "words with a letter three times in a row"])

    def _are(self, column: int, batch: Batch) -> NDArray[np.bool_]:
        return np.asarray(batch.traits & (1 << column), dtype=np.bool_)


class WordSets(Block):
    """Shares of words that belong to the set of a column; no word to two of them."""

    def __init__(self, group: str, sets: dict[str, Sequence[str]]) -> None:
        self.group = group
        self.names = list(sets)
        members = [word for words in sets.values() for word in words]
        columns = np.repeat(np.arange(len(sets)), [len(words) for words in sets.values()])
        hashes = Batch(members).hashes
        order = np.argsort(hashes)
        self._hashes, self._columns = hashes[order], columns[order]

    def values(self, batch: Batch) -> sparse.csr_array:
        """Return the shares."""
        distinct = batch.distinct
        columns = self._columns_of(batch.hashes[distinct.firsts])[distinct.numbers]
        return counted(batch.words.documents, columns, batch.words.per_document, len(self.names))

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the words."""
        return batch.words.spans(self._columns_of(batch.hashes) == column)

    def _columns_of(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        return looked_up(hashes, self._hashes, self._columns)


def single_words(group: str, kind: str, words: Sequence[str]) -> WordSets:
    """Return a block with a column for each word."""
    return WordSets(group, {f"{kind} '{word}'": [word] for word in words})


class WordGrams(Block):
    """Shares of the chosen rows of words among all rows of that length."""

    group = "content"

    def __init__(self, size: int, grams: Sequence[str]) -> None:
        self.names = [f"word {_GRAM_NAMES[size]} '{gram}'" for gram in grams]
        self._size = size
        chosen = Batch(grams)
        hashes, firsts = chosen.word_grams(size)
        self._columns = np.argsort(hashes)
        self._hashes = hashes[self._columns]
        self._openers = np.unique(chosen.hashes[firsts])

    def values(self, batch: Batch) -> sparse.csr_array:
        """Return the shares."""
        firsts, columns = self._found(batch)
        totals = np.maximum(batch.words.per_document - self._size + 1, 0)
        return counted(batch.words.documents[firsts], columns, totals, len(self.names))

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the rows of words, from the first's begin to the last's end."""
        firsts, columns = self._found(batch)
        here = firsts[columns == column]
        begins, ends = batch.words.begins[here], batch.words.ends[here + self._size - 1]
        return list(zip(begins.tolist(), ends.tolist(), strict=True))

    def _found(self, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # Only rows that begin with the right word are looked at: a few of a hundred.
        vocabulary = batch.hashes[batch.distinct.firsts]
        opens = looked_up(vocabulary, self._openers, np.zeros(len(self._openers), np.int64)) == 0
        hashes, firsts = batch.word_grams(self._size, opens[batch.distinct.numbers])
        columns = looked_up(hashes, self._hashes, self._columns)
        return firsts[columns >= 0], columns[columns >= 0]


def frequent_word_grams(batch: Batch, size: int, most: int, without: frozenset[str] = frozenset()) -> list[str]:
    """Return the rows of words that are in the most texts, leaving out some, and rows without a letter.

    Of those in equally many texts the more frequent comes first, then the first in the order of their letters. JStylo
    goes by frequency alone: there a single text with a long table or an encoded file fills the list.
    """
    hashes, places = batch.word_grams(size)
    grams = batch.distinct if size == 1 else distinct(hashes, batch.words.documents[places])
    ranks = grams.holders * (grams.counts.max(initial=0) + 1) + grams.counts
    enough = most + len(without)
    while True:
        numbers = _highest(ranks, enough)
        ranked = sorted((-int(ranks[n]), batch.spelled(int(places[grams.firsts[n]]), size)) for n in numbers)
        chosen = [gram for _, gram in ranked if gram not in without and any(map(str.isalpha, gram))]
        if len(chosen) >= most or len(numbers) == len(ranks):
            return chosen[:most]
        enough *= 2


def _highest(ranks: NDArray[np.int64], enough: int) -> NDArray[np.int64]:
    """Return which ranks are among the `enough` highest, those like the lowest of them included."""
    least = ranks.min() if len(ranks) else 0
    above = ranks[ranks > least]  # by far the most are the lowest, which would slow the next step
    if len(above) < enough:
        return np.arange(len(ranks))
    return np.flatnonzero(ranks >= np.partition(above, -enough)[-enough])


def looked_up(numbers: Numbers, known: Numbers, columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the column of each number, or −1; `known` is sorted."""
    if not len(known):
        return np.full(len(numbers), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return np.where(known[places] == numbers, columns[places], -1)


def counted(
    documents: NDArray[np.int64], columns: NDArray[np.int64], totals: NDArray[np.int64], width: int
) -> sparse.csr_array:
    """Count the columns of each document and divide by the document's total."""
    known = columns >= 0
    rows, columns = documents[known], columns[known]
    counts = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(totals), width))
    counts.sum_duplicates()
    counts.data /= np.repeat(totals, np.diff(counts.indptr))
    return counts
