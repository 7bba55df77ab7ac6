"""What a method tells those who audit it: its words, small versions of it, and the laws behind its draws.

A method that says nothing of itself is audited as any program is, and the rest is said to be not audited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from allonym.language.words import words as words_of
from allonym.mechanisms.base import Audited, Float64, Int64

if TYPE_CHECKING:
    from allonym.anonymizers.base import Anonymizer

_Method = TypeVar("_Method", bound="Anonymizer")

PLAIN = tuple("house water music winter doctor letter garden paper stone silver sea hill".split())  # noqa: SIM905
MOST_WORDS = 150  # of a small version
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


@dataclass(frozen=True, kw_only=True)
class Small:
    """A small version of a method: of its own class, so that whatever the class does around its draws, it does here."""

    anonymizer: Anonymizer  # the method with a few words and a small loss
    words: tuple[str, ...]  # its vocabulary, in the order of the laws
    laws: Float64 | None  # the law of one output for each word; None where it is that of the ratings a network gives
    short: Anonymizer  # the same with short outputs, if the method's own take long
    shortest: Anonymizer  # the same with the shortest ones
    roomy: Anonymizer | None = None  # the same with room for all that is drawn, where that is not so otherwise


class Auditing:
    """What an audit asks of a method; as it stands, of one that says nothing of itself."""

    in_order = False  # whether every word of a text is drawn in its place
    drawn_together = 1  # words are drawn in multiples of this; what is too many is dropped
    slow = False  # whether a text takes a second or so

    def __init__(self, method: Anonymizer) -> None:
        self.method = method

    @cached_property
    def words(self) -> Sequence[str]:
        """The words that the method can write, in the order of its mechanism's outputs; none if there is no list."""
        return ()

    def knows(self, word: str) -> bool:
        """Tell whether a document of this word alone is read as this word."""
        return word in self.words

    def known(self, count: int = len(PLAIN)) -> tuple[str, ...]:
        """Return words that the method knows: plain English ones as far as possible; fewer if it knows fewer."""
        known = [word for word in PLAIN if self.knows(word)]
        if len(known) < count:
            step = max(1, len(self.words) // 1000)
            known += [word for word in self.words[::step] if word not in known and self.knows(word)]
        return tuple(known[:count])

    def count(self, document: str) -> int:
        """Return how many words a document has, as the method counts them where it copies their number."""
        return len(words_of(document))

    def laws(self) -> Sequence[Audited | None]:
        """Return how the mechanism's law and loss are checked; None for a mechanism that does not say."""
        mechanism = getattr(self.method, "mechanism_", None)
        return [] if mechanism is None else [mechanism.audited() if hasattr(mechanism, "audited") else None]

    def law_of(self, row: int) -> Float64 | None:
        """Return the law of one output for a word of the list; None where it cannot be written out."""
        mechanism = getattr(self.method, "mechanism_", None)
        return None if mechanism is None else mechanism.law(row)

    def drawn_for(self, row: int, draws: int) -> Int64 | None:
        """Return how often each word came when the mechanism drew for one, apart from the method, in place of a law."""
        return None

    def at_small_loss(self) -> Anonymizer | None:
        """Return the method with all its words and so small a loss that each of them is likely, if it can have one."""
        return None

    def small(self) -> Small | None:
        """Return the small version."""
        return None

    def quick(self) -> Anonymizer:
        """Return a version of which many texts can be asked, and that honestly shows little of a text's form."""
        return self.method

    def in_places(self) -> Anonymizer:
        """Return a version in whose output the places of words can be told apart, if there is one."""
        return self.method


def varied(method: _Method, **params: Any) -> _Method:  # noqa: ANN401
    """Return the same method with other parameters."""
    return type(method)(**method.get_params(deep=False)).set_params(**params)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random, one for each number (splitmix64)."""
    numbers = numbers * _MIX[0]
    numbers = (numbers ^ (numbers >> _SHIFTS[0])) * _MIX[1]
    numbers = (numbers ^ (numbers >> _SHIFTS[1])) * _MIX[2]
    return numbers ^ (numbers >> _SHIFTS[2])


def made_up(shape: tuple[int, ...], start: int = 0) -> NDArray[np.float32]:
    """Return numbers from −1 to 1 for a made-up table or network; always the same ones for one start."""
    numbers = mixed(np.arange(int(np.prod(shape)), dtype=np.uint64) + np.uint64(start)) >> np.uint64(11)
    return (numbers * 2.0**-52 - 1).reshape(shape).astype(np.float32)
