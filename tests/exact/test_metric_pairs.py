"""The passes over all pairs of words: each short cut against all pairs, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from allonym import acceleration
from allonym.mechanisms import metric_pairs
from allonym.mechanisms.metric_exponential import MetricExponential, metric_exponential_for_loss
from allonym.mechanisms.metric_pairs import AllPairs
from allonym.randomness import insecure
from allonym.vectors.closeness import WordCloseness

ERRORS = np.array([1e-7, 2e-4])


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    monkeypatch.setattr(metric_pairs, "_SLAB_ROWS", 64)


def closeness(words: int = 400, dimensions: int = 8, *, doubles: bool = True) -> WordCloseness:
    points = insecure(words).centred((words, dimensions))
    if doubles:
        points[1] = points[0]
        points[3] = points[2] + 0.001
    return WordCloseness(points.astype(np.float32))


def slopes(of: WordCloseness, logs: np.ndarray, errors: np.ndarray) -> np.ndarray:
    units = np.concatenate([2.0**24 - tile.astype(np.float64) for _, tile in of.tiles(np.arange(of.shape[0]))])
    apart = units * of.unit - errors[0]
    return np.where(apart > 0, (np.abs(logs[:, None] - logs) + errors[1]) / np.where(apart > 0, apart, 1.0), 0.0)


@pytest.mark.parametrize("words", [1, 2, 63, 64, 65, 400])
@pytest.mark.parametrize("rate", [0.3, 9.0, 3000.0])
def test_totals_of_pairs_are_those_of_the_law(words, rate):
    mechanism = MetricExponential(closeness(words, doubles=words > 3), rate=rate)
    pairs = AllPairs(mechanism.closeness)
    for _ in range(2):  # the second pass has no pairs to write down
        found = pairs.totals(mechanism._law, float(mechanism._scores.lowest))
        assert found.tolist() == [int(mechanism.weights(i).sum()) for i in range(words)]


@pytest.mark.parametrize("words", [50, 400])  # one slab; several, the last of which has no words after it
def test_no_product_of_an_array_with_itself(words, monkeypatch):
    """NumPy leaves those to another routine of the matrix library, which is wrong on some processors."""
    multiply, products = np.matmul, []

    def checked(left, right, **options):
        products.append(np.shares_memory(left, right))
        return multiply(left, right, **options)

    mechanism = MetricExponential(closeness(words), rate=4.0)
    monkeypatch.setattr(np, "matmul", checked)
    AllPairs(mechanism.closeness).totals(mechanism._law, float(mechanism._scores.lowest))
    assert products
    assert not any(products)


@pytest.mark.parametrize("spread", [0.0, 0.001, 0.1, 10.0])
def test_the_steepest_pair_is_found_wherever_it_is(spread):
    """Logs that hardly differ make the nearest pairs the steepest; logs that differ much, distant ones."""
    of = closeness()
    pairs = AllPairs(of)
    mechanism = MetricExponential(of, rate=4.0)
    for seed in range(5):
        logs = insecure(seed).centred((of.shape[0],)) * spread
        expected = slopes(of, logs, ERRORS).max()
        assert pairs.steepest(logs, ERRORS) == expected
        pairs.totals(mechanism._law, float(mechanism._scores.lowest))
        assert pairs._near is not None
        assert pairs.steepest(logs, ERRORS) == expected


def test_an_outlier_far_from_all_is_found():
    of = closeness(doubles=False)
    pairs = AllPairs(of)
    mechanism = MetricExponential(of, rate=4.0)
    pairs.totals(mechanism._law, float(mechanism._scores.lowest))
    for outlier in (0, 200, 399):
        logs = np.zeros(of.shape[0])
        logs[outlier] = -7.0
        expected = slopes(of, logs, ERRORS)
        assert pairs.steepest(logs, ERRORS) == pytest.approx(expected.max(), rel=1e-14)


def test_all_pairs_within_the_limit_are_known():
    of = closeness()
    pairs = AllPairs(of)
    mechanism = MetricExponential(of, rate=4.0)
    pairs.totals(mechanism._law, float(mechanism._scores.lowest))
    units = np.concatenate([2.0**24 - tile.astype(np.float64) for _, tile in of.tiles(np.arange(of.shape[0]))])
    first, second = np.nonzero(np.triu(units <= pairs._near.limit, k=1))
    known = {(i, j): unit for (i, j), unit in zip(pairs._near.words.tolist(), pairs._near.units, strict=True)}
    assert known == {(i, j): units[i, j] for i, j in zip(first.tolist(), second.tolist(), strict=True)}
    assert len(known) > of.shape[0] / 2


def test_a_table_of_clusters_is_searched_in_full(monkeypatch):
    monkeypatch.setattr(metric_pairs, "_MOST_NEAR_A_WORD", 1)
    monkeypatch.setattr(metric_pairs, "_NEAR_A_WORD", 8)
    of = closeness()
    mechanism = MetricExponential(of, rate=4.0)
    logs, errors = mechanism._logs, mechanism._errors
    assert mechanism._pairs._near is None
    assert mechanism.loss_per_unit == pytest.approx(2.0 + slopes(of, logs, errors).max(), rel=1e-14)


@pytest.mark.parametrize("wanted", [0.5, 8.0, 60.0])
def test_calibration_takes_few_passes(wanted, monkeypatch):
    passes = []
    totals = AllPairs.totals
    monkeypatch.setattr(AllPairs, "totals", lambda *given: passes.append(1) or totals(*given))
    mechanism = metric_exponential_for_loss(closeness(600, 30, doubles=False), loss_per_unit=wanted)
    assert 0.999 * wanted <= mechanism.loss_per_unit <= wanted
    assert len(passes) <= 4
    exact = slopes(mechanism.closeness, mechanism._logs, mechanism._errors).max()
    assert mechanism.loss_per_unit == pytest.approx(mechanism.rate / 2 + exact, rel=1e-14)


@pytest.mark.parametrize("clustered", [False, True])
def test_near_pairs_are_the_same_without_compiling(clustered, monkeypatch):
    """Of a table of clusters they are too many, and none are written down."""
    found = []
    of = WordCloseness(insecure(3).below(3, (400, 2)).astype(np.float32)) if clustered else closeness()
    for entries, threads in [(0, 1), (0, 2), (0, 5), (10**18, 1)]:
        monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", entries)
        monkeypatch.setattr(acceleration, "_cores", lambda threads=threads: threads)
        mechanism = MetricExponential(of, rate=4.0)
        mechanism._pairs.totals(mechanism._law, float(mechanism._scores.lowest))
        near = mechanism._pairs._near
        found.append(near and (near.words.tolist(), near.units.tolist(), near.limit))
    assert found[0] == found[1] == found[2] == found[3]
    assert (found[0] is None) == clustered
