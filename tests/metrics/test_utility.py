"""Topic classification: the paper's two classifiers, on texts and on counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from allonym.errors import InputError, ParameterError
from allonym.metrics import topic_scores

GARDEN = ["roses need pruning in spring", "water the tomatoes and the beans", "compost feeds the soil", "sow the beans"]
KITCHEN = ["simmer the soup slowly", "knead the dough and bake it", "salt the soup and the beans", "bake at a low heat"]
TRAIN, TRAIN_LABELS = GARDEN + KITCHEN, ["garden"] * 4 + ["kitchen"] * 4
TEST = ["prune the roses", "bake the dough", "soup of beans", "spring soil", "heat and water", "sow and water the soup"]
TEST_LABELS = ["garden", "kitchen", "kitchen", "garden", "kitchen", "garden"]


def test_texts_give_what_scikit_learn_gives():
    scores = topic_scores(TRAIN, TRAIN_LABELS, TEST, TEST_LABELS)
    vectorizer = TfidfVectorizer().fit(TRAIN)
    for found, classifier in (
        (scores.naive_bayes, MultinomialNB(alpha=0.01)),
        (scores.linear_svm, LinearSVC(C=1, random_state=0)),
    ):
        predicted = classifier.fit(vectorizer.transform(TRAIN), TRAIN_LABELS).predict(vectorizer.transform(TEST))
        for average in ("weighted", "macro"):
            expected = f1_score(TEST_LABELS, predicted, average=average)
            assert found[f"f1_{average}"].value == pytest.approx(expected)
        assert found["accuracy"].low <= found["accuracy"].value <= found["accuracy"].high
    assert scores.best in (scores.naive_bayes, scores.linear_svm)


@pytest.mark.parametrize("matrix", [csr_array, lambda counts: counts], ids=["array", "matrix"])
def test_counts_give_the_same_as_their_texts(matrix):
    counter = CountVectorizer().fit(TRAIN)
    train, test = (matrix(counter.transform(texts)) for texts in (TRAIN, TEST))
    by_counts = topic_scores(train, TRAIN_LABELS, test, TEST_LABELS)
    assert by_counts == topic_scores(TRAIN, TRAIN_LABELS, TEST, TEST_LABELS)


def test_topics_can_be_anything_and_unseen_ones_count_as_wrong():
    labels = [1 if label == "garden" else None for label in TEST_LABELS]
    scores = topic_scores(TRAIN, [1] * 4 + [2] * 4, TEST, labels)
    assert scores.best["accuracy"].value <= labels.count(1) / len(labels)


def test_progress_counts_classifiers():
    seen: list[tuple[int, int]] = []
    topic_scores(TRAIN, TRAIN_LABELS, TEST, TEST_LABELS, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((TRAIN, TRAIN_LABELS[:3], TEST, TEST_LABELS), ParameterError),
        ((TRAIN, TRAIN_LABELS, TEST, TEST_LABELS[:1]), ParameterError),
        ((TRAIN, ["garden"] * 8, TEST, TEST_LABELS), ParameterError),
        ((["a", "!"], [1, 2], TEST, TEST_LABELS), ParameterError),
        ((TRAIN, TRAIN_LABELS, [], []), ParameterError),
        ((TRAIN, TRAIN_LABELS, csr_array(np.eye(2)), [1, 2]), ParameterError),
        ((csr_array(np.eye(3)), [1, 2, 3], csr_array(np.eye(2)), [1, 2]), ParameterError),
        (("one text", TRAIN_LABELS, TEST, TEST_LABELS), InputError),
    ],
)
def test_what_does_not_fit_is_refused_without_naming_a_text(arguments, error):
    with pytest.raises(error) as refused:
        topic_scores(*arguments)
    assert not any(word in str(refused.value) for word in ("roses", "garden", "one text"))
