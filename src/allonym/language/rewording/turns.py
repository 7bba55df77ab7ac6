"""Turns of phrase in another form: "went back to" is "returned to", "a few" is "some", "very tired" is "exhausted"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from allonym.language.rewording import rules
from allonym.language.rewording.clauses import DETERMINERS, FINITE
from allonym.language.rewording.edits import Edit, SentenceReader
from allonym.language.rewording.inflection import verb_forms
from allonym.language.rewording.rules import make

# A verb with its particle, and the one verb that says the same. Behind a colon: what must follow, or (!) must not.
_PHRASAL: Final = """
go back > return : to; come back > return : to from with home and; find out > learn : that what who how why when where
whether about; turn up > arrive : ! the a an my his her our their your; show up > arrive : ! the a an my his her our
their your; carry on > continue : ! my his her the a; point out > note : that; make sure > ensure : that i you he she
it we they the my our their his her this everyone; get rid of > remove; take part in > join; think about > consider :
the what how whether my your his her our their this that; talk about > discuss : the what how whether my your his her
our their this that it; ask for > request : a an the my more help some; deal with > handle; throw away > discard; look
into > investigate; put off > postpone; call off > cancel; hand in > submit; send back > return : ! out; give back >
return; pay back > repay; get in touch with > contact; keep an eye on > watch; put up with > tolerate; come across >
find; fill in > complete : the a an this that my your; fill out > complete; leave out > omit; sort out > settle : the
this that my our it; take place > happen; turn down > refuse : the a an my his her our their this that; speak to >
talk to; speak with > talk with; keep on > keep; put together > assemble; look over > check : the my this his her our
their; write down > note : the what my; cut down on > reduce; get hold of > reach; take care of > look after; get back
to > return to : work the my our
"""
_VERY: Final = {
    "bad": "terrible", "big": "huge", "small": "tiny", "tired": "exhausted", "good": "excellent", "angry": "furious",
    "happy": "delighted", "cold": "freezing", "hungry": "starving", "dirty": "filthy", "surprised": "astonished",
    "interesting": "fascinating", "important": "essential", "old": "ancient", "large": "huge",
    "beautiful": "gorgeous", "funny": "hilarious", "pretty": "beautiful", "scared": "terrified", "clever": "brilliant",
}  # fmt: skip
_BECOME: Final = {
    "get": "become", "gets": "becomes", "getting": "becoming", "got": "became", "gotten": "become",
}  # fmt: skip
_STATES: Final = (
    "worse|better|older|younger|later|bigger|smaller|harder|easier|angry|tired|old|dark|late|cold|hot|warm|ill|sick|bored|"
    "worried|upset|nervous|confused|annoyed|impatient|suspicious|stronger|weaker|louder|quieter|richer|poorer|closer"
)
_CLAUSE: Final = r"(?:I|he|she|we|they|it|there|the|my|his|her|our|their|this|that|anyone|anybody)\b"
_NUMBERED: Final = "how so too as very that the not my his her their our great good a these those"
_WHETHER: Final = "ask asks asked wonder wonders wondered wondering know knew see sure decide check doubt".replace(
    " ", "|"
)
_SAME: Final = "the same in another word"
_RULES: Final = (
    make(r"(my|your|his|her|its|our|their) own (?=[a-z]+(?:\s+[a-z]|[.,;!?]))", r"\1 ", "without “own”", "on of by"),
    make(
        r"every (?=(?:year|week|month|morning|evening|night|house|room|door|page|letter|child|person|member|part)\b)",
        "each ",
        _SAME,
    ),
    make(r"each (?=[a-z]{3,}\b)(?!(?:other|one|and|has|had|was|were|with|for|day|side|end)\b)", "every ", _SAME),
    make(r"a few (?=[a-z]{3,}s\b)", "some ", "a plainer word", "quite only the just every"),
    make(r"many (?=[a-z]{3,}s\b)(?!thanks\b)", "a lot of ", "the same in other words", _NUMBERED),
    make(
        r"a lot of (?=[a-z]{3,}s\b)(?!(?:news|business|stress|series|mess|loss|progress|success|process|this|his)\b)",
        "many ",
        "a plainer word",
        "quite such not rather",
    ),
    make(r"(will|would|is|are|was|were|am|has|have|had) probably (?=[a-z])", r"\1 most likely ", "in other words"),
    make(r"the whole (?=[a-z])(?!(?:of|lot|point|thing|time)\b)", "the entire ", _SAME, "on"),
    make(r"the entire (?=[a-z])", "the whole ", _SAME),
    make(r"(?:ok|okay|OK)(?=[ .,!?])(?! (?:so|then|but|now)\b)", "all right", "the usual words", "an the"),
    make(rf"({_WHETHER}) if (?={_CLAUSE})", r"\1 whether ", _SAME, "you please"),
    make(rf"({_WHETHER}) whether (?={_CLAUSE})(?!(?:\w+ ){{1,9}}or\b)", r"\1 if ", _SAME),
    make(r"so that (?=(?:I|you|he|she|it|we|they)\b)", "so ", "without “that”", "only just even not or and is was"),
    make(r"up until (?=\w)", "until ", "a shorter word"),
    make(r"these days(?=[.,])", "nowadays", _SAME, "of all in"),
    make(
        r"I(?: would|['’]d) like to (?=[a-z])(?!(?:thank|say|point|add|ask|know|apologise|apologize|think)\b)",
        "I want to ",
        "plainer words",
    ),
    make(
        r"(?:a bit|a little) (?=(?:late|early|tired|worried|upset|sad|cold|warm|odd|strange|rude|nervous|surprised|"
        r"disappointed|confused|annoyed|expensive|difficult|different|better|worse|longer|shorter|older|later|bigger|"
        r"smaller|unfair|embarrassed|frightened|noisy|slow)\b)",
        "slightly ",
        "one word",
    ),
    make(r"might (?=(?:be|have|not)\b)", "may ", _SAME, "or i he she it"),
    make(
        r"may (?=(?:be|have|not|well|also|still|need|want|find|come|take|get|seem|even|never|only)\b)",
        "might ",
        _SAME,
        "that come",
    ),
    make(r"so that ((?:\w+ ){1,3})may\b", r"so that \1can", "the usual word"),
    make(r"(you|I|we|they) may (?=(?:of course|then|also|go|use|keep|call|write)\b)", r"\1 can ", "the usual word"),
    make(r"(I|we|they|you) do (?=(?:think|believe|hope|feel|agree|like|understand|want|need|wish)\b)", r"\1 ",
         "without “do”", "what as than how where why when so nor neither which"),
    make(r"on a daily basis\b", "every day", "plainer words"),
)  # fmt: skip
_AT_ALL: Final = re.compile(r" at all(?=[.,;!?])")


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield turns of phrase in another form."""
    yield from _phrasal(reader)
    yield from rules.edits(reader, _RULES)
    for match in _AT_ALL.finditer(reader.text):
        yield Edit(match.start(), match.end(), "", "small word", "left out")
    for match in _VERY_PATTERN.finditer(reader.text):
        if reader.word_before(match.start()) not in (
            "not",
            "isn't",
            "wasn't",
            "aren't",
            "the",
            "my",
            "so",
            "too",
            "never",
        ):
            yield reader.put(match.start(), match.end(), _VERY[match[1].lower()], "wording", "one word")
    for match in _BECOME_PATTERN.finditer(reader.text):
        before = reader.word_before(match.start())
        past = match[1].lower() == "got" and before in ("have", "has", "had", "i've", "it's", "'ve")
        new = "become" if past else _BECOME[match[1].lower()]
        yield reader.put(match.start(1), match.end(1), new, "wording", "a word of the same meaning")


