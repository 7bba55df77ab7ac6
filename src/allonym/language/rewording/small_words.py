"""Small words and links in another form: "however" is "but", "in order to" is "to", "everybody" is "everyone".

Each rule is a pattern that asks for as much of its surroundings as it takes to be sure, and what may stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from allonym.language.rewording import rules
from allonym.language.rewording.clauses import DETERMINERS
from allonym.language.rewording.edits import Edit, SentenceReader
from allonym.language.rewording.lists import listed
from allonym.language.rewording.rules import make
from allonym.language.verb_forms import infinitive
from allonym.language.words import lemma

_SUBJECT: Final = r"(?:I|you|he|she|it|we|they|the|my|your|his|our|their|this|these|those|there|nobody|everyone)\b"
_THAT_VERBS: Final = (
    "think|thinks|thought|believe|believes|believed|know|knows|knew|hope|hopes|hoped|feel|felt|say|says|said|guess|"
    "suppose|supposed|admit|admitted|imagine|swear|bet|wish|wished|realise|realised|realize|realized|sure|glad|afraid|"
    "sorry|certain|happy|told (?:me|him|her|us|them|you)|tell (?:me|him|her|us|them|you)"
)


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield what other small words could stand here."""
    yield from _patterns(reader)
    yield from _verbs(reader)


