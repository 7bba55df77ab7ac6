"""Marks, capitals and signs in one form: full stops and commas, straight quotes, no shouting, no emoji."""

from __future__ import annotations

import re
from typing import Final

from allonym.language.stop_words import STOP_WORDS
from allonym.language.words import lemma

_UNREADABLE: Final = re.compile(
    "[^\t\n -\u024f\u0370-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u3000-\ud7ff\uf900-\ufdff\uff00-\uffef]+"
)
_EMOTICON: Final = re.compile(r"(?<!\S)(?:[:;=8][-'o^]?[)(\]\[DPpOo/\\|*]+|<3+|\^_*\^|[xX]D|:'\(|\\o/)(?=[\s.,!?]|$)")
_RULE: Final = re.compile(
    r"(?<!\S)[-=_*#~+<>^|]{2,}(?!\S)|(?<!\S)[>|]+(?=\s|\w)|(?<=\w)\*+(?!\w)|(?<!\w)[*_]+(?=\w)|(?<=\w)_+(?!\w)"
)
_FORMS: Final = (
    (re.compile("[\u2018\u2019\u201a\u201b\u2032`\u00b4]"), "'"),
    (re.compile("[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]|''"), '"'),
    (re.compile(r"\s*&\s*"), " and "),
    (re.compile(r"(?<=[a-z])/(?=[a-z])"), " or "),
    (re.compile(r"\bw/o\b"), "without"),
    (re.compile(r"\bw/(?=\s|\w)"), "with "),
    # A row of marks ends a sentence once; a question stays one.
    (re.compile(r"[!.]*\?[!?.]*"), "?"),
    (re.compile(r"(?<=\w)\s*(?:\.\s?){2,}(?=\s*[a-z])|\s*\u2026(?=\s*[a-z])"), ", "),
    (re.compile(r"\.{2,}|\u2026"), "."),
    (re.compile(r"!+"), "."),
    (re.compile(r"\s*;\s*(?=\w)"), ". "),
    (re.compile(r"\s*[;]"), "."),
)
_DASHES: Final = (
    # A dash between numbers is a range, one inside of a word a hyphen; any other a comma.
    (re.compile(r"(?<=\d)\s*[\u2013\u2014\u2012]\s*(?=\d)"), "-"),
    (re.compile(r"[\u2010\u2011]"), "-"),
    (re.compile(r"\s*(?:\u2014|\u2013|--+)\s*|(?<=\S)\s+-\s+(?=\S)"), ", "),
)
_BRACKETS: Final = re.compile(r"\s*[(\[]([^()\[\]]{8,200}?)[)\]]([.,:?]?)")
_TIDY: Final = (
    (re.compile(r"\s+([.,:?])"), r"\1"),
    (re.compile(r",(?=[.:?,])"), ""),
    (re.compile(r"([.?])\s*,"), r"\1"),
    (re.compile(r"([.?:])(?:\s*\.)+"), r"\1"),
    (re.compile(r"^[\s,.:]+(?=[\w\"'])"), ""),
    (re.compile(r"(?<=[a-z]),(?=[A-Za-z])"), ", "),
    (re.compile(r",\s*$"), ""),
    (re.compile(r"\s+"), " "),
)
_SHOUTED: Final = re.compile(r"(?<![\w.&'-])[A-Z]{2,}(?:'[A-Z]+)?(?![\w&-])")
_TITLE: Final = re.compile(r"(?<![\w.&'-])[A-Z]+(?: [A-Z]+){2,}(?![\w&'-])")
_SHORT_SHOUTS: Final = frozenset(
    """
NOT ALL AND THE BUT ANY YOU WHO WHY HOW ONE TWO NO VERY SO IS MY ME BE DO ON IN OF TO ARE WAS HAS HAD CAN DID NOW
    """.split()  # noqa: SIM905
)
_SPREAD: Final = re.compile(r"([a-z])\1{2,}")


def plain(text: str) -> str:
    """Return a line with its marks in one form.

    Examples:
        >>> plain("It's NOT working!!! I called you \u2014 twice; you never rang (which is typical of you) :-(")
        "It's not working. I called you, twice. you never rang, which is typical of you"
    """
    text = _EMOTICON.sub("", _UNREADABLE.sub(" ", text))
    for pattern, written in (*_FORMS[:2], *_DASHES):
        text = pattern.sub(written, text)
    text = _RULE.sub(" ", text)
    for pattern, written in _FORMS[2:]:
        text = pattern.sub(written, text)
    text = _BRACKETS.sub(_without_brackets, text)
    text = _SPREAD.sub(_unspread, _unshouted(text))
    for pattern, written in _TIDY:
        text = pattern.sub(written, text)
    return text.strip()


def sentence(text: str) -> str:
    """Return a sentence that begins with a capital and ends with a mark.

    Examples:
        >>> sentence("we paid, "), sentence("Why?")
        ('We paid.', 'Why?')
    """
    text = text.strip().rstrip(",;: -")
    if not text:
        return ""
    first = next((index for index, sign in enumerate(text) if sign.isalnum()), 0)
    text = text[:first] + text[first].upper() + text[first + 1 :]
    return text if text.endswith((".", "?", '."', '?"', ":")) else f"{text}."


def _without_brackets(match: re.Match[str]) -> str:
    inner, mark = match[1].strip(), match[2]
    if len(inner.split()) < 3:
        return match[0]
    return f", {inner}{mark or ','}"


def _unshouted(text: str) -> str:
    """Write words in small letters that were shouted: those that a dictionary has, and all of a shouted line."""
    letters = [sign for sign in text if sign.isalpha()]
    shouting = len(letters) > 12 and sum(sign.isupper() for sign in letters) > 0.7 * len(letters)

    def quieter(match: re.Match[str]) -> str:
        word = match[0]
        lowered = word.lower()
        usual = word in _SHORT_SHOUTS or (len(word) > 3 and (lowered in STOP_WORDS or lemma(lowered) != lowered))
        return lowered if usual or shouting or (len(word) > 4 and _is_word(lowered)) else word

    if not shouting:  # a row of such words is a title
        text = _TITLE.sub(lambda title: title[0].title(), text)
    return _SHOUTED.sub(quieter, text)


def _is_word(lowered: str) -> bool:
    return any(lemma(lowered + ending) == lowered for ending in ("s", "ed", "ing", "ly", "es"))


def _unspread(match: re.Match[str]) -> str:
    return match[1] * (2 if match[1].lower() in "eo" else 1)
