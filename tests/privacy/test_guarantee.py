from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from allonym.errors import ParameterError
from allonym.mechanisms import Exponential
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import Habit
from allonym.privacy.statement import copied, number

FIELDS = {
    "definition", "loss_per_word", "words", "epsilon", "delta", "unit", "adjacency", "metric",
    "evidence", "assumptions", "released_as_is",
}  # fmt: skip


def example(**changes) -> Guarantee:
    return dataclasses.replace(accounting.pure(loss_per_word=2.5, words=100, assumptions=("it rains",)), **changes)


def test_words_and_documents_add_up():
    assert accounting.pure(loss_per_word=2.5, words=100).epsilon == pytest.approx(250)
    author = accounting.pure(loss_per_word=2.5, words=100, documents=7)
    assert author.epsilon == pytest.approx(1750)
    assert (author.unit, author.documents) == ("author", 7)
    assert accounting.total(0.1, 3) >= 0.1 * 3  # rounded up, never down
    assert accounting.total(0.0, 3) == 0.0
    assert accounting.total(1e308, 100) == math.inf  # which no guarantee can state
    for loss in (math.nan, math.inf, -1.0):
        with pytest.raises(ParameterError):
            accounting.total(loss, 3)
    with pytest.raises(ParameterError):
        accounting.total(1.0, -1)


def test_the_object_is_frozen_and_complete():
    guarantee = example()
    with pytest.raises(dataclasses.FrozenInstanceError):
        guarantee.epsilon = 0.1
    fields = json.loads(guarantee.to_json())
    assert set(fields) >= FIELDS
    assert fields["statement"] == str(guarantee)
    assert guarantee.formal


@pytest.mark.parametrize(
    "changes",
    [
        {"definition": "strong"}, {"unit": "row"}, {"evidence": "hoped"}, {"epsilon": math.nan}, {"epsilon": math.inf},
        {"epsilon": -1.0}, {"loss_per_word": None}, {"definition": "none"}, {"delta": 1.0}, {"delta": math.nan},
        {"documents": 0}, {"words": -1},
    ],
)  # fmt: skip
def test_a_guarantee_that_makes_no_sense_cannot_be_made(changes):
    with pytest.raises(ParameterError):
        example(**changes)


def test_the_statement_says_everything():
    said = str(example(released_as_is=("the ids", "the column 'year'")))
    for part in ("any two documents", "e^2.50", "100 words", "ε = 250.0", "proved", "the ids", "'year'", "it rains"):
        assert part in said
    assert "does not by itself rule out" in said


@pytest.mark.parametrize(
    ("epsilon", "reading"),
    [(0.0, "independent"), (0.9, "strong"), (5.0, "moderate"), (11.0, "does not by itself")],
)
def test_a_total_is_never_flattered(epsilon, reading):
    assert reading in str(example(epsilon=epsilon, loss_per_word=epsilon))


def test_withdrawn_means_nothing_is_promised():
    nothing = example().withdrawn("reproducible run: no privacy")
    assert not nothing.formal
    assert (nothing.definition, nothing.epsilon, nothing.loss_per_word) == ("none", None, None)
    assert "No formal privacy" in str(nothing)
    assert "reproducible run: no privacy" in str(nothing)
    assert "ε" not in str(nothing)


def test_totals_and_what_is_printed_of_them_are_never_below_the_product():
    """200,000 cases, by fractions: of floats as they come, of short decimals, and of those next to them."""
    draws = cases(200_000)
    for loss, words, documents in draws:
        exact = Fraction(loss) * words * documents
        total = accounting.total(loss, words, documents)
        assert Fraction(total) >= exact
        assert total == 0 or Fraction(math.nextafter(total, 0)) < exact  # and no further up than it must be
        for value in (total, exact):
            assert Fraction(number(value).replace(",", "")) >= value
        assert Fraction(number(loss).replace(",", "")) >= Fraction(loss)


