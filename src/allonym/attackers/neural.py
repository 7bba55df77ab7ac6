"""Attackers that are neural networks; they need the extra `neural` (torch).

The networks themselves, torch and all, are in `allonym.training` and are loaded when an attacker first learns.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym.attackers.base import Arrays, Attacker
from allonym.attackers.features import TOKEN, lowered
from allonym.errors import MissingDependencyError, ParameterError
from allonym.language.words import is_number

if TYPE_CHECKING:
    from allonym.training.fitting import Classifier, Examples, Progress

_PATIENCE = 5  # epochs, as in the code of Sari et al.
_NUMBER = "NUM"  # as in A4NT; words are in lower case, so that none is like it
_MOST_WORDS = 30_000
_FEWEST_OCCURRENCES = 2
# A4NT's code reads no more than 50 words of a sentence. Here a longer one is cut into several, so that all is read:
# what an anonymizer wrote may well be one sentence from end to end.
_LONGEST_SENTENCE = 50
# A sentence ends with its sign, and the quotation marks after it, before white space; or at an empty line.
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n\s*\n")


class NeuralAttacker(Attacker):
    """A network that gives each text, or each sentence of it, a log-probability for each author.

    Attributes:
        progress: Told after each epoch: epochs done, epochs at most, loss on the texts held out.
    """

    progress: Progress | None = None

    def _train_by(self, *, epochs: int, embedding_size: int, learning_rate: float, batch_size: int, seed: int) -> None:
        """Check and keep what the constructor of every network takes."""
        _check_counts(epochs=epochs, embedding_size=embedding_size, batch_size=batch_size)
        if not 0 < learning_rate < np.inf:
            raise ParameterError(f"learning_rate must be a positive number, got {learning_rate}.")
        self.epochs = epochs
        self.embedding_size = embedding_size
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.seed = seed

    @abstractmethod
    def _choose_vocabulary(self, texts: list[str]) -> list[str]:
        """Choose what the network knows from training texts."""

    @abstractmethod
    def _read(self, texts: list[str]) -> tuple[Examples, NDArray[np.int64]]:
        """Return the network's examples and the text each is from, in order; every text has one at least."""

    @abstractmethod
    def _make_network(self) -> Classifier:
        """Return a network that has learned nothing yet."""

    def missing(self) -> str:
        """Say that torch is missing, if it is."""
        if find_spec("torch") is not None:
            return ""
        return f"The attacker {self.name} needs torch; get it with `pip install 'allonym[neural]'`."

    def _need_torch(self) -> None:
        if lack := self.missing():
            raise MissingDependencyError(lack)

    def _learn(self, texts: list[str], writers: NDArray[np.intp]) -> None:
        self._need_torch()
        from allonym.training.fitting import Schedule, fit

        self._know(self._choose_vocabulary(texts))
        examples, documents = self._read(texts)
        schedule = Schedule(
            epochs=self.epochs,
            patience=_PATIENCE,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            seed=self.seed,
            progress=self.progress,
        )
        self._network = fit(self._make_network, examples, writers.astype(np.int64)[documents], documents, schedule)

    def _scores(self, texts: list[str]) -> NDArray[np.float64]:
        from allonym.training.fitting import log_probabilities

        examples, documents = self._read(texts)
        scores = np.zeros((len(texts), len(self.classes_)))
        np.add.at(scores, documents, log_probabilities(self._network, examples))
        return scores

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        from allonym.training.fitting import arrays_of

        return {"vocabulary": self._vocabulary}, arrays_of(self._network)

    def _restore(self, state: dict[str, Any], arrays: Arrays) -> None:
        self._need_torch()
        from allonym.training.fitting import with_arrays

        self._know(state["vocabulary"])
        self._network = with_arrays(self._make_network(), arrays)

    def _know(self, vocabulary: list[str]) -> None:
        self._vocabulary = vocabulary
        self._number_of = {known: number for number, known in enumerate(vocabulary)}


class CharacterAverages(NeuralAttacker):
    """Averages of character 2- to 4-gram embeddings, with a softmax (Sari, Vlachos and Stevenson 2017).

    Args:
        epochs: Passes over the training texts, at most; fewer if texts held out are recognised no better.
        embedding_size: Numbers of an n-gram's embedding.
        most_grams: The most frequent so many n-grams are known, of those in two training texts at least.
        dropout: Share of the n-grams that a training step leaves out.
        learning_rate: Size of a step.
        batch_size: Texts of a step.
        seed: Fixes the result on one machine.
    """

    name = "character-network"
    describes_itself_as = "averaged embeddings of character 2–4-grams, feed-forward network"

    def __init__(
        self,
        *,
        epochs: int = 60,
        embedding_size: int = 50,
        most_grams: int = 60_000,
        dropout: float = 0.75,
        learning_rate: float = 0.03,
        batch_size: int = 32,
        seed: int = 0,
    ) -> None:
        shared = {"epochs": epochs, "embedding_size": embedding_size, "batch_size": batch_size, "seed": seed}
        self._train_by(**shared, learning_rate=learning_rate)
        _check_counts(most_grams=most_grams)
        if not 0 <= dropout < 1:
            raise ParameterError(f"dropout must be at least 0 and below 1, got {dropout}.")
        self.most_grams = most_grams
        self.dropout = dropout

    def _choose_vocabulary(self, texts: list[str]) -> list[str]:
        for fewest in (2, 1):
            vectorizer = _gram_counter(min_df=fewest, max_features=self.most_grams)
            try:
                grams: list[str] = vectorizer.fit(texts).get_feature_names_out().tolist()
                return grams
            except ValueError:  # scikit-learn's answer to an empty vocabulary
                continue
        return ["\0\0"]  # nothing but single characters: one n-gram that is in none

    def _read(self, texts: list[str]) -> tuple[Examples, NDArray[np.int64]]:
        from allonym.training.classifiers.character_averages import Bags

        counts = sparse.csr_array(_gram_counter(vocabulary=self._number_of).transform(texts))
        return Bags(counts), np.arange(len(texts))

    def _make_network(self) -> Classifier:
        from allonym.training.classifiers import character_averages

        return character_averages.CharacterAveragesNetwork(
            grams=len(self._vocabulary),
            classes=len(self.classes_),
            embedding_size=self.embedding_size,
            dropout=self.dropout,
        )


