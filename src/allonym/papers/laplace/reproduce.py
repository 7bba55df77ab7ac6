"""The tables that the generalised-DP paper should have had: what word-by-word noise costs, at which loss.

`sweep` has the analyst's side for ε over two decades. Who wrote what is asked by the ruler of all papers
(`allonym.papers.ruler`), for a few ε of each method, on ten film reviewers and ten newsgroup authors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from allonym import __version__
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.drawing.figure_data import Figure
from allonym.drawing.tables import markdown_table
from allonym.errors import InputError
from allonym.papers import Asked, taken_over
from allonym.papers.laplace import sweep
from allonym.papers.ruler import tables as ruler
from allonym.papers.ruler.grounds import IMDB62_10, NEWSGROUPS20_10, Ground
from allonym.papers.ruler.measure import measured_grounds
from allonym.papers.ruler.rows import Measured
from allonym.papers.ruler.settings import Compared, laplace_noise, syntf, syntf_by_epsilon, word_substitution
from allonym.papers.stored import PaperResults, Result
from allonym.privacy.statement import number

LAPLACE = (40.0, 50.0)
EXPONENTIAL = (5.0, 6.0, 6.5, 7.0, 8.0)  # as the page offers it
_LAPLACE = tuple(map(laplace_noise, LAPLACE))
RULED: dict[Ground, tuple[Compared, ...]] = {
    IMDB62_10: (*_LAPLACE, *map(word_substitution, (6.0, 8.0))),  # minutes each, so few
    NEWSGROUPS20_10: (*_LAPLACE, *map(word_substitution, EXPONENTIAL), syntf(10.0), syntf_by_epsilon(47.5)),
}
TAKES = ("work", "only", "earlier")

Report = Callable[[str], None]


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


@dataclass(frozen=True)
class LaplaceResults(PaperResults):
    """All rows.

    Attributes:
        seed: Fixes the sample and what is drawn.
        vocabulary: How many words the table has.
        documents: How many are learned from and tested, of each corpus.
        rows: The analyst's side.
        losses: What words lose.
        grounds: What the ruler measured, by the names of the texts.
    """

    seed: int
    vocabulary: int
    documents: Mapping[str, int]
    rows: tuple[sweep.SweptRow, ...] = field(repr=False)
    losses: tuple[WordLoss, ...] = ()
    grounds: Mapping[str, Measured] = field(default_factory=dict, repr=False)


RESULTS = LaplaceResults


def run(asked: Asked) -> LaplaceResults:
    """Return all rows."""
    results = _swept(asked.data, asked.report) if asked.only is None else taken_over(asked.earlier, LaplaceResults)
    return replace(results, losses=losses(), grounds=measured_grounds(RULED, asked))


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
        "## What a word loses",
        markdown_table(head, lines, wide=False),
        ruler.chapter(results.grounds),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def figures(results: LaplaceResults) -> dict[str, Figure]:
    """Return what the ruler measured, as a figure for each kind of texts; the paper has none."""
    return ruler.figures(results.grounds)


def _swept(data: Path, report: Report) -> LaplaceResults:
    """Return the analyst's side alone."""
    return LaplaceResults(
        paper="Fernandes, Dras and McIver 2018 (which has no tables of its own)",
        version=__version__,
        command="allonym reproduce laplace --data DIR",
        seed=sweep.SEED,
        vocabulary=sweep.VOCABULARY,
        documents={"train": sweep.TRAIN, "test": sweep.TEST},
        rows=tuple(sweep.rows(data, report)),
    )
