"""N-grams of texts, numbered and counted once while the process lives, whoever weighs them how often.

An n-gram is known by a key of 64 bits, a hash of what it is made of: characters as they are, or words by hashes of
their own. Of three million n-grams two share a key with probability 2^−22. What was read is kept beside the counts, so
that an n-gram can be written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.remembered import Rows

Keys: TypeAlias = NDArray[np.uint64]
Kind = Literal["characters", "words"]

SIZES: dict[str, tuple[int, int]] = {"characters": (2, 5), "words": (1, 3)}  # that are counted
_AT_ONCE = 2**18  # codes
_SMALLEST_TABLE = 20  # bits
_SEVERAL_BLANKS = re.compile(r"\s\s+")  # scikit-learn reads them as one


class GramCounts:
    """The n-grams of one way to read texts.

    Args:
        of: What they are made of.
        read: What is read in the place of a text: for words, their list.
    """

    def __init__(self, of: Kind, read: Callable[[str], str | list[str]]) -> None:
        self._of, self._read_text = of, read
        self._tokens: dict[str, int] = {}
        self._spelled: dict[int, str] = {}
        self._codes: list[Keys] = []
        self._starts = [0]  # of each part of the codes
        self._bits = _SMALLEST_TABLE
        self._slots = np.full(2**self._bits, -1, dtype=np.int32)
        self._keys = np.empty(0, dtype=np.uint64)
        self._firsts = np.empty(0, dtype=np.int64)
        self._lengths = np.empty(0, dtype=np.int8)
        self._last = np.empty(0, dtype=np.int32)
        self._place = np.empty(0, dtype=np.int64)
        self._known = 0
        self._rows = Rows(self._count)

    def __len__(self) -> int:
        return self._known

    @property
    def keys(self) -> Keys:
        """The key of each n-gram, by its number."""
        return self._keys[: self._known]

    @property
    def lengths(self) -> NDArray[np.int8]:
        """How many characters or words each has."""
        return self._lengths[: self._known]

    def of_texts(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return texts × n-grams known so far: how often each stands there."""
        counts = self._rows.of(texts)
        return sparse.csr_array((counts.data, counts.indices, counts.indptr), (counts.shape[0], self._known))

    def gram(self, number: int) -> str:
        """Return an n-gram as scikit-learn writes it."""
        part = int(np.searchsorted(self._starts, self._firsts[number], side="right")) - 1
        first = int(self._firsts[number]) - self._starts[part]
        codes = self._codes[part][first : first + int(self._lengths[number])].tolist()
        return "".join(map(chr, codes)) if self._of == "characters" else " ".join(map(self._spelled.__getitem__, codes))

    def _count(self, texts: Sequence[str]) -> sparse.csr_array:
        parts = [self._count_some(codes) for codes in self._in_parts(texts)]
        counts, numbers, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
        return sparse.csr_array((counts, numbers, np.append(0, np.cumsum(sizes))), (len(texts), self._known))

    def _in_parts(self, texts: Sequence[str]) -> list[list[Keys]]:
        parts: list[list[Keys]] = [[]]
        held = 0
        for text in texts:
            codes = self._coded(text)
            if held and held + len(codes) > _AT_ONCE:
                parts.append([])
                held = 0
            parts[-1].append(codes)
            held += len(codes)
        return parts

    def _coded(self, text: str) -> Keys:
        read = self._read_text(text)
        if isinstance(read, str):
            joined = _SEVERAL_BLANKS.sub(" ", read).encode("utf-32-le", "surrogatepass")
            return np.frombuffer(joined, dtype="<u4").astype(np.uint64)
        return np.array([self._token(token) for token in read], dtype=np.uint64)

    def _token(self, token: str) -> int:
        code = self._tokens.get(token)
        if code is None:
            code = int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
            self._tokens[token], self._spelled[code] = code, token
        return code

    def _count_some(self, documents: Sequence[Keys]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Return counts and numbers of n-grams, and how many of them each document has."""
        from allonym.attackers import _loops

        codes = np.concatenate(documents) if documents else np.empty(0, dtype=np.uint64)
        shortest, longest = SIZES[self._of]
        most = len(codes) * (longest - shortest + 1)
        self._make_room(most)
        starts = np.append(0, np.cumsum([len(each) for each in documents])).astype(np.int64)
        counts, numbers = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
        ends = np.zeros(len(starts), dtype=np.int64)
        firsts = self._known
        self._known = _loops.count_grams(
            codes,
            starts,
            (shortest, longest),
            np.uint64(64 - self._bits),
            (self._slots, self._keys, self._firsts, self._lengths),
            self._known,
            (self._last, self._place),
            (numbers, counts, ends),
        )
        self._firsts[firsts : self._known] += self._starts[-1]
        self._last[: self._known] = -1
        self._codes.append(codes)
        self._starts.append(self._starts[-1] + len(codes))
        return counts[: ends[-1]], numbers[: ends[-1]], np.diff(ends)

    def _make_room(self, further: int) -> None:
        """Make the tables as large as they may have to be; a hash table is half empty at least."""
        from allonym.attackers import _loops

        needed = self._known + further
        if needed > len(self._keys):
            room = max(needed, 3 * len(self._keys) // 2)
            for name in ("_keys", "_firsts", "_lengths", "_last", "_place"):
                old = getattr(self, name)
                larger = np.empty(room, dtype=old.dtype)
                larger[: self._known] = old[: self._known]
                setattr(self, name, larger)
            self._last[self._known :] = -1
        if 2 * needed > len(self._slots):
            self._bits = (2 * needed - 1).bit_length()
            self._slots = np.full(2**self._bits, -1, dtype=np.int32)
            _loops.fill_slots(self.keys, np.uint64(64 - self._bits), self._slots)


class WeighedGrams:
    """N-grams chosen and weighed as scikit-learn's vectorizers do, from counts.

    Of equally frequent n-grams at the limit scikit-learn takes any; here the keys decide, and the columns are in their
    order, so that what other texts were read before does not matter.

    Args:
        counts: Of the texts as they are read.
        sizes: Fewest and most characters or words of an n-gram.
        presence: Whether 1 stands for every n-gram of a text; else tf-idf with logarithmic counts, rows of length 1.
    """

    def __init__(self, counts: GramCounts, sizes: tuple[int, int], *, presence: bool) -> None:
        self._counts, self._sizes, self._presence = counts, sizes, presence

    def fit_transform(self, texts: Sequence[str], *, fewest: int, most: int) -> sparse.csr_array | None:
        """Choose n-grams that so many texts have, the most frequent so many; None if there are none."""
        counts = self._counts.of_texts(texts)
        known = len(self._counts)
        holders = np.bincount(counts.indices, minlength=known)
        lengths = self._counts.lengths
        chosen = np.flatnonzero((holders >= fewest) & (lengths >= self._sizes[0]) & (lengths <= self._sizes[1]))
        if not len(chosen):
            return None
        keys = self._counts.keys
        if len(chosen) > most:
            totals = holders if self._presence else np.bincount(counts.indices, weights=counts.data, minlength=known)
            chosen = chosen[np.lexsort((keys[chosen], -totals[chosen]))[:most]]
        self._numbers = chosen[np.argsort(keys[chosen])]
        self._column = np.full(known, -1, dtype=np.int32)
        self._column[self._numbers] = np.arange(len(chosen), dtype=np.int32)
        self.idf_ = np.log((1 + len(texts)) / (1 + holders[self._numbers])) + 1
        return self._weighed(counts)

    def transform(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return texts × chosen n-grams."""
        return self._weighed(self._counts.of_texts(texts))

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the chosen n-grams."""
        return np.array([self._counts.gram(number) for number in self._numbers], dtype=object)

    def _weighed(self, counts: sparse.csr_array) -> sparse.csr_array:
        of_known = np.full(counts.shape[1], -1, dtype=np.int32)
        of_known[: len(self._column)] = self._column  # n-grams found later are not among the chosen
        columns = of_known[counts.indices]
        wanted = columns >= 0
        starts = np.append(0, np.cumsum(wanted))[counts.indptr].astype(np.int32)
        columns, often = columns[wanted], counts.data[wanted]
        if self._presence:
            values = np.ones(len(columns))
        else:
            logarithms = np.log(np.arange(1, often.max(initial=1) + 1)) + 1
            values = logarithms[often - 1] * self.idf_[columns]
            squares = sparse.csr_array((values**2, columns, starts), (counts.shape[0], len(self._numbers))).sum(axis=1)
            lengths = np.sqrt(np.where(squares > 0, squares, 1.0))
            values /= np.repeat(lengths, np.diff(starts))
        return sparse.csr_array((values, columns, starts), (counts.shape[0], len(self._numbers)))
