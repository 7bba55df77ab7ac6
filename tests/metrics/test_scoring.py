"""Scores equal scikit-learn's, and intervals equal a slow bootstrap over the same resamples."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from allonym.errors import InputError
from allonym.metrics import scoring
from allonym.metrics.figures import Figure, interval, percent
from allonym.randomness import insecure

pairs = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=40)


@settings(max_examples=50, deadline=None)
@given(pairs)
def test_values_equal_scikit_learns(guesses):
    truth, predicted = zip(*guesses, strict=True)
    figures = scoring.classification(truth, predicted)
    assert scoring.values(truth, predicted) == {name: figure.value for name, figure in figures.items()}
    assert figures["accuracy"].value == pytest.approx(accuracy_score(truth, predicted))
    for average in ("weighted", "macro"):
        expected = precision_recall_fscore_support(truth, predicted, average=average, zero_division=0)
        for name, value in zip(("precision", "recall", "f1"), expected, strict=False):
            assert figures[f"{name}_{average}"].value == pytest.approx(value)


def test_intervals_equal_a_slow_bootstrap():
    source = insecure(5)
    truth = source.below(4, (60,))
    predicted = np.where(source.below(3, (60,)) > 0, truth, source.below(4, (60,)))
    figures = scoring.classification(truth, predicted)
    streams = insecure(scoring._BOOTSTRAP_SEED).documents([b""] * scoring.RESAMPLES)
    resamples = streams.below(60, (scoring.RESAMPLES, 60))
    for average in ("weighted", "macro"):
        slow = [
            precision_recall_fscore_support(truth[rows], predicted[rows], average=average, zero_division=0)[2]
            for rows in resamples
        ]
        low, high = np.quantile(slow, (0.025, 0.975))
        assert figures[f"f1_{average}"].low == pytest.approx(low)
        assert figures[f"f1_{average}"].high == pytest.approx(high)
        assert low < figures[f"f1_{average}"].value < high


def test_ranks_count_ties_against_the_guesser():
    scores = np.array([[3.0, 2, 1], [1, 1, 1], [0, 0, 5]])
    figures = scoring.ranking(["a", "a", "z"], ["a", "b", "c"], scores)
    assert figures["mean_reciprocal_rank"].value == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert figures["top_5"].value == pytest.approx(2 / 3)  # an author the attacker does not know is never found


def test_chance_and_confusion():
    assert scoring.chance(["a", "b", "b"]) == pytest.approx(2 / 3)
    table = scoring.confusion(["a", "b", "b"], ["b", "b", "a"], ["a", "b"])
    assert table.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize(
    "empty",
    [lambda: scoring.classification([], []), lambda: scoring.bootstrap([np.nan]), lambda: scoring.chance([])],
)
def test_nothing_to_score_is_refused(empty):
    with pytest.raises(InputError, match="no document to score"):
        empty()


def test_a_figure_reads_as_a_sentence_would_have_it():
    assert str(Figure(0.5, 0.25, 0.75)) == "0.500 (0.250 to 0.750)"


VALUES = np.modf(np.arange(1, 38) ** 1.5 * 0.618033988749)[0]


@pytest.mark.parametrize("statistic", [np.mean, np.median])
def test_mean_and_median_equal_a_slow_bootstrap(statistic):
    draws = np.concatenate(list(scoring._draws(len(VALUES), 1)))
    slow = [statistic(np.array([VALUES[place] for place in row])) for row in draws]
    figure = scoring.bootstrap(VALUES, statistic)
    assert figure.value == pytest.approx(statistic(VALUES))
    assert (figure.low, figure.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]))


def test_draws_do_not_depend_on_the_memory_at_hand(monkeypatch):
    whole = np.concatenate(list(scoring._draws(50, 1)))
    monkeypatch.setattr(scoring, "_DRAWS_AT_ONCE", 170)
    parts = list(scoring._draws(50, 1))
    assert len(parts) > 10
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert set(whole.ravel()) == set(range(50))


def test_intervals_shrink_with_more_documents():
    few, many = scoring.bootstrap(VALUES), scoring.bootstrap(np.tile(VALUES, 25))
    assert 3 < (few.high - few.low) / (many.high - many.low) < 7  # about the root of 25


def test_documents_without_a_number_are_left_out():
    assert scoring.bootstrap([*VALUES, np.nan]) == scoring.bootstrap(VALUES)


def test_lists_must_fit_together():
    with pytest.raises(InputError, match="1 documents but 2 guesses"):
        scoring.classification(["a"], ["a", "b"])
    with pytest.raises(InputError, match="shape"):
        scoring.bootstrap([[[1.0]]])


def test_releases_are_resampled_with_their_documents(monkeypatch):
    noisy = np.array([np.zeros(40), np.ones(40)])  # every document alike: only the release decides
    figure = scoring.bootstrap(noisy)
    assert (figure.value, figure.low, figure.high) == (0.5, 0.0, 1.0)
    assert scoring.bootstrap([np.tile([0.0, 1.0], 20)] * 2).low > 0.3  # every release alike: only documents decide
    whole = np.concatenate(list(scoring._draws(50, 3)))
    assert set(whole.ravel()) == set(range(150))
    assert all(len(set(row // 50)) <= 3 and len(row) == 150 for row in whole[:20])
    monkeypatch.setattr(scoring, "_DRAWS_AT_ONCE", 170)
    np.testing.assert_array_equal(np.concatenate(list(scoring._draws(50, 3))), whole)


def test_guesses_of_several_releases_are_pooled():
    truth = ["a", "a", "b", "b"]
    right, wrong = truth, ["b", "b", "a", "a"]
    both = scoring.classification(truth, right, wrong)["accuracy"]
    assert (both.value, both.low, both.high) == (0.5, 0.0, 1.0)
    assert scoring.classification(truth, right) == scoring.classification(truth, right, right)
    with pytest.raises(InputError, match="2 guesses"):
        scoring.classification(truth, right, ["a", "b"])
    scores = np.eye(2)[[0, 0, 1, 1]]
    assert scoring.ranking(truth, ["a", "b"], scores, 1 - scores)["mean_reciprocal_rank"].value == 0.75


def test_a_release_without_a_number_takes_the_mean_of_the_others():
    assert scoring.bootstrap([[1.0, 3.0], [np.nan, 3.0]]).value == 2.0
    assert scoring.bootstrap([[1.0, np.nan], [1.0, np.nan]]).value == 1.0


def test_no_share_is_all_or_nothing_by_rounding():
    for digits in (0, 1):
        for share in (1e-12, 0.0004999, 0.004999, 0.005, 0.5, 0.9949999999999999, 0.995, 0.997, 0.9995, 1 - 1e-12):
            said = percent(share, digits)
            assert said not in ("0 %", "100 %", "0.0 %", "100.0 %")
    assert [percent(share) for share in (0, 0.997, 1, 1.02)] == ["0 %", "over 99 %", "100 %", "102 %"]
    assert interval(0.0, 0.997) == "0–over 99 %"


def test_shares_are_written_in_one_place():
    """Other code of the commands and the page formats no share by itself."""
    source = Path(scoring.__file__).parents[1]
    for folder in ("cli", "web", "attackers", "recognition", "formats", "jobs"):
        for path in (source / folder).rglob("*.py"):
            found = re.findall(r"100 \* [^\n]*:[.\d]*f\} ?%|:[.\d]*%\}", path.read_text("utf-8"))
            assert found == [], path.name
