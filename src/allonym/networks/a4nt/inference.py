"""A4NT's networks as NumPy reads them: the numbers of `allonym.training.a4nt.network`, without torch.

Words are drawn from exactly the law that training draws them from: the softmax of the ratings (adding Gumbel noise and
taking the largest is the same), here by comparing a given uniform number with the running sum of probabilities.

All of it is computed in whole numbers, see `whole_numbers`: what is drawn depends on the sentence, the uniform numbers
and the model alone, not on the sentences beside it, on threads, libraries or the processor.

Privacy: spends nothing, and promises nothing.
B: sentences, T: places, V: words, E: embedding, H: state of an LSTM, C: classes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from allonym import acceleration, models
from allonym.errors import ModelError, ParameterError
from allonym.language.sequences import END, PAD, START, UNKNOWN, Vocabulary
from allonym.networks._recurrent import Lstm
from allonym.networks.a4nt._attention import LAYERS, Attention
from allonym.networks.a4nt._parts import A4ntShape, BothWays, checked, neighbours, padded, summary
from allonym.networks.a4nt._words import Uniforms, chosen_words, log_softmax, softplus
from allonym.networks.a4nt.substitutes import Substitutes
from allonym.networks.whole_numbers import (
    ONE,
    Floats,
    Integers,
    Linear,
    Parts,
    Shorts,
    Weights,
    WholeMatrix,
    inside,
    rounded,
)

Sentence: TypeAlias = Sequence[int]

KIND = "a4nt"
BALANCE = 8.0  # of models that name none
NEUTRAL = "neutral"  # the target of models that imitate no class
FURTHER_WORDS = 2  # by which the paper's translator may be longer than the sentence it reads

_NEVER_WRITTEN = (PAD, START)
_IMPOSSIBLE = np.float32(-30.0)
_ROWS = 32  # sentences that are read together
_PLACES_AT_ONCE = 64  # rated together
_COST_OF_A_PLACE = 4096  # a place is a few large products, far dearer than what `in_threads` counts
_Result = TypeVar("_Result")


class _Block(NamedTuple):
    """Sentences that are translated together; the arguments of `A4ntReader.drawn`, for these."""

    tokens: Integers
    lengths: Integers
    sources: Sequence[int]
    target: int
    uniforms: Uniforms
    unknown: bool
    fast: bool


class _Decoder:
    """A decoder's weights."""

    def __init__(self, parts: Parts, name: str, shape: A4ntShape) -> None:
        self.reader: BothWays | Attention | None = None
        self.lstm: Lstm | None = None
        if shape.variant == "transformer":
            self.reader = Attention(parts, f"{name}.attention", 1)
        elif shape.in_place:
            self.reader = BothWays(parts, f"{name}.lstm")
        else:
            self.lstm = Lstm(parts, f"{name}.lstm", told=2 * shape.hidden)
        self.projection = Linear.named(parts, f"{name}.projection")
        self.bias = parts.rest[f"{name}.bias"].copy()
        self.bias[list(_NEVER_WRITTEN)] += _IMPOSSIBLE
        if shape.in_place:
            self.liking = Linear.named(parts, f"{name}.liking")


