"""Linear support-vector machines, one author against the rest: for many texts, all authors at once.

scikit-learn's `LinearSVC` reads all texts anew for every author. Dual coordinate descent (Hsieh and others 2008), which
is what it runs, needs of a text only its scores; here those of all authors come from one reading, because the weights
of one n-gram for all authors lie side by side. The machine is the same: squared hinge loss, a ridge penalty on weights
and constant, the same tolerance on the same gradient.
"""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.acceleration import worth_compiling
from allonym.randomness import insecure

Values: TypeAlias = sparse.csr_array | NDArray[np.float64]

_MOST_PASSES = 1000  # as LinearSVC's iterations; a few dozen are usual
_LANES = 8  # numbers that a processor adds at a time: authors are filled up to a multiple
_ORDER = 0  # which of all orders the texts are read in


def support_vectors(
    values: Values, writers: NDArray[np.intp], *, cost: float = 1.0, tolerance: float = 1e-4
) -> tuple[Any, Any]:
    """Return a weight for each author and feature, and a constant for each author; `cost` is the machine's C.

    Args:
        values: Texts × features.
        writers: The author of each text, from 0; none is missing.
        cost: What a wrongly named text costs: the inverse of the ridge penalty.
        tolerance: How far the dual gradient may be from 0 at the end.
    """
    # Every author has passes of his own, so it is their entries together that count.
    if sparse.issparse(values) and worth_compiling(values.nnz * (int(writers.max()) + 1)):
        return _all_at_once(sparse.csr_array(values), writers, cost, tolerance)
    from sklearn.svm import LinearSVC

    return of_each_author(LinearSVC(C=cost, tol=tolerance, random_state=0, max_iter=10_000), values, writers)


def of_each_author(
    machine: Any,  # noqa: ANN401 - scikit-learn has no types
    values: Values,
    writers: NDArray[np.intp],
) -> tuple[Any, Any]:
    """Return weights and constants of every author, also where there are two and scikit-learn keeps those of one."""
    with warnings.catch_warnings():
        # One known text of each author is few, but may be all there is.
        warnings.filterwarnings("ignore", message="The number of unique classes is greater")
        machine.fit(values, writers)
    weights, constants = machine.coef_, machine.intercept_
    if len(machine.classes_) == 2:
        weights, constants = np.vstack([-weights, weights]), np.concatenate([-constants, constants])
    # In rows, one after another: safetensors writes the bytes as they lie.
    return np.ascontiguousarray(weights, dtype=np.float64), np.asarray(constants, dtype=np.float64)


def _all_at_once(
    values: sparse.csr_array, writers: NDArray[np.intp], cost: float, tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from allonym.attackers import _loops

    authors = int(writers.max()) + 1
    texts, features = values.shape
    lanes = -(-authors // _LANES) * _LANES
    numbers = values.data.astype(np.float32)
    weights = np.zeros((features + 1, lanes), dtype=np.float32)  # the constant is the last
    duals = np.zeros((texts, lanes), dtype=np.float32)
    row_of_each = np.repeat(np.arange(texts), np.diff(values.indptr))
    squares = np.bincount(row_of_each, values.data**2, texts).astype(np.float32) + np.float32(1)
    rng = insecure(_ORDER)
    for _ in range(_MOST_PASSES):
        order = rng.words(texts).argsort()
        highest, lowest = _loops.descend(
            order,
            (numbers, values.indices, values.indptr),
            (writers.astype(np.int64), squares, np.float32(0.5 / cost)),
            authors,
            weights,
            duals,
        )
        if highest - lowest <= tolerance and highest <= tolerance and -lowest <= tolerance:
            break
    of_authors = weights[:, :authors].T.astype(np.float64)
    return np.ascontiguousarray(of_authors[:, :-1]), of_authors[:, -1].copy()
