from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from allonym.errors import ParameterError
from allonym.mechanisms import Exponential
from allonym.mechanisms.calibration import exponential_for_loss
from allonym.randomness import insecure, secure
from allonym.vectors.ratings import IdentityRatings, WordRatings


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
def test_bad_parameters_fail_at_once(value):
    with pytest.raises(ParameterError, match="epsilon must be a positive number"):
        Exponential(np.eye(2), epsilon=value)
    with pytest.raises(ParameterError, match="sensitivity must be a positive number"):
        Exponential(np.eye(2), epsilon=1.0, sensitivity=value)


@pytest.mark.parametrize("scores", [[1.0], [[]], [[math.nan, 0.0]], [[math.inf, 0.0]], np.zeros((2, 2, 2))])
def test_bad_scores_fail_at_once(scores):
    with pytest.raises(ParameterError, match="scores must be"):
        Exponential(scores, epsilon=1.0)


@pytest.mark.parametrize("inputs", [[2], [-1], [0.5], ["a"], [10**12]])
def test_bad_inputs_are_refused(inputs):
    with pytest.raises(ParameterError, match="Inputs must be whole numbers"):
        Exponential(np.eye(2), epsilon=1.0).draw(inputs, secure())
    with pytest.raises(ParameterError, match="An input must be from 0 to 1"):
        Exponential(np.eye(2), epsilon=1.0).law(2)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (4, 0, 2)])
def test_draws_have_the_shape_of_the_inputs(shape):
    drawn = Exponential(np.eye(3), epsilon=1.0).draw(np.ones(shape, int), secure())
    assert drawn.shape == shape
    assert drawn.dtype == np.int64


def test_scores_are_copied():
    scores = np.eye(3)
    mechanism = Exponential(scores, epsilon=4.0)
    before = mechanism.law(0)
    scores[:] = 0
    assert (mechanism.law(0) == before).all()


def test_a_draw_does_not_depend_on_its_neighbours():
    """Document rows keep their outcome when other documents join or leave the batch."""
    mechanism = Exponential(insecure(1).below(100, (20, 30)) / 100, epsilon=3.0)
    inputs = insecure(2).below(20, (8, 50))
    digests = [bytes([i]) * 32 for i in range(8)]
    whole = mechanism.draw(inputs, insecure(3).documents(digests))
    parts = [
        mechanism.draw(inputs[a:b], insecure(3).documents(digests[a:b], start=a)) for a, b in ((0, 1), (1, 5), (5, 8))
    ]
    assert (whole == np.concatenate(parts)).all()


def test_one_output_loses_nothing():
    mechanism = Exponential(np.zeros((3, 1)), epsilon=5.0)
    assert mechanism.loss() < 1e-9
    assert mechanism.draw([0, 1, 2], secure()).tolist() == [0, 0, 0]


@pytest.mark.parametrize("target", [0.05, 1.0, 5.0, 12.0])
def test_calibration_spends_what_was_asked_and_no_more(target):
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "lmnrst"]
    vectors = insecure(3).below(2001, (len(words), 15)).astype(np.float32) - 1000
    mechanism = exponential_for_loss(WordRatings(words, vectors, spelling_weight=0.3), loss=target)
    assert mechanism.loss() <= target
    # Within the tolerance, or within a step of the law (1/4096 octave on either side of the ratio).
    assert mechanism.loss() >= target * (1 - 2e-4) - 2 * math.log(2) / 4096
    assert mechanism.epsilon > target * 0.99


def test_calibration_says_when_a_loss_cannot_be_reached():
    with pytest.raises(ParameterError, match="the largest possible is about 30"):
        exponential_for_loss(np.eye(4), loss=100.0)
    for bad in (0, -2, math.nan, math.inf):
        with pytest.raises(ParameterError, match="loss_per_word must be a number of at least"):
            exponential_for_loss(np.eye(4), loss=bad)


def test_a_large_vocabulary_needs_no_square_matrix():
    tracemalloc.start()
    try:
        mechanism = Exponential(IdentityRatings(200_000), epsilon=30.0)
        drawn = mechanism.draw(np.arange(0, 200_000, 10_000), insecure(1))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert drawn.shape == (20,)
    assert peak < 64 * 2**20  # the square matrix would take 160 GB


def renyi_between(p, q, order):
    """The Rényi divergence D_α(p ‖ q) of two laws with the same support."""
    exponents = np.log(p) + (order - 1) * np.log(p / q)
    return float(exponents.max() + np.log(np.exp(exponents - exponents.max()).sum())) / (order - 1)


def test_renyi_between_pairs_and_its_bound():
    mechanism = Exponential(insecure(1).below(101, (9, 12)) / 100, epsilon=6.0)
    laws = [mechanism.law(i) for i in range(9)]
    for order in (1.01, 1.5, 2.0, 8.0):
        exact = max(renyi_between(p, q, order) for p in laws for q in laws)
        assert exact <= mechanism.renyi(order) <= exact + 1e-6
        bounded = np.log(max(mechanism._moments(np.arange(9), order, every_pair=False))) / (order - 1)
        assert exact <= bounded + 1e-12
        assert mechanism.renyi(order) <= mechanism.loss()
    for bad in (1.0, 0.5, math.nan, math.inf):
        with pytest.raises(ParameterError, match="order"):
            mechanism.renyi(bad)
