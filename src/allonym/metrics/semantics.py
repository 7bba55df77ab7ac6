"""How much of the meaning is left: sentence embeddings, Word Mover's Distance and METEOR.

Two texts without words are taken for the same text: similarity 1, distance 0. Where only one of them has words the
similarity is 0, and a distance has no value (NaN).

Texts come in two lists, before and after, a text each for every document (else an InputError); `progress` is called
with the documents done and all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from allonym import distances
from allonym.errors import AllonymError
from allonym.language import synonyms
from allonym.language.words import checked_texts, terms, words
from allonym.metrics import _meteor, _minilm
from allonym.metrics._minilm import DIMENSIONS, Vectors, encode
from allonym.metrics._shared import Figures, Progress, checked_pairs, cosines, lacking, optional
from allonym.metrics.base import Measure

if TYPE_CHECKING:
    from pathlib import Path

    from allonym.vectors.embeddings import Source, WordTable

_BLOCK = 256  # documents between two calls of progress, and embedded at once
_REMEMBERED_WORDS = 2**16


def embed(texts: Sequence[str], *, progress: Progress = None) -> Vectors:
    """Return a vector of 384 numbers and length 1 for each text; zeros for one without any token.

    The encoder is all-MiniLM-L6-v2 in 8-bit integers: the mean of its last layer over at most 256 tokens. Longer texts
    are cut into pieces, after a sentence where possible, whose vectors are averaged by their numbers of tokens and
    scaled to length 1. A text is encoded once while the process lives: the vectors of the 65,536 texts asked for last
    are remembered (about 120 MB), by the texts' digests.

    Args:
        texts: Any texts; the encoder knows English.
        progress: Called with the texts done and all texts.

    Raises:
        MissingDependencyError: The extra `semantics` is not installed.
        ModelError: The installed network is not the one this version was tested with.
    """
    documents = checked_texts(texts)
    vectors = np.zeros((len(documents), DIMENSIONS), dtype=np.float32)
    for start in range(0, len(documents), _BLOCK):
        stop = min(start + _BLOCK, len(documents))
        vectors[start:stop] = encode(documents[start:stop])
        if progress is not None:
            progress(stop, len(documents))
    return vectors


def embed_beside(path: Path, texts: Sequence[str]) -> None:
    """Embed texts, so that `embed` answers at once; what an earlier process wrote to the file is read from there.

    Args:
        path: Holds digests of texts and their vectors, no text; made if it is not there.
        texts: Any texts.

    Raises:
        InputError: The file holds something else.
        MissingDependencyError: The extra `semantics` is not installed.
        ModelError: The installed network is not the one this version was tested with.
    """
    _minilm.encode_beside(path, checked_texts(texts))


def cosine(before: Sequence[str], after: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the cosine between the sentence embeddings of each text before and after; 1 is the same meaning.

    The papers use other encoders for the same purpose (ER-AE Google's Universal Sentence Encoder, of which
    `meaning_use` has a later version), so their figures and these do not compare. See `embed` for how texts are
    encoded.

    Raises:
        MissingDependencyError: The extra `semantics` is not installed.
        ModelError: The installed network is not the one this version was tested with.
    """
    olds, news = checked_pairs(before, after)
    similarities = np.empty(len(olds))
    for start in range(0, len(olds), _BLOCK):
        stop = min(start + _BLOCK, len(olds))
        both = encode(olds[start:stop] + news[start:stop]).astype(np.float64)
        similarities[start:stop] = cosines(both[: stop - start], both[stop - start :])
        if progress is not None:
            progress(stop, len(olds))
    return similarities


def similarity(before: Vectors, after: Sequence[str]) -> Figures:
    """Return what `cosine` returns, where `embed` has read the texts before already."""
    return cosines(before, embed(after))


def word_movers(
    before: Sequence[str], after: Sequence[str], embeddings: Source = None, *, progress: Progress = None
) -> Figures:
    """Return the normalised Word Mover's Distance between each text before and after; 0 is the same bag of words.

    Words are taken in lower case, without stop words and numbers, as Kusner et al. and Fernandes et al. do. Words that
    the table does not have are left out; where a text has none left, the distance is 0 to the same text and NaN to
    others. It is exact, and its time grows faster than the square of a document's different words.

    Args:
        before: The texts as they were.
        after: What became of them.
        embeddings: A word table, or anything `allonym.vectors.embeddings.load` reads; the shipped one if not given.
        progress: Called with the pairs done and all pairs.
    """
    from allonym.vectors.embeddings import load

    olds, news = checked_pairs(before, after)
    table = load(embeddings)
    figures = np.empty(len(olds))
    for number, pair in enumerate(zip(olds, news, strict=True)):
        first, second = (_bag(text, table) for text in pair)
        figures[number] = _moved(first, second, table) if first and second else _without_words(*pair)
        _report(progress, number + 1, len(olds))
    return figures


