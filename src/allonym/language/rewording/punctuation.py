"""Punctuation in its plain form, with the sentence mended round it: full stops and commas for everything else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from allonym.language.rewording.clauses import is_clause
from allonym.language.rewording.edits import Edit, SentenceReader, capital, small

_DASH: Final = r"(?:[ \t]*(?:—|–|--)[ \t]*|(?<=\S)[ \t]+-[ \t]+)"
_PAIR: Final = re.compile(rf"(?<![\d\s]){_DASH}(?P<aside>[^—–\n.!?;:()]{{2,90}}?)(?<! -){_DASH}(?=[a-zI])(?!\s*\d)")
_SINGLE: Final = re.compile(rf"(?<=[\w”\"'’)]){_DASH}(?=[\w“\"'‘])")
_SEMICOLON: Final = re.compile(r"[ \t]*;[ \t]*(?:\n)?(?=[\w“\"‘'])")
_COLON: Final = re.compile(r":[ \t]+(?=[A-Za-z])")
_LOUD: Final = re.compile(r"!+(?![?!])|(?:\?[?!]+|!+\?[?!]*)")
_DOTS: Final = re.compile(r"[ \t]*(?:\.[ \t]?\.[ \t]?(?:\.[ \t]?)*|…)[ \t]*")
_SPACES: Final = re.compile(r"(?<=[.!?])  +(?=\S)")
_SMILEY: Final = re.compile(r"[ \t]*(?<!\w)[:;=]-?[)(DPp](?!\w)")
_AND: Final = re.compile(r"(?<=[a-z])[ \t]*&[ \t]*(?=[a-z])")
_OR: Final = re.compile(r"\b(?P<one>[a-z]{3,})/(?P<other>[a-z]{3,})\b(?!/)")
_STARS: Final = re.compile(r"(?<![\w*])\*+(?=\w)(?P<inner>[^*\n]{1,60})\*+(?![\w*])")
_BRACKETS: Final = re.compile(r"[ \t]*\((?P<inner>[^()\n]{1,160})\)")
_QUOTED: Final = re.compile(r"(?P<open>[“\"])(?P<inner>[^\"“”\n,.!?:;]{2,40})[”\"]")
_JOINED: Final = re.compile(r",[ \t]+(?P<link>and|but|so)[ \t]+(?=\w)")
_SERIAL: Final = re.compile(r"(?<=\w)(?P<first>, [^,.;:!?\n()]{1,30}), (?=(?:and|or) [^,.;:!?\n]{1,40}[.;!?,\n])")
_SEPARATE: Final = re.compile(r"\.[ \t]+(?P<link>And|But)[ \t]+(?=[a-zI])")
_PER_CENT: Final = re.compile(r"(?<=\d)[ \t]?%(?=[\s.,;)])")
_LINKS: Final = {"however": "but", "nevertheless": "but", "yet": "but", "therefore": "so", "thus": "so", "hence": "so"}
_SAYING: Final = re.compile(
    r"(?:said|says|asked|wrote|called|titled|entitled|named|say|ask|read|reads)\W*$", re.IGNORECASE
)
_STOP: Final = "a full stop"


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield what plainer punctuation could stand here."""
    yield from _semicolons(reader)
    yield from _dashes(reader)
    yield from _colons(reader)
    yield from _ends(reader)
    yield from _brackets(reader)
    yield from _commas(reader)
    yield from _signs(reader)


def _rest(reader: SentenceReader, place: int) -> str:
    """Return the sentence from a place."""
    return reader.text[place : reader.sentence_at(place)[1]]


def _head(reader: SentenceReader, place: int) -> str:
    return reader.text[reader.sentence_at(max(0, place - 1))[0] : place]


def _full_stop(reader: SentenceReader, start: int, stop: int, why: str = _STOP) -> Edit | None:
    """Return an edit that ends the sentence here and begins another; None where one of the two would be none."""
    rest, head = _rest(reader, stop), _head(reader, start)
    whole = len(head.split()) > 2 or is_clause(head)
    if not whole or not is_clause(re.split(r"[;—–]| - ", rest)[0]) or _opens(head):
        return None
    first = re.match(r"\W*\w+(?:['’]\w+)?", rest)
    if first is None:
        return None
    return Edit(start, stop + first.end(), f". {capital(first[0])}", "punctuation", why)


def _opens(head: str) -> bool:
    """Tell whether brackets or quotation marks are open at the end of a stretch."""
    return head.count("(") > head.count(")") or head.count("“") > head.count("”") or head.count('"') % 2 == 1


