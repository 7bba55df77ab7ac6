from __future__ import annotations

import math

import numpy as np
import pytest

from allonym.errors import ParameterError
from allonym.mechanisms import Exponential
from allonym.mechanisms.bounds import (
    alternative_bound,
    necessary_epsilon,
    standard_bound,
    sufficient_epsilon,
    utility_bounds,
)
from allonym.randomness import insecure


def test_the_three_bounds_are_ordered():
    half = insecure(1).below(101, (12, 12)) / 100
    symmetric = np.minimum(half, half.T)
    for epsilon in (0.1, 2.0, 20.0, 47.5):
        tight = Exponential(symmetric, epsilon=epsilon).loss()
        assert tight <= alternative_bound(epsilon, 12) + 1e-6 < standard_bound(epsilon) + 1e-6


@pytest.mark.parametrize("outputs", [2, 5, 40])
def test_the_alternative_bound_is_nearly_attained(outputs):
    for epsilon in (1.0, 5.0, 20.0):
        tight = Exponential(np.eye(outputs), epsilon=epsilon).loss()
        assert tight <= alternative_bound(epsilon, outputs) + 1e-6
        if outputs == 2:  # one input's best output is the other's worst: the proof's worst case itself
            assert tight == pytest.approx(alternative_bound(epsilon, 2), abs=1e-6)


def test_the_alternative_bound_by_its_formula():
    for epsilon in (0.5, 3.0, 47.5):
        for outputs in (2, 100, 30_000):
            eta = (math.exp(-epsilon / 2) + outputs - 1) / (math.exp(epsilon / 2) + outputs - 1)
            assert alternative_bound(epsilon, outputs) == pytest.approx(epsilon + math.log(eta), abs=1e-9)
    assert alternative_bound(3.0, 1) == pytest.approx(0.0, abs=1e-12)
    assert all(alternative_bound(epsilon, 1) >= 0 for epsilon in (0.3, 3.0, 47.5))
    assert math.isfinite(alternative_bound(1e5, 30_000))


@pytest.mark.parametrize("seed", range(6))
def test_utility_bounds_hold_for_the_exact_probability(seed):
    row = insecure(seed).below(1001, (1, 40)) / 1000
    for epsilon in (0.5, 5.0, 30.0):
        law = Exponential(row, epsilon=epsilon).law(0)
        for threshold in np.quantile(row, [0.3, 0.8, 0.95]):
            threshold = row[row >= threshold].min()
            good, bad = row[0] >= threshold, row[0] < threshold
            gap, spread = threshold - row[0][bad].max(), row.max() - row.min()
            lower, upper = utility_bounds(epsilon, good=good.sum(), bad=bad.sum(), gap=gap, spread=spread)
            assert lower - 1e-6 <= law[good].sum() <= upper + 1e-6


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
def test_necessary_and_sufficient_epsilon(probability):
    row = np.array([[1.0, 0.9, 0.5, 0.4, 0.1, 0.0, 0.0, 0.0]])
    good = row[0] >= 0.9
    needed = necessary_epsilon(probability, good=2, bad=6, spread=1.0)
    enough = sufficient_epsilon(probability, good=2, bad=6, gap=0.4)
    assert needed <= enough
    if enough:
        assert Exponential(row, epsilon=enough).law(0)[good].sum() >= probability - 1e-6
    if needed:
        assert Exponential(row, epsilon=needed * 0.999).law(0)[good].sum() <= probability + 1e-6
    lower, _ = utility_bounds(enough or 1e-9, good=2, bad=6, gap=0.4, spread=1.0)
    assert lower >= probability - 1e-9 or not enough


def test_large_outputs_need_a_large_epsilon():
    """The paper's point: ε must grow like 2·ln of the number of outputs."""
    small, large = (necessary_epsilon(0.5, good=5, bad=bad, spread=1.0) for bad in (95, 29_995))
    assert large == pytest.approx(2 * math.log(29_995 / 5))
    assert large > small > 0


def test_nonsense_is_refused():
    for call in (
        lambda: standard_bound(0),
        lambda: alternative_bound(math.nan, 3),
        lambda: alternative_bound(1.0, 0),
        lambda: utility_bounds(1.0, good=0, bad=3, gap=0.1, spread=1.0),
        lambda: utility_bounds(1.0, good=1, bad=-3, gap=0.1, spread=1.0),
        lambda: necessary_epsilon(1.0, good=1, bad=3, spread=1.0),
        lambda: sufficient_epsilon(0.5, good=1, bad=3, gap=0.0),
        lambda: sufficient_epsilon(0.5, good=1, bad=3, gap=0.1, sensitivity=math.nan),
    ):
        with pytest.raises(ParameterError):
            call()