def cases(count: int) -> list[tuple[float, int, int]]:
    rng = np.random.default_rng(7)
    losses = np.exp(rng.uniform(-7, 6, count))
    short = rng.random(count) < 0.5
    losses[short] = np.round(losses[short], 2)
    losses = np.where(rng.random(count) < 0.3, np.nextafter(losses, np.inf), losses)
    words, documents = rng.integers(1, 400, count), rng.integers(1, 30, count)
    return list(zip(losses.tolist(), words.tolist(), documents.tolist(), strict=True))


@pytest.mark.parametrize(
    ("value", "printed"),
    [(0, "0"), (0.25, "0.25"), (Fraction(1, 10), "0.10"), (0.1, "0.11"), (8.571, "8.58"), (99.999, "100.00"),
     (250.0, "250.0"), (999.96, "1,000.0"), (1000.0, "1,000"), (1234567.2, "1,234,568"), (1e-9, "0.000001"),
     (math.inf, "inf")],
)  # fmt: skip
def test_losses_as_they_are_printed(value, printed):
    assert number(value) == printed


@pytest.mark.parametrize("value", [0.0, 0.0012345, 0.5, 22.164854, 250.04, 3324.7281, 123456.7])
def test_printed_losses_are_rounded_up(value):
    assert float(number(value).replace(",", "")) >= value


def test_approximation_is_beside_the_pure_figure_and_smaller():
    mechanism = Exponential([[1.0, 0.2, 0.0], [0.1, 1.0, 0.0], [0.0, 0.3, 1.0]], epsilon=0.2)
    pure = accounting.pure(loss_per_word=mechanism.loss(), words=2000)
    both = accounting.with_approximation(pure, mechanism.renyi, 1e-6)
    assert both.epsilon == pure.epsilon
    [other] = both.also_holds
    assert other.delta == 1e-6
    assert other.epsilon < pure.epsilon
    assert "Also true" in str(both)
    assert accounting.with_approximation(pure, lambda order: mechanism.loss(), 1e-6).also_holds == ()


def test_approximation_is_true_for_randomised_response():
    """Against the exact (ε, δ) curve of n-fold randomised response, by enumerating its n + 1 outcomes."""
    words, delta = 60, 1e-5
    mechanism = Exponential([[1.0, 0.0], [0.0, 1.0]], epsilon=0.5)
    p = mechanism.law(0)[0]
    epsilon = accounting.approximate_epsilon(mechanism.renyi, words, delta)
    exact_delta = 0.0
    for k in range(words + 1):
        first = math.comb(words, k) * p**k * (1 - p) ** (words - k)
        second = math.comb(words, k) * (1 - p) ** k * p ** (words - k)
        exact_delta += max(0.0, first - math.exp(epsilon) * second)
    assert exact_delta <= delta
    assert epsilon < words * mechanism.loss()


def test_a_failure_probability_lies_between_0_and_1():
    for delta in (0, 1, math.nan):
        with pytest.raises(ParameterError):
            accounting.approximate_epsilon(lambda order: 1.0, 3, delta)


def test_what_one_word_loses_is_never_called_the_guarantee_of_a_text():
    for loss in (0.5, 5.0, 50.0):
        said = str(accounting.pure(loss_per_word=loss, words=None))
        assert "as many times that as it has words" in said
        assert "strong guarantee" not in said
        assert "moderate guarantee" not in said
    assert "moderate guarantee" in str(accounting.pure(loss_per_word=0.5, words=4))


def test_what_is_copied_is_named_for_programs_and_worded_for_people():
    plain = accounting.pure(loss_per_word=1.0, words=None)
    told = plain.copying(Habit.NUMBER_OF_WORDS).releasing("the ids")
    assert told.copies == {Habit.NUMBER_OF_WORDS}
    assert told.released_as_is == ("the number of words of each document", "the ids")
    assert told.releasing("the ids").released_as_is == told.released_as_is
    assert json.loads(told.to_json())["copies"] == ["number of words"]
    assert "Copied from the input without protection: the number of words of each document and the ids." in str(told)
    assert plain.copies == frozenset()
    assert "Nothing else of the input is in the output." in str(plain)
    with pytest.raises(ParameterError, match="must be habits"):
        plain.copying("handwriting")


@pytest.mark.parametrize("habit", list(Habit))
def test_every_habit_has_its_wording(habit):
    [said] = copied([habit])
    assert said
