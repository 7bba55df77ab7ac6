from __future__ import annotations

import numpy as np
import pytest

from allonym import acceleration
from allonym.errors import ParameterError
from allonym.randomness import insecure
from allonym.vectors.closeness import FURTHEST, WordCloseness


def vectors(words: int = 40, dimensions: int = 9, scale: float = 1.0) -> np.ndarray:
    return ((insecure(1).below(2001, (words, dimensions)) - 1000) / 1000 * scale).astype(np.float32)


def whole_matrix(closeness: WordCloseness) -> np.ndarray:
    return np.concatenate([tile.copy() for _, tile in closeness.tiles(np.arange(closeness.shape[0]))])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_distances_are_those_of_the_rounded_vectors(scale):
    closeness = WordCloseness(vectors(scale=scale))
    rounded = closeness.rounded.astype(np.float64)
    exact = np.linalg.norm(rounded[:, None] - rounded[None], axis=2)
    found = (FURTHEST - whole_matrix(closeness)) * closeness.unit
    assert np.abs(found - exact).max() <= 3 * closeness.unit
    assert np.abs(rounded - vectors(scale=scale)).max() <= closeness.unit * 4096 * 0.51
    assert (np.diag(found) == 0).all()
    assert (found == found.T).all()


def test_compiled_scores_are_the_same(monkeypatch):
    by_numpy = whole_matrix(WordCloseness(vectors()))
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    assert (whole_matrix(WordCloseness(vectors())) == by_numpy).all()


def test_every_sum_is_exact():
    closeness = WordCloseness(vectors(60, 300))
    steps = closeness._steps.vectors.astype(np.int64)
    squares = ((steps[:, None] - steps[None]) ** 2).sum(axis=2)
    assert squares.max() <= 2**24
    expected = FURTHEST - np.rint(np.sqrt(squares.astype(np.float32)) * np.float32(4096))
    assert (whole_matrix(closeness) == expected).all()


def test_bad_vectors_fail_at_once():
    for bad in (np.zeros((3, 2)), np.full((3, 2), np.nan), np.zeros(3), np.zeros((0, 3))):
        with pytest.raises(ParameterError, match="word vectors must be"):
            WordCloseness(bad.astype(np.float32))
