"""What is carried through a translation as it stands: it leaves the text as a sign that networks copy, and comes back.

Quotations, addresses, telephone numbers and words of other scripts are carried. Names, numbers and dates go through the
networks, which mostly keep them; a version that lost one is not written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from allonym.language import facts

_KINDS: Final = frozenset({"quotation", "link", "e-mail", "phone"})
_SIGN: Final = re.compile(r"XQ\d+")
_FOREIGN: Final = re.compile(
    r"\S{65,}|(?:(?=\w)[^\u0000-\u024f\u1e00-\u1eff\u2010-\u2027])+(?:[^\w\n]*(?=\w)[^\u0000-\u024f\u1e00-\u1eff\u2010-\u2027])*"
)
_QUOTED: Final = re.compile(r"^[\"'“”‘«](.*)[\"'“”’»]$", re.DOTALL)
_ENDS: Final = re.compile(r"[.!?][\"'”’»]$")


@dataclass(frozen=True)
class Carried:
    """A text with signs in it.

    Attributes:
        text: The text with a sign for each thing carried.
        things: What the signs stand for, in order.
    """

    text: str = field(repr=False)
    things: tuple[str, ...] = field(repr=False)

    def put_back(self, text: str) -> str:
        """Return a text with the things in the places of their signs."""
        return _SIGN.sub(lambda sign: _thing(self.things, sign[0]), text)


def carry(text: str) -> Carried:
    """Put a sign in the place of each thing that is carried.

    Examples:
        >>> carried = carry("Write to a@b.org or call.")
        >>> carried.text, carried.put_back("Call, or write to XQ1.")
        ('Write to XQ1 or call.', 'Call, or write to a@b.org.')
    """
    kept, parts, end = list[str](), list[str](), 0
    for start, stop in _places(text):
        if start >= end:
            thing = text[start:stop]
            kept.append(_in_one_form(thing))
            # A quotation that ends a sentence ends it without its inside, too.
            stops = "." if _ENDS.search(thing) and text[stop : stop + 2].strip()[:1].isupper() else ""
            blanks = [" " if sign.isalnum() else "" for sign in (text[end:start][-1:], text[stop : stop + 1])]
            parts.append(f"{text[end:start]}{blanks[0]}XQ{len(kept)}{stops or blanks[1]}")
            end = stop
    return Carried("".join(parts) + text[end:], tuple(kept))


def same_signs(one: str, other: str) -> bool:
    """Tell whether two texts have the same signs, each as often."""
    return Counter(_SIGN.findall(one)) == Counter(_SIGN.findall(other))


def without_signs(text: str) -> str:
    """Return a text in which what looks like a sign is none."""
    return _SIGN.sub(lambda sign: f"X-{sign[0][1:]}", text)


def _places(text: str) -> Iterator[tuple[int, int]]:
    facts_found = [(fact.start, fact.end) for fact in facts.find(text) if fact.kind in _KINDS]
    foreign = [match.span() for match in _FOREIGN.finditer(text)]
    yield from sorted(facts_found + foreign)


def _in_one_form(thing: str) -> str:
    """Write the marks of a quotation in one way."""
    quoted = _QUOTED.match(thing)
    return f'"{quoted[1]}"' if quoted else thing


def _thing(things: Sequence[str], sign: str) -> str:
    number = int(sign[2:])
    return things[number - 1] if 0 < number <= len(things) else sign
