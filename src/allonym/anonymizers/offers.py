"""How people are offered a method who do not read its parameters: by a title, a sentence and a slider."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

STRENGTHS = ("strongest", "strong", "middle", "close", "closest")  # from more protection to more of the text


@dataclass(frozen=True)
class Slider:
    """Settings from the most protection to the most of the text.

    Attributes:
        positions: The parameters of each position.
        labels: What each position is called.
        label: What tells this slider from others of the same offer.
        curve: The name under which its positions were measured, if they were; by default that of the offer.
    """

    positions: Sequence[Mapping[str, Any]]
    labels: Sequence[str] = STRENGTHS
    label: str = ""
    curve: str = ""


@dataclass(frozen=True)
class Offer:
    """One way to use a method.

    Attributes:
        name: What programs call it.
        title: What people call it.
        gives: What comes out, in a clause.
        sliders: Its settings, looked up when they are needed: they may depend on the models that are installed. Raises
            an `AllonymError` where it cannot be had.
        proved: Whether its loss is proved.
    """

    name: str
    title: str
    gives: str
    sliders: Callable[[], Sequence[Slider]]
    proved: bool = True
