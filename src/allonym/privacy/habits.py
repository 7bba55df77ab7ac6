"""What of a text a method may copy: habits, each by a name for programs; `statement` words them for people."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

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


# A method that copies one of these hands on names that it has never seen, and whatever else the words say.
CARRY_NAMES: Final = frozenset(
    {
        Habit.TEXT,
        Habit.MOST_WORDS_AND_MARKS,
        Habit.SENTENCES_LIKE_THE_TARGETS,
        Habit.NUMBERS_AND_NAMES,
        Habit.UNKNOWN_WORDS,
    }
)

# What is left of a text that was translated and back, sentence by sentence, with its layout.
LEFT_BY_TRANSLATION: Final = frozenset(
    {
        Habit.ROUGH_SENTENCE_LENGTHS,
        Habit.NUMBER_OF_SENTENCES,
        Habit.MOST_WORDS_AND_MARKS,
        Habit.CASE,
        Habit.PUNCTUATION,
        Habit.NUMBERS_AND_NAMES,
        Habit.LINE_BREAKS,
        Habit.UNKNOWN_WORDS,
    }
)


def checked(copies: Iterable[str]) -> frozenset[str]:
    """Return the habits as a set, or refuse what is no habit."""
    try:
        return frozenset(Habit(habit) for habit in copies)
    except ValueError:
        raise ParameterError(f"What is copied must be habits, out of: {', '.join(Habit)}.") from None
