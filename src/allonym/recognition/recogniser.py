"""How recognisable a text is: attackers trained on known authors say whose it looks like, how sure, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from allonym.attackers import make
from allonym.attackers.base import Attacker
from allonym.attackers.linear import LinearAttacker
from allonym.errors import InputError, ParameterError
from allonym.metrics import scoring
from allonym.metrics.figures import Figure, percent
from allonym.recognition import strangers
from allonym.recognition.evidence import Evidence, evidence
from allonym.recognition.reliability import Piece, Reliability, count_words, cross_validate, cut, folds, probabilities
from allonym.recognition.strangers import NoneOfThese, Threshold

DEFAULT_ATTACKERS = ("words-svm", "characters-svm", "writeprints-svm", "clear-channel")
FEW_WORDS = 500
AMONG_THESE = "The writers' shares are among these alone."
_FEW_PIECES = 3

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class LikelyAuthor:
    """An author and how sure an attacker is, between 0 and 1, that the text is theirs."""

    author: str
    probability: float


@dataclass(frozen=True)
class Opinion:
    """What one attacker says about a text.

    Attributes:
        attacker: Its name.
        describes_itself_as: What it looks at.
        accuracy: How often it named the right author of unseen pieces of known texts.
        top_5: How often the right author was among its first five.
        candidates: All known authors, likeliest first.
    """

    attacker: str
    describes_itself_as: str
    accuracy: Figure
    top_5: Figure
    candidates: tuple[LikelyAuthor, ...] = field(repr=False)

    def of(self, author: str) -> LikelyAuthor:
        """Return an author's entry."""
        return next(candidate for candidate in self.candidates if candidate.author == author)

    def rank(self, author: str) -> int:
        """Return the author's place among the candidates, from 1; equals count as before them."""
        probability = self.of(author).probability
        return sum(candidate.probability >= probability for candidate in self.candidates)

    def says(self, me: str | None) -> str:
        """Return whom it names, and how sure it is of the true author, if told."""
        top = self.candidates[0]
        named = f"says {top.author}, {sure(top.probability)}"
        return named if me in (None, top.author) else f"{named}; of {me}, {sure(self.of(me or '').probability)}"


