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
- `candidate_sets="groups"`, with subset: the candidates are a public group of unlike words, not the network's
  favourites, and the network says afterwards which of them was meant (`allonym.networks.erae.groups`).
- `style="neutral"`: what is drawn is the core of a text in plain words (`allonym.networks.erae.neutral`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.base import Anonymizer
from allonym.errors import ParameterError
from allonym.language import ENGLISH, sequences
from allonym.language.sequences import END, LONGEST_SENTENCE, SPECIAL
from allonym.mechanisms import Subset, TwoSet
from allonym.networks.erae.groups import WordGroups, meant
from allonym.networks.erae.inference import EraeReader
from allonym.networks.erae.neutral import NeutralStyle
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import Habit
from allonym.randomness import DocumentStreams

DEFAULT_MODEL = ENGLISH.model("erae")
ASSUMPTIONS = (
    "the network and its vocabulary are public, not trained on the documents themselves",
    "each document is anonymized once (twice spends twice as much)",
    "the random key stays secret",
)
GIVEN_LENGTHS = "any two documents with as many sentences of the same lengths"
_MOST_SENTENCES = 10_000
_READ_AT_ONCE = 256  # sentences
_DOWN = 1 - 1e-12  # so that rounding never makes the loss larger than the one asked for
_FLOATS_AT_ONCE = 2**23  # of ratings: 32 MiB at most
_CACHED = ("network_", "_ends", "_groups", "_marks", "_neutral", "_stop")
_EITHER_OR = (
    ("mechanism", "two-set", "subset"),
    ("length", "private", "public"),
    ("candidate_sets", "groups", "favourites"),
    ("style", "kept", "neutral"),
)


class ERAE(Anonymizer):
    """Rewrites texts word by word with a proved loss for each word.

    Privacy: `guarantee()`: the mechanism's loss × the words drawn.

    Args:
        model: A shipped model or a folder; "default" is the English one.
        epsilon: ε of the two-set mechanism. A word loses ε/2 + ln(vocabulary − 1): see `guarantee`.
        loss_per_word: The loss to pay for each output word, in the place of ε.
        candidates: How many words are likely at each place.
        mechanism: The paper's ("two-set"), or ours, better at an equal loss ("subset").
        length: Hide how many sentences and words there are ("private"), or copy it from the text ("public").
        sentences: With private length, sentences of every output; a text's further ones are dropped.
        words: With private length, words at most of every sentence; longer ones are cut into several.
        candidate_sets: With subset, candidates are a public group of unlike words, of which the network then picks the
            one that fits what was drawn ("groups"), or the network's favourites, as with two-set ("favourites").
        style: Draw all of a text ("kept"), or only its core: the clauses that say most, in plain words ("neutral").
            `sentences` and `words` are then those of the core.
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
        candidate_sets: Literal["groups", "favourites"] = "groups",
        style: Literal["kept", "neutral"] = "kept",
    ) -> None:
        self.model = model
        self.epsilon = epsilon
        self.loss_per_word = loss_per_word
        self.candidates = candidates
        self.mechanism = mechanism
        self.length = length
        self.sentences = sentences
        self.words = words
        self.candidate_sets = candidate_sets
        self.style = style
        self._check()

    def _check(self) -> None:
        for cached in _CACHED:  # of other parameters
            self.__dict__.pop(cached, None)
        for name in ("epsilon", "loss_per_word"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float | np.number) and 0 < value < math.inf):
                raise ParameterError(f"{name} must be a positive number, got {value}.")
        for name, most in (("candidates", 100), ("sentences", _MOST_SENTENCES), ("words", LONGEST_SENTENCE)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
                raise ParameterError(f"{name} must be a whole number from 1 to {most:,}, got {value}.")
        for name, first, second in _EITHER_OR:
            if getattr(self, name) not in (first, second):
                raise ParameterError(f"{name} must be {first} or {second}, got {getattr(self, name)!r}.")
        if self.style == "neutral" and self.length == "public":
            raise ParameterError(
                "style='neutral' must go with length='private': how long the core of a text is says something about it."
            )

    @cached_property
    def network_(self) -> EraeReader:
        """The network that rates words."""
        return EraeReader.open(DEFAULT_MODEL if self.model == "default" else self.model)

    @property
    def mechanism_(self) -> TwoSet | Subset:
        """What draws each word."""
        outputs = len(self.network_.vocabulary)
        apart = float(
            Decimal(outputs - 1).ln()
        )  # the same digits everywhere, which a mathematical library need not have
        if self.mechanism == "subset":
            loss = self.epsilon / 2 + apart if self.loss_per_word is None else self.loss_per_word
            groups = self._groups  # of a tiny vocabulary they are smaller than was asked for
            return Subset(outputs, loss=loss, candidates=self.candidates if groups is None else groups.members.shape[1])
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
        assumptions = (*ASSUMPTIONS, *self.network_.assumptions)
        if self.length == "public":
            return accounting.pure(
                loss_per_word=loss,
                words=None,
                documents=documents,
                assumptions=assumptions,
                adjacency=GIVEN_LENGTHS,
            ).copying(Habit.NUMBER_OF_SENTENCES, Habit.SENTENCE_LENGTHS)
        words = self.sentences * self.words
        return accounting.pure(loss_per_word=loss, words=words, documents=documents, assumptions=assumptions)

    def __getstate__(self) -> dict[str, object]:
        # The network is read again where it is needed: a copy of it in every worker's mail would be megabytes.
        return {name: value for name, value in vars(self).items() if name not in _CACHED}

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        documents = [self._sentences(text) for text in texts]
        counts = [len(document) for document in documents]
        flat = [sentence for document in documents for sentence in document]
        drawn = self._drawn(flat, streams.segments(counts, 1))
        return [self._text([next(drawn) for _ in range(count)]) for count in counts]

    def _text(self, sentences: Sequence[list[int]]) -> str:
        """Write a document. Neutral sentences have no marks, so one in them is an accident; all end in a full stop."""
        vocabulary = self.network_.vocabulary
        if self.style == "neutral":
            worded = ([word for word in sentence if word not in self._marks] for sentence in sentences)
            sentences = [sentence + self._stop for sentence in worded if sentence]
        return vocabulary.text(sentences)

    def _sentences(self, text: str) -> list[list[int]]:
        """Return the sentences as token numbers; with private length as many as every document has."""
        numbers_of = self.network_.vocabulary.ids
        split = sequences.sentences(text)
        if self.length == "public":
            return [numbers_of(sentence) for sentence in split]
        if self._neutral is not None:
            split = self._neutral.core(split, clauses=self.sentences, words=self.words)
        pieces = [
            numbers_of(sentence[start : start + self.words])
            for sentence in split
            for start in range(0, len(sentence), self.words)
        ][: self.sentences]
        if self._groups is not None:  # a word without a group would end its sentence
            pieces = [self._groups.known(piece) for piece in pieces]
        return pieces + [[] for _ in range(self.sentences - len(pieces))]

    def _drawn(self, flat: Sequence[list[int]], streams: DocumentStreams) -> Iterator[list[int]]:
        """Draw every sentence from its own stream, a block of sentences at a time."""
        for start in range(0, len(flat), _READ_AT_ONCE):
            block = flat[start : start + _READ_AT_ONCE]
            own = streams.part(start, start + len(block))
            if self._groups is None:
                yield from self._numbers(block, own)
            else:
                yield from self._meant(list(self._grouped(self._groups, block, own)), self._groups)

    def _steps(self, sentence: Sequence[int]) -> int:
        """Return how many words are drawn for a sentence."""
        return self.words if self.length == "private" else len(sentence)

    def _numbers(self, block: Sequence[list[int]], streams: DocumentStreams) -> Iterator[list[int]]:
        """Draw the numbers of each sentence, up to its end, by the network's ratings.

        After a sentence's last word the network is asked once more, for the end. All later steps are drawn, too, but
        from one law, that of a sentence that is over: there is nothing left to read.
        """
        asked = [min(self._steps(sentence), len(sentence) + 1) for sentence in block]
        features = self.network_.features(block, asked)  # (steps of all sentences, E)
        ends = np.cumsum(asked)
        longest = max(map(self._steps, block))
        # How many sentences are drawn together is public: not even the number of draws may depend on the text.
        at_once = max(1, _FLOATS_AT_ONCE // (max(longest, 1) * len(self.network_.vocabulary)))
        for start in range(0, len(block), at_once):
            part = slice(start, min(start + at_once, len(block)))
            first = ends[part.start] - asked[part.start]
            rated = self._rated(features[first : ends[part.stop - 1]])
            rows = np.full((part.stop - part.start, longest), len(rated) - 1)
            for row, end, count in zip(rows, ends[part] - first, asked[part], strict=True):
                row[:count] = np.arange(end - count, end)
            # A sentence's numbers are the first of its stream, so that steps past its end change nothing.
            numbers = self.mechanism_.draw(rated, streams.part(part.start, part.stop), rows=rows)
            for row, sentence in zip(numbers, block[part], strict=True):
                yield self._written(row[: self._steps(sentence)])

    def _grouped(self, groups: WordGroups, block: Sequence[list[int]], streams: DocumentStreams) -> Iterator[list[int]]:
        """Draw the numbers of each sentence, up to its end, from groups of words."""
        longest = max(map(self._steps, block))
        candidates = np.stack([groups.candidates(sentence, longest) for sentence in block])
        numbers = self.mechanism_.draw_among(candidates, streams)  # type: ignore[union-attr] # groups go with subset
        for row, sentence in zip(numbers, block, strict=True):
            yield self._written(row[: self._steps(sentence)])

    def _meant(self, drawn: Sequence[list[int]], groups: WordGroups) -> list[list[int]]:
        """Return the words that the network makes of drawn numbers. It sees nothing else, so this spends nothing."""
        kept = self.mechanism_.probability_of_candidates  # type: ignore[union-attr] # groups go with subset alone
        # Below it, a word is likelier drawn by accident, when all groups are equally likely.
        doubt = (1 - kept) / (kept * len(groups.members))
        found = meant(self.network_, groups, drawn, doubt=doubt, then=self._stop if self.style == "neutral" else ())
        # What accidents leave of an empty sentence is often a mark alone.
        return [[] if self._marks.issuperset(words) else words for words in found]

    def _rated(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the ratings of all words at each step, and in a last row those where a sentence is over.

        With the subset mechanism, where the end is the best guess, it fills all places of the candidates: numbers that
        are never written stand for it, too. Otherwise a sentence that is over would mostly go on, with another of the
        candidates.
        """
        rated = np.empty((len(features) + 1, len(self.network_.vocabulary)), np.float32)
        self.network_.probabilities(features, out=rated[:-1])
        rated[-1] = 0
        rated[-1, END] = 1
        if self.mechanism == "subset" and self.length == "private":
            over = rated.argmax(axis=-1) == END
            for alias in self._ends:
                rated[over, alias] = rated[over, END]
        return rated

    @cached_property
    def _ends(self) -> list[int]:
        """Numbers that are read as the end: those of no word, and as many of the rarest words as candidates ask for."""
        if self._groups is not None:
            return sorted(self._groups.ends.tolist())
        outputs = len(self.network_.vocabulary)
        more = max(0, self.candidates - len(SPECIAL))
        return [*range(len(SPECIAL)), *range(outputs - more, outputs)]

    @cached_property
    def _groups(self) -> WordGroups | None:
        if self.mechanism == "two-set" or self.candidate_sets == "favourites":
            return None
        return WordGroups(len(self.network_.vocabulary), self.candidates)

    @cached_property
    def _stop(self) -> list[int]:
        return self.network_.vocabulary.ids(["."])

    @cached_property
    def _marks(self) -> frozenset[int]:
        tokens = enumerate(self.network_.vocabulary.tokens)
        return frozenset(number for number, token in tokens if not any(sign.isalnum() for sign in token))

    @cached_property
    def _neutral(self) -> NeutralStyle | None:
        return NeutralStyle.open() if self.style == "neutral" else None

    def _written(self, numbers: NDArray[np.int64]) -> list[int]:
        """Return the numbers of the words: up to the first end, or with public length all that are words."""
        aliased = self._groups is not None or (self.mechanism == "subset" and self.length == "private")
        is_end = np.isin(numbers, self._ends if aliased else list(range(len(SPECIAL))))
        if self.length == "public":
            kept: list[int] = numbers[~is_end].tolist()
            return kept
        stop = int(is_end.argmax()) if is_end.any() else len(numbers)
        words: list[int] = numbers[:stop].tolist()
        return words


EXAMPLE = ERAE(sentences=4, words=10)
