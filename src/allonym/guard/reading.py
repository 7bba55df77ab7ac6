"""A text as the guard reads it: sentences, words with their dictionary forms, and facts, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final

from allonym.guard.report import Span
from allonym.language import facts
from allonym.language.facts import Fact
from allonym.language.sequences import cut
from allonym.language.stop_words import STOP_WORDS
from allonym.language.verb_forms import infinitive
from allonym.language.words import lemma

_WORD: Final = re.compile(r"\d++(?:[.,]\d++)*+[^\W_]*+|[^\W_]++(?:['’][^\W\d_]++)*+")
_AGED: Final = re.compile(r".{0,2}years?[ -]old\b|.?year[ -]old\b", re.IGNORECASE)  # a number says it, too
_ENDING: Final = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
# Words that a sentence can lose or gain and say the same: hedges, courtesies, links, and verbs that say little by
# themselves. Those that deny are facts, and not here.
FILLERS: Final = frozenset(
    """
able absolutely about actually anymore anyway approximately around basically certainly clearly completely concerned
definitely entirely especially exactly extremely fairly far finally generally hence honestly hopefully however indeed
instead just kindly likely literally mainly maybe merely moreover mostly namely nearly obviously please possible
possibly probably quite rather really roughly simply single still such surely therefore though thus thank thanks
totally truly usually virtually well whole lot bit bunch plenty kind sort type way thing fact case time times manner
order regard connection reason respect matter point sake terms course addition bring come compare concern contain
consider continue cover decide enable ensure exist fall feel find happen have hold include intend involve keep know
lead let like look manage mean need occur pick provide receive remain result say see seem set show stay tell think try
turn use want wish
    """.split()  # noqa: SIM905
)
_SUFFIXES: Final = """
ization isation ations ation ition ments ment ness ings ing ity ful ally ly al ous ive able ible ers er ors or ance
ence ies ied ion ed es s ise ize y e t
    """.split()  # noqa: SIM905
_SHORTEST_ROOT: Final = 4
_LONGEST_WORD: Final = 64


@dataclass(frozen=True)
class Word:
    """A word of a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        text: In lower case, without the ending of a contraction.
        lemma: Its dictionary form.
        is_note: Whether it carries meaning by itself: no stop word, no filler, no part of a fact.
        fact: The fact that it belongs to, if any.
    """

    start: int
    end: int
    text: str = field(repr=False)
    lemma: str = field(repr=False)
    is_note: bool
    fact: Fact | None = field(repr=False)


@dataclass(frozen=True)
class Sentence:
    """A sentence of a text: where it stands and what is in it."""

    span: Span
    words: tuple[Word, ...] = field(repr=False)
    facts: tuple[Fact, ...] = field(repr=False)  # those of `facts.find` but quotations

    @property
    def notes(self) -> tuple[Word, ...]:
        """The words that carry meaning by themselves."""
        return tuple(word for word in self.words if word.is_note)


@dataclass(frozen=True)
class ReadText:
    """A text, read."""

    text: str = field(repr=False)
    sentences: tuple[Sentence, ...]
    quotations: tuple[Fact, ...] = field(repr=False)


def read(text: str, *, spacy: bool = False) -> ReadText:
    """Read a text."""
    known_facts = facts.find(text, quotations=False, spacy=spacy)
    words = tuple(_words(text, known_facts))
    quotations = tuple(Fact(*quotation) for quotation in facts.quoted(text))
    sentences, first_word, first_fact = [], 0, 0
    for span in _spans(text, known_facts):
        end_word = _until(words, first_word, span.end)
        end_fact = _until(known_facts, first_fact, span.end)
        if end_word > first_word or end_fact > first_fact:  # signs alone say nothing
            sentences.append(Sentence(span, words[first_word:end_word], known_facts[first_fact:end_fact]))
        first_word, first_fact = end_word, end_fact
    return ReadText(text, tuple(sentences), quotations)


def _until(things: tuple[Word, ...] | tuple[Fact, ...], index: int, end: int) -> int:
    while index < len(things) and things[index].start < end:
        index += 1
    return index


def _spans(text: str, known_facts: tuple[Fact, ...]) -> Iterator[Span]:
    """Yield where sentences stand. What is between two of them goes to the one before, so that nothing is lost."""
    starts, position, fact = list[int](), 0, 0
    for piece in cut(text):
        start = text.find(piece, position)
        position = start + len(piece)
        while fact < len(known_facts) and known_facts[fact].end <= start:
            fact += 1
        if fact == len(known_facts) or known_facts[fact].start >= start:  # no sentence ends inside of an address
            starts.append(start)
    for start, following in pairwise([*starts, len(text)]):
        yield Span(start, start + len(text[start:following].rstrip()))


def _words(text: str, known_facts: tuple[Fact, ...]) -> Iterator[Word]:
    next_fact = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        ending = _ENDING.search(match[0][-4:])
        if ending and len(match[0]) > len(ending[0]):
            end -= len(ending[0])
        while next_fact < len(known_facts) and known_facts[next_fact].end <= start:
            next_fact += 1
        fact = known_facts[next_fact] if next_fact < len(known_facts) and known_facts[next_fact].start < end else None
        lowered = text[start:end].lower().replace("’", "'")
        base = _base(lowered)
        aged = lowered in ("year", "years", "old") and _AGED.match(text, start if lowered[0] == "y" else start - 6)
        yield Word(start, end, lowered, base, fact is None and not aged and _carries(lowered, base), fact)


@lru_cache(2**16)
def _base(word: str) -> str:
    return infinitive(word) or lemma(word)


def _carries(word: str, base: str) -> bool:
    """Tell whether a word carries meaning by itself."""
    if len(word) < 2 or word in STOP_WORDS or word in FILLERS or base in FILLERS:
        return False
    return not (base in STOP_WORDS and word.endswith(("ing", "s")))


@lru_cache(2**16)
def root(base: str) -> str:
    """Return what is left of a word without the ending that makes another kind of word of it.

    Examples:
        >>> root("complaint") == root("complain"), root("contract") == root("contrast")
        (True, False)
    """
    if len(base) > _LONGEST_WORD:
        return base
    for suffix in _SUFFIXES:
        if base.endswith(suffix) and len(base) - len(suffix) >= _SHORTEST_ROOT:
            stem = base[: -len(suffix)]
            stem = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "lse" else stem
            return stem.rstrip("ie") if len(stem.rstrip("ie")) >= _SHORTEST_ROOT else stem
    return base
