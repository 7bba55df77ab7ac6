"""One method on the reviews of ER-AE's table 1: meaning, attacks, style and fluency of what it releases.

IMDb62 stands in for Yelp: 62 authors, reviews of the test part alone are scored. Peer reviews are anonymous, so nobody
can be named there; those are scored that no shipped network was trained on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import metrics
from allonym.attackers.base import Attacker
from allonym.attackers.linear import CharacterNGramSVM, WordBayes, WordNGramSVM
from allonym.attackers.neural import CharacterAverages
from allonym.attackers.panel import train
from allonym.attackers.writeprints.features import WritePrints
from allonym.errors import InputError
from allonym.language import sequences
from allonym.metrics import scoring
from allonym.metrics.figures import Figure
from allonym.papers.corpora import imdb62, peerread
from allonym.papers.erae.rows import NamedAttack, SweepRow, TableRow
from allonym.randomness import insecure

KNOWN = 40  # originals of each author that static attackers learn from
TRAIN, TEST = 10, 5  # reviews of each author that are released: for adaptive attackers to learn from, and to score
PEER = 60  # peer reviews, at least
SWEPT = 2  # test reviews of each author in a sweep
READ_FOR_FLUENCY = 20  # test reviews whose perplexity is taken, at least
TOKENS = 150
SEED = 2018
_ENDS = {".", "!", "?", "..."}

Floats = NDArray[np.float64]
Release = Callable[[Sequence[str], int], list[str]]


@dataclass(frozen=True)
class EraeMethod:
    """A row of table 1.

    Attributes:
        name: What it is called there.
        release: Texts and a seed to what is released of them.
        loss_per_word: The proved loss of a word; None where nothing is promised.
        as_published: What the paper states in its place.
        in_clear: What is copied from the text.
        paper: Its name in the paper's table, if it is there.
        fluent: Whether its perplexity is taken.
    """

    name: str
    release: Release
    loss_per_word: float | None = None
    as_published: float | None = None
    in_clear: tuple[str, ...] = ()
    paper: str | None = None
    fluent: bool = False


@dataclass(frozen=True)
class OneDraw:
    """What was measured of one draw, a number for each document.

    Attributes:
        measures: Of each corpus, by name.
        attacks: By attacker and setting, whether the author of each film review was named.
    """

    measures: Mapping[str, Mapping[str, Floats]]
    attacks: Mapping[tuple[str, str], NDArray[np.bool_]]


class EraeBench:
    """The texts and all that is learned or computed from the originals once."""

    def __init__(self, data: Path) -> None:
        corpus = imdb62.load(data)
        order = insecure(SEED).words(len(corpus.texts)).argsort().tolist()
        rows_of: dict[tuple[str, bool], list[int]] = {}
        for row in order:
            rows_of.setdefault((corpus.authors[row], corpus.train[row]), []).append(row)
        authors = sorted(set(corpus.authors), key=int)

        def chosen(part: bool, first: int, last: int) -> tuple[list[str], list[str]]:
            rows = [row for author in authors for row in rows_of[author, part][first:last]]
            return [first_sentences(corpus.texts[row]) for row in rows], [corpus.authors[row] for row in rows]

        self.known, self.known_authors = chosen(True, 0, KNOWN)
        self.train, self.train_authors = chosen(True, 0, TRAIN)
        self.test, self.test_authors = chosen(False, 0, TEST)
        peer = peerread.held_out(data)  # in the order of their venues
        self.peer = [" ".join(text.split()[:TOKENS]) for text in spaced(peer, PEER)]
        self.swept: list[int] = []  # of the test reviews
        seen: Counter[str] = Counter()
        for row, author in enumerate(self.test_authors):
            seen[author] += 1
            if seen[author] <= SWEPT:
                self.swept.append(row)

    @cached_property
    def static(self) -> list[Attacker]:
        """The paper's network first, then n-gram attackers, all trained on originals."""
        return train([CharacterAverages(), *panel()], self.known, self.known_authors)

    @cached_property
    def vectors(self) -> dict[str, NDArray[np.float32]]:
        """Sentence embeddings of the originals."""
        return {"imdb62": metrics.embed(self.test), "peer_reviews": metrics.embed(self.peer)}

    @cached_property
    def style(self) -> WritePrints:
        """The stylometric features."""
        return WritePrints(parts_of_speech=False).fit(self.known)

    @cached_property
    def style_scale(self) -> Floats:
        """One over the largest value of each feature among originals; 0 where none has any.

        The paper names no scale. Of raw features one (Honoré's R, in the hundreds) would be the whole distance.
        """
        largest: Floats = self.style.transform(self.known).max(axis=0).toarray().ravel()
        return np.divide(1.0, largest, out=np.zeros_like(largest), where=largest > 0)

    def style_change(self, before: Sequence[str], after: Sequence[str]) -> Floats:
        """Return how far the features of each text have moved."""
        old, new = (self.style.transform(texts).multiply(self.style_scale[None, :]) for texts in (before, after))
        return metrics.feature_distance(old.tocsr(), new.tocsr())


