"""The methods that ER-AE's table 1 compares, each as a function from texts to texts, and what they promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.syntf.counts import draw_words
from allonym.language.words import digest
from allonym.mechanisms import TwoSet
from allonym.papers.erae.candidates import PlainExponential
from allonym.papers.erae.runs import EraeMethod, Release
from allonym.randomness import insecure

PAPER: dict[str, Any] = {"epsilon": 3.0, "candidates": 5, "mechanism": "two-set", "length": "public"}
# Candidates that are the network's favourites, as with two-set; and our public groups, which the network tells apart.
FAVOURITES = PAPER | {"mechanism": "subset", "candidate_sets": "favourites"}
GROUPS = PAPER | {"mechanism": "subset", "candidate_sets": "groups"}
LOWER_LOSS = 9.3
CHEAPER = GROUPS | {"loss_per_word": LOWER_LOSS, "candidates": 10}
PRIVATE: dict[str, Any] = {"length": "private", "sentences": 10, "words": 30}
RANDOM, SYNTF, PLAIN = "Random-R", "SynTF as text", "Plain exponential"
# The paper's own network, trained without its reward and with it; these models are not shipped.
AE_DP, REWARDED = "AE-DP, the paper's network", "ER-AE, the paper's network and reward"
TRAINED = {AE_DP: "erae-paper-plain", REWARDED: "erae-paper-reward"}  # folders of models, by row
# In the paper AE-DP gives the original word 0.98 and more (its table 2). Where a network is certain of a word, two-set
# has the law of subset with one candidate: the word itself, or any other.
CERTAIN = "A network certain of its words"
TWO_SET, OF_FAVOURITES, SUBSET = "ER-AE, two-set", "ER-AE, subset of favourites", "ER-AE, subset of groups"


class PlainERAE(ERAE):
    """ER-AE's network with the plain exponential mechanism over its ratings, at the loss that two-set has.

    Privacy: as `ERAE`, with the loss of `PlainExponential`, which is the same number.
    """

    @property
    def mechanism_(self) -> Any:  # noqa: ANN401 - another mechanism of the same interface
        """What draws each word."""
        return PlainExponential(len(self.network_.vocabulary), loss=super().mechanism_.loss())


class Methods:
    """Makes the rows; what is costly (SynTF's mechanism) once.

    Args:
        words: Output words of each text for methods that have a fixed number of them.
        models: Folder of the models in `TRAINED`; rows of those that are not there are left out.
    """

    def __init__(self, words: int, models: Path | None = None) -> None:
        self._words = words
        self._models = models

    @cached_property
    def table_1(self) -> list[EraeMethod]:
        """The paper's rows, then the subset mechanism with two kinds of candidates, and at a lower loss."""
        two_set = ERAE(**PAPER)
        in_clear = two_set.guarantee().released_as_is
        words = RandomReplacement(words=self._words, vocabulary=self._vocabulary)
        return [
            EraeMethod("Original", lambda texts, seed: list(texts), paper="Original text", fluent=True),
            EraeMethod(RANDOM, of(words), 0.0, paper="Random-R"),
            EraeMethod(PLAIN, of(PlainERAE(**PAPER)), self._loss, in_clear=in_clear),
            *self._trained(AE_DP, "AE-DP"),
            erae(CERTAIN, FAVOURITES | {"candidates": 1}),
            EraeMethod(SYNTF, self._syntf_release(self._words), self._syntf_loss, paper="SynTF (2018)"),
            *self._trained(REWARDED, "ER-AE (ours)"),
            erae(TWO_SET, PAPER, paper="ER-AE (ours)"),
            erae(OF_FAVOURITES, FAVOURITES),
            erae(SUBSET, GROUPS),
            erae(f"{SUBSET}, loss {LOWER_LOSS}", CHEAPER),
        ]

    def _trained(self, row: str, paper: str) -> list[EraeMethod]:
        """Return the row of a model that is not shipped, if it is there."""
        folder = None if self._models is None else self._models / TRAINED[row]
        if folder is None or not folder.is_dir():
            return []
        return [erae(row, PAPER | {"model": str(folder)}, paper=paper)]

    def for_a_sentence(self, words: int) -> list[EraeMethod]:
        """Return the rows of table 4: those of table 1 that promise something, for a sentence of so many words."""
        random = RandomReplacement(words=words, vocabulary=self._vocabulary)
        same_length = {RANDOM: of(random), SYNTF: self._syntf_release(words)}
        rows = [row for row in self.table_1 if row.loss_per_word is not None]
        return [replace(row, release=same_length.get(row.name, row.release)) for row in rows]

    @cached_property
    def _loss(self) -> float:
        return ERAE(**PAPER).mechanism_.loss()

    @cached_property
    def _vocabulary(self) -> list[str]:
        """The words that the network writes, so that all methods choose from the same."""
        return [token for token in ERAE(**PAPER).network_.vocabulary.tokens if token.isalpha()]

    @cached_property
    def _syntf(self) -> SynTF:
        """SynTF over the network's words, stop words included, at the loss of two-set."""
        return SynTF(loss_per_word=self._loss, morphology="lower", vocabulary=self._vocabulary, keep_stop_words=True)

    @property
    def _syntf_loss(self) -> float:
        return self._syntf.mechanism_.loss()

    def _syntf_release(self, words: int) -> Release:
        """Return SynTF's words in the order in which they are drawn, as the paper does, in the place of their counts.

        Each of them is drawn and substituted by itself (SynTF's lemma 3.2), so order adds no loss.
        """
        model = self._syntf

        def release(texts: Sequence[str], seed: int) -> list[str]:
            streams = insecure(seed).documents([digest(text) for text in texts])
            drawn = draw_words(model.compositions(texts), words, streams)
            rewritten = model.mechanism_.draw(drawn, streams)
            return [" ".join(model.vocabulary_[term] for term in row) for row in rewritten]

        return release


def erae(name: str, parameters: dict[str, Any], *, paper: str | None = None) -> EraeMethod:
    """Return a row for ER-AE with these parameters."""
    anonymizer = ERAE(**parameters)
    mechanism, promised = anonymizer.mechanism_, anonymizer.guarantee()
    published = mechanism.as_published if isinstance(mechanism, TwoSet) else None
    return EraeMethod(
        name,
        of(anonymizer),
        promised.loss_per_word,
        as_published=published,
        in_clear=promised.released_as_is,
        paper=paper,
        fluent=True,
    )


def of(anonymizer: Anonymizer) -> Release:
    """Return what an anonymizer releases for a seed."""

    def release(texts: Sequence[str], seed: int) -> list[str]:
        released: list[str] = anonymizer.release(texts, rng=insecure(seed)).payload
        return released

    return release
