"""Contractions written out, and written together: "don't" is "do not", "it is" is "it's"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from allonym.language.rewording.edits import Edit, SentenceReader
from allonym.language.rewording.lists import listed
from allonym.language.verb_forms import infinitive, irregular_forms, is_participle_alone
from allonym.language.words import lemma

_PRONOUNS: Final = listed("i you he she it we they there this that these those anyone anybody everyone")
_NOT: Final = re.compile(
    r"\b(?P<verb>is|are|was|were|do|does|did|has|have|had|wo|would|could|should|ca|must|need)n['’]t\b", re.I
)
_IS_NOT: Final = re.compile(
    r"\b(?P<verb>is|are|was|were|do|does|did|has|have|had|will|would|could|should|must)(?P<gap> )not\b|\bcan ?not\b",
    re.I,
)
_SHORT: Final = re.compile(
    r"\b(?P<host>I|you|we|they|he|she|it|that|there|who|what|where|here|could|would|should|might|must)['’]"
    r"(?P<short>m|re|ve|ll|s|d)\b",
    re.IGNORECASE,
)
_LONG: Final = re.compile(
    r"\b(?P<host>I|you|we|they|he|she|it|that|there)(?P<gap> )(?P<verb>am|are|have|has|will|is|would|had)\b(?= )",
    re.IGNORECASE,
)
_LAZY: Final = re.compile(r"\b(?:gonna|wanna|gotta|kinda|sorta|gimme|lemme|dunno|y['’]all|let['’]s)\b", re.IGNORECASE)
_WRITTEN: Final = {
    "gonna": "going to", "wanna": "want to", "kinda": "kind of", "sorta": "sort of", "gimme": "give me",
    "lemme": "let me", "y'all": "you all", "let's": "let us",
}  # fmt: skip
_FULL: Final = {"wo": "will not", "ca": "cannot"}
_TOGETHER: Final = {"will": "won't", "cannot": "can't", "can not": "can't"}
_VERBS: Final = {"m": "am", "re": "are", "ve": "have", "ll": "will"}
_ENDINGS: Final = {"am": "m", "are": "re", "have": "ve", "has": "s", "will": "ll", "is": "s", "would": "d", "had": "d"}
_FITS: Final = {
    "am": {"i"}, "are": {"you", "we", "they"}, "have": {"i", "you", "we", "they"}, "has": {"he", "she", "it"},
    "is": {"he", "she", "it", "that", "there"}, "will": {"i", "you", "we", "they", "he", "she", "it"},
    "would": {"i", "you", "we", "they", "he", "she"}, "had": {"i", "you", "we", "they", "he", "she"},
}  # fmt: skip
_BETWEEN: Final = listed("never not always already just only also ever really since still now all both")
_SURELY_HAS: Final = listed("been had got become taken")
_COME: Final = listed("come gone said told asked seen left made given started stopped written")
_NO_VERB: Final = listed(
    """
a an the my your his her its our their this that some any no to of in on at for with
    """
)
_WHY_WRITTEN: Final = "without a contraction"
_WHY_SHORT: Final = "with a contraction"


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield contractions that can be written out, and words that can be contracted."""
    yield from _negations(reader)
    yield from _written_out(reader)
    yield from _contracted(reader)
    for match in _LAZY.finditer(reader.text):
        lazy = match[0].lower().replace("’", "'")
        new = _lazy(reader, match, lazy)
        if new:
            yield reader.put(match.start(), match.end(), new, "contraction", "written out")


def _lazy(reader: SentenceReader, match: re.Match[str], lazy: str) -> str:
    before, after = reader.word_before(match.start()), reader.word_after(match.end())
    if lazy == "gotta":
        return (
            "got to" if before.endswith(("'ve", "'s", "have", "has")) else "have to" if before in _FITS["have"] else ""
        )
    if lazy == "dunno":
        return "do not know" if before in _FITS["have"] else ""
    if lazy == "wanna":
        return "want to" if after not in _NO_VERB else "want"
    return _WRITTEN[lazy]


