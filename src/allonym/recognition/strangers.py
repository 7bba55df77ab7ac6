"""Whether a text is by none of the known writers.

A text of a known writer makes one score stand out; a stranger's does so less. How much less is learned from the known
writers: a fifth of them is left out at a time and so made strangers (one at a time, where there are fewer than ten),
together with what was measured on public corpora. The answer is a probability that holds if a stranger was as likely as
a known writer beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from allonym.attackers.base import Attacker
from allonym.metrics import scoring
from allonym.metrics.figures import Figure, percent
from allonym.recognition import certainty
from allonym.recognition.certainty import ErrorRates, Outsiders
from allonym.recognition.reliability import Floats, Piece, Step

GROUPS = 5  # of authors; each is left out once
FEWEST_AUTHORS = 3  # one left out leaves two to tell apart
FEWEST_PIECES = 10  # tested: fewer do not show how far a known writer stands out
FEWEST_WORDS = 50  # of a text asked about
FLATTEST = -0.1  # slope of the logit: beyond, nothing tells strangers from known writers
AUTHORS_TO_MEASURE = 10  # fewer left-out authors say too little about how often the answer is wrong

Signals = NDArray[np.float64]


@dataclass(frozen=True)
class NoneOfThese:
    """How likely it is that no known writer wrote a text.

    Attributes:
        share: The probability, if a stranger was as likely as a known writer beforehand.
        errors: How often calling it by the larger share is wrong.
    """

    share: float
    errors: ErrorRates

    def __str__(self) -> str:
        likely = percent(min(self.share, 1 - 1e-9))  # never certain, even if rounding says so
        return f"By none of these: {likely}, if that was as likely as not beforehand. {self.errors}"


@dataclass(frozen=True)
class LeftOut:
    """What an attacker says that has never read some of the authors.

    Attributes:
        classes: Position, among all authors in the order of their names, of each that it knows.
        known: Places of the pieces it has not seen, by authors it knows.
        known_scores: What it says of them, a column for each of `classes`.
        strangers: Places of all pieces by the others.
        stranger_scores: What it says of these.
    """

    classes: NDArray[np.intp]
    known: NDArray[np.intp]
    known_scores: Floats
    strangers: NDArray[np.intp]
    stranger_scores: Floats


def leave_out(attacker: Attacker, pieces: Sequence[Piece], dealt: NDArray[np.int64], step: Step) -> Iterator[LeftOut]:
    """Train copies of an attacker on all authors but some, and ask each about these and about pieces it has not seen.

    Args:
        attacker: Cloned, so it learns nothing itself.
        pieces: From `reliability.cut`.
        dealt: From `reliability.folds`.
        step: Called after every copy.
    """
    texts = np.array([piece.text for piece in pieces], dtype=object)
    authors = np.array([piece.author for piece in pieces])
    everybody = np.unique(authors)
    groups = group_count(len(everybody))
    group_of = np.searchsorted(everybody, authors) % max(1, groups)
    for group in range(groups):
        outside = group_of == group
        unseen = ~outside & (dealt >= 0) & (dealt % groups == group)
        unseen &= np.isin(authors, authors[~outside & ~unseen])  # who would not be learned at all stays in training
        training = ~outside & ~unseen
        copy = clone(attacker).fit(texts[training].tolist(), authors[training].tolist())
        yield LeftOut(
            classes=np.searchsorted(everybody, copy.classes_),
            known=np.flatnonzero(unseen),
            known_scores=copy.decision_function(texts[unseen].tolist()),
            strangers=np.flatnonzero(outside),
            stranger_scores=copy.decision_function(texts[outside].tolist()),
        )
        step()


@dataclass(frozen=True)
class Threshold:
    """What was learned: logit of the probability of a stranger = constant + slope · signal.

    Attributes:
        mean: Of the signals of known writers' texts, in the attacker's scores.
        spread: Of these.
        constant: Of the logit.
        slope: Of the logit.
        errors: How often it is wrong.
    """

    mean: float
    spread: float
    constant: float
    slope: float
    errors: ErrorRates

    def judge(self, scores: Floats) -> NoneOfThese:
        """Judge one text by what the attacker says of it, a score for each author."""
        [signal] = (standing_out(scores[None]) - self.mean) / self.spread
        return NoneOfThese(float(logistic(self.constant + self.slope * signal)), self.errors)


def standing_out(scores: Floats) -> Signals:
    """Return, for each text, how far its highest score stands above the mean of all."""
    signals: Signals = scores.max(1) - scores.mean(1)
    return signals


def logistic(logits: Signals | float) -> Signals:
    """Return the probabilities of logits."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -500, 500))))


