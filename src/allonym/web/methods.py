"""The three protections of the Rewrite screen: what each is, its slider, what it costs, and whether it can be had."""

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
from allonym.privacy import accounting
from allonym.privacy.statement import number

POSITIONS = 5
MOST_WORDS = 20_000
_BUILT = 6  # anonymizers kept ready: the tables of a word method take seconds to make


@dataclass(frozen=True)
class Card:
    """One of the methods offered.

    Attributes:
        method: Its name on the command line.
        group: The card it stands on: "numbers", "readable" or "style".
        title: What it is called here.
        gives: What comes out.
        proved: Whether its loss is proved.
    """

    method: str
    group: str
    title: str
    gives: str
    proved: bool


CARDS = (
    Card("syntf", "numbers", "Word counts", "a list of words and how often each occurs, for statistics", True),
    Card("erae", "readable", "Sentence by sentence", "a text of sentences like yours, drawn word by word", True),
    Card("exponential", "readable", "Word by word", "every word in its place replaced, or kept by chance", True),
    Card(
        "a4nt",
        "style",
        "Another group’s style",
        "your sentences as another group of writers might put them",
        False,
    ),
)
_STYLE_MODELS = "a4nt-"
_MISSING = "The style change (A4NT) is not part of this installation yet; the two protections with a proof are."


@cache
def curves() -> dict[str, Any]:
    """Return what was measured for each position of each slider; made by tools/build_curves.py."""
    content = json.loads((files("allonym.web") / "curves.json").read_text(encoding="utf-8"))
    return dict(content["methods"])


def offered() -> list[dict[str, Any]]:
    """Return the cards with their sliders, ready for JSON."""
    return [{**vars(card), **_slider(card)} for card in CARDS]


def card(method: str) -> Card:
    """Return the card of a method."""
    return next(one for one in CARDS if one.method == method)


def parameters(method: str, position: int) -> dict[str, Any]:
    """Return what the slider's position stands for.

    Raises:
        ParameterError: The method cannot be had, or has no such position.
    """
    choices = _choices(method)
    if not 0 <= position < len(choices):
        raise ParameterError("The slider has no such position; choose another.")
    return dict(choices[position])


def stored_loss(method: str, position: int) -> float | None:
    """Return the loss per word that was computed for a position when the curves were made."""
    if method not in curves():
        return None
    return float(curves()[method]["points"][position]["loss_per_word"])


def anonymizer(method: str, position: int) -> Anonymizer:
    """Return what does the work, made once for each position."""
    given = json.dumps(parameters(method, position), sort_keys=True)
    with _building:  # two threads that want the same wait for one
        return _built(method, given)


def command(method: str, position: int, source: str = "YOUR.txt") -> str:
    """Return the command line that repeats a choice."""
    words = ["allonym", "anonymize", source, "--method", method]
    for name, value in parameters(method, position).items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def document_loss(loss_per_word: float, words: int, draws: int = 1) -> float:
    """Return what all words of a text lose together, drawn so often."""
    return accounting.total(loss_per_word, words, draws)


def cost(loss_per_word: float, words: int, draws: int = 1) -> str:
    """Return the price of a text in words, rounded up."""
    total = number(document_loss(loss_per_word, words, draws))
    times = "" if draws == 1 else f" × {draws} draws"
    return f"ε ≤ {number(loss_per_word)} for each word × {words:,} words{times} = {total} for the whole text"


def curve_is_current(method: str) -> bool:
    """Tell whether the curve was measured with the model that ships."""
    curve = curves().get(method, {})
    if "model" not in curve:
        return True
    lines = (models.find(curve["model"]) / models.CHECKSUMS).read_text("utf-8").splitlines()
    return f"{curve['model_sha256']}  {models.WEIGHTS}" in lines


def _slider(card: Card) -> dict[str, Any]:
    curve = curves().get(card.method)
    problem = _problem(card)
    if curve is None:
        styles = [] if problem else [{"label": _style_label(one), "parameters": one} for one in _choices(card.method)]
        return {"problem": problem, "points": styles, "bench": "", "measured": False}
    about = {name: curve[name] for name in ("bench", "writers", "chance", "attack_before", "kept_means")}
    return {"problem": problem, "points": curve["points"], "measured": curve_is_current(card.method), **about}


def _choices(method: str) -> list[dict[str, Any]]:
    """Return the parameters behind each position."""
    if method in curves():
        return [point["parameters"] for point in curves()[method]["points"]]
    return _styles()


@cache
def _styles() -> list[dict[str, Any]]:
    """Return the style changes that the shipped models allow: a model and a target each."""
    if "a4nt" not in anonymizers.examples():
        raise ParameterError(_MISSING)
    choices = []
    for name in models.shipped():
        if name.startswith(_STYLE_MODELS):  # its files are checked when it is opened
            classes = json.loads((models.find(name) / models.CONFIG).read_text("utf-8")).get("classes", ())
            choices += [{"model": name.removeprefix(_STYLE_MODELS), "target": str(target)} for target in classes]
    usable = [choice for choice in choices if _can_be_made(choice)]
    if not usable:
        raise ParameterError("No model for a style change is installed; the two protections with a proof are.")
    return usable


def _can_be_made(choice: dict[str, Any]) -> bool:
    try:
        anonymizers.find("a4nt")(**choice)
    except AllonymError:
        return False
    return True


def _style_label(choice: dict[str, Any]) -> str:
    return f"{choice['model']}: sound like “{choice['target']}”"


def _problem(card: Card) -> str:
    """Return why a method cannot be had, in a sentence; empty if it can."""
    try:
        anonymizers.find(card.method)
        _choices(card.method)
    except AllonymError as error:
        return _MISSING if card.method == "a4nt" and "There is no method" in str(error) else str(error)
    return ""


def _made(method: str, given: str) -> Anonymizer:
    made = anonymizers.find(method)(**json.loads(given))
    made.guarantee()  # makes the tables, so that a draw is quick
    return made


_built = lru_cache(maxsize=_BUILT)(_made)
_building = Lock()
