"""Words that deny: not and its contractions, never, nobody, without, hardly; less those that deny nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_AUXILIARIES: Final = (
    "ca|wo|sha|ai|are|is|was|were|do|does|did|have|has|had|could|would|should|might|must|need|dare|ought"
)
_BARE: Final = "cant|dont|doesnt|didnt|isnt|arent|wasnt|werent|havent|hasnt|hadnt|couldnt|wouldnt|shouldnt|wont"
_NEGATION: Final = re.compile(
    rf"""(?<![\w'’-])(?:
    (?P<contracted>(?:{_AUXILIARIES})n['’]t)(?![\w])
    |(?P<bare>{_BARE})(?!\w)
    |(?P<cannot>cannot)(?!\w)
    |(?P<no_body>no[ ]one|nobody|noone)(?![\w'’-])
    |(?P<nothing>nothing|none|nowhere|never|neither|without|hardly|scarcely|barely|nor|not|no)(?![\w-])
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# What follows where nothing is denied: "not only", "no doubt", "No. 5"; a tag: "isn't it?".
_HARMLESS_AFTER: Final = re.compile(r"[ ]+(?:only|just|to[ ]mention|least|doubt|matter|wonder|sooner)\b", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"\.?[ ]?\d")
_TAG: Final = re.compile(r"[ ]+(?:it|he|she|they|we|you|I|there)[ ]*\?")
_OR_BEFORE: Final = re.compile(r"\b(?:whether|if|why|or)[ ]+(?:or[ ]+)?$", re.IGNORECASE)
_VALUES: Final = {"neither": "no", "none": "no", "nor": "no", "scarcely": "hardly", "barely": "hardly"}


class Negation(NamedTuple):
    """A word that denies: where it stands, and its value, in which "can't" and "cannot" are the same."""

    start: int
    end: int
    value: str


def find(text: str) -> Iterator[Negation]:
    """Yield negations, in order. "Neither … nor" is one."""
    neither = -1_000
    for match in _NEGATION.finditer(text):
        start, end = match.span()
        word = match[0].lower()
        if word == "neither":
            neither = end
        elif word == "nor" and start - neither < 80:
            continue
        if word == "no" and _NUMBERED.match(text, end):
            continue
        if word in ("not", "no") and (_HARMLESS_AFTER.match(text, end) or (word == "not" and _is_or_not(text, start))):
            continue
        if match["contracted"] and _TAG.match(text, end):
            continue
        yield Negation(start, end, _value(match, word))


def _is_or_not(text: str, start: int) -> bool:
    return _OR_BEFORE.search(text, max(0, start - 12), start) is not None


def _value(match: re.Match[str], word: str) -> str:
    if match["contracted"] or match["bare"] or match["cannot"]:
        return "not"
    return "nobody" if match["no_body"] else _VALUES.get(word, word)
