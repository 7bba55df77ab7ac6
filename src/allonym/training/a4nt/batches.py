"""Sentences of each class of writers, ready for A4NT's training: on the device that trains, batches of one length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allonym.errors import InputError
from allonym.language.sequences import PAD, UNKNOWN
from allonym.training.steps import batches_of_like_length

Integers = NDArray[np.int64]

_NEIGHBOURS = 8


@dataclass(frozen=True)
class A4ntBatch:
    """Some sentences."""

    words: Tensor  # their words, (B, T), padded
    lengths: Tensor  # their lengths (B,), on the processor
    rows: Integers  # which sentences they are


class A4ntSentences:
    """Sentences of one class.

    Args:
        tokens: The words of all sentences in a row.
        lengths: How many each has, 1 at least.
        device: Where they are kept.
        documents: Which document each sentence is from, where that matters.
    """

    def __init__(
        self,
        tokens: NDArray[Any],
        lengths: NDArray[Any],
        device: torch.device,
        documents: NDArray[Any] | None = None,
    ) -> None:
        if len(lengths) == 0 or int(lengths.min()) < 1:
            raise InputError("Every class needs sentences to learn from, none of them empty; give more text.")
        self.lengths: Integers = lengths.astype(np.int64)
        self.documents = documents
        self._starts = torch.from_numpy(np.cumsum(self.lengths) - self.lengths).to(device)
        self._tokens = torch.from_numpy(tokens.astype(np.int32)).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    def counts(self, words: int) -> Tensor:
        """Return how often each of so many words occurs."""
        return torch.bincount(self._tokens.long(), minlength=words)

    def batch(self, rows: Integers) -> A4ntBatch:
        """Return some sentences."""
        lengths = torch.from_numpy(self.lengths[rows])
        longest = int(lengths.max())
        device = self._tokens.device
        at = torch.arange(longest, device=device)[None, :]
        found = (self._starts[torch.from_numpy(rows).to(device)][:, None] + at).clamp(max=len(self._tokens) - 1)
        inside = at < lengths.to(device, non_blocking=True)[:, None]
        return A4ntBatch(torch.where(inside, self._tokens[found].long(), PAD), lengths, rows)

    def in_order(self, size: int) -> Iterator[A4ntBatch]:
        """Yield all once, in batches of like length."""
        yield from map(self.batch, batches_of_like_length(np.arange(len(self)), self.lengths, size))

    def forever(self, size: int, chance: torch.Generator) -> Iterator[A4ntBatch]:
        """Yield batches without end. Nearly all hold sentences of one length, which need no padding.

        Each pass takes every sentence once: shuffled, then sorted by length, cut into batches, these shuffled.
        """
        while True:
            order = torch.empty(len(self)).uniform_(generator=chance).argsort().numpy()
            batches = batches_of_like_length(order, self.lengths, size)
            for place in torch.empty(len(batches)).uniform_(generator=chance).argsort().tolist():
                yield self.batch(batches[place])


class A4ntNoise:
    """Hides words, or replaces them by near ones, so that what restores them learns what fits a place.

    Args:
        vectors: Unit word vectors, V × D; zeros where a word has none, which is then hidden.
        masked: Share of the words that are hidden.
        replaced: Share of the words that are replaced.
        chance: Where noise comes from.
    """

    def __init__(self, vectors: Tensor, masked: float, replaced: float, chance: torch.Generator) -> None:
        self.masked, self.replaced, self.chance = masked, replaced, chance
        known = vectors.abs().sum(-1) > 0
        nearest = []
        for rows in torch.split(torch.arange(len(vectors), device=vectors.device), 2048):
            cosines = vectors[rows].float() @ vectors.float().T  # (rows, V)
            cosines[torch.arange(len(rows), device=rows.device), rows] = -2.0
            cosines[:, ~known] = -1.0
            nearest.append(cosines.topk(min(_NEIGHBOURS, len(vectors)), dim=-1).indices)
        self.neighbours = torch.where(known[:, None], torch.cat(nearest), UNKNOWN)

    def __call__(self, words: Tensor) -> Tensor:
        """Return what is read instead of the words (B, T)."""
        fate = torch.empty(words.shape, device=words.device).uniform_(generator=self.chance)
        pick = torch.empty(words.shape, device=words.device).uniform_(generator=self.chance)
        chosen = (pick * self.neighbours.shape[1]).long().clamp(max=self.neighbours.shape[1] - 1)
        noisy = torch.where(fate < self.masked + self.replaced, self.neighbours[words, chosen], words)
        return torch.where(words == PAD, PAD, torch.where(fate < self.masked, UNKNOWN, noisy))
