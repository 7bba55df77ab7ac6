"""Names of people, places and the like in English text, found by spaCy's small model.

Names that tell an author are not style: a model that learns to hide style should see that somebody was named, not who.
Each text is read on its own, so that what is found does not depend on the texts beside it.

Privacy: spends nothing. The model misses names and invents some; nothing here is a promise that none is left.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

from allonym.language import english

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
    entities: list[Entity] = []
    with nlp.memory_zone():  # forgets the words of the text at its end
        for offset, piece in english.pieces(text):
            for name in nlp(piece).ents:
                label = _LABEL_OF.get(name.label_)
                start, end = _trimmed(piece, name.start_char, name.end_char)
                if label and start < end <= start + _LONGEST_NAME and "\n" not in piece[start:end]:
                    entities.append(Entity(offset + start, offset + end, label))
    return entities


def is_open() -> bool:
    """Tell whether the model has been loaded."""
    return _model.cache_info().currsize > 0


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


@cache
def _model() -> Any:  # noqa: ANN401 - a spaCy pipeline
    return english.load("Names", unused=_UNUSED)
