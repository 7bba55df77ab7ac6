"""How much of a text's wording and style is left.

Texts come in two lists, before and after, a text each for every document (else an InputError); `progress` is called
with the documents done and all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from allonym.errors import ParameterError
from allonym.language.words import terms
from allonym.metrics._shared import Figures, Progress, checked_pairs
from allonym.metrics.base import Measure

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from scipy.sparse import csr_array, csr_matrix

    Features: TypeAlias = ArrayLike | csr_array[Any] | csr_matrix[Any]

_BLOCK = 256  # documents between two calls of progress, or of feature rows held at once


def feature_distance(before_features: Features, after_features: Features, *, progress: Progress = None) -> Figures:
    """Return the Euclidean distance between the stylometric features of each text before and after.

    This is ER-AE's "stylometric" figure: the L2 norm of the change of the feature vector, larger is better. Its
    authors feed it raw features (text length, counts of function words) and name no scaling, so figures compare only
    between methods that were given the same features. Scale the columns before if none shall dominate.

    Args:
        before_features: A matrix, dense or sparse, one row a document.
        after_features: The same features of the texts after.
        progress: Called with the documents done and all of them.

    Raises:
        ParameterError: The matrices have different shapes or are no matrices.
    """
    before, after = _matrix(before_features), _matrix(after_features)
    if before.ndim != 2 or before.shape != after.shape:
        raise ParameterError(
            f"Both must be matrices with a row for each document and the same columns, got shapes "
            f"{before.shape} and {after.shape}."
        )
    distances = np.empty(before.shape[0])
    for start in range(0, len(distances), _BLOCK):
        rows = slice(start, min(start + _BLOCK, len(distances)))
        distances[rows] = _lengths(before[rows], after[rows])
        if progress is not None:
            progress(rows.stop, len(distances))
    return distances


def unchanged(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the share of each text's words, in lower case, that are still there after, wherever they stand.

    Words count as often as they occur: of two in a text of which one is left, half is unchanged. Of two texts
    without words all is unchanged; where only the first has none, the share is NaN.

    Example:
        >>> unchanged(["The dog and the cat"], ["the cat sleeps"]).tolist()
        [0.4]
    """

    def share(old: list[str], new: list[str]) -> float:
        return (Counter(old) & Counter(new)).total() / len(old)

    return _per_pair(share, before, after, progress)


def unchanged_in_place(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the share of each text's words, in lower case, that are the same word at the same place after.

    Only where both texts have equally many words; elsewhere the share is NaN.

    Example:
        >>> unchanged_in_place(["red or blue"], ["Blue or red"]).round(3).tolist()
        [0.333]
    """

    def share(old: list[str], new: list[str]) -> float:
        if len(old) != len(new):
            return float("nan")
        return sum(map(str.__eq__, old, new)) / len(old)

    return _per_pair(share, before, after, progress)


def length_change(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return how many words each text has after for each word it had before.

    1 for two texts without words; NaN where only the first has none.

    Example:
        >>> length_change(["one two three four"], ["one two"]).tolist()
        [0.5]
    """

    def ratio(old: list[str], new: list[str]) -> float:
        return len(new) / len(old)

    return _per_pair(ratio, before, after, progress)


def _matrix(features: Any) -> Any:  # noqa: ANN401 - dense or sparse
    return features.tocsr().astype(np.float64) if hasattr(features, "tocsr") else np.asarray(features, np.float64)


def _per_pair(
    figure: Callable[[list[str], list[str]], float], before: Sequence[str], after: Sequence[str], progress: Progress
) -> Figures:
    """Compute a figure from the lower-case words of both texts, of which the first has at least one."""
    olds, news = checked_pairs(before, after)
    figures = np.ones(len(olds))
    for number, (old, new) in enumerate(zip(olds, news, strict=True)):
        words, others = (
            terms(each, morphology="lower", keep_stop_words=True, keep_numbers=True) for each in (old, new)
        )
        if words:
            figures[number] = figure(words, others)
        elif others:
            figures[number] = np.nan
        if progress is not None and ((number + 1) % _BLOCK == 0 or number + 1 == len(olds)):
            progress(number + 1, len(olds))
    return figures


def _lengths(before: Any, after: Any) -> Figures:  # noqa: ANN401 - dense or sparse
    """Return the length of each row of the difference, which is sparse where both are."""
    difference = before - after
    if hasattr(difference, "toarray"):
        squares: Figures = np.asarray(difference.power(2).sum(axis=1), dtype=np.float64).ravel()
        return np.sqrt(squares)
    lengths: Figures = np.linalg.norm(np.asarray(difference, dtype=np.float64), axis=1)
    return lengths


UNCHANGED = Measure("unchanged", "words unchanged", "share of words unchanged", unchanged, main=3, keeps="of the words")
UNCHANGED_IN_PLACE = Measure(
    "unchanged-in-place",
    "words unchanged in place",
    "share of words that are the same word at the same place",
    unchanged_in_place,
    usual=False,
)
LENGTH = Measure("length", "words after / before", "words after for each word before", length_change, unit="ratio")
