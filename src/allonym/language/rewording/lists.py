"""Lists of words, as the rules are written with them."""

from __future__ import annotations


def listed(words: str) -> frozenset[str]:
    """Return words that are written with blanks between them."""
    return frozenset(words.split())


def either(words: str) -> str:
    """Return a pattern of any of some words, written with commas between them."""
    return "|".join(word.strip() for word in words.split(","))
