"""The tables that the generalised-DP paper should have had: what word-by-word noise costs, at which loss.

`sweep` has the analyst's side for ε over two decades. Who wrote what is asked by the ruler of all papers
(`allonym.papers.ruler`), for a few ε of each method, on ten film reviewers and ten newsgroup authors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from allonym import __version__
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.drawing.figure_data import Figure
from allonym.drawing.tables import markdown_table
from allonym.errors import InputError
from allonym.papers import Asked, earlier_results, taken_over
from allonym.papers.laplace import example, planar, sweep
from allonym.papers.laplace.example import Example
from allonym.papers.laplace.planar import PlanarBin
from allonym.papers.laplace.sweep import SweptRow
from allonym.papers.ruler import tables as ruler
from allonym.papers.ruler.grounds import IMDB62_10, NEWSGROUPS20_10, Ground
from allonym.papers.ruler.measure import measured_grounds
from allonym.papers.ruler.rows import Measured
from allonym.papers.ruler.settings import Compared, laplace_noise, syntf, syntf_by_epsilon, word_substitution
from allonym.papers.stored import PaperResults, Result
from allonym.privacy.statement import number
from allonym.vectors import embeddings

LAPLACE = (40.0, 50.0)
EXPONENTIAL = (5.0, 6.0, 6.5, 7.0, 8.0)  # as the page offers it
_LAPLACE = tuple(map(laplace_noise, LAPLACE))
RULED: dict[Ground, tuple[Compared, ...]] = {
    IMDB62_10: (*_LAPLACE, *map(word_substitution, (6.0, 8.0))),  # minutes each, so few
    NEWSGROUPS20_10: (*_LAPLACE, *map(word_substitution, EXPONENTIAL), syntf(10.0), syntf_by_epsilon(47.5)),
}
TAKES = ("work", "only", "earlier")
_VARIANTS = "variants"  # a part that may be missing, and be measured alone


@dataclass(frozen=True)
class WordLoss(Result):
    """What a word of the shipped table loses.

    Attributes:
        method: The method's name.
        epsilon: Per unit of distance.
        worst_loss_per_word: Between any two words.
        neighbour_loss: Between a word and its nearest, for most words.
    """

    method: str
    epsilon: float
    worst_loss_per_word: float
    neighbour_loss: float

    @classmethod
    def of(cls, method: WordSubstitution, epsilon: float) -> WordLoss:
        """Return the losses of a method."""
        worst = method.guarantee().loss_per_word
        if worst is None:
            raise InputError(f"{method.method} states no loss of a word.")
        return cls(method.method, epsilon, worst, method.neighbours().loss)


@dataclass(frozen=True, kw_only=True)
class LaplaceResults(PaperResults, left_out=("variants",)):
    """All rows.

    Attributes:
        seed: Fixes the sample and what is drawn.
        vocabulary: How many words the table has.
        documents: How many are learned from and tested, of each corpus.
        rows: The analyst's side.
        variants: The same with other vectors, and of topical words alone; empty if they were not measured.
        example: The paper's worked example.
        planar: How noise in the plane spreads.
        losses: What words lose.
        grounds: What the ruler measured, by the names of the texts.
    """

    seed: int
    vocabulary: int
    documents: Mapping[str, int]
    rows: tuple[SweptRow, ...] = field(repr=False)
    variants: tuple[SweptRow, ...] = field(default=(), repr=False)
    example: tuple[Example, ...] = field(default=(), repr=False)
    planar: tuple[PlanarBin, ...] = field(default=(), repr=False)
    losses: tuple[WordLoss, ...] = ()
    grounds: Mapping[str, Measured] = field(default_factory=dict, repr=False)


RESULTS = LaplaceResults


def run(asked: Asked) -> LaplaceResults:
    """Return all rows; `asked.only` may name the `variants` beside texts of the ruler."""
    names = None if asked.only is None else [name.strip() for name in asked.only.split(",")]
    results = _swept(asked) if names is None or _VARIANTS in names else taken_over(asked.earlier, LaplaceResults)
    if names is not None:
        asked = replace(asked, only=",".join(name for name in names if name != _VARIANTS))
    return replace(
        results,
        example=tuple(example.examples(embeddings.load(None))),
        planar=tuple(planar.bins()),
        losses=losses(),
        grounds=measured_grounds(RULED, asked),
    )


def losses() -> tuple[WordLoss, ...]:
    """Return what words lose by the methods that the ruler measures."""
    noise = (WordLoss.of(WordLaplace(epsilon=epsilon), epsilon) for epsilon in LAPLACE)
    return *noise, *(WordLoss.of(WordExponential(epsilon=epsilon), epsilon) for epsilon in EXPONENTIAL)


def markdown(results: LaplaceResults) -> str:
    """Return all tables."""
    head = ["method", "ε", "worst loss per word", "loss between usual neighbours"]
    lines = [
        [loss.method, f"{loss.epsilon:g}", number(loss.worst_loss_per_word), number(loss.neighbour_loss)]
        for loss in results.losses
    ]
    parts = [
        "## What an analyst keeps",
        sweep.markdown(results.rows),
        _variants(results.variants),
        _example(results.example),
        "## What a word loses",
        markdown_table(head, lines, wide=False),
        ruler.chapter(results.grounds),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _variants(rows: Sequence[SweptRow]) -> str:
    if not rows:
        return ""
    text = (
        "20 newsgroups. Other vectors have the ε at which a word loses as much at worst. Vectors of length 1 have the "
        "cosine's metric, √(2 − 2·cos). Topical words are those that best tell the topics of other messages, by χ²."
    )
    return f"## Other vectors, and topical words alone\n\n{text}\n\n" + sweep.variants_markdown(rows)


def _example(shown: Sequence[Example]) -> str:
    return f"## The worked example: whole words move\n\n{example.markdown(shown)}" if shown else ""


def figures(results: LaplaceResults) -> dict[str, Figure]:
    """Return the planar law, and what the ruler measured, as a figure for each kind of texts."""
    drawn = {"planar": planar.figure(results.planar)} if results.planar else {}
    return drawn | ruler.figures(results.grounds)


def _swept(asked: Asked) -> LaplaceResults:
    """Return the analyst's side alone; what an earlier run of the same has of it is taken over."""
    results = LaplaceResults(
        paper="Fernandes, Dras and McIver 2018 (which has no tables of its own)",
        version=__version__,
        command="allonym reproduce laplace --data DIR",
        seed=sweep.SEED,
        vocabulary=sweep.VOCABULARY,
        documents={"train": sweep.TRAIN, "test": sweep.TEST},
        rows=(),
    )
    before = results if asked.earlier is None else _earlier(asked.earlier, results)
    return replace(
        results,
        rows=before.rows or tuple(sweep.rows(asked.data, asked.report)),
        variants=before.variants or tuple(sweep.variants(asked.data, asked.report)),
    )


def _earlier(path: Path, results: LaplaceResults) -> LaplaceResults:
    """Return an earlier run of the same documents and words.

    Raises:
        InputError: It is of others.
    """
    stored = earlier_results(path, LaplaceResults)
    if any(getattr(stored, name) != getattr(results, name) for name in ("seed", "vocabulary", "documents")):
        raise InputError(f"{path} is of other texts or another seed: leave --earlier out.")
    return stored
