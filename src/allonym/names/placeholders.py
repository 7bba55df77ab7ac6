"""Placeholders in the place of names: the same for the same name within a document, and no table of them anywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from allonym.names.finding import PLACEHOLDER, Kind, Mention, find

_SHORTEST_KNOWN: Final = 3  # signs of what is looked for again: "Al" would be found in half of the words


class Placed(NamedTuple):
    """A mention with the placeholder that stands for it."""

    mention: Mention
    placeholder: str


def label(kind: Kind, number: int) -> str:
    """Return a placeholder.

    Examples:
        >>> label("e-mail", 2)
        '[E-MAIL 2]'
    """
    return f"[{kind.upper()} {number}]"


def placed(text: str, mentions: Iterable[Mention]) -> tuple[Placed, ...]:
    """Give each mention its placeholder: numbered in the order in which things first occur, each kind by itself.

    A part of one person's name stands for that person: "Ms Hu" after "Anna Hu". Where two bear it, it is a third.
    """
    named = tuple(mentions)
    beyond: Counter[str] = Counter()  # placeholders that the text has already keep their numbers to themselves
    for match in PLACEHOLDER.finditer(text):
        kind = match[0][1:].partition(" ")[0].lower()
        beyond[kind] = max(beyond[kind], int(match[1]))
    whole = _whole_names(named)
    numbers: dict[tuple[Kind, str], int] = {}
    result = []
    for mention in named:
        key = (mention.kind, whole.get(mention.value, mention.value) if mention.kind == "name" else mention.value)
        if key not in numbers:
            beyond[mention.kind] += 1
            numbers[key] = beyond[mention.kind]
        result.append(Placed(mention, label(mention.kind, numbers[key])))
    return tuple(result)


def replaced(text: str, before: str = "", *, model: bool | None = None) -> str:
    """Return a text with placeholders for the names and the like in it.

    What is found in `before`, the text that it was made from, is replaced wherever it still stands as it was.

    Examples:
        >>> replaced("Anna Hu called Leeds. Ms Hu paid £5 there.", model=False)
        '[NAME 1] called [PLACE 1]. [NAME 1] paid [AMOUNT 1] there.'
    """
    return _written(text, before, lambda mention, words: mention.placeholder, model=model)


def marked(text: str, before: str = "", *, model: bool | None = None) -> str:
    """Return a text in which each of them stands in brackets behind its placeholder, for a person to go through.

    Examples:
        >>> marked("Anna left.", model=False)
        '[NAME 1: Anna] left.'
    """
    return _written(text, before, lambda mention, words: f"{mention.placeholder[:-1]}: {words}]", model=model)


def _written(text: str, before: str, write: Callable[[Placed, str], str], *, model: bool | None) -> str:
    mentions = find(text, model=model)
    if before and before != text:
        mentions = _with_known(
            text, mentions, {before[mention.start : mention.end]: mention for mention in find(before, model=model)}
        )
    pieces, position = [], 0
    for hidden in placed(text, mentions):
        start, end = hidden.mention.start, hidden.mention.end
        pieces += [text[position:start], write(hidden, text[start:end])]
        position = end
    return "".join([*pieces, text[position:]])


def _with_known(text: str, mentions: tuple[Mention, ...], known: dict[str, Mention]) -> tuple[Mention, ...]:
    """Add what is known from another text and stands here, too, but where something longer was found."""
    words = sorted((name for name in known if len(name) >= _SHORTEST_KNOWN), key=len, reverse=True)
    if not words:
        return mentions
    again = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
    spans = [(match.start(), match.end(), known[match[0]]) for match in again.finditer(text)]
    extra = [Mention(mention.kind, start, end, mention.value) for start, end, mention in spans]
    added = [
        mention
        for mention in extra
        if not any(mention.start < other.end and other.start < mention.end for other in mentions)
    ]
    return tuple(sorted([*mentions, *added], key=lambda mention: mention.start))


def _whole_names(mentions: Iterable[Mention]) -> dict[str, str]:
    """Return, for each name that is a part of just one longer name of the document, that longer name."""
    names = list(dict.fromkeys(mention.value for mention in mentions if mention.kind == "name"))
    parts = {name: set(re.split(r"[ -]", name)) for name in names}
    longer = {name: [other for other in names if parts[name] < parts[other]] for name in names}
    return {name: others[0] for name, others in longer.items() if len(others) == 1}
