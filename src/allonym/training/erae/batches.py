"""Batches of sentences for training ER-AE, on the device that trains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from allonym.training.erae.network import END, START, UNKNOWN
from allonym.training.steps import Rows, TokenRows

_STEPS_AFTER_END = 2  # END must follow END, since with a private length the generator runs on
_WEIGHT_AFTER_END = 0.1


@dataclass
class EraeBatch:
    """Sentences of about one length, the longest first."""

    read: Tensor  # what the encoder sees when nothing is noisy, B × S
    lengths: Tensor  # places of each sentence, END included, on the processor
    previous: Tensor  # the word before each step, B × T
    targets: Tensor  # the word of each step, B × T
    weights: Tensor  # how much each step counts, B × T
    inside: Tensor  # which steps are words or the first END, and known, B × T


class EraeSentences(TokenRows[EraeBatch]):
    """Sentences to learn from or to watch."""

    def batch(self, rows: Rows) -> EraeBatch:
        """Return some sentences, longest first."""
        rows = rows[np.argsort(-self.lengths[rows], kind="stable")]
        lengths = torch.from_numpy(self.lengths[rows])
        longest = int(lengths[0])
        words, at, ends = self.first(rows, longest + 1 + _STEPS_AFTER_END)  # (B, T), (1, T), (B, 1)
        targets = torch.where(at < ends, words, END)  # (B, T): the words, then END
        previous = torch.cat([torch.full_like(targets[:, :1], START), targets[:, :-1]], dim=1)
        known = targets != UNKNOWN
        weights = torch.where(at <= ends, 1.0, torch.where(at <= ends + _STEPS_AFTER_END, _WEIGHT_AFTER_END, 0.0))
        return EraeBatch(
            targets[:, : longest + 1], lengths + 1, previous, targets, weights * known, (at <= ends) & known
        )