def _semicolons(reader: SentenceReader) -> Iterator[Edit]:
    for match in _SEMICOLON.finditer(reader.text):
        link = reader.word_after(match.end())
        rest = _rest(reader, match.end())
        if link in _LINKS and (linked := re.match(r"\w+,?[ \t]+", rest)) and is_clause(rest[linked.end() :]):
            yield Edit(match.start(), match.end() + linked.end(), f", {_LINKS[link]} ", "punctuation", "a comma")
            continue
        if link in ("and", "but", "or", "so", "which", "because", "although", "though", "while"):
            if _head(reader, match.start()).count(";") == 0 and rest.count(";") == 0:
                yield Edit(match.start(), match.end(), ", ", "punctuation", "a comma")
            continue
        edit = _full_stop(reader, match.start(), match.end())
        if edit:
            yield edit


def _dashes(reader: SentenceReader) -> Iterator[Edit]:
    paired: set[int] = set()
    for match in _PAIR.finditer(reader.text):
        aside = match["aside"].strip()
        paired |= {match.start(), match.end("aside")}
        if "," not in aside and not is_clause(aside):
            yield Edit(match.start(), match.end(), f", {aside}, ", "punctuation", "commas")
        else:
            yield Edit(match.start(), match.end(), f" ({aside}) ", "punctuation", "brackets")
    for match in _SINGLE.finditer(reader.text):
        if match.start() in paired or (match[0] in "–—" and reader.text[match.start() - 1].isdigit()):
            continue
        if any(place < match.start() < place + 100 and _same_line(reader, place, match.start()) for place in paired):
            continue
        edit = _full_stop(reader, match.start(), match.end())
        if edit:
            yield edit
        elif not is_clause(_rest(reader, match.end())) and not _names(reader, match):
            yield Edit(match.start(), match.end(), ", ", "punctuation", "a comma")


def _same_line(reader: SentenceReader, place: int, other: int) -> bool:
    return reader.sentence_at(place) == reader.sentence_at(other)


def _names(reader: SentenceReader, match: re.Match[str]) -> bool:
    """Tell whether a dash stands between two names or numbers, or opens a line."""
    before, after = reader.text[: match.start()].rpartition(" ")[2], reader.text[match.end() : match.end() + 1]
    return (before[:1].isupper() and after.isupper()) or after.isdigit() or "\n" in match[0]


def _colons(reader: SentenceReader) -> Iterator[Edit]:
    for match in _COLON.finditer(reader.text):
        head, rest = _head(reader, match.start()), _rest(reader, match.end())
        listing = head.lower().endswith(("following", "follows", "is", "are", "this", "these", "things", "that"))
        if listing or rest.count(",") > 1 or not is_clause(head) or re.search(r"\d$", head) or _SAYING.search(head):
            continue
        edit = _full_stop(reader, match.start(), match.end())
        if edit:
            yield edit


def _ends(reader: SentenceReader) -> Iterator[Edit]:
    text = reader.text
    for match in _LOUD.finditer(text):
        new = "?" if "?" in match[0] else "."
        after = text[match.end() : match.end() + 3].lstrip("\"”'’) ")
        if new == "." and after[:1].islower():
            continue
        yield Edit(match.start(), match.end(), new, "punctuation", "a question mark" if new == "?" else _STOP)
    for match in _DOTS.finditer(text):
        yield from _dots(reader, match)
    for match in _SPACES.finditer(text):
        yield Edit(match.start(), match.end(), " ", "punctuation", "one space")
    for match in _SMILEY.finditer(text):
        ended = text[: match.start()].rstrip()[-1:] in ".!?,"
        if match[0][-1] == ")" and _opens(_head(reader, match.start())):
            continue
        upper = text[match.end() :].lstrip()[:1].isupper() or not text[match.end() :].strip()
        if ended or text.startswith((".", ",", "!", "?"), match.end()) or not upper:
            yield Edit(match.start(), match.end(), "", "punctuation", "without the smiley")
        elif text[: match.start()].rstrip()[-1:].isalnum():
            yield Edit(match.start(), match.end(), ".", "punctuation", f"{_STOP} in place of the smiley")


