"""Other words for a word: spellings, small words, signs, and neighbours in the public word table.

Everything here is a function of the one word that is asked about and of public lists. Privacy: spends nothing, and
protects nothing: whoever chooses by hand chooses with the original in mind.
"""

from __future__ import annotations

from functools import cache

from allonym.errors import AllonymError
from allonym.language.function_words import AMERICAN_SPELLINGS, BRITISH_SPELLINGS
from allonym.language.synonyms import WordNet
from allonym.vectors import embeddings

MOST = 8
_LIKE = 0.35  # cosine below which a neighbour says something else
_LOOKED_AT = 40  # neighbours
_STEM = 4  # letters that forms of one word share
_LETTERS = "abcdefghijklmnopqrstuvwxyz'"

_SMALL = {
    "although": "though|while", "also": "too|as well", "among": "amongst", "amongst": "among", "anyway": "still",
    "because": "since|as", "besides": "also", "but": "yet|though", "certainly": "surely", "could": "can|might",
    "especially": "mainly|above all", "however": "but|yet|still", "just": "only", "maybe": "perhaps",
    "moreover": "also|and", "must": "have to", "nevertheless": "still|yet", "only": "just", "perhaps": "maybe",
    "quite": "rather", "rather": "quite", "really": "very", "shall": "will", "should": "ought to",
    "since": "because|as", "so": "thus|then", "still": "yet|even so", "such": "like this", "therefore": "so|thus",
    "though": "although|but", "thus": "so", "till": "until", "too": "also", "towards": "toward|to", "until": "till",
    "upon": "on", "very": "quite", "while": "whilst|as", "whilst": "while", "whom": "who", "yet": "but|still",
}  # fmt: skip
_SIGNS = {
    ";": [".", ","], ":": [".", ","], "—": [",", ";"], "–": [",", ";"], "!": ["."], "...": ["."], "…": ["."],
    "(": [","], ")": [","], '"': ["'"], "“": ['"'], "”": ['"'], "&": ["and"], "/": ["or"], "!!": ["!", "."], ",": [";"],
}  # fmt: skip
_LONG_FORMS = {"n't": " not", "'re": " are", "'ve": " have", "'ll": " will", "'m": " am"}
_IRREGULAR = {"can't": "cannot", "won't": "will not", "shan't": "shall not", "it's": "it is", "that's": "that is",
              "he's": "he is", "she's": "she is", "there's": "there is", "what's": "what is", "let's": "let us",
              "i'd": "I would", "he'd": "he would", "she'd": "she would", "we'd": "we would", "they'd": "they would",
              "you'd": "you would"}  # fmt: skip


def of(stretch: str) -> list[str]:
    """Return what could stand in the place of a word or a sign, likeliest first, without the word itself."""
    bare = stretch.strip()
    word = bare.lower().replace("’", "'")
    small = _SMALL.get(word, "").split("|")
    words = dict.fromkeys([*_SIGNS.get(bare, []), *_spelled(word), *small, *_synonyms(word), *_near(word)])
    words.pop(word, None)
    cased = dict.fromkeys(_cased(other, bare) for other in words if other)
    return [other for other in cased if other != bare][:MOST]


def prepare() -> None:
    """Open the word lists, which takes seconds the first time."""
    embeddings.load()
    _wordnet()


def _spelled(word: str) -> list[str]:
    """Return other spellings: across the ocean, with its apostrophe, in full, or without a slip."""
    for here, there in (
        (AMERICAN_SPELLINGS, BRITISH_SPELLINGS),
        (BRITISH_SPELLINGS, AMERICAN_SPELLINGS),
    ):
        if word in here:
            return [there[here.index(word)]]
    if word in _IRREGULAR:
        return [_IRREGULAR[word]]
    for ending, full in _LONG_FORMS.items():
        if word.endswith(ending):
            return [word.removesuffix(ending) + full]
    return [] if word in embeddings.load() or not word.isalpha() else _one_slip(word)


def _one_slip(word: str) -> list[str]:
    """Return common words that differ by one letter, the commonest first."""
    if not 3 <= len(word) <= 24:
        return []
    table = embeddings.load()
    splits = [(word[:cut], word[cut:]) for cut in range(len(word) + 1)]
    tried = {head + tail[1:] for head, tail in splits if tail}
    tried |= {head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1}
    tried |= {head + letter + tail for head, tail in splits for letter in _LETTERS}
    tried |= {head + letter + tail[1:] for head, tail in splits if tail for letter in _LETTERS}
    known = {other: row for other in tried if (row := table.index(other)) is not None}
    return sorted(known, key=known.__getitem__)[:4]


def _near(word: str) -> list[str]:
    """Return neighbours in the word table that are not just another form of the word."""
    table = embeddings.load()
    if word not in table:
        return []
    near = table.neighbours(word, _LOOKED_AT)
    return [other for other, cosine in near if cosine >= _LIKE and other[:_STEM] != word[:_STEM]]


def _synonyms(word: str) -> list[str]:
    """Return synonyms that the word table knows, those nearest in meaning first."""
    table = embeddings.load()
    known = [other for other in _wordnet_of(word) if other in table] if word.isalpha() and word in table else []
    row = table.index(word) or 0
    return sorted(known, key=lambda other: -float(table.unit()[table.index(other) or 0] @ table.unit()[row]))[:4]


@cache
def _wordnet() -> WordNet | None:
    try:
        return WordNet.open()
    except AllonymError:  # nltk or its files are not here; neighbours remain
        return None


def _wordnet_of(word: str) -> tuple[str, ...]:
    wordnet = _wordnet()
    return () if wordnet is None else wordnet.of(word)


def _cased(other: str, like: str) -> str:
    """Return a word in the case of another."""
    if len(like) > 1 and like.isupper():
        return other.upper()
    return other[:1].upper() + other[1:] if like[:1].isupper() else other
