from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import estimator_checks_generator

from allonym import SynTFCounts
from allonym.errors import ParameterError
from allonym.randomness import insecure

# Checks of scikit-learn's suite that this estimator must not pass, each with its reason.
EXPECTED_FAILURES = {
    "check_do_not_raise_errors_in_init_or_set_params": "parameters are checked at once: a NaN ε must never wait",
    "check_estimators_pickle": "compares two transforms, which must differ: each draws fresh secret noise",
    "check_fit_idempotent": "compares two transforms, which must differ: each draws fresh secret noise",
}


def _checks():
    checks = estimator_checks_generator(SynTFCounts(words=5), expected_failed_checks=EXPECTED_FAILURES, mark="xfail")
    return list(checks)


def _name(check) -> str:
    return getattr(check, "func", check).__name__


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), _checks(), ids=lambda value: _name(value) if callable(value) else "")
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_the_suite_is_not_vacuous():
    assert len(_checks()) > 40


def test_every_row_sums_to_words_and_stays_whole():
    counts = sparse.csr_array(np.array([[3, 0, 1], [0, 0, 0], [10_000, 2, 5]]))
    model = SynTFCounts(words=50).fit(counts)
    out = model.transform(counts)
    assert out.dtype.kind == "i"
    assert out.sum(axis=1).tolist() == [50, 50, 50]
    assert model.transform(counts.toarray()).shape == (3, 3)


def test_dense_sparse_and_explicit_zeros_are_one():
    dense = np.array([[3.0, 0.0, 1.0]])
    messy = sparse.csr_array((np.array([1.0, 2.0, 0.0, 1.0]), np.array([0, 0, 1, 2]), np.array([0, 4])), shape=(1, 3))
    model = SynTFCounts(words=30).fit(dense)
    first = model.release(dense, rng=insecure(1)).payload.toarray()
    assert (model.release(messy, rng=insecure(1)).payload.toarray() == first).all()


def test_weights_need_not_be_counts():
    model = SynTFCounts(words=40_000, epsilon=100.0).fit(np.ones((1, 2)))
    shares = model.release(np.array([[0.3, 0.1]]), rng=insecure(1)).payload.toarray()[0] / 40_000
    assert shares == pytest.approx([0.75, 0.25], abs=0.02)


def test_ratings_may_be_given_and_are_checked():
    ratings = np.array([[1.0, 0.9], [0.9, 1.0]])
    close = SynTFCounts(ratings=ratings).fit(np.ones((1, 2))).guarantee().loss_per_word
    far = SynTFCounts().fit(np.ones((1, 2))).guarantee().loss_per_word
    assert close < far
    for bad in (ratings * 2, ratings - 1, np.eye(3), ratings * np.nan):
        with pytest.raises(ParameterError, match="ratings must be"):
            SynTFCounts(ratings=bad).fit(np.ones((1, 2)))


def test_batches_and_positions():
    counts = insecure(1).below(4, (9, 6))
    model = SynTFCounts(words=25, epsilon=5.0).fit(counts)
    whole = model.release(counts, rng=insecure(2)).payload.toarray()
    parts = [model.release(counts[i : i + 2], rng=insecure(2), start=i).payload.toarray() for i in range(0, 9, 2)]
    assert (np.concatenate(parts) == whole).all()


def test_calibration_and_guarantee():
    model = SynTFCounts(words=10, loss_per_word=2.0).fit(np.ones((1, 5)))
    guarantee = model.guarantee()
    assert 1.99 < guarantee.loss_per_word <= 2.0
    assert guarantee.epsilon == pytest.approx(10 * guarantee.loss_per_word)
    assert model.release(np.ones((1, 5)), rng=insecure(1)).guarantee.formal is False