def spaced(texts: Sequence[str], least: int) -> Sequence[str]:
    """Return texts at equal distances, at least so many if there are."""
    return texts[:: max(1, len(texts) // least)]


def panel() -> list[Attacker]:
    """Return the attackers that read n-grams."""
    return [WordNGramSVM(), CharacterNGramSVM(), WordBayes()]


def first_sentences(text: str) -> str:
    """Return whole sentences of the first 150 tokens, in ordinary spacing.

    IMDb62 stands with a blank around every mark, which no released text has: attackers trained on such originals would
    fail for that alone, and a grammar checker would find fault with every comma. The last sentence is dropped unless it
    is the only one, because many reviews end in a sign-off.
    """
    tokens = text.split()[:TOKENS]
    ends = [index + 1 for index, token in enumerate(tokens[:-1]) if token in _ENDS] or [len(tokens)]
    starts = [0, *ends[:-1]]
    return " ".join(sequences.write(tokens[start:end]) for start, end in zip(starts, ends, strict=True))


def measure(bench: EraeBench, method: EraeMethod, runs: int) -> TableRow:
    """Return all figures of a method: means over runs, with bootstrap intervals over documents."""
    drawn = [_measured_once(bench, method, seed) for seed in range(runs)]
    figures = {
        corpus: {name: _mean([draw.measures[corpus][name] for draw in drawn]) for name in by_name}
        for corpus, by_name in drawn[0].measures.items()
    }
    attacks = {who: _mean([draw.attacks[who] for draw in drawn]) for who in drawn[0].attacks}
    films = figures["imdb62"]
    if "log_perplexity" in films:  # its mean is that of a typical text; a few strange ones rule any other
        films["perplexity"] = Figure(*np.exp(films.pop("log_perplexity").numbers).tolist())
    return TableRow(
        method.name,
        method.paper,
        method.loss_per_word,
        method.as_published,
        method.in_clear,
        films,
        figures["peer_reviews"],
        tuple(NamedAttack(name, setting, reached) for (name, setting), reached in attacks.items()),
    )


def _mean(by_draw: Sequence[NDArray[Any]]) -> Figure:
    return scoring.bootstrap(np.mean(by_draw, axis=0))


def sweep(bench: EraeBench, method: EraeMethod, seed: int) -> SweepRow:
    """Return similarity and static attacks of a method on some of the test reviews."""
    if method.loss_per_word is None:
        raise InputError(f"{method.name} proves no loss of a word, over which figure 2 is drawn; leave it out.")
    texts = [bench.test[row] for row in bench.swept]
    truth = np.array([bench.test_authors[row] for row in bench.swept])
    released = method.release(texts, seed)
    attacks = {attacker.name: scoring.bootstrap(attacker.predict(released) == truth) for attacker in bench.static}
    return SweepRow(
        method.name,
        method.loss_per_word,
        scoring.bootstrap(metrics.similarity(bench.vectors["imdb62"][bench.swept], released)),
        attacks[CharacterAverages.name],
        max(attacks.values(), key=lambda attack: attack.value),
    )


def _measured_once(bench: EraeBench, method: EraeMethod, seed: int) -> OneDraw:
    """Release the texts once and measure what came of them."""
    released = method.release([*bench.train, *bench.test], seed)
    test = released[-len(bench.test) :]
    peer = method.release(bench.peer, seed)
    both = {"imdb62": (bench.test, test), "peer_reviews": (bench.peer, peer)}
    measures: dict[str, dict[str, Floats]] = {
        corpus: {
            "similarity": metrics.similarity(bench.vectors[corpus], after),
            "stylometric": bench.style_change(before, after),
            "grammar": metrics.grammar_findings(after),
        }
        for corpus, (before, after) in both.items()
    }
    measures["imdb62"]["unchanged"] = metrics.unchanged(bench.test, test)
    if method.fluent:
        measures["imdb62"]["log_perplexity"] = np.log(metrics.perplexity(spaced(test, READ_FOR_FLUENCY)))
    truth = np.array(bench.test_authors)
    attacks = {(attacker.name, "static"): attacker.predict(test) == truth for attacker in bench.static}
    adapted = train(panel(), released[: len(bench.train)], bench.train_authors)
    attacks |= {(attacker.name, "adaptive"): attacker.predict(test) == truth for attacker in adapted}
    return OneDraw(measures, attacks)
