"""The notes of a text: dictionary forms of its content words in order, with what is denied, who it is about, and when.

Names, numbers, dates and the like are no more than their class. Everything is rules and tables, so that a text has the
same notes on every processor. Privacy: spends nothing, and what is read is as private as the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from allonym.guard import reading
from allonym.guard.reading import ReadText, Sentence, Word
from allonym.language.facts import Fact
from allonym.language.facts.names import PLACES
from allonym.language.persons import PERSONS, SUBJECTS
from allonym.language.stop_words import STOP_WORDS
from allonym.language.verb_forms import infinitive, is_participle_alone

# How classes of facts are noted, and written: whoever reads the text fills them in.
CLASSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "[name]",
        "place": "[place]",
        "number": "[number]",
        "amount": "[amount]",
        "date": "[date]",
        "time": "[time]",
        "link": "[address]",
        "e-mail": "[address]",
        "phone": "[number]",
    }
)
PAST, PRESENT, FUTURE = "<past>", "<present>", "<future>"
DENIALS: Final = ("not", "never", "no", "nobody", "nothing", "without", "hardly", "nowhere")
# Notes that are no words of a vocabulary; every list of notes begins with them.
MARKS: Final = (*dict.fromkeys(CLASSES.values()), PAST, PRESENT, FUTURE, *SUBJECTS, *DENIALS)

# Words that say little and yet more than nothing, where there is room for them.
_FILLERS: Final = frozenset(
    """
bring come compare consider continue decide enable ensure expect feel find happen hold keep know lead like look manage
mean need occur provide receive remain say see seem set show stay tell think time try turn use want wish
    """.split()  # noqa: SIM905
)
_NOW: Final = frozenset("is are am 's 're 'm has have do does 've say know think want like".split())  # noqa: SIM905
_THEN: Final = frozenset("was were had did".split())  # noqa: SIM905
_LATER: Final = frozenset("will shall gonna wo".split())  # noqa: SIM905
_LONGEST: Final = 32  # letters of a note
_SHORTEST: Final = 2


@dataclass(frozen=True)
class Unit:
    """What is noted together: a content word or a class, and before it what was said of it.

    Attributes:
        notes: Who and whether, then the word itself; or a mark alone.
        word: The content word by which a unit is chosen; "" for marks.
    """

    notes: tuple[str, ...] = field(repr=False)
    word: str = field(repr=False)


def units(text: str) -> list[Unit]:
    """Return what is noted of a text, in its order.

    Examples:
        >>> [unit.notes for unit in units("I didn't pay Mrs Hu £40. She was angry.")]
        [('<past>',), ('i', 'not', 'pay'), ('[name]',), ('[amount]',), ('she', 'angry')]
    """
    return of_read(reading.read(text))


def of_read(read: ReadText) -> list[Unit]:
    """Return what is noted of a text that has been read."""
    found = [Unit((tense,), "")] if (tense := _tense(read.sentences)) else []
    person = -1
    for sentence in read.sentences:
        waiting: list[str] = []
        for note, kind in _read(sentence):
            if kind == "person":
                if PERSONS[note] != person:
                    person = PERSONS[note]
                    waiting = [one for one in waiting if one not in SUBJECTS] + [SUBJECTS[person]]
            elif kind == "denial":
                waiting = [one for one in waiting if one != note] + [note]
            else:
                found.append(Unit((*waiting, note), note if kind == "word" else ""))
                waiting = []
        if waiting:
            found.append(Unit(tuple(waiting), ""))
    return found


def flat(text: str) -> list[str]:
    """Return all notes of a text in a row."""
    return [note for unit in units(text) for note in unit.notes]


def _read(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Yield what a sentence says, each with its kind; a fact of several words comes once."""
    before: Fact | None = None
    for word in sentence.words:
        if word.fact is not None:
            if word.fact is not before:
                yield _of_fact(word.fact)
        elif word.text in PERSONS:
            yield word.text, "person"
        elif _is_noted(word):
            yield word.lemma, "word"
        before = word.fact


def _of_fact(fact: Fact) -> tuple[str, str]:
    if fact.kind == "negation":
        return (fact.value if fact.value in DENIALS else "not"), "denial"
    is_place = fact.kind == "name" and set(fact.value.split()) <= PLACES
    return CLASSES["place" if is_place else fact.kind], "class"


def class_of(fact: Fact) -> str | None:
    """Return how a fact is noted; None for what is denied, which stays a word."""
    note, kind = _of_fact(fact)
    return note if kind == "class" else None


def _is_noted(word: Word) -> bool:
    if not (_SHORTEST <= len(word.lemma) <= _LONGEST and word.lemma.isascii() and word.lemma.isalpha()):
        return False
    return word.is_note or (word.lemma in _FILLERS and word.text not in STOP_WORDS)


def _tense(sentences: tuple[Sentence, ...]) -> str:
    """Return the tense that most of a text's verbs have; nothing if no verb was known."""
    counts = Counter(tense for sentence in sentences for word in sentence.words if (tense := _tense_of(word.text)))
    return max((PAST, PRESENT, FUTURE), key=lambda tense: counts[tense]) if counts else ""


def _tense_of(word: str) -> str:
    if word in _LATER:
        return FUTURE
    if word in _NOW:
        return PRESENT
    base = infinitive(word)
    irregular = base is not None and base != word and not is_participle_alone(word)
    return PAST if word in _THEN or irregular else ""
