"""What a guard reports: findings with their places in both texts, sentences side by side, and figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from allonym.language.facts import Kind as FactKind

Kind: TypeAlias = Literal[FactKind, "note", "opposite", "roles"]
KINDS: Final[tuple[Kind, ...]] = (*get_args(FactKind), "note", "opposite", "roles")
Fate = Literal["changed", "lost", "invented"]

_OF_FACT: Final[Mapping[Fate, str]] = {
    "changed": "The {kind} “{before}” became “{after}”.",
    "lost": "The {kind} “{before}” is gone.",
    "invented": "The {kind} “{after}” was not there before.",
}
_SAID: Final[Mapping[tuple[Kind, Fate], str]] = {
    ("note", "changed"): "“{before}” became “{after}”.",
    ("note", "lost"): "“{before}” is gone.",
    ("note", "invented"): "“{after}” was not there before.",
    ("opposite", "changed"): "“{before}” became its opposite, “{after}”.",
    ("negation", "changed"): "Something else is denied: “{before}” became “{after}”.",
    ("negation", "lost"): "“{before}” is gone, so what was denied is now said.",
    ("negation", "invented"): "“{after}” was added, so what was said is now denied.",
    ("roles", "changed"): "Who did what seems to have changed: “{before}” became “{after}”.",
}


@dataclass(frozen=True)
class Span:
    """A stretch of a text, in characters."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return it."""
        return text[self.start : self.end]


@dataclass(frozen=True)
class Alteration:
    """Something that matters and that a rewrite changed.

    Attributes:
        kind: What was changed.
        change: How.
        before: Where it stands in the original; None if it was invented.
        after: Where it stands in the rewrite; None if it was lost.
        said: The finding in a sentence, which quotes both texts.
    """

    kind: Kind
    change: Fate
    before: Span | None
    after: Span | None
    said: str = field(repr=False)

    @classmethod
    def of(cls, kind: Kind, texts: tuple[str, str], before: Span | None, after: Span | None) -> Alteration:
        """Return a finding with its sentence."""
        change: Fate = "invented" if before is None else "lost" if after is None else "changed"
        quoted = {
            name: "" if span is None else " ".join(span.of(text).split())
            for name, span, text in zip(("before", "after"), (before, after), texts, strict=True)
        }
        template = _SAID.get((kind, change)) or _OF_FACT[change]
        return cls(kind, change, before, after, template.format(kind=kind, **quoted))

    def to_json(self) -> dict[str, Any]:
        """Return it by names."""
        spans = {
            name: None if span is None else [span.start, span.end]
            for name, span in (("before", self.before), ("after", self.after))
        }
        return {"kind": self.kind, "change": self.change, **spans, "said": self.said}


@dataclass(frozen=True)
class Share:
    """How many of what there was."""

    count: int
    of: int

    @property
    def value(self) -> float:
        """The share; NaN of nothing."""
        return self.count / self.of if self.of else math.nan

    def __add__(self, other: Share) -> Share:
        return Share(self.count + other.count, self.of + other.of)

    def to_json(self) -> dict[str, Any]:
        """Return it by names; the share of nothing is null."""
        return {"count": self.count, "of": self.of, "share": self.value if self.of else None}


@dataclass(frozen=True)
class Figures:
    """How much of what matters a rewrite kept.

    Attributes:
        notes: Content words of the original that are still there, or a word of their meaning.
        invented: Content words of the rewrite that the original did not have.
        negations: Denials that are denials in both texts, of the more that either has.
        numbers: Numbers, amounts, dates, times, telephone numbers of the original that are still there.
        names: Names of the original that are still there.
        addresses: Links and e-mail addresses of the original that are still there.
        quotations: Quotations of the original that are still there, word for word.
    """

    notes: Share
    invented: Share
    negations: Share
    numbers: Share
    names: Share
    addresses: Share
    quotations: Share

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def to_json(self) -> dict[str, Any]:
        """Return the shares by name."""
        return {name: getattr(self, name).to_json() for name in self.__dataclass_fields__}


NOTHING: Final = Figures(*(Share(0, 0),) * len(Figures.__dataclass_fields__))


@dataclass(frozen=True)
class Aligned:
    """Sentences of the original and those of the rewrite that say the same; one side may be empty."""

    before: tuple[Span, ...]
    after: tuple[Span, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it by names."""
        sides = (("before", self.before), ("after", self.after))
        return {name: [[span.start, span.end] for span in spans] for name, spans in sides}


@dataclass(frozen=True)
class GuardReport:
    """What a rewrite changed that matters.

    Attributes:
        findings: In the order of the original; what was invented stands where the rewrite has it.
        sentences: Side by side.
        figures: Shares.
    """

    findings: tuple[Alteration, ...]
    sentences: tuple[Aligned, ...]
    figures: Figures

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each kind that has some."""
        counted = Counter(finding.kind for finding in self.findings)
        return {kind: counted[kind] for kind in KINDS if counted[kind]}

    def sentences_of(self, finding: Alteration) -> Aligned:
        """Return the sentences of both texts that a finding is about; none if it stands in no sentence."""
        for aligned in self.sentences:
            for span, spans in ((finding.before, aligned.before), (finding.after, aligned.after)):
                if span is not None and spans and spans[0].start <= span.start < spans[-1].end:
                    return aligned
        return Aligned((), ())

    def to_json(self) -> dict[str, Any]:
        """Return it by names. It quotes the original: it is as private as that."""
        return {
            "findings": [finding.to_json() for finding in self.findings],
            "counts": self.counts,
            "figures": self.figures.to_json(),
            "sentences": [aligned.to_json() for aligned in self.sentences],
        }
