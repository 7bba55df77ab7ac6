"""What a rewrite must not change: names, numbers, amounts, dates, quotations, addresses, negations.

Rules, no model: the same on every machine. They are written for English, and miss what they have no rule for. With
`spacy=True` names found by spaCy's small model are added (extra `style`).

Privacy: spends nothing. What is found is copied from the text; it is as private as the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, get_args

from allonym.language.facts import calendar, names, negations, quantities

Kind = Literal["name", "number", "amount", "date", "time", "quotation", "link", "e-mail", "phone", "negation"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

# Every repetition is possessive or bounded: time is linear on any input.
_EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}+@[^\W_]++(?:[.-][^\W_]++)++")
_DOMAINS: Final = "com|org|net|edu|gov|info|io|eu|uk|de|fr|nl|ie|us|ca|au|ch|at|be|es|it|pt|se|no|dk|pl|app|dev|test"
_LINK: Final = re.compile(
    rf"(?<![\w@./-])(?:(?:https?://|ftp://|www\.)[^\s<>\"”“]{{1,2000}}+"
    rf"|(?:[a-z0-9-]{{1,63}}\.){{1,4}}(?:{_DOMAINS})\b(?:/[^\s<>\"”“]{{0,2000}}+)?)(?!@)",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(r"[.,;:!?)\]}'’”*_]+$")
_PHONE: Final = re.compile(
    r"(?<![\w.,/-])(?:\+\d{1,3}[ ()./-]{0,2}|\(0?\d{2,5}\)[ -]?|0\d(?=[\d -]{6}))"
    r"(?:\(?\d++\)?[ ./-]?){1,6}(?<=\d)(?!\w)"
    r"|(?<![\w.,/-])\d{3}[ .-]\d{3,4}[ .-]?\d{4}(?!\w)"
)
_QUOTATION: Final = re.compile(
    r"\"(?=\S)(?P<straight>[^\"\n]{1,600})\"|“(?P<curly>[^“”\n]{1,600})”|«(?P<angled>[^«»\n]{1,600})»"
    r"|(?<![\w])‘(?P<single>[^‘\n]{1,600}?)’(?!\w)|(?<!\S)'(?=\S)(?P<plain>[^'\n]{1,600}?(?:\w'\w[^'\n]{1,300}?){0,8})(?<=\S)'(?!\w)"
)
_SIGNS: Final = re.compile(r"[\W_]+")
_ENDINGS: Final = {
    "n't": " not",
    "'s": " is",
    "'re": " are",
    "'ve": " have",
    "'ll": " will",
    "'d": " would",
    "'m": " am",
}
_ENDING: Final = re.compile(r"(?<=\w)(?:n't|'(?:s|re|ve|ll|d|m))(?!\w)")
_IRREGULAR: Final = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not"}
_WHOLE: Final = re.compile(r"\b(?:can't|cannot|won't|shan't)(?!\w)")


class Fact(NamedTuple):
    """A stretch of a text that states something.

    Attributes:
        kind: What it is.
        start: Where it begins in the text.
        end: Where it ends.
        value: The same for all spellings of the same thing: "25" and "twenty-five". A spelling with two readings
            has both, with a bar between.
    """

    kind: Kind
    start: int
    end: int
    value: str


def find(text: str, *, quotations: bool = True, spacy: bool = False) -> tuple[Fact, ...]:
    """Return the facts of a text, in order; none overlap.

    Args:
        text: Any string.
        quotations: Whether a quotation is one fact; otherwise what is stated inside it is found instead.
        spacy: Whether names are looked for by spaCy's small model, too.

    Raises:
        MissingDependencyError: `spacy` is asked for, and it or its model is not installed.

    Examples:
        >>> text = "Mrs Hu can't pay £1,200 by 3 May."
        >>> [(text[fact.start : fact.end], fact.value) for fact in find(text)]
        [('Mrs Hu', 'hu'), ("can't", 'not'), ('£1,200', '1200 GBP'), ('3 May', '-05-03')]
    """
    taken = bytearray(len(text))
    facts: list[Fact] = []
    for kind, start, end, value in _candidates(text, quotations=quotations, spacy=spacy):
        if value and not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            facts.append(Fact(kind, start, end, value))
    return tuple(sorted(facts, key=lambda fact: fact.start))


def same(first: Fact, second: Fact) -> bool:
    """Tell whether two facts say the same, whatever kind each was taken for.

    Examples:
        >>> [same(*find("3/4/2024 4/3/2024")), same(*find("at 2 pm, at 14:00")), same(*find("£5, 5 euros"))]
        [True, True, False]
    """
    ones, others = _readings(first), _readings(second)
    if ones & others:
        return True
    if {first.kind, second.kind} == {"date"}:
        return any(_same_date(a, b) for a in ones for b in others)
    return False


def _readings(fact: Fact) -> set[str]:
    """Return what a fact may mean: a bare whole number may be an hour of the day."""
    if fact.kind == "number" and fact.value.isdigit() and 0 < int(fact.value[:4]) <= 24:
        hour = int(fact.value)
        return {fact.value, f"{hour % 24:02d}:00", f"{(hour + 12) % 24:02d}:00"} if hour <= 12 else {fact.value}
    return set(fact.value.split("|"))


def _same_date(first: str, second: str) -> bool:
    """Tell whether two dates agree, a year being left out of one."""
    return (
        "-" in first and "-" in second and (first[0] == "-") != (second[0] == "-") and first[-5:] == second[-5:] != ""
    )


def _candidates(text: str, *, quotations: bool, spacy: bool) -> Iterator[tuple[Kind, int, int, str]]:
    """Yield what may be facts, those that go before others first."""
    if quotations:
        yield from quoted(text)
    for match in _EMAIL.finditer(text):
        yield "e-mail", match.start(), match.end(), match[0].lower()
    for match in _LINK.finditer(text):
        end = match.start() + len(_TAIL.sub("", match[0]))
        yield "link", match.start(), end, _address(text[match.start() : end])
    for start, end, value in calendar.dates(text):
        yield "date", start, end, value
    for start, end, value in calendar.times(text):
        yield "time", start, end, value
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if 7 <= len(digits) <= 15:
            yield "phone", match.start(), match.end(), digits
    for start, end, is_amount, value in quantities.find(text):
        yield "amount" if is_amount else "number", start, end, value
    for start, end, value in negations.find(text):
        yield "negation", start, end, value
    for start, end, value in names.find(text):
        yield "name", start, end, value
    if spacy:
        yield from _spacy_names(text)


def quoted(text: str) -> Iterator[tuple[Kind, int, int, str]]:
    """Yield quotations with their marks; their value is their words."""
    for match in _QUOTATION.finditer(text):
        words = _spelled_out(match[match.lastgroup or 0].lower().replace("’", "'"))
        if words:
            yield "quotation", match.start(), match.end(), words


def _spelled_out(words: str) -> str:
    """Return words without signs and contractions, so that "it's" is "it is"."""
    whole = _WHOLE.sub(lambda match: _IRREGULAR[match[0]], words)
    return _SIGNS.sub(" ", _ENDING.sub(lambda match: _ENDINGS[match[0]], whole)).strip()


def _spacy_names(text: str) -> Iterator[tuple[Kind, int, int, str]]:
    from allonym.language import entities  # late: an extra

    for start, end, label in entities.find(text):
        if label in ("<person>", "<place>", "<organisation>", "<group>"):
            yield "name", start, end, _SIGNS.sub(" ", text[start:end].lower()).strip()


def _address(link: str) -> str:
    lowered = re.sub(r"^(?:https?|ftp)://", "", link.lower())
    return lowered.removeprefix("www.").rstrip("/")
