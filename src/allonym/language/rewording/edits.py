"""An edit of a text that leaves its sentence whole: what it replaces, by what, and why; and how neighbours are mended.

An edit takes in all that must change with it: the article before a word, the capital of the word that becomes first,
the comma after a word that goes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

from allonym.language import sequences

Kind = Literal["spelling", "contraction", "punctuation", "small word", "filler", "wording"]

_WORD: Final = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_LAST_WORD: Final = re.compile(r"([^\W_]+(?:['’\-][^\W_]+)*)[ \t]*$")
_VOWEL_SOUND: Final = re.compile(r"(?:[aeiou]|hour|honest|hono|heir)(?!ne(?:s|ce)?\b)", re.IGNORECASE)
_CONSONANT_SOUND: Final = re.compile(r"(?:uni(?!n|m)|us[aeu]|eu|ewe|one\b|once\b|ubi|uti)", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\b([Aa])n?[ \t]+$")
_SENTENCE_ENDS: Final = re.compile(r"[.!?…]['\"”’)]*\s+$|\n\s*$")
_REACH: Final = 40  # characters in which the neighbour of a stretch is looked for


@dataclass(frozen=True)
class Edit:
    """One change of one stretch.

    Attributes:
        start: First character that changes.
        stop: The one after the last.
        new: What stands there afterwards.
        kind: What sort of habit it changes.
        why: What it does, in a few words.
    """

    start: int
    stop: int
    new: str = field(repr=False)
    kind: Kind
    why: str

    def apply(self, text: str) -> str:
        """Return the text after the change."""
        return text[: self.start] + self.new + text[self.stop :]

    def narrowed(self, text: str) -> Edit:
        """Return the same change without the words at its ends that stay."""
        old, new = (re.findall(r"\s+|\S+", words) for words in (text[self.start : self.stop], self.new))
        head = tail = 0
        while head < min(len(old), len(new)) and old[head] == new[head]:
            head += 1
        while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        if head + tail == len(old) and tail:  # only added to: the word behind shows where
            tail -= 1
        start, stop = self.start + len("".join(old[:head])), self.stop - len("".join(old[len(old) - tail :]))
        return replace(self, start=start, stop=stop, new="".join(new[head : len(new) - tail]))


@dataclass(frozen=True)
class SentenceReader:
    """A text and its sentences."""

    text: str = field(repr=False)

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Where each sentence begins and ends, blanks around it left out."""
        starts, place = list[int](), 0
        for piece in sequences.cut(self.text):
            start = self.text.find(piece, place)
            place = start + len(piece)
            before = self.text[:start].rstrip()[-1:] if start < 2 or self.text[start - 1] == " " else ""
            if before in ",;:(" and before and starts:  # cut for its length, not at its end
                continue
            starts.append(start)
        ends = [following for _, following in pairwise([*starts, len(self.text)])]
        return [(start, start + len(self.text[start:end].rstrip())) for start, end in zip(starts, ends, strict=True)]

    def sentence_at(self, place: int) -> tuple[int, int]:
        """Return the sentence around a place."""
        at = bisect_right(self.sentences, (place, len(self.text))) - 1
        if at < 0:
            return 0, len(self.text)
        return self.sentences[at]

    def begins(self, place: int) -> bool:
        """Tell whether a sentence begins here, behind quotation marks perhaps."""
        before = self.text[max(0, place - _REACH) : place].rstrip("\"“‘'(*")
        return not before.strip() or _SENTENCE_ENDS.search(before) is not None

    def word_before(self, place: int) -> str:
        """Return the word before a place in lower case, if nothing but a blank is between."""
        match = _LAST_WORD.search(self.text[max(0, place - _REACH) : place])
        return match[1].lower().replace("’", "'") if match else ""

    def word_after(self, place: int) -> str:
        """Return the word after a place in lower case, if nothing but a blank is between."""
        rest = self.text[place : place + _REACH]
        match = _WORD.match(rest.lstrip(" \t"))
        return match[0].lower().replace("’", "'") if match else ""

    def words_after(self, place: int, most: int = 12) -> list[str]:
        """Return the words from a place to the next sign that parts a sentence, in lower case."""
        rest = re.split(r"[.,;:!?()\n—–]| - ", self.text[place : place + most * 15], maxsplit=1)[0]
        return [match[0].lower().replace("’", "'") for match in _WORD.finditer(rest)][:most]

    def put(self, start: int, stop: int, new: str, kind: Kind, why: str) -> Edit:
        """Return an edit that puts words in the place of others: in their case, with the article before them mended."""
        return self._with_article(Edit(start, stop, cased(new, self.text[start:stop]), kind, why))

    def leave_out(self, start: int, stop: int, kind: Kind, why: str) -> Edit:
        """Return an edit that leaves words out, with blanks, commas and the next capital mended."""
        text = self.text
        first = self.begins(start)
        between = text[:start].rstrip().endswith(",")
        after = r"[ \t]*,?[ \t]*" if first else r"(?:,[ \t]*)?" if between else ""
        end = stop + len(re.match(after, text[stop : stop + _REACH])[0])  # type: ignore[index]  # matches nothing, too
        if first:
            following = _WORD.match(text, end)
            if following is None:
                return Edit(start, end, "", kind, why)
            return Edit(start, following.end(), capital(following[0]), kind, why)
        begin = start
        if end > stop and between:  # ", however, " becomes a blank
            begin = len(text[:start].rstrip()) - 1
            return Edit(begin, end, " ", kind, why)
        while begin > 0 and text[begin - 1] in " \t":
            begin -= 1
        return self._with_article(Edit(begin, stop, "", kind, why))

    def _with_article(self, edit: Edit) -> Edit:
        """Return an edit that also mends "a" or "an" before what it changes."""
        begin = edit.start + (len(edit.new) - len(edit.new.lstrip()) if edit.new.strip() else 0)
        article = _ARTICLE.search(self.text[max(0, edit.start - 4) : begin if edit.new.strip() else edit.start])
        if article is None and not edit.new.strip():  # the blank before went, too
            article = re.search(r"\b([Aa])n?$", self.text[max(0, edit.start - 4) : edit.start])
        if article is None:
            return edit
        following = edit.new.strip() or self.text[edit.stop :].strip()
        if not following[:1].isalpha():
            return edit
        start = max(0, edit.start - 4) + article.start()
        if start and (self.text[start - 1].isalnum() or self.text[start - 1] in "'’-"):
            return edit
        wanted = article[1] + ("n" if begins_with_vowel(following) else "")
        written = self.text[start : edit.start]
        if written.strip() == wanted:
            return edit
        return replace(edit, start=start, new=wanted + written[len(written.rstrip()) :] + edit.new)


