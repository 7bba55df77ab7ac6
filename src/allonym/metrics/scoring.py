"""How well somebody guessed: accuracy, F1, rank, each with a bootstrap interval over documents and releases.

Percentile intervals over documents drawn with replacement and, where the same documents were released several times,
over releases drawn with replacement, too. What is drawn is repeatable, and no model is fitted again, so an interval
says nothing about other training texts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import InputError
from allonym.metrics.figures import Figure, Floats
from allonym.randomness import insecure

RESAMPLES = 1000
_BOOTSTRAP_SEED = 20_180_708  # intervals are no secret, and a report must say the same twice
_DRAWS_AT_ONCE = 2**21  # 16 MiB of indices
_SCORES = (
    "accuracy",
    *("f1_weighted", "precision_weighted", "recall_weighted"),
    *("f1_macro", "precision_macro", "recall_macro"),
)

_Integers: TypeAlias = NDArray[np.int64]


def bootstrap(values: ArrayLike, statistic: Callable[..., Any] = np.mean) -> Figure:
    """Return a statistic of one number for each document; documents without one (NaN) are left out.

    Args:
        values: One number a document; or releases × documents, where all documents were released several times.
        statistic: A function of an array and `axis`, such as `numpy.mean` or `numpy.median`.

    >>> print(bootstrap([1.0, 1.0, 1.0]))
    1.000 (1.000 to 1.000)
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim not in (1, 2):
        raise InputError(f"Give one number for each document, not an array of shape {numbers.shape}.")
    numbers = _without_gaps(np.atleast_2d(numbers))
    _at_least_one(numbers.size)
    releases, documents = numbers.shape
    resampled = [statistic(numbers.ravel()[drawn], axis=1) for drawn in _draws(documents, releases)]
    return Figure.of_resamples(float(statistic(numbers.ravel(), axis=0)), np.concatenate(resampled))


def classification(truth: Sequence[object], *predicted: Sequence[object]) -> dict[str, Figure]:
    """Return accuracy, and F1, precision and recall both weighted by class size and as plain means ("macro").

    Resampling documents resamples the counts of the confusion matrix, from which every figure follows. As in
    scikit-learn, classes are those that occur among the true or the predicted ones, and 0/0 counts as 0.

    Args:
        truth: The class of each document.
        predicted: What was guessed of each; once for every release of the documents.

    >>> classification(["a", "a", "b", "b"], ["a", "b", "b", "b"])["accuracy"].value
    0.75
    """
    for guesses in predicted:
        _as_many(truth, guesses)
    pooled = [list(truth) * len(predicted), list(itertools.chain.from_iterable(predicted))]
    of_guess, margins = _cells(*pooled)
    measured = values(*pooled)
    resampled = np.concatenate(
        [_scores(_counted(of_guess[drawn], len(margins)), margins) for drawn in _draws(len(truth), len(predicted))]
    )
    return {
        name: Figure.of_resamples(value, spread)
        for (name, value), spread in zip(measured.items(), resampled.T, strict=True)
    }


def values(truth: Sequence[object], predicted: Sequence[object]) -> dict[str, float]:
    """Return what `classification` returns, without intervals: for means over many runs."""
    of_document, margins = _cells(truth, predicted)
    [measured] = _scores(_counted(of_document[None], len(margins)), margins)
    return dict(zip(_SCORES, measured.tolist(), strict=True))


def ranking(truth: Sequence[object], classes: Sequence[object] | NDArray[Any], *scores: Floats) -> dict[str, Figure]:
    """Return how high the true class ranks: the share among the first five, and the mean reciprocal rank.

    Ties count against the guesser: with equal scores the true class comes last. A class that the guesser does not know
    is never found. Scores are given once for every release of the documents.
    """
    column = {str(name): position for position, name in enumerate(classes)}
    known = np.array([column.get(str(name), -1) for name in truth])
    _at_least_one(len(known))
    ranks = np.array([_ranks(known, each) for each in scores])
    return {"top_5": bootstrap(ranks <= 5), "mean_reciprocal_rank": bootstrap(1 / ranks)}


def _ranks(known: _Integers, scores: Floats) -> Floats:
    of_truth = np.where(known >= 0, scores[np.arange(len(known)), known], -np.inf)
    return np.where(known >= 0, (scores >= of_truth[:, None]).sum(1), np.inf)


def chance(truth: Sequence[object]) -> float:
    """Return the share of the most frequent class, which one guess for all would reach."""
    _at_least_one(len(truth))
    return float(np.unique(np.array([str(name) for name in truth]), return_counts=True)[1].max() / len(truth))


