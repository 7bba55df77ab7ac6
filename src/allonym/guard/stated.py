"""Which facts of some sentences are still there in others: names, numbers, dates and the like, less denials."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from allonym.guard.reading import Word
from allonym.language.facts import Fact, same

_QUANTITIES: Final = frozenset({"number", "amount", "date", "time", "phone"})
_ADDRESSES: Final = frozenset({"link", "e-mail"})
_PARTS: Final = re.compile(r"[\s.-]+")
# Values that other words say, too, or that are often left out: "one", "once"; "both"; "the first".
_SOFT: Final = {
    "1": frozenset({"a", "an", "single", "only", "each"}),
    "2": frozenset({"both", "couple", "pair", "twin"}),
}
_ALWAYS_SOFT: Final = frozenset({"1", "1th"})


class Side(NamedTuple):
    """Facts and words of some sentences."""

    facts: Sequence[Fact]
    words: Sequence[Word]


class Pairs(NamedTuple):
    """What became of facts: `changed` are pairs of one of the original and one of the rewrite."""

    kept: list[Fact]
    changed: list[tuple[Fact, Fact]]
    lost: list[Fact]
    invented: list[Fact]


def match(before: Side, after: Side) -> Pairs:
    """Find for each fact one that says the same; of those left over, such as may have become one another."""
    lost, invented = list(before.facts), list(after.facts)
    unchanged = _taken(lost, invented, same)
    texts = {word.text for word in before.words}, {word.text for word in after.words}
    lost_too, invented_too = [*lost], [*invented]
    changed = _grown_names(before.facts, after.facts, lost, invented, texts)
    lost = [fact for fact in lost_too if fact not in {old for old, _ in changed} and not _said(fact, texts[1])]
    invented = [fact for fact in invented_too if fact not in {new for _, new in changed} and not _said(fact, texts[0])]
    unchanged += [fact for fact in lost_too if fact not in lost and fact not in {old for old, _ in changed}]
    for alike in (_of_one_kind, _both_in(_QUANTITIES), _both_in(_ADDRESSES)):
        changed += _pairs(lost, invented, alike)
    lost = [fact for fact in lost if fact.value not in _ALWAYS_SOFT]
    invented = [fact for fact in invented if fact.value not in _ALWAYS_SOFT]
    return Pairs(unchanged, changed, lost, invented)


def said_elsewhere(fact: Fact, there: Iterable[Fact]) -> bool:
    """Tell whether a fact is among others, be it as part of a longer name."""
    parts = _parts(fact)
    return any(
        same(fact, other) or (fact.kind == "name" and other.kind == "name" and parts <= _parts(other))
        for other in there
    )


def _taken(lost: list[Fact], invented: list[Fact], alike: Callable[[Fact, Fact], bool]) -> list[Fact]:
    """Take pairs out of both lists; return what was taken out of the first."""
    return [old for old, _ in _pairs(lost, invented, alike)]


def _pairs(lost: list[Fact], invented: list[Fact], alike: Callable[[Fact, Fact], bool]) -> list[tuple[Fact, Fact]]:
    pairs = []
    for old in [*lost]:
        new = next((new for new in invented if alike(old, new)), None)
        if new is not None:
            lost.remove(old)
            invented.remove(new)
            pairs.append((old, new))
    return pairs


def _grown_names(
    olds: Sequence[Fact], news: Sequence[Fact], lost: list[Fact], invented: list[Fact], texts: tuple[set[str], set[str]]
) -> list[tuple[Fact, Fact]]:
    """Return names that lost or gained a part: "Ann Lee" and "Ann Poe", "Lee" and "Ann Lee"."""
    pairs = []
    for old in olds:
        for new in news:
            if old.kind != "name" or new.kind != "name" or not _parts(old) & _parts(new):
                continue
            less = old in lost and not _said(old, texts[1])
            more = new in invented and not _said(new, texts[0])
            if less or more:
                pairs.append((old, new))
    return pairs


def _said(fact: Fact, words: set[str]) -> bool:
    """Tell whether words without being a fact say the same."""
    if fact.kind == "name":
        return _parts(fact) <= words
    return not words.isdisjoint(_SOFT.get(fact.value, ()))


def _parts(name: Fact) -> set[str]:
    return set(_PARTS.split(name.value)) - {""}


def _of_one_kind(first: Fact, second: Fact) -> bool:
    return first.kind == second.kind


def _both_in(kinds: frozenset[str]) -> Callable[[Fact, Fact], bool]:
    return lambda first, second: first.kind in kinds and second.kind in kinds
