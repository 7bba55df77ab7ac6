"""Slurs and obscenities that no method should put into anybody's mouth.

The list is public and lies beside this module as it is, so that it can be read and corrected. It was made by
`tools/build_blocked_words.py` from the package `cuss` (MIT licence). It is a list of words: an insult made of harmless
ones is not on it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from allonym.language.words import words

_LIST = "blocked_words.txt"


@cache
def blocked() -> frozenset[str]:
    """Return the words, in lower case."""
    return frozenset((files("allonym.language") / _LIST).read_text("utf-8").split())


def holds_blocked(text: str) -> bool:
    """Tell whether a text holds such a word.

    >>> holds_blocked("A quiet evening."), holds_blocked("What a WANKER!")
    (False, True)
    """
    return any(word in blocked() for word in words(text.lower()))
