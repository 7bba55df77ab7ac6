"""What an honest analyst can still do with the texts: sort them by topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from allonym.errors import ParameterError
from allonym.language.words import checked_texts
from allonym.metrics._shared import Progress
from allonym.metrics.scoring import Figure, classification

if TYPE_CHECKING:
    from scipy.sparse import csr_array, csr_matrix

    Documents: TypeAlias = Sequence[str] | csr_array[Any] | csr_matrix[Any]

_SMOOTHING = 0.01  # the paper's α
_PENALTY = 1.0  # the paper's C, which is scikit-learn's default
_FITS = 2


@dataclass(frozen=True)
class TopicScores:
    """How well two classifiers find the topic of the test documents.

    Both map `accuracy`, and `f1`, `precision` and `recall` each followed by `_weighted` and `_macro`, to a figure
    with its bootstrap interval.
    """

    naive_bayes: dict[str, Figure]
    linear_svm: dict[str, Figure]

    @property
    def best(self) -> dict[str, Figure]:
        """The scores of the classifier with the larger weighted F1."""
        return max((self.naive_bayes, self.linear_svm), key=lambda scores: scores["f1_weighted"].value)


def topic_scores(
    train: Documents,
    train_labels: Sequence[object],
    test: Documents,
    test_labels: Sequence[object],
    *,
    progress: Progress = None,
) -> TopicScores:
    """Train two topic classifiers on tf-idf and score them, as section 4.2 of the SynTF paper does.

    Multinomial naive Bayes (α = 0.01) and a linear support vector machine (C = 1). Words, their weights and the
    classifiers are learned from the training part alone.

    Args:
        train: Texts, or a sparse matrix of word counts, such as SynTF releases.
        train_labels: Their topics.
        test: Texts or counts, the same as `train`.
        test_labels: Their topics.
        progress: Called with the classifiers done and all of them.

    Raises:
        ParameterError: Documents and labels do not fit together, or there is nothing to tell apart.
    """
    topics, true = list(train_labels), list(test_labels)
    training, testing = _weighted(train, test)
    for part, rows, labels in (("train", training.shape[0], topics), ("test", testing.shape[0], true)):
        if rows != len(labels):
            raise ParameterError(f"{part} must have one label a document: {rows}, got {len(labels)}.")
        if rows == 0:
            raise ParameterError(f"{part} must have at least one document, got none.")
    if len(set(topics)) < 2:
        raise ParameterError(f"train must have documents of two or more topics, got {len(set(topics))}.")
    # Numbers stand for the topics, so that these can be anything.
    numbers = {topic: number for number, topic in enumerate(dict.fromkeys([*topics, *true]))}
    expected = [numbers[topic] for topic in true]
    found = []
    for done, classifier in enumerate(_classifiers(), start=1):
        classifier.fit(training, [numbers[topic] for topic in topics])
        predicted = classifier.predict(testing).tolist()
        found.append(classification(expected, predicted))
        if progress is not None:
            progress(done, _FITS)
    return TopicScores(*found)


def _classifiers() -> tuple[Any, Any]:
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.svm import LinearSVC

    return MultinomialNB(alpha=_SMOOTHING), LinearSVC(C=_PENALTY, random_state=0)


def _weighted(train: Any, test: Any) -> tuple[Any, Any]:  # noqa: ANN401 - texts or counts
    """Return tf-idf vectors of both parts, weighted by the training part."""
    from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

    counted = hasattr(train, "tocsr")
    if counted != hasattr(test, "tocsr"):
        raise ParameterError("train and test must both be texts or both be counts, got one of each.")
    if counted:
        if train.shape[1] != test.shape[1]:
            raise ParameterError(
                f"train and test must count the same words, got {train.shape[1]} and {test.shape[1]} columns."
            )
        weights = TfidfTransformer()
        return weights.fit_transform(train), weights.transform(test)
    # The paper does not say how it splits the plain texts it compares with; this is scikit-learn's default.
    texts, others, vectorizer = checked_texts(train), checked_texts(test), TfidfVectorizer()
    try:
        return vectorizer.fit_transform(texts), vectorizer.transform(others)
    except ValueError as error:
        raise ParameterError("train must have words of two or more letters, got none: give it more text.") from error