def _negations(reader: SentenceReader) -> Iterator[Edit]:
    text = reader.text
    for match in _NOT.finditer(text):
        verb = match["verb"].lower()
        if reader.word_after(match.end()) in _PRONOUNS:  # "don't you": the words would change places
            continue
        new = _FULL.get(verb, f"{verb} not")
        if match[0].isupper():
            continue
        yield reader.put(match.start(), match.end(), new, "contraction", _WHY_WRITTEN)
    for match in _IS_NOT.finditer(text):
        words = match[0].lower()
        verb = "cannot" if words.startswith("can") else match["verb"].lower()
        after = text[match.end() : match.end() + 1]
        if reader.word_after(match.end()) in ("only", "just", "merely", "so", "to") or after in "-":
            continue
        if reader.word_before(match.start()) in ("whether", "why", "or", "if"):
            continue
        new = _TOGETHER.get(verb, f"{verb}n't")
        yield reader.put(match.start(), match.end(), new, "contraction", _WHY_SHORT)


def _written_out(reader: SentenceReader) -> Iterator[Edit]:
    for match in _SHORT.finditer(reader.text):
        host, short = match["host"], match["short"].lower()
        following = reader.words_after(match.end(), 4)
        if short in ("s", "d") and not following:
            continue
        verb = _VERBS.get(short) or (
            _is_or_has(host.lower(), following) if short == "s" else _had_or_would(host, following)
        )
        if not verb or (host.lower() in ("could", "would", "should", "might", "must")) != (
            short == "ve" and len(host) > 4
        ):
            continue
        if verb in _ENDINGS and short in ("m", "re", "ve", "ll") and not _agrees(host.lower(), verb):
            continue
        yield reader.put(match.start(), match.end(), f"{host} {verb}", "contraction", _WHY_WRITTEN)


def _agrees(host: str, verb: str) -> bool:
    if verb == "have":
        return host in _FITS["have"] or host in ("could", "would", "should", "might", "must", "who")
    if verb == "will":
        return host in _FITS["will"] or host in ("that", "there", "who", "what")
    return host in _FITS[verb]


def _is_or_has(host: str, following: list[str]) -> str:
    """Return "is" or "has", or nothing where both could be meant."""
    if host not in ("he", "she", "it", "that", "there", "who", "what", "where", "here"):
        return ""
    word = next((one for one in following if one not in _BETWEEN), "")
    if word in _SURELY_HAS:
        return "has"
    if not word or (host in ("there", "here") and word in ("two", "three", "some", "lots", "loads", "many", "several")):
        return ""
    if word in _COME:
        return "has" if host in ("he", "she") else ""
    if infinitive(word) not in (None, word) and not is_participle_alone(word) and not word.endswith("ing"):
        return ""
    return "is"


def _had_or_would(host: str, following: list[str]) -> str:
    if host.lower() not in (*_FITS["had"], "it", "who", "there", "that"):
        return ""
    word = next((one for one in following if one not in _BETWEEN), "")
    if word in ("been", "better"):
        return "had"
    if word in ("rather", "sooner", "like", "love", "prefer", "be", "have"):
        return "would"
    base = infinitive(word)
    if word in _NO_VERB or (base == word and word in (irregular_forms(word) or ())):  # "put", "cut": either
        return ""
    if base == word:
        return "would"
    if base is not None or (word.endswith("ed") and len(word) > 4 and lemma(word) != word):
        return "had"
    return "would" if word.isalpha() and lemma(word) == word and not word.endswith(("ing", "ly", "s")) else ""


def _contracted(reader: SentenceReader) -> Iterator[Edit]:
    for match in _LONG.finditer(reader.text):
        host, verb = match["host"], match["verb"].lower()
        following = reader.words_after(match.end(), 3)
        if host.lower() not in _FITS[verb] or not following or match[0].isupper():
            continue
        if host.lower() in ("that", "there", "it", "you") and reader.word_before(match.start()) in (
            *("and", "or", "than", "as", "of", "for", "with", "to", "from", "by", "about", "is", "all", "what", "who"),
        ):
            continue
        word = next((one for one in following if one not in _BETWEEN), "")
        participle = _is_participle(word)
        if verb in ("have", "has", "had") and (not participle or word == "to"):
            continue
        if verb == "would" and (infinitive(word) not in (None, word) or word in _NO_VERB or lemma(word) != word):
            continue
        if verb in ("is", "am", "are") and following[0] in ("and", "or", "but", "as", "because", "if", "than"):
            continue
        if host.lower() == "that" and reader.word_before(match.start()):  # the one that is late
            continue
        yield reader.put(match.start(), match.end(), f"{host}'{_ENDINGS[verb]}", "contraction", _WHY_SHORT)


def _is_participle(word: str) -> bool:
    if word in ("been", "had", "done", "got"):
        return True
    base = infinitive(word)
    return (base is not None and base != word) or (word.endswith("ed") and len(word) > 4 and lemma(word) != word)