def _dots(reader: SentenceReader, match: re.Match[str]) -> Iterator[Edit]:
    text = reader.text
    following = text[match.end() : match.end() + 1]
    blank = match[0][-1:] if match[0][-1:] in " \t" else ""
    if "." not in match[0].strip(" .") and match[0].count(".") < 2 and "…" not in match[0]:
        return
    if not following or following in "\n\"”'’)":
        if text[: match.start()].rstrip()[-1:].isalnum():
            yield Edit(match.start(), match.end(), f".{blank}", "punctuation", _STOP)
    elif following.isupper() and reader.word_after(match.end()) not in ("i", "i'm", "i've", "i'll", "i'd"):
        yield Edit(match.start(), match.end(), ". ", "punctuation", _STOP)
    elif following.isalpha() and text[: match.start()].rstrip()[-1:].isalnum():
        edit = _full_stop(reader, match.start(), match.end())
        if edit:
            yield edit
        elif following.islower():
            yield Edit(match.start(), match.end(), ", ", "punctuation", "a comma")


def _brackets(reader: SentenceReader) -> Iterator[Edit]:
    text = reader.text
    for match in _BRACKETS.finditer(text):
        inner = match["inner"].strip()
        opens = text[: match.start()].rstrip()[-1:] in ("", ".", "!", "?", ",", ";", ":", "…") or "\n" in match[0]
        if opens or not inner[:1].isalpha() or re.search(r"[\d*:\"“—–]|--|\.\.", inner):
            continue
        after = text[match.end() : match.end() + 1]
        if after not in ("", " ", ".", ",", ";", "\n", "!", "?"):
            continue
        if len(inner.split()) > 2 and not is_clause(inner) and inner[-1:].isalnum() and inner[0].islower():
            new = f", {inner}" if after in (".", ",", ";", "!", "?") else f", {inner},"
            yield Edit(match.start(), match.end(), new, "punctuation", "commas")
        if len(inner) > 3:
            yield Edit(match.start(), match.end(), "", "punctuation", "left out")
    for match in _QUOTED.finditer(text):
        inner, before = match["inner"], text[max(0, match.start() - 12) : match.start()]
        said = re.search(r"[,:]\s*$", before) or _SAYING.search(before) or before[-1:] != " "
        if not said and len(inner.split()) <= 4 and inner[0].islower():
            yield Edit(match.start(), match.end(), inner, "punctuation", "without quotation marks")


def _commas(reader: SentenceReader) -> Iterator[Edit]:
    text = reader.text
    for match in _JOINED.finditer(text):
        first = re.match(r"\w+(?:['’]\w+)?", text[match.end() :])
        head = _head(reader, match.start())
        clause = is_clause(re.split(r"[,;—–]", _rest(reader, match.end()))[0])
        if (
            first
            and clause
            and is_clause(head)
            and not _opens(head)
            and text[match.end()].islower() | (first[0] == "I")
        ):
            new = f". {capital(first[0])}" if match["link"] == "and" else f". {capital(match['link'])} {first[0]}"
            yield Edit(match.start(), match.end() + first.end(), new, "punctuation", "two sentences")
    for match in _SERIAL.finditer(text):
        items = f"{match['first']} {text[match.end() :].split('.')[0]}"
        if not any(is_clause(item) for item in re.split(r",| and | or ", items)):
            yield Edit(match.end() - 2, match.end(), " ", "punctuation", "no comma before the last of a list")
    for match in _SEPARATE.finditer(text):
        end, start = reader.sentence_at(match.end())[1], reader.sentence_at(match.start())[0]
        if end - start < 160 and is_clause(text[start : match.start()]) and is_clause(text[match.end() : end]):
            yield Edit(match.start(), match.end(), f", {small(match['link'])} ", "punctuation", "one sentence of two")


def _signs(reader: SentenceReader) -> Iterator[Edit]:
    for pattern, new, why in ((_AND, " and ", "the word"), (_PER_CENT, " per cent", "the words")):
        for match in pattern.finditer(reader.text):
            yield Edit(match.start(), match.end(), new, "punctuation", why)
    for match in _OR.finditer(reader.text):
        if (match["one"], match["other"]) == ("and", "or"):
            yield Edit(match.start(), match.end(), "or", "punctuation", "one word")
        elif match["one"] not in ("his", "she", "him", "her", "pass", "http", "https"):
            yield Edit(match.start(), match.end(), f"{match['one']} or {match['other']}", "punctuation", "the word")
    for match in _STARS.finditer(reader.text):
        if " " not in match["inner"]:
            yield Edit(match.start(), match.end(), match["inner"], "punctuation", "without asterisks")
        elif reader.text[: match.start()].endswith(" "):  # *rolls eyes* is no part of a sentence
            yield Edit(match.start() - 1, match.end(), "", "punctuation", "left out")
