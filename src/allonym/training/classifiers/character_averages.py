"""The feed-forward network of Sari, Vlachos and Stevenson, over averages of character n-gram embeddings.

*Continuous N-gram Representations for Authorship Attribution* (2017), which ER-AE uses as its attacker. A text is the
mean of its n-grams' embeddings, and a linear layer with a softmax names the writer. Embeddings and classifier are
learned together: fastText, with characters in the place of words.

Where this differs from the authors' code: they pad every text to one length with an n-gram of its own and average over
it too, so that a short text's mean shrinks towards that; here the mean is over the n-grams that are there.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from allonym.training.fitting import Classifier
from allonym.training.steps import Rows


class CharacterAveragesNetwork(Classifier):
    """Mean of n-gram embeddings → linear → softmax.

    There are G n-grams, C classes and E numbers of an embedding; a training step leaves a share of all n-grams out.
    """

    def __init__(self, *, grams: int, classes: int, embedding_size: int, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.embedding = nn.EmbeddingBag(grams, embedding_size, mode="sum")  # (G, E); weights that add to 1: a mean
        self.output = nn.Linear(embedding_size, classes)  # (C, E)
        nn.init.xavier_uniform_(self.embedding.weight)

    def forward(self, grams: Tensor, shares: Tensor, starts: Tensor) -> Tensor:
        """Return log-probabilities (B, C) of B texts, whose n-grams lie one text after the other in one row of N.

        Each n-gram's share of its text is given, a text's shares adding to 1, and where each text's n-grams start.
        """
        # Whole n-grams are dropped, the same in all texts of a batch, as did the embedding layer of Keras 1 that the
        # authors used. Dropping single numbers instead would hardly be felt in a mean over thousands of n-grams.
        mask = nn.functional.dropout(torch.ones_like(self.embedding.weight[:, 0]), self.dropout, self.training)  # (G,)
        shares = shares * mask[grams]
        mean = self.embedding(grams, starts, per_sample_weights=shares)  # (B, E)
        scores: Tensor = self.output(mean)  # (B, C)
        return scores.log_softmax(-1)

    def optimizer(self, learning_rate: float) -> torch.optim.Optimizer:
        """Return Adam."""
        return torch.optim.Adam(self.parameters(), lr=learning_rate)


class Bags:
    """Texts as bags of n-grams, ready for batches, from texts × n-grams: how often each is in each."""

    def __init__(self, counts: sparse.csr_array) -> None:
        self._starts = counts.indptr.astype(np.int64)
        self._grams = counts.indices.astype(np.int64)
        totals = np.maximum(counts.sum(axis=1), 1)  # of a text without known n-grams nothing is divided
        self._shares = (counts.data / np.repeat(totals, np.diff(self._starts))).astype(np.float32)
        self.lengths = np.zeros(len(totals), dtype=np.int64)  # bags are never padded: any order will do

    def batch(self, rows: Rows) -> tuple[Tensor, Tensor, Tensor]:
        """Return n-grams, shares and starts of some texts; see `CharacterAverages.forward`."""
        sizes = self._starts[rows + 1] - self._starts[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        places = np.arange(sizes.sum()) + np.repeat(self._starts[rows] - starts, sizes)
        return torch.from_numpy(self._grams[places]), torch.from_numpy(self._shares[places]), torch.from_numpy(starts)
