"""WritePrints (Limited) with the two classifiers that SynTF's evaluation used in JStylo (section 4.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.features import Features
from allonym.attackers.linear import LinearAttacker, naive_bayes
from allonym.attackers.writeprints.features import WritePrints


class _WritePrintsAttacker(LinearAttacker):
    """WritePrints features, each divided by its largest training value.

    JStylo leaves features as they are; a mean sentence length and a share of commas then weigh as their units happen
    to be, which no attacker would want.

    Args:
        parts_of_speech: Count part-of-speech n-grams too; needs the extra `style` and takes most of the time.
        cache: Folder that remembers parts of speech between runs (tags only, no text).
    """

    def __init__(self, *, parts_of_speech: bool = False, cache: str | Path | None = None) -> None:
        self.parts_of_speech = parts_of_speech
        self.cache = cache

    def _features(self) -> Features:
        cache = None if self.cache is None else Path(self.cache)
        return WritePrints(parts_of_speech=self.parts_of_speech, cache=cache)

    def _scaling(self, raw: sparse.csr_array) -> NDArray[np.float64]:
        largest: NDArray[np.float64] = raw.max(axis=0).toarray().ravel()
        return np.divide(1.0, largest, out=np.zeros_like(largest), where=largest > 0)


class WritePrintsSVM(_WritePrintsAttacker):
    """WritePrints (Limited), with a linear SVM."""

    name = "writeprints-svm"
    describes_itself_as = "WritePrints (Limited) features, linear SVM"


class WritePrintsBayes(_WritePrintsAttacker):
    """WritePrints (Limited), with multinomial naive Bayes."""

    name = "writeprints-bayes"
    describes_itself_as = "WritePrints (Limited) features, multinomial naive Bayes"

    def _weigh(self, values: sparse.csr_array, writers: NDArray[np.intp]) -> tuple[Any, Any]:
        return naive_bayes(values, writers)
