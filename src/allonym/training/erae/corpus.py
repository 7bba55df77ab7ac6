"""Texts as what ER-AE learns from: a vocabulary, sentences as token numbers, and word vectors. Needs no torch.

Whole documents are held out to tell when to stop, since sentences of one document are too much alike. A word enters
the vocabulary only if enough documents, or authors where these are known, use it: a vocabulary is readable in every
model folder, and a name that one writer uses would stand there for all to see.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.errors import InputError
from allonym.language.sequences import SPECIAL, UNKNOWN, Vocabulary, VocabularyBuilder, sentences
from allonym.language.words import digest
from allonym.vectors import embeddings

Tokens: TypeAlias = NDArray[np.uint16]
Lengths: TypeAlias = NDArray[np.uint8]

LARGEST_VOCABULARY = 2**15 - 1  # token numbers are 16 bits wide on the device that trains
SMALLEST_VOCABULARY = 50  # tokens; with fewer there is nothing to choose from
_MOST_UNKNOWN = 0.25  # of a sentence's tokens; beyond it is another language, or no sentence
_FEWEST_SENTENCES = 20
_MOST_WATCHED = 4096  # held-out sentences; more tell no more and take their time at every look


def is_prose(sentence: Sequence[str]) -> bool:
    """Tell prose from encoded files and tables, which are full of repetitions and single letters."""
    letters = sum(len(each) == 1 and each.isalpha() and each not in "aAiI" for each in sentence)
    return letters <= 0.2 * len(sentence) and 3 * len(set(sentence)) >= len(sentence)


class Tokenised:
    """Sentences of many documents, tokenised once: counted for a vocabulary, then numbered by it."""

    def __init__(self) -> None:
        self.builder = VocabularyBuilder()
        self._numbers: dict[str, int] = {}  # of the tokens as written
        self._flat, self._lengths, self._held_out = array("i"), array("i"), array("b")

    def add(self, author: str, text: str, *, held_out: bool) -> None:
        """Add a document; an author's documents must come one after another."""
        split = [sentence for sentence in sentences(text) if is_prose(sentence)]
        self.builder.add(author, split)
        numbers = self._numbers
        for sentence in split:
            self._flat.extend([numbers.setdefault(token, len(numbers)) for token in sentence])
            self._lengths.append(len(sentence))
            self._held_out.append(held_out)

    def __len__(self) -> int:
        return len(self._lengths)

    def numbered(self, vocabulary: Vocabulary) -> tuple[Tokens, NDArray[np.int64], NDArray[np.bool_]]:
        """Return all tokens in a row, how long each sentence is, and whether it is held out."""
        numbers = np.array(vocabulary.ids(self._numbers), dtype=np.uint16)
        tokens = numbers[np.frombuffer(self._flat, np.int32)] if len(self._flat) else numbers[:0]
        lengths = np.array(self._lengths, dtype=np.int64)
        return tokens, lengths, np.array(self._held_out, dtype=np.bool_)


def chosen_sentences(tokens: Tokens, lengths: NDArray[np.int64], wanted: NDArray[np.bool_]) -> tuple[Tokens, Lengths]:
    """Return the wanted sentences that are mostly known words and not fragments, as tokens in a row and lengths."""
    if not len(lengths):
        return tokens, lengths.astype(np.uint8)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    unknown = np.add.reduceat((tokens == UNKNOWN).astype(np.int64), starts)
    good = wanted & (lengths >= 2) & (unknown <= _MOST_UNKNOWN * lengths)
    return tokens[np.repeat(good, lengths)], lengths[good].astype(np.uint8)


def distinct(
    rows: Iterable[tuple[str, str | None, str]],
) -> tuple[list[tuple[bytes, str, str | None, str]], int, str]:
    """Return the different documents, how many were met before, and a hash of everything.

    Documents are (label, author, text), no label being "" and no author None, and come back with a digest first, an
    author's together.
    """
    together = blake2b(digest_size=16)
    documents: dict[bytes, tuple[bytes, str, str | None, str]] = {}
    count = 0
    for label, author, text in rows:
        key = digest(text)
        writer = "-" if author is None else f"author {author}"
        together.update(key + digest(f"{label}\n{writer}" if label else writer))
        documents.setdefault(key, (key, label, author, text))
        count += 1
    ordered = sorted(documents.values(), key=lambda document: document[2] or "")  # else in the order of the input
    return ordered, count - len(ordered), together.hexdigest()