def meteor_1_5(reference: Sequence[str], candidate: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return METEOR 1.5 of each candidate against its reference, by its authors' Java program.

    English, with exact, stem, synonym and paraphrase matches and the program's own normalisation and tuned weights
    (`-l en -norm`). One program serves the whole list. These are not nltk's figures: see `meteor_nltk`.

    Raises:
        MissingDependencyError: Java or the extra `meteor` is not installed.
        ModelError: The installed program is not the one this version was tested with.
        AllonymError: The program stopped.
    """
    references, candidates = checked_pairs(reference, candidate)
    figures = np.empty(len(references))
    with _meteor.running() as program:
        score = lru_cache(_BLOCK)(program.score)
        for number, pair in enumerate(zip(references, candidates, strict=True)):
            filled = [bool(words(text)) for text in pair]
            figures[number] = score(*pair) if all(filled) else float(not any(filled))
            _report(progress, number + 1, len(references))
    return figures


def meteor_nltk(reference: Sequence[str], candidate: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return nltk's METEOR of each candidate against its reference: the weights of the first METEOR (2005), not 1.5.

    Exact, stem and WordNet synonym matches over the words of `language.words`. nltk looks for the synonyms of stems, so
    "auto" is one of "car" but "automobile" (stem "automobil") is none. Its figures and those of `meteor_1_5` differ by
    a factor of two and more on the same pair: the two must not share a table's column.

    Raises:
        MissingDependencyError: nltk is not installed, or no WordNet is found on this machine.
    """
    references, candidates = checked_pairs(reference, candidate)
    meteor = optional("nltk.translate.meteor_score", "wordnet")
    wordnet = _Synonyms()
    figures = np.empty(len(references))
    for number, pair in enumerate(zip(references, candidates, strict=True)):
        first, second = (words(text) for text in pair)
        if first and second:
            figures[number] = meteor.single_meteor_score(first, second, wordnet=wordnet)
        else:
            figures[number] = float(not first and not second)
        _report(progress, number + 1, len(references))
    return figures


class _Synonyms:
    """WordNet as nltk's METEOR asks it, remembering what it answered."""

    def __init__(self) -> None:
        self._wordnet = synonyms.WordNet.open()  # kept, because its files are closed with it
        self.synsets: Any = lru_cache(_REMEMBERED_WORDS)(self._wordnet._reader.synsets)


def _without_wordnet() -> str:
    """Look for WordNet without reading it, which takes seconds."""
    lack = lacking("METEOR by nltk", "wordnet", "nltk")
    if not lack:
        try:
            synonyms._found(import_module("nltk.data"))
        except AllonymError as error:
            return str(error)
    return lack


def _bag(text: str, table: WordTable) -> Counter[int]:
    rows = table.rows(terms(text, morphology="lower"))
    return Counter(rows[rows >= 0].tolist())


def _moved(first: Counter[int], second: Counter[int], table: WordTable) -> float:
    if first == second:
        return 0.0
    return distances.word_movers(
        table.vectors[list(first)],
        table.vectors[list(second)],
        first_weights=list(first.values()),
        second_weights=list(second.values()),
    )


def _without_words(old: str, new: str) -> float:
    """Return the distance where there is nothing to move: only the same text is at distance 0."""
    return 0.0 if words(old) == words(new) else float("nan")


def _report(progress: Progress, done: int, total: int) -> None:
    if progress is not None and (done % _BLOCK == 0 or done == total):
        progress(done, total)


MEANING = Measure(
    name="meaning",
    title="similarity of meaning",
    describes_itself_as="cosine of sentence embeddings before and after",
    of=similarity,
    unit="cosine",
    prepare=embed,
    functions=("cosine", "embed", "similarity"),
    missing=_minilm.missing,
    most=100,  # a tenth of a second each, and more
    main=2,
    keeps="of the meaning (cosine)",
)
WORD_MOVERS = Measure(
    "word-movers", "Word Mover's Distance", "normalised Word Mover's Distance between before and after", word_movers,
    unit="distance", higher_is_better=False, untouched=0.0, most=100, usual=False,
)  # fmt: skip
METEOR_1_5 = Measure(
    "meteor-1.5", "METEOR 1.5", "METEOR 1.5 of after against before, by its authors' program", meteor_1_5,
    unit="METEOR 1.5", functions=("meteor_1_5",), missing=_meteor.missing, usual=False,
)  # fmt: skip
METEOR_NLTK = Measure(  # which takes something off for the one run of words that equal texts share
    "meteor-nltk", "METEOR by nltk", "nltk's METEOR of after against before, another metric than 1.5", meteor_nltk,
    unit="METEOR by nltk", functions=("meteor_nltk",), missing=_without_wordnet, untouched=None, usual=False,
)  # fmt: skip
