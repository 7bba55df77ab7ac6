"""What SynTF's paper names and leaves open: other spellings, other vectors, other attackers, and its bounds on ε."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from allonym.language.words import letter_grams
from allonym.mechanisms import Exponential
from allonym.papers.syntf import skipgram, usefulness, weka
from allonym.papers.syntf.rows import SyntfSetting
from allonym.papers.syntf.spelling import SPELLINGS, LevenshteinRatings, LevenshteinTable
from allonym.randomness import insecure
from allonym.vectors import embeddings
from allonym.vectors.embeddings import WordTable
from allonym.vectors.ratings import ONE, WordRatings, quantise

WORDS = ["cat", "cats", "kitten", "sitting", "a", "banana", "Ananas", "über", "x" * 64, "y" + "x" * 63]


def vectors() -> np.ndarray:
    return insecure(4).below(2001, (len(WORDS), 5)).astype(np.float32) - 1000


def edits(one: str, other: str) -> int:
    """Levenshtein's distance by its definition."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        above, row = row, [number]
        for place, another in enumerate(other, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (letter != another)))
    return row[-1]


def whole(ratings) -> np.ndarray:
    return np.concatenate([tile.copy() for _, tile in ratings.tiles(np.arange(ratings.shape[0]))])


def by_definition(alike, weight) -> np.ndarray:
    """ρ = clip(cos − s·B, 0, 1) in whole numbers, for any B."""
    units = quantise(vectors()).astype(np.int64)
    cosines = units @ units.T
    np.fill_diagonal(cosines, ONE)
    prices = [[int(Fraction(weight) * ONE * alike(one, other)) for other in WORDS] for one in WORDS]
    return np.clip(cosines - np.array(prices), 0, ONE)


def test_distances_are_levenshteins():
    found = LevenshteinTable(WORDS).distances(np.arange(len(WORDS)))
    assert found.tolist() == [[edits(one.lower(), other.lower()) for other in WORDS] for one in WORDS]


def test_longer_words_count_as_their_beginning():
    assert LevenshteinTable(["x" * 70, "x" * 64 + "y"]).distances(np.array([0, 1])).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_levenshtein_ratings_are_what_the_definition_says(weight):
    def alike(one, other):
        return 1 - Fraction(edits(one.lower(), other.lower()), max(len(one), len(other)))

    found = whole(LevenshteinRatings(WORDS, vectors(), spelling_weight=weight))
    assert np.abs(found - by_definition(alike, weight)).max() <= 1  # a price that is nearly whole may round down
    assert (found == found.T).all()


def test_trigram_ratings_are_what_the_definition_says():
    def alike(one, other):
        a, b = set(letter_grams(one, 3)), set(letter_grams(other, 3))
        return Fraction(2 * len(a & b), len(a) + len(b))

    found = whole(WordRatings(WORDS, vectors(), spelling_weight=0.3, letters=3))
    assert np.abs(found - by_definition(alike, 0.3)).max() <= 64  # rounded down for each trigram in common


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_is_a_mechanism_whose_loss_is_that_of_its_law(spelling):
    table = embeddings.load(None, limit=400)
    setting = SyntfSetting(spelling=spelling, min_documents=1, words=10, epsilon=30.0)
    anonymizer = setting.made(table).fit([" ".join(table.words[:300])])
    assert type(anonymizer) is SPELLINGS[spelling]
    mechanism = anonymizer.mechanism_
    laws = np.stack([mechanism.law(term) for term in range(mechanism.inputs)])
    exact = np.log(laws.max(axis=0) / laws.min(axis=0)).max()
    assert mechanism.loss() == pytest.approx(exact, abs=1e-9)
    usual = replace(setting, spelling="bigrams").made(table).fit([" ".join(table.words[:300])]).mechanism_
    assert (spelling == "bigrams") == np.allclose(usual.law(7), mechanism.law(7))


