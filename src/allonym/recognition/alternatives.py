"""Other words for one stretch of a text, in its sentence: what the rules of rewording allow and its neighbours bear.

For a stretch that somebody points at, such as a drawn word. What lowers the risk of a text of one's own, and by how
much, says `suggestions`. Privacy: spends nothing, and protects nothing: whoever chooses by hand chooses with the
original in mind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from allonym.language.rewording import SentenceReader, possible
from allonym.recognition.suggestions import fitting

MOST: Final = 8
_REACH: Final = 2_000  # characters around the stretch that are read


def at(text: str, start: int, stop: int) -> list[str]:
    """Return what could stand in the place of a stretch, without the stretch itself.

    Examples:
        >>> at("I don't agree.", 2, 7), at("The blue tree.", 4, 8)
        (['do not'], [])
    """
    low = max(0, start - _REACH)
    reader = SentenceReader(text[low : stop + _REACH])
    first, last = start - low, stop - low
    inside = [edit for edit in possible(reader) if first <= edit.start and edit.stop <= last]
    whole = [
        replace(
            edit,
            start=first,
            stop=last,
            new=edit.apply(reader.text)[first : last + len(edit.new) - edit.stop + edit.start],
        )
        for edit in inside
        if fitting.fits(edit, reader)
    ]
    words = dict.fromkeys(edit.new for edit in whole)
    return [new for new in words if new.strip() and new != text[start:stop]][:MOST]
