"""Count very many names in little memory: 16 bytes for each, whatever its length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class HashTally:
    """How often each name was added, told apart by 64 bits of hash.

    Two names that share a hash are counted as one, so that a count is never too small. Counts lie in sorted runs of
    which each is at least twice as long as the next, as in a merge sort, so that adding stays cheap.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, names: Sequence[str]) -> int | None:
        """Count names; return the place of the first that was there before, in `names` or earlier, or None."""
        import numpy as np

        hashes = np.fromiter((hash(name) for name in names), np.int64, len(names))
        keys, first, counts = np.unique(hashes, return_index=True, return_counts=True)
        known = np.zeros(len(keys), bool)
        for run, _ in self._runs:
            at = np.minimum(np.searchsorted(run, keys), len(run) - 1)
            known |= run[at] == keys
        repeated = first[known].tolist()
        if len(keys) < len(hashes):
            again = np.ones(len(hashes), bool)
            again[first] = False
            repeated.append(int(np.flatnonzero(again)[0]))
        self._merge(keys, counts.astype(np.int64))
        return min(repeated, default=None)

    def most(self) -> int:
        """Return the largest count; 0 where nothing was added."""
        while len(self._runs) > 1:
            self._runs.append(_merged(self._runs.pop(), self._runs.pop()))
        return int(self._runs[0][1].max()) if self._runs else 0

    def _merge(self, keys: Any, counts: Any) -> None:  # noqa: ANN401 - two arrays
        if len(keys):
            self._runs.append((keys, counts))
        while len(self._runs) > 1 and 2 * len(self._runs[-1][0]) > len(self._runs[-2][0]):
            self._runs.append(_merged(self._runs.pop(), self._runs.pop()))


def _merged(first: Any, second: Any) -> Any:  # noqa: ANN401 - two pairs of arrays
    import numpy as np

    keys, inverse = np.unique(np.concatenate([first[0], second[0]]), return_inverse=True)
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, inverse, np.concatenate([first[1], second[1]]))
    return keys, counts
