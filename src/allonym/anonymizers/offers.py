"""How people are offered a method who do not read its parameters: by a title, a sentence and a slider."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

STRENGTHS = ("strongest", "strong", "middle", "close", "closest")  # from more protection to more of the text


@dataclass(frozen=True)
class Slider:
    """Settings from the most protection to the most of the text."""

    positions: Sequence[Mapping[str, Any]]  # the parameters of each position
    labels: Sequence[str] = STRENGTHS  # what each position is called
    label: str = ""  # what tells this slider from others of the same offer
    curve: str = ""  # the name under which its positions were measured, if they were; by default that of the offer


@dataclass(frozen=True)
class Offer:
    """One way to use a method."""

    name: str  # what programs call it
    title: str  # what people call it
    gives: str  # what comes out, in a clause
    # Its settings, looked up when they are needed: they may depend on the models that are installed. Raises
    # an `AllonymError` where it cannot be had.
    sliders: Callable[[], Sequence[Slider]]
    proved: bool = True  # whether its loss is proved
    suits: Collection[str] = ()  # what people are offered it for first: "letter", "table"
