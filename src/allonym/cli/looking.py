"""What is said of an input before anything is drawn: names in it, and a language that is not English.

Talk to its owner, never a part of an output.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from allonym.cli.talk import Talk
from allonym.formats.tables import shown
from allonym.privacy.statement import counted

if TYPE_CHECKING:
    from allonym.anonymizers.base import Anonymizer
    from allonym.formats.files import Documents
    from allonym.names import NameCounts

Handling = Literal["mark", "replace", "keep"]

_DONE: dict[Handling, str] = {
    "keep": "They stay: this method hands them on. --names replace puts placeholders there, --names mark marks them.",
    "mark": "They are marked in the output, for you to go through and to take the marks out.",
    "replace": "They become placeholders, the same for the same name within a document.",
}


def tell(talk: Talk, anonymizer: Anonymizer, documents: Documents, handling: Handling) -> NameCounts | None:
    """Say what was found out about an input, and what it holds; return the counts of names, if they matter."""
    for sentence in documents.said:
        talk.say(f"{shown(documents.source)}: {sentence}")
    tell_language(talk, documents.first_texts())
    return tell_names(talk, anonymizer, documents, handling)


def tell_language(talk: Talk, texts: Iterable[str]) -> None:
    """Say it if texts are in another language than English; it is no reason to refuse them."""
    from allonym.language import identification

    if told := identification.of_texts(texts):
        talk.say(f"Warning: {told}")


def with_names(anonymizer: Anonymizer, handling: Handling) -> Anonymizer:
    """Return a method that does about names what was asked."""
    if handling == "keep":
        return anonymizer
    from allonym.anonymizers.with_names import WithNames

    return WithNames(inner=anonymizer, handling=handling)


def tell_names(talk: Talk, anonymizer: Anonymizer, documents: Documents, handling: Handling) -> NameCounts | None:
    """Say how many names and the like the first documents hold, where the method hands them on; return the counts."""
    from allonym.anonymizers.with_names import carries_names

    if not carries_names(anonymizer):
        return None
    # Rules alone find most and start at once; where names are replaced, the model is needed anyway.
    return count_names(talk, documents.first_texts(), _DONE[handling], model=False if handling == "keep" else None)


def count_names(talk: Talk, texts: Iterable[str], then: str = "", *, model: bool | None = None) -> NameCounts:
    """Say how many names and the like are in texts, if any, and what becomes of them; return the counts."""
    from allonym import names

    counts = names.NameCounts.of(texts, model=model)
    if counts.holding:
        several = f" in {counts.holding:,} of the first {counted(counts.documents, 'document')}"
        found = f"Found{several if counts.documents > 1 else ''}: {counts}."
        talk.say(" ".join(filter(None, (found, then, names.NO_PROOF))))
    return counts