class A4ntReader:
    """A trained translator, and the classifier beside it that tells whose a sentence sounds; see `open`.

    Int8 weights come with their scales, by name and `.scale`. The balance is what similarity, from 0 to 1, weighs
    beside log-odds when a translation is chosen.

    Raises:
        ModelError: The weights do not fit the shape, the classes or the vocabulary.
    """

    def __init__(
        self,
        shape: A4ntShape,
        weights: Weights,
        vocabulary: Vocabulary,
        classes: Sequence[str],
        *,
        of_user_text: bool = False,
        balance: float = BALANCE,
    ) -> None:
        self.shape, self.vocabulary, self.classes = shape, vocabulary, tuple(classes)
        self.of_user_text, self.balance = of_user_text, balance
        parts = checked(shape, weights, vocabulary, self.classes)
        self._words = parts.matrices["translator.embedding.weight"]  # (V, E)
        self._encoder: Attention | BothWays | Lstm = (
            Attention(parts, "translator.encoder", LAYERS)
            if shape.variant == "transformer"
            else BothWays(parts, "translator.encoder")
            if shape.in_place
            else Lstm(parts, "translator.encoder")
        )
        decoders = [f"translator.decoders.{row}" for row in range(shape.decoders)]
        self._decoders = [_Decoder(parts, name, shape) for name in decoders]
        self._told_sources, self._told_targets = (
            table.whole * table.scales[:, None] if (table := parts.matrices.get(f"translator.{name}.weight")) else None
            for name in ("sources", "targets")
        )
        self._judge_words, self._judge = parts.matrices["judge.embedding.weight"], Lstm(parts, "judge.lstm")
        self._judge_output = Linear.named(parts, "judge.output")
        self._entries = 0  # of products that were asked for so far, which tell when compiling pays

    @classmethod
    def open(cls, model: str | os.PathLike[str]) -> A4ntReader:
        """Open a model folder, or a shipped model by its name, after checking every file of it.

        Raises:
            ModelError: The folder is missing, damaged, or no model of this kind.
        """
        opened = models.verify(models.find(model))
        if opened.config.get("kind") != KIND:
            raise ModelError(f"The model folder {opened.folder} is not of the kind {KIND}: give one that is.")
        try:
            sizes = dict(opened.config["shape"])
            judge = opened.config["judge"]
            sizes |= {"judge_embedding": judge["embedding"], "judge_hidden": judge["hidden"]}
            sizes.setdefault("neutral", False)  # unknown to models of version 0.1
            shape = A4ntShape(**{field.name: sizes[field.name] for field in fields(A4ntShape)})
            classes = [str(name) for name in opened.config["classes"]]
            balance = float(opened.config.get("balance", BALANCE))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{opened.folder / models.CONFIG} lacks sizes: make or fetch the folder again.") from error
        vocabulary = Vocabulary.load(opened.folder / models.VOCABULARY)
        of_user_text = opened.config.get(models.TRAINED_ON) == models.USER_TEXT
        return cls(shape, models.open_tensors(opened), vocabulary, classes, of_user_text=of_user_text, balance=balance)

    def judged(self, sentences: Sequence[Sentence]) -> Floats:
        """Return the classifier's log-probability of each class for each sentence, B × C; none may be empty."""
        places = sum(map(len, sentences))
        fast = self._count(places * 4 * self.shape.judge_hidden)

        def judge(tokens: Integers, lengths: Integers, rows: Sequence[int]) -> list[Floats]:
            states = _states(self._judge, self._judge_words, tokens, lengths, fast=fast)
            return list(log_softmax(self._judge_output(summary(states, lengths), fast=fast)))

        return np.array(self._in_blocks(sentences, judge), np.float32).reshape(-1, self.shape.classes)

    def _count(self, entries: int) -> bool:
        """Count entries of products; tell whether compiling pays by now."""
        self._entries += entries
        return acceleration.worth_compiling(self._entries)

    def drawn(
        self,
        sentences: Sequence[Sentence],
        sources: Sequence[int],
        target: int,
        uniforms: Uniforms,
        *,
        unknown: bool = True,
        substitutes: Substitutes | None = None,
    ) -> list[list[list[int]]]:
        """Return translations of each sentence, whose only special tokens are END, which is no word, and UNKNOWN.

        Args:
            sentences: Token numbers; none may be empty.
            sources: The class of each sentence's writer.
            target: The class to be imitated.
            uniforms: Numbers from 0 to 1, sentences × samples × at least `FURTHER_WORDS` more than the longest
                sentence has words. A word is drawn with each; a number below 0 asks for the likeliest word.
            unknown: Whether UNKNOWN may be written: by the editor where it stands, by the paper's network anywhere.
            substitutes: For the editor: which words are preferred where one changes.

        Returns:
            For each sentence a list of samples. The editor's have as many tokens as the sentence.
        """
        longest = max(map(len, sentences), default=0)
        if uniforms.ndim != 3 or len(uniforms) != len(sentences) or uniforms.shape[2] < longest + FURTHER_WORDS:
            raise ParameterError(f"uniforms must be numbers for {len(sentences)} sentences of {longest} tokens.")

        fast = self._count(sum(map(len, sentences)) * self.shape.words)

        def draw(tokens: Integers, lengths: Integers, rows: Sequence[int]) -> Iterator[list[list[int]]]:
            block = _Block(tokens, lengths, [sources[row] for row in rows], target, uniforms[list(rows)], unknown, fast)
            return self._edited(block, substitutes) if self.shape.in_place else self._rewritten(block)

        return self._in_blocks(sentences, draw)

    def ratings(self, sentence: Sentence, source: int, target: int) -> Floats:
        """Return the editor's unnormalised log-probabilities of the words at each place, T × V."""
        fast = self._count(len(sentence) * self.shape.words)
        tokens, lengths = padded([sentence])
        features, liking = self._features(tokens, lengths, [source], target, fast=fast)
        return self._rated(tokens[0], features, liking, self._decoder(target), fast=fast)

    def _in_blocks(
        self,
        sentences: Sequence[Sentence],
        work: Callable[[Integers, Integers, Sequence[int]], Sequence[_Result] | Iterator[_Result]],
    ) -> list[_Result]:
        """Do work on blocks of sentences of like length; return its results in the sentences' order."""
        for sentence in sentences:
            if not len(sentence) or not 0 <= min(sentence) <= max(sentence) < self.shape.words:
                raise ParameterError(f"A sentence must be numbers from 0 to {self.shape.words - 1}, at least one.")
        order = sorted(range(len(sentences)), key=lambda row: -len(sentences[row]))
        blocks = [order[first : first + _ROWS] for first in range(0, len(order), _ROWS)]
        blocks = blocks[::2] + blocks[1::2]  # each core gets long sentences and short ones
        results: dict[int, _Result] = {}

        def do(part: Integers) -> None:
            for number in part:
                rows = blocks[number]
                tokens, lengths = padded([sentences[row] for row in rows])
                results.update(zip(rows, work(tokens, lengths, rows), strict=True))

        longest = len(sentences[order[0]]) if order else 0
        acceleration.in_threads(do, len(blocks), _ROWS * longest * _COST_OF_A_PLACE)
        return [results[row] for row in range(len(sentences))]

    def _decoder(self, target: int) -> _Decoder:
        return self._decoders[target if len(self._decoders) > 1 else 0]

    def _told(self, told: Floats, sources: Sequence[int], target: int) -> Floats:
        """Add to what the decoder is told, (B, …, 2H), from whom to whom it translates."""
        if self._told_sources is None or self._told_targets is None:
            return told
        conditions = self._told_sources[list(sources)] + self._told_targets[target]
        added: Floats = told + (conditions[:, None] if told.ndim == 3 else conditions)
        return added

    # The editor: ratings of all places at once, the same for all samples.

    def _features(
        self, tokens: Integers, lengths: Integers, sources: Sequence[int], target: int, *, fast: bool
    ) -> tuple[Floats, Floats]:
        """Return what the output layer sees at each place, and the liking for the word that stands there.

        There is one row a place, a sentence's after another's.
        """
        decoder = self._decoder(target)
        if decoder.reader is None or isinstance(self._encoder, Lstm):
            raise ParameterError("Only an editor rates all places at once; draw from this model instead.")
        known, codes = np.unique(tokens, return_inverse=True)
        read = _vectors(self._words, known)
        states = self._told(self._encoder.run(*read, codes.reshape(tokens.shape), lengths, fast=fast), sources, target)
        whole, units = rounded(states.reshape(tokens.size, -1), ONE)
        states = decoder.reader.run(whole, units, np.arange(tokens.size).reshape(tokens.shape), lengths, fast=fast)
        rows = rounded(states[inside(lengths, tokens.shape[1])], ONE)
        return decoder.projection.whole(*rows, fast=fast), softplus(decoder.liking.whole(*rows, fast=fast)[:, 0])

    def _rated(self, tokens: Integers, features: Floats, liking: Floats, decoder: _Decoder, *, fast: bool) -> Floats:
        """Rate all words at some places."""
        rated = Linear(self._words, decoder.bias)(features, fast=fast)
        rated[np.arange(len(tokens)), tokens] += liking
        rated[tokens != UNKNOWN, UNKNOWN] += _IMPOSSIBLE
        return rated

    def _edited(self, block: _Block, substitutes: Substitutes | None) -> Iterator[list[list[int]]]:
        tokens, lengths, sources, target, uniforms, unknown, fast = block
        decoder = self._decoder(target)
        features, liking = self._features(tokens, lengths, sources, target, fast=fast)
        known = inside(lengths, tokens.shape[1])  # (B, T)
        read = tokens[known]  # a row a place, and so below
        lefts, rights = (beside[known] for beside in neighbours(tokens, lengths))
        numbers = uniforms[:, :, : tokens.shape[1]].swapaxes(1, 2)[known]  # (places, samples)
        chosen = np.empty(numbers.shape, np.int64)
        for first in range(0, len(read), _PLACES_AT_ONCE):
            few = slice(first, first + _PLACES_AT_ONCE)
            rated = self._rated(read[few], features[few], liking[few], decoder, fast=fast)
            rated[:, list(_NEVER_WRITTEN)] = -np.inf
            rated[(read[few] != UNKNOWN) | (not unknown), UNKNOWN] = -np.inf
            if substitutes is not None:
                substitutes.prefer(rated, read[few], lefts[few], rights[few], fast=fast)
            chosen[few] = chosen_words(rated, numbers[few], fast=fast)
        for samples in np.split(chosen, np.cumsum(lengths)[:-1]):
            yield samples.T.tolist()

    # The paper's: word by word, each sample on its own.

    def _rewritten(self, block: _Block) -> Iterator[list[list[int]]]:
        tokens, lengths, sources, target, uniforms, unknown, fast = block
        decoder, samples = self._decoder(target), uniforms.shape[1]
        if decoder.lstm is None or not isinstance(self._encoder, Lstm):
            raise ParameterError("The editor does not write word by word.")
        states = _states(self._encoder, self._words, tokens, lengths, fast=fast)
        vectors = self._told(summary(states, lengths), sources, target)  # (B, 2H)
        shifts = decoder.lstm.shift(vectors, fast=fast)
        steps = np.repeat(lengths + FURTHER_WORDS, samples)
        numbers = uniforms.reshape(-1, uniforms.shape[2])
        never = [*_NEVER_WRITTEN] if unknown else [*_NEVER_WRITTEN, UNKNOWN]
        written: list[list[int]] = []
        for first in range(0, len(numbers), _PLACES_AT_ONCE):
            few = np.arange(first, min(first + _PLACES_AT_ONCE, len(numbers)))
            written += self._written(
                shifts[few // samples], steps[few], numbers[few], decoder, decoder.lstm, never, fast
            )
        for first in range(0, len(written), samples):
            yield written[first : first + samples]

    def _written(
        self,
        shifts: Floats,
        steps: Integers,
        uniforms: Uniforms,
        decoder: _Decoder,
        lstm: Lstm,
        never: list[int],
        fast: bool,
    ) -> list[list[int]]:
        """Write one sentence for each row, of at most so many steps."""
        output = Linear(self._words, decoder.bias)
        written: list[list[int]] = [[] for _ in shifts]
        going, word = np.arange(len(shifts)), np.full(len(shifts), START)
        state, cell = np.zeros((len(shifts), lstm.size), np.int16), np.zeros((len(shifts), lstm.size), np.float32)
        for step in range(int(steps.max())):
            given = lstm.given(*_vectors(self._words, word), fast=fast) + shifts[going]
            lstm.step(given, state, cell, fast=fast)
            rated = output(decoder.projection.of_states(state, fast=fast), fast=fast)
            rated[:, never if step else [*never, END]] = -np.inf  # what would be empty has a word after all
            chosen = chosen_words(rated, uniforms[going, step, None], fast=fast)[:, 0]
            on = (chosen != END) & (steps[going] > step)
            going, word, state, cell = going[on], chosen[on], state[on], cell[on]
            for row, number in zip(going.tolist(), word.tolist(), strict=True):
                written[row].append(number)
            if not len(going):
                break
        return written


def _states(lstm: Lstm, words: WholeMatrix, tokens: Integers, lengths: Integers, *, fast: bool) -> Shorts:
    """Return what an LSTM makes of sentences, at each place; each distinct word is multiplied once."""
    known, codes = np.unique(tokens, return_inverse=True)
    given = lstm.given(*_vectors(words, known), fast=fast)
    return lstm.run(given, codes.reshape(tokens.shape), lengths, fast=fast)


def _vectors(words: WholeMatrix, numbers: Integers) -> tuple[Shorts, Floats]:
    """Return the vectors of some words in whole numbers, and what these stand for in each."""
    return words.whole[numbers].astype(np.int16), words.scales[numbers]
