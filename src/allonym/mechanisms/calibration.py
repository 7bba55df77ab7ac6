"""From the loss a person wants to pay to the ε that buys it."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from allonym.errors import ParameterError
from allonym.mechanisms.exponential import Exponential
from allonym.mechanisms.weights import ScoreRows

_LARGEST_EPSILON = 4096.0
_SMALLEST_LOSS = 1e-6  # the law moves in steps, and below this there is none left to take
_TOLERANCE = 1e-4  # how much of the wanted loss may stay unused


def exponential_for_loss(
    scores: ArrayLike | ScoreRows, *, loss: float, sensitivity: float = 1.0, tolerance: float = _TOLERANCE
) -> Exponential:
    """Return the mechanism with the largest ε whose tight loss is at most `loss`.

    Each try is one pass over the scores. The loss grows with ε almost linearly, so the bracket is shrunk along the
    chord and a handful of passes do; a mechanism is returned only if its own computed loss is within what was asked.
    """
    if not _SMALLEST_LOSS <= loss < math.inf:
        raise ParameterError(f"loss_per_word must be a number of at least {_SMALLEST_LOSS:g}, got {loss}.")
    enough = Exponential(scores, epsilon=loss, sensitivity=sensitivity)
    while enough.loss() > loss:  # the tight loss is at most ε, but for the rounding of a step
        enough = Exponential(scores, epsilon=enough.epsilon * 0.9, sensitivity=sensitivity)
    too_much = Exponential(scores, epsilon=2 * enough.epsilon, sensitivity=sensitivity)
    while too_much.loss() <= loss:
        enough = too_much
        if enough.epsilon > _LARGEST_EPSILON:
            raise ParameterError(
                f"No ε reaches a loss of {loss:g} per word here: the largest possible is about {enough.loss():.2f}. "
                f"Ask for less, or give epsilon."
            )
        too_much = Exponential(scores, epsilon=2 * enough.epsilon, sensitivity=sensitivity)
    # The law moves in steps, so where the wanted loss lies between two of them the bracket itself must end the search.
    while loss - enough.loss() > tolerance * loss and too_much.epsilon - enough.epsilon > tolerance * enough.epsilon:
        middle = Exponential(scores, epsilon=_along_chord(enough, too_much, loss), sensitivity=sensitivity)
        if middle.loss() <= loss:
            enough = middle
        else:
            too_much = middle
    return enough


def _along_chord(enough: Exponential, too_much: Exponential, loss: float) -> float:
    share = (loss - enough.loss()) / (too_much.loss() - enough.loss())
    share = min(max(share, 0.02), 0.98)  # always cut something off, even where the chord misleads
    return enough.epsilon + share * (too_much.epsilon - enough.epsilon)
