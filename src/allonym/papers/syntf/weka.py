"""The paper's attackers, nearer to what JStylo and Weka run: raw features for naive Bayes, SVMs of pairs of authors.

Weka's SMO brings every feature to 0 … 1 by its least and largest training value before it learns, and has a machine for
each pair of authors, which vote; its naive Bayes takes features as they come. Our own attackers divide features by
their largest value and have a machine for each author. All without parts of speech.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.base import Attacker
from allonym.attackers.features import Features
from allonym.attackers.writeprints.attackers import WritePrintsBayes
from allonym.attackers.writeprints.features import WritePrints
from allonym.papers.syntf.rows import SyntfSetting, WekaAttacks
from allonym.papers.syntf.runs import (
    SyntfBench,
    attacked_counts,
    attacked_texts,
    means_of_attacks,
    released,
    term_counts,
)

BAYES, SMO = "writeprints-bayes, unscaled", "writeprints-smo"


class UnscaledBayes(WritePrintsBayes):
    """WritePrints features as they are, with multinomial naive Bayes."""

    name = BAYES
    describes_itself_as = "WritePrints (Limited) features as they are, multinomial naive Bayes"

    def _scaling(self, raw: sparse.csr_array) -> NDArray[np.float64]:
        return np.ones(raw.shape[1])


class PairwiseSVM(Attacker):
    """WritePrints features, each brought to 0 … 1, with an SVM for each pair of authors.

    The machines are learned by sequential minimal optimisation, as Weka's are.
    """

    name = SMO
    describes_itself_as = "WritePrints (Limited) features, linear SVMs of pairs of authors"

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        from sklearn.preprocessing import MinMaxScaler
        from sklearn.svm import SVC

        self._features: Features = WritePrints(parts_of_speech=False)
        values = self._features.fit_transform(texts).toarray()
        self._range = MinMaxScaler().fit(values)
        self._machine = SVC(kernel="linear", C=1.0, decision_function_shape="ovr").fit(self._scaled(values), writers)

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        values = self._features.transform(texts).toarray()
        scores = np.asarray(self._machine.decision_function(self._scaled(values)))
        return np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores  # of two authors there is one

    def _scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._range.transform(values))


def attacks(bench: SyntfBench, runs: int) -> WekaAttacks:
    """Let them attack at the paper's best setting."""
    attackers = panel()
    anonymizer = bench.fitted(SyntfSetting())
    plain = [term_counts(bench, anonymizer)]
    original = attacked_texts(bench, bench.corpus.texts, attackers)
    vectorised, optimum = (
        means_of_attacks([attacked_counts(bench, anonymizer.vocabulary_, counts, attackers) for counts in each])
        for each in (plain, released(bench, anonymizer, runs))
    )
    return WekaAttacks(original, vectorised, optimum)


def panel() -> dict[str, Attacker]:
    """Return the attackers by name."""
    return {BAYES: UnscaledBayes(), SMO: PairwiseSVM()}
