"""Words that a sentence does not need: intensifiers, and adverbs of its writer's opinion. They are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from allonym.language.rewording.clauses import DETERMINERS, FINITE, SUBJECTS
from allonym.language.rewording.edits import Edit, SentenceReader
from allonym.language.rewording.lists import either, listed

_DEGREES: Final = either(
    """
very, really, extremely, incredibly, absolutely, totally, completely, utterly, terribly, awfully, truly, remarkably,
particularly, exceptionally, immensely, hugely, super, pretty, quite, rather, fairly, somewhat, so, too, most, just,
simply, thoroughly, perfectly, positively, entirely, deeply, highly, genuinely, seriously, especially, enormously,
exceedingly, decidedly, a bit, a little
    """
)
_MOODS: Final = either(
    """
actually, basically, literally, simply, honestly, truly, really, just, indeed, certainly, definitely, clearly,
obviously, surely, naturally, essentially, also, quite, rather, personally, somehow, apparently, evidently, frankly,
generally, probably, presumably, still, even, always, already
    """
)
_DEGREE: Final = re.compile(rf"(?<![\w'’-])(?P<word>{_DEGREES}) (?=(?P<next>[a-z]+(?:-[a-z]+)*)\b)", re.IGNORECASE)
_MOOD: Final = re.compile(rf"(?<=[a-zI’'] )(?P<word>{_MOODS}) (?=(?P<next>[a-z]+)\b)")
_SOFT_DEGREES: Final = frozenset({"so", "too", "most", "just", "a bit", "a little", "especially", "particularly"})
_SAFE_MOODS: Final = listed(
    """
actually basically literally simply honestly truly really just indeed certainly definitely clearly obviously surely
naturally essentially personally frankly also
    """
)
_DENYING: Final = listed(
    """
not never nor no only so too as how would had cannot don't doesn't didn't isn't wasn't aren't weren't can't won't
couldn't wouldn't shouldn't haven't hasn't hadn't hardly without n't than the
    """
)
_GRADED: Final = listed(
    """
good bad sad happy big small old young new late early hard easy hot cold nice kind rude tired ill angry upset busy
important useful difficult different strange odd simple clear quiet loud slow quick fast cheap expensive poor rich
strong weak proud sorry glad grateful pleased worried afraid lucky unlucky careful clever clean dirty dark bright
beautiful lovely pretty ugly funny serious sure certain interesting boring exciting disappointing disappointed
frustrating annoying annoyed surprised surprising sensible reasonable unreasonable fair unfair honest helpful polite
patient impressed nervous excited scared lonely hungry warm wet dry heavy light long short high low deep wide narrow
close near far often well badly quickly slowly carefully soon clearly hard seriously short-staffed popular powerful
successful similar rare common likely unlikely concerned dangerous effective efficient happy fond generous complex
complicated convenient crowded delicate delicious detailed disturbing embarrassed embarrassing exhausted experienced
familiar famous friendly frightened hopeful ill-informed intelligent keen limited modern necessary noisy pleasant
professional quiet ready relaxed sad sick silly special straightforward stupid sweet talented thin thick tight tiny
ugly unhappy unpleasant unusual upsetting valuable violent wise wonderful wrong young
    """
)
_NOT_AFTER: Final = listed(
    """
as so before after because when how what why who if enough much many few little off the a an my your his her our their
this that then about over under of and or but to in on at for with from by than is are was were be been not one two
ones it's i you he she it we they me him us them there too very
    """
)


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield what can be left out."""
    for match in _DEGREE.finditer(reader.text):
        if _degree_goes(reader, match):
            yield reader.leave_out(match.start(), match.end() - 1, "filler", "left out")
    for match in _MOOD.finditer(reader.text):
        if _mood_goes(reader, match):
            yield reader.leave_out(match.start(), match.end() - 1, "filler", "left out")


_NUMBERS: Final = listed("one two three four five six seven eight nine ten only")
_JUST_THERE: Final = listed("like under over yet now outside inside across behind")
_HOSTS: Final = listed(
    """
who that which be been to and 'm i'm it's he's she's they're we're you're i've we've i'll i'd
    """
)
_FELT: Final = listed(
    """
be been feel felt looked seemed seems it's i'm he's she's they're we're you're that's and but getting got became sounded
    """
)
_MILD: Final = ("just", "pretty", "rather", "quite", "fairly", "somewhat", "a bit", "a little")


def _mood_goes(reader: SentenceReader, match: re.Match[str]) -> bool:
    """Tell whether an adverb stands where its sentence is whole without it: behind a subject or an auxiliary."""
    word, before, following = match["word"].lower(), reader.word_before(match.start()), match["next"]
    if word not in _SAFE_MOODS or before in _DENYING or following in _NOT_AFTER:
        return False
    head = reader.text[max(0, match.start() - 120) : match.start()].lower()
    if word == "also" and "not only" in head:
        return False
    if word == "just" and (before in _NUMBERS or before == "to" or following in _JUST_THERE):
        return False
    if before == "and" and word in ("also", "just") and following in SUBJECTS:
        return False
    return before in SUBJECTS or before in FINITE or before in _HOSTS


def _degree_goes(reader: SentenceReader, match: re.Match[str]) -> bool:
    """Tell whether a degree stands before a word that can be had in degrees, and nothing else asks for it."""
    word, before, following = match["word"].lower(), reader.word_before(match.start()), match["next"].lower()
    if reader.begins(match.start()) or before in _DENYING - {"the"} or following in _NOT_AFTER:
        return False
    if following not in _GRADED:
        return False
    if before == "the":
        return word in ("very", "really", "truly", "extremely", "incredibly", "absolutely")
    if word == "so":  # so late that; so soon after
        tight = following in ("soon", "often", "well", "far", "long", "hard", "close", "near")
        asked = {"that", "as"} & set(reader.words_after(match.end(), 14))
        return not tight and not asked and before not in ("and", "or", "if", "do", "did", "ever")
    if word == "most":
        return before in ("a", "been", "is", "was", "are", "were", "am")
    if word in _MILD:
        or_else = word == "rather" and before in ("or", "would", "i'd", "but")
        return not or_else and (before in DETERMINERS or before in FINITE or before in _FELT)
    return word != "too"
