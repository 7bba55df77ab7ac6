"""Which version of a sentence is written: one that states the same, in words that anybody would take.

The guard reads each version beside the sentence: one that changes a name, a number, a negation or who did what is not
written at all. Of the others the cheapest is: by content words lost and invented, by pronouns that became another
person's, by how unlikely the network found it, and by how much of the writer's own wording it repeats.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from allonym.guard import compare
from allonym.guard.closeness import SYNONYMS, Closeness
from allonym.guard.reading import FILLERS
from allonym.guard.report import GuardReport
from allonym.language.persons import PERSONS
from allonym.language.stop_words import STOP_WORDS
from allonym.language.verb_forms import infinitive
from allonym.language.words import lemma, words
from allonym.vectors import embeddings
from allonym.vectors.embeddings import WordTable

# Verbs and particles that are small words and yet say what is done: "took him out".
LIGHT: Final = frozenset(
    """
become becomes became get gets got getting go goes going gone went let lets make makes made making put puts putting take
takes took taken taking give gives gave given giving keep keeps kept keeping out up off away back down over through
again once twice last until since before after against without only more most less least none every still yet it there
    """.split()  # noqa: SIM905
)
_MOODS: Final = {
    word: words.split()[0]
    for words in (
        *("will shall going wo", "would", "can ca could able cannot", "must need", "should ought"),
        *("may might maybe perhaps", "what", "why", "how", "who whom", "when", "where", "if whether"),
    )
    for word in words.split()
}
_WRONG: Final = frozenset(
    {
        "name",
        "number",
        "amount",
        "date",
        "time",
        "quotation",
        "link",
        "e-mail",
        "phone",
        "negation",
        "opposite",
        "roles",
    }
)
_MONTH: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_AUXILIARY: Final = "do|does|did|will|would|can|could|cannot|should|must|might|shall"
# What no writer of English writes, and a network that was made to use a word may.
_BROKEN: Final = re.compile(
    rf"\b(?:has|have|had)(?: not)? (?!some|any|no|every|be|meet|feel|build|train|hear|even|morn)\w{{2,}}ing\b"
    rf"|\b(?:on|at) (?:(?:19|20)\d\d|(?:{_MONTH})(?! \d))\b|\b(?:in|at) (?:the )?\d{{1,2}} (?:{_MONTH})\b"
    r"|\b(?:a|an|the) (?:a|an|the|my|your|his|our|their)\b|\bin [£$€]|\b(?:is|are|was|were) (?:have|has|had|do|did)\b",
    re.IGNORECASE,
)
_AFTER_AUXILIARY: Final = re.compile(rf"\b(?:{_AUXILIARY})(?: not)? (?P<verb>\w+)", re.IGNORECASE)
_LONG_LOOP: Final = re.compile(r"\b(\w+(?: \w+){0,5})(?:,? \1\b){2,}", re.IGNORECASE)


@dataclass(frozen=True)
class Costs:
    """What each fault of a version costs.

    Attributes:
        note: Each content word lost or invented.
        near: Each content word in whose place stands one that is only used alike: "tram" for "trolley".
        light: Each word lost that says little by itself and yet something: a verb such as "take", an adverb.
        person: Each person who is in one of both alone; a tenth for each pronoun more or fewer.
        mood: Each of "would", "must", "why" and the like that is in one of both alone.
        form: Each word that has another ending: a tense, a plural.
        moved: Each content word that stands in another order.
        unlikely: The network's mean −ln P of a piece.
        own: The share of pairs of words that the writer wrote, too.
        untranslated: The most that a version may cost: else the sentence itself is written, in the public style.
        guarded: How many of the cheapest versions the guard reads.
    """

    note: float = 0.9
    near: float = 0.9
    light: float = 0.3
    person: float = 1.2
    mood: float = 0.5
    form: float = 0.3
    moved: float = 0.15
    unlikely: float = 2.0
    own: float = 0.8
    untranslated: float = 1.3
    guarded: int = 6


class Rated(NamedTuple):
    """A version, and what is known of it before the guard reads it."""

    text: str
    cost: float


def best(sentence: str, versions: Sequence[tuple[str, float]], costs: Costs) -> tuple[str, float] | None:
    """Return the best version of a sentence, with its cost; None if each states something else.

    Args:
        sentence: As the writer wrote it.
        versions: Texts with their mean ln P, the likeliest first.
        costs: What faults cost.
    """
    rated = [Rated(text, _cost(sentence, text, likelihood, costs)) for text, likelihood in versions]
    plausible = sorted((one for one in rated if not _is_broken(one.text)), key=lambda one: one.cost)
    chosen: tuple[str, float] | None = None
    for version in plausible[: costs.guarded]:
        if chosen is not None and version.cost >= chosen[1]:
            break
        report = compare(sentence, version.text)
        if _states_the_same(report) and not _made_up(sentence, version.text):
            cost = version.cost + costs.note * _notes(report) + costs.near * _merely_near(sentence, version.text)
            if chosen is None or cost < chosen[1]:
                chosen = version.text, cost
    return chosen


def _states_the_same(report: GuardReport) -> bool:
    return not any(finding.kind in _WRONG for finding in report.findings)


def _is_broken(version: str) -> bool:
    if _LONG_LOOP.search(version) or _BROKEN.search(version):
        return True
    verbs = (match["verb"].lower() for match in _AFTER_AUXILIARY.finditer(version))
    return any((infinitive(verb) or verb) != verb for verb in verbs)


def _made_up(sentence: str, version: str) -> bool:
    """Tell whether a version has a word that neither the sentence nor a table of words has: networks make some up."""
    known = {word.lower() for word in words(sentence)}
    new = {word for word in words(version) if word.isalpha() and word.isascii() and word.lower() not in known}
    return any(_public_words().index(word.lower()) is None for word in new)


@cache
def _public_words() -> WordTable:
    return embeddings.load()


def _merely_near(sentence: str, version: str) -> int:
    """Return how many content words have neither themselves, nor their root, nor a listed synonym in a version."""
    news = _read(version).order
    return sum(all(_closeness().of(word, other) < SYNONYMS for other in news) for word in _read(sentence).order)


@cache
def _closeness() -> Closeness:
    return Closeness()


def _notes(report: GuardReport) -> int:
    figures = report.figures
    return figures.notes.of - figures.notes.count + figures.invented.count


def _cost(sentence: str, version: str, likelihood: float, costs: Costs) -> float:
    olds, news = _read(sentence), _read(version)
    persons = len(olds.persons.keys() ^ news.persons.keys())
    pronouns = sum(((olds.persons - news.persons) + (news.persons - olds.persons)).values())
    shared = len(olds.pairs & news.pairs) / max(1, len(news.pairs))
    forms = sum(bool(olds.forms[base].isdisjoint(news.forms[base])) for base in olds.forms.keys() & news.forms.keys())
    lost = sum((olds.light - news.light).values())
    changed = costs.person * (persons + pronouns / 10) + costs.mood * len(olds.moods ^ news.moods)
    changed += costs.form * forms + costs.moved * _moved(olds.order, news.order)
    return changed + costs.light * lost - costs.unlikely * likelihood + costs.own * shared


def _moved(before: tuple[str, ...], after: tuple[str, ...]) -> int:
    """Return how many of the words of both stand in another order."""
    both = set(before) & set(after)
    places = {word: place for place, word in enumerate(word for word in before if word in both)}
    ends: list[int] = []  # of the longest rows of rising places, by length
    for word in (word for word in after if word in both):
        place = bisect_left(ends, places[word])
        ends[place : place + 1] = [places[word]]
    return len(both) - len(ends)


class _Words(NamedTuple):
    persons: Counter[int]
    pairs: frozenset[tuple[str, str]]
    forms: dict[str, frozenset[str]]
    order: tuple[str, ...]
    light: Counter[str]
    moods: frozenset[str]


def _base(word: str) -> str:
    return infinitive(word) or lemma(word)


@lru_cache(2**12)
def _read(sentence: str) -> _Words:
    split = [word.lower() for word in words(sentence)]
    forms: dict[str, set[str]] = {}
    for word in split:
        forms.setdefault(_base(word), set()).add(word)
    return _Words(
        Counter(PERSONS[word] for word in split if word in PERSONS),
        frozenset(pairwise(split)),
        {base: frozenset(found) for base, found in forms.items() if len(base) > 2},
        tuple(dict.fromkeys(_base(word) for word in split if word not in STOP_WORDS and word not in FILLERS)),
        Counter(_base(word) for word in split if word in LIGHT or word in FILLERS),
        frozenset(_MOODS[word] for word in split if word in _MOODS),
    )
