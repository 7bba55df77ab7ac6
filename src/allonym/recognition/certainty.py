"""What public corpora say about how sure an attacker may be: a shipped table of a few numbers.

The known texts of one user are few. How steep the step from scores to probabilities is, and how far a stranger's text
stands below a known writer's, is therefore learned from them *and* from what `tools/measure_check.py` measured on
authors of public corpora, who are in none of the corpora's reported parts. The table holds no text and no name.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from allonym.metrics.figures import Figure

TABLE = "certainty.json"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Steepness:
    """How steep the step from scores to probabilities was elsewhere: a normal law of its logarithm.

    Scores are counted in their own spread, so that attackers can be compared.

    Attributes:
        mean: Of the logarithm.
        spread: Its standard deviation.
        shift: What is added after learning: texts asked about are not quite like pieces of known texts.
    """

    mean: float
    spread: float
    shift: float


@dataclass(frozen=True)
class ErrorRates:
    """How often the answer to “by none of these?” was wrong.

    Attributes:
        strangers_taken: Share of strangers' texts that were taken for a known writer's.
        known_refused: Share of known writers' texts that were called a stranger's.
        authors: How many writers were known.
        words: About how long the texts were.
        known_writers: Whether it was measured on the known writers themselves; otherwise on public corpora.
    """

    strangers_taken: Figure
    known_refused: Figure
    authors: int
    words: int
    known_writers: bool

    def __str__(self) -> str:
        measured_on = (
            "With some of these writers left out"
            if self.known_writers
            else f"On public texts of about {self.words:,} words, {self.authors} writers known"
        )
        return (
            f"{measured_on}, {self.strangers_taken.in_percent()} of strangers' texts were taken for a known writer's, "
            f"and {self.known_refused.in_percent()} of known writers' for a stranger's."
        )

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Read what `asdict` gave."""
        figures = {name: Figure(**stored[name]) for name in ("strangers_taken", "known_refused")}
        return cls(**{**stored, **figures})


@dataclass(frozen=True)
class Outsiders:
    """How strangers' texts stood elsewhere: logit of a stranger's probability = constant + slope · signal.

    The signal is how far the likeliest writer stands out, in units of known writers' texts (`strangers`).

    Attributes:
        constant: Of the logit.
        slope: Of the logit.
        curvature: How sharply the log-loss of one text rises around these two.
        authors: How many known authors they count for.
        shift: What is added to the constant after learning.
        errors: How often such answers were wrong, for several numbers of authors and lengths.
    """

    constant: float
    slope: float
    curvature: tuple[tuple[float, float], tuple[float, float]]
    authors: float
    shift: float
    errors: tuple[ErrorRates, ...]

    def nearest_errors(self, authors: int, words: int) -> ErrorRates:
        """Return the error rates measured most nearly as here, in proportion."""

        def far(one: ErrorRates) -> float:
            return abs(math.log(one.words / words)) + abs(math.log(one.authors / authors))

        return min(self.errors, key=far)


@dataclass(frozen=True)
class Certainty:
    """The whole table."""

    steepness: Steepness
    outsiders: Outsiders

    def to_json(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Read what `to_json` gave."""
        outsiders = dict(stored["outsiders"])
        outsiders["curvature"] = tuple(tuple(row) for row in outsiders["curvature"])
        outsiders["errors"] = tuple(ErrorRates.from_json(one) for one in outsiders["errors"])
        return cls(Steepness(**stored["steepness"]), Outsiders(**outsiders))


@cache
def shipped() -> Certainty:
    """Return the shipped table."""
    stored = json.loads(resources.files(__package__).joinpath(TABLE).read_text("utf-8"))
    return Certainty.from_json(stored["certainty"])
