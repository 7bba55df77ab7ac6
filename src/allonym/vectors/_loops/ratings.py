"""Compiled twin of `WordRatings._finish`. Imported only when compiling pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allonym.acceleration import compiled

Lists = tuple[NDArray[np.int64], NDArray[np.int32]]


@compiled
def spell_and_clip(
    tile: NDArray[np.float32],
    rows: NDArray[np.int64],
    bigrams_of: Lists,
    words_with: Lists,
    prices: NDArray[np.float32],
    price_of: NDArray[np.int64],
    counts: NDArray[np.unsignedinteger],
    one: np.float32,
) -> None:
    """Turn scaled cosines into ratings: subtract a price for each shared bigram, then clip to 0 … one.

    `bigrams_of` lists the bigrams of each word and `words_with` the words of each bigram, both as (starts, items).
    `counts` is scratch, zero before and after: so small that counting stays in the innermost cache.
    """
    for i in range(tile.shape[0]):
        row = tile[i]
        word = rows[i]
        row[word] = one
        price = prices[price_of[word]]
        for b in range(bigrams_of[0][word], bigrams_of[0][word + 1]):
            bigram = bigrams_of[1][b]
            for h in range(words_with[0][bigram], words_with[0][bigram + 1]):
                counts[words_with[1][h]] += 1
        for j in range(row.shape[0]):
            row[j] = min(max(row[j] - np.float32(counts[j]) * price[j], np.float32(0.0)), one)
            counts[j] = 0
