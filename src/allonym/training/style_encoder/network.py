"""The style encoder in torch: two networks that map counts of n-grams to unit vectors, each trained by itself.

`FeatureWeights` learns one number for each n-gram: how much it tells about writers. Its vector is the text's n-grams,
damped and weighed. It has too few numbers to learn its training writers by heart, and carries over to new ones.

`StyleVector` has a row of numbers for each (coarser) n-gram and a small network behind their sum. It sees which n-grams
go together in a writer's hand, and learns the training writers by heart unless much is left out while it trains.

B texts, F n-grams' numbers, D numbers of a row of the table, V of a vector.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from allonym.networks.style_encoder.inference import STEPS_PER_DOUBLING, StyleShape
from allonym.networks.style_encoder.text import COARSE, FINE, KINDS

_LEAST_SPREAD = 0.02  # of a damped count over texts; an n-gram that is rarer still counts as if it were not
_LEAST_LENGTH = 1e-3


class FeatureWeights(nn.Module):
    """Counts of n-grams → n-grams, damped and weighed, each kind brought to the length of its share."""

    base: Tensor

    def __init__(self, sizes: tuple[int, ...] = FINE) -> None:
        super().__init__()
        self.sizes = sizes
        self.register_buffer("base", torch.zeros(sum(sizes)))  # logarithms, to begin with
        self.logs = nn.Parameter(torch.zeros(sum(sizes)))  # what training adds
        self.shares = nn.Parameter(torch.zeros(len(KINDS)))
        self.scale = nn.Parameter(torch.tensor(3.0))  # of the contrastive loss, as a logarithm

    @torch.no_grad()
    def begin(self, batches_of_counts: Iterable[Tensor], exponent: float) -> None:
        """Weigh each n-gram by a negative power of how much its damped count varies from text to text."""
        total = squares = torch.zeros_like(self.base, dtype=torch.float64)
        many = 0
        for counts in batches_of_counts:
            steps = torch.log2(1 + self._fitting(counts)).double()
            total, squares, many = total + steps.sum(0), squares + steps.square().sum(0), many + len(steps)
        spread = (squares / many - (total / many).square()).clamp(min=0).sqrt()
        self.base.copy_(-exponent * spread.clamp(min=_LEAST_SPREAD).log())

    def forward(self, counts: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return vectors of length 1 (B, F) of counts of the finest n-grams, of which some are not kept in training."""
        return self._weighed(self._fitting(counts), mask)

    def cosine_scale(self) -> Tensor:
        """Return what cosines are multiplied by in the loss."""
        return self.scale.exp()

    def _fitting(self, counts: Tensor) -> Tensor:
        """Add up the counts of n-grams that share a number."""
        if self.sizes == FINE:
            return counts
        parts = zip(torch.split(counts, list(FINE), dim=1), self.sizes, strict=True)
        return torch.cat([part.view(len(part), size, -1).sum(2) for part, size in parts], dim=1)

    def _weighed(self, counts: Tensor, mask: Tensor | None) -> Tensor:
        steps = (torch.log2(1 + counts) * STEPS_PER_DOUBLING).round_() / STEPS_PER_DOUBLING
        if mask is not None:
            steps = steps * mask
        weighed = steps * (self.base + self.logs).exp()
        # On a graphics card half of the precision does, and the sums over F are the largest of all.
        kind = torch.bfloat16 if counts.is_cuda else torch.float32
        parts = zip(torch.split(weighed, list(self.sizes), dim=1), self.shares.softmax(0).sqrt(), strict=True)
        scaled = [part * (share / part.norm(dim=1, keepdim=True).clamp(min=_LEAST_LENGTH)) for part, share in parts]
        return torch.cat([part.to(kind) for part in scaled], dim=1)


class StyleVector(FeatureWeights):
    """Counts of n-grams → a table's rows, added up → a layer of ReLU beside a linear one → a unit vector.

    In the loss, cosines are divided by the temperature.
    """

    def __init__(self, shape: StyleShape | None = None, *, dropout: float = 0.5, temperature: float = 0.05) -> None:
        super().__init__(COARSE)
        self.shape = shape or StyleShape()
        self.dropout, self.temperature = dropout, temperature
        self.table = nn.Parameter(torch.empty(sum(COARSE), self.shape.table).normal_(std=0.5))  # (F, D)
        self.bias = nn.Parameter(torch.zeros(self.shape.table))
        self.inner = nn.Linear(self.shape.table, self.shape.hidden)
        self.outer = nn.Linear(self.shape.hidden, self.shape.vector)
        self.straight = nn.Linear(self.shape.table, self.shape.vector, bias=False)

    def forward(self, counts: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return vectors of length 1 (B, V); see `FeatureWeights.forward`."""
        weighed = self._weighed(self._fitting(counts), None if mask is None else mask[: len(self.base)])
        summed = (weighed @ self.table.to(weighed.dtype)).float() + self.bias  # (B, D)
        summed = summed / summed.square().mean(1, keepdim=True).sqrt().clamp(min=1e-6)
        hidden = nn.functional.dropout(torch.relu(self.inner(summed)), self.dropout, self.training)
        return nn.functional.normalize(self.outer(hidden) + self.straight(summed), dim=1)

    def cosine_scale(self) -> Tensor:
        """Return what cosines are multiplied by in the loss."""
        return torch.full_like(self.scale, 1 / self.temperature)
