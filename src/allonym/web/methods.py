"""The protections of the Rewrite screen: what each is, its slider, what it costs, and whether it can be had."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from threading import Lock
from typing import Any

from allonym import anonymizers, models
from allonym.anonymizers.base import Anonymizer
from allonym.errors import AllonymError, ParameterError
from allonym.metrics.figures import percent
from allonym.privacy import accounting
from allonym.privacy.statement import number

POSITIONS = 5
MOST_WORDS = 20_000
DEFAULT = "core"  # of those who press the button without reading: what hides most
_BUILT = 6  # anonymizers kept ready: the tables of a word method take seconds to make

Record = dict[str, Any]


@dataclass(frozen=True)
class Card:
    """One of the protections offered.

    Attributes:
        name: What the page calls it to itself.
        method: Its method's name on the command line.
        group: The card it stands on: "numbers", "readable" or "style".
        title: What it is called here.
        gives: What comes out.
        proved: Whether its loss is proved.
    """

    name: str
    method: str
    group: str
    title: str
    gives: str
    proved: bool


CARDS = (
    Card("counts", "syntf", "numbers", "Word counts", "a list of words and how often each occurs", True),
    Card(
        "core",
        "erae",
        "readable",
        "Hide the writer",
        "the core of what you say, in a few plain clauses; the rest is left out, and nothing tells how long it was",
        True,
    ),
    Card(
        "meaning",
        "erae",
        "readable",
        "Keep the meaning",
        "your sentences, every word drawn; close to your text it reads well, and hides little",
        True,
    ),
    Card(
        "words",
        "exponential",
        "readable",
        "Word by word",
        "every word kept by chance or replaced by one near it; hides more, and reads badly",
        True,
    ),
    Card("style", "a4nt", "style", "Another group’s style", "your sentences as another group might put them", False),
)
_STYLE_MODELS = "a4nt-"
_NEUTRAL = "neutral"  # the target of models that imitate nobody
_STRENGTHS = (("strongest", "privacy"), ("middle", "balanced"), ("closest", "meaning"))  # label, and A4NT's `prefer`
_BEHIND = ("points", "model", "weights", "learned")  # what the page need not know of a curve
_MISSING = "The style change (A4NT) is not part of this installation yet; the protections with a proof are."


@cache
def curves() -> dict[str, Record]:
    """Return what was measured for each position of each slider; made by tools/build_curves.py."""
    content = json.loads((files("allonym.web") / "curves.json").read_text(encoding="utf-8"))
    return dict(content["curves"])


def offered() -> list[Record]:
    """Return the cards with their sliders, ready for JSON."""
    return [{**vars(card), **_sliders(card)} for card in CARDS]


def card(name: str) -> Card:
    """Return a card."""
    return next(one for one in CARDS if one.name == name)


def parameters(name: str, position: int) -> Record:
    """Return what a position of a card's slider stands for.

    Raises:
        ParameterError: The protection cannot be had, or has no such position.
    """
    choices = _choices(name)
    if not 0 <= position < len(choices):
        raise ParameterError("The slider has no such position; choose another.")
    return dict(choices[position])


def stored(name: str, position: int) -> tuple[float | None, int | None]:
    """Return the loss of a word and the words of every text, as computed when the curves were made; None if unknown."""
    if not card(name).proved:
        return None, None
    point = curves()[name]["points"][position]
    return float(point["loss_per_word"]), point["words"]


def curve(name: str, position: int) -> tuple[Record | None, int]:
    """Return the curve that a position lies on, if one was measured, and its place there."""
    if card(name).proved:
        return curves()[name], position
    choice = parameters(name, position)
    places = [prefer for _, prefer in _STRENGTHS]
    return curves().get(_STYLE_MODELS + choice["model"]), places.index(choice["prefer"])


def anonymizer(name: str, position: int) -> Anonymizer:
    """Return what does the work, made once for each position."""
    given = json.dumps(parameters(name, position), sort_keys=True)
    with _building:  # two threads that want the same wait for one
        return _built(card(name).method, given)


def command(name: str, position: int, source: str = "YOUR.txt") -> str:
    """Return the command line that repeats a choice."""
    words = ["allonym", "anonymize", source, "--method", card(name).method]
    for parameter, value in parameters(name, position).items():
        words += [f"--{parameter.replace('_', '-')}", str(value)]
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
    found = f"{words} {percent(after['value'])}, from as many originals with {percent(before['value'])} (F1)"
    if after["high"] < before["low"]:
        return f"{found}."
    harm = "does harm" if after["low"] > before["high"] else "does not help"
    return f"{found}: against such a one this {harm}."


def _sliders(card: Card) -> Record:
    """Return a card's sliders: one, or of a style change one for each style."""
    problem = _problem(card)
    if problem:
        return {"problem": problem, "sliders": []}
    if card.proved:
        return {"problem": "", "sliders": [_slider("", curves()[card.name], range(POSITIONS))]}
    found = []
    for place in range(0, len(_choices(card.name)), len(_STRENGTHS)):
        choice = _choices(card.name)[place]
        sound = "like nobody in particular" if choice["target"] == _NEUTRAL else f"like “{choice['target']}”"
        label = f"{choice['model'].removesuffix('-' + _NEUTRAL)}: sound {sound}"
        measured, _ = curve(card.name, place)
        found.append(_slider(label, measured, range(place, place + len(_STRENGTHS))))
    return {"problem": "", "sliders": found}


