"""The tables that the generalised-DP paper should have had: what word-by-word noise costs, at which loss.

`sweep` has the analyst's side for ε over two decades. Who wrote what is asked by the ruler of all papers
(`allonym.papers.ruler`), for a few ε of each method, on ten film reviewers and ten newsgroup authors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from allonym import __version__
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.drawing.figure_data import Figure
from allonym.drawing.tables import markdown_table
from allonym.errors import InputError
from allonym.papers import Asked, Results, earlier_results, taken_over
from allonym.papers.laplace import example, planar, sweep
from allonym.papers.ruler import tables as ruler
from allonym.papers.ruler.grounds import IMDB62_10, NEWSGROUPS20_10, Ground
from allonym.papers.ruler.measure import stored_grounds
from allonym.papers.ruler.settings import Compared, laplace_noise, syntf, syntf_by_epsilon, word_substitution
from allonym.papers.stored import Result
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
_OF_THE_PAPER = ("paper", "version", "command", "seed", "vocabulary", "documents", "rows")
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


def run(asked: Asked) -> Results:
    """Return all rows, with what is needed to make them again.

    `asked.only` may name the `variants` beside texts of the ruler.
    """
    names = [] if asked.only is None else [name.strip() for name in asked.only.split(",")]
    if asked.only is None or _VARIANTS in names:
        results = _of_the_paper(asked)
    else:
        results = taken_over(asked.earlier, _OF_THE_PAPER) | _variants_of(asked.earlier)
    if asked.only is not None:
        asked = replace(asked, only=",".join(name for name in names if name != _VARIANTS))
    results["example"] = [row.to_json() for row in example.examples(embeddings.load(None))]
    results["planar"] = [row.to_json() for row in planar.bins()]
    results["losses"] = [loss.to_json() for loss in losses()]
    results["grounds"] = stored_grounds(RULED, asked)
    return results


def losses() -> list[WordLoss]:
    """Return what words lose by the methods that the ruler measures."""
    noise = [WordLoss.of(WordLaplace(epsilon=epsilon), epsilon) for epsilon in LAPLACE]
    return [*noise, *(WordLoss.of(WordExponential(epsilon=epsilon), epsilon) for epsilon in EXPONENTIAL)]


def markdown(results: Results) -> str:
    """Return all tables."""
    head = ["method", "ε", "worst loss per word", "loss between usual neighbours"]
    lines = [
        [loss.method, f"{loss.epsilon:g}", number(loss.worst_loss_per_word), number(loss.neighbour_loss)]
        for loss in (WordLoss.from_json(row) for row in results["losses"])
    ]
    parts = [
        "## What an analyst keeps",
        sweep.markdown([sweep.SweptRow.from_json(row) for row in results["rows"]]),
        _variants([sweep.SweptRow.from_json(row) for row in results.get(_VARIANTS, [])]),
        "## The worked example: whole words move",
        example.markdown([example.Example.from_json(row) for row in results["example"]]),
        "## What a word loses",
        markdown_table(head, lines, wide=False),
        ruler.chapter(results["grounds"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _variants(rows: Sequence[sweep.SweptRow]) -> str:
    if not rows:
        return ""
    text = (
        "20 newsgroups. Other vectors have the ε at which a word loses as much at worst. Vectors of length 1 have the "
        "cosine's metric, √(2 − 2·cos). Topical words are those that best tell the topics of other messages, by χ²."
    )
    return f"## Other vectors, and topical words alone\n\n{text}\n\n" + sweep.variants_markdown(rows)


def figures(results: Results) -> dict[str, Figure]:
    """Return the planar law, and what the ruler measured, as a figure for each kind of texts."""
    drawn = planar.figure([planar.PlanarBin.from_json(row) for row in results["planar"]])
    return {"planar": drawn} | ruler.figures(results["grounds"])


def _of_the_paper(asked: Asked) -> Results:
    """Return all but what the ruler measures; the analyst's rows of an earlier run of the same are taken over."""
    results: Results = {
        "paper": "Fernandes, Dras and McIver 2018 (which has no tables of its own)",
        "version": __version__,
        "command": "allonym reproduce laplace --data DIR",
        "seed": sweep.SEED,
        "vocabulary": sweep.VOCABULARY,
        "documents": {"train": sweep.TRAIN, "test": sweep.TEST},
    }
    before = _earlier(asked.earlier, results)
    for part, rows in (("rows", sweep.rows), (_VARIANTS, sweep.variants)):
        results[part] = before.get(part) or [row.to_json() for row in rows(asked.data, asked.report)]
    return results


def _variants_of(path: Path | None) -> Results:
    """Return the variants that an earlier run has measured."""
    if path is None:
        return {}
    with earlier_results(path) as stored:
        return {_VARIANTS: stored[_VARIANTS]} if _VARIANTS in stored else {}


def _earlier(path: Path | None, results: Results) -> Results:
    """Return an earlier run's rows of the same documents and words, as they are stored now.

    Raises:
        InputError: It is of others.
    """
    if path is None:
        return {}
    with earlier_results(path) as stored:
        fits = all(stored[name] == results[name] for name in ("seed", "vocabulary", "documents"))
        parts = {
            part: [sweep.SweptRow.from_json(row).to_json() for row in stored.get(part, [])]
            for part in ("rows", _VARIANTS)
        }
    if not fits:
        raise InputError(f"{path} is of other texts or another seed: leave --earlier out.")
    return parts
