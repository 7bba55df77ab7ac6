"""A user's texts as what A4NT learns from: a vocabulary, and the sentences of each class as token numbers. No torch.

Whole documents, or authors where these are known, are held out to watch the training. A word enters the vocabulary
only if enough documents or authors use it: a vocabulary is readable in every model folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.errors import InputError
from allonym.language import entities, masked_sentences
from allonym.language.sequences import SPECIAL, UNKNOWN, Vocabulary, VocabularyBuilder
from allonym.training.erae.corpus import distinct, is_prose, shared_vocabulary, vectors_of

Tokens: TypeAlias = NDArray[np.int32]

MOST_CLASSES = 12
MOST_UNKNOWN = 0.25  # of a sentence's tokens; beyond it is another language, or no sentence
FEWEST_SENTENCES = 20  # of each class
_LONGEST_CLASS_NAME = 40


class LabelledText(NamedTuple):
    """A document: the class of its writer, the writer if known, and its text."""

    label: str
    author: str | None
    text: str


@dataclass(frozen=True)
class ClassSample:
    """Sentences of one class: tokens in a row, the length of each sentence, and which document it is from."""

    tokens: Tokens
    lengths: NDArray[np.int64]
    documents: NDArray[np.int64]


@dataclass(frozen=True)
class A4ntCorpus:
    """What a translator is trained on."""

    vocabulary: Vocabulary
    classes: tuple[str, ...]  # names of the classes, in alphabetical order
    learned: tuple[ClassSample, ...]  # sentences to learn from, by class
    watched: tuple[ClassSample, ...]  # sentences held out, by class
    vectors: NDArray[np.float16]  # unit word vectors of the vocabulary; zeros where a word has none
    documents: int  # how many different documents were read
    fingerprint: str  # tells whether two corpora are the same; a hash

    @property
    def sentences(self) -> int:
        """Sentences to learn from, of all classes."""
        return sum(len(sample.lengths) for sample in self.learned)

    @property
    def coverage(self) -> float:
        """Share of the tokens learned from that the vocabulary knows."""
        return float((np.concatenate([sample.tokens for sample in self.learned]) != UNKNOWN).mean())


def prepare(
    rows: Iterable[LabelledText], *, words: int, shared_by: int, held_out: float, names: bool = False, seed: int = 1
) -> A4ntCorpus:
    """Read documents into what a translator is trained on; a text met before is left out.

    The numbers are those of `own_text.A4ntPlan`.

    Raises:
        InputError: There are too few or too many classes, or too little text of one of them.
        MissingDependencyError: Names are asked for and spaCy is not installed.
    """
    texts, _, fingerprint = distinct(rows)
    classes = _classes({label for _, label, _, _ in texts})
    read = [prose(text, names=names) for _, _, _, text in texts]
    owners = [(label, key.hex() if author is None else f"author {author}") for key, label, author, _ in texts]
    vocabulary = _vocabulary([owner for _, owner in owners], read, words, shared_by, names=names)
    watched = _held_out(owners, held_out, seed)
    parts: dict[tuple[str, bool], list[tuple[int, list[int]]]] = {}
    for number, (owner, sentences) in enumerate(zip(owners, read, strict=True)):
        numbered = map(vocabulary.ids, sentences)
        parts.setdefault((owner[0], owner in watched), []).extend(
            (number, ids) for ids in numbered if ids.count(UNKNOWN) <= MOST_UNKNOWN * len(ids)
        )
    samples = [[_sample(parts.get((name, held), [])) for name in classes] for held in (False, True)]
    for name, learned, others in zip(classes, *samples, strict=True):
        if len(learned.lengths) < FEWEST_SENTENCES or not len(others.lengths):
            raise InputError(
                f"Of the class {name!r} only {len(learned.lengths):,} sentences to learn from and "
                f"{len(others.lengths):,} held out are made of words that {shared_by} documents share: give more text, "
                "or a smaller --shared-by."
            )
    to_learn, to_watch = map(tuple, samples)
    return A4ntCorpus(vocabulary, classes, to_learn, to_watch, vectors_of(vocabulary), len(texts), fingerprint)


def _classes(names: set[str]) -> tuple[str, ...]:
    if "" in names:
        raise InputError("A row has no value in the attribute's column; fill it or leave the row out.")
    if not 2 <= len(names) <= MOST_CLASSES:
        raise InputError(
            f"The attribute has {len(names)} different values, but must have from 2 to {MOST_CLASSES}: "
            "name another column, or put values together."
        )
    if any(len(name) > _LONGEST_CLASS_NAME or not name.isprintable() for name in names):
        raise InputError(f"The attribute's values must be names of at most {_LONGEST_CLASS_NAME} signs.")
    return tuple(sorted(names))


def prose(text: str, *, names: bool) -> list[tuple[str, ...]]:
    """Return the sentences of a text that are prose and no single words."""
    sentences = (piece.tokens for piece in masked_sentences.sentences(text, names=names))
    return [tokens for tokens in sentences if len(tokens) >= 2 and is_prose(tokens)]


def _vocabulary(
    owners: Sequence[str], read: Sequence[list[tuple[str, ...]]], words: int, shared_by: int, *, names: bool
) -> Vocabulary:
    builder = VocabularyBuilder()
    for owner, sentences in zip(owners, read, strict=True):
        builder.add(owner, sentences)
    labels = entities.LABELS if names else ()
    plain = shared_vocabulary(builder, words - len(labels), shared_by).forms
    # Labels are no words, so the builder leaves them out.
    return Vocabulary((*SPECIAL, *labels, *plain[len(SPECIAL) :]))


def _held_out(owners: Sequence[tuple[str, str]], share: float, seed: int) -> set[tuple[str, str]]:
    """Return of each class the share that a keyed hash puts first; one at least."""
    salt = seed.to_bytes(16, "little", signed=True)
    chosen: set[tuple[str, str]] = set()
    for label in {label for label, _ in owners}:
        of_class = sorted(
            {owner for owner in owners if owner[0] == label},
            key=lambda owner: blake2b(owner[1].encode("utf-8", "surrogatepass"), salt=salt).digest(),
        )
        chosen.update(of_class[: max(1, round(share * len(of_class)))])
    return chosen


def _sample(sentences: Sequence[tuple[int, list[int]]]) -> ClassSample:
    return ClassSample(
        tokens=np.array([token for _, ids in sentences for token in ids], dtype=np.int32),
        lengths=np.array([len(ids) for _, ids in sentences], dtype=np.int64),
        documents=np.array([document for document, _ in sentences], dtype=np.int64),
    )
