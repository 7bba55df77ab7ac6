"""Split text into words and words into terms: pure functions, for any script.

A text is first brought to one form: Unicode NFKC, one kind of apostrophe, no invisible characters (they
could carry a hidden mark of the writer). What counts as a word:

- letters, their combining marks and digits in a row (`café`, `हिन्दी`, `mp3`, `486dx`, `3rd`);
- an apostrophe between letters stays (`o'clock`), except that English endings are cut off, as in the Penn
  Treebank and the GloVe vocabulary: `don't` is `do`, `n't`; `we'll` is `we`, `'ll`; `dog's` is `dog`, `'s`;
- a hyphen, an underscore and any other sign separates: `well-known` is `well`, `known`;
- digits with inner points or commas are one number (`3.14`, `1,000`); a sign before them is dropped;
- Chinese characters and hiragana, written without spaces, are a word each. Katakana and other scripts
  without spaces (Thai, Lao, Khmer) are left in one piece up to the next space or sign.

Splitting the words joined by blanks gives the same words again. All of it takes time linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import cache, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Literal, get_args

from allonym.errors import InputError, ParameterError
from allonym.language.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Morphology = Literal["lemma", "lower", "orth"]

_MORPHOLOGIES: Final = get_args(Morphology)

# No English word is longer. Longer ones are never lemmatised nor remembered, so that a megabyte without a
# blank costs no more than its reading and the caches stay small.
_LONGEST_WORD: Final = 64
_REMEMBERED_WORDS: Final = 2**18

# Unicode's stream-safe text format (UAX 15) allows 30 combining marks in a row. More are cut: Python's
# normalisation sorts each row of marks by insertion, in quadratic time.
_MOST_MARKS_IN_A_ROW: Final = 30

# Quotation marks, primes and accents that are typed for an apostrophe. NFKC would turn some of them into a
# blank and a combining mark, so they are unified before it.
_APOSTROPHES: Final = re.compile(
    "[`\u00b4\u02bb\u02bc\u05f3\u1fbd\u1fbf\u1fef\u1ffd\u2018\u2019\u201b\u2032\uff07\uff40]"
)

# Unicode's Default_Ignorable_Code_Point, without the zero-width space U+200B, which does separate words.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)

# Characters that are neither seen nor white space.
_CONTROLS: Final = re.compile("[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]+")

# Inside of a character class: Han with its iteration mark, hiragana, and the two planes that hold only Han.
_SINGLE_CHARACTER_WORDS: Final = "\u3005\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LAST_MARK: Final = 0x1FFFF  # beyond it only Han, private characters and invisible ones

_CLITICS: Final = frozenset({"s", "re", "ve", "ll", "d", "m"})
_NUMBER: Final = re.compile(r"\d++(?:[.,]\d++)*+(?:st|nd|rd|th|s)?", re.IGNORECASE)


def words(text: str) -> list[str]:
    """Split a text into its words, in order and with their case; see the module for what a word is.

    Any string will do, lone surrogates and NULs included; no word is empty or holds white space.

    Examples:
        >>> words("Don't panic: it’s a well-known 1,000-year-old rule 😀")
        ['Do', "n't", 'panic', 'it', "'s", 'a', 'well', 'known', '1,000', 'year', 'old', 'rule']
    """
    text = _in_one_form(text)
    pattern = _ASCII_WORD if text.isascii() else _any_word()
    matches: list[str] = pattern.findall(text)
    if "'" not in text:
        return matches
    split: list[str] = []
    for word in matches:
        if "'" in word:
            split.extend(_without_clitics(word))
        else:
            split.append(word)
    return split


def is_number(token: str) -> bool:
    """Tell whether a token is a number in digits, of any script: `7`, `1,000.5`, `3rd`, `1990s`.

    Number words (`seven`) are not; the usual ones are among `STOP_WORDS`.
    """
    if not token or token[0].isalpha():
        return False
    return _NUMBER.fullmatch(token) is not None or all(unicodedata.category(sign)[0] == "N" for sign in token)


def lemma(word: str) -> str:
    """Bring an English word to its dictionary form, in lower case: `mice` to `mouse`, `Postings` to `post`.

    The dictionary is followed to the end, so that a lemma is its own lemma; where it goes round in a circle
    (`bacteria`, `bacterium`) the shortest form stands for all. Unknown words come back in lower case.
    """
    lowered = _lower(word)
    return _lemma_of_lowered(lowered) if len(lowered) <= _LONGEST_WORD else lowered


def terms(text: str, *, morphology: Morphology, keep_stop_words: bool = False, keep_numbers: bool = False) -> list[str]:
    """Split a text into the terms that a bag of words counts, in its order.

    Args:
        text: Any string.
        morphology: `"lemma"` for dictionary forms, `"lower"` for lower case, `"orth"` for words as they are.
        keep_stop_words: Whether words of `STOP_WORDS`, in any case, stay.
        keep_numbers: Whether numbers in digits stay.

    Raises:
        ParameterError: If the morphology has another value.

    Examples:
        >>> terms("The mice weren't found in 1993.", morphology="lemma")
        ['mouse', 'find']
    """
    if morphology not in _MORPHOLOGIES:
        raise ParameterError(f"morphology must be one of {', '.join(_MORPHOLOGIES)}, got {morphology!r}")
    forms = (
        _remembered_term(word, morphology, keep_stop_words, keep_numbers)
        if len(word) <= _LONGEST_WORD
        else _term(word, morphology, keep_stop_words, keep_numbers)
        for word in words(text)
    )
    return [term for term in forms if term]


def letter_bigrams(word: str) -> tuple[str, ...]:
    """List the distinct letter pairs of a word in lower case, in the order they first appear.

    A word of one letter has that letter for its only "pair", so that every word shares all with itself.

    Examples:
        >>> letter_bigrams("Banana")
        ('ba', 'an', 'na')
    """
    return letter_grams(word, 2)


def letter_grams(word: str, size: int) -> tuple[str, ...]:
    """List the distinct rows of `size` letters of a word in lower case; a shorter word is its only one.

    Examples:
        >>> letter_grams("Banana", 3), letter_grams("Ox", 3)
        (('ban', 'ana', 'nan'), ('ox',))
    """
    lowered = _lower(word)
    if len(lowered) < size:
        return (lowered,) if lowered else ()
    return tuple(dict.fromkeys(lowered[place : place + size] for place in range(len(lowered) - size + 1)))


def digest(text: str) -> bytes:
    """Hash the exact text, unnormalised, to 32 bytes (BLAKE2b)."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()


