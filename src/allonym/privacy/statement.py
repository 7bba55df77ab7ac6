"""A guarantee in plain English: what is promised, how much that is, and on what it rests."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction
from typing import TYPE_CHECKING

from allonym.privacy.habits import Habit

if TYPE_CHECKING:
    from allonym.privacy.guarantee import Guarantee

# Where a total stops excluding identification by itself. At ε = 1 odds move by less than 3; at 10 by 22,000.
_STRONG = 1.0
_WEAK = 10.0
_COPIED: dict[Habit, str] = {
    Habit.TEXT: "the text",
    Habit.NUMBER_OF_WORDS: "the number of words of each document",
    Habit.NUMBER_OF_SENTENCES: "the number of sentences",
    Habit.SENTENCE_LENGTHS: "the length of each",
    Habit.ROUGH_SENTENCE_LENGTHS: "about how many words each sentence has",
    Habit.MOST_WORDS_AND_MARKS: "most words and marks, which stay as they are",
    Habit.SENTENCES_LIKE_THE_TARGETS: "sentences that seem to be the target's already",
    Habit.CASE: "capitals",
    Habit.PUNCTUATION: "punctuation marks",
    Habit.NUMBERS: "numbers",
    Habit.NUMBERS_AND_NAMES: "numbers and names",
    Habit.LINE_BREAKS: "line breaks",
    Habit.UNKNOWN_WORDS: "words the model does not know",
}


def statement(guarantee: Guarantee) -> str:
    """Return the guarantee in words."""
    sentences = _promise(guarantee) if guarantee.formal else ["No formal privacy is promised."]
    if guarantee.released_as_is:
        sentences.append(f"Copied from the input without protection: {_listed(guarantee.released_as_is)}.")
    elif guarantee.formal:
        sentences.append("Nothing else of the input is in the output.")
    sentences += guarantee.notes
    if guarantee.assumptions:
        label = "This holds if" if guarantee.formal else "Reason"
        sentences.append(f"{label}: {'; '.join(guarantee.assumptions)}.")
    return " ".join(sentences)


def copied(habits: Collection[str]) -> tuple[str, ...]:
    """Return habits as people are told of them, in the order of the list above."""
    return tuple(worded for habit, worded in _COPIED.items() if habit in habits)


def number(value: float | Fraction) -> str:
    """Return a loss for people, rounded up: what is printed, read as a decimal, is never below what is meant."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}" if value else "0"
    digits = 0 if value >= 1000 else 1 if value >= 100 else 2 if value >= 0.01 else 6
    whole, part = divmod(math.ceil(Fraction(value) * 10**digits), 10**digits)
    return f"{whole:,}.{part:0{digits}}" if digits else f"{whole:,}"


def counted(count: int, thing: str) -> str:
    """Return so many things in words: "1 document", "2,000 documents"."""
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"


def _promise(guarantee: Guarantee) -> list[str]:
    epsilon, per_word = guarantee.epsilon or 0.0, guarantee.loss_per_word or 0.0
    factor = f"each output {guarantee.drawn} shifts an observer's odds by a factor of at most"
    if guarantee.metric is None:
        bound = f"{factor} e^{number(per_word)} ({guarantee.evidence})"
    else:
        bound = (
            f"{factor} e^{number(guarantee.loss_per_unit or 0.0)} for each unit of {guarantee.metric} "
            f"({guarantee.evidence}), so at most e^{number(per_word)} for the two words furthest apart"
        )
    sentences = [f"Between {guarantee.adjacency}, {bound}{_total(guarantee, epsilon)}.", _reading(guarantee, epsilon)]
    sentences += [
        f"Also true: ε = {number(other.epsilon)} except with probability {other.delta:g} ({other.method})."
        for other in guarantee.also_holds
    ]
    return sentences


def _total(guarantee: Guarantee, epsilon: float) -> str:
    """Return the clause about the whole unit; there is none where the number of words follows the text."""
    if guarantee.unit == "word":
        return "; words add up, and how many there are is not hidden"
    whose = "the document" if guarantee.unit != "author" else f"all {guarantee.documents:,} documents of one author"
    failing = f", except with probability {guarantee.delta:g}" if guarantee.delta else ""
    return f"; with {counted(guarantee.words or 0, guarantee.drawn)}, ε = {number(epsilon)} for {whose}{failing}"


def _reading(guarantee: Guarantee, epsilon: float) -> str:
    if epsilon == 0:
        return "The output is independent of the text."
    if guarantee.unit == "word":  # small for one word says nothing of a text
        return "A text loses as many times that as it has words, so judge the whole by measured attacks as well."
    if epsilon <= _STRONG:
        return "That is a strong guarantee."
    if epsilon <= _WEAK:
        return "That is a moderate guarantee."
    return (
        "A total this large does not by itself rule out that the text is recognised: "
        f"it bounds what one {guarantee.drawn} reveals, so judge the whole by measured attacks as well."
    )


def _listed(things: tuple[str, ...]) -> str:
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"