@dataclass(frozen=True)
class Recognition:
    """How recognisable a text is.

    Attributes:
        words: Length of the text.
        authors: How many known authors the attackers choose from.
        pieces: How many pieces of known texts they were trained on.
        piece_words: Median length of these, on which accuracies were measured.
        chance: Accuracy of always naming the author of most pieces.
        opinions: One for each attacker, the strongest (by cross-validation) first.
        me: The true author, if told.
        clues: What gives the text away to the strongest attacker that can explain itself, strongest first.
        none_of_these: How likely it is that none of them wrote it; None where that cannot be told.
        cannot_tell: Why not, in a sentence.
        warnings: Why not to rely on all this, in sentences.
    """

    words: int
    authors: int
    pieces: int
    piece_words: int
    chance: float
    opinions: tuple[Opinion, ...]
    me: str | None
    clues: tuple[Evidence, ...] = field(repr=False)
    none_of_these: NoneOfThese | None
    cannot_tell: str
    warnings: tuple[str, ...]

    @property
    def strongest(self) -> Opinion:
        """What the attacker says that did best in cross-validation."""
        return self.opinions[0]

    @property
    def risk(self) -> float:
        """How sure the strongest attacker is of the true author; of the likeliest one, if the true one is not told."""
        if self.me is not None:
            return self.strongest.of(self.me).probability
        return self.strongest.candidates[0].probability

    @property
    def rank(self) -> int | None:
        """Place of the true author in the strongest attacker's list, if told."""
        return None if self.me is None else self.strongest.rank(self.me)

    @property
    def recognised(self) -> bool | None:
        """Whether the strongest attacker names the true author, if told."""
        return None if self.me is None else self.rank == 1

    @property
    def open_set(self) -> str:
        """Whether somebody else may have written it, in sentences."""
        answer = self.cannot_tell if self.none_of_these is None else str(self.none_of_these)
        return f"{answer} {AMONG_THESE}"

    @property
    def measured(self) -> str:
        """How good such attackers are, in a sentence."""
        return (
            f"Among {self.authors} writers, an attacker names the right one {self.strongest.accuracy.in_percent()} of "
            f"the time on texts of about {self.piece_words:,} words; chance is {percent(self.chance)}."
        )

    def __str__(self) -> str:
        top = self.strongest.candidates[0]
        if self.me is None:
            return f"{self.measured} This text looks most like {top.author} ({sure(top.probability)})."
        if self.recognised:
            return f"{self.measured} This text is recognised: it looks most like {self.me} ({sure(self.risk)})."
        return (
            f"{self.measured} This text is not recognised: {self.me} ranks {ordinal(self.rank or 0)} "
            f"({sure(self.risk)}), behind {top.author} ({sure(top.probability)})."
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; of the text itself only places and features."""
        return {
            "summary": str(self),
            "risk": self.risk,
            "author": self.strongest.candidates[0].author,
            "rank": self.rank,
            "recognised": self.recognised,
            "strongest": self.strongest.attacker,
            **asdict(self),
        }


@dataclass(frozen=True)
class _Judged:
    """An attacker trained on all pieces, and how reliable its like proved to be."""

    attacker: Attacker
    reliability: Reliability


class Recogniser:
    """Trains attackers on known authors' texts, tests them, and asks them about others.

    Spends no privacy and keeps everything in memory.

    Args:
        attackers: Which to ask; by default word and character n-grams, WritePrints, and punctuation alone.
    """

    def __init__(self, attackers: Sequence[Attacker] | None = None) -> None:
        if attackers is not None and not attackers:
            raise ParameterError("attackers must hold one attacker at least; leave it out for the usual ones.")
        self.attackers = attackers

    def fit(
        self,
        texts: Sequence[str],
        authors: Sequence[object],
        *,
        words: int = FEW_WORDS,
        progress: Progress | None = None,
    ) -> Self:
        """Learn how the known authors write, and how well that can be told on texts of a length.

        Args:
            texts: Known texts.
            authors: The author of each.
            words: About how long the texts to be checked are.
            progress: Told how many steps of all are done.
        """
        pieces = cut(texts, authors, words)
        _check(pieces, authors)
        dealt = folds(pieces)
        asked = [make(name) for name in DEFAULT_ATTACKERS] if self.attackers is None else list(self.attackers)
        groups = strangers.group_count(len({piece.author for piece in pieces}))
        total = len(asked) * (len(np.unique(dealt[dealt >= 0])) + 1) + groups
        done = 0

        def step() -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, total)

        judged: list[_Judged] = []
        for attacker in asked:
            reliability = cross_validate(attacker, pieces, dealt, step)
            trained = clone(attacker).fit([piece.text for piece in pieces], [piece.author for piece in pieces])
            judged.append(_Judged(trained, reliability))
            step()
        # The best of several on the same pieces is slightly flattered, in the attacker's favour: the safe side.
        self._judged = sorted(judged, key=lambda one: (-one.reliability.accuracy.value, one.reliability.log_loss))
        strongest = self._judged[0]
        left_out = list(strangers.leave_out(strongest.attacker, pieces, dealt, step))
        self._threshold = strangers.learn(strongest.reliability.unseen, left_out, pieces)
        self._pieces = pieces
        self._chance = scoring.chance([piece.author for piece, fold in zip(pieces, dealt, strict=True) if fold >= 0])
        return self

    @property
    def authors(self) -> list[str]:
        """The known authors, sorted."""
        return sorted({piece.author for piece in self._pieces})

    def check(self, text: str, me: str | None = None, *, clues: bool = True) -> Recognition:
        """Ask all attackers about a text.

        Args:
            text: The text.
            me: Its true author, if known.
            clues: Whether to look for what gives it away, which takes most of the time.
        """
        if not hasattr(self, "_judged"):
            raise InputError("The recogniser has learned nothing yet; call fit(texts, authors) first.")
        words = count_words(text)
        if not words:
            raise InputError("The text to check holds no words; give one that does.")
        if me is not None and me not in self.authors:
            raise ParameterError("The true author is not among the known ones; add their texts or leave the name out.")
        opinions = tuple(_opinion(judged, text) for judged in self._judged)
        piece_words = int(np.median([piece.words for piece in self._pieces]))
        none_of_these, cannot_tell = self._stranger(text, words)
        return Recognition(
            words=words,
            authors=len(self.authors),
            pieces=len(self._pieces),
            piece_words=piece_words,
            chance=self._chance,
            opinions=opinions,
            me=me,
            clues=self._clues(text, me or opinions[0].candidates[0].author) if clues else (),
            none_of_these=none_of_these,
            cannot_tell=cannot_tell,
            warnings=tuple(self._warnings(words, piece_words)),
        )

    def risk(self, text: str, me: str) -> float:
        """Return how sure the strongest attacker is of an author: the risk of `check`, without the rest of it."""
        return _opinion(self._judged[0], text).of(me).probability

    def _stranger(self, text: str, words: int) -> tuple[NoneOfThese | None, str]:
        """Return how likely it is that none of the known authors wrote it, or why that cannot be told."""
        if not isinstance(self._threshold, Threshold):
            return None, self._threshold
        if words < strangers.FEWEST_WORDS:
            return None, f"{words:,} words are too few to tell whether somebody else wrote it."
        [scores] = self._judged[0].attacker.decision_function([text])
        return self._threshold.judge(scores), ""

    def _clues(self, text: str, author: str) -> tuple[Evidence, ...]:
        for judged in self._judged:
            if isinstance(judged.attacker, LinearAttacker):
                return evidence(judged.attacker, text, author)
        return ()

    def _warnings(self, words: int, piece_words: int) -> list[str]:
        warnings = []
        if words < FEW_WORDS:
            warnings.append(f"Verdicts on fewer than {FEW_WORDS} words are unreliable; this text has {words:,}.")
        if not words / 2 <= piece_words <= words * 2:
            warnings.append(f"Attackers were tested on about {piece_words:,} words at a time; this text has {words:,}.")
        names = [piece.author for piece in self._pieces]
        few = sum(names.count(author) < _FEW_PIECES for author in self.authors)
        if few:
            who = "1 author has" if few == 1 else f"{few} authors have"
            warnings.append(
                f"{who} too little known text for {_FEW_PIECES} pieces of {piece_words:,} words; "
                "what is said about them is weak."
            )
        return warnings


def sure(probability: float) -> str:
    """Write a calibrated probability; no text makes an attacker certain, even if rounding says so.

    >>> sure(0.71), sure(1.0)
    ('71 % sure', 'over 99 % sure')
    """
    return f"{percent(min(probability, 1 - 1e-9))} sure"


def ordinal(number: int) -> str:
    """Write a place.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _check(pieces: Sequence[Piece], authors: Sequence[object]) -> None:
    named = len({str(author) for author in authors})
    with_words = len({piece.author for piece in pieces})
    if named < 2:
        raise InputError("There must be known texts of two authors at least to tell apart; add another author's.")
    if with_words < named:
        who = "1 known author has" if named - with_words == 1 else f"{named - with_words} known authors have"
        raise InputError(f"{who} only texts without a word; add texts, or leave the author out.")


def _opinion(judged: _Judged, text: str) -> Opinion:
    attacker, reliability = judged.attacker, judged.reliability
    shares = probabilities(attacker.decision_function([text]), reliability.sharpness)[0]
    order = np.argsort(-shares, kind="stable")
    return Opinion(
        attacker=attacker.name,
        describes_itself_as=attacker.describes_itself_as,
        accuracy=reliability.accuracy,
        top_5=reliability.top_5,
        candidates=tuple(LikelyAuthor(str(attacker.classes_[place]), float(shares[place])) for place in order),
    )