def name_key(name: str) -> str:
    """Bring the name of an author or of a document to the form in which names are compared.

    Unicode NFC, no white space around it and single blanks within, no invisible characters, upper and lower case alike,
    in Turkish too, where the i of Işık has no dot.
    Two people whose names differ in these only count as one, so that what is spent on a person is never too small.

    Examples:
        >>> {name_key(name) for name in ("José", "Jose\u0301", " JOSÉ ", "jos\u00e9\u200b", "José\u00a0")}
        {'josé'}
        >>> {name_key(name) for name in ("Işık", "IŞIK", "ışık")}, {name_key(name) for name in ("İpek", "ipek", "IPEK")}
        ({'işik'}, {'ipek'})
    """
    name = _CONTROLS.sub("", name)
    if name.isascii():
        return " ".join(name.lower().split())
    visible = _INVISIBLE.sub("", name).replace("\u200b", "")
    # Taken apart before folding, as Unicode has it (D145), and put together after.
    folded = _normalised(visible, "NFD").casefold()
    return " ".join(_normalised(folded.replace("\u0131", "i").replace("i\u0307", "i"), "NFC").split())


def checked_texts(texts: Sequence[str]) -> list[str]:
    """Return the texts as a list, refusing a single string and anything that is not text."""
    if isinstance(texts, str | bytes):
        raise InputError("Give a list of texts, not a single one: [text].")
    documents = list(texts)
    for position, text in enumerate(documents):
        if not isinstance(text, str):
            raise InputError(f"Document {position} is a {type(text).__name__}, not a text (str).")
    return documents


def _in_one_form(text: str) -> str:
    text = _APOSTROPHES.sub("'", text)
    return text if text.isascii() else _normalised(_INVISIBLE.sub("", text))


def _normalised(text: str, form: Literal["NFKC", "NFC", "NFD"] = "NFKC") -> str:
    # Cut before, for the time normalising takes, and after, since normalising can make several marks of one.
    cut = _surplus_marks().sub(r"\1", text)
    normal = unicodedata.normalize(form, cut)
    return cut if normal == cut else _surplus_marks().sub(r"\1", normal)


def _without_clitics(word: str) -> list[str]:
    """Cut the English endings off a word with an apostrophe, from its end as long as there are any."""
    pieces = word.split("'")
    endings: list[str] = []
    while len(pieces) > 1:
        last = pieces[-1].lower()
        if last in _CLITICS:
            endings.append("'" + pieces.pop())
        elif last == "t" and pieces[-2][-1:] in ("n", "N"):
            ending = "'" + pieces.pop()
            before = pieces.pop()
            endings.append(before[-1] + ending)
            # Without its n a piece may be empty (n't on its own); its apostrophe then goes with it.
            if len(before) > 1 or not pieces:
                pieces.append(before[:-1])
        else:
            break
    stem = "'".join(pieces)
    return [stem, *reversed(endings)] if stem else endings[::-1]


