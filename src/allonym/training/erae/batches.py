"""Batches of sentences for training ER-AE, on the device that trains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allonym.training.erae.network import END, START, UNKNOWN
from allonym.training.steps import batches_of_like_length

Integers = NDArray[np.int64]

_STEPS_AFTER_END = 2  # END must follow END, since with a private length the generator runs on
_WEIGHT_AFTER_END = 0.1
_BATCHES_SORTED_TOGETHER = 50


@dataclass
class EraeBatch:
    """Sentences of about one length, the longest first."""

    read: Tensor  # what the encoder sees when nothing is noisy, B × S
    lengths: Tensor  # places of each sentence, END included, on the processor
    previous: Tensor  # the word before each step, B × T
    targets: Tensor  # the word of each step, B × T
    weights: Tensor  # how much each step counts, B × T
    inside: Tensor  # which steps are words or the first END, and known, B × T


class EraeSentences:
    """All sentences as one row of tokens, on the device that trains."""

    def __init__(self, tokens: NDArray[Any], lengths: NDArray[Any], device: torch.device) -> None:
        self.lengths: Integers = lengths.astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self.tokens = torch.from_numpy(tokens.astype(np.int16)).to(device)
        self.starts = torch.from_numpy(starts).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, rows: Integers) -> EraeBatch:
        """Return some sentences, longest first."""
        rows = rows[np.argsort(-self.lengths[rows], kind="stable")]
        device = self.tokens.device
        lengths = torch.from_numpy(self.lengths[rows])
        longest = int(lengths[0])
        ends = lengths.to(device, non_blocking=True)[:, None]  # (B, 1)
        at = torch.arange(longest + 1 + _STEPS_AFTER_END, device=device)[None, :]  # (1, T)
        places = self.starts[torch.from_numpy(rows).to(device)][:, None] + at
        found = self.tokens[places.clamp(max=len(self.tokens) - 1)].long()
        targets = torch.where(at < ends, found, END)  # (B, T): the words, then END
        previous = torch.cat([torch.full_like(targets[:, :1], START), targets[:, :-1]], dim=1)
        known = targets != UNKNOWN
        weights = torch.where(at <= ends, 1.0, torch.where(at <= ends + _STEPS_AFTER_END, _WEIGHT_AFTER_END, 0.0))
        return EraeBatch(
            targets[:, : longest + 1], lengths + 1, previous, targets, weights * known, (at <= ends) & known
        )

    def in_order(self, size: int) -> Iterator[EraeBatch]:
        """Yield all sentences once, in batches of like length."""
        yield from map(self.batch, batches_of_like_length(np.arange(len(self)), self.lengths, size))

    def shuffled(self, size: int, chance: torch.Generator, first: int = 0) -> Iterator[EraeBatch]:
        """Yield all sentences once: shuffled, sorted by length in pools, cut into batches, these shuffled.

        Args:
            size: Sentences of a batch.
            chance: Fixes the order.
            first: How many batches to leave out, since an interrupted run has seen them.
        """
        order = torch.empty(len(self)).uniform_(generator=chance).argsort().numpy()
        batches = batches_of_like_length(order, self.lengths, size, sorted_together=_BATCHES_SORTED_TOGETHER)
        for place in torch.empty(len(batches)).uniform_(generator=chance).argsort().tolist()[first:]:
            yield self.batch(batches[place])
