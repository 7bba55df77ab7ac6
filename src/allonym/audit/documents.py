"""The documents that an audit feeds to a method, and for each a plain one that shares what the method says it copies.

They are odd in the ways that are treated as special by mistake: empty, blank, long, loud, in other scripts, with
numbers, unknown words and broken characters, of many lengths, and some generated ones. No list of signs or words is
ever complete, so three documents hold every sign of some kind, and three are made of the method's own vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib.resources import files
from itertools import chain

import numpy as np

from allonym.anonymizers.auditing import mixed
from allonym.language import sequences
from allonym.privacy.habits import Habit

MEASURED = frozenset({Habit.NUMBER_OF_WORDS, Habit.NUMBER_OF_SENTENCES, Habit.SENTENCE_LENGTHS})
Reading = Callable[[str], int]
"""A document to its number of words, as a method counts them."""

_UNKNOWN = ("quavexil", "brintosk", "zorplume", "wexhadit", "jolvarnq", "klimpost", "druvenax")
_LENGTHS = (2, 4, 5, *range(7, 12), 13, *range(15, 18), 20, 21, *range(29, 34), 50, 51, 63, 64, 65, 100, 101, 127, 129)
_LONG = (149, 150, 151, 200, 255, 257, 300, 499, 501, 599, 601, 1000, 1025, 3000)
_GENERATED = 24
_SURROGATES = range(0xD800, 0xE000)
_EMOJI = ((0x2600, 0x27C0), (0xFE0F, 0xFE10), (0x1F1E6, 0x1F200), (0x1F300, 0x1F650), (0x1F680, 0x1F700),
          (0x1F900, 0x1FB00))  # fmt: skip
_FROM_THE_VOCABULARY, _FROM_ALL_OVER = 500, 5_000
_VERY_LONG, _LONG_ENOUGH = 100_000, 20_000  # words; fewer where each of them takes its time
_FEW = frozenset(
    (  # noqa: SIM905 - readable
        "plain words;an empty document;a blank line inside;a line break at the end;a tab at the end;capitals;"
        "a capital at the start;a full stop;quotes;the number 7;numbers alone;emoji;a lone surrogate;1 unknown words;"
        "2 unknown words;3 unknown words;unknown words alone;stop words;one word 9 times;2 sentences;21 sentences;"
        "5 words;31 words;601 words;3000 words;contractions;another order;other scripts;generated text 3;"
        "generated text 5;generated text 6;a word in capitals;title case;spaces at the end;seven paragraphs;"
        "a date and a time;every sign below U+0250;every emoji"
    ).split(";")
)
_MARKS = (" ", " ", " ", ", ", ". ", "! ", "? ", "\n", "\n\n", " - ", "; ", "\t", "  ", " (", ") ", ' "', "...")
_LETTERS = "eariotnslcudpmhgbfywkvxzjqé"


def documents(known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield documents with what is special about each, the plain one first, made of words that the method knows.

    Of more than three words the last is left to the plain documents that these are compared with: they share no word.
    """
    known = known[:-1] if len(known) > 3 else known
    first, second, third = known[:3]
    plain = f"{first} {second} {third}"
    yield "plain words", plain
    yield from _special(first, second, third)
    yield from _every_sign(first, third)
    for count in range(1, len(_UNKNOWN) + 1):
        yield f"{count} unknown words", " ".join([plain, *_UNKNOWN[:count]])
    yield "unknown words alone", " ".join(_UNKNOWN[:3])
    yield "an unknown word first", f"{_UNKNOWN[0]} {plain}"
    for count in (1, *_LENGTHS):
        yield f"{count} words", " ".join(known[number % len(known)] for number in range(count))
    for count in (2, 3, 9, 40):
        yield f"one word {count} times", " ".join([second] * count)
    for count in (2, 3, 5, 19, 20, 21, 40):
        sentences = (f"{known[number % len(known)].capitalize()} {third}." for number in range(count))
        yield f"{count} sentences", " ".join(sentences)
    for count in _LONG:
        yield f"{count} words", " ".join(known[number * 7 % len(known)] for number in range(count))
    yield "a sentence of 400 words and a short one", " ".join([first] * 400) + f". {second}."
    for number in range(_GENERATED):
        yield f"generated text {number + 1}", generated(known, number)


