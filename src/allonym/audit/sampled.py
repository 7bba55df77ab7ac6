"""Audits by sampling: a lower bound on the loss between two inputs that holds with high confidence.

Draws of the two inputs are cut in halves. The first half chooses an event (the outputs that speak most for one of the
inputs) and the direction; the second half alone judges it. Because the choice never sees the draws that judge it, it
may be as greedy as it likes. With several pairs, α is divided among them, so the confidence is that of all bounds.

The judgement: let u be the probability of at least as many hits as were seen if the event's probability under one input
is p, and v that of at most as many if it is q under the other (the tails behind Clopper and Pearson's limits). For the
true p and q, u and v are independent and each at most t with a probability of at most t, so u·v ≤ c happens with a
probability of at most c·(1 − ln c) = α. The loss ln(p/q) is therefore at least the smallest one of all p and q with
u·v ≥ c. Two limits at α/2 each would also do, and give away some of the bound: both are rarely off at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allonym.audit.findings import CONFIDENCE, Finding, Verdict
from allonym.errors import ParameterError
from allonym.mechanisms.base import Float64, Int64

Sampler = Callable[[int], Int64]

_MOST_EVENTS = 400
_TAILS = 400


@dataclass(frozen=True)
class Pair:
    """Two inputs of a mechanism and what is claimed about them."""

    names: tuple[str, str]
    claimed: float | None  # the most they may be told apart by; None where nothing is claimed
    first: Sampler  # draws so many outputs, as whole numbers, of the first input
    second: Sampler  # the same of the second


@dataclass(frozen=True)
class Bound:
    """A lower bound on the loss between two inputs."""

    loss: float  # 0 where nothing could be shown
    likely: int  # how many of the judging draws of one input were in the event
    unlikely: int  # how many of the other's
    draws: int  # judging draws of each input; the same number chose the event before
    swapped: bool  # whether the event speaks for the second input
    outputs: int  # how many outputs the event holds


def lowest_share(hits: Int64 | int, draws: int, alpha: float | Float64) -> Float64:
    """Return Clopper and Pearson's lower limit: the probability is below it with a probability of at most α."""
    from scipy.stats import beta

    return np.where(np.greater(hits, 0), beta.ppf(alpha, np.maximum(hits, 1), draws - hits + 1), 0.0)


def highest_share(hits: Int64 | int, draws: int, alpha: float | Float64) -> Float64:
    """Return Clopper and Pearson's upper limit."""
    return 1 - lowest_share(draws - hits, draws, alpha)


def reach(draws: int, alpha: float) -> float:
    """Return the largest loss that so many judging draws could ever show."""
    return least_loss(draws, 0, draws, alpha)


def least_loss(likely: int, unlikely: int, draws: int, alpha: float) -> float:
    """Return what the loss is at least, except with probability α; 0 where nothing is shown.

    `likely` and `unlikely` are the event's hits among as many draws of the one input and of the other.
    """
    from scipy.optimize import brentq

    product = brentq(lambda c: c * (1 - math.log(c)) - alpha, 1e-300, alpha, xtol=1e-300, rtol=1e-12) * (1 - 1e-9)
    tails = np.geomspace(product, 1, _TAILS)
    low = lowest_share(likely, draws, tails)
    high = highest_share(unlikely, draws, np.minimum(product / tails, 1.0))
    # Between two neighbouring tails u, p is at least that of the smaller and q at most that of the larger.
    return max(0.0, float(_log_quotient(low[:-1], high[1:]).min()))


def loss_bound(first: Int64, second: Int64, alpha: float) -> Bound:
    """Return a lower bound on the loss between two inputs, from as many draws of each, that fails with at most α."""
    if len(first) != len(second) or len(first) < 4:
        raise ParameterError("A bound needs the same number of draws of both inputs, at least 4.")
    half = len(first) // 2
    outputs, codes = np.unique(np.concatenate([first[: 2 * half], second[: 2 * half]]), return_inverse=True)
    choose_first, judge_first, choose_second, judge_second = codes.reshape(4, half)
    swapped, event = _choose(choose_first, choose_second, len(outputs), alpha)
    inside = np.zeros(len(outputs), np.bool_)
    inside[event] = True
    pair = (judge_second, judge_first) if swapped else (judge_first, judge_second)
    likely, unlikely = (int(inside[drawn].sum()) for drawn in pair)
    return Bound(least_loss(likely, unlikely, half, alpha), likely, unlikely, half, swapped, len(event))


def _choose(first: Int64, second: Int64, outputs: int, alpha: float) -> tuple[bool, Int64]:
    """Return the direction and the likelihood-ratio event with the best bound on the choosing draws.

    Half of them rank the outputs and the other half tell how many of the first to take. With one half for both, all
    outputs that happened to come for one input alone would look telling.
    """
    ranking, trial = np.array_split(np.stack([first, second]), 2, axis=1)
    seen = [np.bincount(drawn, minlength=outputs) for drawn in ranking]
    tried = [np.bincount(drawn, minlength=outputs) for drawn in trial]
    sizes = np.unique(np.geomspace(1, outputs, _MOST_EVENTS).astype(np.int64))
    best, chosen = -math.inf, (False, np.zeros(0, np.int64))
    for mine in (0, 1):
        order = np.argsort(-(seen[mine] + 0.5) / (seen[1 - mine] + 0.5), kind="stable")
        hits, others = (tried[counts][order].cumsum()[sizes - 1] for counts in (mine, 1 - mine))
        low = lowest_share(hits, trial.shape[1], alpha / 2)
        bounds = _log_quotient(low, highest_share(others, trial.shape[1], alpha / 2))
        index = int(bounds.argmax())
        if bounds[index] > best:
            best, chosen = float(bounds[index]), (bool(mine), order[: sizes[index]])
    return chosen


