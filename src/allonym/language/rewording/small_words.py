"""Small words and links in another form: "however" is "but", "in order to" is "to", "everybody" is "everyone".

Each rule is a pattern that asks for as much of its surroundings as it takes to be sure, and what may stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from allonym.language.rewording import rules
from allonym.language.rewording.clauses import DETERMINERS, SUBJECTS, is_clause
from allonym.language.rewording.edits import Edit, Reader
from allonym.language.rewording.lists import listed
from allonym.language.rewording.rules import make
from allonym.language.verb_forms import infinitive
from allonym.language.words import lemma

_SUBJECT: Final = r"(?:I|you|he|she|it|we|they|the|my|your|his|our|their|this|these|those|there|nobody|everyone)\b"
# What may always stand for one another, both ways.
_EITHER: Final = """
everybody everyone; somebody someone; anybody anyone; nobody no one; for instance for example; for instance for example;
among amongst; while whilst; toward towards; each other one another; nevertheless nonetheless; afterwards afterward;
in spite of despite; owing to because of; at the moment at present; straight away right away
"""
# What goes one way: the plainer form stands behind the sign.
_PLAINER: Final = """
in order to > to; so as to > to; in order that > so that; due to the fact that > because; owing to the fact that >
because; in spite of the fact that > although; despite the fact that > although; in the event that > if; prior to >
before; subsequent to > after; at this point in time > now; at the present time > now; in the near future > soon; on a
regular basis > regularly; on a daily basis > every day; on a weekly basis > every week; with regard to > about; with
regards to > about; in regard to > about; in regards to > about; with respect to > about; with reference to > about;
in connection with > about; a large number of > many; a great number of > many; a great many > many; the vast majority
of > most of; the majority of > most of; lots of > a lot of; loads of > a lot of; tons of > a lot of; heaps of > a lot
of; plenty of > a lot of; a couple of > two; apart from > except for; aside from > except for; with the exception of >
except for; in excess of > more than; no fewer than > at least; not less than > at least; no less than > at least; has
the ability to > can; have the ability to > can; is able to > can; are able to > can; am able to > can; was able to >
could; were able to > could; in the process of > now; all of the > all the; all of my > all my; all of these > all
these; all of those > all those; all of our > all our; all of their > all their; both of the > both; outside of >
outside; inside of > inside; off of > off; each and every > every; once again > again; once more > again; over and
over again > again and again; even though > although; whether or not > whether; as to whether > whether; the reason
why > why; the fact that > that; whenever > when; upon > on; until such time as > until; in the meantime > meanwhile;
in the middle of > during; at all times > always; in actual fact > in fact; as a matter of fact > in fact; to be
honest > ; to be fair > ; needless to say > ; it goes without saying that > ; as far as I am concerned > to me; from
time to time > sometimes; every now and then > sometimes; now and again > sometimes; every so often > sometimes; time
and again > often; more often than not > usually; not only that > also; ought to > should; had better > should; in
advance of > before; in the course of > during; throughout the course of > throughout; by means of > by; in the
vicinity of > near; in close proximity to > near; in favour of > for; in favor of > for; as well as > and; together
with > with; along with > with; in terms of > in; in accordance with > by; take into account > consider; took into
account > considered; make use of > use; made use of > used; making use of > using; a great deal of > much; a good
deal of > much; quite a few > many; a bit of > some; regardless of the fact that > although; for the purpose of > for;
for the purposes of > for; such as > like; whereas > while; no matter what > whatever; as though > as if; on the
subject of > about; on the topic of > about; on top of that > also; by and large > mostly; for the most part > mostly;
first and foremost > first; last but not least > last; at the same time > meanwhile; not long after > soon after; a
lot more > much more; a lot less > much less; a lot better > much better; a lot worse > much worse; in my opinion > I
think; in my view > I think
"""
_THAT_VERBS: Final = (
    "think|thinks|thought|believe|believes|believed|know|knows|knew|hope|hopes|hoped|feel|felt|say|says|said|guess|"
    "suppose|supposed|admit|admitted|imagine|swear|bet|wish|wished|realise|realised|realize|realized|sure|glad|afraid|"
    "sorry|certain|happy|told (?:me|him|her|us|them|you)|tell (?:me|him|her|us|them|you)"
)


def edits(reader: Reader) -> Iterator[Edit]:
    """Yield what other small words could stand here."""
    yield from _listed(reader)
    yield from _patterns(reader)
    yield from _verbs(reader)


@cache
def _either() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    twos = {"no one", "for instance", "for example", "each other", "one another", "owing to", "because of"}
    twos |= {"in spite of", "at the moment", "at present", "straight away", "right away"}
    for entry in _EITHER.split(";"):
        line = " ".join(entry.split())
        first = next(
            (two for two in sorted(twos, key=len, reverse=True) if line.startswith(f"{two} ")), line.split()[0]
        )
        other = line[len(first) + 1 :]
        found.setdefault(first, []).append(other)
        found.setdefault(other, []).append(first)
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}


def _listed(reader: Reader) -> Iterator[Edit]:
    either, plainer = _either(), {old.lower(): new for old, new in rules.one_way(_PLAINER).items()}
    for match in rules.phrases((*either,)).finditer(reader.text):
        before = reader.word_before(match.start())
        for other in either[rules.plain(match)]:
            if other == "no one" and reader.word_after(match.end()) in ("else's", "of"):
                continue
            if rules.plain(match) in ("because of", "despite", "in spite of") and before in (
                "just",
                "only",
                "not",
                "largely",
            ):
                continue
            after = reader.word_after(match.end())
            if rules.plain(match) == "while" and before in (
                "a",
                "the",
                "any",
                "all",
                "this",
                "that",
                "short",
                "long",
                "little",
            ):
                continue
            if rules.plain(match) == "while" and after not in SUBJECTS | DETERMINERS and not after.endswith("ing"):
                continue
            yield reader.put(match.start(), match.end(), other, "small word", "the same in another word")
    for match in rules.phrases((*plainer,)).finditer(reader.text):
        old = rules.plain(match)
        if _fits(reader, match, old):
            yield from _one(reader, match, plainer[old])


def _one(reader: Reader, match: re.Match[str], new: str) -> Iterator[Edit]:
    if new:
        yield reader.put(match.start(), match.end(), new, "small word", "a plainer word")
    else:
        yield reader.leave_out(match.start(), match.end(), "small word", "left out")


def _fits(reader: Reader, match: re.Match[str], old: str) -> bool:
    """Tell whether the surroundings of a phrase let its plainer form stand."""
    before, after = reader.word_before(match.start()), reader.word_after(match.end())
    if old in ("the majority of", "the vast majority of"):
        return after in DETERMINERS
    if old == "a great deal of" or old == "a good deal of":
        return before in ("not", "without") or not after.endswith("s")
    if old == "the fact that":
        return (
            before in ("despite", "accept", "accepted", "forget", "forgot", "ignore", "know", "knew", "hide")
            and before != "despite"
        )
    if old == "as well as":
        return before not in ("just", "is", "was", "are", "it", "not", "do", "did") and after not in (
            "i",
            "he",
            "she",
            "we",
            "they",
            "ever",
            "possible",
            "you",
        )
    if old == "in terms of" or old == "in the process of" or old == "in the middle of":
        return False
    if old == "such as":
        return reader.text[match.end() : match.end() + 1] == " " and after not in (
            "it",
            "they",
            "he",
            "she",
            "i",
            "we",
            "to",
        )
    if old == "such as" or old == "whereas":
        return not reader.begins(match.start())
    if old == "upon":
        return before not in (
            "once",
            "put",
            "thereupon",
            "and",
            "house",
            "look",
            "looked",
            "frowned",
        ) and after not in ("a",)
    if old == "whenever":
        return before not in ("or", "and")
    if old in ("was able to", "were able to"):
        return before != "never"
    if old == "had better":
        return before in SUBJECTS and after not in ("not",) and lemma(after) == after
    if old in ("ought to", "is able to", "are able to", "am able to"):
        return lemma(after) == after and after not in ("have", "not") and before not in ("not", "who", "what")
    if old in ("in favour of", "in favor of"):
        return before not in ("was", "am", "is", "are", "be", "were", "ruled", "decided")
    if old == "in my opinion" or old == "in my view":
        return (
            reader.begins(match.start())
            and reader.text[match.end() : match.end() + 2] == ", "
            and _clause_after(reader, match.end() + 2)
        )
    if old == "the reason why":
        return before in ("is", "know", "explain", "understand", "see", "tell")
    if old in (
        "a couple of",
        "no matter what",
        "on top of that",
        "at the same time",
        "last but not least",
        "outside of",
        "as though",
    ):
        return old in ("a couple of", "outside of", "as though") and before not in (
            "last",
            "next",
            "first",
            "the",
            "these",
            "those",
        )
    if old in ("a bit of", "plenty of"):
        return after not in ("a", "an", "the", "them", "it")
    return True


def _clause_after(reader: Reader, place: int) -> bool:
    return is_clause(re.split(r"[,;—–]", reader.text[place : reader.sentence_at(place)[1]])[0])


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


def _patterns(reader: Reader) -> Iterator[Edit]:
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


def _verbs(reader: Reader) -> Iterator[Edit]:
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
