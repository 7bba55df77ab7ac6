"""How far an attacker's verdict on one text can be trusted: pieces of the text's length, cross-validation, calibration.

An attacker is judged on pieces of the known texts about as long as the text in question, each piece by a copy that has
not seen it (nor, where an author has several texts, any other piece of the same text). The scores of these copies also
say how sure the attacker may be: temperature scaling (Guo et al. 2017) turns scores s into probabilities softmax(β·s),
with one number β ("sharpness"): the likeliest one, given the unseen pieces and what was measured on other authors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from allonym.attackers.base import Attacker
from allonym.errors import InputError, ParameterError
from allonym.language.words import checked_texts
from allonym.metrics import scoring
from allonym.metrics.figures import Figure
from allonym.recognition import certainty
from allonym.recognition.certainty import Steepness

FEWEST_WORDS = 100  # of a piece: below, habits drown in chance
MOST_WORDS = 5_000  # longer pieces would leave too few of them, and attackers hardly gain by more
MOST_PIECES = 20  # of an author
_ENOUGH_PIECES = 5
_ENOUGH_WORDS = 20_000  # of an author, in all pieces together
_WANTED_PIECES = 3  # an author with little text is cut shorter to have so many
_FOLDS = 5
_WORD = re.compile(r"\S+")
_SHARPEST = 10.0  # β is sought between e^-10 and e^10 spreads of the scores

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Step = Callable[[], None]


@dataclass(frozen=True)
class Piece:
    """A part of what an author wrote.

    Attributes:
        text: The part.
        author: Who wrote it.
        source: Number of the text it was cut from; pieces joined from several short texts have a number of their own.
        words: Its length.
    """

    text: str = field(repr=False)
    author: str
    source: int
    words: int


@dataclass(frozen=True)
class Reliability:
    """What cross-validation says about one attacker.

    Attributes:
        accuracy: Share of unseen pieces whose author it named.
        top_5: Share of unseen pieces whose author was among its first five.
        log_loss: Of its calibrated probabilities.
        sharpness: The factor β of its scores.
        unseen: Its scores of the pieces that were tested.
    """

    accuracy: Figure
    top_5: Figure
    log_loss: float
    sharpness: float
    unseen: Floats = field(repr=False, compare=False)


def count_words(text: str) -> int:
    """Return how many words a text has, counted as runs without white space."""
    return len(text.split())


def cut(texts: Sequence[str], authors: Sequence[object], words: int) -> list[Piece]:
    """Cut each author's texts into pieces of about `words` words.

    A piece comes from one text, except that texts less than half as long are joined. An author with little text gets
    shorter pieces, down to 100 words, to have three; of one with much text, pieces spread over all of it are taken: at
    most 20, and about 20,000 words. Texts without a word are left out.

    Args:
        texts: Known texts.
        authors: The author of each.
        words: Length of a piece; 100 at least and 5,000 at most are used.
    """
    documents = checked_texts(texts)
    if len(documents) != len(authors):
        raise InputError(f"There are {len(documents)} texts but {len(authors)} authors; give one author a text.")
    if words < 1:
        raise ParameterError(f"words must be at least 1, got {words}.")
    length = min(MOST_WORDS, max(FEWEST_WORDS, words))
    most = max(_ENOUGH_PIECES, min(MOST_PIECES, _ENOUGH_WORDS // length))
    by_author: dict[str, list[int]] = {}
    for number, author in enumerate(authors):
        by_author.setdefault(str(author), []).append(number)
    pieces: list[Piece] = []
    for author in sorted(by_author):
        of_author = _cut_author(documents, by_author[author], author, length)
        pieces += [of_author[place] for place in _spread(len(of_author), most)]
    return pieces


def folds(pieces: Sequence[Piece]) -> NDArray[np.int64]:
    """Deal pieces into at most five folds, each author's evenly; −1 is for pieces that only train.

    Pieces of one text go together where the author has several texts. An author with a single one, cut or not, keeps a
    copy in every training set: who has only one piece can be named but not tested.
    """
    dealt = np.full(len(pieces), -1)
    by_author: dict[str, list[int]] = {}
    for index, piece in enumerate(pieces):
        by_author.setdefault(piece.author, []).append(index)
    for shift, places in enumerate(by_author.values()):
        one_text = len({pieces[index].source for index in places}) == 1
        groups: dict[int, list[int]] = {}
        for index in places:
            groups.setdefault(index if one_text else pieces[index].source, []).append(index)
        if len(groups) < 2:
            continue
        held = np.zeros(_FOLDS, np.int64)
        for group in sorted(groups.values(), key=len, reverse=True):
            # Authors begin at different folds, so that those with few pieces do not all fall into the first.
            fold = min(range(_FOLDS), key=lambda number: (held[number], (number - shift) % _FOLDS))
            dealt[group] = fold
            held[fold] += len(group)
    if (dealt < 0).all():
        raise InputError(
            "No known author has enough text for two pieces of 100 words, so no attacker can be tested; add texts."
        )
    return dealt


def cross_validate(attacker: Attacker, pieces: Sequence[Piece], dealt: NDArray[np.int64], step: Step) -> Reliability:
    """Judge an attacker on pieces it has not seen.

    Args:
        attacker: Cloned for every fold, so it learns nothing itself.
        pieces: From `cut`.
        dealt: From `folds`.
        step: Called after every fold.
    """
    authors = np.array([piece.author for piece in pieces])
    classes = np.unique(authors)
    scores = unseen_scores(attacker, pieces, dealt, step)
    tested = dealt >= 0
    found, truth = scores[tested], authors[tested]
    writers = np.searchsorted(classes, truth)
    sharpness = sharpness_of(found, writers)
    return Reliability(
        accuracy=scoring.bootstrap(found.argmax(1) == writers),
        top_5=scoring.ranking(truth.tolist(), classes.tolist(), found)["top_5"],
        log_loss=_log_loss(found * sharpness, writers),
        sharpness=sharpness,
        unseen=found,
    )


def unseen_scores(attacker: Attacker, pieces: Sequence[Piece], dealt: NDArray[np.int64], step: Step) -> Floats:
    """Return pieces × authors (in the order of their names): what copies say that have not seen the piece.

    Rows of pieces that only train are zero. The arguments are those of `cross_validate`.
    """
    texts = np.array([piece.text for piece in pieces], dtype=object)
    authors = np.array([piece.author for piece in pieces])
    scores = np.zeros((len(pieces), len(np.unique(authors))))
    for fold in np.unique(dealt[dealt >= 0]):
        unseen = dealt == fold
        copy = clone(attacker).fit(texts[~unseen].tolist(), authors[~unseen].tolist())
        scores[unseen] = copy.decision_function(texts[unseen].tolist())
        step()
    return scores


def sharpness_of(scores: Floats, writers: Indices, steepness: Steepness | None = None) -> float:
    """Return β of softmax(β·scores): the likeliest, given these documents and what was measured elsewhere.

    The log-loss of the documents is made small together with that of an imagined one by nobody in particular (equal
    shares for all authors), and with a penalty for a β unlike those of public corpora. Without these, a few pieces, all
    rightly named, would make the attacker certain, which so few cannot show.

    Args:
        scores: Documents × authors, of documents the attacker has not seen.
        writers: Column of each document's author.
        steepness: What was measured elsewhere; by default the shipped table.
    """
    from scipy.optimize import minimize_scalar

    elsewhere = certainty.shipped().steepness if steepness is None else steepness
    spread = float((scores - scores.mean(1, keepdims=True)).std())
    if spread == 0:
        return 1.0

    def loss(logarithm: float) -> float:
        unlike = (logarithm - elsewhere.mean) / elsewhere.spread
        logits = scores * (np.exp(logarithm) / spread)
        imagined = float(-_log_softmax(logits).mean())
        return len(scores) * _log_loss(logits, writers) + imagined + float(unlike**2) / 2

    optimum = minimize_scalar(loss, bounds=(-_SHARPEST, _SHARPEST), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(optimum.x + elsewhere.shift) / spread)


def probabilities(scores: Floats, sharpness: float) -> Floats:
    """Return softmax(sharpness · scores), row by row."""
    shares: Floats = np.exp(_log_softmax(scores * sharpness))
    return shares


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return result


def _log_loss(logits: Floats, writers: Indices) -> float:
    return float(-_log_softmax(logits)[np.arange(len(writers)), writers].mean())


def _cut_author(texts: Sequence[str], numbers: Sequence[int], author: str, length: int) -> list[Piece]:
    lengths = {number: count_words(texts[number]) for number in numbers}
    size = max(FEWEST_WORDS, min(length, sum(lengths.values()) // _WANTED_PIECES))
    pieces: list[Piece] = []
    waiting: list[int] = []
    for number in numbers:
        if lengths[number] >= size / 2:
            pieces += _cut_text(texts[number], author, number, size)
        elif lengths[number]:
            waiting.append(number)
            if sum(lengths[short] for short in waiting) >= size:
                pieces.append(_joined(texts, waiting, lengths, author))
                waiting = []
    left = sum(lengths[short] for short in waiting)
    if waiting and (left >= size / 2 or not pieces):
        pieces.append(_joined(texts, waiting, lengths, author))
    return pieces


def _cut_text(text: str, author: str, number: int, size: int) -> list[Piece]:
    starts = [match.start() for match in _WORD.finditer(text)]
    words = len(starts)
    parts = max(1, round(words / size))
    borders = [words * part // parts for part in range(parts + 1)]
    starts.append(len(text))
    return [
        Piece(text[starts[first] : starts[last]].rstrip(), author, number, last - first)
        for first, last in pairwise(borders)
    ]


def _joined(texts: Sequence[str], numbers: Sequence[int], lengths: dict[int, int], author: str) -> Piece:
    text = "\n\n".join(texts[number].strip() for number in numbers)
    return Piece(text, author, numbers[0], sum(lengths[number] for number in numbers))


def _spread(count: int, most: int) -> list[int]:
    """Return at most `most` of 0 … count − 1, evenly spaced."""
    if count <= most:
        return list(range(count))
    return [round(place) for place in np.linspace(0, count - 1, most)]
