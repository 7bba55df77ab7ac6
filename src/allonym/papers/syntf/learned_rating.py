"""SynTF with a rating learned from public labels, and the attackers who know that rating, which is public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from allonym.anonymizers.syntf import SynTF
from allonym.attackers.base import Attacker
from allonym.vectors.label_profiles import LabelProfiles


@dataclass(frozen=True)
class LearnedRating:
    """What was learned from public labels: of each term, to which labels it points."""

    terms: tuple[str, ...]
    profiles: LabelProfiles

    @classmethod
    def of(cls, anonymizer: SynTF) -> LearnedRating:
        """Return what an anonymizer has learned."""
        return cls(tuple(anonymizer.vocabulary_), anonymizer.label_profiles_)

    def evidence(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return to which labels the terms of texts point, where blanks stand between terms."""
        counts = CountVectorizer(vocabulary=self.terms, tokenizer=str.split, lowercase=False, token_pattern=None)
        return self.profiles.evidence(counts.transform(texts))


def logistic() -> Any:  # noqa: ANN401 - scikit-learn has no types
    """Return a classifier of evidence, untrained."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))


class EvidenceLogistic(Attacker):
    """Reads terms through a learned rating, with logistic regression.

    Args:
        rating: The rating.
    """

    name = "evidence-logistic"
    describes_itself_as = "what terms tell of public labels, logistic regression"

    def __init__(self, *, rating: LearnedRating) -> None:
        self.rating = rating

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        self._model = logistic().fit(self.rating.evidence(texts), writers)

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = self._model.predict_log_proba(self.rating.evidence(texts))
        return scores


class EvidenceForest(EvidenceLogistic):
    """Reads terms through a learned rating, with a random forest."""

    name = "evidence-forest"
    describes_itself_as = "what terms tell of public labels, random forest"

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        self._model = RandomForestClassifier(300, random_state=0).fit(self.rating.evidence(texts), writers)

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = self._model.predict_proba(self.rating.evidence(texts))
        return shares


def evidence_attackers(rating: LearnedRating) -> list[Attacker]:
    """Return the attackers who know a learned rating."""
    return [EvidenceLogistic(rating=rating), EvidenceForest(rating=rating)]
