"""The verdict about one text, in sentences: how rare its habits are together, and how well it hides among others.

Said alike on the page, by `allonym check` and in reports. Each figure is a function of this text (and of the writer's
other texts, where they are given), says which way is good, and is missing where too little was measured to say it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from allonym.metrics.figures import Figure, percent
from allonym.recognition import crowd, profile
from allonym.recognition.crowd import OwnTexts, Picked
from allonym.recognition.profile import FEWEST_JUDGED
from allonym.recognition.recogniser import sure

RARITY, COMPANY, STANDING = "rarity", "company", "standing"
TOO_SHORT = "too short to say"
# After a rewrite the same figure has another reason.
ODDITIES = "What is odd about a rewrite may be a habit of the method and not of the writer."
_TITLES = {
    RARITY: "how rare its habits are together",
    COMPANY: "how many write like this",
    STANDING: "how many come before its writer",
}
MEANINGS = {
    RARITY: "of public writers’ texts have habits that are less rare together (lower is safer)",
    COMPANY: "bloggers write like it, as much as a writer’s texts usually resemble each other (neither way is safer)",
    STANDING: "bloggers write more like it than the writer’s other texts do (more is safer)",
}


@dataclass(frozen=True)
class Gauge:
    """One figure of a text."""

    name: str  # what it is of: "rarity", "company" or "standing"
    title: str  # the same in words
    figure: str  # as it is written: "83 %", "12 of 1,000"
    position: float  # on a bar, from 0 to 1
    better: Literal["lower", "higher", "neither"]  # which is safer, as far as was measured
    sentence: str
    means: str  # what the figure is of, to stand behind it

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class AttackerRow:
    """What one attacker reaches: how often such an attacker is right, and what this one says."""

    attacker: str
    right: Figure
    says: str


@dataclass(frozen=True)
class Verdict:
    """What is said of a text."""

    gauges: list[Gauge] = field(default_factory=list)  # the most telling first
    attackers: list[AttackerRow] = field(default_factory=list)


@dataclass(frozen=True)
class Changed:
    """One figure before and after a rewrite."""

    name: str
    before: str
    after: str
    means: str


def of(text: str, rarer_than: float | None, own: OwnTexts | None = None, who: str = "you") -> Verdict:
    """Return the verdict about a text.

    Args:
        text: The text.
        rarer_than: From `profile.Comparison`.
        own: From `crowd.Crowd.own`, where other texts of the writer are given.
        who: What the writer is called.
    """
    gauges = [] if rarer_than is None else [rarity(rarer_than)]
    standing = None if own is None else crowd.shipped().standing(text, own)
    if standing is not None:
        place = _standing(standing, who)
        rows = [_first(standing.measured, standing.writers, ten=True), _verifier(standing.same)]
        return Verdict([place, *gauges], rows)
    company = crowd.shipped().company(text)
    if company is None:
        return Verdict(gauges)
    return Verdict([*gauges, _company(company)], [_first(company.measured, company.writers, alike=True)])


def own_texts(texts: Sequence[str]) -> OwnTexts | None:
    """Return what is kept of a writer's other texts; None if there are none."""
    return crowd.shipped().own(texts) if texts else None


def rarity(rarer_than: float) -> Gauge:
    """Return how rare the habits of a text are together."""
    share = percent(rarer_than)
    sentence = f"Its habits are rarer together than in {share} of public writers’ texts as long; lower is safer."
    return Gauge(RARITY, _TITLES[RARITY], share, rarer_than, "lower", sentence, MEANINGS[RARITY])


def compared(before: Sequence[Gauge], after: Sequence[Gauge]) -> list[Changed]:
    """Return the figures of a text before and after a rewrite, those that it had before."""
    by_name = {gauge.name: gauge.figure for gauge in after}
    return [Changed(one.name, one.figure, by_name.get(one.name, TOO_SHORT), one.means) for one in before]


def too_short(words: int) -> tuple[str, str]:
    """Return what is said of a text that is too short for a figure."""
    begin = f"{words:,} {'word is' if words == 1 else 'words are'} too few for a verdict."
    if words < profile.FEWEST_WORDS:
        return begin, f"Keep writing: it takes {FEWEST_JUDGED}, and {profile.FEWEST_WORDS} to mark what is unusual."
    return begin, f"It takes {FEWEST_JUDGED}. What is unusual is marked all the same."


def _company(company: crowd.Company) -> Gauge:
    return Gauge(
        COMPANY,
        _TITLES[COMPANY],
        f"{company.near:,} of {company.writers:,}",
        _on_bar(company.near, company.writers),
        "neither",  # `results/verdict.json`: texts with more company were not picked less often
        f"{_many(company.near)} of {company.writers:,} bloggers {_write(company.near)} like it, as much as a writer’s "
        "texts usually resemble each other; that alone hides nobody.",
        MEANINGS[COMPANY],
    )


def _standing(standing: crowd.Standing, who: str) -> Gauge:
    does = "you do in your other texts" if who == "you" else f"{who} does in the known texts"
    so = "" if standing.ahead else f", so this attacker finds {who} first"
    return Gauge(
        STANDING,
        _TITLES[STANDING],
        f"{standing.ahead:,} of {standing.writers:,}",
        _on_bar(standing.ahead, standing.writers),
        "higher",
        f"Of {standing.writers:,} bloggers, {_many(standing.ahead).lower()} {_write(standing.ahead)} more like this "
        f"than {does}{so}; more is safer.",
        MEANINGS[STANDING],
    )


def _first(measured: Picked, writers: int, *, alike: bool = False, ten: bool = False) -> AttackerRow:
    """Return how often held-out writers are picked, and of which texts."""
    which = "that about as many write like" if alike else f"of about {measured.words:,} words"
    says = f"names the right writer of other bloggers’ texts {which}"
    if ten:
        says += f"; has the right one among its first ten {measured.ten.in_percent()} of the time"
    known = f"{measured.known_words:,} words known of each"
    return AttackerRow(f"style encoder, the writer among {writers:,} bloggers, {known}", measured.first, says)


def _verifier(same: profile.Likeness) -> AttackerRow:
    says = f"says one writer wrote this and the other texts, {sure(same.probability)}, if that was as likely as not"
    return AttackerRow("verifier, this text beside the writer’s others", same.right, says)


def _many(count: int) -> str:
    return f"{count:,}" if count else "None"


def _write(count: int) -> str:
    return "writes" if count <= 1 else "write"


def _on_bar(count: int, of: int) -> float:
    """Return a place on a bar where 3 and 30 of 1,000 lie apart."""
    return math.log1p(count) / math.log1p(of)
