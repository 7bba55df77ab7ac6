"""Claim: the support-vector machines of many authors cost a fraction of scikit-learn's, which reads all texts for each.

Made-up rows like those of n-grams, a few features in nearly all texts and most in a few: 8,000 texts of some 2,000
entries among 200,000 features, of 10 and of 60 authors. The rival is scikit-learn's `LinearSVC` with the same cost and
tolerance. Both name the same author of other texts; the share of those for which they do not is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import Row, interleaved, run_script
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import LinearSVC

from allonym.attackers.support_vectors import of_each_author, support_vectors

TEXTS = 8_000
FURTHER = 1_000
ENTRIES = 2_500  # drawn; what is drawn twice counts once
FEATURES = 200_000
COST, TOLERANCE = 0.1, 0.01  # of the attacker `ngrams`
TARGETS = {10: 1.5, 60: 2.5}

_SEED = 20261119
_OWN = 250  # entries of a text that its author has more often than others
_REPEATS = 3


def made_up(authors: int) -> tuple[sparse.csr_array, NDArray[np.intp]]:
    """Return texts × features in rows of length 1, and the author of each text."""
    rng = np.random.default_rng(_SEED)
    writers = rng.integers(0, authors, TEXTS + FURTHER)
    ranks = (FEATURES ** np.sqrt(rng.random((TEXTS + FURTHER, ENTRIES)))).astype(np.int64)
    favourites = rng.integers(0, FEATURES, (authors, 10 * _OWN))
    ranks[:, :_OWN] = favourites[writers[:, None], rng.integers(0, 10 * _OWN, (TEXTS + FURTHER, _OWN))]
    places = np.repeat(np.arange(TEXTS + FURTHER, dtype=np.int32), ENTRIES)
    columns = ranks.ravel().astype(np.int32)  # scikit-learn takes no places of 64 bits
    counts = sparse.csr_array((np.ones(ranks.size), (places, columns)), (TEXTS + FURTHER, FEATURES))
    counts.data = 1 + np.log(counts.data)
    lengths = np.sqrt(counts.multiply(counts).sum(axis=1))
    return sparse.csr_array(counts.multiply(1 / lengths[:, None])), writers


def measure(_inputs: Path | None) -> Sequence[Row]:
    """Time both for few and for many authors, in turns."""
    return [_row(authors, target) for authors, target in TARGETS.items()]


def _row(authors: int, target: float) -> Row:
    values, writers = made_up(authors)
    known, truth, further = values[:TEXTS], writers[:TEXTS], values[TEXTS:]
    found = {}

    def ours() -> None:
        found["ours"] = support_vectors(known, truth, cost=COST, tolerance=TOLERANCE)

    def theirs() -> None:
        machine = LinearSVC(C=COST, tol=TOLERANCE, random_state=0, max_iter=10_000)
        found["theirs"] = of_each_author(machine, known, truth)

    support_vectors(known, truth, cost=COST, tolerance=10.0)  # loops compiled or loaded before the clock starts
    seconds = interleaved({"ours": ours, "theirs": theirs}, repeats=_REPEATS)
    named = [(further @ weights.T + constants).argmax(axis=1) for weights, constants in found.values()]
    apart = float(np.mean(named[0] != named[1]))
    ratio = seconds["theirs"] / seconds["ours"]
    return Row(
        f"support-vector machines of {authors} authors, {TEXTS:,} texts, against LinearSVC",
        f"≥ {target}×",
        f"{ratio:.1f}× ({seconds['ours']:.1f} s; {seconds['theirs']:.1f} s; {apart:.1%} of texts named otherwise)",
        ratio >= target,
        {"ratio": ratio, "s": seconds["ours"], "rival_s": seconds["theirs"], "named_otherwise": apart},
    )


if __name__ == "__main__":
    run_script(measure)
