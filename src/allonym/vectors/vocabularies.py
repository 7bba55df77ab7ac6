"""The public word lists that anonymizers draw from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from allonym.errors import InputError, ParameterError
from allonym.vectors import embeddings, files

SHIPPED = embeddings.DEFAULT

Vocabulary = Sequence[str] | str | Path | None

_LONGEST_TERM = 4  # words of a name or a set phrase


def is_shipped(given: Vocabulary) -> bool:
    """Tell whether the shipped list is meant."""
    return given is None or (isinstance(given, str) and given == SHIPPED)


def read(given: Vocabulary) -> list[str]:
    """Return the words of a list, of a file with one a line, or of the shipped list (None or "words-en").

    A word given twice counts once. Privacy: spends nothing; a vocabulary must be public.
    """
    if is_shipped(given):
        words: Sequence[str] = embeddings.load(SHIPPED).words
    elif isinstance(given, str | Path):
        words = files.read_words(Path(given))
        _refuse_text(Path(given), words)
    else:
        words = list(given or ())
    if not words or not all(isinstance(word, str) and word for word in words):
        raise ParameterError("vocabulary must hold at least one word, and only non-empty strings.")
    return list(dict.fromkeys(words))


def _refuse_text(path: Path, words: Sequence[str]) -> None:
    """Refuse a text that is named by mistake: its lines would be terms, and terms are written to the output."""
    for number, word in enumerate(words, 1):
        if len(word.split()) > _LONGEST_TERM:
            raise InputError(
                f"Line {number} of {path.name} holds a text, not a word: a vocabulary is public, with one word a line."
            )
