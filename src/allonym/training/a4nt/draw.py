"""How A4NT's translators choose words so that gradients flow through the choice (section 3.2)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from allonym.errors import ParameterError


class WordDraw:
    """Makes a differentiable choice among words of their ratings (section 3.2).

    Gumbel-softmax: adding Gumbel noise to log-probabilities and taking the largest draws from them exactly; a softmax
    in its place can be differentiated, and is nearer to a choice at a lower temperature. Forwards the choice is one
    word ("straight-through", as in the authors' earlier work [34]), since networks that only ever see mixtures of words
    learn to tell mixtures from words.
    """

    def __init__(self, chance: torch.Generator, temperature: float = 0.5) -> None:
        if not temperature > 0:
            raise ParameterError(f"temperature must be positive, got {temperature}.")
        self.chance, self.temperature = chance, temperature

    def __call__(self, ratings: Tensor) -> Tensor:
        """Return one word a row of ratings (…, V), as numbers 0 and 1 through which gradients flow."""
        noisy = (ratings - self.noise(ratings)) / self.temperature
        return _choice(noisy, noisy.argmax(-1))

    def noise(self, like: Tensor) -> Tensor:
        """Return minus Gumbel noise for each of some ratings."""
        return torch.empty_like(like).exponential_(generator=self.chance).log_()

    def again(self, ratings: Tensor, noise: Tensor, chosen: Tensor) -> Tensor:
        """Return words (…,) that were chosen with this noise before, as numbers through which gradients flow."""
        return _choice((ratings - noise) / self.temperature, chosen)


def _choice(noisy: Tensor, chosen: Tensor) -> Tensor:
    drawn: Tensor = _Choice.apply(noisy, chosen)  # type: ignore[no-untyped-call]
    return drawn


class _Choice(torch.autograd.Function):
    """The chosen one of each row as numbers 0 and 1, with the gradient of the softmax.

    The same as `hard + (soft - soft.detach())`, without three more arrays of all words at all places.
    """

    @staticmethod
    def forward(ctx: Any, noisy: Tensor, chosen: Tensor) -> Tensor:  # noqa: ANN401 - torch's context has no type
        soft = noisy.softmax(-1)
        ctx.save_for_backward(soft)
        return torch.zeros_like(soft).scatter_(-1, chosen[..., None], 1.0)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:  # noqa: ANN401 - as above
        (soft,) = ctx.saved_tensors
        passed_on: Tensor = torch.ops.aten._softmax_backward_data(gradient.to(soft.dtype), soft, -1, soft.dtype)
        return passed_on, None
