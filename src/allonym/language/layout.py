"""Lines and paragraphs of a plain text: which line breaks are meant, and which only wrap a long line.

Privacy: spends nothing, and hides nothing: lines are those of the original.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

# Columns that people wrap text at. Shorter lines are verse, a list or an address; in longer ones nothing was wrapped.
_WIDTHS: Final = range(40, 101)


def lines(text: str) -> list[str]:
    r"""Return the lines that the writer meant, without blanks around them; an empty one stands between paragraphs.

    A break is taken for wrapping where the next line's first word would not have fitted into the paragraph's longest
    line. Several blank lines count as one, and there is none at the ends.

    Examples:
        >>> lines("Dear Ann,\n\n\nthank you for the letter that you sent me\nlast week.\nBen\n")
        ['Dear Ann,', '', 'thank you for the letter that you sent me last week.', 'Ben']
    """
    meant: list[str] = []
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        if stripped := " ".join(line.split()):
            paragraph.append(stripped)
        elif paragraph:
            meant += ([""] if meant else []) + _unwrapped(paragraph)
            paragraph = []
    return meant


def _unwrapped(paragraph: list[str]) -> list[str]:
    """Join the lines of a paragraph that only wrap."""
    width = max(map(len, paragraph))
    joined = paragraph[:1]
    for line, following in pairwise(paragraph):
        first_word = following.partition(" ")[0]
        if width in _WIDTHS and len(line) + 1 + len(first_word) > width:
            joined[-1] += f" {following}"
        else:
            joined.append(following)
    return joined
