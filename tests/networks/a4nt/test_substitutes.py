"""Which words an editor prefers where it changes one: the law by hand, and drawn through the whole network."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.language.pairs import WordPairs
from allonym.language.sequences import END, SPECIAL, START, Vocabulary
from allonym.networks.a4nt._parts import neighbours
from allonym.networks.a4nt.substitutes import Substitutes, kinds
from allonym.networks.whole_numbers import WholeMatrix

WORDS = (*SPECIAL, "one", "two", "three", ".", "!")
ONE, TWO, THREE, STOP, SHOUT = range(4, 9)
VECTORS = np.zeros((len(WORDS), 2), np.int16)
VECTORS[[ONE, TWO, THREE]] = [[100, 0], [80, 60], [0, 100]]
PLACES = 64


def substitutes(strength: float = 3.0) -> Substitutes:
    follows = np.zeros(len(WORDS), np.int64)
    follows[START] = 1
    levels = np.array([1.5], np.float32)
    table = WordPairs(Vocabulary(WORDS), np.ones(len(WORDS), np.float32), follows, np.array([THREE]), levels)
    vectors = WholeMatrix(VECTORS, np.full(len(WORDS), 0.01, np.float32))
    return Substitutes(vectors, kinds(WORDS), strength, table.of(WORDS))


def law(ratings: np.ndarray) -> np.ndarray:
    weights = np.exp(ratings - ratings.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def test_how_often_a_word_changes_stays_and_what_it_becomes_is_multiplied() -> None:
    ratings = np.linspace(-1, 1, 2 * len(WORDS), dtype=np.float32).reshape(2, -1)
    ratings[:, : len(SPECIAL)] = -np.inf
    before = law(ratings)
    substitutes().prefer(ratings, np.array([ONE, ONE]), np.array([START, TWO]), np.array([STOP, STOP]))
    after = law(ratings)
    assert after[:, ONE] == pytest.approx(before[:, ONE], rel=1e-5)
    assert (after[:, [STOP, SHOUT]] == 0).all()  # a word does not become a mark
    gained = (after[:, THREE] / after[:, TWO]) / (before[:, THREE] / before[:, TWO])
    # Beside the start "three" fits, by its level; elsewhere only meaning counts: cosines 0.8 and 0.
    assert gained == pytest.approx(np.exp([1.5 - 3 * 0.8, -3 * 0.8]), rel=1e-4)


def test_a_mark_becomes_a_mark_or_stays() -> None:
    ratings = np.zeros((1, len(WORDS)), np.float32)
    substitutes().prefer(ratings, np.array([STOP]), np.array([ONE]), np.array([END]))
    found = law(ratings)[0]
    assert found[[ONE, TWO, THREE]].sum() == 0
    assert found[SHOUT] == pytest.approx(1 - found[STOP])
    assert found[STOP] == pytest.approx(1 / len(WORDS))


def test_kinds_keep_to_themselves() -> None:
    tokens = [
        *SPECIAL,
        "dog",
        "'s",
        "n't",
        "ran",
        "<year>",
        "<number>",
        "<person>",
        "<place>",
        ".",
        ",",
        '"',
        "(",
        "o'clock",
    ]
    kind = dict(zip(tokens, kinds(tokens).tolist(), strict=True))
    assert kind["dog"] == kind["ran"] == kind["o'clock"]
    assert kind["'s"] == kind["n't"]
    assert kind["<year>"] == kind["<number>"]
    assert kind["<person>"] == kind["<place>"]
    assert kind["."] == kind[","]
    assert len({kind[token] for token in ("dog", "n't", "<year>", "<person>", ".", '"', "(")}) == 7
    assert kind["<unk>"] == kind["dog"]  # an unknown word may become a known one


def test_a_place_s_law_depends_on_it_alone() -> None:
    together = np.linspace(-2, 2, PLACES * len(WORDS), dtype=np.float32).reshape(PLACES, -1)
    alone = together[5:6].copy()
    words = np.full(PLACES, TWO)
    substitutes().prefer(together, words, np.full(PLACES, START), words)
    substitutes().prefer(alone, words[:1], np.array([START]), words[:1])
    assert (together[5] == alone[0]).all()


def test_neighbours_end_with_the_sentence() -> None:
    tokens = np.array([[ONE, TWO, THREE], [STOP, 0, 0]])
    lefts, rights = neighbours(tokens, np.array([3, 1]))
    assert lefts[0].tolist() == [START, ONE, TWO]
    assert rights[0].tolist() == [TWO, THREE, END]
    assert (lefts[1, 0], rights[1, 0]) == (START, END)