_NP: Final = r"(?:I|he|she|we|they|it|the|my|his|her|our|their|there|this)\b"
_SAME: Final = "the same in another word"
_COUNTS: Final = r"(?:\d|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty)\b)"
_OWNED: Final = r"(?:a|an|the|no|some|any|my|your|his|her|our|their|two|three|many|several)\b"
_BEFORE_WHICH: Final = "of in for to on with from by at know over under through about which or"
_REASONS: Final = "just only not is was simply it's that's partly mainly probably largely and but"
_RULES: Final = (
    make(rf"({_THAT_VERBS}) that (?=(?:I|you|he|she|we|they|there)\b)", r"\1 ", "without “that”"),
    make(
        r"(I|we|they) (think|hope|believe|know) (?=(?:I|he|she|we|they)(?:['’]\w+| \w+))",
        r"\1 \2 that ",
        "with “that”",
    ),
    make(
        r"(?<=[a-z] )which (?=(?:is|was|are|were|has|have|had|will|would|could|can|cannot|did|does|do)\b)",
        "that ",
        "the usual link",
        _BEFORE_WHICH,
    ),
    make(r"whom (?=(?:I|he|she|we|they|you)\b)", "who ", "the usual word", _BEFORE_WHICH),
    make(rf"because (?={_NP})", "since ", _SAME, _REASONS),
    make(rf"although (?={_NP})", "though ", _SAME),
    make(rf"though (?={_NP})", "although ", _SAME, "even as"),
    make(r"until (?=\w)", "till ", _SAME, "not up"),
    make(
        rf"till (?=(?:{_NP}|then|now|\d|next|last|late|after|tomorrow|morning|night|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|"
        r"Sun)day))",
        "until ",
        _SAME,
        "the a to",
    ),
    make(r"maybe (?=\w)", "perhaps ", _SAME),
    make(r"perhaps (?=\w)", "maybe ", _SAME),
    make(r"and yet (?=(?:I|he|she|we|they|it|the|my|his|her|our|their|there|nobody|no)\b)", "but ", "a shorter link"),
    make(
        r"I (?:guess|reckon|suppose) (?=(?:I|you|he|she|it|we|they|that|the|this|there)\b)", "I think ", "usual words"
    ),
    make(rf"more than (?={_COUNTS})", "over ", "a shorter word", "no not"),
    make(rf"over (?={_COUNTS})(?!\S+ (?:and|to)\b)", "more than ", "the same in other words", "all just well"),
    make(rf"(?:approximately|roughly|circa|around) (?={_COUNTS})", "about ", "a plainer word", "all turned"),
    make(r"quite a lot of\b", "a lot of", "a plainer word"),
    make(r"as soon as (?=(?:I|he|she|we|they|it|the|you)\b)", "once ", "a shorter word"),
    make(rf"(have|has|had) got (?={_OWNED})", r"\1 ", "without “got”"),
    make(rf"(I|you|we|they)['’]ve got (?={_OWNED})", r"\1 have ", "without “got”"),
    make(rf"(he|she|it)['’]s got (?={_OWNED})", r"\1 has ", "without “got”"),
)
# What stands behind a word or a comma: pattern, new, why.
_TAILS: Final = tuple(
    (re.compile(pattern), new, why)
    for pattern, new, why in (
        (r"(?<=[a-z]),? as well(?=[.,;!?])", " too", "a shorter word"),
        (r"(?<=[a-z]),? too(?=[.!?])(?<!me too)(?<!you too)", " as well", "the same in other words"),
        (r",? and then (?=[a-z])", " and ", "without “then”"),
        (rf", but (?={_NP})", ", yet ", _SAME),
        (rf", yet (?={_NP})", ", but ", _SAME),
        (r", so (?=(?:I|he|she|we|they|it|you)\b)", ", and so ", "with “and”"),
        (r"(?<=[a-z]) (?:kind|sort) of (?=(?:like|think|feel|want|know|hope|wish|agree|hate)\b)", " ", "left out"),
    )
)  # fmt: skip
_DIGITS: Final = re.compile(
    r"(?<![\d.,£$€:/\w-])(?P<number>[2-9]|1[0-2]) (?=[a-z]{3,}s\b)"
    r"(?!(?:hrs|mins|secs|mbps|kgs|lbs|was|has|pounds|dollars|euros)\b)"
)
_BEFORE_DIGITS: Final = listed("chapter page number room no row part section version at to and on step level")
_NUMBERS: Final = tuple("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905


def _patterns(reader: SentenceReader) -> Iterator[Edit]:
    yield from rules.edits(reader, _RULES)
    for pattern, new, why in _TAILS:
        for match in pattern.finditer(reader.text):
            head = reader.text[reader.sentence_at(match.start())[0] : match.start()].lower()
            if "but" not in match[0] or "not only" not in head:
                yield Edit(match.start(), match.end(), new, "small word", why)
    for match in _DIGITS.finditer(reader.text):
        ended = reader.text[: match.start()].rstrip().endswith((".", ":", "#"))
        if not ended and reader.word_before(match.start()) not in _BEFORE_DIGITS:
            yield Edit(match.start(), match.end(), f"{_NUMBERS[int(match['number'])]} ", "wording", "in words")


_WILL: Final = re.compile(
    r"\b(?P<who>I|[Yy]ou|[Hh]e|[Ss]he|[Ii]t|[Ww]e|[Tt]hey)(?: am| is| are|['’]m|['’]s|['’]re) going to "
    r"(?=(?P<verb>[a-z]+)\b)"
)
_SHALL: Final = re.compile(
    r"\b(?P<who>I|[Ww]e|[Yy]ou|[Hh]e|[Ss]he|[Ii]t|[Tt]hey) shall\b(?= (?:not |never |also )?[a-z])"
)
_MUST: Final = re.compile(r"\b(?P<who>I|[Ww]e|[Yy]ou|[Tt]hey|[Hh]e|[Ss]he) must (?=(?P<verb>[a-z]+)\b)")
_HAVE_TO: Final = re.compile(
    r"\b(?P<who>I|[Ww]e|[Yy]ou|[Tt]hey) have to (?=(?P<verb>[a-z]+)\b)|\b(?P<one>[Hh]e|[Ss]he) has to (?=[a-z]+\b)"
)
_STATES: Final = listed(
    """
be have know think seem mean feel like believe understand want say admit confess not also
    """
)


def _verbs(reader: SentenceReader) -> Iterator[Edit]:
    text = reader.text
    for match in _WILL.finditer(text):
        if _is_infinitive(match["verb"]):
            yield Edit(match.start(), match.end(), f"{match['who']} will ", "small word", "a shorter future")
    for match in _SHALL.finditer(text):
        yield Edit(match.start(), match.end(), f"{match['who']} will", "small word", "the usual future")
    for match in _MUST.finditer(text):
        if match["verb"] not in _STATES and _is_infinitive(match["verb"]):
            verb = "has" if match["who"].lower() in ("he", "she") else "have"
            yield Edit(match.start(), match.end(), f"{match['who']} {verb} to ", "small word", "the usual words")
    for match in _HAVE_TO.finditer(text):
        who = match["who"] or match["one"]
        if match["verb"] not in ("be", "have", "say", "admit") and reader.word_before(match.start()) not in (
            "do",
            "did",
            "will",
            "would",
        ):
            yield Edit(match.start(), match.end(), f"{who} must ", "small word", "a shorter word")


def _is_infinitive(word: str) -> bool:
    return (
        word not in DETERMINERS
        and (infinitive(word) or lemma(word)) == word
        and word not in ("school", "work", "bed", "town")
    )
