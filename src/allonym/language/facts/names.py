"""Names by their capital letters alone: what needs no model, is the same everywhere, and misses what it misses.

A capital inside a sentence makes a name, unless the word is one that English always writes so (I, English months are
dates). At a sentence's beginning every word has one, so there a word is a name if another name follows it, a title
stands before it, it stands elsewhere in the text with a capital inside a sentence, or no dictionary has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from allonym.language.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

_TITLES: Final = frozenset(
    """
mr mrs ms miss mx dr prof professor sir dame lord lady rev reverend father sister captain sergeant judge president
inspector constable officer st
    """.split()  # noqa: SIM905
)
# Written with a capital and nobody's name, or with one in salutations and shouting.
NO_NAMES: Final = frozenset(
    """
i ok tv pc cd dvd gp id pin pdf usb sms gps faq faqs diy asap fyi am pm sir madam dear hello hi hey mum mom dad mummy
daddy grandma grandpa god internet thanks thank regards sincerely yours best kind yes no oh ps pps re cc subject
christmas easter whom
    """.split()  # noqa: SIM905
)
# At the beginning of a sentence these are no part of the name that follows: "Yesterday Anna left".
OPENERS: Final = frozenset(
    """
yesterday today tomorrow tonight unfortunately luckily fortunately sadly apparently recently finally suddenly yours
please according thanks dear hello hi hey tell ask asked told met saw call called
    """.split()  # noqa: SIM905
)
# Names that begin sentences and are words of a dictionary, too: those most borne, and places most written about.
GIVEN: Final = frozenset(
    """
adam alan alex alexander alice amy andrea andrew angela ann anna anne anthony barbara ben benjamin betty brian carl
carol caroline catherine charles charlie chris christine christopher claire clare colin daniel david deborah dennis
diana donald donna dorothy ed edward elizabeth emily emma eric evelyn fatima fiona frances francis fred gary george
gordon graham hannah harry heather helen henry hugh ian isabel jack jacob james jane janet jason jean jeff jennifer
jessica jill jim joan joe john jonathan joseph joyce judith judy julia julie karen karim kate katherine keith kelly
ken kenneth kevin kim larry laura lauren leo liam lily linda lisa louise lucy luke margaret maria marie martin mary
matthew maya megan melissa michael michelle mike mohammed monica nancy natalie neil nicholas nicola nicole nigel noah
nora oliver olivia pamela patricia paul paula peter philip phoebe rachel ralph raymond rebecca richard robert roger
ronald rose roy russell ruth ryan sally sam samantha samuel sandra sara sarah scott sean sharon simon sofia sophia
sophie stella stephanie stephen steve steven stuart sue susan tara ted teresa thomas tim timothy tina toby tom tony
tracy trevor valerie vanessa vera victor victoria vincent virginia walter wendy william zoe
    """.split()  # noqa: SIM905
)
PLACES: Final = frozenset(
    """
