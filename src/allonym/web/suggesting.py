"""Guided rewriting for the Read screen: changes that lower the risk, each measured, and versions of a sentence."""

from __future__ import annotations

from functools import partial
from typing import Any

from allonym import anonymizers
from allonym.anonymizers.base import Anonymizer
from allonym.errors import MissingDependencyError
from allonym.recognition import suggestions
from allonym.recognition.suggestions import Risk, Suggestions
from allonym.web.api import Operation, Room
from allonym.web.desk import Desk
from allonym.web.fields import MOST_CHARACTERS, Invalid, Record, TextField, Whole

_PLACE = Whole(0, MOST_CHARACTERS)
_ANSWER = ("risk", "suggestions", "candidates", "measured", "grammar")


async def suggest(room: Room, given: dict[str, Any]) -> object:
    """Return the changes of a text, or of one place of it, that lower its risk."""
    return (await room.quick.do(_suggest, room.desk, given["text"], _place(given))).to_json()


async def rewrite_sentence(room: Room, given: dict[str, Any]) -> object:
    """Return versions of the sentence at a place that lower the risk, or say what it takes."""
    start, _ = _place({**given, "stop": given["start"]}) or (0, 0)
    return await room.quick.do(_sentence, room.desk, given["text"], start)


def _place(given: dict[str, Any]) -> tuple[int, int] | None:
    start, stop = given["start"], given["stop"]
    if start is None and stop is None:
        return None
    if start is None or stop is None or not start <= stop <= len(given["text"]):
        raise Invalid("start and stop must name a place of the text; send both, or neither.")
    return start, stop


def _suggest(desk: Desk, text: str, place: tuple[int, int] | None) -> Suggestions:
    if not text.strip():
        return Suggestions(None, [], 0, 0, grammar=False)
    return suggestions.suggest(text, _measure(desk), place)


def _measure(desk: Desk) -> partial[Risk]:
    return partial(suggestions.risk_of, recogniser=desk.known.recogniser)


def _sentence(desk: Desk, text: str, place: int) -> dict[str, Any]:
    start, stop = suggestions.sentence_at(text, place)
    answer: dict[str, Any] = {"start": start, "stop": stop, "versions": [], "written": 0, "missing": ""}
    if not text[start:stop].strip():
        return answer
    try:
        written = _writer().versions(text[start:stop])
    except MissingDependencyError as missing:
        return {**answer, "missing": str(missing)}
    lower = suggestions.versions(text, (start, stop), written, _measure(desk))
    return {**answer, "versions": [vars(one) for one in lower], "written": len(written)}


def _writer() -> Anonymizer:
    """Return the method that writes other versions of a sentence."""
    return next(example for example in anonymizers.examples().values() if example.writes_versions)


OPERATIONS = (
    Operation(
        "/suggestions",
        "POST",
        "Changes that lower the risk",
        suggest,
        Record({"text": TextField(), "start": _PLACE, "stop": _PLACE}, frozenset({"start", "stop"})),
        _ANSWER,
    ),
    Operation(
        "/suggestions/sentence",
        "POST",
        "Versions of a sentence that lower the risk",
        rewrite_sentence,
        Record({"text": TextField(), "start": _PLACE}),
        ("start", "stop", "versions", "written", "missing"),
    ),
)
