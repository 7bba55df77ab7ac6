"""What an honest analyst can still do with the texts: sort them by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from allonym.errors import ParameterError
from allonym.language.words import checked_texts
from allonym.metrics._shared import Progress
from allonym.metrics.base import Measure, MeasuredTexts, Released, Taking
from allonym.metrics.figures import Figure
from allonym.metrics.scoring import classification

if TYPE_CHECKING:
    from scipy.sparse import csr_array, csr_matrix

    Documents: TypeAlias = Sequence[str] | csr_array[Any] | csr_matrix[Any]

_SMOOTHING = 0.01  # the paper's α
_FIGURE = "f1_weighted"
_PENALTY = 1.0  # the paper's C, which is scikit-learn's default


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
    training, testing = weighted(train, test)
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
    guessed = analysts(training, [numbers[topic] for topic in topics], testing, progress)
    return TopicScores(**{name: classification(expected, labels) for name, labels in guessed.items()})


def analysts(train: Any, labels: Sequence[Any], test: Any, progress: Progress = None) -> dict[str, list[Any]]:  # noqa: ANN401
    """Return the labels that two classifiers who learned from weighted counts give to others."""
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.svm import LinearSVC

    models = {"naive_bayes": MultinomialNB(alpha=_SMOOTHING), "linear_svm": LinearSVC(C=_PENALTY, random_state=0)}
    guessed = {}
    for name, model in models.items():
        guessed[name] = model.fit(train, labels).predict(test).tolist()
        if progress is not None:
            progress(len(guessed), len(models))
    return guessed


def weighted(train: Any, test: Any) -> tuple[Any, Any]:  # noqa: ANN401 - texts or counts
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


class _Analyst(Taking):
    """How well an analyst finds the labels who learns them from what was released."""

    def __init__(self, measure: Measure, ground: MeasuredTexts) -> None:
        self._labels = [[(ground.labels or [])[row] for row in part] for part in (ground.train, ground.test)]
        self.before = self._score([ground.untouched()])
        self.floor = self._guessing()

    def after(self, releases: Sequence[Released]) -> Figure:
        try:
            return self._score(releases)
        except ParameterError:  # not one word is left to learn from: the originals had passed
            return self._one_label()

    def _score(self, releases: Sequence[Released]) -> Figure:
        """Return the better analyst's score over all releases, of each of which he learns anew."""
        guesses = []
        for released in releases:
            # An analyst gets counts as they are.
            parts = (released.train, released.test)
            vectors = weighted(*(each.payload if hasattr(each.payload, "tocsr") else each.texts for each in parts))
            guesses.append(analysts(vectors[0], self._labels[0], vectors[1]))
        scores = [classification(self._labels[1], *(each[name] for each in guesses)) for name in guesses[0]]
        return max((score[_FIGURE] for score in scores), key=lambda figure: figure.value)

    def _guessing(self) -> float:
        """Return the better of naming the most frequent label always and of guessing labels as often as they occur.

        The second reaches, in expectation, precision p and recall q of a label with share p in the test and q in the
        training part. By weighted F1 it is often the better of the two.
        """
        train, test = map(Counter, self._labels)
        shares = [(test[label] / test.total(), train[label] / train.total()) for label in test]
        return max(self._one_label().value, sum(p * 2 * p * q / (p + q) for p, q in shares))

    def _one_label(self) -> Figure:
        """Return what naming the most frequent label always reaches."""
        [(most_frequent, _)] = Counter(self._labels[0]).most_common(1)
        return classification(self._labels[1], [most_frequent] * len(self._labels[1]))[_FIGURE]


TOPIC = Measure(
    name="topic",
    title="topic F1",
    describes_itself_as="topic F1 of an analyst who learns from the released texts",
    of=topic_scores,
    unit="F1",
    untouched=None,
    taking=_Analyst,
    needs_labels=True,
    main=1,
    keeps="of the topic score",
)
