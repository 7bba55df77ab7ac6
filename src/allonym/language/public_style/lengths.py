"""Sentences of a usual length: long ones are cut where a clause with its own subject begins, short ones joined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

LONG: Final = 22  # words: from here a sentence is cut, if it can be
_SHORTEST_PART: Final = 6
SHORT: Final = 7  # words: two of at most so many are joined
_SUBJECT: Final = (
    "(?:I|you|he|she|we|they|it|there|this|that|these|those|nobody|no one|everyone|someone"
    "|my|your|his|her|our|their|the)"
)
_VERB_SOON: Final = (
    r"(?=(?: \w+){0,4}? "
    r"(?:am|is|are|was|were|be|has|have|had|do|does|did|will|would|can|could|cannot|should|must|may|might"
    r"|\w{2,}ed|went|came|said|told|got|made|took|gave|left|paid|sent|found|knew|saw|thought|felt|kept|put|wrote|lost)\b)"
)
_BORDER: Final = re.compile(rf",? (?P<link>and|but|so) (?P<subject>{_SUBJECT}\b){_VERB_SOON}")
_JOINS_NOT: Final = re.compile(
    r"^(?:but|so|and|because|or|please|thank|dear|yours|also|then|if|when|who|what|why|how|where)\b", re.IGNORECASE
)
_STARTS_WITH_SUBJECT: Final = re.compile(rf"^{_SUBJECT}\b", re.IGNORECASE)
_HAS_VERB: Final = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|do|does|did|will|would|can|could|cannot|should|must|may|might|\w{2,}ed|went|came|said"
    r"|told|got|made|took|gave|left|paid|sent|found|knew|saw|thought|felt|kept|wrote|lost)\b"
)  # fmt: skip


def cut(sentence: str) -> list[str]:
    """Cut a long sentence where a clause begins that can stand alone.

    Examples:
        >>> cut("We all waited in the cold for an hour with two small children, but you had no idea why it was shut.")
        ['We all waited in the cold for an hour with two small children.', 'But you had no idea why it was shut.']
    """
    if len(sentence.split()) < LONG or sentence.endswith("?"):
        return [sentence]
    for border in _BORDER.finditer(sentence):
        before, after = sentence[: border.start()], sentence[border.start("subject") :]
        if min(len(before.split()), len(after.split())) >= _SHORTEST_PART and _HAS_VERB.search(before):
            link = {"and": "", "but": "But ", "so": "So "}[border["link"]]
            return [f"{before.rstrip(',')}.", *cut(_capital(after) if not link else link + after)]
    return [sentence]


def joined(sentences: Sequence[str]) -> list[str]:
    """Join pairs of short statements.

    Examples:
        >>> joined(["I was ill.", "I could not come.", "Why did you not call?"])
        ['I was ill, and I could not come.', 'Why did you not call?']
    """
    done: list[str] = []
    for sentence in sentences:
        if done and _joins(done[-1], sentence):
            first = sentence.partition(" ")[0]
            rest = sentence if first == "I" else sentence[0].lower() + sentence[1:]
            done[-1] = f"{done[-1].rstrip('.')}, and {rest}"
        else:
            done.append(sentence)
    return done


def _joins(before: str, after: str) -> bool:
    short = max(len(before.split()), len(after.split())) <= SHORT
    plain = before.endswith(".") and after.endswith(".") and ", and " not in before and not before.endswith("etc.")
    clauses = _HAS_VERB.search(before) and _HAS_VERB.search(after) and _STARTS_WITH_SUBJECT.match(after)
    return bool(short and plain and clauses and not _JOINS_NOT.match(after) and not _JOINS_NOT.match(before))


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
