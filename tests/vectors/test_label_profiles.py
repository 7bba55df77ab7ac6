"""Label profiles: by hand on a small table, and what mixing does to a cosine."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from allonym.errors import InputError
from allonym.vectors import label_profiles

COUNTS = sparse.csr_array(np.array([[3, 0, 1, 0], [1, 0, 1, 0], [0, 2, 1, 0], [0, 1, 1, 0]]))
LABELS = ["sport", "sport", "science", "science"]


def test_profiles_by_hand():
    learned = label_profiles.learn(COUNTS, LABELS)
    # Term 0 occurs in both sport texts, term 1 in both science texts, term 2 in all, term 3 in none. Of the 8
    # occurrences 4 are of each label, so the prior is one half.
    share = (2 + 10 * 0.5) / 12
    direction = np.array([np.sqrt(1 - share) - np.sqrt(0.5), np.sqrt(share) - np.sqrt(0.5)])  # science, sport
    np.testing.assert_allclose(learned.vectors[0], direction / np.linalg.norm(direction), atol=1e-12)
    np.testing.assert_allclose(learned.vectors[1], learned.vectors[0][::-1], atol=1e-12)
    np.testing.assert_allclose(learned.vectors[3], 0)
    expected = share * np.log(2 * share) + (1 - share) * np.log(2 * (1 - share))
    np.testing.assert_allclose(learned.information, [expected, expected, 0, 0], atol=1e-12)
    assert learned.drawing_weights.tolist() == [1000, 1000, 1, 1]


def test_evidence_adds_up_what_terms_tell():
    learned = label_profiles.learn(COUNTS, LABELS)
    [row] = learned.evidence(sparse.csr_array([[2, 0, 0, 5]]))
    expected = 2 * learned.vectors[0]
    np.testing.assert_allclose(row, [*expected, *(expected * learned.information[0])])


def test_counts_matter_only_as_presence():
    once = label_profiles.learn(sparse.csr_array((COUNTS.toarray() > 0).astype(int)), LABELS)
    np.testing.assert_array_equal(once.vectors, label_profiles.learn(COUNTS, LABELS).vectors)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_mixing_mixes_cosines(weight):
    words = np.array([[3, 4, 0], [0, 2, 0], [0, 0, 0], [1, 0, 0]], np.float32)
    profiles = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], float)
    mixed = label_profiles.mix(words, profiles, weight).astype(float)
    np.testing.assert_allclose(np.linalg.norm(mixed, axis=1), 1, atol=1e-6)
    assert mixed[0] @ mixed[1] == pytest.approx((1 - weight) * 0.8 + weight * np.sqrt(0.5), abs=1e-6)
    assert mixed[0] @ mixed[2] == pytest.approx(0, abs=1e-6)  # has no word vector: compared by its profile alone
    assert mixed[1] @ mixed[2] == pytest.approx(np.sqrt(weight) * np.sqrt(0.5), abs=1e-6)
    assert mixed[0] @ mixed[3] == pytest.approx(np.sqrt(1 - weight) * 0.6, abs=1e-6)


def test_a_label_without_any_term_keeps_numbers_finite():
    counts = sparse.csr_array(np.array([[1, 0], [0, 1], [0, 0]]))
    learned = label_profiles.learn(counts, ["a", "b", "c"])
    assert np.isfinite(learned.vectors).all()
    assert np.isfinite(learned.information).all()


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(InputError, match="4 reference texts but 3 labels"):
        label_profiles.learn(COUNTS, LABELS[:3])
    with pytest.raises(InputError, match="two different labels"):
        label_profiles.learn(COUNTS, ["one"] * 4)
    with pytest.raises(InputError, match="No reference text holds"):
        label_profiles.learn(sparse.csr_array((4, 4), dtype=int), LABELS)
