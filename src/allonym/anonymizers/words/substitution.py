"""What the two word-by-word methods share: from texts to words of a public table, and back.

`WordLaplace` and `WordExponential` differ in how a word is replaced; reading a text, bringing it to a length and
saying how far two documents are apart is the same, and stands here.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from allonym import arithmetic, distances
from allonym.anonymizers.base import Anonymizer, check_words
from allonym.anonymizers.between import Between
from allonym.anonymizers.syntf.counts import counts_of, draw_words
from allonym.anonymizers.words.auditing import WordAuditing
from allonym.anonymizers.words.deniability import Deniability
from allonym.errors import InputError, ParameterError
from allonym.language.words import checked_texts, terms, words
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import Habit
from allonym.privacy.statement import number
from allonym.randomness import DocumentStreams
from allonym.vectors import embeddings, vocabularies
from allonym.vectors.embeddings import WordTable
from allonym.vectors.vocabularies import Vocabulary

if TYPE_CHECKING:
    from scipy import sparse

DISTANCE = "Euclidean distance between word vectors"
ASSUMPTIONS = (
    "the word vectors are public, not made from the documents themselves",
    "each document is anonymized once (twice spends twice as much)",
    "the random key stays secret",
)
TOPICAL_ASSUMPTION = "the labelled reference texts are public and not the documents themselves"
SAMPLE = 200  # words asked about where none are named
# Diameter and lower median of nearest distances, by fingerprint, of the shipped words as each method holds them: they
# would take seconds at each start. A test computes them again.
_MEASURED: dict[str, tuple[float, float]] = {
    "7e66c74c9f3b9431c37dbd767d460bd099c53659f223341ae8e296fa314fedda": (1.734207888912077, 0.6765546308931659),
    "2c5a6b6ac237888f44184d71f1dcb4ce251a409e77d1e202ae32b1466f838442": (1.734207888912077, 0.6771010913530939),
    "8886df9d2c14654420c66f1182af875dffd9ced113e10c04037257f73995d3ab": (1.7337695356766814, 0.6764975089486404),
    "2e4e379815a903f138c1e29ed42ec4ec979867afe6e4eee7326b63a1d7b1d2a8": (1.7337695356766814, 0.6770526450554912),
}
_UP = 1 + 1e-12  # distances err by less in their last digits, and a loss must not be too small

Int64 = NDArray[np.int64]
Float32 = NDArray[np.float32]


@dataclass(frozen=True)
class Neighbours:
    """How well neighbouring words are hidden behind one another: a figure about usual words, no bound for all."""

    distance: float  # half of the words have another word at most this far away (the lower median)
    loss: float  # what one output word loses at most between two words at this distance

    def __str__(self) -> str:
        if not self.distance:
            return "Half of the words or more have another word with the same vector, and lose nothing against it."
        away = math.ceil(self.distance * 1e4) / 1e4
        return (
            f"Half of the words have a neighbour no further than {away:.4f} away, and against it each output word "
            f"shifts the odds by a factor of at most e^{number(self.loss)}; that is about usual neighbours, not all "
            "pairs."
        )


@dataclass(kw_only=True, eq=False, repr=False)
class WordSubstitution(Anonymizer):
    """Base of methods that replace one word after the other, losing in proportion to a distance of words.

    A subclass says how words are replaced (`_substitutes`), and what that loses (`loss_per_unit`).

    Args:
        epsilon: ε, the loss for each unit of Euclidean distance. Vectors of the shipped table have length 1.
        words: Output words of each document; by default as many as it has, and their number is then not hidden.
        order: "bag" (as in the paper: without stop words and order) or "text" (every word in its place).
        embeddings: Word vectors: a file (see `allonym.vectors.embeddings.load`) or a `WordTable`; by default the
            shipped "words-en".
        vocabulary: The public words to choose from: a list, or a file with one word per line; by default all words of
            the table.
        topical_words: In a bag, keep only this many words: those that best tell apart the topics of labelled reference
            texts (needs `fit` with labels; on the command line, --reference and --reference-label).
    """

    replaces_words = True
    learns_from_labels: ClassVar[Mapping[str, object]] = {"topical_words": None}

    epsilon: float
    words: int | None = None
    order: Literal["bag", "text"] = "bag"
    embeddings: WordTable | str | Path | None = None
    vocabulary: Vocabulary = None
    topical_words: int | None = None

    @property
    @abstractmethod
    def loss_per_unit(self) -> float:
        """The loss of one word for each unit of distance."""

    @property
    def _slack(self) -> float:
        """What two different words lose beyond that, for the arithmetic."""
        return 0.0

    def _loss(self, distance: float) -> float:
        """Return the loss between two words at this distance."""
        return self.loss_per_unit * distance * _UP + self._slack if distance else 0.0

    @abstractmethod
    def _substitutes(self, rows: Int64, lengths: Sequence[int], streams: DocumentStreams) -> Int64:
        """Return a row of the table for each word of all documents, which have `lengths` words each."""

    @abstractmethod
    def deniability(self, words: Sequence[str] | None = None) -> Deniability:
        """Return how often these words stay themselves, and among how many each hides; by default of a sample."""

    def audited(self) -> WordAuditing:
        """Return what an audit must know of this method."""
        return WordAuditing(self)

    def _asked_about(self, words: Sequence[str] | None) -> Int64:
        """Return the rows of these words, or of a sample spread over the table."""
        if words is None:
            return np.unique(np.linspace(0, len(self.table_) - 1, SAMPLE).astype(np.int64))
        rows = self.table_.rows(words)
        if not len(rows) or (rows < 0).any():
            raise InputError("A word that was asked about is not in the vocabulary; ask about others.")
        return rows

    def _check(self) -> None:
        super()._check()
        if self.words is not None:
            check_words(self.words)
        if self.topical_words is not None:
            if self.order == "text":
                raise ParameterError("topical_words is for order='bag' only: a text keeps every word's place.")
            if not isinstance(self.topical_words, int | np.integer) or self.topical_words < 1:
                raise ParameterError(f"topical_words must be a whole number of at least 1, got {self.topical_words}.")

    def fit(self, texts: Sequence[str], y: object = None) -> Self:
        """Learn which words are topical (§2.1 of the paper) from public texts and their labels.

        Without `topical_words` there is nothing to learn.
        """
        if self.topical_words is None:
            return self
        if y is None:
            raise InputError("topical_words needs the topic of each reference text: fit(texts, labels).")
        documents = list(map(self._known_rows, checked_texts(texts)))
        labels = np.asarray(y)
        if labels.shape != (len(documents),) or len(np.unique(labels)) < 2:
            raise InputError("The reference texts must have one label each, and at least two different ones in all.")
        scores = _chi_squared(counts_of(documents, len(self.table_)), labels)
        best = np.argsort(-scores, kind="stable")[: self.topical_words]
        self._topical = np.isin(np.arange(len(self.table_)), best)
        return self

    @cached_property
    def table_(self) -> WordTable:
        """The words that can come out, and their vectors."""
        return self._chosen_table()

    def _chosen_table(self) -> WordTable:
        """Return the part of the word table that was asked for."""
        table = embeddings.load(self.embeddings)
        wanted = table.words if self.vocabulary is None else vocabularies.read(self.vocabulary)
        if self.order == "bag":
            wanted = [word for word in wanted if terms(word, morphology="lower") == [word]]
        rows = table.rows(wanted)
        if not (rows >= 0).any():
            raise InputError("No word of the vocabulary has a word vector; give another vocabulary or embeddings.")
        return WordTable(tuple(table.words[row] for row in rows[rows >= 0]), table.vectors[rows[rows >= 0]])

    @cached_property
    def furthest_(self) -> float:
        """The largest distance between two words."""
        if self.table_.fingerprint in _MEASURED:
            return _MEASURED[self.table_.fingerprint][0]
        return distances.diameter(self.table_.vectors)

    @cached_property
    def _usual_neighbour(self) -> float:
        """The lower median of words' distances to their nearest other word; 0 where there is only one word."""
        if self.table_.fingerprint in _MEASURED:
            return _MEASURED[self.table_.fingerprint][1]
        if len(self.table_) < 2:
            return 0.0
        nearest = np.sort(distances.nearest_neighbour_distances(self.table_.vectors))
        return float(nearest[(len(nearest) - 1) // 2])

    def neighbours(self) -> Neighbours:
        """Return how far the nearest word usually is, and what is lost between two words so near.

        Not part of `guarantee`, because it is no bound for all words, and takes a pass over all pairs of them for a
        table that is not shipped.
        """
        return Neighbours(self._usual_neighbour, self._loss(self._usual_neighbour))

    @cached_property
    def stand_in_(self) -> int:
        """The row that stands for everything unknown: the public word nearest to the mean of all."""
        mean = arithmetic.added(self.table_.vectors.T.astype(np.float64)) / len(self.table_)
        return int(self.table_.nearest(mean)[0, 0])

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised about `documents` documents of one author."""
        promised = accounting.metric(
            loss_per_unit=self.loss_per_unit,
            largest_loss=self._loss(self.furthest_),
            distance=DISTANCE,
            words=self.words,
            documents=documents,
            assumptions=ASSUMPTIONS if self.topical_words is None else (*ASSUMPTIONS, TOPICAL_ASSUMPTION),
        )
        return promised if self.words else promised.copying(Habit.NUMBER_OF_WORDS)

    def further_figures(self) -> dict[str, Any]:
        """Return how near words lie, and how deniable each is."""
        return {"nearest_neighbours": self.neighbours(), "deniability": self.deniability()}

    def words_drawn(self, text: str) -> int:
        """Return how many words are replaced; some are joined, so that these are no more than `words_at_most`."""
        return len(self._rows(text))

    def before_drawing(self, texts: Sequence[str]) -> list[str]:
        """Return the words of each text that will be replaced."""
        return [" ".join(self.words_of(text)) for text in texts]

    def words_of(self, document: str) -> list[str]:
        """Return a document as this method reads it: the words that will be replaced, one for one."""
        return [self.table_.words[row] for row in self._rows(document)]

    def between(self, first: str, second: str) -> Between:
        """Return the distances and losses that apply between two given documents."""
        rows = [self._rows(document) for document in checked_texts([first, second])]
        if self.order == "text":
            return self._between_texts(*(self.table_.vectors[self._cut_or_filled(r)] for r in rows))
        if self.words is None:
            return self._between_bags(*(self.table_.vectors[r] for r in rows))
        filled = (r if len(r) else np.array([self.stand_in_]) for r in rows)
        return self._between_draws(self.words, *(self.table_.vectors[r] for r in filled))

    def _between_texts(self, first: Float32, second: Float32) -> Between:
        """Every word keeps its place, so words are compared with those in the same place."""
        _check_equal_lengths(first, second)
        moved = np.linalg.norm(first.astype(np.float64) - second, axis=1)
        return Between(
            len(first),
            {"sum of the distances of words in the same place": float(moved.sum())},
            {"the distances of words in the same place": sum(self._loss(float(distance)) for distance in moved)},
        )

    def _between_bags(self, first: Float32, second: Float32) -> Between:
        """The best matching of the words counts: the Word Mover's Distance, by theorem 3 of whole words."""
        _check_equal_lengths(first, second)
        words = len(first)
        moved = distances.unnormalised_word_movers(first, second) if words else 0.0
        normalised = moved / max(words, 1)
        return Between(
            words,
            {"Word Mover's Distance (normalised)": normalised, "sum of distances (unnormalised)": moved},
            {
                "ε·n·WMD (what holds)": self.loss_per_unit * moved * _UP + words * self._slack,
                "ε·WMD (as published; true of the unnormalised sum only)": self.loss_per_unit * normalised,
            },
        )

    def _between_draws(self, words: int, first: Float32, second: Float32) -> Between:
        """Words drawn from each document are coupled; what counts is the furthest any coupling must go."""
        bottleneck = distances.bottleneck(first, second)
        furthest = distances.largest(first, second)
        return Between(
            words,
            {"bottleneck distance (W∞)": bottleneck, "largest distance of two words": furthest},
            {
                "n·ε·W∞ (words drawn to a fixed length)": words * self._loss(bottleneck),
                "n·ε·largest distance": words * self._loss(furthest),
            },
        )

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str] | list[list[str]]:
        documents = self._documents(texts, streams)
        lengths = [len(rows) for rows in documents]
        nearest = self._substitutes(np.concatenate([*documents, np.zeros(0, np.int64)]), lengths, streams)
        ends = np.cumsum(lengths)
        known = self.table_.words
        written = [known[row] for row in nearest.tolist()]
        words = [written[end - n : end] for end, n in zip(ends.tolist(), lengths, strict=True)]
        # A bag has no order; sorted, so that none is left.
        return [" ".join(document) for document in words] if self.order == "text" else [sorted(d) for d in words]

    def _documents(self, texts: Sequence[str], streams: DocumentStreams) -> list[Int64]:
        """Return the table's rows for each document, brought to `words` words if asked to."""
        documents = [self._rows(document) for document in texts]
        if self.words is None:
            return documents
        if self.order == "text":
            return [self._cut_or_filled(rows) for rows in documents]
        filled = [rows if len(rows) else np.array([self.stand_in_]) for rows in documents]
        return list(draw_words(counts_of(filled, len(self.table_)), self.words, streams))

    def _cut_or_filled(self, rows: Int64) -> Int64:
        """Return the first `words` words, filled up with the stand-in; all of them where no length is asked for."""
        if self.words is None:
            return rows
        cut = rows[: self.words]
        return np.pad(cut, (0, self.words - len(cut)), constant_values=self.stand_in_)

    def _rows(self, document: str) -> Int64:
        if self.order == "text":
            rows = self.table_.rows(_joined(words(document), self.table_))
            return np.where(rows < 0, self.stand_in_, rows)
        rows = self._known_rows(document)
        if self.topical_words is None:
            return rows
        if not hasattr(self, "_topical"):
            raise ParameterError(
                "Topical words are learned from labelled reference texts first: call fit(texts, labels)."
            )
        return rows[self._topical[rows]]

    def _known_rows(self, document: str) -> Int64:
        indices = map(self.table_.index, terms(document, morphology="lower"))
        return np.array([row for row in indices if row is not None], np.int64)


def _check_equal_lengths(first: Float32, second: Float32) -> None:
    if len(first) != len(second):
        raise InputError(
            f"The documents have {len(first)} and {len(second)} known words, so their lengths tell them apart; "
            "give words= (--words) to bring both to one length."
        )


def _chi_squared(counts: sparse.csr_array, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return how far each term's counts are from those of a term that tells nothing of the label; −1 if it has none.

    As `sklearn.feature_selection.chi2`, but added in a fixed order: which words are topical decides what is drawn.
    """
    from scipy import sparse

    names, codes = np.unique(labels, return_inverse=True)
    documents_of = sparse.csr_array((np.ones(len(codes), np.int64), (codes, np.arange(len(codes)))))
    observed = (documents_of @ counts).toarray()  # whole numbers
    shares = np.bincount(codes, minlength=len(names)) / len(codes)
    expected = shares[:, None] * observed.sum(axis=0)
    excess = observed - expected
    terms = np.divide(excess * excess, expected, out=np.zeros_like(expected), where=expected > 0)
    return np.where(observed.any(axis=0), arithmetic.added(terms.T), -1.0)


def _joined(tokens: Sequence[str], table: WordTable) -> list[str]:
    """Return lower-case words, with English endings put back where the table knows the whole ("do" + "n't").

    An ending the table does not know (a possessive "'s") is dropped rather than replaced by a word of its own.
    """
    joined: list[str] = []
    for word in map(str.lower, tokens):
        if not word.startswith(("'", "n't")):
            joined.append(word)
        elif joined and joined[-1] + word in table:
            joined[-1] += word
    return joined
