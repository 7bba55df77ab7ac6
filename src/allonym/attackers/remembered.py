"""What was read of a text is kept while the process lives, since many attackers ask for the same texts many times.

An attacker who learns from originals, from releases and from both, with and without the texts set aside, sees each
original six times. Texts are known by their digests; nothing is written anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.language.words import digest

_MOST_ENTRIES = 2**28  # of one kind of rows, all texts together: 3 GB where values take 8 bytes
_FIRST_ROOM = 2**16


class Rows:
    """Sparse rows of texts, each read once.

    Args:
        read: Returns texts × columns; a row must depend on nothing but its text. There may be more columns later.
        most: Entries that are kept; when there are more, all are forgotten.
    """

    def __init__(self, read: Callable[[Sequence[str]], sparse.csr_array], most: int = _MOST_ENTRIES) -> None:
        self._read, self._most = read, most
        self._lock = Lock()
        self._forget()

    def of(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return the rows of texts, in their order."""
        keys = [digest(text) for text in texts]
        with self._lock:
            new = self._unknown(keys, texts)
            if new and len(self._entries) > self._most:
                self._forget()
                new = self._unknown(keys, texts)
            if new:
                self._add(list(new), self._read(list(new.values())))
            places = np.array([self._places[key] for key in keys], dtype=np.int64)
            return self._all()[places]

    def _unknown(self, keys: Sequence[bytes], texts: Sequence[str]) -> dict[bytes, str]:
        return {key: text for key, text in zip(keys, texts, strict=True) if key not in self._places}

    def _forget(self) -> None:
        self._places: dict[bytes, int] = {}
        self._columns = 0
        self._entries, self._numbers, self._ends = _Growing(), _Growing(), _Growing()
        self._ends.add(np.zeros(1, dtype=np.int64))

    def _add(self, keys: Sequence[bytes], rows: sparse.csr_array) -> None:
        self._places |= {key: len(self._places) + row for row, key in enumerate(keys)}
        self._ends.add(rows.indptr[1:] + len(self._entries))
        self._entries.add(rows.data)
        self._numbers.add(rows.indices.astype(np.int32, copy=False))
        self._columns = rows.shape[1]

    def _all(self) -> sparse.csr_array:
        shape = (len(self._places), self._columns)
        if not self._places:
            return sparse.csr_array(shape)
        # Both kinds of places alike, else SciPy would copy all of one; scikit-learn takes none of 64 bits.
        kind = np.int32 if len(self._entries) <= np.iinfo(np.int32).max else np.int64
        ends = self._ends.values.astype(kind)
        return sparse.csr_array((self._entries.values, self._numbers.values, ends), shape, copy=False)


class _Growing:
    """An array that others are added to."""

    def __init__(self) -> None:
        self._room: NDArray[Any] | None = None
        self._filled = 0

    def __len__(self) -> int:
        return self._filled

    @property
    def values(self) -> NDArray[Any]:
        """All that was added."""
        return np.zeros(0) if self._room is None else self._room[: self._filled]

    def add(self, values: NDArray[Any]) -> None:
        """Add values of the same kind."""
        if self._room is None:
            self._room = np.empty(_FIRST_ROOM, dtype=values.dtype)
        needed = self._filled + len(values)
        if needed > len(self._room):
            larger = np.empty(max(needed, 3 * len(self._room) // 2), dtype=self._room.dtype)
            larger[: self._filled] = self.values
            self._room = larger
        self._room[self._filled : needed] = values
        self._filled = needed
