"""How much of what stands in how many documents: for the owner's eyes, never for an output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from allonym.names.finding import KINDS, Kind, find

NO_PROOF: Final = "Some names are always missed: read the result yourself. This is no proof."
_NAMES: Final[dict[Kind, tuple[str, str]]] = {
    "name": ("name", "names"),
    "place": ("place", "places"),
    "organisation": ("organisation", "organisations"),
    "group": ("group of people", "groups of people"),
    "role": ("role", "roles"),
    "date": ("date", "dates"),
    "time": ("time of day", "times of day"),
    "amount": ("amount", "amounts"),
    "phone": ("phone number", "phone numbers"),
    "e-mail": ("e-mail address", "e-mail addresses"),
    "link": ("link", "links"),
    "number": ("number of something", "numbers of something"),
}


@dataclass
class NameCounts:
    """Counts of what was found.

    Privacy: they are functions of the texts, and belong in no output and no record beside one.
    """

    documents: int = 0
    holding: int = 0  # documents in which something was found
    counts: Counter[Kind] = field(default_factory=Counter)

    @classmethod
    def of(cls, texts: Iterable[str], *, model: bool | None = None) -> NameCounts:
        """Count what stands in texts."""
        tally = cls()
        for text in texts:
            tally.add(mention.kind for mention in find(text, model=model))
        return tally

    def add(self, kinds: Iterable[Kind]) -> None:
        """Count what was found in one document."""
        listed = list(kinds)
        self.documents += 1
        self.holding += bool(listed)
        self.counts.update(listed)

    def to_json(self) -> dict[str, int]:
        """Return the counts by kind, those that are not zero, in a fixed order."""
        return {kind: self.counts[kind] for kind in KINDS if self.counts[kind]}

    def __str__(self) -> str:
        """Return the counts in words, such as "2 names, 1 place"."""
        counts = self.to_json().items()
        return ", ".join(f"{count:,} {_NAMES[kind][count != 1]}" for kind, count in counts) or "nothing"  # type: ignore[index]
