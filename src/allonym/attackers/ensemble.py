"""Several attackers as one: their scores are added, each with the weight that validation documents give it.

A conditional logit: P(author | document) ∝ exp(Σ wₐ·zₐ), where zₐ are attacker a's scores of one document, centred and
scaled over the authors, and no weight is below 0: an attacker may count for nothing, but its advice is never turned
round. Weights are the likeliest ones of documents that *no attacker learned from*, under a penalty on how far they are
from equal ones, so that with few documents, or attackers alike, the ensemble is the plain sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import InputError, ParameterError

Floats: TypeAlias = NDArray[np.float64]

_PENALTY = 3.0  # of validation reviewers; a weight 1 away costs as much as a document that gets e³ times less likely
_COMMON_WEIGHTS = (0.01, 20.0)  # the likeliest one has no end where the sum of all scores is always right


def standardised(scores: ArrayLike) -> Floats:
    """Return scores with mean 0 and spread 1 over the authors of each document; zeros where all are the same."""
    values = _finite(scores)
    centred = values - values.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    # Scores that differ by rounding errors alone say nothing.
    varies = spread > 1e-12 * np.maximum(1.0, np.abs(values).max(axis=1, keepdims=True))
    scaled: Floats = np.divide(centred, spread, out=np.zeros_like(centred), where=varies)
    return scaled


def stack(scores: Sequence[ArrayLike], truth: ArrayLike, *, penalty: float = _PENALTY) -> Floats:
    """Return one weight for each attacker, at least 0.

    Args:
        scores: Of each attacker, or of each attacker and what it learned from: documents × authors, higher is likelier.
            The documents must be such as no attacker learned from, else those that learned by heart get all the weight.
        truth: The column of each document's author.
        penalty: How much weights are held together; 0 lets them go wherever the documents send them.

    Raises:
        InputError: Scores differ in shape, are not finite, or do not fit the truth.
    """
    from scipy.optimize import minimize

    if not 0 <= penalty < np.inf:  # NaN compares false
        raise ParameterError(f"penalty must be a number of at least 0, got {penalty}.")
    layers = _layers(scores)
    answers = _answers(truth, layers)
    common = _common_weight(layers, answers)

    def cost(weights: Floats) -> tuple[float, Floats]:
        lost, slope = _lost(layers, answers, weights)
        apart = weights - common
        return lost + penalty * float(apart @ apart), slope + 2 * penalty * apart

    start = np.full(len(layers), common)
    fitted = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * len(layers))
    weights: Floats = fitted.x if np.isfinite(fitted.x).all() and fitted.x.any() else start
    return weights


def combine(scores: Sequence[ArrayLike], weights: ArrayLike | None = None) -> Floats:
    """Return the ensemble's scores, documents × authors.

    Args:
        scores: As for `stack`, in the same order; of any documents.
        weights: What `stack` returned; by default all attackers count the same.

    Raises:
        InputError: Scores differ in shape or are not finite, or there is not one weight for each attacker.
    """
    layers = _layers(scores)
    of_each = np.ones(len(layers)) if weights is None else np.asarray(weights, dtype=np.float64)
    if of_each.shape != (len(layers),) or not np.isfinite(of_each).all() or (of_each < 0).any():
        raise InputError(f"There must be one weight of at least 0 for each of the {len(layers)} attackers.")
    return np.tensordot(of_each, layers, axes=1)


def _common_weight(layers: Floats, answers: NDArray[np.intp]) -> float:
    """Return the likeliest weight if all attackers have the same."""
    from scipy.optimize import minimize_scalar

    summed = layers.sum(axis=0)[None]
    return float(
        minimize_scalar(
            lambda weight: _lost(summed, answers, np.array([weight]))[0], bounds=_COMMON_WEIGHTS, method="bounded"
        ).x
    )


def _lost(layers: Floats, answers: NDArray[np.intp], weights: Floats) -> tuple[float, Floats]:
    """Return minus the log-likelihood of the truth, and its slope."""
    logits = np.tensordot(weights, layers, axes=1)  # (documents, authors)
    logits -= logits.max(axis=1, keepdims=True)
    chances = np.exp(logits)
    totals = chances.sum(axis=1, keepdims=True)
    rows = np.arange(len(answers))
    lost = float(np.log(totals).sum() - logits[rows, answers].sum())
    expected = np.einsum("kda,da->k", layers, chances / totals)
    return lost, expected - layers[:, rows, answers].sum(axis=1)


def _layers(scores: Sequence[ArrayLike]) -> Floats:
    """Return all scores, standardised: attackers × documents × authors."""
    layers = [standardised(each) for each in scores]
    if not layers or len({layer.shape for layer in layers}) > 1:
        raise InputError("An ensemble needs scores of one attacker at least, all of the same documents and authors.")
    return np.stack(layers)


def _answers(truth: ArrayLike, layers: Floats) -> NDArray[np.intp]:
    answers = np.asarray(truth)
    _, documents, authors = layers.shape
    fits = answers.shape == (documents,) and documents > 0 and np.issubdtype(answers.dtype, np.integer)
    if not fits or answers.min() < 0 or answers.max() >= authors:
        raise InputError(f"truth must hold the column of the author, 0 to {authors - 1}, for each of the documents.")
    return answers.astype(np.intp)


def _finite(scores: ArrayLike) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2 or not np.isfinite(values).all():
        raise InputError("Scores must be finite numbers, documents × authors, with two authors at least.")
    return values
