from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym import acceleration
from allonym.errors import ParameterError
from allonym.language.words import letter_bigrams
from allonym.randomness import insecure
from allonym.vectors.ratings import ONE, IdentityRatings, WordRatings, gram_incidence, quantise

WORDS = ["cat", "cats", "cart", "dog", "a", "i", "banana", "ananas", "zzz", "nana"]


def vectors(count: int = len(WORDS), dimensions: int = 16, seed: int = 1) -> np.ndarray:
    return insecure(seed).below(2001, (count, dimensions)).astype(np.float32) - 1000


def whole_matrix(ratings) -> np.ndarray:
    return np.concatenate([tile.copy() for _, tile in ratings.tiles(np.arange(ratings.shape[0]))])


def by_definition(words, table, weight) -> np.ndarray:
    """ρ = clip(cos − s·B, 0, 1) with exact integers for the cosine and exact fractions for the overlap."""
    whole = quantise(table).astype(np.int64)
    result = np.zeros((len(words), len(words)))
    for i, v in enumerate(words):
        for j, w in enumerate(words):
            cosine = ONE if i == j else int(whole[i] @ whole[j])
            a, b = set(letter_bigrams(v)), set(letter_bigrams(w))
            price = Fraction(2 * Fraction(weight) * ONE, len(a) + len(b)).__floor__()
            result[i, j] = min(max(cosine - len(a & b) * price, 0), ONE)
    return result


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_ratings_are_what_the_definition_says(weight):
    found = whole_matrix(WordRatings(WORDS, vectors(), spelling_weight=weight))
    assert (found == by_definition(WORDS, vectors(), weight)).all()


@pytest.mark.parametrize("weight", [0.0, 0.3])
@pytest.mark.parametrize("longest", ["nana", "".join(chr(0x4E00 + i) for i in range(400))], ids=["short", "long"])
def test_compiled_ratings_are_the_same(monkeypatch, weight, longest):
    words = [*WORDS[:-1], longest]
    by_numpy = whole_matrix(WordRatings(words, vectors(), spelling_weight=weight))
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    assert (whole_matrix(WordRatings(words, vectors(), spelling_weight=weight)) == by_numpy).all()


def test_ratings_are_symmetric_and_within_bounds():
    found = whole_matrix(WordRatings(WORDS, vectors(), spelling_weight=0.3))
    assert (found == found.T).all()
    assert found.min() >= 0
    assert found.max() <= ONE
    assert (found == np.rint(found)).all()


def test_ratings_are_close_to_real_cosines():
    table = vectors(dimensions=100)
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    found = whole_matrix(WordRatings(WORDS, table, spelling_weight=0.0)) / ONE
    assert np.abs(found - np.clip(units @ units.T, 0, 1)).max() < 1e-3


def test_any_order_of_addition_gives_the_same_sum():
    """The heart of the exact law: float32 dot products of these vectors do not depend on how they are added."""
    table = quantise(vectors(60, 300))
    shuffled = insecure(2).words(300).argsort()
    forwards, backwards, mixed = (
        table @ table.T,
        table[:, ::-1] @ table[:, ::-1].T,
        table[:, shuffled] @ table[:, shuffled].T,
    )
    exact = table.astype(np.int64) @ table.astype(np.int64).T
    for product in (forwards, backwards, mixed):
        assert (product == exact).all()
    assert exact.max() <= 2**24


@given(st.integers(1, 4096), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_quantised_vectors_are_short_enough(dimensions, seed):
    table = insecure(seed).below(3, (4, dimensions)).astype(np.float32) - 1
    whole = quantise(table).astype(np.int64)
    assert ((whole * whole).sum(axis=1) <= 2**24).all()


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_the_length_of_a_vector_does_not_matter(scale):
    table = (vectors().astype(np.float64) * scale).astype(np.float32)
    assert np.abs(quantise(table) - quantise(vectors())).max() <= 1


def test_rows_can_be_asked_for_in_any_order_and_number():
    ratings = WordRatings(WORDS, vectors(), spelling_weight=0.3)
    whole = whole_matrix(ratings)
    rows = np.array([7, 7, 0, 3])
    [(offset, tile)] = ratings.tiles(rows)
    assert offset == 0
    assert (tile == whole[rows]).all()
    assert list(ratings.tiles(np.array([], int))) == []


def test_a_word_without_a_vector_is_similar_to_itself_alone():
    table = vectors()
    table[3] = 0
    found = whole_matrix(WordRatings(WORDS, table, spelling_weight=0.0))
    assert found[3].tolist() == [0, 0, 0, ONE, 0, 0, 0, 0, 0, 0]


def test_bigrams_shared():
    incidence = gram_incidence(["cat", "cats", "dog"])
    assert (incidence @ incidence.T).toarray().tolist() == [[2, 2, 0], [2, 3, 0], [0, 0, 2]]


def test_identity_ratings():
    assert (whole_matrix(IdentityRatings(5)) == np.eye(5) * ONE).all()


def test_bad_parameters_fail_at_once():
    for weight in (-0.1, 1.1, float("nan")):
        with pytest.raises(ParameterError, match="spelling_weight"):
            WordRatings(WORDS, vectors(), spelling_weight=weight)
    for bad in (
        vectors(3),
        np.zeros((10, 4097), np.float32),
        np.full((10, 3), np.nan, np.float32),
        np.zeros(10, np.float32),
    ):
        with pytest.raises(ParameterError, match="vectors"):
            WordRatings(WORDS, bad, spelling_weight=0.3)
