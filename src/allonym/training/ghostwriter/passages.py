"""Texts as passages of a few sentences in one style: what a network learns to write. Needs no torch.

Marks are brought to one form, and names, numbers, dates and the like become their class, as in the notes: so nothing
that a text states can be learned, and what is written says "[name]" where somebody must be named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from allonym.errors import MissingDependencyError
from allonym.guard.reading import ReadText
from allonym.language import sequences
from allonym.language.blocked_words import holds_blocked
from allonym.language.public_style import marks
from allonym.language.words import digest
from allonym.networks.ghostwriter.model import PIECES, WORD_START
from allonym.networks.ghostwriter.reading import CLASSES, class_of
from allonym.networks.translation.weights import MISSING, open_network
from allonym.training.erae.corpus import is_prose

_MOST_SENTENCES: Final = 6
_MOST_WORDS: Final = 90
_FEWEST_WORDS: Final = 4
_MOST_FOREIGN: Final = 0.02  # share of the characters that are not ASCII
_CLASS: Final = re.compile("|".join(re.escape(one) for one in dict.fromkeys(CLASSES.values())))
_WRITES: Final = "pt-en"


def passages(text: str) -> Iterator[str]:
    """Yield the passages of a text; how many sentences each has follows from the text alone."""
    plain = [one for piece in sequences.cut(text) if (one := _plain(piece))]
    numbers = digest(text)
    place = turn = 0
    while place < len(plain):
        wanted = 1 + numbers[turn % len(numbers)] % _MOST_SENTENCES
        end, words = place, 0
        while end < min(len(plain), place + wanted) and (words := words + len(plain[end].split())) <= _MOST_WORDS:
            end += 1
        passage = " ".join(plain[place:end])
        if end > place and _is_english(passage):
            yield passage
        place, turn = max(end, place + 1), turn + 1


def _plain(sentence: str) -> str:
    """Return a sentence in the public form; nothing for what is no prose."""
    return marks.sentence(marks.plain(sentence)) if is_prose(sequences.tokens(sentence)) else ""


def _is_english(passage: str) -> bool:
    foreign = sum(not sign.isascii() for sign in passage)
    long_enough = len(passage.split()) >= _FEWEST_WORDS
    return long_enough and foreign <= _MOST_FOREIGN * len(passage) and not holds_blocked(passage)


def with_classes(read: ReadText) -> str:
    """Return a passage that has been read with the classes of its facts in their places.

    Examples:
        >>> from allonym.guard.reading import read
        >>> with_classes(read("On 3 May Mrs Hu didn't pay £40."))
        "On [date] [name] didn't pay [amount]."
    """
    parts, end = list[str](), 0
    for fact in (fact for sentence in read.sentences for fact in sentence.facts):
        if (name := class_of(fact)) is not None:
            parts += [read.text[end : fact.start], name]
            end = fact.end
    return "".join(parts) + read.text[end:]


class Pieces:
    """Cuts passages into pieces; a class is one of its own.

    Args:
        tokenizer: Of the library `tokenizers`.
    """

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401 - the library has no types
        self._tokenizer = tokenizer

    @classmethod
    def of_translation(cls) -> Pieces:
        """Return the pieces of the network that translates into English.

        Raises:
            MissingDependencyError: The extra `translate` is not installed.
        """
        return cls(open_network(_WRITES).tokenizer)

    @classmethod
    def learned(cls, texts: Iterable[str], count: int) -> Pieces:
        """Return pieces that are learned from passages, by byte-pair encoding.

        Raises:
            MissingDependencyError: The library is not installed.
        """
        try:
            from tokenizers import Tokenizer, models, pre_tokenizers, trainers  # late: an extra
        except ImportError as error:
            raise MissingDependencyError(MISSING) from error
        tokenizer = Tokenizer(models.BPE(unk_token=PIECES[1]))
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()])
        trainer = trainers.BpeTrainer(vocab_size=count, special_tokens=list(PIECES), show_progress=False)
        tokenizer.train_from_iterator((_CLASS.sub(" ", text) for text in texts), trainer)
        return cls(tokenizer)

    def of(self, passage: str) -> list[str]:
        """Return the pieces of a passage with classes."""
        found: list[str] = []
        end = 0
        for match in _CLASS.finditer(passage):
            found += [*self._cut(passage[end : match.start()]), WORD_START + match[0]]
            end = match.end()
        return found + self._cut(passage[end:])

    def _cut(self, part: str) -> list[str]:
        stripped = part.strip()
        return list(self._tokenizer.encode(stripped, add_special_tokens=False).tokens) if stripped else []


def shared_pieces(counts: Sequence[tuple[str, int, int]], most: int, shared_by: int) -> list[str]:
    """Return the pieces that are written: the first two, classes, and those that enough documents or authors share.

    Args:
        counts: Pieces with how often they occur, and in how many documents or authors' texts.
        most: How many, at most.
        shared_by: How many must use one.
    """
    first = [*PIECES, *(WORD_START + name for name in dict.fromkeys(CLASSES.values()))]
    eligible = [(-count, piece) for piece, count, sharers in counts if sharers >= shared_by and piece not in first]
    return [*first, *(piece for _, piece in sorted(eligible)[: max(0, most - len(first))])]
