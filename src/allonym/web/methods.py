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
from allonym.jobs.plan import plain_parameter
from allonym.metrics.figures import percent
from allonym.privacy import Guarantee, accounting
from allonym.privacy.statement import counted, number
from allonym.web import levels
from allonym.web.levels import Level

MOST_WORDS = 20_000
LETTER, TABLE = "letter", "table"  # what people come with
_GROUPS = ("style", "readable", "numbers")  # as the page has them, from left to right
_BUILT = 6  # anonymizers kept ready: the tables of a word method take seconds to make
_BEHIND = ("points", "model", "weights", "learned", "kept_floor")  # what the page need not know of a curve
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
    suits: tuple[str, ...] = ()  # what it is offered for first: LETTER, TABLE
    counts: bool = False  # whether it gives words and their counts, and no text


_books: list[str] = []  # folders of books that this page was started with


def take_books(books: Sequence[str]) -> None:
    """Offer sentences of these books, too, in place of those of former ones."""
    _books[:] = books
    _offers.cache_clear()
    _sliders.cache_clear()


@cache
def _offers() -> dict[str, tuple[Card, Offer]]:
    """Return all that the methods offer, those that lead first within their group."""
    made = []
    for method, example in anonymizers.examples().items():
        counts = example.kind == "vectors"
        offers = {offer.name: offer for offer in example.offers()}
        offers |= {offer.name: offer for book in _books for offer in example.offers_from(book)}
        for offer in offers.values():
            group = "style" if not offer.proved else "numbers" if counts else "readable"
            suits = tuple(offer.suits)
            made.append((Card(offer.name, method, group, offer.title, offer.gives, offer.proved, suits, counts), offer))
    made.sort(key=lambda pair: (_GROUPS.index(pair[0].group), LETTER not in pair[0].suits))
    return {card.name: (card, offer) for card, offer in made}


def cards() -> list[Card]:
    """Return the cards, in the order of the page."""
    return [card for card, _ in _offers().values()]


def default(what: str = LETTER) -> str:
    """Return the card of those who press the button without reading.

    It is the first that suits what they came with and can be had; else the first readable one with a proof.
    """
    suiting = [card.name for card in cards() if what in card.suits and _can_be_had(card.name)]
    readable = [card.name for card in cards() if card.group == "readable"]
    return [*(sorted(suiting, key=_counts_first) if what == TABLE else suiting), *readable, cards()[0].name][0]


def _counts_first(name: str) -> bool:
    return not card(name).counts


def _can_be_had(name: str) -> bool:
    try:
        _sliders(name)
    except AllonymError:
        return False
    return True


@cache
def curves() -> dict[str, Record]:
    """Return what was measured for each position of each slider; made by tools/build_curves.py."""
    return dict(_stored()["curves"])


@cache
def _stored() -> Record:
    content = json.loads((files("allonym.web") / "curves.json").read_text(encoding="utf-8"))
    return dict(content)


def meaning_in_words(likeness: float) -> str:
    """Return how much of the meaning is kept, by the likeness of two texts and that of unrelated ones."""
    return levels.kept_in_words(likeness, _stored()["unrelated"]["meaning"], "the meaning")


def level(name: str, position: int, *, total: float | None, edited: bool = False) -> Level:
    """Return how well a text is protected: by what was measured with the model that ships, and by what is proved.

    `total` is the proved loss of all that was drawn, between any two documents; None where there is no such total.
    """
    measured, index = curve(name, position)
    current = measured if measured is not None and is_current(measured) else None
    return levels.level(current, index, proved=card(name).proved, total=total, edited=edited)


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
    """Return the slider that a position of a card stands on, and its index there."""
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


def shown_parameters(name: str, position: int) -> Record:
    """Return the same as it may be shown and sent: of a folder its name alone, for where it lies is nobody's business.

    >>> shown_parameters("counts", 0)
    {'epsilon': 6.9, 'words': 150}
    """
    return {key: plain_parameter(value) for key, value in parameters(name, position).items()}


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
    """Return the curve that a position lies on, if one was measured, and its index there."""
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
    for parameter, value in shown_parameters(name, position).items():
        flag = parameter.replace("_", "-")
        words += [f"--{flag}" if value else f"--no-{flag}"] if isinstance(value, bool) else [f"--{flag}", str(value)]
    return shlex.join(words)


def cost(promised: Guarantee, words: int) -> str:
    """Return the price of a text in words, rounded up."""
    loss = promised.loss_per_word or 0.0
    total = number(accounting.total(loss, words))
    each = f"ε ≤ {number(loss)} for each {promised.drawn}"
    return f"{each} × {counted(words, promised.drawn)} = {total} for the whole text"


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
        shown.append(_shown_slider(name, slider, _measured(name, slider), first))
        first += len(slider.positions)
    return {"problem": "", "sliders": shown}


def _shown_slider(name: str, slider: Slider, measured: Record | None, first: int) -> Record:
    """Return a slider with the level of each position; one that was not measured has no figures."""
    marks = [_shown_mark(name, first + index, label) for index, label in enumerate(_labels(slider))]
    if measured is None:
        return {"label": slider.label, "measured": False, "points": marks}
    points = [_shown_point(point, measured) | mark for point, mark in zip(measured["points"], marks, strict=True)]
    about = {name: value for name, value in measured.items() if name not in _BEHIND}
    about["warning"] = learned(measured) if "learned" in measured else ""
    return {"label": slider.label, "measured": True, "current": is_current(measured), **about, "points": points}


def _labels(slider: Slider) -> Sequence[str]:
    """Return what the positions are called: by number where there are not as many names as positions."""
    count = len(slider.positions)
    return slider.labels if len(slider.labels) == count else [f"{rank} of {count}" for rank in range(1, count + 1)]


def _shown_mark(name: str, position: int, label: str) -> Record:
    """Return what is said of every position: what it is called, and the level of one text that is drawn with it."""
    # Where no price is stored, tables would have to be made to know it; the draw itself then says what is proved.
    loss, words = stored(name, position) if curve(name, position)[0] is not None else (None, None)
    total = None if loss is None or words is None else accounting.total(loss, words)
    return {"label": label, "position": position, "level": level(name, position, total=total).to_json()}


def _shown_point(point: Record, measured: Record) -> Record:
    """Return a point with what it keeps in words, and the loss of its words rounded up, if it has one."""
    shown = dict(point)
    if point["kept"] is not None:
        shown["keeps"] = levels.kept_in_words(point["kept"], measured["kept_floor"], measured["kept_of"])
    if point.get("loss_per_word") is not None:
        shown["loss"] = number(point["loss_per_word"])
    return shown


@lru_cache(maxsize=_BUILT)
def _built(method: str, given: str) -> Anonymizer:
    built = anonymizers.find(method)(**json.loads(given))
    built.guarantee()  # makes the tables, so that a draw is quick
    return built
