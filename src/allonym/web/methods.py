"""The protections of the Rewrite screen, as the methods themselves offer them: cards, sliders, and what each costs."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from threading import Lock
from typing import Any

from allonym import anonymizers, models
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.offers import Offer, Slider
from allonym.errors import AllonymError, ParameterError
from allonym.metrics.figures import percent
from allonym.privacy import accounting
from allonym.privacy.statement import number

MOST_WORDS = 20_000
_GROUPS = ("numbers", "readable", "style")  # as the page has them, from left to right
_BUILT = 6  # anonymizers kept ready: the tables of a word method take seconds to make
_BEHIND = ("points", "model", "weights", "learned")  # what the page need not know of a curve
_building = Lock()

Record = dict[str, Any]


@dataclass(frozen=True)
class Card:
    """One of the protections offered."""

    name: str  # what the page calls it to itself
    method: str
    group: str  # the card it stands on: "numbers", "readable" or "style"
    title: str
    gives: str
    proved: bool


@cache
def _offers() -> dict[str, tuple[Card, Offer]]:
    """Return all that the methods offer."""
    made = []
    for method, example in anonymizers.examples().items():
        for offer in example.offers():
            group = "style" if not offer.proved else "numbers" if example.kind == "vectors" else "readable"
            made.append((Card(offer.name, method, group, offer.title, offer.gives, offer.proved), offer))
    return {card.name: (card, offer) for card, offer in sorted(made, key=lambda one: _GROUPS.index(one[0].group))}


def cards() -> list[Card]:
    """Return the cards, in the order of the page."""
    return [card for card, _ in _offers().values()]


def default() -> str:
    """Return the card of those who press the button without reading: the first readable one with a proof."""
    return next((card.name for card in cards() if card.group == "readable"), cards()[0].name)


@cache
def curves() -> dict[str, Record]:
    """Return what was measured for each position of each slider; made by tools/build_curves.py."""
    content = json.loads((files("allonym.web") / "curves.json").read_text(encoding="utf-8"))
    return dict(content["curves"])


def offered() -> list[Record]:
    """Return the cards with their sliders, ready for JSON."""
    return [{**vars(card), **_shown_sliders(card.name)} for card in cards()]


def card(name: str) -> Card:
    """Return a card."""
    return _offers()[name][0]


@cache
def _sliders(name: str) -> Sequence[Slider]:
    """Return a card's sliders, or refuse a protection that cannot be had."""
    return _offers()[name][1].sliders()


def _placed(name: str, position: int) -> tuple[Slider, int]:
    """Return the slider that a position of a card stands on, and its place there."""
    index = position
    for slider in _sliders(name):
        if 0 <= index < len(slider.positions):
            return slider, index
        index -= len(slider.positions)
    raise ParameterError("The slider has no such position; choose another.")


def parameters(name: str, position: int) -> Record:
    """Return what a position of a card's slider stands for; refuse one that cannot be had."""
    slider, index = _placed(name, position)
    return dict(slider.positions[index])


def stored(name: str, position: int) -> tuple[float | None, int | None]:
    """Return the loss of a word and the words of every text: as stored with the curve, or as the method says."""
    if not card(name).proved:
        return None, None
    measured, index = curve(name, position)
    if measured is None:
        promised = anonymizer(name, position).guarantee()
        return promised.loss_per_word, promised.words
    point = measured["points"][index]
    return float(point["loss_per_word"]), point["words"]


def curve(name: str, position: int) -> tuple[Record | None, int]:
    """Return the curve that a position lies on, if one was measured, and its place there."""
    slider, index = _placed(name, position)
    return _measured(name, slider), index


def _measured(name: str, slider: Slider) -> Record | None:
    """Return the curve of a slider; none where other settings were measured than are offered."""
    measured = curves().get(slider.curve or name)
    points = measured["points"] if measured else []
    if len(points) != len(slider.positions):
        return None
    pairs = zip(points, slider.positions, strict=True)
    return measured if all(point["parameters"].items() <= given.items() for point, given in pairs) else None


