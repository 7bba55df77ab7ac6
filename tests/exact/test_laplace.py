"""Radius, direction and rounding of the n-dimensional Laplace noise, with fixed keys and false-alarm rates of 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from allonym.errors import ParameterError
from allonym.mechanisms import LaplaceND
from allonym.randomness import insecure

FALSE_ALARM = 1e-6


@pytest.mark.parametrize(("dimensions", "epsilon"), [(1, 0.7), (2, 3.0), (3, 10.0), (10, 1.0), (101, 40.0)])
def test_radius_follows_the_gamma_law(dimensions, epsilon):
    count = 1_000_000 // max(1, dimensions // 5)
    noise = LaplaceND(dimensions, epsilon=epsilon).noise(count, insecure(dimensions))
    radii = np.linalg.norm(noise, axis=1)
    assert stats.kstest(radii, stats.gamma(dimensions, scale=1 / epsilon).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("dimensions", [2, 3, 10, 50])
def test_direction_is_uniform_on_the_sphere(dimensions):
    count = 1_000_000 // dimensions
    noise = LaplaceND(dimensions, epsilon=2.0).noise(count, insecure(dimensions))
    units = noise / np.linalg.norm(noise, axis=1, keepdims=True)
    # A coordinate of a uniform direction, (t + 1)/2, follows Beta((n − 1)/2, (n − 1)/2); so does any projection.
    law = stats.beta((dimensions - 1) / 2, (dimensions - 1) / 2)
    oblique = np.linspace(1, 2, dimensions)
    for axis in (np.eye(dimensions)[0], np.eye(dimensions)[-1], oblique / np.linalg.norm(oblique)):
        assert stats.kstest((units @ axis + 1) / 2, law.cdf).pvalue > FALSE_ALARM
    angles = np.arctan2(units[:, 0], units[:, 1])
    assert stats.kstest((angles / math.pi + 1) / 2, "uniform").pvalue > FALSE_ALARM
    assert abs(stats.spearmanr(np.linalg.norm(noise, axis=1), units[:, 0]).statistic) < 5 / math.sqrt(count)


def test_the_tests_can_fail():
    noise = LaplaceND(3, epsilon=2.1).noise(200_000, insecure(1))
    assert stats.kstest(np.linalg.norm(noise, axis=1), stats.gamma(3, scale=1 / 2.0).cdf).pvalue < FALSE_ALARM


def test_one_dimension_is_the_laplace_law():
    noise = LaplaceND(1, epsilon=3.0).noise(300_000, insecure(4))[:, 0]
    assert stats.kstest(noise, stats.laplace(scale=1 / 3.0).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("dimensions", "epsilon"), [(2, 1.0), (100, 30.0), (300, 0.1)])
def test_everything_lies_on_the_grid(dimensions, epsilon):
    mechanism = LaplaceND(dimensions, epsilon=epsilon)
    assert math.log2(mechanism.grid).is_integer()
    assert 2**-11 <= mechanism.grid * epsilon / dimensions <= 2**-10
    rng = insecure(2)
    points = rng.uniforms((50, dimensions))
    moved = mechanism.perturb(points, rng.uniforms((50, mechanism.uniforms_per_point)))
    for values in (moved, mechanism.noise(50, rng)):
        assert (values / mechanism.grid == np.rint(values / mechanism.grid)).all()


def test_computed_noise_is_close_to_the_noise_in_higher_precision():
    """The δ of the proof: float64 against extended precision, from the same uniforms."""
    for dimensions in (2, 100, 1001):
        mechanism = LaplaceND(dimensions, epsilon=1.0)
        uniforms = insecure(5).uniforms((40, mechanism.uniforms_per_point))
        exact = uniforms.astype(np.longdouble)
        radius = -np.log(exact[:, :dimensions]).sum(axis=1)
        lengths, angles = (
            np.sqrt(-2 * np.log(exact[:, dimensions::2])),
            2 * np.longdouble(math.pi) * exact[:, dimensions + 1 :: 2],
        )
        normals = np.concatenate([lengths * np.cos(angles), lengths * np.sin(angles)], axis=1)[:, :dimensions]
        ideal = normals / np.sqrt((normals**2).sum(axis=1, keepdims=True)) * radius[:, None]
        error = np.abs(mechanism._noise(uniforms.copy()) - ideal).max()
        assert error <= 2.0**-44 * (radius.max() + dimensions)


def test_the_slack_covers_the_proof():
    """n·ln((λ + 2δ)/(λ − 2δ)) + 2εδ√n at the largest radius there can be, 134·n/ε, for δ = 2^−44·(r + n/ε)."""
    for dimensions in (1, 2, 100, 4096):
        for epsilon in (0.01, 1.0, 50.0):
            mechanism = LaplaceND(dimensions, epsilon=epsilon)
            delta = 2.0**-44 * 135 * dimensions / epsilon
            growth = dimensions * math.log((mechanism.grid + 2 * delta) / (mechanism.grid - 2 * delta))
            assert growth + 2 * epsilon * delta * math.sqrt(dimensions) <= mechanism.slack


def test_cell_frequencies_keep_the_promise_in_one_dimension():
    """Black box: for two points, no cell's Clopper–Pearson lower bound on the ratio exceeds the claimed loss."""
    mechanism = LaplaceND(1, epsilon=1.0)
    draws, distance = 1_000_000, 1.5
    cells = []
    for start in (0.0, distance):
        uniforms = insecure(7 + int(start)).uniforms((draws, mechanism.uniforms_per_point))
        moved = mechanism.perturb(np.full((draws, 1), start), uniforms)[:, 0]
        cells.append(np.histogram(moved, np.arange(-6.25, 8.0, 0.5))[0])
    alpha = FALSE_ALARM / (2 * len(cells[0]))
    worst = 0.0
    for first, second in (cells, cells[::-1]):
        low = stats.beta.ppf(alpha, first, draws - first + 1)
        high = stats.beta.ppf(1 - alpha, second + 1, draws - second)
        worst = max(worst, np.nanmax(np.log(low / high)))
    assert worst <= mechanism.loss(distance)
    assert worst > 0.9 * mechanism.loss(distance)  # and the check has teeth


def test_uniforms_have_full_precision_near_zero():
    values = insecure(3).uniforms((1_000_000,))
    assert values.min() > 0
    assert values.max() <= 1
    assert stats.kstest(values, "uniform").pvalue > FALSE_ALARM
    small = values[values < 2**-12]
    assert len(np.unique(np.frexp(small)[0] * 2**53 % 2)) == 2  # the last bit is random, not cut off


def test_bad_parameters_fail_at_once():
    for bad in (0, -1, 1.5, True, 5000):
        with pytest.raises(ParameterError, match="dimensions"):
            LaplaceND(bad, epsilon=1.0)
    for bad in (0, -1, math.nan, math.inf):
        with pytest.raises(ParameterError, match="epsilon"):
            LaplaceND(2, epsilon=bad)
    for bad in (-1, math.nan, math.inf):
        with pytest.raises(ParameterError, match="distance"):
            LaplaceND(2, epsilon=1.0).loss(bad)
    assert LaplaceND(2, epsilon=1.0).loss(0.0) == 0.0
