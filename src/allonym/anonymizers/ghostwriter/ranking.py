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
from typing import Final, NamedTuple

from allonym.guard import compare
from allonym.guard.report import GuardReport
from allonym.language.stop_words import STOP_WORDS
from allonym.language.verb_forms import infinitive
from allonym.language.words import lemma, words
from allonym.vectors import embeddings
from allonym.vectors.embeddings import WordTable

PERSONS: Final = {
    form: person
    for person, forms in enumerate(
        ("i me my mine myself", "we us our ours ourselves", "you your yours yourself yourselves", "he him his himself",
         "she her hers herself", "they them their theirs themselves")
    )
    for form in forms.split()
}  # fmt: skip
_WRONG: Final = frozenset(
    {"name", "number", "amount", "date", "time", "quotation", "link", "e-mail", "phone", "negation", "opposite", "roles"}
)
_LONG_LOOP: Final = re.compile(r"\b(\w+(?: \w+){0,5})(?:,? \1\b){2,}", re.IGNORECASE)


@dataclass(frozen=True)
class Weights:
    """What each fault of a version costs.

    Attributes:
        note: Each content word lost or invented.
        person: Each pronoun that is of another person.
        form: Each word that has another ending: a tense, a plural.
        moved: Each content word that stands in another order.
        unlikely: The network's mean −ln P of a piece.
        own: The share of pairs of words that the writer wrote, too.
        untranslated: The sentence itself, in the public style but not translated.
        guarded: How many of the cheapest versions the guard reads.
    """

    note: float = 0.7
    person: float = 0.6
    form: float = 0.3
    moved: float = 0.15
    unlikely: float = 2.0
    own: float = 0.3
    untranslated: float = 1.0
    guarded: int = 4


class Rated(NamedTuple):
    """A version, and what is known of it before the guard reads it."""

    text: str
    cost: float


def best(sentence: str, versions: Sequence[tuple[str, float]], weights: Weights) -> tuple[str, float] | None:
    """Return the best version of a sentence, with its cost; None if each states something else.

    Args:
        sentence: As the writer wrote it.
        versions: Texts with their mean ln P, the likeliest first.
        weights: What faults cost.
    """
    rated = [Rated(text, _cost(sentence, text, likelihood, weights)) for text, likelihood in versions]
    plausible = sorted((one for one in rated if not _LONG_LOOP.search(one.text)), key=lambda one: one.cost)
    chosen: tuple[str, float] | None = None
    for version in plausible[: weights.guarded]:
        if chosen is not None and version.cost >= chosen[1]:
            break
        report = compare(sentence, version.text)
        if _states_the_same(report) and not _made_up(sentence, version.text):
            cost = version.cost + weights.note * _notes(report)
            if chosen is None or cost < chosen[1]:
                chosen = version.text, cost
    return chosen


def _states_the_same(report: GuardReport) -> bool:
    return not any(finding.kind in _WRONG for finding in report.findings)


def _made_up(sentence: str, version: str) -> bool:
    """Tell whether a version has a word that neither the sentence nor a table of words has: networks make some up."""
    known = {word.lower() for word in words(sentence)}
    new = {word for word in words(version) if word.isalpha() and word.isascii() and word.lower() not in known}
    return any(_public_words().index(word.lower()) is None for word in new)


@cache
def _public_words() -> WordTable:
    return embeddings.load()


def _notes(report: GuardReport) -> int:
    figures = report.figures
    return figures.notes.of - figures.notes.count + figures.invented.count


def _cost(sentence: str, version: str, likelihood: float, weights: Weights) -> float:
    olds, news = _read(sentence), _read(version)
    persons = sum(((olds.persons - news.persons) + (news.persons - olds.persons)).values())
    shared = len(olds.pairs & news.pairs) / max(1, len(news.pairs))
    forms = sum(bool(olds.forms[base].isdisjoint(news.forms[base])) for base in olds.forms.keys() & news.forms.keys())
    changed = weights.person * persons / 2 + weights.form * forms + weights.moved * _moved(olds.order, news.order)
    return changed - weights.unlikely * likelihood + weights.own * shared


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


@lru_cache(2**12)
def _read(sentence: str) -> _Words:
    split = [word.lower() for word in words(sentence)]
    forms: dict[str, set[str]] = {}
    for word in split:
        forms.setdefault(infinitive(word) or lemma(word), set()).add(word)
    return _Words(
        Counter(PERSONS[word] for word in split if word in PERSONS),
        frozenset(zip(split, split[1:], strict=False)),
        {base: frozenset(found) for base, found in forms.items() if len(base) > 2},
        tuple(dict.fromkeys(lemma(word) for word in split if word not in STOP_WORDS)),
    )
