"""Whether a text is in another language than English, and in which.

All that this package has learned, it has learned of English: on another language its figures mean nothing. So whoever
gives such a text should be told. Four things are asked, the cheap ones first, and each can say "nothing to tell":

1. Are there twenty words in sentences? A shorter text, a list, names and program code are in no language.
2. Does the English dictionary (simplemma) know most of the words in small letters? Then it is English, however odd.
3. Does a detector (py3langid: sequences of bytes, 97 languages, offline) name another language, and is it sure?
4. Is its script one that English is not written in? Then it need not be sure which language it is.

Privacy: spends nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

FEWEST_WORDS: Final = 20
_LONGEST: Final = 4_000  # signs of the text that are looked at: more tell no more
_KNOWN: Final = 0.6  # of words that an English text has at least, slips and slang and all
_SURE: Final = 0.9
_FEWEST_SMALL: Final = 8  # words in small letters, of which names and headings have none
_IN_SENTENCES: Final = 3.0  # words between two breaks on average; lists have fewer
_SIGNS_OF_CODE: Final = 0.06  # of all signs; prose has hardly any
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BREAK: Final = re.compile(r"[\n,;:.!?|/\t•]+")
_CODE: Final = re.compile(r"[{}<>=\\_$#@*()\[\]]")
_ADDRESS: Final = re.compile(r"\S*(?:://|@|www\.)\S*")
_WITHOUT_BLANKS: Final = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")

_NAMES: Final = {
    "af": "Afrikaans", "ar": "Arabic", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "bs": "Bosnian",
    "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "eo": "Esperanto",
    "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish",
    "gl": "Galician", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "ko": "Korean",
    "la": "Latin", "lb": "Luxembourgish", "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ms": "Malay",
    "mt": "Maltese", "nb": "Norwegian", "nl": "Dutch", "nn": "Norwegian", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian",
    "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "th": "Thai", "tl": "Tagalog", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_UNNAMED: Final = "another language"


def other_language(text: str) -> str | None:
    """Return the language of a text that is surely not English, by its English name; None otherwise.

    Examples:
        >>> other_language("Wir haben den ganzen Tag auf den Zug gewartet, und als er endlich kam, war er so voll, "
        ... "dass niemand mehr einsteigen konnte.")
        'German'
        >>> other_language("Wir haben den ganzen Tag gewartet.") is None  # too short to say
        True
    """
    prose = _ADDRESS.sub(" ", text[:_LONGEST])
    words = _WORD.findall(prose)
    if _in_other_script(words):
        language, _ = _detected(prose)
        return _NAMES.get(language, _UNNAMED) if language != "en" else _UNNAMED
    if len(words) < FEWEST_WORDS or not _is_prose(prose, words):
        return None
    small = [word for word in words if word.islower()]
    if len(small) < _FEWEST_SMALL or _share_known(small) >= _KNOWN:
        return None
    language, sure = _detected(prose)
    return None if language == "en" or sure < _SURE else _NAMES.get(language, _UNNAMED)


def of_texts(texts: Iterable[str]) -> str:
    """Say of texts how many are in another language; nothing if none is."""
    said = [other_language(text) for text in texts]
    return sentence(Counter(filter(None, said)), len(said))


def sentence(languages: Counter[str], of: int) -> str:
    """Say of some documents how many are in another language; nothing if none is.

    Examples:
        >>> sentence(Counter({"German": 2}), of=40)[:51]
        '2 of the first 40 documents seem to be German, not '
    """
    count = languages.total()
    if not count:
        return ""
    named = " or ".join(language for language, _ in languages.most_common(3))
    several = f"{count:,} of the first {of:,} documents {'seems' if count == 1 else 'seem'}"
    return (
        f"{'This text seems' if of == 1 else several} to be {named}, not English. Models, lists and measured figures "
        "here are of English alone: what is said of such a text means little, and a rewrite will not be readable."
    )


def _is_prose(text: str, words: list[str]) -> bool:
    """Tell sentences from lists and program code."""
    pieces = [piece for piece in _BREAK.split(text) if _WORD.search(piece)]
    of_code = len(_CODE.findall(text)) / max(1, len(text))
    return len(words) / max(1, len(pieces)) >= _IN_SENTENCES and of_code <= _SIGNS_OF_CODE


def _in_other_script(words: list[str]) -> bool:
    """Tell whether most letters are not Latin, and whether there are as many as twenty words have."""
    letters = [letter for letter in "".join(words) if letter.isalpha()]
    scripts = Counter(unicodedata.name(letter, "?").split()[0].partition("-")[0] for letter in letters)
    foreign = sum(count for script, count in scripts.items() if script not in ("LATIN", "?"))
    without_blanks = sum(count for script, count in scripts.items() if script in _WITHOUT_BLANKS)
    enough = len(words) >= FEWEST_WORDS or without_blanks >= 2 * FEWEST_WORDS
    return enough and 2 * foreign > len(letters)


def _share_known(words: list[str]) -> float:
    """Return the share of words that the English dictionary has."""
    from simplemma import is_known  # late: its dictionaries take a while

    return sum(is_known(word, "en") for word in words) / len(words)


def _detected(text: str) -> tuple[str, float]:
    language, sure = _detector().classify(text)
    return str(language), float(sure)


@cache
def _detector() -> Any:  # noqa: ANN401 - has no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # late: its table takes a while

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
