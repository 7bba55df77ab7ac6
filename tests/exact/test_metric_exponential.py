"""The metric inequality of the finite mechanism, by enumeration over all triples."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from allonym import acceleration
from allonym.errors import ParameterError
from allonym.mechanisms import MetricExponential
from allonym.mechanisms.metric_exponential import metric_exponential_for_loss
from allonym.randomness import insecure
from allonym.vectors.closeness import WordCloseness


def closeness(words: int = 300, dimensions: int = 5) -> WordCloseness:
    points = (insecure(words).below(2001, (words, dimensions)) - 1000) / 1000
    points[1] = points[0]  # two words with one vector
    points[3] = points[2] + 0.004  # and two hardly apart
    return WordCloseness(points.astype(np.float32))


def distances(of: WordCloseness) -> np.ndarray:
    rounded = of.rounded.astype(np.float64)
    return np.linalg.norm(rounded[:, None] - rounded[None], axis=2)


def worst_ratio(mechanism: MetricExponential) -> float:
    """max over all triples (v, v', w) of (ln Pr[w | v] − ln Pr[w | v']) / d(v, v')."""
    laws = np.log(np.stack([mechanism.law(i) for i in range(mechanism.inputs)]))
    apart = distances(mechanism.closeness)
    worst = 0.0
    for i in range(len(laws)):
        largest = (laws[i] - laws).max(axis=1)
        assert (largest[apart[i] == 0] == 0).all()  # one vector, one law
        worst = max(worst, float((largest[apart[i] > 0] / apart[i][apart[i] > 0]).max()))
    return worst


@pytest.mark.parametrize("rate", [0.5, 3.0, 10.0, 40.0])
def test_the_metric_inequality_holds_for_all_triples(rate):
    mechanism = MetricExponential(closeness(), rate=rate)
    exact = worst_ratio(mechanism)
    assert exact <= mechanism.loss_per_unit
    assert mechanism.loss_per_unit <= exact * 1.05  # and it is not merely an upper bound


@pytest.mark.parametrize("rate", [400.0, 5000.0])
def test_truncation_keeps_the_inequality(rate):
    mechanism = MetricExponential(closeness(100), rate=rate)
    assert worst_ratio(mechanism) <= mechanism.loss_per_unit
    weights = np.stack([mechanism.weights(i) for i in range(100)])
    assert weights.min() >= 2**20 - 2**8  # no weight so small that cutting it to a whole number matters


def test_the_claim_in_exact_fractions():
    mechanism = MetricExponential(closeness(12, 2), rate=6.0)
    rows = [[int(w) for w in mechanism.weights(i)] for i in range(12)]
    apart = distances(mechanism.closeness)
    for i, first in enumerate(rows):
        for j, second in enumerate(rows):
            for w in range(12):
                ratio = Fraction(first[w] * sum(second), second[w] * sum(first))
                assert ratio <= Fraction(float(np.exp(mechanism.loss_per_unit * apart[i, j] + 1e-12)))


def test_the_computed_loss_is_well_below_the_textbook_bound():
    mechanism = MetricExponential(closeness(), rate=10.0)
    assert mechanism.loss_per_unit < 0.85 * mechanism.rate


@pytest.mark.parametrize("wanted", [0.2, 2.0, 20.0])
def test_calibration_spends_what_was_asked_and_no_more(wanted):
    mechanism = metric_exponential_for_loss(closeness(), loss_per_unit=wanted)
    assert worst_ratio(mechanism) <= mechanism.loss_per_unit <= wanted
    assert mechanism.loss_per_unit >= 0.995 * wanted
    assert mechanism.rate >= wanted  # never worse than the textbook's choice


def test_compiled_loops_give_the_same(monkeypatch):
    by_numpy = MetricExponential(closeness(), rate=7.0)
    expected = by_numpy.loss_per_unit, by_numpy.draw(np.arange(300), insecure(1)).tolist()
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    compiled = MetricExponential(closeness(), rate=7.0)
    assert compiled.loss_per_unit == expected[0]
    assert compiled.draw(np.arange(300), insecure(1)).tolist() == expected[1]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_rate_depends_neither_on_compiling_nor_on_threads(threads, monkeypatch):
    """The rate is the law: a search that ends elsewhere on another machine would draw something else there."""
    by_numpy = metric_exponential_for_loss(closeness(), loss_per_unit=5.0)
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    monkeypatch.setattr(acceleration, "_cores", lambda: threads)
    compiled = metric_exponential_for_loss(closeness(), loss_per_unit=5.0)
    assert (compiled.rate, compiled.loss_per_unit) == (by_numpy.rate, by_numpy.loss_per_unit)


def test_draws_never_betray_more_than_is_claimed():
    """Black box, a million draws of each of two words; family-wise false alarm 1e-6."""
    mechanism = MetricExponential(closeness(40, 2), rate=3.0)
    apart = distances(mechanism.closeness)[5, 9]
    counts = [np.bincount(mechanism.draw(np.full(10**6, i), insecure(i)), minlength=40) for i in (5, 9)]
    alpha = 1e-6 / 80
    for first, second in (counts, counts[::-1]):
        low = stats.beta.ppf(alpha, first, 10**6 - first + 1)
        high = stats.beta.ppf(1 - alpha, second + 1, 10**6 - second)
        assert np.nanmax(np.log(low / high)) <= mechanism.loss_per_unit * apart


def test_bad_parameters_fail_at_once():
    for bad in (0, -1, np.nan, np.inf):
        with pytest.raises(ParameterError, match="rate"):
            MetricExponential(closeness(5), rate=bad)
        with pytest.raises(ParameterError, match="epsilon"):
            metric_exponential_for_loss(closeness(5), loss_per_unit=bad)


def test_a_loss_below_the_rounding_is_refused_rather_than_sought_for_ever():
    with pytest.raises(ParameterError, match="No rate loses as little as"):
        metric_exponential_for_loss(closeness(), loss_per_unit=1e-4)
