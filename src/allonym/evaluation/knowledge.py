"""What an attacker has to learn from: all there is by the known authors, and the program.

He has every original that the corpus has of an author; he releases some of them himself, several times; and of all of
them he computes what the method computes before it draws. From these he learns in three ways:

*static*: from originals alone; it flatters a method, because the attacker has not seen how it changes texts.
*adaptive*: from his own releases alone.
*informed*: from everything.

Which attacker to trust in, and which way of learning, he finds out on known documents that he sets aside, by his own
releases of them. No test document is looked at for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from allonym.errors import InputError

Setting = Literal["original", "static", "adaptive", "informed"]
ON_RELEASES: tuple[Setting, ...] = ("static", "adaptive", "informed")
SETTINGS: dict[Setting, str] = {
    "original": "trained and tested on the originals",
    "static": "trained on all known originals, tested on released texts",
    "adaptive": "trained on the attacker's own releases of known originals, tested on released texts",
    "informed": "trained on all known originals, on the attacker's own releases of them and on what the method "
    "computes before it draws, tested on released texts",
}
_SET_ASIDE = 5  # one known document in so many


@dataclass(frozen=True)
class Lesson:
    """Texts to learn from, and who wrote each."""

    texts: list[str] = field(repr=False)
    authors: list[str] = field(repr=False)


@dataclass(frozen=True)
class Knowledge:
    """The known documents, and what an attacker makes of them.

    Attributes:
        originals: All of them.
        authors: Who wrote each.
        chosen: Places of those that he releases himself.
        releases: What he released of these, once for each time; empty where only originals are attacked.
        computed: What the method computes of every original before it draws; None if it draws for the text as it is.
    """

    originals: Sequence[str] = field(repr=False)
    authors: Sequence[str] = field(repr=False)
    chosen: Sequence[int] = field(repr=False)
    releases: Sequence[Sequence[str]] = field(default=(), repr=False)
    computed: Sequence[str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.originals) != len(self.authors):
            raise InputError("Texts and authors differ in number; give one author for each text.")

    @cached_property
    def set_aside(self) -> frozenset[int]:
        """Places of the documents that attackers are chosen by: some of each author of whom there are enough."""
        by_author: dict[str, list[int]] = {}
        for row in self.chosen:
            by_author.setdefault(self.authors[row], []).append(row)
        return frozenset(
            row
            for places in by_author.values()
            if len(places) > 1
            for row in places[_SET_ASIDE // 2 :: _SET_ASIDE] or places[-1:]
        )

    def lesson(self, setting: Setting, *, whole: bool) -> Lesson:
        """Return what is learned from in a setting: everything, or all but what was set aside."""
        left_out = frozenset() if whole else self.set_aside
        pairs: list[tuple[str, int]] = []
        if setting != "adaptive":
            pairs += [(text, row) for row, text in enumerate(self.originals)]
        if setting in ("adaptive", "informed"):
            for release in self.releases:
                pairs += zip(release, self.chosen, strict=True)
        if setting == "informed" and self.computed is not None:
            pairs += [(text, row) for row, text in enumerate(self.computed)]
        written = [(text, self.authors[row]) for text, row in pairs if row not in left_out]
        return Lesson([text for text, _ in written], [author for _, author in written])

    def exam(self, *, released: bool) -> Lesson:
        """Return the documents that were set aside: one release of each, or the originals."""
        if not released:
            places = sorted(self.set_aside)
            return Lesson([self.originals[row] for row in places], [self.authors[row] for row in places])
        pairs = [(text, row) for text, row in zip(self.releases[0], self.chosen, strict=True)]
        written = [(text, self.authors[row]) for text, row in pairs if row in self.set_aside]
        return Lesson([text for text, _ in written], [author for _, author in written])
