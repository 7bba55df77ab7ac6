"""The words of an account: limits, totals, entries, and what a release is charged for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from allonym.errors import ParameterError
from allonym.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class Caps:
    """The most that may be spent on one document and on one author; None sets no limit."""

    document: Fraction | None = None
    author: Fraction | None = None

    @classmethod
    def of(cls, document: float | None = None, author: float | None = None) -> Caps:
        """Take caps as people write them; 0.1 is then a tenth, not the float nearest to it."""
        for cap in (document, author):
            if cap is not None and not 0 <= cap < math.inf:
                raise ParameterError(f"A cap must be a number of at least 0, got {cap}.")
        return cls(*(None if cap is None else Fraction(repr(cap)) for cap in (document, author)))

    def stricter(self, other: Caps) -> Caps:
        """Return the smaller of each."""
        pairs = ((self.document, other.document), (self.author, other.author))
        return Caps(*(min((cap for cap in pair if cap is not None), default=None) for pair in pairs))


@dataclass(frozen=True)
class Totals:
    """What has been spent on a data set.

    Attributes:
        dataset: Its name.
        document: The pure loss of the document with the largest.
        author: The pure loss of the author with the largest.
        releases: How many there were.
        not_added: How many of them have no pure total, by kind of promise.
        caps: The stored limits.
    """

    dataset: str
    document: Fraction
    author: Fraction
    releases: int
    not_added: dict[str, int]
    caps: Caps


@dataclass(frozen=True)
class Entry:
    """One release in the account."""

    release: int
    dataset: str
    at: str
    method: str
    definition: str
    unit: str
    loss: Fraction | None
    documents: int
    by_id: bool
    by_author: bool


@dataclass(frozen=True)
class Purpose:
    """What is to be charged: the promise for one document, and to whom it applies.

    Attributes:
        dataset: Name of the data set.
        method: Name of the anonymizer.
        guarantee: The promise for one document.
        documents: How many there are.
        has_ids: Whether documents are told apart by ids.
        has_authors: Whether authors are known.
        job: A fingerprint by which a resumed job finds its charge again.
    """

    dataset: str
    method: str
    guarantee: Guarantee
    documents: int
    has_ids: bool = False
    has_authors: bool = False
    job: str = ""

    @property
    def loss(self) -> Fraction | None:
        """The pure loss of one document, exactly; None where the promise has no such total."""
        promise = self.guarantee
        if promise.definition != "pure" or promise.unit == "word" or promise.epsilon is None:
            return None
        return Fraction(promise.epsilon)
