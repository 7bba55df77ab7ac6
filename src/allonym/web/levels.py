"""How well a text is protected, and how much of it is left, in words that need no statistics.

There are three levels: strong, partial and weak. What attackers reached decides, at the worse end of the interval that
was measured for the setting; a proved loss decides where it rules out more than that, which only a small one does. The
rule, with the reasons for its limits, is in `docs/page.md`. A level is a function of the setting, of the proved loss
and of whether somebody edited the result: never of a figure of the original.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

Name = Literal["strong", "partial", "weak"]
Record = dict[str, Any]

STRONG_UP_TO: Final = 1 / 4  # of what attackers had over guessing
PARTIAL_UP_TO: Final = 2 / 3
# Whom a proof is put to: an attacker who knows that one of so many people wrote the text, and nothing else against it.
PEOPLE: Final = 10
EDITED: Final = (
    "You chose words yourself, with the original in sight. What was measured and proved for this method does not cover "
    "a text that was edited afterwards."
)
SEVERAL: Final = (
    "This is about one rewrite. More than one was drawn here; what attackers reach who see several was not measured."
)
_NOT_MEASURED: Final = "What attackers reach with this setting was not measured, so take it for weak."
_NO_PROOF: Final = "Nothing is proved, and without a proof no protection is called strong here."
_NOISE: Final = 1e-9  # what binary fractions may add to a figure before it is rounded up
_SHARES: Final = ("almost nothing of {}", "little of {}", "about half of {}", "most of {}")
_GIST: Final = "the gist of the meaning"  # which has no halves
_THIRD: Final = 1 / 3


@dataclass(frozen=True)
class Level:
    """How well a text is protected."""

    name: Name
    reason: str  # why, in sentences without a unit that people would have to look up

    @property
    def title(self) -> str:
        """What the level is called."""
        return f"{self.name.capitalize()} protection"

    def to_json(self) -> dict[str, str]:
        """Return everything by name."""
        return asdict(self) | {"title": self.title}


def level(measured: Record | None, index: int, *, proved: bool, total: float | None, edited: bool = False) -> Level:
    """Return the level of a text.

    Args:
        measured: The curve of the setting (`curves.json`); None where there is none.
        index: The place of the setting on it.
        proved: Whether the method has a proof.
        total: The proved loss of all that was drawn, between any two documents; None where there is no such total.
        edited: Whether somebody changed the result by hand.
    """
    if edited:
        return Level("weak", EDITED)
    ceiling = None if total is None or not proved else _left(ceiling_of(total), 1 / PEOPLE, 1.0)
    left = None if measured is None else advantage_left(measured, index)
    if ceiling is not None and (left is None or ceiling < left) and _name(ceiling) != "weak":
        return Level(_name(ceiling), _proof_in_words(total or 0.0))
    if measured is None or left is None:
        return Level("weak", _NOT_MEASURED)
    name, reason = _name(left), _attack_in_words(measured, index, left)
    return Level(name, reason) if proved or name != "strong" else Level("partial", f"{reason} {_NO_PROOF}")


def advantage_left(measured: Record, index: int) -> float | None:
    """Return how much of what attackers had over guessing is left at a position; None where it was not measured.

    The worse end of the interval counts. Where attackers were tried who had learned from rewritten texts, they count,
    too: the larger share is taken.
    """
    attack = measured["points"][index]["attack"]
    if attack is None:
        return None
    left = [_left(attack["high"], measured["chance"], measured["attack_before"]["value"])]
    if "learned" in measured:
        learned = measured["learned"]
        left.append(_left(learned["after"]["high"], measured["chance"], learned["before"]["value"]))
    return max(left)


def ceiling_of(total: float) -> float:
    """Return how often any attacker is right at most, of `PEOPLE` alike to him, against a text with this proved loss.

    Bayes: a loss ε multiplies the odds of the right writer, 1 to PEOPLE − 1, by at most e^ε.
    """
    return 1 / (1 + (PEOPLE - 1) * math.exp(-total))


def kept_in_words(kept: float, floor: float, of: str) -> str:
    """Return how much is kept, in words, by thirds of the way from what unrelated texts have in common to all of it.

    Examples:
        >>> [kept_in_words(likeness, 0.23, "the meaning") for likeness in (0.1, 0.4, 0.6, 0.95)]
        ['almost nothing of the meaning', 'little of the meaning', 'the gist of the meaning', 'most of the meaning']
    """
    share = (kept - floor) / (1 - floor)
    steps = sum(share > limit for limit in (0.0, _THIRD, 2 * _THIRD))
    worded = _SHARES[steps].format(of)
    return _GIST if worded == _SHARES[2].format("the meaning") else worded


def _left(reached: float, chance: float, before: float) -> float:
    return (reached - chance) / (before - chance)


def _name(left: float) -> Name:
    return "strong" if left <= STRONG_UP_TO else "partial" if left <= PARTIAL_UP_TO else "weak"


def _attack_in_words(measured: Record, index: int, left: float) -> str:
    """Say what attackers reached: of a hundred texts, or, where the measure is no share of texts, in words."""
    if measured["names"] != "writer":
        return f"In tests, attackers who had learned from such texts told the writer’s group {_compared(left)}."
    reached, before = measured["points"][index]["attack"]["high"], measured["attack_before"]["value"]
    return (
        f"In tests, attackers still named the right writer of up to {_of_hundred(reached)} of 100 texts "
        f"(of originals, {round(100 * before)}; by guessing, {round(100 * measured['chance'])})."
    )


def _compared(left: float) -> str:
    return next(words for limit, words in _comparisons() if left <= limit)


def _comparisons() -> Iterator[tuple[float, str]]:
    yield STRONG_UP_TO, "hardly better than by guessing"
    yield PARTIAL_UP_TO, "less well than before, and far better than by guessing"
    yield 1.0, "nearly as well as before"
    yield math.inf, "at least as well as before"


def _proof_in_words(total: float) -> str:
    right = _of_hundred(ceiling_of(total))
    return (
        f"It is proved: an attacker to whom {PEOPLE} people seem equally likely to have written the text names the "
        f"right one in at most {right} of 100 cases, whatever else he knows (by guessing, {100 // PEOPLE})."
    )


def _of_hundred(share: float) -> int:
    """Return so many of a hundred, rounded up: of an attack never less than was reached."""
    return min(100, math.ceil(100 * share - _NOISE))