def _log_quotient(low: Float64, high: Float64) -> Float64:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(low) - np.log(high), np.float64)


def audit_pairs(pairs: Sequence[Pair], draws: int, *, where: str = "drawn") -> Finding:
    """Return the finding about pairs of inputs: so many draws of each judge, the same number choose before."""
    if not pairs or draws < 2:
        raise ParameterError("An audit by sampling needs pairs, and 2 draws or more.")
    alpha = (1 - CONFIDENCE) / len(pairs)
    bounds = [loss_bound(pair.first(2 * draws), pair.second(2 * draws), alpha) for pair in pairs]
    return judge_bounds(pairs, bounds, confidence=CONFIDENCE, where=where, check="sampled loss")


def judge_bounds(
    pairs: Sequence[Pair], bounds: Sequence[Bound], *, confidence: float, where: str, check: str
) -> Finding:
    """Return the finding about bounds, one a pair, which hold together with this confidence."""
    alpha = (1 - confidence) / len(pairs)
    excess = [bound.loss - (pair.claimed or 0.0) for pair, bound in zip(pairs, bounds, strict=True)]
    worst = int(np.argmax(excess))
    pair, bound = pairs[worst], bounds[worst]
    says = f"At {100 * confidence:g} % the loss is at least {bound.loss:.4f}"
    rest = "" if pair.claimed is None else f", claimed {pair.claimed:.4f}"
    verdict: Verdict = "measured" if pair.claimed is None else "violated" if excess[worst] > 0 else "holds"
    furthest = reach(bound.draws, alpha)
    if verdict == "holds" and (pair.claimed or 0) > furthest:
        rest += f"; more than {furthest:.2f} could not be shown with so few draws"
    says += f"{rest} ({where}: {pair.names[0]} and {pair.names[1]}, {bound.draws:,} draws of each)."
    each = [_figures(*compared) for compared in zip(pairs, bounds, strict=True)]
    figures = {"confidence": confidence, "reach": furthest, "pairs": each}
    return Finding(check, verdict, says, figures, tells=any(bound.loss > 0 for bound in bounds))


def _figures(pair: Pair, bound: Bound) -> dict[str, Any]:
    return {
        "inputs": list(pair.names),
        "claimed": pair.claimed,
        "lower_bound": bound.loss,
        "draws": bound.draws,
        "event": {
            "outputs": bound.outputs,
            "speaks_for": pair.names[int(bound.swapped)],
            "hits": bound.likely,
            "hits_of_the_other": bound.unlikely,
        },
    }


@dataclass(frozen=True)
class Reconstruction:
    """How often the best guess of the input from the output is right."""

    success: float
    low: float
    high: float  # upper limit; both are the share itself, rounded, for a known law
    inputs: int  # how many inputs were guessed among, each as likely


def reconstruct(drawn: Sequence[Int64], alpha: float) -> Reconstruction:
    """Return how often an attacker who learned from half of the draws names the input of the other half.

    Outputs of each input are equally many; the limits miss the attacker's true rate with probability α.
    """
    half = len(drawn[0]) // 2
    outputs, codes = np.unique(np.concatenate([draws[: 2 * half] for draws in drawn]), return_inverse=True)
    halves = codes.reshape(len(drawn), 2, half)
    learned = np.stack([np.bincount(pair[0], minlength=len(outputs)) for pair in halves])
    guesses = learned.argmax(axis=0)
    right = sum(int((guesses[pair[1]] == number).sum()) for number, pair in enumerate(halves))
    asked = half * len(drawn)
    low, high = lowest_share(right, asked, alpha / 2), highest_share(right, asked, alpha / 2)
    return Reconstruction(right / asked, float(low), float(high), len(drawn))


def most_success(claimed: float, inputs: int) -> float:
    """Return how often the best guess of one of equally likely inputs can be right if any two lose at most this much.

    An output's probabilities under the others are at least e^−ε times that under the guessed one, so the guess has at
    most e^ε / (e^ε + n − 1) of their sum.
    """
    return 1 / (1 + (inputs - 1) * math.exp(-claimed))


def judge_reconstruction(guess: Reconstruction, *, exact: bool, claimed: float | None = None) -> Finding:
    """Return the finding about the best guess, beside chance and what a claim about all pairs of inputs allows."""
    chance = 1 / guess.inputs
    how = "exactly" if exact else f"{guess.low:.4f} to {guess.high:.4f}, from draws"
    says = f"The best guess of one of {guess.inputs:,} inputs is right {guess.success:.4f} of the time ({how})"
    says += f"; chance is {chance:.4g}"
    figures = {"success": guess.success, "low": guess.low, "high": guess.high, "chance": chance}
    tells = guess.low > chance
    if claimed is None:
        return Finding("reconstruction", "measured", f"{says}.", figures, tells)
    allowed = most_success(claimed, guess.inputs)
    verdict: Verdict = "violated" if guess.low > allowed * (1 + 1e-9) else "holds"
    says += f", and the claim allows {allowed:.4f}."
    return Finding("reconstruction", verdict, says, {**figures, "allowed": allowed}, tells)
