"""The nouns of an account: caps, totals, charges, entries; and the one wording of each.

What a release costs is decided in `charged`, what several cost in `Totals`, and what is said of them in `worded`; the
ledger, the command line and the page have no other sums and no other words. A total that is given is never below what
was spent: where a release has no loss that could be added, that is said instead of a total.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from allonym.errors import ParameterError
from allonym.privacy.accounting import rounded_up
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS, Guarantee
from allonym.privacy.statement import counted, number

_PER_WORD = "with a promise for single words only"
_WHY = {
    "none": "without a proof",
    "metric": "with a promise that was entered without its largest loss",
    "approximate": "with a promise that may fail",
    "pure": "with a promise that is not proved",
}


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


def shown_cap(cap: Fraction) -> str:
    """Return a cap as it was set: a limit that was rounded would not be the one that is held to."""
    return f"{float(cap):,.2f}" if (100 * cap).denominator == 1 else repr(float(cap))


@dataclass(frozen=True, kw_only=True)
class Totals:
    """What some releases of a document, or all of a data set in a ledger, add up to."""

    releases: int
    document: Fraction | None  # the loss of the document with the most; None if a release has none that could be added
    between: tuple[str, ...] = ()  # of which documents it speaks, where that is not any two
    not_added: dict[str, int] = field(default_factory=dict)  # releases without such a loss, by the kind of promise
    dataset: str = ""  # the name of the data set; empty where there is no ledger
    author: Fraction | None = None  # of the author with the most; None where `document` is, or no author is known
    caps: Caps = Caps()

    def to_json(self) -> dict[str, Any]:
        """Return totals as plain values, losses rounded up; null where there is no total."""
        document, author = (None if total is None else rounded_up(total) for total in (self.document, self.author))
        caps = (None if cap is None else float(cap) for cap in (self.caps.document, self.caps.author))
        return {
            "dataset": self.dataset,
            "releases": self.releases,
            "epsilon_document": document,
            "epsilon_author": author,
            "between": list(self.between),
            "not_added": self.not_added,
            **dict(zip(("cap_document", "cap_author"), caps, strict=True)),
        }

    def __str__(self) -> str:
        """The totals of a data set and its caps, in a line."""
        caps = (("a document", self.caps.document), ("an author", self.caps.author))
        limits = [f"{shown_cap(cap)} on {whose}" for whose, cap in caps if cap is not None]
        return f"{self.dataset}: {worded(self)}" + (f" Caps: {' and '.join(limits)}." if limits else "")


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
    adjacency: str

    def to_json(self) -> dict[str, Any]:
        """Return the entry as plain values, its loss rounded up."""
        return {**asdict(self), "loss": None if self.loss is None else rounded_up(self.loss)}

    def __str__(self) -> str:
        """The entry in a line."""
        loss = f"ε = {number(self.loss)} each" if self.loss is not None else "no total"
        if self.loss is not None and self.adjacency != ANY_TWO_DOCUMENTS:
            loss += f", between {self.adjacency}"
        known = " and ".join(name for name, is_known in (("ids", self.by_id), ("authors", self.by_author)) if is_known)
        per_word = ", per word" if self.unit == "word" and self.definition != "none" else ""
        return (
            f"{self.release}  {self.at}  {self.dataset}  {self.method}  {self.documents:,} documents  "
            f"{self.definition}{per_word}  {loss}  ({known or 'every document charged'})"
        )


@dataclass(frozen=True)
class Charge:
    """What is to be charged: the promise for one document, and to whom it applies."""

    dataset: str
    method: str
    guarantee: Guarantee  # the promise for one document
    documents: int
    has_ids: bool = False
    has_authors: bool = False
    job: str = ""  # a fingerprint by which a resumed job finds its charge again

    @property
    def loss(self) -> Fraction | None:
        """The loss of one document, exactly; None where the promise has none that could be added."""
        return charged(self.guarantee)


def charged(promise: Guarantee) -> Fraction | None:
    """Return what a release adds to the account of a document: its loss for the two furthest apart, or None."""
    never_fails = promise.evidence == "proved" and promise.delta == 0
    if promise.definition not in ("pure", "metric") or not never_fails or promise.unit == "word":
        return None
    return None if promise.epsilon is None else Fraction(promise.epsilon)


def kind_of(definition: str, unit: str) -> str:
    """Return what kind of promise it is that cannot be added."""
    return f"{definition}, for single words only" if unit == "word" and definition != "none" else definition


def added(promises: Sequence[Guarantee]) -> Totals:
    """Return what releases of one document add up to."""
    losses = [charged(promise) for promise in promises]
    missing = Counter(
        kind_of(each.definition, each.unit) for each, loss in zip(promises, losses, strict=True) if loss is None
    )
    narrower = sorted({each.adjacency for each in promises} - {ANY_TWO_DOCUMENTS})
    document = None if missing else sum((loss for loss in losses if loss is not None), Fraction(0))
    return Totals(
        releases=len(promises),
        document=document,
        between=() if missing else tuple(narrower),
        not_added=dict(missing),
    )


def worded(total: Totals, release: str = "release") -> str:
    """Return a total, or what stands in for it, as the rest of a sentence; `release` is what one is called there."""
    releases = counted(total.releases, release)
    if total.document is None:
        return f"no total can be given: {releases}, {why_not(total)}."
    spent = f"at most ε = {number(total.document)}"
    if total.author is not None:
        spent += f" on a document and {number(total.author)} on an author"
    return f"{spent}, in {releases}{where(total)}."


def spent_on(dataset: str, total: Totals | None, *, then: bool = False) -> str:
    """Return what is spent on a data set in a ledger, so far or after what is asked for, as a sentence."""
    if total is None:
        return f"Nothing is spent on {dataset!r} so far."
    return f"Then spent on {dataset!r}: {worded(total)}" if then else f"Spent on {dataset!r} so far: {worded(total)}"


def where(total: Totals) -> str:
    """Return between which documents a total holds, where that is not any two."""
    return f", between {' and '.join(total.between)}" if total.between else ""


def why_not(total: Totals) -> str:
    """Return what keeps releases from being added up."""
    kinds = [(f"{count:,}", _WHY.get(kind, _PER_WORD)) for kind, count in sorted(total.not_added.items())]
    if total.releases == 1:
        return kinds[0][1]
    (count, first), *others = kinds
    return " and ".join([f"{count} of them {first}", *(" ".join(kind) for kind in others)])
