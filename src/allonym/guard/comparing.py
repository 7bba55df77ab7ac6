"""Compare a text with its rewrite: sentences side by side, then what became of each kind of thing that matters.

Privacy: spends nothing and protects nothing. A report quotes the original; it must never be released with the rewrite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from allonym.errors import InputError
from allonym.guard import alignment, denials, notes, roles, stated
from allonym.guard.alignment import Group
from allonym.guard.closeness import Closeness
from allonym.guard.reading import ReadText, Sentence, Word, read
from allonym.guard.report import NOTHING, Aligned, Alteration, Figures, GuardReport, Kind, Share, Span
from allonym.guard.stated import Side
from allonym.language.facts import Fact, same
from allonym.language.stop_words import STOP_WORDS
from allonym.language.synonyms import WordNet

_NUMBERS: Final = frozenset({"number", "amount", "date", "time", "phone"})
_ADDRESSES: Final = frozenset({"link", "e-mail"})
_BESIDE: Final = 1  # groups: a number that stands in the next sentence is not lost


def compare(before: str, after: str, *, spacy: bool = False, wordnet: WordNet | None = None) -> GuardReport:
    """Say what a rewrite changed that matters.

    Args:
        before: The original, in English.
        after: What became of it.
        spacy: Whether names are looked for by spaCy's small model, too.
        wordnet: Whose synonyms count as kept, too.

    Raises:
        InputError: These are not two texts.
        MissingDependencyError: `spacy` is asked for and not installed.

    Examples:
        >>> [finding.said for finding in compare("I never paid £40.", "I paid £14.").findings]
        ['“never” is gone, so what was denied is now said.', 'The amount “£40” became “£14”.']
    """
    if not isinstance(before, str) or not isinstance(after, str):
        raise InputError("Give two texts (str), the original and its rewrite.")
    near = _usual() if wordnet is None else Closeness(wordnet)
    return _Comparison(read(before, spacy=spacy), read(after, spacy=spacy), near).report()


@cache
def _usual() -> Closeness:
    return Closeness()


@dataclass
class _Compared:
    """What became of the sentences of one group."""

    facts: stated.Pairs
    denied: denials.Denied
    notes: notes.Matched
    opposed: list[tuple[Word, Word]]
    swapped: list[tuple[Span, Span]]
    words: tuple[list[Word], list[Word]]  # the content words of both sides


class _Comparison:
    """Two texts side by side."""

    def __init__(self, before: ReadText, after: ReadText, near: Closeness) -> None:
        self._before, self._after, self._near = before, after, near
        self._groups = alignment.align(before.sentences, after.sentences)
        self._sides = [(_side(before, group.before), _side(after, group.after)) for group in self._groups]
        self._compared = [self._compare(group, *sides) for group, sides in zip(self._groups, self._sides, strict=True)]
        self._reconcile_facts()
        self._reconcile_notes()
        self._reconcile_denials()

    def report(self) -> GuardReport:
        """Return what was found."""
        findings = sorted(self._findings(), key=self._place)
        spans = tuple(
            Aligned(_spans(self._before, group.before), _spans(self._after, group.after)) for group in self._groups
        )
        return GuardReport(tuple(findings), spans, self._figures())

    def _compare(self, group: Group, before: Side, after: Side) -> _Compared:
        content = [word for word in before.words if word.is_note], [word for word in after.words if word.is_note]
        matched = notes.match(*content, (before.words, after.words), self._near)
        opposed = [(content[0][old], content[1][new]) for old, new in matched.opposed.items()]
        denied, explained = denials.match(before, after, len(opposed), self._near)
        opposed += notes.turned(before.words, after.words)
        swapped = roles.swapped(self._of(self._before, group.before), self._of(self._after, group.after), self._near)
        facts = stated.match(_without_denials(before), _without_denials(after))
        return _Compared(facts, denied, matched, opposed[explained:], swapped, content)

    def _of(self, reading: ReadText, places: range) -> list[Sentence]:
        return [reading.sentences[index] for index in places]

    def _reconcile_facts(self) -> None:
        """Take back what stands elsewhere in the other text: a name anywhere, anything else near by."""
        olds, news = ([_without_denials(side[text]).facts for side in self._sides] for text in (0, 1))
        for index, compared in enumerate(self._compared):
            facts = compared.facts
            for old, new in [*facts.changed]:
                made = not _elsewhere(new, olds, index)
                # Of "10 of 10" that became "9 of 10" one 10 is there still, and the other changed.
                gone = not _elsewhere(old, news, index, itself=not made)
                if not (gone and made) and not _is_part(old, new):
                    facts.changed.remove((old, new))
                    facts.lost.extend([old] * gone)
                    facts.invented.extend([new] * made)
                    facts.kept.extend([old] * (not gone))
            for fact in [*facts.lost]:
                if _elsewhere(fact, news, index):
                    facts.lost.remove(fact)
                    facts.kept.append(fact)
            facts.invented[:] = [fact for fact in facts.invented if not _elsewhere(fact, olds, index)]

    def _reconcile_notes(self) -> None:
        """Take back words that are lost in one place and invented in another: they moved."""
        invented: dict[str, list[tuple[_Compared, int]]] = {}
        for compared in self._compared:
            for other in compared.notes.invented:
                invented.setdefault(compared.words[1][other].lemma, []).append((compared, other))
        for compared in self._compared:
            for one in [*compared.notes.lost]:
                places = invented.get(compared.words[0][one].lemma)
                if places:
                    there, other = places.pop()
                    there.notes.invented.remove(other)
                    compared.notes.lost.remove(one)

    def _reconcile_denials(self) -> None:
        """Take back denials that went from one sentence to the next."""
        for former, latter in zip(self._compared, self._compared[1:], strict=False):
            for here, there in ((former.denied, latter.denied), (latter.denied, former.denied)):
                while here.lost and there.invented:
                    here.lost.pop()
                    there.invented.pop()

    def _findings(self) -> Iterator[Alteration]:
        for compared in self._compared:
            for old, new in (*compared.facts.changed, *compared.denied.changed):
                yield self._finding(old.kind, _span(old), _span(new))
            for fact in (*compared.facts.lost, *compared.denied.lost):
                yield self._finding(fact.kind, _span(fact), None)
            for fact in (*compared.facts.invented, *compared.denied.invented):
                yield self._finding(fact.kind, None, _span(fact))
            for was, became in compared.opposed:
                yield self._finding("opposite", Span(was.start, was.end), Span(became.start, became.end))
            for before, after in compared.swapped:
                yield self._finding("roles", before, after)
        quotations = list(self._quotations())
        yield from quotations
        lost = [compared.words[0][old] for compared in self._compared for old in compared.notes.lost]
        invented = [compared.words[1][new] for compared in self._compared for new in compared.notes.invented]
        # The words of a quotation that is reported are not reported once more.
        for span in _joined(_outside(lost, [quotation.before for quotation in quotations]), self._before):
            yield self._finding("note", span, None)
        for span in _joined(_outside(invented, [quotation.after for quotation in quotations]), self._after):
            yield self._finding("note", None, span)

    def _quotations(self) -> Iterator[Alteration]:
        lost = [old for old in self._before.quotations if not _any_same(old, self._after.quotations)]
        invented = [new for new in self._after.quotations if not _any_same(new, self._before.quotations)]
        for old in lost:
            # The one that shares most words with it is what became of it.
            new = max(invented, key=lambda other: _shared(old, other), default=None)
            if new is not None and _shared(old, new):
                invented.remove(new)
                yield self._finding("quotation", _span(old), _span(new))
            else:
                yield self._finding("quotation", _span(old), None)
        for new in invented:
            yield self._finding("quotation", None, _span(new))

    def _finding(self, kind: Kind, before: Span | None, after: Span | None) -> Alteration:
        return Alteration.of(kind, (self._before.text, self._after.text), before, after)

    def _place(self, finding: Alteration) -> tuple[float, int]:
        """Order findings by the original; what was invented comes where its sentence stands."""
        if finding.before is not None:
            return finding.before.start, 0
        start = 0 if finding.after is None else finding.after.start
        for group in self._groups:
            spans = _spans(self._after, group.after)
            if spans and spans[0].start <= start < spans[-1].end:
                before = _spans(self._before, group.before)
                return (before[-1].end if before else start), start
        return start, start

    def _figures(self) -> Figures:
        total = NOTHING
        for compared in self._compared:
            facts, denied = compared.facts, compared.denied
            gone = [*facts.lost, *(old for old, _ in facts.changed)]
            # A pair of opposites is a note that is not there any more, and one that was not there before.
            lost, made = (len(part) + len(compared.opposed) for part in (compared.notes.lost, compared.notes.invented))
            olds, news = map(len, compared.words)
            faults = len(denied.changed) + len(denied.lost) + len(denied.invented)
            total += Figures(
                notes=Share(max(0, olds - lost), olds),
                invented=Share(min(made, news), news),
                negations=Share(denied.kept, denied.kept + faults),
                numbers=_share(facts.kept, gone, _NUMBERS),
                names=_share(facts.kept, gone, frozenset({"name"})),
                addresses=_share(facts.kept, gone, _ADDRESSES),
                quotations=Share(0, 0),
            )
        quotations = self._before.quotations
        still = sum(_any_same(old, self._after.quotations) for old in quotations)
        return total + Figures(*(Share(0, 0),) * 6, Share(still, len(quotations)))


def _side(reading: ReadText, places: range) -> Side:
    sentences = [reading.sentences[index] for index in places]
    return Side(
        [fact for sentence in sentences for fact in sentence.facts],
        [word for sentence in sentences for word in sentence.words],
    )


def _without_denials(side: Side) -> Side:
    return Side([fact for fact in side.facts if fact.kind != "negation"], side.words)


def _spans(reading: ReadText, places: range) -> tuple[Span, ...]:
    return tuple(reading.sentences[index].span for index in places)


def _span(fact: Fact) -> Span:
    return Span(fact.start, fact.end)


def _share(unchanged: Iterable[Fact], gone: Iterable[Fact], kinds: frozenset[str]) -> Share:
    still = sum(fact.kind in kinds for fact in unchanged)
    return Share(still, still + sum(fact.kind in kinds for fact in gone))


def _elsewhere(fact: Fact, groups: Sequence[Sequence[Fact]], index: int, *, itself: bool = True) -> bool:
    """Tell whether a fact is said elsewhere in the other text; `itself`: or in the same sentences once more."""
    places = range(len(groups)) if fact.kind == "name" else range(max(0, index - _BESIDE), index + _BESIDE + 1)
    near = (groups[number] for number in places if number < len(groups) and (itself or number != index))
    return any(stated.said_elsewhere(fact, facts) for facts in near)


def _is_part(old: Fact, new: Fact) -> bool:
    return old.kind == new.kind == "name" and bool(set(old.value.split()) & set(new.value.split()))


def _any_same(quotation: Fact, others: Iterable[Fact]) -> bool:
    return any(same(quotation, other) for other in others)


def _shared(first: Fact, second: Fact) -> int:
    return len(set(first.value.split()) & set(second.value.split()))


def _outside(words: Iterable[Word], spans: Sequence[Span | None]) -> list[Word]:
    return [word for word in words if not any(span and span.start <= word.start < span.end for span in spans)]


def _joined(words: Sequence[Word], reading: ReadText) -> Iterator[Span]:
    """Join words that stand side by side, or with small words between, to one stretch."""
    places = {word.start: index for index, word in enumerate(w for s in reading.sentences for w in s.words)}
    every = [word for sentence in reading.sentences for word in sentence.words]
    last: Word | None = None
    span: Span | None = None
    for word in sorted(words, key=lambda word: word.start):
        between = every[places[last.start] + 1 : places[word.start]] if last else []
        gap = reading.text[last.end : word.start] if last else ""
        if (
            span
            and last
            and all(b.text in STOP_WORDS for b in between)
            and len(between) < 3
            and not set(gap) & set(".,;:!?")
        ):
            span = Span(span.start, word.end)
        else:
            if span:
                yield span
            span = Span(word.start, word.end)
        last = word
    if span:
        yield span
