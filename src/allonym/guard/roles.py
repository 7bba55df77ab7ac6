"""Who did what to whom, read by light rules, to see whether two took each other's part.

No parser: phrases are cut at articles, pronouns, names and verb forms; the phrase before a verb did it, those after it
had it done to them, and the other way round in the passive. Much is not read so, and then nothing is said. What is read
is compared for verbs that both texts have, and only an exchange counts: who did it now has it done to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from allonym.guard.closeness import SYNONYMS, Closeness
from allonym.guard.reading import Sentence, Word
from allonym.guard.report import Span
from allonym.language.verb_forms import infinitive, is_participle_alone

_PRONOUNS: Final = {
    "i": "i", "me": "i", "we": "we", "us": "we", "he": "he", "him": "he", "she": "she", "they": "they", "them": "they",
    "you": "you", "it": "it",
}  # fmt: skip
_THIRD: Final = frozenset({"he", "she", "they", "it"})  # whom they mean is not known
_DETERMINERS: Final = frozenset(
    """
a an the my your his her its our their this that these those some every each no any all both another
    """.split()  # noqa: SIM905
)
_BE: Final = frozenset({"am", "is", "are", "was", "were", "be", "been", "being", "get", "gets", "got", "getting"})
_PREPOSITIONS: Final = frozenset(
    """
of in on at with about against into over under near behind beside between during without within through across after
before since until as like than around outside inside
    """.split()  # noqa: SIM905
)
_RECEIVING: Final = frozenset({"to", "from", "for"})
_BORDERS: Final = frozenset(
    """
and but or so because although though while when whenever if that who which where why how whether
    """.split()  # noqa: SIM905
)
_RELATIVE: Final = frozenset({"who", "which", "that"})
_SYMMETRIC: Final = frozenset(
    """
meet marry agree fight divorce resemble match quarrel argue differ border
    """.split()  # noqa: SIM905
)
_AUXILIARIES: Final = frozenset({"got", "gotten", "let", "went", "gone", "came", "became", "began", "begun"})
_UNCHANGED: Final = frozenset({"hit", "hurt", "cut", "put", "bet"})  # pasts that look like nouns, and seldom are
_CLOSE_ENOUGH: Final = SYNONYMS
_MOST_VERBS: Final = 60  # of one side


class _Phrase(NamedTuple):
    key: str
    start: int
    end: int
    link: str  # the word that ties it to what stands before: "by", "to", another preposition, or nothing


@dataclass
class _Deed:
    """A verb with who did it and to whom."""

    verb: str
    start: int
    end: int
    agent: str | None = None
    others: set[str] = field(default_factory=set)
    passive: bool = False

    def include(self, phrase: _Phrase) -> None:
        self.start, self.end = min(self.start, phrase.start), max(self.end, phrase.end)


def swapped(before: Sequence[Sentence], after: Sequence[Sentence], near: Closeness) -> list[tuple[Span, Span]]:
    """Return stretches of both sides in which two took each other's part."""
    olds = [deed for sentence in before for deed in _deeds(sentence.words)][:_MOST_VERBS]
    news = [deed for sentence in after for deed in _deeds(sentence.words)][:_MOST_VERBS]
    pairs = _of_one_verb(olds, news, near)
    exchanged = [(old, new) for old, new in pairs if _exchanged(old, new, near)]
    exchanged += [pair for pair in _crossed(pairs, near) if pair not in exchanged]
    return [(Span(old.start, old.end), Span(new.start, new.end)) for old, new in exchanged]


def _of_one_verb(olds: list[_Deed], news: list[_Deed], near: Closeness) -> list[tuple[_Deed, _Deed]]:
    pairs, free = [], [*news]
    for old in olds:
        new = next((new for new in free if near.of(old.verb, new.verb) >= _CLOSE_ENOUGH), None)
        if new is not None and old.verb not in _SYMMETRIC:
            free.remove(new)
            pairs.append((old, new))
    return pairs


def _exchanged(old: _Deed, new: _Deed, near: Closeness) -> bool:
    """Tell whether who did it has it done to them, or the other way round."""
    if new.agent is not None and old.agent is not None:
        if _alike(old.agent, new.agent, near):
            return False
        return _among(old.agent, new.others, near) and (_among(new.agent, old.others, near) or not old.others)
    if old.agent is None and new.agent is not None and old.passive:
        return _among(new.agent, old.others, near) and not _among(new.agent, new.others, near)
    if new.agent is None and old.agent is not None and new.passive:
        return _among(old.agent, new.others, near) and not _among(old.agent, old.others, near)
    return False


def _crossed(pairs: list[tuple[_Deed, _Deed]], near: Closeness) -> Iterator[tuple[_Deed, _Deed]]:
    """Yield deeds whose doers changed places: "Ann drove and Ben slept", "Ben drove and Ann slept"."""
    for index, (old, new) in enumerate(pairs):
        for other_old, other_new in pairs[index + 1 :]:
            agents = old.agent, new.agent, other_old.agent, other_new.agent
            if None in agents or _alike(agents[0] or "", agents[1] or "", near):
                continue
            if _alike(agents[0] or "", agents[3] or "", near) and _alike(agents[1] or "", agents[2] or "", near):
                yield old, new


def _alike(first: str, second: str, near: Closeness) -> bool:
    if first == second:
        return True
    if ":" in first or ":" in second or first in _PRONOUNS.values() or second in _PRONOUNS.values():
        return False
    return near.of(first, second) >= _CLOSE_ENOUGH


def _among(lemma: str, others: set[str], near: Closeness) -> bool:
    return lemma not in _THIRD and any(_alike(lemma, other, near) for other in others)


def _deeds(words: Sequence[Word]) -> list[_Deed]:
    """Read the deeds of a sentence."""
    reader = _RoleReader(words)
    return reader.deeds()