def confusion(truth: Sequence[object], predicted: Sequence[object], classes: Sequence[object]) -> _Integers:
    """Return true × predicted classes: how many documents of one were taken for the other."""
    column = {str(name): position for position, name in enumerate(classes)}
    table = np.zeros((len(column), len(column)), np.int64)
    np.add.at(table, ([column[str(name)] for name in truth], [column[str(name)] for name in predicted]), 1)
    return table


def _draws(documents: int, releases: int) -> Iterator[_Integers]:
    """Draw places in releases × documents, flattened: documents and releases with replacement, a row a resample.

    Each resample has its own stream, so that how many are held at once does not change them.
    """
    streams = insecure(_BOOTSTRAP_SEED).documents([b""] * RESAMPLES)
    of_release = insecure(_BOOTSTRAP_SEED + 1).documents([b""] * RESAMPLES)
    rows = max(1, _DRAWS_AT_ONCE // (documents * releases))
    for start in range(0, RESAMPLES, rows):
        stop = min(start + rows, RESAMPLES)
        drawn = streams.part(start, stop).below(documents, (stop - start, documents))
        if releases > 1:
            chosen = of_release.part(start, stop).below(releases, (stop - start, releases))
            drawn = (chosen[:, :, None] * documents + drawn[:, None, :]).reshape(stop - start, -1)
        yield drawn


def _without_gaps(numbers: Floats) -> Floats:
    """Leave out documents without a number; where only some of its releases have none, its mean stands for them."""
    missing = np.isnan(numbers)
    numbers, missing = numbers[:, ~missing.all(0)], missing[:, ~missing.all(0)]
    if missing.any():
        numbers = np.where(missing, np.nanmean(numbers, axis=0), numbers)
    return numbers


def _cells(truth: Sequence[object], predicted: Sequence[object]) -> tuple[_Integers, _Integers]:
    """Return each document's cell among the occupied ones of the confusion matrix, and what a cell counts towards."""
    _as_many(truth, predicted)
    _at_least_one(len(truth))
    numbers: dict[str, int] = {}
    codes = np.array([[numbers.setdefault(str(name), len(numbers)) for name in names] for names in (truth, predicted)])
    cells, of_document = np.unique(codes[0] * len(numbers) + codes[1], return_inverse=True)
    return of_document, _margins(cells, len(numbers))


def _counted(cells_drawn: _Integers, cells: int) -> _Integers:
    """Count, for each row, how often each cell of the confusion matrix was drawn."""
    rows = len(cells_drawn)
    shifted = cells_drawn + cells * np.arange(rows)[:, None]
    return np.bincount(shifted.ravel(), minlength=rows * cells).reshape(rows, cells)


def _margins(cells: _Integers, classes: int) -> _Integers:
    """Return the array (cell, 3, class) that adds cells up to hits, guesses and truths of each class."""
    margins = np.zeros((len(cells), 3, classes), dtype=np.int64)
    true, predicted, rows = cells // classes, cells % classes, np.arange(len(cells))
    margins[rows, 0, true] = true == predicted
    margins[rows, 1, predicted] = 1
    margins[rows, 2, true] = 1
    return margins


def _scores(counts: _Integers, margins: _Integers) -> Floats:
    """Return the figures named in `_SCORES`, a row for each row of cell counts."""
    cells, kinds, classes = margins.shape
    added = counts @ margins.reshape(cells, kinds * classes)
    hits, guesses, truths = np.moveaxis(added.reshape(-1, kinds, classes), 1, 0)
    per_class = np.stack([_ratio(2 * hits, guesses + truths), _ratio(hits, guesses), _ratio(hits, truths)], axis=1)
    documents = truths.sum(axis=1, keepdims=True)
    weighted = (per_class * (truths / documents)[:, None]).sum(axis=2)
    seen = ((guesses + truths) > 0).sum(axis=1, keepdims=True)
    return np.hstack([hits.sum(axis=1, keepdims=True) / documents, weighted, per_class.sum(axis=2) / seen])


def _ratio(above: _Integers, below: _Integers) -> Floats:
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


def _as_many(truth: Sequence[object], guesses: Sequence[object]) -> None:
    if len(truth) != len(guesses):
        raise InputError(f"There are {len(truth)} documents but {len(guesses)} guesses; give one for each.")


def _at_least_one(documents: int) -> None:
    if not documents:
        raise InputError("There is no document to score; give at least one.")
