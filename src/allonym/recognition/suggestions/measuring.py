"""The figure that suggestions are measured by: the risk of the Read screen, and what decides between equals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from allonym.recognition import profile
from allonym.recognition.reading import YOU
from allonym.recognition.recogniser import Recogniser

_STEP = 1e-9  # differences below are those of rounding


@dataclass(frozen=True)
class Risk:
    """How recognisable a text is.

    Attributes:
        share: The figure of the Read screen, from 0 to 1; None for a text that is too short for one.
        distance: How far the text's habits lie from the usual ones: what decides where the share does not move.
    """

    share: float | None
    distance: float

    def less_than(self, other: Risk) -> bool:
        """Tell whether a text with this risk is less recognisable than one with the other."""
        return self.order < (other.order[0] - _STEP, 0.0) or (
            self.order[0] <= other.order[0] + _STEP and self.distance < other.distance - _STEP
        )

    @property
    def order(self) -> tuple[float, float]:
        """What risks are sorted by."""
        return (0.0 if self.share is None else self.share, self.distance)


RiskOf = Callable[[str], Risk]


def risk_of(text: str, recogniser: Recogniser | None = None, me: str = YOU) -> Risk:
    """Return the risk of a text: to attackers trained on known writers, or by the profile of many public ones."""
    if recogniser is not None:
        return Risk(recogniser.risk(text, me), 0.0)
    shipped = profile.shipped()
    comparison = shipped.compare(text)
    return Risk(None if comparison is None else comparison.rarer_than, shipped.distance(text))
