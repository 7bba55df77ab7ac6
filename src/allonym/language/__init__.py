"""What knows a language: words, sentences, names, synonyms, and which words stand beside which.

Today that is English. Another language is a folder beside these modules with the same parts, models whose names end in
its code, and an entry in `LANGUAGES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType, ModuleType

from allonym.errors import ParameterError


@dataclass(frozen=True)
class Language:
    """The parts that belong to a language."""

    code: str  # its two letters (ISO 639-1), which end the names of its models
    name: str  # its name in English
    parts: Mapping[str, str]  # the module that knows each part of it
    models: frozenset[str]  # the kinds of shipped models that were made from text in it

    def part(self, name: str) -> ModuleType:
        """Return the module that knows a part of the language."""
        if name not in self.parts:
            raise ParameterError(f"{self.name} has no part {name!r}; it has {', '.join(sorted(self.parts))}.")
        return import_module(f"allonym.language.{self.parts[name]}")

    def model(self, kind: str) -> str:
        """Return the name of a shipped model."""
        if kind not in self.models:
            raise ParameterError(f"There is no model {kind!r} for {self.name}, only {', '.join(sorted(self.models))}.")
        return f"{kind}-{self.code}"


ENGLISH = Language(
    "en",
    "English",
    MappingProxyType(
        {
            "words": "words",
            "stop words": "stop_words",
            "function words": "function_words",
            "sentences": "sequences",
            "masked sentences": "masked_sentences",
            "names": "entities",
            "parts of speech": "parts_of_speech",
            "synonyms": "synonyms",
            "pairs": "pairs",
            "spaCy's model": "english",
            "layout": "layout",
            "facts": "facts",
            "identification": "identification",
            "words of names": "name_words",
            "patterns of names": "name_patterns",
            "likeness of words": "alike",
            "verb forms": "verb_forms",
            "persons": "persons",
            "blocked words": "blocked_words",
            "public style": "public_style",
            "rewording": "rewording",
        }
    ),
    frozenset({"words", "pairs", "neutral", "erae", "style", "style-encoder", "bloggers", "sentences"}),
)

LANGUAGES = MappingProxyType({language.code: language for language in (ENGLISH,)})


def find(code: str) -> Language:
    """Return a language by its code.

    Examples:
        >>> find("en").model("words")
        'words-en'

    Raises:
        ParameterError: Allonym does not know it.
    """
    if code not in LANGUAGES:
        known = ", ".join(f"{language.code} ({language.name})" for language in LANGUAGES.values())
        raise ParameterError(f"Allonym does not know the language {code!r}; choose one of: {known}.")
    return LANGUAGES[code]