africa america amsterdam asia athens australia austria barcelona beijing belfast belgium berlin birmingham boston
brazil bristol britain brussels canada cardiff chicago china cuba delhi denmark dublin edinburgh egypt england europe
finland florida france geneva germany ghana glasgow greece hamburg holland hungary india iran iraq ireland israel
italy japan jerusalem kenya korea leeds lisbon liverpool london madrid manchester mexico milan moscow mumbai munich
nigeria norway oxford pakistan paris poland portugal prague rome russia scotland seoul sheffield singapore spain
stockholm sweden switzerland sydney syria texas tokyo toronto turkey ukraine vienna vietnam wales warsaw washington
york zurich
    """.split()  # noqa: SIM905
)

_WORD: Final = r"[^\W\d_](?:[^\W\d_]|['’](?=[^\W\d_])|\.(?=[A-Z]\b)|[-](?=[^\W\d_]))*+"
_TOKEN: Final = re.compile(
    rf"(?P<word>{_WORD})|(?P<end>[.!?…:]+[\"'”’)\]]*|\n\s*\n|^[ \t]*[-*•]|[\"“‘(\[])|(?P<other>[^\s\w])", re.M
)
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_JOINS: Final = frozenset(
    {"of", "de", "del", "della", "di", "da", "van", "von", "der", "den", "la", "le", "bin", "al", "the", "and", "&"}
)
_ONLY_PARTICLES: Final = frozenset(
    {"de", "del", "della", "di", "da", "van", "von", "der", "den", "la", "le", "bin", "al"}
)
_SHORT: Final = re.compile(r"(?:mr|mrs|ms|dr|st|prof|rev|[a-z])", re.IGNORECASE)


class Name(NamedTuple):
    """A name: where it stands, and its words in lower case, without a title."""

    start: int
    end: int
    value: str


class _Word(NamedTuple):
    start: int
    end: int
    text: str
    first: bool  # of its sentence
    touching: bool  # only blanks between it and the word before


def find(text: str) -> Iterator[Name]:
    """Yield names in order."""
    words = list(_words(text))
    inner = {word.text.lower() for word in words if not word.first and _capital(word.text)}
    inner -= {word.text for word in words if word.text.islower()}
    flags = [_is_name(words, index, inner) for index in range(len(words))]
    _unflag_headings(words, flags)
    index = 0
    while index < len(words):
        if not flags[index]:
            index += 1
            continue
        last = _last(words, flags, index)
        name = _made(text, words[index : last + 1])
        if name is not None:
            yield name
        index = last + 1


def _words(text: str) -> Iterator[_Word]:
    """Yield words with whether they begin a sentence."""
    first, touching, before = True, False, ""
    for match in _TOKEN.finditer(text):
        if match["word"]:
            start, end = match.span()
            cut = _POSSESSIVE.search(match[0])
            end = start + cut.start() if cut and cut.start() else end
            yield _Word(start, end, text[start:end], first, touching)
            first, touching, before = False, True, match[0]
        elif match["end"]:
            # A point after a title or an initial ends nothing.
            abbreviated = match[0] == "." and _SHORT.fullmatch(before)
            first, touching = first or not abbreviated, bool(abbreviated)
        else:
            touching = match["other"] == "&"


def _capital(word: str) -> bool:
    return word[:1].isupper()


def _is_name(words: list[_Word], index: int, inner: set[str]) -> bool:
    word = words[index]
    lowered = word.text.lower()
    if not _capital(word.text) or lowered in NO_NAMES or lowered.partition("'")[0].partition("’")[0] in NO_NAMES:
        return False
    if len(word.text) == 1 and word.first:
        return False
    if lowered in STOP_WORDS or lowered.replace("’", "'").partition("'")[0] in STOP_WORDS:
        return False
    if not word.first:
        return True
    after = words[index + 1] if index + 1 < len(words) else None
    followed = after is not None and after.touching and not after.first and _capital(after.text)
    if followed and after is not None and after.text.lower() not in NO_NAMES | STOP_WORDS and lowered not in OPENERS:
        return not (word.text.isupper() and after.text.isupper()) or _unknown(lowered)
    return lowered in inner or lowered in GIVEN or lowered in PLACES or (len(lowered) > 2 and _unknown(lowered))


def _unknown(lowered: str) -> bool:
    """Tell whether no dictionary has a word, however it is inflected."""
    return lowered.isalpha() and not any(_is_known()(form, "en") for form in (lowered, lowered.rstrip("s")) if form)


@cache
def _is_known() -> Callable[[str, str], bool]:
    from simplemma import is_known  # late: its dictionaries take a while

    function: Callable[[str, str], bool] = is_known
    return function


def _unflag_headings(words: list[_Word], flags: list[bool]) -> None:
    """Take flags from words of a line or sentence of which nearly all have a capital: a heading, or shouting."""
    start = 0
    for stop in [*(index for index, word in enumerate(words) if word.first and index), len(words)]:
        long = [index for index in range(start, stop) if len(words[index].text) > 3]
        capital = [index for index in long if _capital(words[index].text)]
        if len(long) > 3 and len(capital) >= 0.9 * len(long):
            for index in range(start, stop):
                flags[index] = flags[index] and _unknown(words[index].text.lower())
        start = stop


def _last(words: list[_Word], flags: list[bool], index: int) -> int:
    """Return the last word of the name that begins here."""
    last = index
    while last + 1 < len(words) and words[last + 1].touching:
        if flags[last + 1] and not words[last + 1].first:
            last += 1
            continue
        reach = last + 1
        while reach < len(words) and words[reach].touching and words[reach].text.lower() in _ONLY_PARTICLES:
            reach += 1
        if words[last + 1].text.lower() == "of":
            reach = last + 2
        if reach == last + 1 or reach >= len(words) or not (flags[reach] and words[reach].touching):
            break
        last = reach
    return last


def _made(text: str, words: list[_Word]) -> Name | None:
    """Return the name that these words are; a title alone is none."""
    parts = [word.text.lower().replace("’", "'") for word in words]
    while parts and parts[0].rstrip(".") in _TITLES and parts[0] != "st":
        del parts[0]
    if not parts:
        return None
    return Name(words[0].start, words[-1].end, " ".join(parts))
