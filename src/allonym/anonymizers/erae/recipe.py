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
  favourites, and the network says afterwards which of them was meant (`GroupedWords`; the paper's is `RatedWords`).
- `style="neutral"`: what is drawn is the core of a text in plain words (`allonym.networks.erae.neutral`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.base import Anonymizer, cached_names, check_positive, check_whole
from allonym.anonymizers.erae.auditing import ERAEAuditing
from allonym.anonymizers.erae.groups import GroupedWords
from allonym.anonymizers.erae.lengths import PrivateLength, PublicLength
from allonym.anonymizers.erae.ratings import RatedWords
from allonym.anonymizers.offers import Offer, Slider
from allonym.errors import ParameterError
from allonym.language import ENGLISH, sequences
from allonym.language.sequences import LONGEST_SENTENCE, SPECIAL
from allonym.mechanisms import Subset, TwoSet
from allonym.networks.erae.groups import WordGroups
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

_GROUPS = {"mechanism": "subset", "candidate_sets": "groups"}
_MEANING = [
    _GROUPS | {"length": "public", "candidates": candidates, "loss_per_word": loss}
    for loss, candidates in ((7.0, 10), (8.0, 10), (8.6, 10), (9.3, 10), (11.4, 5))
]
_CORE = [
    _GROUPS
    | {"style": "neutral", "length": "private", "sentences": clauses, "words": 14, "candidates": 3}
    | {"loss_per_word": 11.4}
    for clauses in (1, 2, 3, 5, 8)
]


@dataclass(kw_only=True, eq=False, repr=False)
class ERAE(Anonymizer):
    """Rewrites texts word by word with a proved loss for each word.

    Privacy: `guarantee()`: the mechanism's loss × the words drawn.

    Args:
        model: A shipped model or a folder; "default" is the English one.
        epsilon: ε of the two-set mechanism. A word loses ε/2 + ln(vocabulary − 1): see `guarantee`.
        loss_per_word: The loss to pay for each output word, instead of ε.
        candidates: How many words are likely to be drawn at each place.
        mechanism: The paper's ("two-set"), or ours, which is better at an equal loss ("subset").
        length: Hide how many sentences and words there are ("private"), or copy their number from the text ("public").
        sentences: With private length, how many sentences every output has; any more in a text are dropped.
        words: With private length, the most words of a sentence; longer sentences are cut into several.
        candidate_sets: With subset, what the candidates are: a public group of unlike words, from which the network
            then picks the one that best fits the rest of what was drawn ("groups"), or the network's favourites, as
            with two-set ("favourites").
        style: Draw all of a text ("kept"), or only its core: the clauses that say most, in plain words ("neutral").
            `sentences` and `words` are then those of the core.
    """

    method = "erae"
    draws_its_length = True

    model: str = "default"
    epsilon: float = 3.0
    loss_per_word: float | None = None
    candidates: int = 5
    mechanism: Literal["two-set", "subset"] = "two-set"
    length: Literal["private", "public"] = "private"
    sentences: int = 20
    words: int = 30
    candidate_sets: Literal["groups", "favourites"] = "groups"
    style: Literal["kept", "neutral"] = "kept"

    def _check(self) -> None:
        super()._check()
        for name in ("epsilon", "loss_per_word"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name))
        for name, most in (("candidates", 100), ("sentences", _MOST_SENTENCES), ("words", LONGEST_SENTENCE)):
            check_whole(name, getattr(self, name), most)
        if self.style == "neutral" and self.length == "public":
            raise ParameterError(
                "The neutral style needs private length: how long the core of a text is says something about it."
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
                "ask for more, or for the mechanism subset, which can lose less."
            )
        return TwoSet(outputs, epsilon=epsilon, candidates=self.candidates)

    def audited(self) -> ERAEAuditing:
        """Return what an audit must know of this method."""
        return ERAEAuditing(self)

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

    def offers(self) -> tuple[Offer, ...]:
        """Offer the core of a text, and all of it."""
        core = (
            "the core of what you say, in a few plain clauses; the rest is left out, and nothing shows how long it was"
        )
        whole = "your sentences, every word drawn; close to your text it reads well, and hides little"
        return (
            Offer("core", "Hide the writer", core, lambda: [Slider(_CORE)]),
            Offer("meaning", "Keep the meaning", whole, lambda: [Slider(_MEANING)]),
        )

    def words_at_most(self, text: str) -> int:
        """Return how many words and marks are drawn for a text when lengths are copied."""
        return sum(map(len, sequences.sentences(text)))

    def before_drawing(self, texts: Sequence[str]) -> list[str] | None:
        """Return the clauses of each text that words are drawn for; in kept style they are the text."""
        if self.style == "kept":
            return None
        return [self._text(self._sentences(text)) for text in texts]

    def __getstate__(self) -> dict[str, object]:
        # The network is read again where it is needed: a copy of it in every worker's mail would be megabytes.
        cached = cached_names(type(self))
        return {name: value for name, value in vars(self).items() if name not in cached}

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        documents = [self._sentences(text) for text in texts]
        counts = [len(document) for document in documents]
        flat = [sentence for document in documents for sentence in document]
        drawn = self._drawn(flat, streams.segments(counts, 1))
        return [self._text([next(drawn) for _ in range(count)]) for count in counts]

    def _sentences(self, text: str) -> list[list[int]]:
        """Return the sentences to draw for as token numbers; with private length as many as every document has."""
        pieces = [self.network_.vocabulary.ids(piece) for piece in self._length.read(sequences.sentences(text))]
        if self._groups is not None and self.length == "private":  # a word without a group would end its sentence
            pieces = [self._groups.known(piece) for piece in pieces]
        return self._length.filled(pieces)

    def _drawn(self, flat: Sequence[list[int]], streams: DocumentStreams) -> Iterator[list[int]]:
        """Draw every sentence from its own stream, a block of sentences at a time."""
        for start in range(0, len(flat), _READ_AT_ONCE):
            block = flat[start : start + _READ_AT_ONCE]
            numbers = self._numbers(block, streams.part(start, start + len(block)))
            yield from self._way.meant(list(numbers)) if isinstance(self._way, GroupedWords) else numbers

    def _numbers(self, block: Sequence[list[int]], streams: DocumentStreams) -> Iterator[list[int]]:
        """Draw the numbers of each sentence, up to its end."""
        steps = [self._length.steps(sentence) for sentence in block]
        return map(self._written, self._way.drawn(block, steps, streams))

    def _written(self, numbers: NDArray[np.int64]) -> list[int]:
        """Return the numbers of the words: up to the first end, or with public length all that are words."""
        words: list[int] = self._length.kept(numbers, np.isin(numbers, self._ends)).tolist()
        return words

    def _text(self, sentences: Sequence[list[int]]) -> str:
        """Write a document. Neutral sentences have no marks, so one in them is an accident; all end in a full stop."""
        if self.style == "neutral":
            worded = ([word for word in sentence if word not in self._marks] for sentence in sentences)
            sentences = [sentence + self._stop for sentence in worded if sentence]
        return self.network_.vocabulary.text(sentences)

    @cached_property
    def _length(self) -> PublicLength | PrivateLength:
        """What of a text is drawn, and for how many steps."""
        if self.length == "public":
            return PublicLength()
        return PrivateLength(self.sentences, self.words, NeutralStyle.open() if self.style == "neutral" else None)

    @property
    def _way(self) -> RatedWords | GroupedWords:
        """How words are drawn."""
        network, mechanism = self.network_, self.mechanism_
        if self._groups is not None and isinstance(mechanism, Subset):
            stop = self._stop if self.style == "neutral" else ()
            return GroupedWords(network, mechanism, self._groups, self._marks, stop)
        return RatedWords(network, mechanism, self._ends if self._ends_are_several else ())

    @cached_property
    def _groups(self) -> WordGroups | None:
        if self.mechanism == "two-set" or self.candidate_sets == "favourites":
            return None
        return WordGroups(len(self.network_.vocabulary), self.candidates)

    @property
    def _ends_are_several(self) -> bool:
        """Whether the end needs as many numbers as there are candidates."""
        return self.mechanism == "subset" and self.length == "private"

    @cached_property
    def _ends(self) -> list[int]:
        """Numbers that are read as the end: those of no word, and as many of the rarest words as candidates ask for."""
        if self._groups is not None:
            return sorted(self._groups.ends.tolist())
        outputs = len(self.network_.vocabulary)
        more = max(0, self.candidates - len(SPECIAL)) if self._ends_are_several else 0
        return [*range(len(SPECIAL)), *range(outputs - more, outputs)]

    @cached_property
    def _stop(self) -> list[int]:
        return self.network_.vocabulary.ids(["."])

    @cached_property
    def _marks(self) -> frozenset[int]:
        tokens = enumerate(self.network_.vocabulary.tokens)
        return frozenset(number for number, token in tokens if not any(sign.isalnum() for sign in token))


EXAMPLE = ERAE(sentences=4, words=10)