def _special(first: str, second: str, third: str) -> Iterator[tuple[str, str]]:
    """Yield the documents that are special in how they are written: those of `documents.json`, and in their case."""
    templates = json.loads((files("allonym.audit") / "documents.json").read_text("utf-8"))
    for name, template in templates.items():
        yield name, template.format(first, second, third)
    plain = f"{first} {second} {third}"
    yield "a capital at the start", plain[:1].upper() + plain[1:]
    yield "a capital in the middle", f"{first} {second.capitalize()} {third}"
    yield "a word in capitals", f"{first} {second.upper()} {third}"
    yield "a word of two capitals", f"{first} {second.capitalize()}{third.capitalize()} {third}"
    yield "capitals", plain.upper()
    yield "title case", plain.title()
    yield "mixed case", "".join(sign.upper() if index % 2 else sign for index, sign in enumerate(plain))
    yield "a word of 10,000 letters", f"{first} {'a' * 10_000} {third}"


def _every_sign(first: str, third: str) -> Iterator[tuple[str, str]]:
    """Yield documents with every sign of a kind: whichever is treated as special by mistake, it is among them."""
    kinds = {
        # The apostrophe has documents of its own: what is written with one has no plain twin where words are counted.
        "every sign below U+0250": (code for code in range(0x250) if code != ord("'")),
        "signs of all scripts": (code for code in range(0x250, 0x10000, 16) if code not in _SURROGATES),
        "every emoji": chain.from_iterable(range(*block) for block in _EMOJI),
    }
    for name, codes in kinds.items():
        yield name, " ".join([first, *map(chr, codes), third])


def very_long_documents(known: Sequence[str], *, slow: bool = False) -> Iterator[tuple[str, str]]:
    """Yield documents longer than the limits that programs set themselves, be it in words, characters or sentences."""
    count = _LONG_ENOUGH if slow else _VERY_LONG
    yield f"{count:,} words in short sentences", in_sentences(known, count)
    yield f"one word {count:,} times", " ".join([known[1]] * count)


def in_sentences(known: Sequence[str], count: int) -> str:
    """Return a text of so many words, three a sentence."""
    words = [known[number * 7 % len(known)] for number in range(count)]
    words[::3] = [word.capitalize() for word in words[::3]]
    words[2::3] = [f"{word}." for word in words[2::3]]
    return " ".join(words)


def of_vocabulary(words: Sequence[str], *, slow: bool = False) -> Iterator[tuple[str, str]]:
    """Yield documents made of a method's own list of words, where it has a long one: its ends, and words all over it.

    Numbers of words are counted from either end, and a word past the last is where mistakes show.
    """
    if len(words) < _FROM_THE_VOCABULARY:
        return
    yield "the first words of the vocabulary", " ".join(words[:5])
    yield "the last words of the vocabulary", " ".join(words[-5:])
    count = min(len(words), _FROM_THE_VOCABULARY if slow else _FROM_ALL_OVER)
    yield "words from all over the vocabulary", " ".join(words[:: len(words) // count])


def generated(known: Sequence[str], number: int) -> str:
    """Return a text of known words, made-up ones, numbers and marks, by the number it has."""
    numbers = iter(mixed(np.arange(4096, dtype=np.uint64) + np.uint64(number << 32)).tolist())
    count = (3, 8, 20, 60, 140, 400)[number % 6]
    parts = []
    for _ in range(count):
        kind = next(numbers) % 10
        if kind < 6:
            parts.append(known[next(numbers) % len(known)])
        elif kind < 9:
            parts.append("".join(_LETTERS[next(numbers) % len(_LETTERS)] for _ in range(1 + next(numbers) % 9)))
        else:
            parts.append(str(next(numbers) % 10 ** (1 + next(numbers) % 5)))
        if next(numbers) % 5 == 0:
            parts[-1] = parts[-1].capitalize()
        parts.append(_MARKS[next(numbers) % len(_MARKS)])
    return "".join(parts)


def few_documents(known: Sequence[str]) -> list[tuple[str, str]]:
    """Return some forty of the documents, of every kind: for methods that take a second for each."""
    return [(name, text) for name, text in documents(known) if name in _FEW]


def twin(document: str, copies: Collection[str], word: str, reading: Reading) -> str | None:
    """Return the plainest document of one word that shares the `MEASURED` habits that are copied, if there is one."""
    if not copies:
        return f"{word} {word} {word}"
    if Habit.SENTENCE_LENGTHS in copies or Habit.NUMBER_OF_SENTENCES in copies:
        lengths = [len(sentence) for sentence in sequences.sentences(document)]
        return "\n\n".join(" ".join([word] * length) for length in lengths)
    # How an ending ("'s") counts depends on the word before it.
    return None if {"'", "\u2019"} & set(document) else " ".join([word] * reading(document))
