"""Exact mathematics: near the true values, and the very bits of plain arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest

from allonym import exact_math


def near(found, wanted):
    return np.abs(np.asarray(found) / wanted - 1).max() < 1e-15


def test_logarithms_are_near_the_true_ones() -> None:
    x = np.concatenate([np.geomspace(1e-300, 1e300, 10_001), np.linspace(0.5, 2.1, 10_000), [1 + 1e-9, 1 - 1e-9]])
    x = x[x != 1]
    assert near(exact_math.log(x), [math.log(number) for number in x.tolist()])
    assert exact_math.log([1, 0]).tolist() == [0, -math.inf]


def test_powers_of_e_are_near_the_true_ones() -> None:
    x = np.linspace(-700, 700, 20_001)
    assert near(exact_math.exp(x), [math.exp(number) for number in x.tolist()])
    assert exact_math.exp([0, -math.inf, -800]).tolist() == [1, 5e-324, 5e-324]


def test_sines_and_cosines_are_near_the_true_ones() -> None:
    x = np.linspace(-1, 1, 20_000)
    sine, cosine = exact_math.sine_and_cosine(x)
    assert near(sine, [math.sin(number) for number in x.tolist()])
    assert near(cosine, [math.cos(number) for number in x.tolist()])


@pytest.mark.parametrize("function", [exact_math.log, exact_math.exp])
def test_company_does_not_matter(function) -> None:
    x = np.linspace(0.1, 30, 1003)
    assert [float(function(number)) for number in x] == function(x).tolist()