def shared_vocabulary(builder: VocabularyBuilder, words: int, shared_by: int) -> Vocabulary:
    """Return the tokens that so many documents or authors share.

    Raises:
        InputError: They are too few to write with.
    """
    try:
        vocabulary = builder.vocabulary(words, authors=shared_by)
    except InputError:
        vocabulary = None
    if vocabulary is None or len(vocabulary) < SMALLEST_VOCABULARY:
        known = 0 if vocabulary is None else len(vocabulary) - len(SPECIAL)
        raise InputError(
            f"Only {known} words are shared by {shared_by} documents or authors, too few to write with: give more "
            "text, or a smaller --shared-by, which lets rarer words, names among them, into the model."
        )
    return vocabulary


def vectors_of(vocabulary: Vocabulary) -> NDArray[np.float16]:
    """Return the shipped unit word vectors of the tokens; zeros for those that have none."""
    table = embeddings.load()
    rows = table.rows(vocabulary.tokens)
    vectors = np.where(rows[:, None] >= 0, table.unit()[np.maximum(rows, 0)], 0).astype(np.float16)
    vectors[: len(SPECIAL)] = 0
    return vectors


@dataclass(frozen=True)
class EraeCorpus:
    """What a network is trained on."""

    vocabulary: Vocabulary
    tokens: Tokens  # of the sentences to learn from, in a row
    lengths: Lengths  # of each of these sentences
    held_out: Tokens  # tokens of the sentences that tell when to stop
    held_out_lengths: Lengths  # of each of these
    vectors: NDArray[np.float16]  # unit word vectors of the vocabulary; zeros where a word has none
    documents: int  # how many different documents were read
    doubles: int  # how many were left out, as the same as one before
    fingerprint: str  # tells whether two corpora are the same; a hash

    @property
    def coverage(self) -> float:
        """Share of the tokens learned from that the vocabulary knows."""
        return float((self.tokens != UNKNOWN).mean())

    def watched(self, most: int = _MOST_WATCHED) -> list[list[int]]:
        """Return held-out sentences as token numbers, evenly spread if there are more than `most`."""
        split = np.split(self.held_out.astype(np.int64), np.cumsum(self.held_out_lengths.astype(np.int64))[:-1])
        chosen = np.unique(np.linspace(0, len(split) - 1, min(most, len(split))).astype(np.int64))
        return [split[number].tolist() for number in chosen]


def prepare(
    documents: Iterable[tuple[str | None, str]], *, words: int, shared_by: int, held_out: float, seed: int
) -> EraeCorpus:
    """Read documents, as (author, text), into what a network is trained on; authors that are not known are None.

    A text met before is left out, so that copies of one document do not count as several. The numbers are those of
    `own_text.EraeRecipe`.

    Raises:
        InputError: There is too little text to learn from.
    """
    texts, doubles, fingerprint = distinct(("", author, text) for author, text in documents)
    watched = held_out_documents([key for key, *_ in texts], held_out, seed)
    read = Tokenised()
    for key, _, author, text in texts:
        read.add(key.hex() if author is None else author, text, held_out=key in watched)
    if not len(read):
        raise InputError("There is no English sentence in the text column: choose another --text, or give more text.")
    vocabulary = shared_vocabulary(read.builder, words, shared_by)
    numbered, lengths, held = read.numbered(vocabulary)
    tokens, learned_lengths = chosen_sentences(numbered, lengths, ~held)
    others, other_lengths = chosen_sentences(numbered, lengths, held)
    if len(learned_lengths) < _FEWEST_SENTENCES or not len(other_lengths):
        raise InputError(
            f"Only {len(learned_lengths):,} sentences to learn from and {len(other_lengths):,} held out are made of "
            f"words that {shared_by} documents share: give more text, or a smaller --shared-by."
        )
    return EraeCorpus(
        vocabulary, tokens, learned_lengths, others, other_lengths, vectors_of(vocabulary),
        len(texts), doubles, fingerprint,
    )  # fmt: skip


def held_out_documents(keys: Sequence[bytes], share: float, seed: int) -> set[bytes]:
    """Return whom a keyed hash of the text puts first; one document at least."""
    order = sorted(keys, key=lambda key: blake2b(key, salt=seed.to_bytes(16, "little", signed=True)).digest())
    return set(order[: max(1, round(share * len(order)))])