def learn(unseen: Floats, groups: Sequence[LeftOut], pieces: Sequence[Piece]) -> Threshold | str:
    """Learn from left-out authors when to answer “none of these”, or say why that cannot be told.

    Args:
        unseen: Scores of pieces by copies of the attacker that had not seen them (`Reliability.unseen`).
        groups: From `leave_out`, by the same attacker.
        pieces: From `reliability.cut`.
    """
    authors = np.array([piece.author for piece in pieces])
    known = len(np.unique(authors))
    if not groups:
        return f"{known} known writers are too few to tell whether somebody else wrote it; add texts of others."
    signals = standing_out(unseen)
    if len(signals) < FEWEST_PIECES or signals.std() == 0:
        return "The known texts are too few or too short to tell whether somebody else wrote it; add some."
    elsewhere = certainty.shipped().outsiders
    examples = in_units(groups, authors)
    constant, slope = weigh(examples, elsewhere)
    if slope > FLATTEST:
        return "What these attackers see does not tell strangers from the known writers; add texts of more writers."
    words = int(np.median([piece.words for piece in pieces]))
    errors = elsewhere.nearest_errors(known, words)
    if known >= AUTHORS_TO_MEASURE:
        taken, refused = tested(groups, examples, authors, elsewhere)
        errors = ErrorRates(taken, refused, known, words, known_writers=True)
    return Threshold(float(signals.mean()), float(signals.std()), constant + elsewhere.shift, slope, errors)


@dataclass(frozen=True)
class StrangerExamples:
    """Signals of one group's copy, in units of those of known writers.

    Attributes:
        known: Of pieces by authors it knows.
        strangers: Of pieces by those left out.
        left_out: How many these are.
    """

    known: Signals
    strangers: Signals
    left_out: int


def in_units(groups: Sequence[LeftOut], authors: NDArray[np.str_]) -> list[StrangerExamples]:
    """Return the signals of all groups, counted from the mean of known writers' pieces in their spread."""
    known = [standing_out(group.known_scores) for group in groups]
    everything = np.concatenate(known)
    mean, spread = everything.mean(), everything.std() or 1.0
    return [
        StrangerExamples(
            (score - mean) / spread,
            (standing_out(group.stranger_scores) - mean) / spread,
            len(np.unique(authors[group.strangers])),
        )
        for score, group in zip(known, groups, strict=True)
    ]


def weigh(examples: Sequence[StrangerExamples], elsewhere: Outsiders) -> tuple[float, float]:
    """Return the likeliest constant and slope, given the examples and what was measured elsewhere.

    Strangers and known writers weigh the same, and all examples together as many as the authors left out: pieces of one
    author are alike.
    """
    from scipy.optimize import minimize

    known, strangers = (np.concatenate([getattr(one, kind) for one in examples]) for kind in ("known", "strangers"))
    usual = np.array([elsewhere.constant, elsewhere.slope])
    curvature = elsewhere.authors * np.array(elsewhere.curvature)
    half = sum(one.left_out for one in examples) / 2

    def loss(weights: Floats) -> float:
        constant, slope = weights
        missed = np.logaddexp(0, -(constant + slope * strangers)).mean() if len(strangers) else 0.0
        refused = np.logaddexp(0, constant + slope * known).mean() if len(known) else 0.0
        unlike = weights - usual
        return float(half * (missed + refused) + unlike @ curvature @ unlike / 2)

    # A stranger's text never stands out more: where a few authors say so, it is chance.
    constant, slope = minimize(loss, usual, method="L-BFGS-B", bounds=[(None, None), (None, 0.0)]).x
    return float(constant), float(slope)


def tested(
    groups: Sequence[LeftOut], examples: Sequence[StrangerExamples], authors: NDArray[np.str_], elsewhere: Outsiders
) -> tuple[Figure, Figure]:
    """Return how often strangers are taken for known writers and known writers refused, learned without the group.

    Each author counts once, and the intervals are of other authors. No shift is added, which is for texts asked about.
    """
    taken: list[NDArray[np.bool_]] = []
    refused: list[NDArray[np.bool_]] = []
    for turn, example in enumerate(examples):
        constant, slope = weigh([*examples[:turn], *examples[turn + 1 :]], elsewhere)
        taken.append(constant + slope * example.strangers < 0)
        refused.append(constant + slope * example.known >= 0)
    by_stranger = authors[np.concatenate([group.strangers for group in groups])]
    by_known = authors[np.concatenate([group.known for group in groups])]
    return _of_authors(np.concatenate(taken), by_stranger), _of_authors(np.concatenate(refused), by_known)


def _of_authors(wrong: NDArray[np.bool_], authors: NDArray[np.str_]) -> Figure:
    return scoring.bootstrap([float(wrong[authors == author].mean()) for author in np.unique(authors)])


def group_count(authors: int) -> int:
    """Return into how many groups so many authors are dealt; none if they are too few to leave one out."""
    return min(GROUPS, authors) if authors >= FEWEST_AUTHORS else 0