_VERY_PATTERN: Final = re.compile(rf"\bvery ({'|'.join(_VERY)})\b(?! (?:as|at|of|with)\b)", re.IGNORECASE)
_BECOME_PATTERN: Final = re.compile(rf"\b({'|'.join(_BECOME)}) (?=(?:{_STATES})\b)(?!late for)", re.IGNORECASE)


@cache
def _phrases() -> dict[str, tuple[str, str, frozenset[str], bool]]:
    """Return each form of each phrase: what it becomes, which form it is, what must follow, or must not."""
    table: dict[str, tuple[str, str, frozenset[str], bool]] = {}
    for entry in " ".join(_PHRASAL.split()).split(";"):
        rule, _, asked = entry.partition(" : ")
        old, _, new = (part.strip() for part in rule.partition(">"))
        verb, rest = old.split(" ", 1)
        plain, _, tail = new.partition(" ")
        words = asked.split()
        never = words[:1] == ["!"]
        for here, there in zip(verb_forms(verb), verb_forms(plain), strict=True):
            written = f"{there.form} {tail}".strip()
            known = table.get(f"{here.form} {rest}")
            if known is None or known[0] == written:
                table[f"{here.form} {rest}"] = (written, here.part, frozenset(words[never:]), never)
    return table


@cache
def _pattern() -> re.Pattern[str]:
    listed = "|".join(re.escape(phrase) for phrase in sorted(_phrases(), key=len, reverse=True))
    return re.compile(rf"(?<![\w'’-])(?:{listed})(?![\w'’-])", re.IGNORECASE)


def _phrasal(reader: SentenceReader) -> Iterator[Edit]:
    for match in _pattern().finditer(reader.text):
        new, part, asked, never = _phrases()[match[0].lower()]
        before, after = reader.word_before(match.start()), reader.word_after(match.end())
        if asked and ((after in asked) == never):
            continue
        if not asked and not after:
            continue
        if part in ("base", "s") and before in DETERMINERS | {"of", "in", "for", "with"} - {"that", "this"}:
            continue
        if part == "base" and match[0].split()[0].lower() in ("put", "come") and before in FINITE:
            continue
        yield reader.put(match.start(), match.end(), new, "wording", "one word")
