"""Which sentences of public text go into a book, and why the others do not.

A sentence of a book is handed out as it stands, to people it has nothing to do with. So it must stand by itself, state
nothing about anybody, and must not come from the texts that the book is to protect: those would go out word for word,
around every proof.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from allonym.errors import InputError
from allonym.language import sequences
from allonym.language.blocked_words import holds_blocked
from allonym.language.facts import names
from allonym.language.words import words
from allonym.networks.sentences.text import SentenceFeatures, tokens

FEWEST_WORDS, MOST_WORDS = 4, 30
RUN = 8  # words in a row that are nobody's chance
LEAST_KNOWN = 0.85  # of a sentence's words: text in another language, code and garbage have fewer
_WHOLE = re.compile(r"[A-Z\"'].*[.!?]['\"]?")
_PLAIN = re.compile(r"[A-Za-z ,.!?;:'\"()-]+")
_DIGIT = re.compile(r"\d")
_PAIRS = (("(", ")"), ('"', '"'))

REASONS = {
    "short": f"fewer than {FEWEST_WORDS} words",
    "long": f"more than {MOST_WORDS} words",
    "unfinished": "no whole sentence",
    "numbers": "numbers, which state facts",
    "signs": "signs that are not plain text",
    "unknown": "words that the encoder does not know: another language, code, names",
    "names": "names",
    "blocked": "slurs or obscenities",
    "protected": "found in the texts to protect",
    "double": "in the book already",
}
PROTECTED = (
    "The source holds a text that is to be protected, whole: a book hands its sentences out word for word, outside of "
    "all proof. Take out what you want to protect and build the book again."
)


@dataclass
class Gathered:
    """The sentences of a book, and how many were left out for each reason."""

    sentences: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    texts: int = 0


class PrivateTexts:
    """The texts that a book is to protect: none of their sentences, and no run of eight of their words, is let in."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: set[bytes] = set()
        self._runs: set[bytes] = set()
        self._sentences: set[bytes] = set()
        for text in texts:
            spoken = words(text.lower())
            if len(spoken) >= RUN:
                self._texts.add(_digest(spoken))
            self._runs.update(_runs(spoken))
            self._sentences.update(_digest(words(sentence.lower())) for sentence in sequences.cut(text))

    def holds_text(self, text: str) -> bool:
        """Tell whether a text is one of them."""
        return _digest(words(text.lower())) in self._texts

    def holds(self, sentence: str) -> bool:
        """Tell whether a sentence is theirs, whole or by a run of its words."""
        spoken = words(sentence.lower())
        return _digest(spoken) in self._sentences or any(run in self._runs for run in _runs(spoken))


class Gathering:
    """Goes through texts and keeps the sentences that may be in a book.

    Args:
        features: How the encoder reads sentences.
        protected: The texts that the book is to protect.
    """

    def __init__(self, features: SentenceFeatures, protected: PrivateTexts | None = None) -> None:
        self._known = frozenset(features.words)
        self._protected = protected or PrivateTexts()
        self._seen: set[bytes] = set()
        self.gathered = Gathered()

    def add(self, text: str) -> None:
        """Take the sentences of a text.

        Raises:
            InputError: The text is to be protected.
        """
        if self._protected.holds_text(text):
            raise InputError(PROTECTED)
        self.gathered.texts += 1
        for sentence in sequences.cut(text):
            plain = " ".join(sentence.split())
            reason = self.reason(plain)
            if reason:
                self.gathered.left_out[reason] += 1
            else:
                self._seen.add(_digest(words(plain.lower())))
                self.gathered.sentences.append(plain)

    def reason(self, sentence: str) -> str:
        """Return why a sentence is left out, a key of `REASONS`; nothing if it is not."""
        spoken = sentence.split()
        if not FEWEST_WORDS <= len(spoken) <= MOST_WORDS:
            return "short" if len(spoken) < FEWEST_WORDS else "long"
        if _DIGIT.search(sentence):
            return "numbers"
        if not _PLAIN.fullmatch(sentence):
            return "signs"
        if not _WHOLE.fullmatch(sentence) or any(_unbalanced(sentence, *pair) for pair in _PAIRS):
            return "unfinished"
        return self._worded(sentence)

    def _worded(self, sentence: str) -> str:
        """Return why the words of a sentence keep it out; cheap reasons first."""
        pieces = tokens(sentence)
        if sum(token in self._known or not token[0].isalpha() for token in pieces) < LEAST_KNOWN * len(pieces):
            return "unknown"
        if holds_blocked(sentence):
            return "blocked"
        if _digest(words(sentence.lower())) in self._seen:
            return "double"
        if self._protected.holds(sentence):
            return "protected"
        return "names" if next(iter(names.find(sentence)), None) else ""


def spread(sentences: Sequence[str], most: int) -> list[str]:
    """Return at most so many sentences, chosen by their digests: no part of the source is preferred."""
    if len(sentences) <= most:
        return list(sentences)
    digests = [_digest([sentence]) for sentence in sentences]
    chosen = sorted(sorted(range(len(sentences)), key=digests.__getitem__)[:most])
    return [sentences[number] for number in chosen]


def _unbalanced(sentence: str, opening: str, closing: str) -> bool:
    if opening == closing:
        return sentence.count(opening) % 2 == 1
    return sentence.count(opening) != sentence.count(closing)


def _runs(spoken: Sequence[str]) -> Iterator[bytes]:
    return (_digest(spoken[start : start + RUN]) for start in range(len(spoken) - RUN + 1))


def _digest(spoken: Sequence[str]) -> bytes:
    return blake2b(" ".join(spoken).encode("utf-8", "surrogatepass"), digest_size=12).digest()
