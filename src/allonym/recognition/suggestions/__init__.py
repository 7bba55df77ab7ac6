"""Suggestions: what could be written otherwise in a text so that it gives its writer away less, each one measured.

`allonym.language.rewording` knows what could stand at a place, `fitting` refuses what its neighbours or a grammar
checker refuse, and `measuring` asks the Read screen's own figure about the text with each change. Only changes that
lower it are offered, those that lower it most first. Whether two of them together lower it as much is asked again once
the first is taken.

Privacy: spends nothing and proves nothing. Whoever chooses by hand chooses with the original in mind, and a figure that
has been lowered by asking it again and again says less about attackers who measure otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from allonym.language import identification
from allonym.language.rewording import Edit, SentenceReader, possible
from allonym.recognition.suggestions import fitting
from allonym.recognition.suggestions.measuring import Risk, RiskOf, risk_of

__all__ = ["Risk", "Suggestion", "Suggestions", "forget", "prepare", "risk_of", "suggest", "versions"]

MOST_CHARACTERS = 400_000  # that are measured for one answer: each candidate takes the whole text once
_FEWEST = 12  # candidates that are measured however long the text is
_LONGEST = 60_000  # characters, about 10,000 words: of a longer text the part around a place is searched and measured


@dataclass(frozen=True)
class Suggestion:
    """One change that lowers the risk.

    Attributes:
        start: First character that changes.
        stop: The one after the last.
        new: What would stand there.
        kind: What sort of habit it changes.
        why: What it does, in a few words.
        before: The risk of the text as it is; None for a text that is too short for a figure.
        after: The risk of the text with this change.
    """

    start: int
    stop: int
    new: str = field(repr=False)
    kind: str
    why: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Suggestions:
    """What could be changed, best first.

    Attributes:
        risk: Of the text as it is; None for one that is too short for a figure.
        suggestions: The changes.
        candidates: How many changes the rules allow.
        measured: How many of them were measured: in a long text not all, so ask about one place of it.
        grammar: Whether a grammar checker looked at them.
    """

    risk: float | None
    suggestions: list[Suggestion]
    candidates: int
    measured: int
    grammar: bool

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def suggest(text: str, measure: RiskOf = risk_of, place: tuple[int, int] | None = None) -> Suggestions:
    """Return the changes of a text, or of one place of it, that lower its risk.

    Args:
        text: The text.
        measure: Returns the risk of any text.
        place: First character and the one after the last, if only changes that touch it are wanted.
    """
    low, high = _passage(text, place)
    passage = text[low:high]
    reader = SentenceReader(passage)
    edits = [] if identification.of_texts([passage]) else possible(reader)  # the rules are for English
    if place is not None:
        edits = [edit for edit in edits if edit.start + low < place[1] and place[0] < edit.stop + low]
    most = max(_FEWEST, MOST_CHARACTERS // max(1, len(passage)))
    risk = measure(passage)
    lower = [(after, edit) for edit in edits[:most] if (after := measure(edit.apply(passage))).less_than(risk)]
    lower.sort(key=lambda pair: pair[0].order)
    offered = [_suggestion(edit, low, risk, after) for after, edit in lower if fitting.fits(edit, reader)]
    return Suggestions(risk.share, offered, len(edits), min(most, len(edits)), fitting.has_grammar())


def versions(
    text: str, place: tuple[int, int], sentences: Sequence[str], measure: RiskOf = risk_of
) -> list[Suggestion]:
    """Return those versions of one sentence that lower the risk, best first."""
    known = fitting.findings(text[place[0] : place[1]])
    written = [new for new in sentences if new != text[place[0] : place[1]] and not fitting.findings(new) - known]
    low, high = _passage(text, place)
    passage = text[low:high]
    edits = [Edit(place[0] - low, place[1] - low, new, "wording", "the sentence rewritten") for new in written]
    risk = measure(passage)
    rated = [(measure(edit.apply(passage)), edit) for edit in edits]
    lower = sorted((pair for pair in rated if pair[0].less_than(risk)), key=lambda pair: pair[0].order)
    return [_suggestion(edit, low, risk, after) for after, edit in lower]


def sentence_at(text: str, place: int) -> tuple[int, int]:
    """Return where the sentence around a place begins and ends."""
    low, high = _passage(text, (place, place))
    start, stop = SentenceReader(text[low:high]).sentence_at(place - low)
    return low + start, low + stop


def prepare() -> None:
    """Open the tables, which takes a second the first time."""
    suggest("I do not know that it is ready.")


def forget() -> None:
    """Drop what was remembered of texts."""
    fitting.forget()


def _passage(text: str, place: tuple[int, int] | None) -> tuple[int, int]:
    """Return what is searched and measured: all of a text, or of a long one the part around a place."""
    if len(text) <= _LONGEST or place is None:
        return 0, min(len(text), _LONGEST)
    low = max(0, place[0] - _LONGEST // 2)
    return low, min(len(text), max(place[1], low) + _LONGEST // 2)


def _suggestion(edit: Edit, moved: int, before: Risk, after: Risk) -> Suggestion:
    start, stop = edit.start + moved, edit.stop + moved
    return Suggestion(start, stop, edit.new, edit.kind, edit.why, before.share, after.share)
