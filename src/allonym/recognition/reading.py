"""How recognisable a text is, as the Read screen shows it: a verdict, a row for each attacker, and marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from allonym import names
from allonym.language import identification
from allonym.language.function_words import (
    AMERICAN_SPELLINGS,
    BRITISH_SPELLINGS,
    FUNCTION_WORDS,
    MISSING_APOSTROPHES,
    MISSPELLINGS,
)
from allonym.privacy.statement import counted
from allonym.recognition import profile, profile_features, verdict
from allonym.recognition.crowd import FEWEST_KNOWN
from allonym.recognition.evidence import Evidence
from allonym.recognition.profile import Comparison, HabitFinding
from allonym.recognition.profile_features import Kind
from allonym.recognition.recogniser import FEW_WORDS, Recogniser, Recognition, ordinal, sure
from allonym.recognition.reliability import count_words
from allonym.recognition.verdict import AttackerRow, Gauge

YOU = "you"
MOST_PLACES = 200  # of one mark; a list of thousands helps nobody
_SPELLINGS = frozenset((*AMERICAN_SPELLINGS, *BRITISH_SPELLINGS, *MISSPELLINGS, *MISSING_APOSTROPHES))
_SMALL_WORDS = frozenset(FUNCTION_WORDS)
_PROFILE_CAN = (
    "Without other texts nobody can be recognised, so this compares your text with the habits of thousands of bloggers "
    "and newsgroup writers. It can tell how unusual it is. It cannot tell whether you would be recognised: for that, "
    "add texts by you and by others. A text that is not unusual may still be recognised."
)
_CROWD_CAN = (
    "Your other texts stand for you among bloggers, who are strangers to you. Those whom somebody suspects may write "
    "more like you: add texts by them. A place far down is no promise: another attacker may know more."
)
_LITTLE_KNOWN = f"Your other texts are too short to stand for you: it takes {FEWEST_KNOWN} words of them."
_RARITY_MEANS = "share of public writers’ texts whose habits are less rare together"


@dataclass(frozen=True)
class Mark:
    """Something that gives the writer away."""

    kind: Kind  # how it is drawn: dotted, dashed, double or solid; "shape" is of the whole text
    feature: str
    share: float  # its part of everything that gives away
    note: str  # how it compares, in words
    places: list[tuple[int, int]]  # first character and the one after the last


@dataclass(frozen=True)
class NamedMark:
    """Somebody or something that a text names: what it is, what could stand in its place, and where it stands."""

    what: str  # see `allonym.names.Kind`
    placeholder: str
    places: list[tuple[int, int]]


@dataclass(frozen=True)
class Reading:
    """The whole answer."""

    words: int
    basis: str  # what it was compared with: "known" writers, a "profile" of many, or "nothing"
    sentence: str
    verdict: str  # what it means for this text
    risk: float | None  # the probability behind the sentence
    risk_means: str  # what that probability is of
    attackers: list[AttackerRow] = field(default_factory=list)  # a row for each
    marks: list[Mark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what this can and cannot tell
    names: list[NamedMark] = field(default_factory=list)  # names and the like, where they were looked for
    gauges: list[Gauge] = field(default_factory=list)  # the figures behind the sentences, and which way is safer

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def read(text: str, recogniser: Recogniser | None, other_texts: Sequence[str] = ()) -> Reading:
    """Say how recognisable a text is: to attackers trained on known writers, one of them `YOU`, or by the profile.

    `other_texts` are other texts of the same writer.
    """
    words = count_words(text)
    if not words:
        return Reading(0, "nothing", "Nothing to read yet.", "Write or paste a text.", None, "")
    if recogniser is not None:
        return _among_known(recogniser.check(text, YOU), text, other_texts)
    language = identification.other_language(text)
    if language is not None:
        sentence = f"This text seems to be {language}, and what it would be compared with is English."
        return Reading(words, "nothing", sentence, "So there is no figure, and no habit is marked.", None, "")
    comparison = profile.shipped().compare(text)
    if comparison is None or comparison.rarer_than is None:
        # The words that it takes are words of letters.
        sentence, so = verdict.too_short(profile_features.count_plain_words(text))
        marks = [] if comparison is None else [_finding(finding) for finding in comparison.findings]
        return Reading(words, "nothing", sentence, so, None, "", marks=marks, notes=[_PROFILE_CAN])
    return _with_profile(comparison, text, words, other_texts)


def with_names(reading: Reading, text: str, *, model: bool | None = None) -> Reading:
    """Return a reading that begins with the names and the like in its text; see `allonym.names.find`."""
    marks = named(text, model=model)
    return replace(reading, names=marks, notes=[*reading.notes, *([names.NO_PROOF] if marks else [])])


def with_language(reading: Reading, text: str) -> Reading:
    """Return a reading whose notes begin with it that the text is not English, if it is not."""
    told = identification.of_texts([text])
    return replace(reading, notes=[told, *reading.notes]) if told else reading


def named(text: str, *, model: bool | None = None) -> list[NamedMark]:
    """Return what a text names, one mark for each thing, in the order in which they first occur."""
    places: dict[str, list[names.Mention]] = {}
    for one in names.placed(text, names.find(text, model=model)):
        places.setdefault(one.placeholder, []).append(one.mention)
    return [
        NamedMark(found[0].kind, placeholder, [(one.start, one.end) for one in found][:MOST_PLACES])
        for placeholder, found in places.items()
    ]


def figures(text: str, other_texts: Sequence[str], who: str = YOU) -> verdict.Verdict:
    """Return what is said of a text beside what attackers who know its possible writers say."""
    comparison = None if identification.other_language(text) else profile.shipped().compare(text)
    if comparison is None or comparison.rarer_than is None:
        return verdict.Verdict()
    return verdict.of(text, comparison.rarer_than, verdict.own_texts(other_texts), who)


def _among_known(recognition: Recognition, text: str, other_texts: Sequence[str]) -> Reading:
    if recognition.recognised:
        so = f"This text is recognised as yours: the strongest attacker is {sure(recognition.risk)}."
    else:
        so = (
            f"This text is not recognised: you rank {ordinal(recognition.rank or 0)}, and the strongest attacker is "
            f"{sure(recognition.risk)} that it is yours."
        )
    notes = [_weak(recognition.words)] if recognition.words < FEW_WORDS else []
    notes += [warning for warning in recognition.warnings if str(FEW_WORDS) not in warning]
    found = figures(text, other_texts)
    return Reading(
        words=recognition.words,
        basis="known",
        sentence=recognition.measured,
        verdict=" ".join([so, *(gauge.sentence for gauge in found.gauges)]),
        risk=recognition.risk,
        risk_means="how sure the strongest attacker is that you wrote it",
        attackers=[
            *(AttackerRow(by.describes_itself_as, by.accuracy, by.says(YOU)) for by in recognition.opinions),
            *found.attackers,
        ],
        marks=[_clue(clue, text) for clue in recognition.clues],
        notes=[*notes, recognition.open_set],
        gauges=found.gauges,
    )


def _clue(clue: Evidence, text: str) -> Mark:
    places = [(place.start, place.stop) for place in clue.places]
    times = counted(len(places), "place") if places else "of the whole text"
    return Mark(_kind(clue.feature, text, places), clue.feature, clue.share, times, places[:MOST_PLACES])


def _kind(feature: str, text: str, places: Sequence[tuple[int, int]]) -> Kind:
    """Return how a clue is marked, by what stands at its places."""
    if not places:
        return "shape"
    if feature.startswith("pattern "):
        return "punctuation"
    quoted = text[places[0][0] : places[0][1]]
    words = [match.group().lower().replace("’", "'") for match in profile_features.WORD.finditer(quoted)]
    if not words:
        return "punctuation"
    if any(word in _SPELLINGS for word in words):
        return "spelling"
    return "function" if all(word in _SMALL_WORDS for word in words) else "wording"


def _with_profile(comparison: Comparison, text: str, words: int, other_texts: Sequence[str]) -> Reading:
    found = verdict.of(text, comparison.rarer_than, verdict.own_texts(other_texts))
    first, *others = (gauge.sentence for gauge in found.gauges)
    beside_own = found.gauges[0].name == verdict.STANDING
    notes = [_weak(words)] if words < FEW_WORDS else []
    notes += [_LITTLE_KNOWN] if other_texts and not beside_own else []
    return Reading(
        words=words,
        basis="profile",
        sentence=first,
        verdict=" ".join(others),
        risk=comparison.rarer_than,
        risk_means=_RARITY_MEANS,
        attackers=found.attackers,
        marks=[_finding(finding) for finding in comparison.findings],
        notes=[*notes, _CROWD_CAN if beside_own else _PROFILE_CAN],
        gauges=found.gauges,
    )


def _finding(finding: HabitFinding) -> Mark:
    places = [(start, stop) for start, stop in finding.places[:MOST_PLACES]]
    if finding.kind == "shape":
        note = f"{finding.rate:.1f}, usual {finding.usual:.1f}"
    else:
        often = "more often than usual" if finding.more else "rarer than usual"
        note = f"{often}: {_rate(finding.rate)} in 1,000 {finding.among}, usual {_rate(finding.usual)}"
    return Mark(finding.kind, finding.feature, finding.share, note, places)


def _rate(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _weak(words: int) -> str:
    return (
        f"The estimate is weak: {counted(words, 'word')}. Under {FEW_WORDS}, another text by the same writer may come "
        "out quite differently."
    )