class TextLSTM(NeuralAttacker):
    """An LSTM over the words of a sentence (A4NT, section 3.1); a text's score is the sum over its sentences.

    Args:
        epochs: Passes over the training texts, at most; fewer if texts held out are recognised no better.
        embedding_size: Numbers of a word's embedding.
        hidden_size: Numbers of the LSTM's state.
        learning_rate: Size of a step.
        batch_size: Sentences of a step.
        seed: Fixes the result on one machine.
    """

    name = "lstm"
    describes_itself_as = "LSTM over the words of each sentence"

    def __init__(
        self,
        *,
        epochs: int = 30,
        embedding_size: int = 128,
        hidden_size: int = 128,
        learning_rate: float = 0.001,
        batch_size: int = 64,
        seed: int = 0,
    ) -> None:
        shared = {"epochs": epochs, "embedding_size": embedding_size, "batch_size": batch_size, "seed": seed}
        self._train_by(**shared, learning_rate=learning_rate)
        _check_counts(hidden_size=hidden_size)
        self.hidden_size = hidden_size

    def _choose_vocabulary(self, texts: list[str]) -> list[str]:
        counts = Counter(word for text in texts for sentence in _sentences(text) for word in sentence)
        frequent = [word for word, count in counts.items() if count >= _FEWEST_OCCURRENCES]
        return sorted(frequent, key=lambda word: (-counts[word], word))[:_MOST_WORDS]

    def _read(self, texts: list[str]) -> tuple[Examples, NDArray[np.int64]]:
        from allonym.training.classifiers.text_lstm import FIRST_WORD, UNKNOWN, Sentences

        numbered: list[list[int]] = []
        documents: list[int] = []
        for document, text in enumerate(texts):
            for sentence in _sentences(text) or [[""]]:  # a text without words is one unknown word
                places = (self._number_of.get(word) for word in sentence)
                numbered.append([UNKNOWN if number is None else FIRST_WORD + number for number in places])
                documents.append(document)
        return Sentences(numbered), np.array(documents, dtype=np.int64)

    def _make_network(self) -> Classifier:
        from allonym.training.classifiers import text_lstm

        return text_lstm.TextLSTMNetwork(**self._sizes())

    def _sizes(self) -> dict[str, int]:
        from allonym.training.classifiers.text_lstm import FIRST_WORD

        return {
            "words": FIRST_WORD + len(self._vocabulary),
            "classes": len(self.classes_),
            "embedding_size": self.embedding_size,
            "hidden_size": self.hidden_size,
        }


class TextLSTMConvolution(TextLSTM):
    """The LSTM with convolutions on top, A4NT's "holdout" classifier; a text's score is the sum over its sentences.

    Args:
        epochs: Passes over the training texts, at most; fewer if texts held out are recognised no better.
        embedding_size: Numbers of a word's embedding.
        hidden_size: Numbers of the LSTM's state.
        learning_rate: Size of a step.
        batch_size: Sentences of a step.
        seed: Fixes the result on one machine.
    """

    name = "lstm-cnn"
    describes_itself_as = "LSTM and convolutions over the words of each sentence"

    def _make_network(self) -> Classifier:
        from allonym.training.classifiers import text_lstm

        return text_lstm.TextLSTMConvolutionNetwork(**self._sizes())


def _sentences(text: str) -> list[list[str]]:
    """Split a text into sentences of words and signs in lower case, numbers as NUM; none is empty or over-long.

    >>> _sentences("It rained. We took 2 trains!")
    [['it', 'rained', '.'], ['we', 'took', 'NUM', 'trains', '!']]
    """
    split = []
    for sentence in _SENTENCE_END.split(lowered(text)):
        words = [_NUMBER if is_number(word) else word for word in TOKEN.findall(sentence)]
        split += [words[start : start + _LONGEST_SENTENCE] for start in range(0, len(words), _LONGEST_SENTENCE)]
    return split


def _gram_counter(**settings: Any) -> Any:  # noqa: ANN401 - scikit-learn has no types
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(analyzer="char", ngram_range=(2, 4), lowercase=False, dtype=np.float64, **settings)


def _check_counts(**counts: int) -> None:
    for parameter, count in counts.items():
        if not count >= 1:
            raise ParameterError(f"{parameter} must be at least 1, got {count}.")
