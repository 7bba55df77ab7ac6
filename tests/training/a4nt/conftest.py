"""What tests of A4NT's training share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def corpus():
    """Sentences of two classes that share half of their words."""
    import torch

    from allonym.training.a4nt.batches import A4ntSentences

    chance = np.random.default_rng(3)

    def one(first):
        lengths = chance.integers(2, 8, 300)
        common = chance.integers(4, 20, lengths.sum())
        own = chance.integers(first, first + 10, lengths.sum())
        words = np.where(chance.random(lengths.sum()) < 0.5, common, own)
        return A4ntSentences(words, lengths, torch.device("cpu"), np.arange(300) // 10)

    return [one(20), one(30)]
