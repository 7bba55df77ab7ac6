"""Words that stayed, length, and distance of features, by cases counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix

from allonym.errors import InputError, ParameterError
from allonym.metrics import feature_distance, length_change, style, unchanged, unchanged_in_place

BEFORE = ["The dog saw the other dog.", "Two tiny owls", "", "", "Gone!"]
AFTER = ["the cat saw THE dog", "Owls, two: tiny", "", "new words", ""]


def test_unchanged_counts_words_as_often_as_they_occur():
    # the, dog, saw, the of six words; all three; nothing to change; nothing to compare; nothing left.
    np.testing.assert_allclose(unchanged(BEFORE, AFTER), [4 / 6, 1, 1, np.nan, 0])


def test_unchanged_in_place_wants_the_same_number_of_words():
    np.testing.assert_allclose(unchanged_in_place(BEFORE, AFTER), [np.nan, 0, 1, np.nan, np.nan])
    np.testing.assert_allclose(unchanged_in_place(["a b c d"], ["A x C y"]), [0.5])


def test_length_change():
    np.testing.assert_allclose(length_change(BEFORE, AFTER), [5 / 6, 1, 1, np.nan, 0])


@pytest.mark.parametrize("measure", [unchanged, unchanged_in_place, length_change])
def test_same_texts_score_one_in_any_script_and_batch(measure):
    texts = ["Ça va?", "你好 世界", "😀", "don't", "x" * 5000] * 60
    seen: list[tuple[int, int]] = []
    figures = measure(texts, texts, progress=lambda done, total: seen.append((done, total)))
    assert figures.dtype == np.float64
    assert (figures == 1).all()
    assert seen == [(256, 300), (300, 300)]
    assert measure([], []).shape == (0,)


@pytest.mark.parametrize("measure", [unchanged, unchanged_in_place, length_change])
def test_lists_that_do_not_fit_are_refused_without_their_text(measure):
    for before, after in ((["secret"], []), ("secret", ["secret"]), (["secret"], [b"secret"])):
        with pytest.raises(InputError) as refused:
            measure(before, after)
        assert "secret" not in str(refused.value)


def test_feature_distance_is_euclidean_whatever_holds_the_features(monkeypatch):
    monkeypatch.setattr(style, "_BLOCK", 2)
    before, after = np.zeros((3, 4)), np.zeros((3, 4))
    before[0, :2], after[1, 3], before[2], after[2] = (3, 4), -2, 1, 1
    kinds = (np.asarray, np.ndarray.tolist, csr_array, csr_matrix, coo_array)
    for one in kinds:
        for other in kinds:
            np.testing.assert_allclose(feature_distance(one(before), other(after)), [5, 2, 0])


def test_feature_distance_of_counts_does_not_wrap_round():
    few, many = csr_array(np.array([[0]], dtype=np.uint8)), csr_array(np.array([[200]], dtype=np.uint8))
    assert feature_distance(few, many).tolist() == [200.0]


def test_features_of_other_shapes_are_refused():
    for other in (np.zeros((2, 3)), np.zeros((3, 2)), np.zeros(2)):
        with pytest.raises(ParameterError):
            feature_distance(np.zeros((2, 2)), other)