def _slider(label: str, measured: Record | None, positions: range) -> Record:
    """Return a slider; one that was not measured has labels alone."""
    if measured is None:
        points = [{"label": words, "position": place} for (words, _), place in zip(_STRENGTHS, positions, strict=True)]
        return {"label": label, "measured": False, "points": points}
    points = [
        {**point, **_shown(point), "position": place}
        for point, place in zip(measured["points"], positions, strict=True)
    ]
    about = {name: value for name, value in measured.items() if name not in _BEHIND}
    about["warning"] = learned(measured) if "learned" in measured else ""
    return {"label": label, "measured": True, "current": is_current(measured), **about, "points": points}


def _shown(point: Record) -> Record:
    """Return the loss of a point's words as it is printed, if it has one: rounded up here, as everywhere."""
    return {"loss": number(point["loss_per_word"])} if point.get("loss_per_word") is not None else {}


def _choices(name: str) -> list[Record]:
    """Return the parameters behind each position."""
    return _styles() if not card(name).proved else [point["parameters"] for point in curves()[name]["points"]]


@cache
def _styles() -> list[Record]:
    """Return the style changes that the shipped models allow: a model, a target and how much to change."""
    if "a4nt" not in anonymizers.examples():
        raise ParameterError(_MISSING)
    styles = []
    for name in models.shipped():
        if name.startswith(_STYLE_MODELS):  # its files are checked when it is opened
            config = json.loads((models.find(name) / models.CONFIG).read_text("utf-8"))
            neutral = config.get("shape", {}).get("neutral", False)
            targets = [_NEUTRAL] if neutral else config.get("classes", ())
            styles += [{"model": name.removeprefix(_STYLE_MODELS), "target": str(target)} for target in targets]
    usable = [style for style in styles if _can_be_made(style)]
    if not usable:
        raise ParameterError("No model for a style change is installed; the protections with a proof are.")
    return [{**style, "prefer": prefer} for style in usable for _, prefer in _STRENGTHS]


def _can_be_made(style: Record) -> bool:
    try:
        anonymizers.find("a4nt")(**style)
    except AllonymError:
        return False
    return True


def _problem(card: Card) -> str:
    """Return why a protection cannot be had, in a sentence; empty if it can."""
    try:
        anonymizers.find(card.method)
        _choices(card.name)
    except AllonymError as error:
        return _MISSING if card.method == "a4nt" and "There is no method" in str(error) else str(error)
    return ""


def _made(method: str, given: str) -> Anonymizer:
    made = anonymizers.find(method)(**json.loads(given))
    made.guarantee()  # makes the tables, so that a draw is quick
    return made


_built = lru_cache(maxsize=_BUILT)(_made)
_building = Lock()
