"""The columns of WritePrints that see how a text is laid out and typed: structure and habits."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from allonym.attackers.writeprints._batch import Batch, loops
from allonym.attackers.writeprints._columns import Block, Float64, Spans, rates

_GREETING: Final = re.compile(
    r"\s*+(?:hi|hiya|hello|hey|hallo|howdy|dear|greetings|salutations|g'day|good (?:morning|afternoon|evening|day))\b",
    re.IGNORECASE,
)
_SIGN_OFF: Final = re.compile(
    r"^[ \t]*+(?:(?:(?:with )?(?:best|kind|warm|kindest|warmest) (?:regards|wishes)|regards|best|all the best|sincerely"
    r"|yours(?: (?:truly|sincerely|faithfully))?|cheers|thanks(?: (?:again|in advance|a lot|a million))?"
    r"|thank you(?: (?:again|in advance|very much|so much))?|many thanks|thx|tia|cordially|respectfully|love|take care"
    r"|bye|goodbye|ciao|peace|see (?:you|ya)(?: later)?|hope (?:this|that) helps|hth|ttyl)[ \t]*+[,.!:;)-]*+|--)"
    r"[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
_LAST_CHARACTERS: Final = 250  # where a sign-off is looked for
# Both begin with fixed letters, which are fast to find; what stands before is checked afterwards.
_SCHEMES: Final = ("http", "https", "ftp", "gopher", "news", "telnet", "file")
_AFTER_SCHEME: Final = re.compile(rf"://(?:{'|'.join(f'(?<={scheme}://)' for scheme in _SCHEMES)})[^\s<>\"]++")
_WITHOUT_SCHEME: Final = re.compile(r"www\.(?<!//www\.)(?<![a-z0-9]www\.)[^\s<>\"]++")
_AFTER_NAME: Final = re.compile(r"@[\w-]++(?:\.[\w-]++)++")
_NAME: Final = re.compile(r"[\w.+-]+\Z")
_LONGEST_NAME: Final = 64  # of an e-mail address


def _greetings(text: str) -> Spans:
    greeting = _GREETING.match(text)
    return [greeting.span()] if greeting else []


def _sign_offs(text: str) -> Spans:
    tail = max(len(text) - _LAST_CHARACTERS, 0)
    # The tail may begin within a line: only after its first newline do lines begin, unless it is the whole text.
    begin = text.find("\n", tail) + 1 if tail else 0
    return [match.span() for match in _SIGN_OFF.finditer(text, begin)] if begin or not tail else []


def _urls(text: str) -> Spans:
    spans = [match.span() for match in _WITHOUT_SCHEME.finditer(text)]
    for match in _AFTER_SCHEME.finditer(text):
        scheme = next(scheme for scheme in reversed(_SCHEMES) if text.endswith(scheme, 0, match.start()))
        spans.append((match.start() - len(scheme), match.end()))
    return sorted(spans)


def _e_mails(text: str) -> Spans:
    spans: Spans = []
    for match in _AFTER_NAME.finditer(text):
        name = _NAME.search(text, max(match.start() - _LONGEST_NAME, 0), match.start())
        if name:
            spans.append((name.start(), match.end()))
    return spans


class LayoutStructure(Block):
    """Sentences, paragraphs and lines, greetings and sign-offs, addresses."""

    group = "structural"
    names = [  # noqa: RUF012 - read only
        "number of sentences",
        "words per sentence",
        "characters per sentence",
        "number of paragraphs",
        "words per paragraph",
        "sentences per paragraph",
        "characters per paragraph",
        "number of lines",
        "share of empty lines",
        "share of indented lines",
        "share of quoted lines",
        "has quoted lines",
        "has a greeting",
        "has a sign-off",
        "URLs per word",
        "e-mail addresses per word",
    ]
    _LINES = 8  # the first of the columns about lines
    _PATTERNS = 12  # the first of the columns that patterns find

    def values(self, batch: Batch) -> Float64:
        """Return the measures."""
        words, sentences, lines = batch.words.per_document, batch.sentences.per_document, batch.lines.per_document
        paragraphs = self._of_lines(batch, loops().OPENS_PARAGRAPH)
        empty, indented, quoted = (
            self._of_lines(batch, flag) for flag in (loops().EMPTY_LINE, loops().INDENTED, loops().QUOTED)
        )
        columns = [
            sentences,
            rates(words, sentences),
            rates(batch.characters, sentences),
            paragraphs,
            rates(words, paragraphs),
            rates(sentences, paragraphs),
            rates(batch.characters, paragraphs),
            lines,
            rates(empty, lines),
            rates(indented, lines),
            rates(quoted, lines),
            quoted > 0,
            *self._by_patterns(batch),
        ]
        return np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the lines, or what a pattern finds."""
        if column >= self._PATTERNS:
            return (_greetings, _sign_offs, _urls, _e_mails)[column - self._PATTERNS](batch.texts[0])
        if column < self._LINES:
            return []
        flag = (loops().EMPTY_LINE, loops().INDENTED, loops().QUOTED, loops().QUOTED)[column - self._LINES]
        lines = batch.lines.spans((batch.lines.kinds & flag) > 0)
        # A line without a character is shown by its newline.
        return [(begin, max(end, begin + 1)) for begin, end in lines]

    def _of_lines(self, batch: Batch, flag: int) -> NDArray[np.int64]:
        chosen = batch.lines.documents[(batch.lines.kinds & flag) > 0]
        return np.bincount(chosen, minlength=len(batch.texts))

    def _by_patterns(self, batch: Batch) -> list[Float64]:
        greetings, sign_offs, urls, e_mails = (
            np.array([len(find(text)) for text in batch.texts], dtype=np.float64)
            for find in (_greetings, _sign_offs, _urls, _e_mails)
        )
        words = batch.words.per_document
        return [greetings, np.minimum(sign_offs, 1.0), rates(urls, words), rates(e_mails, words)]


class Habits(Block):
    """Habits of typing, each per character."""

    group = "idiosyncratic"
    names = [  # noqa: RUF012 - read only
        "repeated '!' and '?'",
        "ellipses",
        "two blanks or more within a line",
        "blank before a punctuation mark",
        "comma without a blank",
    ]

    def values(self, batch: Batch) -> Float64:
        """Return the rates."""
        habits, rows = batch.habits, len(batch.texts)
        cells = np.bincount(habits.documents * len(self.names) + habits.kinds, minlength=rows * len(self.names))
        return rates(cells.reshape(rows, len(self.names)), batch.characters)

    def spans(self, column: int, batch: Batch) -> Spans:
        """Return the signs."""
        return batch.habits.spans(batch.habits.kinds == column)
