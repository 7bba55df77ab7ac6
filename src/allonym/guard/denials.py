"""Whether what is denied is still denied, and nothing else is.

Denials are counted, not understood: a rewrite may say "nobody came" or "no one came", "I don't think he will" or "I
think he won't". Where one side has more, the other may have words that deny by themselves ("unable", "refused"), or
opposites: "not cheap" is "expensive".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from allonym.guard.closeness import Closeness
from allonym.guard.reading import Word
from allonym.language.facts import Fact
from allonym.language.stop_words import STOP_WORDS

_DENYING: Final = frozenset(
    """
unable impossible refuse reject fail failure lack deny doubt miss missing prevent avoid absent absence decline forbid
ban prohibit ignore unless instead rather except exclude ever free illegal few little rarely seldom too
    """.split()  # noqa: SIM905
)
_PREFIXED: Final = re.compile(r"(?:un|dis|mis|non|im|ir|il|in)[a-z]{4,}")
_NO_PREFIX: Final = re.compile(
    r"(?:under|until|unit|uni|discuss|distan|distric|dish|disk|disc|mister|mist|missi|imag|impo|impr|indoor|indi|indu|infor|"
    r"inject|inside|insid|insp|inst|insu|intel|inter|into|inv|incl|incr|inco?me|inn|inf|inq|ing|ini|inh)"
)
_RAISING: Final = frozenset(
    """
think believe suppose seem want expect feel know say appear imagine
    """.split()  # noqa: SIM905
)
_CLAUSE_ENDS: Final = frozenset({"and", "but", "because", "which", "so", "although", "though", "while"})
_REACH: Final = 7  # words after a denial that it may deny


class Denied(NamedTuple):
    """Denials that changed: `changed` are pairs whose denial moved to something else."""

    kept: int
    changed: list[tuple[Fact, Fact]]
    lost: list[Fact]
    invented: list[Fact]


class _Denial(NamedTuple):
    fact: Fact
    scope: tuple[str, ...]  # dictionary forms of what may be denied, nearest first; values of facts


def match(
    before: tuple[Sequence[Fact], Sequence[Word]],
    after: tuple[Sequence[Fact], Sequence[Word]],
    opposed: int,
    near: Closeness,
) -> tuple[Denied, int]:
    """Compare the denials of two sides, and return with them how many pairs of opposites they explain.

    Args:
        before: The facts and the words of sentences of the original.
        after: Those of the rewrite.
        opposed: Pairs of opposites among their words.
        near: Nearness of words.
    """
    lost, invented = _denials(*before), _denials(*after)
    still_denied = len(_same_head(lost, invented, near))
    changed = list[tuple[Fact, Fact]]()
    while lost and invented:
        old, new = lost.pop(0), invented.pop(0)
        if _moved(old, new, before[1], after[1]):
            changed.append((old.fact, new.fact))
        still_denied += 1
    explained = min(opposed, len(lost) + len(invented))
    denying = _surplus(before[1], after[1]), _surplus(after[1], before[1])
    gone = lost[explained + denying[1] :]
    new_ones = invented[explained + denying[0] :]
    still_denied += len(lost) + len(invented) - len(gone) - len(new_ones) - len(changed)
    return Denied(
        still_denied, changed, [denial.fact for denial in gone], [denial.fact for denial in new_ones]
    ), explained


def _denials(facts: Sequence[Fact], words: Sequence[Word]) -> list[_Denial]:
    return [_Denial(fact, _scope(fact, words)) for fact in facts if fact.kind == "negation"]


def _scope(fact: Fact, words: Sequence[Word]) -> tuple[str, ...]:
    keys, reach = list[str](), 0
    for word in words:
        if word.start < fact.end:
            continue
        reach += 1
        if reach > _REACH or (keys and word.text in _CLAUSE_ENDS):
            break
        if key := _key(word):
            keys.append(key)
    return tuple(keys)


def _key(word: Word) -> str:
    """Return what a word says, as it is compared; nothing for one that says nothing by itself."""
    if word.fact is not None:
        return word.fact.value if word.fact.kind != "negation" else ""
    return "" if word.text in STOP_WORDS else word.lemma


def _same_head(lost: list[_Denial], invented: list[_Denial], near: Closeness) -> list[_Denial]:
    """Take denials of the same out of both lists."""
    moved = list[_Denial]()
    for old in [*lost]:
        for new in invented:
            heads = old.scope[:1], new.scope[:1]
            if heads[0] == heads[1] or (all(heads) and near.of(heads[0][0], heads[1][0]) >= 0.5):
                lost.remove(old)
                invented.remove(new)
                moved.append(old)
                break
    return moved


def _moved(old: _Denial, new: _Denial, before: Sequence[Word], after: Sequence[Word]) -> bool:
    """Tell whether what was denied is there without its denial, and the other way round."""
    if not old.scope or not new.scope or old.scope[0] in _RAISING or new.scope[0] in _RAISING:
        return False
    olds, news = {_key(word) for word in before}, {_key(word) for word in after}
    freed = old.scope[0] in news and old.scope[0] not in new.scope
    return freed and new.scope[0] in olds and new.scope[0] not in old.scope


def _surplus(here: Sequence[Word], there: Sequence[Word]) -> int:
    """Count words that deny by themselves which only this side has."""
    known = {word.lemma for word in there} | {word.text for word in there}
    return sum(_denies(word) for word in here if word.lemma not in known and word.text not in known)


def _denies(word: Word) -> bool:
    if word.text in _DENYING or word.lemma in _DENYING:
        return True
    return bool(word.is_note and _PREFIXED.fullmatch(word.text) and not _NO_PREFIX.match(word.text))