def _lower(word: str) -> str:
    if word.isascii():
        return word.lower()
    # Before, since some capitals only get a lower case by it (𝓐); after, since lower-casing can undo it (İ).
    return _normalised(_normalised(word).lower())


def _term(word: str, morphology: Morphology, keep_stop_words: bool, keep_numbers: bool) -> str:
    """Make the term of a word; the empty string where it is not to be counted."""
    lowered = _lower(word)
    is_stop_word = lowered in STOP_WORDS
    if (is_stop_word and not keep_stop_words) or (not keep_numbers and is_number(word)):
        return ""
    if morphology == "orth":
        return word
    if morphology == "lower":
        return lowered
    base = lemma(lowered)
    # What is no stop word never becomes one: "beings" is not "be", nor the name "Don" "do".
    return lowered if base in STOP_WORDS and not is_stop_word else base


_remembered_term = lru_cache(_REMEMBERED_WORDS)(_term)


@lru_cache(_REMEMBERED_WORDS)
def _lemma_of_lowered(word: str) -> str:
    path = [word]
    while (following := _dictionary_form(path[-1])) not in path:
        path.append(following)
    circle = path[path.index(following) :]
    return min(circle, key=lambda form: (len(form), form))


def _dictionary_form(word: str) -> str:
    if len(word) < 2 or not word.isalpha():
        return word  # the dictionary guesses at these: "m" to "be", "13s" to "thirteen"
    form = _lower(_simplemma()(word, "en"))
    # A few entries hold a point or a hyphen ("pop-up"): `words` would never yield them.
    return form if words(form) == [form] else word


@cache
def _simplemma() -> Callable[[str, str], str]:
    from simplemma import lemmatize  # late: its dictionaries take a while

    function: Callable[[str, str], str] = lemmatize
    return function


def _word_pattern(first: str, rest: str, single: str = "") -> re.Pattern[str]:
    """Compile the pattern of a word from those of its first character and of all the rest.

    Every repetition is possessive (`++`, `*+`): nothing is tried twice, so time is linear on any input.
    """
    inner_apostrophes = rf"(?:'(?!\d){first}{rest})*+"
    number = rf"\d++(?:[.,]\d++)*+{rest}{inner_apostrophes}"
    word = f"{first}{rest}{inner_apostrophes}"
    # An ending that stands alone, as in words joined by blanks; in 'd' the letter is only quoted.
    ending = rf"'(?:[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])(?!{first}|')"
    return re.compile(f"{number}|{word}|{ending}{single}")


_ASCII_WORD: Final = _word_pattern("[a-zA-Z0-9]", "[a-zA-Z0-9]*+")


@cache
def _any_word() -> re.Pattern[str]:
    # Enclosing marks (Me) are left out: they make signs of letters, such as an emoji's keycap.
    within, beyond = _mark_classes(frozenset({"Mn", "Mc"}))
    marks = f"(?:{within}++|{beyond}++)"
    first = rf"[^\W_{_SINGLE_CHARACTER_WORDS}]"
    # The ranges hold a few unassigned characters, which are none of \w.
    single = rf"(?=\w)[{_SINGLE_CHARACTER_WORDS}]{marks}*+"
    return _word_pattern(first, f"{first}*+(?:{marks}{first}*+)*+", f"|{single}")


@cache
def _surplus_marks() -> re.Pattern[str]:
    within, beyond = _mark_classes(frozenset({"Mn", "Mc", "Me"}))
    # The two halfwidth sound marks are letters, but NFKC makes combining marks of them.
    mark = f"(?:{within}|{beyond}|[\uff9e\uff9f])"
    return re.compile(f"({mark}{{{_MOST_MARKS_IN_A_ROW}}}){mark}++")


def _mark_classes(categories: frozenset[str]) -> tuple[str, str]:
    """Write the combining marks of these categories as patterns, one within and one beyond the first 65,536.

    `re` looks the former up in a table but tries the latter's ranges in turn, so these stand behind a guard.
    """
    codes = [code for code in range(_LAST_MARK + 1) if unicodedata.category(chr(code)) in categories]
    split = bisect_left(codes, 0x10000)
    return f"[{_ranges(codes[:split])}]", rf"(?:(?![\0-\uffff])[{_ranges(codes[split:])}])"


def _ranges(codes: Iterable[int]) -> str:
    """Write ascending code points as the inside of a regular expression's character class."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
