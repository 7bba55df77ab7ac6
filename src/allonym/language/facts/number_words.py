"""Numbers in words, as English writes them: "twenty-five", "a hundred and four", "two thirds", "half a dozen"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

_UNITS: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
    """.split()  # noqa: SIM905
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_LARGE: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SMALL: Final = {word: number for number, word in enumerate(_UNITS)} | {
    word: 10 * number for number, word in enumerate(_TENS, 2)
}
_ORDINAL_UNITS: Final = """
zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth
    """.split()  # noqa: SIM905
_ORDINAL_TENS: Final = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth".split()  # noqa: SIM905
ORDINALS: Final = (
    {word: number for number, word in enumerate(_ORDINAL_UNITS) if number}
    | {word: 10 * number for number, word in enumerate(_ORDINAL_TENS, 2)}
    | {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}
)
_PARTS: Final = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10,
    "hundredth": 100,
}  # fmt: skip
_TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}


def _any(words: object) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))  # type: ignore[call-overload]


_CARDINAL: Final = rf"(?:{_any([*_SMALL, *_LARGE, 'hundred'])})"
_JOINT: Final = r"(?:[ \t]*-[ \t]*|[ \t]+(?:and[ \t]+)?|\n)"
_ARTICLE: Final = rf"(?:an?[ \t]+)(?=(?:{_any([*_LARGE, 'hundred', 'dozen'])})\b)"
RUN: Final = re.compile(
    rf"(?<![\w'’-])(?P<half>half[ \t]+a[ \t]+dozen)(?!\w)"
    rf"|(?<![\w'’])(?:(?P<count>an?|{_any(_UNITS)})[ \t-]+(?P<part>{_any(_PARTS)})s?)(?![\w-])"
    rf"|(?<![\w'’])(?P<bare>half)(?![\w-])(?!\s+(?:past|time|term|way)\b)"
    rf"|(?<![\w'’])(?:{_ARTICLE})?(?:{_CARDINAL}(?:{_JOINT}{_CARDINAL})*"
    rf"(?:{_JOINT}(?P<last>{_any(ORDINALS)})(?!\w))?|(?P<dozen>dozen))(?:[ \t]+(?P<dozens>dozen))?(?!\w)"
    rf"|(?<![\w'’])(?P<times>once|twice|thrice)(?!\w)"
    rf"|(?<![\w'’])(?P<ordinal>{_any(ORDINALS)})(?!\w)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Za-z]+")
# Before a bare ordinal word, what shows that it counts: "the second parcel", but not "first, we ate" or "a second".
_COUNTED: Final = re.compile(
    r"(?:\b(?:the|my|our|your|his|her|its|their|this|that|every|each|of|on|in)|['’]s|s['’])\s+$", re.IGNORECASE
)
_PRONOUN_BEFORE: Final = re.compile(
    r"\b(?:no|any|every|some|this|that|which|each|the|another|my|good|bad|old|new|only)\s+$", re.IGNORECASE
)
_AN_ARTICLE: Final = frozenset({"a", "an"})


class Number(NamedTuple):
    """A number in words: where it stands, its value, and whether it says a place in a row."""

    start: int
    end: int
    value: Fraction
    ordinal: bool = False


def find(text: str) -> Iterator[Number]:
    """Yield the numbers in words, in order.

    "One" is left out where it is a pronoun ("no one", "this one"), and so is an ordinal that does not count.
    """
    for match in RUN.finditer(text):
        yield from _read(text, match)


def _read(text: str, match: re.Match[str]) -> Iterator[Number]:
    start, end = match.span()
    if match["half"]:
        yield Number(start, end, Fraction(6))
    elif match["part"]:
        count = match["count"].lower()
        many = 1 if count in _AN_ARTICLE else _SMALL[count]
        yield Number(start, end, Fraction(many, _PARTS[match["part"].lower()]))
    elif match["bare"]:
        yield Number(start, end, Fraction(1, 2))
    elif match["times"]:
        yield Number(start, end, Fraction(_TIMES[match["times"].lower()]))
    elif match["ordinal"]:
        if _COUNTED.search(text, max(0, start - 12), start):
            yield Number(start, end, Fraction(ORDINALS[match["ordinal"].lower()]), ordinal=True)
    else:
        yield from _cardinals(text, match)


def _cardinals(text: str, match: re.Match[str]) -> Iterator[Number]:
    """Read a run of number words, which may be several numbers: "two three", "one and two"."""
    words = [(word.group().lower(), *word.span()) for word in _WORD.finditer(text, *match.span())]
    if match["dozen"] and words[0][0] not in _AN_ARTICLE:
        return  # "dozens of", "the dozen": nothing is counted
    sums, index = list[Number](), 0
    while index < len(words):
        number, index = _one(words, index)
        if number is not None:
            sums.append(number)
    if match["dozens"] and sums:
        sums[-1] = sums[-1]._replace(value=sums[-1].value * 12, end=match.end())
    for number in sums:
        alone = number.value == 1 and text[number.start : number.end].lower() == "one"
        if not (alone and _PRONOUN_BEFORE.search(text, max(0, number.start - 9), number.start)):
            yield number


def _one(words: list[tuple[str, int, int]], index: int) -> tuple[Number | None, int]:
    """Read one number from here; return it and the place after it."""
    start, end = words[index][1], words[index][2]
    whole, current, seen = 0, 0, False
    last = ""  # what may follow depends on it
    while index < len(words):
        word, _, after = words[index]
        if word in _AN_ARTICLE and not seen:
            current = 1
        elif word == "dozen":
            current, end, seen, index = 12, after, True, index + 1
            break
        elif word in ORDINALS and word not in _SMALL and seen and _fits(last, ORDINALS[word]):
            return Number(start, after, Fraction(whole + current + ORDINALS[word]), ordinal=True), index + 1
        elif word in _SMALL and _fits(last, _SMALL[word]):
            current, last, seen, end = current + _SMALL[word], word, True, after
        elif word == "hundred" and current < 100:
            current, last, seen, end = max(1, current) * 100, word, True, after
        elif word in _LARGE:
            whole, current, last = whole + max(1, current) * _LARGE[word], 0, word
            seen, end = True, after
        elif word != "and" or not seen:
            break
        index += 1
    if not seen:
        return None, index + 1
    return Number(start, end, Fraction(whole + current)), index


def _fits(last: str, value: int) -> bool:
    """Tell whether a small number may follow another word of the same number."""
    if last in _SMALL:
        return _SMALL[last] >= 20 and _SMALL[last] % 10 == 0 and 0 < value < 10
    return True
