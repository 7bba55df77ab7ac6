"""SynTF: differentially private synthetic term-frequency vectors.

Weggenmann and Kerschbaum, "SynTF: Synthetic and Differentially Private Term Frequency Vectors for
Privacy-Preserving Text Mining", SIGIR 2018 (extended version).

Analysis (section 3.3): a text becomes a composition, its term counts (or tf-idf weights) over a public vocabulary.
Synthesis (algorithm 1): draw n terms from it, substitute each by the exponential mechanism with the rating
ρ = clip(cos − s·B, 0, 1) of section 4.1, and count. The output length n is a parameter, never the text's length.

Where this differs from the paper, and why:
- ρ is clipped to 0 … 1, as its sensitivity of 1 demands; a cosine alone may be negative.
- A text without a word of the vocabulary is drawn from the uniform composition; the paper leaves θ undefined there.
- The printed loss is the tight one (their equation 1, with the logarithm it omits), of the integer law that is drawn.
- Terms without a word vector are left out of a learned vocabulary: nothing could be substituted for them in sense.
- `rating="utility"` is ours: the proof lets the rating be any public function, so it may be learned from public
  labelled texts (see `label_profiles`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from allonym import arithmetic
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.offers import Offer, Slider
from allonym.anonymizers.release import texts_of_counts
from allonym.anonymizers.syntf.auditing import SynTFAuditing
from allonym.anonymizers.syntf.counts import ASSUMPTIONS, check_parameters, counts_of, mechanism_for, synthesise
from allonym.errors import InputError, ParameterError
from allonym.language.synonyms import WordNet
from allonym.language.words import Morphology, checked_texts, terms
from allonym.mechanisms import Exponential, ScoreRows
from allonym.privacy import Guarantee, accounting
from allonym.randomness import DocumentStreams
from allonym.vectors import embeddings, label_profiles, vocabularies
from allonym.vectors.embeddings import WordTable
from allonym.vectors.ratings import WordRatings
from allonym.vectors.vocabularies import Vocabulary

if TYPE_CHECKING:
    from scipy import sparse

CONDITIONAL = "everything said here is conditional on the vocabulary, which was learned from private documents"
LEARNED = "the rating was learned from public labelled texts, none of them among the documents"
_IDF_UNIT = 2**16  # idf weights are whole numbers of this fraction, so that drawing is exact
# With the shipped vocabulary these lose a little less per word than what was measured: 3.4, 6.8, 10.2, 13.6 and 17.
_OFFERED = [{"epsilon": epsilon, "words": 150} for epsilon in (6.9, 13.9, 20.5, 28.0, 35.3)]


@dataclass(kw_only=True, eq=False, repr=False)
class SynTF(Anonymizer):
    """Synthetic term-frequency vectors with a proved loss per word.

    Privacy: `guarantee()`: tight loss × `words` for each document, any two documents adjacent.

    Args:
        epsilon: ε of the exponential mechanism. The loss is smaller: see `guarantee`.
        loss_per_word: The loss to pay for each output word; ε is then found from it.
        words: Output words of each document, whatever its length.
        spelling_weight: How strongly substitutes spelled alike are avoided (the paper's s), 0 to 1.
        morphology: Terms are lemmas ("lemma"), lower-cased words ("lower") or words as written ("orth").
        synonyms: Extend the vocabulary with WordNet synonyms.
        vocabulary: The public terms: a list, a file with one per line, or "words-en". By default what `fit` learns
            from reference texts, or the shipped list "words-en" without `fit`.
        embeddings: Word vectors: a file (see `allonym.vectors.embeddings.load`) or a `WordTable`; by default the
            shipped "words-en".
        rating: What makes a good substitute: likeness of meaning, as in the paper ("similarity"), or pointing to the
            same label ("utility"), learned by `fit` from public labelled texts.
        label_weight: With rating "utility", the weight of labels in the rating; likeness of meaning has the rest.
        composition: Draw terms in proportion to their counts ("tf"), their tf-idf weights ("tf-idf", needs `fit`) or
            what they say about the label ("utility"). By default "utility" with that rating, else "tf".
        keep_stop_words: Count stop words too.
        keep_numbers: Count numbers too.
        min_documents: `fit` keeps terms found in at least this many reference texts.

    >>> private = SynTF(vocabulary=["coffee", "tea", "train", "bus"], words=10)
    >>> vectors = private.transform(["The coffee on the train was cold."])
    >>> vectors.shape, int(vectors.sum())
    ((1, 4), 10)
    """

    method = "syntf"
    kind = "vectors"
    learns_a_vocabulary = True
    learns_from_labels: ClassVar[Mapping[str, object]] = {"rating": "utility"}
    _mechanism_for: tuple[object, ...] | None = field(default=None, init=False)

    epsilon: float = 47.5
    loss_per_word: float | None = None
    words: int = 150
    spelling_weight: float = 0.3
    morphology: Morphology = "lemma"
    synonyms: bool = False
    vocabulary: Vocabulary = None
    embeddings: WordTable | str | Path | None = None
    rating: Literal["similarity", "utility"] = "similarity"
    label_weight: float = 1.0
    composition: Literal["tf", "tf-idf", "utility"] | None = None
    keep_stop_words: bool = False
    keep_numbers: bool = False
    min_documents: int = 1

    def _check(self) -> None:
        super()._check()
        check_parameters(self.epsilon, self.loss_per_word, self.words)
        if not 0 <= self.spelling_weight <= 1:
            raise ParameterError(f"spelling_weight must be between 0 and 1, got {self.spelling_weight}.")
        if not 0 <= self.label_weight <= 1:
            raise ParameterError(f"label_weight must be between 0 and 1, got {self.label_weight}.")
        if self.composition == "utility" and self.rating != "utility":
            raise ParameterError(
                "The composition utility goes with the rating utility, which learns what terms tell about labels."
            )
        if not isinstance(self.min_documents, int | np.integer) or self.min_documents < 1:
            raise ParameterError(f"min_documents must be a whole number of at least 1, got {self.min_documents}.")

    def fit(self, texts: Sequence[str], y: Sequence[object] | None = None, *, public: bool = True) -> Self:
        """Learn the vocabulary (unless one was given), idf weights and, with rating "utility", what terms tell.

        Args:
            texts: Reference texts, which must be public.
            y: The label of each reference text; needed for rating "utility", otherwise ignored.
            public: Say False if these are the documents to be protected; the guarantee then says that it is
                conditional on the vocabulary.
        """
        documents = checked_texts(texts)
        if self.rating == "utility" and y is None:
            raise InputError("The rating utility is learned from labels: call fit(reference_texts, labels).")
        documents_with = Counter[str]()
        for text in documents:
            documents_with.update(set(self._terms(text)))
        if self.vocabulary is None:
            learned = sorted(term for term, count in documents_with.items() if count >= self.min_documents)
            self._set_vocabulary(learned, only_with_vectors=True)
        else:
            self._set_vocabulary(self._given_vocabulary(), only_with_vectors=False)
        # Smoothed as scikit-learn does, so that a term in every text still counts.
        rarities = [(1 + len(documents)) / (1 + documents_with[term]) for term in self._vocabulary]
        self._idf = np.rint((arithmetic.logarithm(np.array(rarities)) + 1) * _IDF_UNIT).astype(np.int64)
        self._public = public
        if self.rating == "utility" and y is not None:
            self._profiles = label_profiles.learn(self._counts(documents), y)
        return self

    @property
    def vocabulary_(self) -> list[str]:
        """The public terms, in the order of the output's columns."""
        if not hasattr(self, "_vocabulary"):
            self._set_vocabulary(self._given_vocabulary(), only_with_vectors=self.vocabulary is None)
        return self._vocabulary

    @property
    def mechanism_(self) -> Exponential:
        """The exponential mechanism over the vocabulary."""
        vocabulary = self.vocabulary_
        built_for = (self.epsilon, self.loss_per_word, self.spelling_weight, self.rating, self.label_weight)
        if self._mechanism_for != built_for:
            ratings = self._ratings(vocabulary)
            self._mechanism = mechanism_for(ratings, epsilon=self.epsilon, loss_per_word=self.loss_per_word)
            self._mechanism_for = built_for
        return self._mechanism

    def audited(self) -> SynTFAuditing:
        """Return what an audit must know of this method."""
        return SynTFAuditing(self)

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised about `documents` documents of one author."""
        self._check_weights()  # here, so that what cannot be drawn is neither priced nor charged
        public = getattr(self, "_public", True)
        learned = (LEARNED,) if self.rating == "utility" and public else ()
        return accounting.pure(
            loss_per_word=self.mechanism_.loss(),
            words=self.words,
            documents=documents,
            assumptions=(ASSUMPTIONS[0] if public else CONDITIONAL, *learned, *ASSUMPTIONS[1:]),
        )

    def offers(self) -> tuple[Offer, ...]:
        """Offer counts of words."""
        gives = "a list of words and how often each occurs"
        return (Offer("counts", "Word counts", gives, lambda: [Slider(_OFFERED)], suits=("table",)),)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the terms, as scikit-learn asks for them."""
        return np.array(self.vocabulary_, dtype=object)

    def label_evidence(self, vectors: sparse.csr_array) -> NDArray[np.float64]:
        """Return how released vectors point to each label, for an analyst's classifier (needs rating "utility").

        Privacy: spends nothing; a function of what was released and of public reference texts.
        """
        return self.label_profiles_.evidence(vectors)

    def before_drawing(self, texts: Sequence[str]) -> list[str]:
        """Return the terms of each text that can be drawn, as often as they occur."""
        return texts_of_counts(self._counts(texts), self.vocabulary_)

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> sparse.csr_array:
        return synthesise(self.compositions(texts), self.words, self.mechanism_, streams)

    def _terms(self, text: str) -> list[str]:
        return terms(
            text,
            morphology=self.morphology,
            keep_stop_words=self.keep_stop_words,
            keep_numbers=self.keep_numbers,
        )

    def _ratings(self, vocabulary: Sequence[str]) -> ScoreRows:
        """Return how good a substitute each term is for each."""
        return WordRatings(vocabulary, self._rated_vectors(), spelling_weight=self.spelling_weight)

    def _rated_vectors(self) -> NDArray[np.float32]:
        """Return the vectors whose cosine is the rating before spelling."""
        if self.rating == "similarity":
            return self._vectors
        return label_profiles.mix(self._vectors, self.label_profiles_.vectors, self.label_weight)

    @property
    def label_profiles_(self) -> label_profiles.LabelProfiles:
        """What each term tells about the label, as `fit` learned it (needs rating "utility")."""
        if not hasattr(self, "_profiles"):
            raise InputError("The rating utility is learned from labels: call fit(reference_texts, labels) first.")
        return self._profiles

    def compositions(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return documents × terms: how often each occurs, times its weight in whole numbers if it has one."""
        counts = self._counts(texts)
        composition = self.composition or ("utility" if self.rating == "utility" else "tf")
        if composition == "tf-idf":
            self._check_weights()
            counts.data *= self._idf[counts.indices]
        elif composition == "utility":
            counts.data *= self.label_profiles_.drawing_weights[counts.indices]
        return counts

    def _check_weights(self) -> None:
        """Refuse tf-idf weights that were not learned."""
        if self.composition == "tf-idf" and not hasattr(self, "_idf"):
            raise ParameterError(
                "tf-idf weights are learned from reference texts first: call fit(texts), or give --reference."
            )

    def _counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return documents × terms: how often each occurs."""
        column = {term: position for position, term in enumerate(self.vocabulary_)}
        rows = [[column[term] for term in self._terms(text) if term in column] for text in texts]
        return counts_of(rows, len(column))

    def _given_vocabulary(self) -> list[str]:
        """Return the vocabulary parameter as terms; the shipped words are brought to the chosen morphology."""
        words = vocabularies.read(self.vocabulary)
        if vocabularies.is_shipped(self.vocabulary):
            return [term for word in words for term in self._terms(word)]
        return words

    def _set_vocabulary(self, given: Sequence[str], *, only_with_vectors: bool) -> None:
        """Fix the terms and their vectors, and forget a mechanism made for others."""
        candidates = list(dict.fromkeys(given))
        if self.synonyms:
            candidates = self._with_synonyms(candidates)
        table = embeddings.load(self.embeddings)
        rows = table.rows(candidates)
        lowered = table.rows(term.lower() for term in candidates)  # tables are lower-case, "orth" terms need not be
        rows = np.where(rows < 0, lowered, rows)
        if only_with_vectors:
            candidates = [term for term, row in zip(candidates, rows, strict=True) if row >= 0]
            rows = rows[rows >= 0]
        if not candidates:
            raise InputError(
                "No term of the vocabulary has a word vector; give more reference texts, or other embeddings."
            )
        self._vocabulary = candidates
        # A given term without a vector stays, similar to itself alone: dropping it would change what was asked for.
        self._vectors = np.where(rows[:, None] >= 0, table.vectors[rows], np.float32(0))
        self._mechanism_for = None
        self.__dict__.pop("_profiles", None)  # learned for other terms

    def _with_synonyms(self, given: list[str]) -> list[str]:
        """Return the terms followed by their WordNet synonyms that could be terms themselves."""
        wordnet = WordNet.open()
        extended = dict.fromkeys(given)
        for term in given:
            for synonym in wordnet.of(term):
                extended.update(dict.fromkeys(self._terms(synonym)))
        return list(extended)


EXAMPLE = SynTF(words=20, vocabulary=vocabularies.SHIPPED)
