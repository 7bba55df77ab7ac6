"""A rule: a pattern, what stands there then, and the words that must not stand before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from allonym.language.rewording.edits import Edit, Kind, SentenceReader


class RewordingRule(NamedTuple):
    """One way to write something otherwise; see `make`."""

    pattern: re.Pattern[str]
    new: str
    why: str
    never_after: frozenset[str]
    kind: Kind


def make(pattern: str, new: str, why: str, never_after: str = "", kind: Kind = "small word") -> RewordingRule:
    """Return a rule: a pattern with a word's borders round it, a template, a reason, words that forbid it."""
    return RewordingRule(
        re.compile(rf"(?<![\w'’-])(?:{pattern})", re.IGNORECASE), new, why, frozenset(never_after.split()), kind
    )


def edits(reader: SentenceReader, rules: Sequence[RewordingRule]) -> Iterator[Edit]:
    """Yield what rules allow."""
    for rule in rules:
        for match in rule.pattern.finditer(reader.text):
            if not rule.never_after or reader.word_before(match.start()) not in rule.never_after:
                yield reader.put(match.start(), match.end(), match.expand(rule.new), rule.kind, rule.why)


@cache
def one_way(listed: str) -> dict[str, str]:
    """Return a list of phrases, each with what it becomes behind a sign."""
    pairs = (" ".join(entry.split()).partition(" >") for entry in listed.split(";"))
    return {old.strip(): new.strip() for old, _, new in pairs}


@cache
def phrases(listed: tuple[str, ...], ahead: str = "") -> re.Pattern[str]:
    """Return a pattern of any of some phrases, the longest first."""
    words = "|".join(
        re.escape(old).replace("\\ ", r"[ \t]+").replace("'", "['’]") for old in sorted(listed, key=len, reverse=True)
    )
    return re.compile(rf"(?<![\w'’-])(?:{words})(?![\w'’-]){ahead}", re.IGNORECASE)


def plain(match: re.Match[str]) -> str:
    """Return a phrase as the lists have it."""
    return " ".join(match[0].lower().replace("’", "'").split())
