"""Arithmetic that is the same on every machine, against 50 digits."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym import arithmetic
from allonym.randomness import insecure

BOUND = Decimal(2) ** -50
PI = Decimal("3.14159265358979323846264338327950288419716939937510582")


def numbers_near(*centres):
    """Some numbers around each centre, on both sides and as near as float64 goes."""
    steps = np.concatenate([-(2.0 ** -np.arange(1, 53)), 2.0 ** -np.arange(1, 53)])
    return np.concatenate([[centre, *(centre * (1 + steps / 2))] for centre in centres])


def sine(x: Decimal) -> Decimal:
    total, term, k = Decimal(0), x, 1
    while abs(term) > Decimal(10) ** -60 * max(abs(x), Decimal(10) ** -60):
        total, term, k = total + term, -term * x * x / ((k + 1) * (k + 2)), k + 2
    return total


def test_logarithms_against_fifty_digits():
    spread = np.abs(insecure(1).centred((500,))) + 2.0**-190
    numbers = np.concatenate([spread, numbers_near(1.0, 0.5, 0.70710678, 1.41421356, 2.0**-768, 2.0**-190, 2.0**40)])
    numbers = numbers[numbers > 0]
    with localcontext(prec=60):
        for x, found in zip(numbers.tolist(), arithmetic.logarithm(numbers).tolist(), strict=True):
            exact = Decimal(x).ln()
            assert abs(Decimal(found) - exact) <= BOUND * abs(exact), x


def test_logarithms_of_one_plus_a_little_keep_their_digits():
    f = np.concatenate([-(2.0 ** -np.arange(2, 200.0)), 2.0 ** -np.arange(2, 200.0), [0.0, -0.29289, 0.4142]])
    with localcontext(prec=120):
        for x, found in zip(f.tolist(), arithmetic.log_of_one_plus(f).tolist(), strict=True):
            exact = (1 + Decimal(x)).ln()
            assert abs(Decimal(found) - exact) <= BOUND * abs(exact), x


def test_cosines_and_sines_against_fifty_digits():
    turns = insecure(2).centred((500,))
    edges = numbers_near(0.125, 0.25, 0.375, 0.5, 2.0**-30, 2.0**-190)
    turns = np.concatenate([turns, edges, -edges, [0.0]])
    turns = turns[np.abs(turns) <= 0.5]
    with localcontext(prec=70):
        found = zip(turns.tolist(), *(a.tolist() for a in arithmetic.cosine_and_sine(turns)), strict=True)
        for y, cosine, sine_found in found:
            angle = 2 * PI * Decimal(y)
            quarter = abs(Decimal(y)) > Decimal(
                "0.49"
            )  # next to half a turn the angle's digits cancel, in any precision
            assert abs(Decimal(sine_found) - sine(angle)) <= BOUND * (1 if quarter else abs(sine(angle))), y
            assert abs(Decimal(cosine) - sine(PI / 2 - angle)) <= BOUND, y


def test_quarters_of_a_turn_are_exact():
    cosines, sines = arithmetic.cosine_and_sine(np.array([0.0, 0.25, -0.25, 0.5, -0.5]))
    assert cosines.tolist() == [1, 0, 0, -1, -1]
    assert sines.tolist() == [0, 1, -1, 0, 0]


def test_powers_of_two_against_fifty_digits():
    exponents = np.concatenate([44 - np.arange(4096) / 4096, [0.0, -1.0, -0.5, 43.999999, -700.25]])
    with localcontext(prec=60):
        for x, found in zip(exponents.tolist(), arithmetic.power_of_two(exponents).tolist(), strict=True):
            exact = Decimal(2) ** Decimal(x)
            assert abs(Decimal(found) - exact) <= BOUND * exact, x


@given(st.lists(st.floats(-1e6, 1e6), max_size=40))
def test_sums_are_those_of_a_fixed_order(numbers):
    expected = list(numbers)
    while len(expected) > 1:
        half = (len(expected) + 1) // 2
        late = expected[half:]
        expected = [a + b for a, b in zip(expected, late, strict=False)] + expected[len(late) : half]
    assert arithmetic.added(np.array([numbers], np.float64)).tolist() == [expected[0] if expected else 0.0]


def test_lengths_of_rows():
    rows = insecure(3).centred((50, 129)).astype(np.float32)
    for row, length in zip(rows.tolist(), arithmetic.lengths(rows).tolist(), strict=True):
        exact = sum(Fraction(x) ** 2 for x in row)
        assert Fraction(length) ** 2 == pytest.approx(float(exact), rel=2.0**-48)
    assert arithmetic.lengths(np.zeros((2, 3), np.float32)).tolist() == [0, 0]


def test_numbers_are_not_changed():
    numbers = np.array([[3.0, 4.0]])
    arithmetic.added(numbers)
    assert arithmetic.lengths(numbers).tolist() == [5.0]
    assert numbers.tolist() == [[3.0, 4.0]]
