"""Spelling in the usual way: the other side of the ocean's, a misspelling mended, an apostrophe put in, no shouting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from allonym.language.function_words import AMERICAN_SPELLINGS, BRITISH_SPELLINGS, MISSING_APOSTROPHES
from allonym.language.public_style import marks, spelling
from allonym.language.rewording.edits import Edit, SentenceReader, capital
from allonym.language.rewording.lists import listed
from allonym.language.rewording.misspellings import meant
from allonym.language.stop_words import STOP_WORDS
from allonym.language.words import lemma

_WORD: Final = re.compile(r"(?<![\w'’@./-])[^\W\d_]+(?:['’][^\W\d_]+)*(?![\w@/]|\.\w|-\w)")
_CAPITALS: Final = re.compile(r"(?<![\w.&'’-])[A-Z]{2,}(?:[ ,]+(?:[A-Z]{2,}|I|A))*(?![\w&-])")
_LOWER_I: Final = re.compile(r"(?<![\w'’.@-])i(?=(?:['’](?:m|ve|ll|d))?(?![\w'’.@-]))")
_SPREAD: Final = re.compile(r"\b[a-z]*([a-z])\1{2,}[a-z]*\b")
_LOWER_START: Final = re.compile(r"(?<=(?<!\.)[.!?]\s)[a-z]+(?=[ ,'’])")
_ITS: Final = re.compile(
    r"\b([Ii])ts (?=(?:a|an|the|not|been|so|too|just|really|very|all|like|always|never|going|hard|only)\b(?!-))"
)
_YOUR: Final = re.compile(r"\b([Yy])our (?=(?:a|an|the|not|so|too|going|welcome|gonna|just)\b(?!-))")
_NOT_THE_END: Final = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|mr|mrs|ms|dr|st|ca|p|pp|vol|fig|[a-z])\.\s$", re.I
)
# Pairs of `public_style` that are other words, or that go one way only.
_OTHER_WORDS: Final = listed(
    """
gotten zipper mommy dialog analog ax analyzes mom moms math apartment apartments elevator elevators sidewalk sidewalks
trash garbage faucet faucets cookie cookies movie movies truck trucks cellphone pants sweater sweaters diaper diapers
flashlight gasoline highway highways freeway freeways stroller zucchini vacation vacations
    """
)
_ACRONYMS: Final = listed(
    """
AIDS ASAP BBC CEO CCTV CIA CV DIY DNA EU FAQ FBI FM GP HIV HR HTML ID IP IQ IRA IRS IT LA MBA MOT MP MRI NASA NATO NHS
NYC OK PC PDF PE PHD PIN PIP PM AM PR PTA RAF RE SAT SUV TV UFO UK UN UNESCO URL US USA USB VAT VIP WHO WIFI AC DC AA
    """
)


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield what can be done about spelling."""
    yield from _words(reader)
    yield from _shouts(reader)
    for match in _LOWER_I.finditer(reader.text):
        yield Edit(match.start(), match.end(), "I", "spelling", "capital I")
    for pattern, new in ((_ITS, r"\1t's "), (_YOUR, r"\1ou're ")):
        for match in pattern.finditer(reader.text):
            yield Edit(match.start(), match.end(), match.expand(new), "spelling", "with its apostrophe")
    for match in _SPREAD.finditer(reader.text):
        word = _unspread(match[0])
        if word:
            yield Edit(match.start(), match.end(), word, "spelling", "without letters repeated")
    for match in _LOWER_START.finditer(reader.text):
        if not _NOT_THE_END.search(reader.text[max(0, match.start() - 9) : match.start()]):
            word = _apostrophes().get(match[0], match[0])
            yield Edit(match.start(), match.end(), capital(word), "spelling", "a capital begins a sentence")


def _words(reader: SentenceReader) -> Iterator[Edit]:
    british, american, wrong, apostrophes = _british(), _american(), meant(), _apostrophes()
    tables = (
        (british, "British spelling"),
        (american, "American spelling"),
        (wrong, "usual spelling"),
        (apostrophes, "with its apostrophe"),
    )
    for match in _WORD.finditer(reader.text):
        word = match[0].lower().replace("’", "'")
        starts = reader.begins(match.start()) and not re.match(
            r" [A-Z][a-z]", reader.text[match.end() : match.end() + 3]
        )
        if not match[0].islower() and not starts and word not in apostrophes:
            continue  # it may be a name
        for table, why in tables:
            new = table.get(word)
            if new is not None:
                yield reader.put(match.start(), match.end(), new, "spelling", why)


@cache
def _british() -> dict[str, str]:
    pairs = {old: new for old, new in spelling.american_to_british().items() if old not in _OTHER_WORDS}
    listed = zip(AMERICAN_SPELLINGS, BRITISH_SPELLINGS, strict=True)
    return {**pairs, **{old: new for old, new in listed if old not in _OTHER_WORDS}}


@cache
def _american() -> dict[str, str]:
    once = {new: old for old, new in _british().items() if " " not in new}
    return {british: american for british, american in once.items() if british not in _british()}


@cache
def _apostrophes() -> dict[str, str]:
    table = {"oclock": "o'clock", "im": "I'm", "ive": "I've", "yall": "y'all"}
    for word in MISSING_APOSTROPHES:
        ending = next((one for one in ("nt", "ve", "re", "ll", "d", "s") if word.endswith(one)), None)
        if ending is not None and word not in table:
            cut = -1 if ending == "nt" else -len(ending)
            table[word] = f"{word[:cut]}'{word[cut:]}"
    return table


def _shouts(reader: SentenceReader) -> Iterator[Edit]:
    for match in _CAPITALS.finditer(reader.text):
        words = re.findall(r"[A-Z]+", match[0])
        if any(len(word) > 1 and not _is_shout(word) for word in words):
            continue
        new = re.sub(r"[A-Z]{2,}|A", lambda word: word[0].lower(), match[0])
        new = capital(new) if reader.begins(match.start()) else new
        yield Edit(match.start(), match.end(), new, "spelling", "without shouting")


def _is_shout(word: str) -> bool:
    lowered = word.lower()
    if word in _ACRONYMS:
        return False
    return lowered in STOP_WORDS or (len(word) > 3 and (lemma(lowered) != lowered or marks.is_word(lowered)))


def _unspread(word: str) -> str:
    """Return a word without repeated letters if a dictionary has it then, or nothing."""
    parts = re.split(r"(([a-z])\2{2,})", word)
    forms = [""]
    for place, part in enumerate(parts):
        if place % 3 == 1:
            often = (2, 1) if part[0] in "eol" else (1, 2)
            forms = [form + part[0] * times for form in forms for times in often]
        elif place % 3 == 0:
            forms = [form + part for form in forms]
    known = (form for form in forms[:8] if form in STOP_WORDS or (len(form) > 2 and _is_known(form)))
    return next(known, "")


def _is_known(word: str) -> bool:
    return marks.is_word(word) or lemma(word) != word
