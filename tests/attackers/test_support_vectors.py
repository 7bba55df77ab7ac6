"""All authors' machines at once are those that scikit-learn finds one after another."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from allonym.attackers import support_vectors as machines
from allonym.randomness import insecure


def made_up(texts: int, features: int, authors: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Return rows of length 1 that tell a little of their author."""
    rng = insecure(7)
    writers = rng.below(np.full(texts, authors))
    counts = rng.below(np.full((texts, features), 12)) == 0
    counts |= (np.arange(features) % authors == writers[:, None]) & (rng.below(np.full((texts, features), 5)) == 0)
    values = counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)
    return sparse.csr_array(values), writers


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(machines, "worth_compiling", lambda entries: True)


@pytest.mark.parametrize(("authors", "cost"), [(2, 1.0), (5, 0.1), (9, 10.0)])
def test_the_machines_are_those_of_scikit_learn(at_once, authors, cost):
    values, writers = made_up(240, 90, authors)
    weights, constants = machines.support_vectors(values, writers, cost=cost, tolerance=1e-5)
    theirs = LinearSVC(C=cost, tol=1e-8, max_iter=1_000_000, dual=True, random_state=1)
    expected, offsets = machines.of_each_author(theirs, values, writers)
    assert weights.shape == (authors, 90)
    np.testing.assert_allclose(weights, expected, atol=2e-4 * np.abs(expected).max())
    np.testing.assert_allclose(constants, offsets, atol=2e-4 * np.abs(expected).max())


def test_a_text_without_features_and_columns_without_texts(at_once):
    values, writers = made_up(120, 40, 3)
    with_gaps = sparse.csr_array(sparse.hstack([values, sparse.csr_array((120, 5))]))
    with_gaps = sparse.csr_array(sparse.vstack([with_gaps[:119], sparse.csr_array((1, 45))]))
    weights, _ = machines.support_vectors(with_gaps, writers, tolerance=1e-4)
    assert np.isfinite(weights).all()
    assert not weights[:, 40:].any()


def test_few_texts_are_left_to_scikit_learn(monkeypatch):
    values, writers = made_up(60, 30, 4)
    monkeypatch.setattr(machines, "_all_at_once", None)
    weights, constants = machines.support_vectors(values, writers)
    assert weights.shape == (4, 30)
    assert constants.shape == (4,)