def begins_with_vowel(word: str) -> bool:
    """Tell whether "an" stands before a word.

    Examples:
        >>> [begins_with_vowel(word) for word in ("hour", "apple", "useful", "house", "one", "unusual")]
        [True, True, False, False, False, True]
    """
    return _CONSONANT_SOUND.match(word) is None and _VOWEL_SOUND.match(word) is not None


def cased(new: str, like: str) -> str:
    """Return words in the case of others: a capital at the beginning, or all of them."""
    letters = [sign for sign in like if sign.isalpha()]
    if len(letters) > 1 and like.isupper() and "I" not in re.findall(r"\w+", like):
        return new.upper()
    first = like.strip()[:1]
    return capital(new) if first.isupper() and like.strip() not in ("I",) else new


def capital(words: str) -> str:
    """Return words with a capital at the beginning."""
    return words[:1].upper() + words[1:]


def small(words: str) -> str:
    """Return words without a capital at the beginning, but for "I" and its like and what may be a name."""
    first = re.match(r"[^\W_]+", words)
    if first is None or first[0] == "I" or (len(first[0]) > 1 and first[0].isupper()):
        return words
    return words[:1].lower() + words[1:]


def inner(edits: Iterator[Edit], text: str) -> Iterator[Edit]:
    """Yield those edits that change something."""
    for edit in edits:
        if text[edit.start : edit.stop] != edit.new:
            yield edit
