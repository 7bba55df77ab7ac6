"""What may be said of an evaluated configuration, in words: the verdict, the promise and its limits."""

from __future__ import annotations

from dataclasses import dataclass

from allonym import __version__
from allonym.errors import ParameterError
from allonym.evaluation.evaluate import Evaluation, Outcome
from allonym.metrics.figures import percent
from allonym.privacy import Guarantee
from allonym.privacy.statement import number

TRUST = (
    "Local: each document is protected on its own, before anything leaves the machine. Whoever receives the output "
    "need not be trusted; whoever runs the method sees the originals and must be."
)
_NOT_COVERED = (
    "The figures of this test, and how many documents there are of how many authors and of the one with most, are "
    "computed from the originals without noise: the promise does not cover them."
)


@dataclass(frozen=True)
class Claim:
    """What a release with a configuration may claim, every part of it in words.

    Raises:
        ParameterError: A part is empty: an ε without its unit says nothing.
    """

    statement: str
    definition: str
    unit: str
    neighbouring_relation: str
    epsilon: str
    delta: str
    composition: str
    trust_model: str
    evidence: str
    assumptions: str
    released_as_is: str
    for_a_data_release: str  # a paragraph to print, which says the most important of it

    def __post_init__(self) -> None:
        empty = [name for name, words in self.to_json().items() if not words.strip()]
        if empty:
            raise ParameterError(f"The report cannot be built without: {', '.join(empty)}; let the guarantee state it.")

    @property
    def terms(self) -> dict[str, str]:
        """The single parts, by name, without the statement and the paragraph that are made of them."""
        return {
            name: words for name, words in self.to_json().items() if name not in ("statement", "for a data release")
        }

    def to_json(self) -> dict[str, str]:
        """Return all parts by name."""
        return {name.replace("_", " "): words for name, words in vars(self).items()}


def verdict(evaluation: Evaluation, outcome: Outcome) -> str:
    """Return the outcome in two sentences."""
    attack, measure = outcome.strongest, evaluation.measure
    use, before, floor = evaluation.use(outcome).value, evaluation.before.value, evaluation.use_floor
    return (
        f"With {outcome.candidate}, the strongest attacker ({attack.attacker}, {attack.setting}) names the right one "
        f"of {evaluation.authors} authors {attack.headline.in_percent()} of the time. On the original texts the "
        f"strongest reaches {percent(evaluation.original.headline.value)}; always naming the most frequent author "
        f"reaches {percent(evaluation.floor)}. The texts keep {outcome.use_kept.in_percent()} "
        f"{measure.keeps} ({measure.title} {use:.2f}, originals {before:.2f}, without reading {floor:.2f}). "
        f"{_recommendation(evaluation, outcome)}"
    )


def _recommendation(evaluation: Evaluation, outcome: Outcome) -> str:
    """Say by the worse ends of both intervals whether this is worth it."""
    if outcome.candidate.is_a_baseline:
        return "This is a baseline, for comparison only."
    worst = f"use kept minus attack left is {outcome.advantage:+.2f}"
    if evaluation.recommended(outcome):
        return f"At the worse ends of these intervals {worst}: it hides more than it destroys."
    return f"At the worse ends of these intervals {worst}: it is not shown to hide more than it destroys."


def claim(evaluation: Evaluation, outcome: Outcome) -> Claim:
    """Return what a release with this configuration may claim.

    Raises:
        ParameterError: A part is empty, so that the claim would be incomplete.
    """
    promised = outcome.promised
    return Claim(
        statement=str(promised),
        definition=promised.definition if promised.formal else "none: no formal privacy is promised",
        unit=_unit(promised),
        neighbouring_relation=promised.adjacency,
        epsilon=_epsilon(promised),
        delta=f"{promised.delta:g}" if promised.formal else "none",
        composition=_composition(outcome, evaluation.sample.largest_author),
        trust_model=TRUST,
        evidence=promised.evidence,
        assumptions="; ".join(promised.assumptions) or "none",
        released_as_is="; ".join(promised.released_as_is) or "nothing",
        for_a_data_release=_paragraph(evaluation, outcome),
    )


def limits(evaluation: Evaluation, *, by_figures: bool) -> list[str]:
    """Return what the figures do not say."""
    sentences = [
        "Measured attacks are no guarantee: these attackers reached so much on these texts, and a better one may exist."
        " Which is the strongest was decided on known documents set aside; no test document was looked at for that.",
        "Attackers choose among the authors of this table; a real one may not know the author at all, or know more.",
        "Intervals are over test documents and draws of the noise. They say nothing about other training texts.",
        "The texts made for this evaluation were measured and discarded. Publishing texts of several configurations, "
        "or of one twice, adds up their losses.",
        "The figures of this report are computed from the originals without noise; the guarantee does not cover them.",
        "Columns published beside the texts (labels, dates, places) are not protected, and no attacker here used them.",
    ]
    if by_figures and len(evaluation.outcomes) > 1:
        sentences.append("The configuration was chosen by these same figures, which flatters it slightly.")
    if evaluation.seed is not None:
        promise = evaluation.outcomes[0].candidate.guarantee(1, None)
        also = (
            " Drawn securely, the same configurations promise what `allonym guarantee` says." if promise.formal else ""
        )
        sentences.append(f"This run was repeatable (--insecure-seed), so it promises nothing.{also}")
    return sentences


def _unit(promised: Guarantee) -> str:
    return {"word": "each word of a document", "document": "each document", "author": "each author"}[promised.unit]


def _epsilon(promised: Guarantee) -> str:
    if promised.epsilon is None:
        return "none"
    also = "".join(
        f"; also {number(bound.epsilon)} at δ = {bound.delta:g} ({bound.method})" for bound in promised.also_holds
    )
    if promised.metric is not None:
        per_unit = f"{number(promised.loss_per_unit or 0.0)} for each unit of {promised.metric} between two words"
        return f"{per_unit}; at most {number(promised.epsilon)} for {_unit(promised)}{also}"
    return f"{number(promised.epsilon)} for {_unit(promised)}{also}"


def _composition(outcome: Outcome, documents: int) -> str:
    promised, to_author = outcome.promised, outcome.promised_to_author
    if promised.epsilon is None or promised.loss_per_word is None or to_author.epsilon is None:
        return "No loss is stated, so there is nothing to add up."
    per_word = f"Losses add up: at most {number(promised.loss_per_word)} for each output {promised.drawn}"
    again = "Releasing the same documents again adds the loss of that release."
    if promised.words is None:
        return f"{per_word}, as many as the documents of an author have words in all. {again}"
    return (
        f"{per_word}, {promised.words:,} of them in a document; for the author with most documents here "
        f"({documents:,}), ε = {number(to_author.epsilon)}. {again}"
    )


def _paragraph(evaluation: Evaluation, outcome: Outcome) -> str:
    attack, sample, floor = outcome.strongest, evaluation.sample, percent(evaluation.floor)
    return (
        f"Each document was replaced by the output of the method {outcome.candidate} (allonym {__version__}). "
        f"{outcome.promised} {_composition(outcome, sample.largest_author)} In a test on {len(sample.texts):,} "
        f"documents of {evaluation.authors} authors, the strongest of {len(evaluation.attackers)} attackers "
        f"who know the other documents and the method ({attack.attacker}, {attack.setting}) named the right author of "
        f"{attack.headline.in_percent()} of the test documents; always naming the most frequent author reaches "
        f"{floor}, and the strongest attacker on the originals "
        f"{percent(evaluation.original.headline.value)}. {_NOT_COVERED}"
    )
