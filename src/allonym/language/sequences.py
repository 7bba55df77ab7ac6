"""Sentences as sequences of a text generator's tokens, and tokens as readable text again.

Tokens are lower-case words and punctuation marks. Words are split as in `words` (`do`, `n't`); numbers become
words (`7` is `seven`) or one of a few classes (`<year>`); addresses and what is not in the vocabulary become `<unk>`,
which a generator may read but never writes. A hyphen inside a word is the token `-`, a dash is `--`; repeated marks
count once. Sentences of more than 50 tokens are cut into pieces.

Spacing and capitals of the text made from tokens follow from these tokens alone, so nothing of an original text can
pass around the mechanism that drew them. Privacy: spends nothing. A vocabulary must come from public text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from allonym.errors import InputError, ModelError, ParameterError
from allonym.language.words import words

PAD, START, END, UNKNOWN = range(4)
SPECIAL: Final = ("<pad>", "<start>", "<end>", "<unk>")
LONGEST_SENTENCE: Final = 50
ENDINGS: Final = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")  # tokens that are written to the word before them

# How a class of numbers is written: a fixed stand-in, since the number itself must not come through.
NUMBER_CLASSES: Final = {
    "<number>": "20",
    "<large>": "1000",
    "<year>": "2000",
    "<decimal>": "1.5",
    "<ordinal>": "20th",
}
_NUMBER_WORDS: Final = tuple("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905
_ORDINAL_WORDS: Final = tuple("zeroth first second third fourth fifth sixth seventh eighth ninth tenth".split())  # noqa: SIM905

_LONGEST_WORD: Final = 64
# Contractions that many write without their apostrophe; those that are words themselves (its, were, ill) stay.
_CONTRACTED: Final = {
    form.replace("'", ""): form
    for lowered in (  # noqa: SIM905 - readable
        "ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't shouldn't wasn't weren't won't "
        "wouldn't i'm i've you're you've they're they've he's she's that's there's what's"
    ).split()
    for form in (lowered, lowered.capitalize())
}

_PARAGRAPH: Final = "\n\n"
_TITLES: Final = "mr|mrs|ms|dr|st|prof|vs|jr|sr|etc|cf"
# Every repetition is possessive or bounded: time is linear on any input.
_TOKEN: Final = re.compile(
    rf"""
    (?P<paragraph>\n[^\S\n]*+\n\s*+)
    |(?P<address>(?:https?://|www\.)(?:[^\s.,;:!?)"']++|[.,;:!?)"'](?=\S))++|[\w.+-]{{1,64}}+@[\w-]++(?:\.[\w-]++)*+)
    |(?P<rule>(?P<sign>[-=_*\#~+<>^|])(?P=sign){{3,}}+)
    |(?P<short>(?:[A-Za-z]\.){{2,6}}+(?![A-Za-z])|\b(?i:{_TITLES})\.)
    |(?P<number>\d++(?:[.,]\d++)*+(?:st|nd|rd|th|s)?(?![^\W_]))
    |(?P<smile>[:;=]-?[)D](?!\w)|:-?P(?!\w))
    |(?P<frown>[:;=]-?\((?!\w))
    |(?P<word>[^\W_]++(?:'[^\W_]++)*+)
    |(?P<ending>'(?:s|re|ve|ll|d|m)(?!\w|'))
    |(?P<ellipsis>\.{{2,}}+)
    |(?P<dash>--++|[\u2013\u2014]|(?<!\S)-(?!\S))
    |(?P<loud>[!?]{{2,}}+)
    |(?P<mark>[.,!?;:()"'%$&/*\#+=\[\]{{}}-])
    """,
    re.VERBOSE,
)
_FIXED: Final = {"paragraph": _PARAGRAPH, "smile": ":)", "frown": ":(", "ellipsis": "...", "dash": "--"}
_SAME: Final = {"[": "(", "]": ")", "{": "(", "}": ")"}
_QUOTES: Final = re.compile("[\u201c\u201d\u201e\u00ab\u00bb]|''|``")
_APOSTROPHES: Final = re.compile("[`\u00b4\u02bc\u2018\u2019\u2032]")

_ENDS: Final = frozenset({".", "!", "?", "..."})
_PAUSES: Final = frozenset({",", ";", ":", "--", ")", "..."})
_OPENING: Final = frozenset({"(", "$", "#"})
_CLOSING: Final = frozenset({".", ",", "!", "?", ";", ":", ")", "%", "..."})
_FULL_STOP: Final = frozenset({"."})
_ALWAYS_CAPITAL: Final = frozenset({"i"})
_GLUED: Final = frozenset({"-", "/"})
_PLAIN_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)*|'[a-z]+|(?:[a-z]\.)+|[a-z]+\.")


def tokens(text: str) -> list[str]:
    """Split a text into tokens with their case; a blank line stands between two paragraphs.

    Examples:
        >>> tokens("Mr. Hu didn't pay 7 well-known (or 1,250) men!!")
        ['Mr.', 'Hu', 'did', "n't", 'pay', 'seven', 'well', '-', 'known', '(', 'or', '<large>', ')', 'men', '!']
    """
    text = _APOSTROPHES.sub("'", _QUOTES.sub('"', text))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    parts: list[str] = []
    add = parts.append
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "word":
            if len(token) > _LONGEST_WORD:
                add(SPECIAL[UNKNOWN])
            elif "'" in token or token in _CONTRACTED:
                parts.extend(_split_word(token))
            else:
                add(token)
        elif kind == "mark":
            add(_SAME.get(token, token))
        elif kind == "number":
            add(_number(token))
        elif kind == "loud":
            add("?" if "?" in token else "!")
        elif kind == "address":
            add(SPECIAL[UNKNOWN])
        elif kind in ("short", "ending"):
            add(token)
        elif kind in _FIXED:
            add(_FIXED[kind])
    return parts


def sentences(text: str) -> list[list[str]]:
    """Split a text into sentences of at most `LONGEST_SENTENCE` tokens, with their case; none is empty.

    Examples:
        >>> sentences("It works. Does it?")
        [['It', 'works', '.'], ['Does', 'it', '?']]
    """
    return [piece for sentence in _whole_sentences(tokens(text)) for piece in pieces(sentence)]


def cut(text: str) -> list[str]:
    """Cut a text into the same sentences and pieces, as they stand; only blanks around them are lost.

    Examples:
        >>> cut("Mr. Hu paid 7 men!!  Why?")
        ['Mr. Hu paid 7 men!!', 'Why?']
    """
    # Nothing may change its place, so two signs for a quotation mark become a mark and a blank.
    unified = _APOSTROPHES.sub("'", _QUOTES.sub(lambda quote: '"'.ljust(len(quote.group())), text))
    matches = list(_TOKEN.finditer(unified))
    simple = [_simple(match.lastgroup or "", match.group()) for match in matches]
    starts = [matches[first].start() for begin, end in _ranges(simple) for first in _piece_starts(simple, begin, end)]
    bounds = zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True)
    return [piece for begin, end in bounds if (piece := text[begin:end].strip())]


def _simple(kind: str, token: str) -> str:
    """Return what a sign means for where a sentence ends."""
    return "!" if kind == "loud" else _FIXED.get(kind, _SAME.get(token, token))


def _piece_starts(tokens: Sequence[str], begin: int, end: int) -> Iterator[int]:
    """Return where the pieces of a sentence begin."""
    for piece in pieces(list(tokens[begin:end])):
        yield begin
        begin += len(piece)


def _whole_sentences(tokens: Sequence[str]) -> Iterator[list[str]]:
    for begin, end in _ranges(tokens):
        yield [token for token in tokens[begin:end] if token != _PARAGRAPH]


def _ranges(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Return where each sentence begins and ends."""
    sentence: list[str] = []
    following = [*tokens[1:], _PARAGRAPH]
    begin, ended = 0, False
    for index, (token, after) in enumerate(zip(tokens, following, strict=False)):
        if token == _PARAGRAPH:
            ended = True
        else:
            before = sentence[-1] if sentence else ""
            begin = begin if sentence else index
            sentence.append(token)
            initial = token in _FULL_STOP and len(before) == 1 and before.isalpha() and before not in "iIaA"
            ended = (ended and token in ('"', ")", "'")) or (token in _ENDS and not initial)
            if token in ("...", '"') and after[:1].islower():
                ended = False
        closes = after == ")" or after in _ENDS or (after == '"' and sentence.count('"') % 2 == 1)
        if ended and sentence and not closes:
            yield begin, index + 1
            sentence, ended = [], False
    if sentence:
        yield begin, len(tokens)


def pieces(sentence: list[str], longest: int = LONGEST_SENTENCE) -> Iterator[list[str]]:
    """Cut a long sentence after the last pause in the second half of what fits, or else hard."""
    while len(sentence) > longest:
        pauses = (length for length in range(longest, longest // 2, -1) if sentence[length - 1] in _PAUSES)
        cut = next(pauses, longest)
        yield sentence[:cut]
        sentence = sentence[cut:]
    yield sentence


@lru_cache(2**16)
def _split_word(word: str) -> tuple[str, ...]:
    return tuple(words(_CONTRACTED.get(word, word)))


@lru_cache(2**14)
def _number(digits: str) -> str:
    """Write a number as a word, or as its class."""
    if digits[-1].isalpha():
        stem = digits.rstrip("stndrh")
        if digits.endswith("s") and not digits.endswith("ds"):
            return "<year>" if len(stem) in (2, 4) else "<number>"
        known = stem.isascii() and stem.isdigit() and int(stem[:3]) < len(_ORDINAL_WORDS) and len(stem) < 3
        return _ORDINAL_WORDS[int(stem)] if known else "<ordinal>"
    if "." in digits:
        return "<decimal>"
    plain = digits.replace(",", "")
    if len(plain) == 4 and "," not in digits and plain[:2] in ("18", "19", "20"):
        return "<year>"
    if len(plain) > 3:
        return "<large>"
    return _NUMBER_WORDS[int(plain)] if int(plain) < len(_NUMBER_WORDS) else "<number>"


@dataclass(frozen=True)
class Vocabulary:
    """The tokens a model knows, each in its usual case (`London`, `the`); the model itself sees lower case."""

    forms: tuple[str, ...]  # the tokens by number; the first four are `SPECIAL`

    def __post_init__(self) -> None:
        if self.forms[:4] != SPECIAL or len(self.forms) < 5:
            raise ParameterError(f"forms must begin with {', '.join(SPECIAL)} and hold a token more.")
        if len(self._numbers) != len(self.forms):
            raise ParameterError("forms must differ in more than case, got doubles: keep the first of each.")

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {form.lower(): number for number, form in enumerate(self.forms)}

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens in lower case, by number."""
        return tuple(form.lower() for form in self.forms)

    def ids(self, sentence: Iterable[str]) -> list[int]:
        """Return the number of each token, `UNKNOWN` for those that are not known."""
        numbers = self._numbers
        return [numbers.get(token.lower(), UNKNOWN) for token in sentence]

    def text(self, numbered: Iterable[Sequence[int]]) -> str:
        """Write sentences of token numbers as a text; special tokens are left out.

        Examples:
            >>> vocabulary = Vocabulary((*SPECIAL, "do", "n't", "ask", "Ann", ".", ","))
            >>> vocabulary.text([[4, 5, 6, 9, 7, 8, 2]])
            "Don't ask, Ann."
        """
        written = (write([self.forms[number] for number in numbers if number >= len(SPECIAL)]) for numbers in numbered)
        return " ".join(sentence for sentence in written if sentence)

    def save(self, path: Path) -> None:
        """Write one token a line."""
        path.write_text("".join(f"{form}\n" for form in self.forms), "utf-8")

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read what `save` wrote.

        Raises:
            ModelError: The file is not a vocabulary.
        """
        try:
            return cls(tuple(path.read_text("utf-8").splitlines()))
        except (OSError, UnicodeDecodeError, ParameterError) as error:
            raise ModelError(f"{path} is not a readable vocabulary: make or fetch the model folder again.") from error


def write(forms: Sequence[str]) -> str:
    """Write the tokens of one sentence, each in its usual case, as text.

    Examples:
        >>> write(["well", "-", "known", "(", "it", "'s", "<year>", ")", "!"])
        "Well-known (it's 2000)!"
    """
    parts: list[str] = []
    glue, quoted = True, False
    for form in forms:
        ending = form in ENDINGS
        closing_quote = form == '"' and quoted
        if not (glue or ending or closing_quote or form in _CLOSING or form in _GLUED):
            parts.append(" ")
        parts.append(NUMBER_CLASSES.get(form, form))
        if form == '"':
            quoted = not quoted
        glue = form in _OPENING or form in _GLUED or (form == '"' and quoted)
    line = "".join(parts)
    first = next((index for index, sign in enumerate(line) if sign.isalnum()), 0)
    return line[:first] + line[first : first + 1].upper() + line[first + 1 :]


class VocabularyBuilder:
    """Chooses the tokens of a vocabulary: frequent ones that many authors use.

    A token that few authors use may be a person's name, or one writer's habit, so it is left out however frequent.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._inner: Counter[str] = Counter()  # as written, but not at the start of a sentence
        self._authors: Counter[str] = Counter()
        self._author: str | None = None
        self._seen: set[str] = set()

    def add(self, author: str, split: Iterable[Sequence[str]]) -> None:
        """Count a document's sentences; an author's documents must come one after another."""
        if author != self._author:
            self._authors.update(self._seen)
            self._author, self._seen = author, set()
        for sentence in split:
            lowered = [token.lower() for token in sentence]
            self._counts.update(lowered)
            self._seen.update(lowered)
            self._inner.update(sentence[1:])

    def vocabulary(self, size: int, *, authors: int, dictionary: Container[str] | None = None) -> Vocabulary:
        """Return the most frequent tokens that so many authors use, after the special ones.

        Words that are not in a given dictionary are left out, unless they are usually capitalised: most are misspelled,
        and should not be written.

        Raises:
            InputError: No token has so many authors.
        """
        self._authors.update(self._seen)
        self._seen = set()
        eligible = [token for token in self._counts if self._authors[token] >= authors and _allowed(token)]
        if not eligible:
            raise InputError(f"No word is used by {authors} authors: give more text, or ask for fewer authors.")
        eligible.sort(key=lambda token: (-self._counts[token], token))
        forms: Iterable[str] = map(self._usual_form, eligible)
        if dictionary is not None:
            forms = (form for form in forms if form in dictionary or not (form.isalpha() and form.islower()))
        return Vocabulary((*SPECIAL, *islice(forms, size - len(SPECIAL))))

    def _usual_form(self, token: str) -> str:
        forms = {form: self._inner[form] for form in (token, token.capitalize(), token.upper())}
        total = sum(forms.values())
        best = max((token.upper(), token.capitalize()), key=lambda form: forms[form])
        if token in _ALWAYS_CAPITAL:
            return token.upper()
        # Capitals need a clear majority: some people write in capitals, and titles are full of them.
        return best if total and forms[best] > 0.6 * total and best != token else token


def _allowed(token: str) -> bool:
    marks = len(token) <= 3 and not any(sign.isalnum() for sign in token)
    return marks or token in NUMBER_CLASSES or _PLAIN_WORD.fullmatch(token) is not None