def test_words_of_like_company_get_like_vectors():
    """Sixteen subjects of two words each, which stand before three words of their own."""
    rng = insecure(2)
    draws = rng.below(np.array([16, 2, 3]), (4000, 3)).tolist()
    texts = [f"{'ab'[word]}{chr(97 + kind)}x {'cde'[company]}{chr(97 + kind)}y" for kind, word, company in draws]
    table = skipgram.vectors_of(texts)
    assert all(table.neighbours(f"a{letter}x", 1)[0][0] == f"b{letter}x" for letter in "abcdefghijklmnop")
    np.testing.assert_array_equal(table.vectors, skipgram.vectors_of(texts).vectors)


def test_the_window_weighs_the_nearer_words_more():
    counts = skipgram.beside_one_another([np.array([0, 1, 2]), np.array([3])], 4).toarray()
    assert counts.tolist() == [[0, 1, 0.8, 0], [1, 0, 1, 0], [0.8, 1, 0, 0], [0, 0, 0, 0]]


def test_what_is_factorised_is_the_shifted_information():
    counts = skipgram.beside_one_another([np.array([0, 1] * 50 + [2, 3] * 50)], 4)
    found = skipgram.likelier_than_chance(counts).toarray()
    alone = counts.toarray().sum(axis=1)
    shares = alone**0.75 / (alone**0.75).sum()
    expected = np.log(counts.toarray()[0, 1] / (alone[0] * shares[1])) - np.log(5)
    assert found[0, 1] == pytest.approx(max(0, expected))
    assert (found >= 0).all()


def test_svms_of_pairs_name_writers_by_their_habits():
    ends = ("", "indeed! ", "so... ")
    texts = [f"{'well, ' * (n % 3)}the ship sails; {ends[n % 3]}" for n in range(30)]
    authors = [f"author{n % 3}" for n in range(30)]
    attacker = weka.PairwiseSVM().fit(texts[:21], authors[:21])
    assert attacker.predict(texts[21:]).tolist() == authors[21:]
    assert attacker.decision_function(texts[21:]).shape == (9, 3)
    two = weka.PairwiseSVM().fit(texts[:2] * 3, authors[:2] * 3)
    assert two.predict(texts[:2]).tolist() == authors[:2]


def test_raw_features_are_not_brought_to_one_scale():
    attacker = weka.UnscaledBayes().fit(["A short one.", "Another, longer one; and longer still."], ["a", "b"])
    assert (attacker._scale == 1).all()


@pytest.fixture(scope="module")
def bounds():
    table = embeddings.load(None, limit=900)
    return usefulness.of_vocabulary(table.words, table, spelling_weight=0.3)


def test_what_is_drawn_lies_between_both_bounds(bounds):
    assert {row.good for row in bounds.useful} == set(usefulness.GOOD)
    for row in bounds.useful:
        assert 0 <= row.lower <= row.probability <= row.upper <= 1
    by_good = [[row.probability for row in bounds.useful if row.good == good] for good in usefulness.GOOD]
    assert all(shares == sorted(shares) for shares in by_good)


def test_the_epsilon_that_it_takes_lies_between_both_conditions_and_grows(bounds):
    needed = bounds.needed
    assert {row.outputs for row in needed} == {100, 300, 900}
    for row in needed:
        assert 0 < row.necessary <= row.epsilon <= row.sufficient
    for good in usefulness.GOOD:
        assert [row.necessary for row in needed if row.good == good] == sorted(
            row.necessary for row in needed if row.good == good
        )


def test_probabilities_are_those_of_the_mechanism():
    table = WordTable(tuple(WORDS), vectors())
    ratings = WordRatings(WORDS, vectors(), spelling_weight=0.3)
    rows = list(usefulness._sorted_rows(ratings))
    word = usefulness._words(2, rows)[3]
    law = Exponential(WordRatings(table.words, table.vectors, spelling_weight=0.3), epsilon=20.0).law(3)
    assert word.probability(20.0) == pytest.approx(np.sort(law)[-word.good :].sum(), abs=1e-6)
    assert word.probability(word.epsilon()) == pytest.approx(0.5, abs=1e-6)


def test_both_figures_can_be_drawn(bounds):
    assert set(usefulness.figures(bounds)) == {"theorem-3-6", "corollary-3-7"}
    assert usefulness.figures(usefulness.GoodOutputs()) == {}
