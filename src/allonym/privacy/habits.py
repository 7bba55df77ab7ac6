"""What of a text a method may copy: habits, each with a name for programs and wording for people."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from allonym.errors import ParameterError


class Habit(StrEnum):
    """A habit of a text that is in the output as it was, outside all noise."""

    TEXT = "text"
    NUMBER_OF_WORDS = "number of words"
    NUMBER_OF_SENTENCES = "number of sentences"
    SENTENCE_LENGTHS = "sentence lengths"
    ROUGH_SENTENCE_LENGTHS = "rough sentence lengths"
    MOST_WORDS_AND_MARKS = "most words and marks"
    SENTENCES_LIKE_THE_TARGETS = "sentences like the target's"
    CASE = "case"
    PUNCTUATION = "punctuation"
    NUMBERS = "numbers"
    NUMBERS_AND_NAMES = "numbers and names"
    LINE_BREAKS = "line breaks"
    UNKNOWN_WORDS = "unknown words"


_WORDING: dict[Habit, str] = {
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


def checked(copies: Iterable[str]) -> frozenset[str]:
    """Return the habits as a set, or refuse what is no habit."""
    try:
        return frozenset(Habit(habit) for habit in copies)
    except ValueError:
        raise ParameterError(f"What is copied must be habits, out of: {', '.join(Habit)}.") from None


def in_words(copies: Iterable[str]) -> tuple[str, ...]:
    """Return habits as people are told of them, in the order of the list above."""
    held = checked(copies)
    return tuple(_WORDING[habit] for habit in Habit if habit in held)