def anonymizer(name: str, position: int) -> Anonymizer:
    """Return what does the work, made once for each position."""
    given = json.dumps(parameters(name, position), sort_keys=True)
    with _building:  # two threads that want the same wait for one
        return _built(card(name).method, given)


def unprepared(name: str, position: int) -> Anonymizer:
    """Return the same without its tables, at once."""
    return anonymizers.find(card(name).method)(**parameters(name, position))


def command(name: str, position: int, source: str = "YOUR.txt") -> str:
    """Return the command line that repeats a choice."""
    words = ["allonym", "anonymize", source, "--method", card(name).method]
    for parameter, value in parameters(name, position).items():
        flag = parameter.replace("_", "-")
        words += [f"--{flag}" if value else f"--no-{flag}"] if isinstance(value, bool) else [f"--{flag}", str(value)]
    return shlex.join(words)


def cost(loss_per_word: float, words: int) -> str:
    """Return the price of a text in words, rounded up."""
    total = number(accounting.total(loss_per_word, words))
    return f"ε ≤ {number(loss_per_word)} for each word × {words:,} words = {total} for the whole text"


def is_current(measured: Record) -> bool:
    """Tell whether a curve was measured with the model that ships."""
    if "model" not in measured:
        return True
    try:
        lines = (models.find(measured["model"]) / models.CHECKSUMS).read_text("utf-8").splitlines()
    except AllonymError:  # it does not ship any more
        return False
    return any(line.startswith(measured["weights"]) and line.endswith(models.WEIGHTS) for line in lines)


def learned(measured: Record) -> str:
    """Return how attackers fare who learned from rewritten texts, in a sentence."""
    before, after = (measured["learned"][when] for when in ("before", "after"))
    words = "An attacker who has learned from rewritten texts (of the middle position) tells the group with"
    sentence = f"{words} {percent(after['value'])}, from as many originals with {percent(before['value'])} (F1)"
    if after["high"] < before["low"]:
        return f"{sentence}."
    harm = "does harm" if after["low"] > before["high"] else "does not help"
    return f"{sentence}: against such a one this {harm}."


def _shown_sliders(name: str) -> Record:
    """Return a card's sliders, or why it cannot be had, in a sentence."""
    try:
        sliders = _sliders(name)
    except AllonymError as error:
        return {"problem": str(error), "sliders": []}
    shown, first = [], 0
    for slider in sliders:
        shown.append(_shown_slider(slider, _measured(name, slider), first))
        first += len(slider.positions)
    return {"problem": "", "sliders": shown}


def _shown_slider(slider: Slider, measured: Record | None, first: int) -> Record:
    """Return a slider; one that was not measured has labels alone."""
    labels = [{"label": label, "position": first + place} for place, label in enumerate(_labels(slider))]
    if measured is None:
        return {"label": slider.label, "measured": False, "points": labels}
    points = [_shown_point(point) | label for point, label in zip(measured["points"], labels, strict=True)]
    about = {name: value for name, value in measured.items() if name not in _BEHIND}
    about["warning"] = learned(measured) if "learned" in measured else ""
    return {"label": slider.label, "measured": True, "current": is_current(measured), **about, "points": points}


def _labels(slider: Slider) -> Sequence[str]:
    """Return what the positions are called: by number where there are not as many names as positions."""
    count = len(slider.positions)
    return slider.labels if len(slider.labels) == count else [f"{place} of {count}" for place in range(1, count + 1)]


def _shown_point(point: Record) -> Record:
    """Return a point with the loss of its words as it is printed, if it has one: rounded up here, as everywhere."""
    return point if point.get("loss_per_word") is None else {**point, "loss": number(point["loss_per_word"])}


@lru_cache(maxsize=_BUILT)
def _built(method: str, given: str) -> Anonymizer:
    built = anonymizers.find(method)(**json.loads(given))
    built.guarantee()  # makes the tables, so that a draw is quick
    return built
