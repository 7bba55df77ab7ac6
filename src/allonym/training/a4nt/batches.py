"""Sentences of each class of writers, ready for A4NT's training: on the device that trains, batches of one length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from allonym.errors import InputError
from allonym.language.sequences import PAD, UNKNOWN
from allonym.training.steps import Rows, TokenRows

_NEIGHBOURS = 8


@dataclass(frozen=True)
class A4ntBatch:
    """Some sentences."""

    words: Tensor  # their words, (B, T), padded
    lengths: Tensor  # their lengths (B,), on the processor
    rows: Rows  # which sentences they are


class A4ntSentences(TokenRows[A4ntBatch]):
    """Sentences of one class, none of them empty; and the document that each is from, where that matters."""

    def __init__(
        self, tokens: NDArray[Any], lengths: NDArray[Any], device: torch.device, documents: NDArray[Any] | None = None
    ) -> None:
        if len(lengths) == 0 or int(lengths.min()) < 1:
            raise InputError("Every class needs sentences to learn from, none of them empty; give more text.")
        super().__init__(tokens, lengths, device)
        self.documents = documents

    def counts(self, words: int) -> Tensor:
        """Return how often each of so many words occurs."""
        return torch.bincount(self.tokens.long(), minlength=words)

    def batch(self, rows: Rows) -> A4ntBatch:
        """Return some sentences."""
        lengths = self.lengths[rows]
        words, at, ends = self.first(rows, int(lengths.max()))
        return A4ntBatch(torch.where(at < ends, words, PAD), torch.from_numpy(lengths), rows)

    def forever(self, size: int, chance: torch.Generator) -> Iterator[A4ntBatch]:
        """Yield batches without end. Nearly all hold sentences of one length, which need no padding."""
        while True:
            yield from self.shuffled(size, chance)


class A4ntNoise:
    """Hides a share of the words, or replaces them by near ones, so that what restores them learns what fits a place.

    Vectors are of length 1; a word without one (a row of zeros) is hidden where it would be replaced.
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
