"""The public word lists that anonymizers draw from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from allonym.errors import ParameterError
from allonym.vectors import embeddings, files

SHIPPED = embeddings.DEFAULT

Vocabulary = Sequence[str] | str | Path | None


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
    else:
        words = list(given or ())
    if not words or not all(isinstance(word, str) and word for word in words):
        raise ParameterError("vocabulary must hold at least one word, and only non-empty strings.")
    return list(dict.fromkeys(words))
