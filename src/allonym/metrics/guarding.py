"""How much of what matters is left: content words, denials, numbers and names, as the guard finds them.

Texts come in two lists, before and after, a text each for every document (else an InputError). A share of nothing is
NaN: a text without a number loses none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from allonym.guard import compare
from allonym.guard.report import Figures as GuardFigures
from allonym.language.words import digest
from allonym.metrics._shared import Figures, Progress, checked_pairs
from allonym.metrics.base import Measure

_MOST_KNOWN: Final = 2**16
_known: dict[bytes, GuardFigures] = {}


def notes_kept(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the share of each text's content words that are still there, themselves or by a word of their meaning.

    Example:
        >>> notes_kept(["I bought a kettle."], ["I purchased a pot."]).tolist()
        [1.0]
    """
    return _shares("notes", before, after, progress=progress)


def notes_invented(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the share of the content words of each text after that the text before did not have."""
    return _shares("invented", before, after, progress=progress)


def negations_kept(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the share of denials, those of the text after included, that are denials in both."""
    return _shares("negations", before, after, progress=progress)


def numbers_kept(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the share of each text's numbers, amounts, dates, times and telephone numbers that are still there."""
    return _shares("numbers", before, after, progress=progress)


def names_kept(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the share of each text's names that are still there."""
    return _shares("names", before, after, progress=progress)


def _shares(figure: str, before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    olds, news = checked_pairs(before, after)
    shares = np.empty(len(olds))
    for number, (old, new) in enumerate(zip(olds, news, strict=True)):
        shares[number] = getattr(_figures(old, new), figure).value
        if progress is not None:
            progress(number + 1, len(olds))
    return shares


def _figures(before: str, after: str) -> GuardFigures:
    """Return the figures of a pair; several measures ask for the same ones, so that these are remembered, not texts."""
    key = digest(before) + digest(after)
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = compare(before, after).figures
    return _known[key]


def _measure(function: Callable[..., Figures], title: str, describes_itself_as: str, **others: Any) -> Measure:  # noqa: ANN401
    name = function.__name__.replace("_", "-")
    return Measure(name, title, describes_itself_as, function, usual=False, **others)


NOTES = _measure(notes_kept, "content words kept", "share of content words that are still there")
INVENTED = _measure(
    notes_invented, "content words invented", "share of content words that were not there before",
    higher_is_better=False, untouched=0.0,
)  # fmt: skip
NEGATIONS = _measure(negations_kept, "negations kept", "share of negations that are negations in both texts")
NUMBERS = _measure(numbers_kept, "numbers kept", "share of numbers, amounts, dates and times that are still there")
NAMES = _measure(names_kept, "names kept", "share of names that are still there")
