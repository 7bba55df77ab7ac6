"""Text as A4NT's networks read it, section 4.1 of the paper: sentences whose numbers and names are classes; and back.

`sentences` splits a text as `sequences` does, into pieces of at most 30 tokens. A number becomes its class
(`<year>`), where names are sought a name becomes one token that says what it names (`<person>`). Each piece remembers
what stood there. `write` puts it back: a class gets the originals of its sentence in their order, or, when a model
wrote more of them than there were, a plain word (`someone`). So a person never reads a label unless they ask for it.

The paper has one class NUM; ours tell years, ordinals and so on apart, and small numbers are words (`7` is `seven`).

Privacy: spends nothing, and hides nothing: numbers and names that are put back are those of the original.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from allonym.language import entities, sequences
from allonym.language.sequences import NUMBER_CLASSES

LONGEST_PIECE: Final = 30
CLASSES: Final = (*NUMBER_CLASSES, *entities.LABELS)
GENERALISED: Final = NUMBER_CLASSES | {
    "<person>": "someone",
    "<place>": "a place",
    "<organisation>": "an organisation",
    "<group>": "people",
    "<event>": "an event",
    "<work>": "something",
}

# While a text is split, a class is a letter of a script dead for 3,000 years (Linear B), twice: a word of its own.
# (Once would be an initial, after which a full stop ends no sentence.)
_FIRST_MARK: Final = 0x10000
_MARKS: Final = {2 * chr(_FIRST_MARK + index): name for index, name in enumerate(CLASSES)}
_MARK_OF: Final = {name: mark for mark, name in _MARKS.items()}
_ANY_MARK: Final = re.compile("|".join(_MARKS))
# An address is left as it is: it will be unknown as a whole. A number is what `sequences` takes for one. A
# placeholder, as `write` makes them, is its class.
_NUMBER: Final = re.compile(
    rf"\[(?P<label>(?i:{'|'.join(name[1:-1] for name in CLASSES)}))\]"
    r"|(?:https?://|www\.)\S++|[\w.+-]{1,64}+@[\w-]++(?:\.[\w-]++)*+"
    r"|(?<![^\W_])(?P<number>\d++(?:[.,]\d++)*+(?:st|nd|rd|th|s)?)(?![^\W_])"
)
_CUT_AFTER: Final = frozenset({",", ";", ":", "--"})


@dataclass(frozen=True)
class MaskedSentence:
    """A sentence, or a part of a long one."""

    tokens: tuple[str, ...]  # words and marks with their case, and classes
    originals: Mapping[str, tuple[str, ...]]  # for each class, what stood there, in order
    continues: bool = False  # whether it goes on the sentence of the piece before it


def sentences(text: str, *, names: bool = False, longest: int = LONGEST_PIECE) -> list[MaskedSentence]:
    """Split a text into sentences of at most `longest` tokens; none is empty.

    Args:
        text: Any text.
        names: Whether names become classes, too; this needs `allonym[style]`.
        longest: Tokens; longer sentences are cut, after a comma or the like if there is one.

    Raises:
        MissingDependencyError: Names are asked for and spaCy is not installed.

    Examples:
        >>> piece = sentences("We met in 1987.")[0]
        >>> piece.tokens, dict(piece.originals)
        (('We', 'met', 'in', '<year>', '.'), {'<year>': ('1987',)})
    """
    marked, originals = _marked(text, names=names)
    waiting = iter(originals)
    masked: list[MaskedSentence] = []
    continues = False
    for sentence in sequences.sentences(marked):
        for part in sequences.pieces(sentence, longest):
            masked.append(_unmarked(part, waiting, continues=continues))
            continues = True
        continues = _was_cut(sentence)
    return masked


def _was_cut(sentence: Sequence[str]) -> bool:
    """Tell whether `allonym.language.sequences` cut a long sentence here."""
    full = len(sentence) == sequences.LONGEST_SENTENCE
    return full or (len(sentence) > sequences.LONGEST_SENTENCE // 2 and sentence[-1] in _CUT_AFTER)


def write(
    tokens: Sequence[str], originals: Mapping[str, Sequence[str]] | None = None, *, placeholders: bool = False
) -> str:
    """Write one sentence's tokens as text, with the originals of its classes in their order, or as placeholders.

    A class that has no more originals is written as a plain word.

    Examples:
        >>> write(["<person>", "met", "<person>", "in", "<year>", "."], {"<person>": ["Ann"], "<year>": ["1987"]})
        'Ann met someone in 1987.'
        >>> write(["in", "<year>"], placeholders=True)
        'In [year]'
    """
    waiting = {name: iter(stood) for name, stood in (originals or {}).items()}
    forms: list[str] = []
    for token in tokens:
        if token not in GENERALISED:
            forms.append(token)
        elif placeholders:
            forms.append(f"[{token[1:-1]}]")
        else:
            forms.append(next(waiting.get(token, iter(())), GENERALISED[token]))
    return sequences.write(forms)


def _marked(text: str, *, names: bool) -> tuple[str, list[str]]:
    """Put marks in the place of numbers and names; return what stood there, in order."""
    text = _ANY_MARK.sub("\ufffd\ufffd", text)
    originals: list[str] = []
    parts: list[str] = []
    end = 0
    for name in entities.find(text) if names else ():
        parts.append(_numbers_marked(text[end : name.start], originals))
        originals.append(text[name.start : name.end])
        before = " " if text[name.start - 1 : name.start].isalnum() and name.start else ""
        after = " " if text[name.end : name.end + 1].isalnum() else ""
        parts.append(f"{before}{_MARK_OF[name.label]}{after}")
        end = name.end
    parts.append(_numbers_marked(text[end:], originals))
    return "".join(parts), originals


def _numbers_marked(text: str, originals: list[str]) -> str:
    def mark(match: re.Match[str]) -> str:
        token = f"<{match['label'].lower()}>" if match["label"] else _token(match["number"] or "")
        if token not in _MARK_OF:
            return match.group()
        originals.append(match.group())
        return _MARK_OF[token]

    return _NUMBER.sub(mark, text)


@lru_cache(2**14)
def _token(number: str) -> str | None:
    tokens = sequences.tokens(number)
    return tokens[0] if len(tokens) == 1 else None


def _unmarked(tokens: Sequence[str], waiting: Iterator[str], *, continues: bool) -> MaskedSentence:
    read: list[str] = []
    originals: defaultdict[str, list[str]] = defaultdict(list)
    for token in tokens:
        if token.isascii():
            read.append(token)
            continue
        marks = _ANY_MARK.findall(token)
        for mark in marks:
            originals[_MARKS[mark]].append(next(waiting))
        # Two marks can be one word, joined by an apostrophe; what else they are joined to is not kept.
        read.extend(_MARKS[mark] for mark in marks)
        if not marks:
            read.append(token)
    return MaskedSentence(tuple(read), {name: tuple(stood) for name, stood in originals.items()}, continues)
