"""A measured number with its interval, and how numbers are written: once, for reports, screens and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
NOT_MEASURED = "–"

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Figure:
    """A measured number with its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of_resamples(cls, value: float, resampled: Floats) -> Figure:
        """Return a number with the percentile interval of what resamples of the documents gave."""
        tail = (1 - CONFIDENCE) / 2
        low, high = np.quantile(resampled, [tail, 1 - tail])
        return cls(value, float(low), float(high))

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Figure:
        """Return what `to_json` wrote, whatever stands beside it."""
        return cls(stored["value"], stored["low"], stored["high"])

    @property
    def numbers(self) -> tuple[float, float, float]:
        """The value and the ends."""
        return self.value, self.low, self.high

    def to_json(self) -> dict[str, float]:
        """Return the three numbers by name."""
        return asdict(self)

    def in_percent(self) -> str:
        """Write a share and its interval in per cents."""
        return f"{percent(self.value)} ({interval(self.low, self.high)})"

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


def spread(
    figure: dict[str, float] | None, digits: int = 3, *, value: str = "value", nothing: str = NOT_MEASURED
) -> str:
    """Write a stored figure for a table: its value, and in brackets its interval where it has one.

    >>> spread({"value": 0.5, "low": 0.4, "high": 0.625}, 2), spread(None)
    ('0.50 (0.40–0.62)', '–')
    """
    if figure is None:
        return nothing
    ends = "" if figure["low"] is None else f" ({figure['low']:.{digits}f}–{figure['high']:.{digits}f})"
    return f"{figure[value]:.{digits}f}{ends}"


def percent(share: float, digits: int = 0) -> str:
    """Write a share in per cents, but never round one to all or nothing. The page's scripts have the same rule.

    >>> percent(0.623), percent(0.999), percent(0.002), percent(1), percent(0.0004, 1)
    ('62 %', 'over 99 %', 'under 1 %', '100 %', 'under 0.1 %')
    """
    scale = 10**digits
    parts = math.floor(100 * scale * share + 0.5)
    if 0 < share < 1 and not 0 < parts < 100 * scale:
        end = ("under", 1 / scale) if parts < 1 else ("over", 100 - 1 / scale)
        return f"{end[0]} {end[1]:.{digits}f} %"
    return f"{parts / scale:.{digits}f} %"


def rounded_percent(share: float, *, signed: bool = False) -> str:
    """Write a share, or the difference of two, for a column of a table: rounded, even to all or nothing.

    >>> rounded_percent(0.623), rounded_percent(0.999), rounded_percent(0.05, signed=True)
    ('62%', '100%', '+5%')
    """
    return f"{share:{'+' if signed else ''}.0%}"


def interval(low: float, high: float) -> str:
    """Write the ends of an interval in per cents.

    >>> interval(0.31, 0.446), interval(0.0, 0.998), interval(0.996, 0.998)
    ('31–45 %', '0–over 99 %', 'over 99 %')
    """
    first, last = percent(low), percent(high)
    return last if first == last and not last[0].isdigit() else f"{first.removesuffix(' %')}–{last}"