class _RoleReader:
    """Cuts a sentence into phrases and verbs, from left to right."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._found: list[_Deed] = []
        self._subject: _Phrase | None = None
        self._deed: _Deed | None = None
        self._link = ""
        self._passive = 0  # words since a form of "be"

    def deeds(self) -> list[_Deed]:
        """Return them in order, those without anybody left out."""
        index = 0
        while index < len(self._words):
            index = self._read(index)
        return [deed for deed in self._found if deed.agent is not None or deed.others]

    def _read(self, index: int) -> int:
        word = self._words[index]
        if index and self._broken(index):
            self._border(relative=False)
        self._passive = max(0, self._passive - 1)
        if word.text in _BE:
            self._passive = 4
        elif word.text in _BORDERS and not (word.text == "that" and self._starts_phrase(index)):
            self._border(relative=word.text in _RELATIVE)
        elif word.text == "by" or word.text in _PREPOSITIONS or word.text in _RECEIVING:
            self._link = word.text
        elif word.text in _PRONOUNS and not self._is_possessive(index):
            self._phrase(_Phrase(_PRONOUNS[word.text], word.start, word.end, self._link))
        elif word.fact is not None and word.fact.kind == "name":
            return self._name(index)
        elif word.text in _DETERMINERS:
            return self._noun_phrase(index)
        elif _is_content(word):
            return self._bare(index)
        return index + 1

    def _broken(self, index: int) -> bool:
        """Tell whether a mark stands before a word; the gap is not read, its length and the next word tell enough."""
        return self._words[index].start - self._words[index - 1].end > 1 and self._words[index].text not in ("'s",)

    def _border(self, *, relative: bool) -> None:
        """End a clause; a relative one keeps who stands before it."""
        if not relative:
            self._subject = None
        self._deed, self._link, self._passive = None, "", 0

    def _starts_phrase(self, index: int) -> bool:
        return self._deed is not None and index + 1 < len(self._words) and _is_content(self._words[index + 1])

    def _is_possessive(self, index: int) -> bool:
        return self._words[index].text == "her" and index + 1 < len(self._words) and _is_content(self._words[index + 1])

    def _name(self, index: int) -> int:
        word = self._words[index]
        stop = index
        while stop < len(self._words) and self._words[stop].fact is word.fact:
            stop += 1
        if word.fact is not None:
            key = "name:" + word.fact.value.split()[-1]
            self._phrase(_Phrase(key, word.fact.start, word.fact.end, self._link))
        return stop

    def _noun_phrase(self, index: int) -> int:
        """Read an article and the words after it; the last of them may be the verb."""
        stop = index + 1
        while stop < len(self._words) and _is_content(self._words[stop]) and not self._broken(stop):
            stop += 1
        run = self._words[index + 1 : stop]
        if not run:
            return index + 1
        verb = next((n for n, word in enumerate(run) if n and _is_verb_form(word)), None)
        if verb is None and len(run) > 1 and stop < len(self._words) and self._opens(stop) and self._deed is None:
            verb = len(run) - 1
        head = run[(len(run) if verb is None else verb) - 1]
        self._phrase(_Phrase(head.lemma, self._words[index].start, head.end, self._link))
        if verb is None:
            return stop
        self._verb(run[verb])
        return index + 2 + verb

    def _opens(self, index: int) -> bool:
        """Tell whether a phrase begins here, so that a verb may stand before it."""
        word = self._words[index]
        name = word.fact is not None and word.fact.kind == "name"
        return not self._broken(index) and (word.text in _DETERMINERS or word.text in _PRONOUNS or name)

    def _bare(self, index: int) -> int:
        """Read a content word without an article: a verb if somebody stands before it, or by its form."""
        word = self._words[index]
        following = index + 1 < len(self._words) and self._opens(index + 1)
        waiting = self._subject is not None and self._deed is None
        if is_participle_alone(word.text) and not self._passive:
            return index + 1  # "arrived broken", "has broken": who did it is not read
        if _is_verb_form(word) or (waiting and following) or (self._passive and word.text.endswith("ed")):
            self._verb(word)
        elif not self._passive:
            self._phrase(_Phrase(word.lemma, word.start, word.end, self._link))
        return index + 1

    def _phrase(self, phrase: _Phrase) -> None:
        self._link = ""
        if self._deed is None:
            if not phrase.link:
                self._subject = phrase
        elif phrase.link == "by" and self._deed.passive:
            self._deed.agent = phrase.key
            self._deed.include(phrase)
        elif not phrase.link or phrase.link in _RECEIVING:
            self._deed.others.add(phrase.key)
            self._deed.include(phrase)

    def _verb(self, word: Word) -> None:
        deed = _Deed(word.lemma, word.start, word.end, passive=bool(self._passive))
        subject = self._subject
        if self._deed is not None and not self._deed.passive and self._last_object() is not None:
            subject = None  # "saw him hit her": whose verb it is, is not read
        if subject is not None:
            deed.include(subject)
            if deed.passive:
                deed.others.add(subject.key)
            else:
                deed.agent = subject.key
        self._found.append(deed)
        self._deed, self._link, self._passive = deed, "", 0

    def _last_object(self) -> str | None:
        return next(iter(self._deed.others), None) if self._deed is not None else None


def _is_content(word: Word) -> bool:
    return word.is_note or (word.fact is None and _is_verb_form(word) and word.text not in _AUXILIARIES)


def _is_verb_form(word: Word) -> bool:
    return infinitive(word.text) not in (None, word.text) or word.text in _UNCHANGED or _is_regular(word)


def _is_regular(word: Word) -> bool:
    return word.text.endswith("ed") and word.lemma != word.text
