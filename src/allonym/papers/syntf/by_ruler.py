"""SynTF measured by the one ruler: the paper's settings with the shipped words, and ours with a learned rating."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from allonym.anonymizers.syntf import SynTF
from allonym.attackers.base import Attacker
from allonym.evaluation.candidates import Method
from allonym.papers.ruler.grounds import NEWSGROUPS20_10, Ground
from allonym.papers.ruler.settings import Compared, Setting, syntf_by_epsilon
from allonym.papers.syntf.learned_rating import LearnedRating, evidence_attackers
from allonym.papers.syntf.runs import benches

EPSILONS = (35.0, 47.5, 55.0)
LEARNED_LOSSES = (25.4, 14.0, 8.0, 6.0)
LEARNED_WORDS = 100


@dataclass(frozen=True)
class LearnedSetting(Setting):
    """SynTF whose rating is learned from the labelled messages of authors who are not attacked.

    Attributes:
        data: Folder that holds the corpora.
    """

    data: Path

    @cached_property
    def anonymizer(self) -> SynTF:
        """The method, which has learned."""
        bench = benches(self.data)[1]
        reference = np.flatnonzero(bench.reference)
        texts = [bench.corpus.texts[row] for row in reference]
        return SynTF(**self.parameters).fit(texts, bench.labels[reference].tolist())

    def made(self) -> Method:
        """Return the configuration."""
        return Method(self.anonymizer, self.setting)

    def attackers(self) -> list[Attacker]:
        """Return the attackers who know the rating, which is public."""
        return evidence_attackers(LearnedRating.of(self.anonymizer))


def ruled(data: Path) -> dict[Ground, list[Compared]]:
    """Return what the ruler measures, by the texts to measure it on."""
    learned = {"rating": "utility", "words": LEARNED_WORDS, "min_documents": 2}
    compared: list[Compared] = [
        *map(syntf_by_epsilon, EPSILONS),
        *(
            LearnedSetting(
                "syntf",
                "SynTF, learned rating (ours)",
                f"loss {loss:g} a word",
                learned | {"loss_per_word": loss},
                data,
            )
            for loss in LEARNED_LOSSES
        ),
    ]
    return {NEWSGROUPS20_10: compared}
