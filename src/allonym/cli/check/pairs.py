"""`--same-as`: how likely it is that two texts have one author."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from allonym.cli.talk import Talk
from allonym.errors import InputError
from allonym.formats.authors import KnownTexts
from allonym.metrics.figures import Figure, percent
from allonym.recognition import profile
from allonym.recognition.recogniser import FEW_WORDS
from allonym.recognition.reliability import count_words, cut
from allonym.recognition.verification import Verification, Verifier

_AUTHORS_TO_TEST = 8  # half of them are learned from: fewer teach what tells those apart, not what tells people apart


def compare(talk: Talk, pair: tuple[str, str], known: KnownTexts) -> float:
    """Print how likely it is that two texts have one author, as pairs of known texts teach it, and return it."""
    pieces = cut(known.texts, known.authors, min(count_words(text) for text in pair))
    texts, names = [piece.text for piece in pieces], [piece.author for piece in pieces]
    sources = [piece.source for piece in pieces]
    probability = Verifier().fit(texts, names, sources).probability(*pair)
    measured = _measured(texts, names, sources)
    tested = "On pairs of known texts by authors it did not learn from"
    _print(talk, pair, probability, None if measured is None else (tested, measured.accuracy, measured.to_json()))
    if measured is None:
        talk.say(f"Warning: This could not be tested; that takes {_AUTHORS_TO_TEST} known authors with two texts each.")
    return probability


def compare_alone(talk: Talk, pair: tuple[str, str]) -> float:
    """The same where no texts are known: as pairs of texts by public writers teach it."""
    likeness = profile.shipped().likeness(*pair)
    if likeness is None:
        shortest = profile.FEWEST_JUDGED
        raise InputError(
            f"Only texts of {shortest} words or more can be compared; give longer ones, or known writers with --known."
        )
    tested = f"On pairs of texts by bloggers it had not learned from, of about {likeness.words:,} words"
    stored = {"accuracy": likeness.right.to_json(), "words": likeness.words}
    _print(talk, pair, likeness.probability, (tested, likeness.right, stored))
    talk.say("This looks only at small words and punctuation; for more, give texts by known writers with --known.")
    return likeness.probability


def _print(
    talk: Talk, pair: Sequence[str], probability: float, tested: tuple[str, Figure, dict[str, Any]] | None
) -> None:
    lengths = [count_words(text) for text in pair]
    likely = percent(min(probability, 1 - 1e-9))  # never certain, even if rounding says so
    sentence = (
        f"The two texts are by the same author with a probability of {likely}, if that was as likely as not beforehand."
    )
    if tested is not None:
        sentence += f" {tested[0]}, this is right {tested[1].in_percent()} of the time; chance is 50 %."
    record = {"summary": sentence, "risk": probability, "probability": probability, "words": lengths}
    talk.data({**record, "measured": None if tested is None else tested[2]}, talk.heading(sentence))
    if min(lengths) < FEW_WORDS:
        talk.say(f"Warning: Verdicts on fewer than {FEW_WORDS} words are unreliable.")


def _measured(texts: Sequence[str], authors: Sequence[str], sources: Sequence[int]) -> Verification | None:
    """Learn from every other author and test on the rest; None if that leaves too few to learn from."""
    if len(set(authors)) < _AUTHORS_TO_TEST:
        return None
    order = {author: number for number, author in enumerate(sorted(set(authors)))}
    halves = [[row for row, author in enumerate(authors) if order[author] % 2 == half] for half in (0, 1)]
    [learned, tested] = [
        ([texts[row] for row in half], [authors[row] for row in half], [sources[row] for row in half])
        for half in halves
    ]
    try:
        return Verifier().fit(*learned).evaluate(tested[0], tested[1], sources=tested[2])
    except InputError:
        return None
