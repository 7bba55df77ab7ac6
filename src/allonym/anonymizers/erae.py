"""ER-AE: readable text, every word of it drawn by a mechanism with a proved loss.

Bo, Ding, Fung and Iqbal, "ER-AE: Differentially Private Text Generation for Authorship Anonymization", NAACL 2021.

A network reads a sentence and rates all words at each of its places, fed the *original* words before it; a mechanism
draws the word: two-set, their definition 4, or our subset mechanism, which keeps candidates likelier at every loss.
Each draw is a function of the whole sentence, so the losses of the steps add up. The network may be anything: the
mechanisms' proofs ask nothing of its ratings.

Where this differs from the paper, and why:
- The loss stated is the mechanism's own, ε/2 + ln(s − 1) a word for two-set. The paper's ε + ln s is `as_published`;
  the ε of its experiments leaves ln s ≈ 9.9 out.
- `length="private"`: as many sentences and steps as the parameters say, whatever the text; where a sentence ends is
  drawn like any word. The paper's generator copies the length, as `length="public"` does, and the guarantee says so.
- Capitals and spaces come from the drawn words alone; unknown words are read, but never written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from allonym import sequences
from allonym.anonymizers.base import Anonymizer
from allonym.errors import ParameterError
from allonym.mechanisms import Subset, TwoSet
from allonym.networks.erae_inference import EraeReader
from allonym.privacy import Guarantee, accounting
from allonym.randomness import DocumentStreams
from allonym.sequences import END, LONGEST_SENTENCE, SPECIAL

DEFAULT_MODEL = "erae-en"
ASSUMPTIONS = (
    "the network and its vocabulary are public, not trained on the documents themselves",
    "each document is anonymized once (twice spends twice as much)",
    "the random key stays secret",
)
GIVEN_LENGTHS = "any two documents with as many sentences of the same lengths"
_MOST_SENTENCES = 10_000
_READ_AT_ONCE = 256  # sentences
_DOWN = 1 - 1e-12  # so that rounding never makes the loss larger than the one asked for
_FLOATS_AT_ONCE = 2**23  # of ratings: 32 MiB


class ERAE(Anonymizer):
    """Rewrites texts word by word with a proved loss for each word.

    Privacy: `guarantee()`: the mechanism's loss × the words drawn.

    Args:
        model: A shipped model or a folder; "default" is the English one.
        epsilon: ε of the two-set mechanism. What a word loses is ε/2 + ln(words − 1): see `guarantee`.
        loss_per_word: The loss to pay for each output word, in the place of ε.
        candidates: How many of the network's favourites are likely at each place.
        mechanism: The paper's ("two-set"), or ours, better at an equal loss ("subset").
        length: Hide how many sentences and words there are ("private"), or copy it from the text ("public").
        sentences: With private length, sentences of every output; a text's further ones are dropped.
        words: With private length, words at most of every sentence; longer ones are cut into several.
    """

    method = "erae"
    kind = "texts"
    draws_its_length = True

    def __init__(
        self,
        *,
        model: str = "default",
        epsilon: float = 3.0,
        loss_per_word: float | None = None,
        candidates: int = 5,
        mechanism: Literal["two-set", "subset"] = "two-set",
        length: Literal["private", "public"] = "private",
        sentences: int = 20,
        words: int = 30,
    ) -> None:
        self.model = model
        self.epsilon = epsilon
        self.loss_per_word = loss_per_word
        self.candidates = candidates
        self.mechanism = mechanism
        self.length = length
        self.sentences = sentences
        self.words = words
        self._check()

    def _check(self) -> None:
        for cached in ("network_", "_ends"):  # of other parameters
            self.__dict__.pop(cached, None)
        for name in ("epsilon", "loss_per_word"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float | np.number) and 0 < value < math.inf):
                raise ParameterError(f"{name} must be a positive number, got {value}.")
        for name, most in (("candidates", 100), ("sentences", _MOST_SENTENCES), ("words", LONGEST_SENTENCE)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
                raise ParameterError(f"{name} must be a whole number from 1 to {most:,}, got {value}.")
        if self.mechanism not in ("two-set", "subset"):
            raise ParameterError(f"mechanism must be two-set or subset, got {self.mechanism!r}.")
        if self.length not in ("private", "public"):
            raise ParameterError(f"length must be private or public, got {self.length!r}.")

    @cached_property
    def network_(self) -> EraeReader:
        """The network that rates words."""
        return EraeReader.open(DEFAULT_MODEL if self.model == "default" else self.model)

    @property
    def mechanism_(self) -> TwoSet | Subset:
        """What draws each word."""
        outputs = len(self.network_.vocabulary)
        apart = math.log(outputs - 1)
        if self.mechanism == "subset":
            loss = self.epsilon / 2 + apart if self.loss_per_word is None else self.loss_per_word
            return Subset(outputs, loss=loss, candidates=self.candidates)
        epsilon = self.epsilon if self.loss_per_word is None else 2 * (self.loss_per_word - apart) * _DOWN
        if not epsilon > 0:
            raise ParameterError(
                f"The two-set mechanism loses more than {apart:.2f} a word with {outputs:,} words; "
                "ask for more, or for mechanism='subset', which can lose less."
            )
        return TwoSet(outputs, epsilon=epsilon, candidates=self.candidates)

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised about `documents` documents of one author."""
        loss = self.mechanism_.loss()
        if self.length == "public":
            return accounting.pure(
                loss_per_word=loss,
                words=None,
                documents=documents,
                assumptions=ASSUMPTIONS,
                released_as_is=("the number of sentences", "the length of each"),
                adjacency=GIVEN_LENGTHS,
            )
        words = self.sentences * self.words
        return accounting.pure(loss_per_word=loss, words=words, documents=documents, assumptions=ASSUMPTIONS)

    def __getstate__(self) -> dict[str, object]:
        # The network is read again where it is needed: a copy of it in every worker's mail would be megabytes.
        return {name: value for name, value in super().__getstate__().items() if name != "network_"}

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        documents = [self._sentences(text) for text in texts]
        counts = [len(document) for document in documents]
        flat = [sentence for document in documents for sentence in document]
        drawn = self._drawn(flat, streams.segments(counts, 1))
        return [self.network_.vocabulary.text([next(drawn) for _ in range(count)]) for count in counts]

    def _sentences(self, text: str) -> list[list[int]]:
        """Return the sentences as token numbers; with private length as many as every document has."""
        known = self.network_.vocabulary.ids
        if self.length == "public":
            return [known(sentence) for sentence in sequences.sentences(text)]
        pieces = [
            known(sentence[start : start + self.words])
            for sentence in sequences.sentences(text)
            for start in range(0, len(sentence), self.words)
        ][: self.sentences]
        return pieces + [[] for _ in range(self.sentences - len(pieces))]

    def _drawn(self, flat: Sequence[list[int]], streams: DocumentStreams) -> Iterator[list[int]]:
        """Draw every sentence from its own stream, a block of sentences at a time."""
        outputs, mechanism = len(self.network_.vocabulary), self.mechanism_
        for start in range(0, len(flat), _READ_AT_ONCE):
            block = flat[start : start + _READ_AT_ONCE]
            lengths = [self.words if self.length == "private" else len(sentence) for sentence in block]
            longest = max(lengths)
            features = self.network_.features(block, longest)  # (block, longest, size)
            at_once = max(1, _FLOATS_AT_ONCE // (max(longest, 1) * outputs))
            for first in range(0, len(block), at_once):
                part = slice(first, min(first + at_once, len(block)))
                rated = self._rated(features[part])
                own = streams.part(start + part.start, start + part.stop)
                # A sentence's numbers are the first of its stream, so that steps past its end change nothing.
                numbers = mechanism.draw(rated, own)
                for row, length in zip(numbers, lengths[part], strict=True):
                    yield self._written(row[:length])

    def _rated(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the ratings of all words at each step.

        With the subset mechanism, where the end is the best guess, it fills all places of the candidates: numbers that
        are never written stand for it, too. Otherwise a sentence that is over would go on four times out of five.
        """
        rated = self.network_.probabilities(features)
        if self.mechanism == "subset" and self.length == "private":
            over = rated.argmax(axis=-1) == END
            for alias in self._ends:
                rated[over, alias] = rated[over, END]
        return rated

    @cached_property
    def _ends(self) -> list[int]:
        """Numbers that are read as the end: those of no word, and as many of the rarest words as candidates ask for."""
        outputs = len(self.network_.vocabulary)
        more = max(0, self.candidates - len(SPECIAL))
        return [*range(len(SPECIAL)), *range(outputs - more, outputs)]

    def _written(self, numbers: NDArray[np.int64]) -> list[int]:
        """Return the numbers of the words: up to the first end, or with public length all that are words."""
        ends = self._ends if self.mechanism == "subset" and self.length == "private" else list(range(len(SPECIAL)))
        is_end = np.isin(numbers, ends)
        if self.length == "public":
            kept: list[int] = numbers[~is_end].tolist()
            return kept
        stop = int(is_end.argmax()) if is_end.any() else len(numbers)
        words: list[int] = numbers[:stop].tolist()
        return words


EXAMPLE = ERAE(sentences=4, words=10)
