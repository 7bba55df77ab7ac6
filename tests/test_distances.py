"""Distances of documents: every answer against a slower way to the same number, and the paper's Theorem 3."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist

from allonym import distances
from allonym.distances import (
    bottleneck,
    diameter,
    largest,
    nearest_neighbour_distances,
    unnormalised_word_movers,
    word_movers,
)
from allonym.errors import AllonymError, ParameterError

PAIRWISE = (word_movers, unnormalised_word_movers, bottleneck, largest)


def grid(rows: int, columns: int, step: float = 0.618033988749) -> np.ndarray:
    """Well-spread numbers in (-1, 1) without a random source."""
    values = np.modf(np.arange(1, rows * columns + 1) ** 1.5 * step)[0]
    return (2 * values - 1).reshape(rows, columns)


def document(words: int, step: float = 0.618033988749) -> np.ndarray:
    return grid(words, 5, step)


# Small integers make ties and repeated words likely; the floats make neither.
coordinates = st.one_of(st.integers(-2, 2).map(float), st.floats(-10, 10, width=32))
words = st.lists(coordinates, min_size=2, max_size=2)
documents = st.lists(words, min_size=1, max_size=7)
equal_documents = st.integers(1, 7).flatmap(
    lambda n: st.tuples(*[st.lists(words, min_size=n, max_size=n) for _ in range(3)])
)


def whole_words(first, second) -> float:
    costs = cdist(first, second)
    return float(costs[linear_sum_assignment(costs)].sum())


def by_linear_programme(first, second, first_weights=None, second_weights=None, within=math.inf):
    """Solve the transport problem of Definition 2 without a word of the code under test."""
    supply = np.ones(len(first)) if first_weights is None else np.asarray(first_weights, float)
    demand = np.ones(len(second)) if second_weights is None else np.asarray(second_weights, float)
    costs = cdist(first, second)
    rows = np.kron(np.eye(len(supply)), np.ones(len(demand)))
    columns = np.kron(np.ones(len(supply)), np.eye(len(demand)))
    bounds = [(0, 0 if cost > within else 1) for cost in costs.ravel()]
    masses = np.concatenate([supply / supply.sum(), demand / demand.sum()])
    return linprog(costs.ravel(), A_eq=np.vstack([rows, columns]), b_eq=masses, bounds=bounds)


def bottleneck_by_linear_programme(first, second, first_weights=None, second_weights=None) -> float:
    for within in np.unique(cdist(first, second)):
        if by_linear_programme(first, second, first_weights, second_weights, within).status == 0:
            return float(within)
    raise AssertionError("the largest distance always suffices")


def by_network_simplex(first, second) -> float:
    first, second = np.asarray(first, float), np.asarray(second, float)
    cost = distances._network_simplex(cdist(first, second), np.ones(len(first)), np.ones(len(second)))
    return cost / len(first)


# Word mover's distance


@given(equal_documents)
@settings(max_examples=150, deadline=None)
def test_theorem_3_whole_words_suffice(trio):
    """For equal lengths the optimum over all flows is the optimum over matchings."""
    first, second, _ = trio
    matched = whole_words(first, second) / len(first)
    assert by_network_simplex(first, second) == pytest.approx(matched, abs=1e-9)
    assert word_movers(first, second) == pytest.approx(matched, abs=1e-9)
    assert unnormalised_word_movers(first, second) == pytest.approx(matched * len(first), abs=1e-9)


@given(documents, documents, documents)
@settings(max_examples=150, deadline=None)
def test_word_movers_is_a_metric_on_bags_of_words(first, second, third):
    assert word_movers(first, second) == pytest.approx(word_movers(second, first), abs=1e-12)
    assert word_movers(first, first) == 0
    assert word_movers(first, third) <= word_movers(first, second) + word_movers(second, third) + 1e-9
    shares = [{tuple(word): Fraction(text.count(word), len(text)) for word in text} for text in (first, second)]
    assert (word_movers(first, second) == 0) == (shares[0] == shares[1])


@given(documents, documents)
@settings(max_examples=40, deadline=None)
def test_word_movers_is_the_linear_programme_of_definition_2(first, second):
    assert word_movers(first, second) == pytest.approx(by_linear_programme(first, second).fun, abs=1e-7)


@pytest.mark.parametrize("distance", [word_movers, bottleneck])
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_order_repetition_and_weights_do_not_matter(distance, data):
    first, second = data.draw(documents), data.draw(documents)
    expected = distance(first, second)
    assert distance(data.draw(st.permutations(first)), second) == pytest.approx(expected, abs=1e-12)
    assert distance(first * 3, second) == pytest.approx(expected, abs=1e-12)
    assert distance(first * 2, second * 2) == pytest.approx(expected, abs=1e-12)
    counts = data.draw(st.lists(st.integers(0, 4), min_size=len(first), max_size=len(first)))
    if sum(counts):
        repeated = np.repeat(np.array(first), counts, axis=0)
        weighted = distance(first, second, first_weights=counts)
        assert weighted == pytest.approx(distance(repeated, second), abs=1e-12)
        assert weighted == pytest.approx(distance(second, first, second_weights=counts), abs=1e-12)


def test_merged_words_cost_what_separate_words_cost():
    few = document(6)
    first, second = few[np.arange(900) % 4], few[np.arange(900) * 7 % 11 % 6]  # both ways to solve it are taken
    assert word_movers(first, second) == pytest.approx(whole_words(first, second) / 900, abs=1e-12)
    assert word_movers(first[:30], second[:30]) == pytest.approx(whole_words(first[:30], second[:30]) / 30, abs=1e-12)


def test_known_distances():
    assert word_movers([[0, 0]], [[3, 4]]) == unnormalised_word_movers([[0, 0]], [[3, 4]]) == 5
    assert bottleneck([[0, 0]], [[3, 4]]) == largest([[0, 0]], [[3, 4]]) == 5
    # Two thirds of the mass stay, one third moves by 9; a third of a word may move.
    assert word_movers([[0], [0], [9]], [[0]]) == pytest.approx(3)
    assert word_movers([[0], [6]], [[0], [3], [6]]) == pytest.approx(1)
    assert bottleneck([[0], [0], [9]], [[0]]) == 9
    assert bottleneck([[0], [6]], [[0], [3], [6]]) == 3
    # 7 + 0 and 3 + 4 are equally cheap, but the second moves no word as far.
    assert unnormalised_word_movers([[0], [3]], [[3], [7]]) == 7
    assert bottleneck([[0], [3]], [[3], [7]]) == 4


@pytest.mark.parametrize(("words", "others"), [(1, 1), (1, 30), (30, 30), (40, 25), (401, 401), (200, 300)])
def test_the_distances_are_ordered(words, others):
    first, second = document(words), document(others, 0.7548776662)
    mean, worst = word_movers(first, second), bottleneck(first, second)
    assert 0 < mean <= worst <= largest(first, second) <= diameter(np.vstack([first, second]))
    assert largest(first, second) == cdist(first, second).max()
    if words == others:
        assert unnormalised_word_movers(first, second) == pytest.approx(words * mean)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-300, 2.0**300, 2.0**990])
def test_scale_does_not_matter(scale):
    first, second = document(9), document(7, 0.7548776662)
    for distance in (word_movers, bottleneck, largest):
        assert distance(first * scale, second * scale) == pytest.approx(
            distance(first, second) * scale, rel=1e-12, abs=0
        )


def test_a_solver_that_stops_early_is_an_error(monkeypatch):
    monkeypatch.setattr(distances, "_SIMPLEX_STEPS", 3)
    with pytest.raises(AllonymError, match="did not converge: compare shorter"):
        word_movers(document(30), document(31, 0.7548776662))


@pytest.mark.parametrize("change", [{"cost": 0}, {"u": 0.9}, {"plan": 0.9}])
def test_a_solver_that_is_wrong_is_an_error(monkeypatch, change):
    import ot

    honest = ot.emd

    def liar(*args, **options):
        plan, log = honest(*args, **options)
        return plan * change.get("plan", 1), {**log, "u": log["u"] * change.get("u", 1), "cost": change.get("cost")}

    monkeypatch.setattr(ot, "emd", liar)
    if "cost" in change:  # it is not believed anyway
        assert word_movers([[0.0], [6.0]], [[0.0], [3.0], [6.0]]) == pytest.approx(1)
        return
    with pytest.raises(AllonymError, match="did not converge"):
        word_movers(document(30), document(31, 0.7548776662))


# Bottleneck distance


@given(equal_documents)
@settings(max_examples=80, deadline=None)
def test_bottleneck_is_the_best_of_all_permutations(trio):
    first, second, third = (text[:6] for text in trio)
    costs, rows = cdist(first, second), range(len(first))
    assert bottleneck(first, second) == min(
        max(costs[row, column] for row, column in zip(rows, order, strict=True))
        for order in itertools.permutations(rows)
    )
    assert bottleneck(first, second) == bottleneck(second, first)
    assert bottleneck(first, third) <= bottleneck(first, second) + bottleneck(second, third) + 1e-9
    assert bottleneck(first, first) == 0


weighted_documents = st.lists(st.tuples(words, st.integers(1, 5)), min_size=1, max_size=5)


@given(weighted_documents, weighted_documents)
@settings(max_examples=60, deadline=None)
def test_bottleneck_of_unequal_documents_is_the_least_feasible_distance(first, second):
    (first, first_weights), (second, second_weights) = zip(*first, strict=True), zip(*second, strict=True)
    found = bottleneck(first, second, first_weights=first_weights, second_weights=second_weights)
    assert found == bottleneck_by_linear_programme(first, second, first_weights, second_weights)
    assert found >= word_movers(first, second, first_weights=first_weights, second_weights=second_weights) - 1e-9


@given(weighted_documents, weighted_documents, st.integers(4, 8))
@settings(max_examples=60, deadline=None)
def test_masses_that_flow_in_rounds_change_nothing(first, second, bits):
    (first, first_weights), (second, second_weights) = zip(*first, strict=True), zip(*second, strict=True)
    weights = {
        "first_weights": np.multiply(first_weights, 97) + 1,
        "second_weights": np.multiply(second_weights, 89) + 2,
    }
    expected = bottleneck(first, second, **weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distances, "_FLOW_BITS", bits)
        assert bottleneck(first, second, **weights) == expected


def test_masses_beyond_32_bits():
    """One word in 60 million must move by 9; scipy alone overflows and would not say so."""
    many = 6 * 10**7
    near, far = [[0.0], [1.0]], [[0.0], [1.0], [10.0]]
    weights = {"first_weights": [many // 2, many // 2], "second_weights": [many // 2, many // 2, 1]}
    assert bottleneck(near, far, **weights) == 9
    assert bottleneck(near, far[:2], first_weights=[many // 2, many // 2 + 1], second_weights=[7, 7]) == 1
    assert bottleneck(near, far[:2], first_weights=[many // 2, many // 2], second_weights=[7, 7]) == 0
    moved = word_movers(near, far, **weights)
    assert moved == pytest.approx(9.5 / (many + 1), rel=1e-9, abs=0)  # half of its place comes from 0, half from 1


def test_inputs_are_left_alone():
    vectors = grid(20, 3)
    before = vectors.copy()
    vectors.flags.writeable = False
    word_movers(vectors[:10:2], vectors[10:])  # a strided view too
    diameter(np.asfortranarray(vectors))
    assert diameter(vectors[::2]) == diameter(vectors[::2].copy())
    nearest_neighbour_distances(vectors)
    np.testing.assert_array_equal(vectors, before)


# Errors


@pytest.mark.parametrize("distance", PAIRWISE)
def test_empty_documents(distance):
    assert distance([], []) == distance(np.empty((0, 3)), []) == 0
    for one, other in ([], [[1.0]]), ([[1.0]], np.empty((0, 1))):
        with pytest.raises(ParameterError, match="must have words, or neither: leave the empty one out"):
            distance(one, other)


def test_words_of_weight_zero_are_no_words():
    assert word_movers([[1.0]], [[2.0]], first_weights=[0], second_weights=[0]) == 0
    with pytest.raises(ParameterError, match="or neither"):
        word_movers([[1.0]], [[2.0]], first_weights=[0])


@pytest.mark.parametrize("distance", PAIRWISE)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1.0, 2.0], r"first must be an array of 1 or more rows, .* got shape \(2,\): give one word as \[vector\]"),
        (3.0, "first must be an array"),
        ([[[1.0, 2.0]]], "first must be an array"),
        ([[1.0, math.nan]], "first must be finite and below 1e300, got others: drop those rows"),
        ([[1.0, -math.inf]], "first must be finite"),
        ([[1.0, 1e301]], "first must be finite"),
        ([["a", "b"]], "first must be numbers, got .*: look the words up in a table first"),
        ([[1.0, 2.0], [3.0]], "first must have equally many numbers"),
        ([[None, 1.0]], "first must be numbers"),
        ([[1.0, 2.0, 3.0]], "vectors of one table, got different dimensions"),
    ],
)
def test_malformed_documents(distance, wrong, message):
    with pytest.raises(ParameterError, match=message):
        distance(wrong, [[1.0, 2.0]])


@pytest.mark.parametrize("distance", [word_movers, unnormalised_word_movers, bottleneck])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1], "second_weights must be one number for each of the 2 rows"),
        ([0.5, 0.5], "whole numbers of 0 or more .* give how often each word occurs, not its share"),
        ([-1, 2], "whole numbers"),
        ([math.nan, 1], "whole numbers"),
        ([math.inf, 1], "whole numbers"),
        ([2**62, 2**62], "less than 67108864"),
        (["a", "b"], "second_weights must be numbers"),
        ([[1], [1, 2]], "second_weights must have equally many"),
    ],
)
def test_malformed_weights(distance, wrong, message):
    with pytest.raises(ParameterError, match=message):
        distance([[1.0]], [[1.0], [2.0]], second_weights=wrong)


def test_unequal_lengths_have_no_unnormalised_distance():
    with pytest.raises(ParameterError, match="equally many words, got 1 and 2: use bottleneck"):
        unnormalised_word_movers([[1.0]], [[1.0], [2.0]])
    assert unnormalised_word_movers([[1.0]], [[1.0], [2.0]], first_weights=[2]) == 1


def test_the_solver_is_imported_late_and_without_a_warning():
    script = (
        "import sys; from allonym.distances import word_movers; print('ot' in sys.modules, 'scipy' in sys.modules);"
        "word_movers([[0.0]], [[1.0]]); print('ot' in sys.modules);"
        "word_movers([[0.0]], [[1.0], [2.0]]); print('ot' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False", "False", "True"]
    assert result.stderr == ""
