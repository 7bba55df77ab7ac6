"""Radius, direction and rounding of the n-dimensional Laplace noise, with fixed keys and false-alarm rates of 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from allonym.errors import ParameterError
from allonym.mechanisms import LaplaceND
from allonym.randomness import Stream, insecure

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
    points = rng.centred((50, dimensions))
    moved = mechanism.perturb(points, rng.centred((50, mechanism.numbers_per_point)))
    for values in (moved, mechanism.noise(50, rng)):
        assert (values / mechanism.grid == np.rint(values / mechanism.grid)).all()


def noise_in_higher_precision(dimensions, numbers):
    """r·u and r for ε = 1, by the formulas of the docs in extended precision."""
    pairs = (dimensions + 1) // 2
    x = numbers.astype(np.longdouble)
    exponentials = np.where(x < 0, -np.log1p(np.minimum(x, 0)), -np.log(np.maximum(x, np.finfo(np.longdouble).tiny)))
    radius = exponentials[:, :pairs].sum(axis=1) + exponentials[:, 2 * pairs :].sum(axis=1)
    pi = np.longdouble("3.14159265358979323846264338327950288")
    lengths, angles = np.sqrt(2 * exponentials[:, :pairs]), 2 * pi * x[:, pairs : 2 * pairs]
    whole = dimensions // 2
    normals = [lengths[:, :whole] * np.cos(angles[:, :whole]), lengths[:, :whole] * np.sin(angles[:, :whole])]
    if dimensions % 2:
        normals.append(lengths[:, -1:] * np.sin(angles[:, -1:] / 2))
    normals = np.concatenate(normals, axis=1)
    return normals / np.sqrt((normals**2).sum(axis=1, keepdims=True)) * radius[:, None], radius


@pytest.mark.parametrize("dimensions", [1, 2, 3, 100, 1001])
def test_computed_noise_is_close_to_the_noise_in_higher_precision(dimensions):
    """The δ of the proof: float64 against extended precision, from the same numbers."""
    mechanism = LaplaceND(dimensions, epsilon=1.0)
    numbers = insecure(5).centred((40, mechanism.numbers_per_point))
    ideal, radius = noise_in_higher_precision(dimensions, numbers)
    assert (np.abs(mechanism._noise(numbers.copy()) - ideal) <= 2.0**-44 * (radius[:, None] + dimensions)).all()


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
@pytest.mark.parametrize("tiny", [2.0**-30, 2.0**-60, 2.0**-139])
def test_rare_numbers_do_not_spoil_the_digits(dimensions, tiny):
    """Each number in turn next to 0 from either side: a logarithm of nearly 0 or 1, an angle of nearly 0."""
    mechanism = LaplaceND(dimensions, epsilon=1.0)
    per_point = mechanism.numbers_per_point
    numbers = np.repeat(insecure(6).centred((1, per_point)), 2 * per_point + 2, axis=0)
    for place in range(per_point):
        numbers[2 * place : 2 * place + 2, place] = tiny, -tiny
    pairs = (dimensions + 1) // 2
    numbers[-2:, :pairs] = [[-tiny], [-3 * tiny]]  # the whole Gaussian vector next to 0
    ideal, radius = noise_in_higher_precision(dimensions, numbers)
    assert (np.abs(mechanism._noise(numbers.copy()) - ideal) <= 2.0**-44 * (radius[:, None] + dimensions)).all()


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 5, 8, 100, 129])
def test_compiled_noise_is_the_same_to_the_last_bit(dimensions):
    mechanism = LaplaceND(dimensions, epsilon=3.7)
    numbers = insecure(8).centred((300, mechanism.numbers_per_point))
    numbers[:40] *= 2.0 ** -np.arange(40.0)[:, None]
    numbers[40:80] = -np.abs(numbers[40:80])
    points = insecure(9).centred((300, dimensions))
    plain = mechanism.perturb(points, numbers)
    compiled = mechanism.perturb(points, numbers, in_bulk=True)
    assert plain.tobytes() == compiled.tobytes()
    one_by_one = [mechanism.perturb(point, row) for point, row in zip(points, numbers, strict=True)]
    assert np.array(one_by_one).tobytes() == plain.tobytes()


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
        numbers = insecure(7 + int(start)).centred((draws, mechanism.numbers_per_point))
        moved = mechanism.perturb(np.full((draws, 1), start), numbers)[:, 0]
        cells.append(np.histogram(moved, np.arange(-6.25, 8.0, 0.5))[0])
    alpha = FALSE_ALARM / (2 * len(cells[0]))
    worst = 0.0
    for first, second in (cells, cells[::-1]):
        low = stats.beta.ppf(alpha, first, draws - first + 1)
        high = stats.beta.ppf(1 - alpha, second + 1, draws - second)
        worst = max(worst, np.nanmax(np.log(low / high)))
    assert worst <= mechanism.loss(distance)
    assert worst > 0.9 * mechanism.loss(distance)  # and the check has teeth


def test_centred_numbers_have_full_precision_near_zero():
    values = insecure(3).centred((1_000_000,))
    assert np.abs(values).min() > 0
    assert np.abs(values).max() <= 0.5
    assert stats.kstest(values + 0.5, "uniform").pvalue > FALSE_ALARM
    small = values[np.abs(values) < 2**-14]
    assert {-1, 1} == set(np.sign(small))
    assert len(np.unique(np.abs(np.frexp(small)[0]) * 2**53 % 2)) == 2  # the last bit is random, not cut off


class Scripted(Stream):
    """A stream that says what it is told to."""

    repeatable = True

    def __init__(self, *lanes):
        self._lanes = [np.array(lane, np.uint64) for lane in lanes]

    def lanes(self, shape):
        return lambda number, where=None: self._lanes[number] if where is None else self._lanes[number][where]


def test_centred_numbers_bit_by_bit():
    """Lane 0 where it has the digits, all three where it is near 0, alike on both sides, and never 0."""
    top, full = 2**63, 2**64 - 1
    high = [1, full - 1, 0, full, 0, full, 2**62, full - 2**62, top - 1, top]
    middle = [top, top, 2**40, 2**40, 0, 0, full, full, full, full]
    low = [0, 0, 5, 5, 0, 0, 0, 0, 0, 0]
    values = Scripted(high, middle, low).centred((len(high),))
    third = (2.0**40 + 5 * 2.0**-64) * 2.0**-128
    expected = [1.5 * 2**-64, third, 2.0**-192, 0.25, 0.5]
    assert values.tolist() == [sign * size for size in expected for sign in (1, -1)]


@pytest.mark.parametrize("dimensions", [1, 2, 9])
def test_no_points_need_no_noise(dimensions):
    assert LaplaceND(dimensions, epsilon=1.0).noise(0, insecure(1)).shape == (0, dimensions)


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
