"""Figures that are no measurements: what the mechanisms' own classes compute."""

from __future__ import annotations

import math
from collections.abc import Callable

from allonym.mechanisms import Subset, TwoSet

WORDS = 20_000  # that the shipped network of ER-AE rates


def two_set_loss(epsilon: float) -> float:
    """Return the tight loss of a draw."""
    return TwoSet(WORDS, epsilon=epsilon).loss()


def two_set_published(epsilon: float) -> float:
    """Return the loss that the paper proves for a draw."""
    return TwoSet(WORDS, epsilon=epsilon).as_published


def two_set_share(epsilon: float) -> float:
    """Return the largest probability of all candidates together."""
    return TwoSet(WORDS, epsilon=epsilon).most_for_candidates


def subset_share(loss: float, candidates: float) -> float:
    """Return the probability of all candidates together."""
    return Subset(WORDS, loss=loss, candidates=int(candidates)).probability_of_candidates


def subset_loss(share: float, candidates: float) -> float:
    """Return the loss at which all candidates together have a probability."""
    return math.log(share * (WORDS - candidates) / (candidates * (1 - share)))


def odds(epsilon: float) -> float:
    """Return the factor by which odds shift at most."""
    return math.exp(epsilon)


def belief(epsilon: float) -> float:
    """Return the probability that even odds become at most."""
    return 1 / (1 + math.exp(-epsilon))


LAWS: dict[str, Callable[..., float]] = {
    law.__name__: law
    for law in (two_set_loss, two_set_published, two_set_share, subset_share, subset_loss, odds, belief)
}
LAWS["ln"] = math.log
