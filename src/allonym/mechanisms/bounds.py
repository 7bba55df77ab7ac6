"""Bounds on the exponential mechanism that need no look at the scores (SynTF, sections 3.4.1 and 3.4.3).

The tight loss of a given mechanism is `Exponential.loss`; these are what can be said before there is one.
"""

from __future__ import annotations

import math

from allonym.errors import ParameterError


def standard_bound(epsilon: float) -> float:
    """Return the loss every exponential mechanism keeps: ε (McSherry and Talwar 2007)."""
    _check_positive("epsilon", epsilon)
    return float(epsilon)


def alternative_bound(epsilon: float, outputs: int) -> float:
    """Return ε + ln η (theorem 3.4), for scores whose range over the outputs is no larger than the sensitivity.

    So it is for SynTF: all inputs are adjacent and the rating is symmetric.
    """
    _check_positive("epsilon", epsilon)
    if outputs < 1:
        raise ParameterError(f"outputs must be at least 1, got {outputs}.")
    # ln η = ln(e^(−ε/2) + s − 1) − ln(e^(ε/2) + s − 1), with e^(ε/2) factored out so that large ε cannot overflow.
    above = math.log(math.exp(-epsilon / 2) + outputs - 1)
    below = epsilon / 2 + math.log1p((outputs - 1) * math.exp(-epsilon / 2))
    return max(0.0, epsilon + above - below)  # rounding may leave a little less than nothing


def utility_bounds(
    epsilon: float, *, good: int, bad: int, gap: float, spread: float, sensitivity: float = 1.0
) -> tuple[float, float]:
    """Return lower and upper bound on the probability of a good output (theorem 3.6).

    Args:
        epsilon: The mechanism's ε.
        good: How many outputs score at least the threshold τ.
        bad: How many score less.
        gap: c, τ less the best score among the bad ones.
        spread: The row's highest score less its lowest.
        sensitivity: Δ.
    """
    _check_positive("epsilon", epsilon)
    _check_utility(good, bad, sensitivity)

    def bound(distance: float) -> float:
        return good / (good + bad * math.exp(-epsilon * distance / (2 * sensitivity)))

    return bound(gap), bound(spread)


def necessary_epsilon(probability: float, *, good: int, bad: int, spread: float, sensitivity: float = 1.0) -> float:
    """Return the ε below which no mechanism gives a good output with this probability (corollary 3.7)."""
    return _epsilon_for(probability, good, bad, spread, sensitivity)


def sufficient_epsilon(probability: float, *, good: int, bad: int, gap: float, sensitivity: float = 1.0) -> float:
    """Return an ε at which every mechanism gives a good output with this probability (corollary 3.7)."""
    return _epsilon_for(probability, good, bad, gap, sensitivity)


def _epsilon_for(probability: float, good: int, bad: int, distance: float, sensitivity: float) -> float:
    if not 0 < probability < 1:
        raise ParameterError(f"probability must be above 0 and below 1, got {probability}.")
    _check_utility(good, bad, sensitivity)
    _check_positive("the difference of scores", distance)
    odds = probability / (1 - probability) * bad / good
    # Where chance alone suffices the formula is negative; no positive ε is too small then.
    return max(0.0, 2 * sensitivity / distance * math.log(odds)) if bad else 0.0


def _check_positive(name: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise ParameterError(f"{name} must be a positive number, got {value}.")


def _check_utility(good: int, bad: int, sensitivity: float) -> None:
    if good < 1 or bad < 0:
        raise ParameterError(f"There must be at least one good output and no negative number, got {good} and {bad}.")
    _check_positive("sensitivity", sensitivity)
