"""A4NT's networks as NumPy reads them: the numbers of `allonym.networks.a4nt`, without torch.

Words are drawn from exactly the law that training draws them from: the softmax of the ratings (adding Gumbel noise and
taking the largest is the same), here by comparing a given uniform number with the running sum of probabilities.

A sentence's numbers do not depend on the sentences beside it: LSTMs always run on blocks of `ROWS` sentences, each
step a product of the same size, and ratings are computed for `PLACES_AT_ONCE` places at a time, with zeros if there
are fewer.

Privacy: spends nothing, and promises nothing.
B: sentences, T: places, V: words, E: embedding, H: state of an LSTM, C: classes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TypeAlias, TypeVar

import numpy as np

from allonym import acceleration, models
from allonym.errors import ModelError, ParameterError
from allonym.networks._a4nt_attention import LAYERS, Attention
from allonym.networks._a4nt_parts import (
    PLACES_AT_ONCE,
    ROWS,
    BothWays,
    Floats,
    Integers,
    Lstm,
    Shape,
    Uniforms,
    Weights,
    checked,
    chosen_words,
    log_softmax,
    neighbours,
    padded,
    summary,
)
from allonym.networks.a4nt_substitutes import Substitutes
from allonym.sequences import END, PAD, START, UNKNOWN, Vocabulary

Sentence: TypeAlias = Sequence[int]

__all__ = ["FURTHER_WORDS", "KIND", "TRAINED_ON", "USER_TEXT", "VOCABULARY_FILE", "A4ntReader", "Shape"]

KIND = "a4nt"
VOCABULARY_FILE = "vocabulary.txt"
TRAINED_ON, USER_TEXT = "trained_on", "user text"  # in the configuration of a model that a user trained
BALANCE = 8.0  # of models that name none
FURTHER_WORDS = 2  # by which the paper's translator may be longer than the sentence it reads

_NEVER_WRITTEN = (PAD, START)
_IMPOSSIBLE = np.float32(-30.0)
_COST_OF_A_PLACE = 4096  # a place is a few large products, far dearer than what `in_threads` counts
_Result = TypeVar("_Result")


class _Decoder:
    """A decoder's weights."""

    def __init__(self, weights: Mapping[str, Floats], name: str, shape: Shape) -> None:
        self.reader: BothWays | Attention | None = None
        self.lstm: Lstm | None = None
        if shape.variant == "transformer":
            self.reader = Attention(weights, f"{name}.attention", 1)
        elif shape.in_place:
            self.reader = BothWays(weights, f"{name}.lstm")
        else:
            self.lstm = Lstm(weights, f"{name}.lstm")
        self.projection = np.ascontiguousarray(weights[f"{name}.projection.weight"].T)
        self.projection_bias = weights[f"{name}.projection.bias"]
        self.bias = weights[f"{name}.bias"].copy()
        self.bias[list(_NEVER_WRITTEN)] += _IMPOSSIBLE
        if shape.in_place:
            self.liking, self.liking_bias = weights[f"{name}.liking.weight"][0], weights[f"{name}.liking.bias"][0]


class A4ntReader:
    """A trained translator, and the classifier beside it that tells whose a sentence sounds; see `open`.

    Args:
        shape: Sizes of the networks.
        weights: Arrays by their names in the model file; int8 ones with their scales, by name and `.scale`.
        vocabulary: The tokens.
        classes: Names of the classes of writers, in order.
        of_user_text: Whether a user trained it on text of their own.
        balance: What similarity, from 0 to 1, weighs beside log-odds when a translation is chosen.

    Attributes:
        shape: As given.
        vocabulary: As given.
        classes: As given.
        of_user_text: As given.
        balance: As given.

    Raises:
        ModelError: The weights do not fit the shape, the classes or the vocabulary.
    """

    def __init__(
        self,
        shape: Shape,
        weights: Weights,
        vocabulary: Vocabulary,
        classes: Sequence[str],
        *,
        of_user_text: bool = False,
        balance: float = BALANCE,
    ) -> None:
        self.shape, self.vocabulary, self.classes = shape, vocabulary, tuple(classes)
        self.of_user_text, self.balance = of_user_text, balance
        plain = checked(shape, weights, vocabulary, self.classes)
        self._embedding = plain["translator.embedding.weight"]  # (V, E)
        self._columns = np.ascontiguousarray(self._embedding.T)  # (E, V)
        self._encoder: Attention | BothWays | Lstm = (
            Attention(plain, "translator.encoder", LAYERS)
            if shape.variant == "transformer"
            else BothWays(plain, "translator.encoder")
            if shape.in_place
            else Lstm(plain, "translator.encoder")
        )
        decoders = [f"translator.decoders.{row}" for row in range(shape.decoders)]
        self._decoders = [_Decoder(plain, name, shape) for name in decoders]
        self._told_sources, self._told_targets = (plain.get(f"translator.{n}.weight") for n in ("sources", "targets"))
        self._judge_embedding, self._judge = plain["judge.embedding.weight"], Lstm(plain, "judge.lstm")
        self._judge_output = np.ascontiguousarray(plain["judge.output.weight"].T)
        self._judge_bias = plain["judge.output.bias"]

    @classmethod
    def open(cls, model: str | os.PathLike[str]) -> A4ntReader:
        """Open a model folder, or a shipped model by its name, after checking every file of it.

        Raises:
            ModelError: The folder is missing, damaged, or no model of this kind.
        """
        found = models.verify(models.find(model))
        if found.config.get("kind") != KIND:
            raise ModelError(f"The model folder {found.folder} is not of the kind {KIND}: give one that is.")
        try:
            sizes = dict(found.config["shape"])
            judge = found.config["judge"]
            sizes |= {"judge_embedding": judge["embedding"], "judge_hidden": judge["hidden"]}
            sizes.setdefault("neutral", False)  # unknown to models of version 0.1
            shape = Shape(**{field.name: sizes[field.name] for field in fields(Shape)})
            classes = [str(name) for name in found.config["classes"]]
            balance = float(found.config.get("balance", BALANCE))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{found.folder / models.CONFIG} lacks sizes: make or fetch the folder again.") from error
        vocabulary = Vocabulary.load(found.folder / VOCABULARY_FILE)
        own = found.config.get(TRAINED_ON) == USER_TEXT
        return cls(shape, models.open_tensors(found), vocabulary, classes, of_user_text=own, balance=balance)

    def judged(self, sentences: Sequence[Sentence]) -> Floats:
        """Return the classifier's log-probability of each class for each sentence, B × C; none may be empty."""

        def judge(tokens: Integers, lengths: Integers, rows: Sequence[int]) -> list[Floats]:
            states = self._judge.run(self._judge_embedding[tokens], lengths)
            scores = summary(states, lengths) @ self._judge_output + self._judge_bias
            return list(log_softmax(scores))

        return np.array(self._in_blocks(sentences, judge), np.float32).reshape(-1, self.shape.classes)

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

        def draw(tokens: Integers, lengths: Integers, rows: Sequence[int]) -> Iterator[list[list[int]]]:
            numbers = uniforms[list(rows)]
            own = [sources[row] for row in rows]
            if self.shape.in_place:
                return self._edited(tokens, lengths, own, target, numbers, unknown, substitutes)
            return self._rewritten(tokens, lengths, own, target, numbers, unknown)

        return self._in_blocks(sentences, draw)

    def ratings(self, sentence: Sentence, source: int, target: int) -> Floats:
        """Return the editor's unnormalised log-probabilities of the words at each place, T × V."""
        tokens, lengths = padded([sentence])
        decoder = self._decoder(target)
        if len(sentence) > PLACES_AT_ONCE:
            raise ParameterError(f"A sentence must have at most {PLACES_AT_ONCE} tokens, got {len(sentence)}.")
        features, liking = self._features(tokens, lengths, [source], target)
        return self._rated(tokens[0, : lengths[0]], features[0, : lengths[0]], liking[0, : lengths[0]], decoder)

    def _in_blocks(
        self,
        sentences: Sequence[Sentence],
        work: Callable[[Integers, Integers, Sequence[int]], Sequence[_Result] | Iterator[_Result]],
    ) -> list[_Result]:
        """Do work on blocks of sentences of like length; return its results in the sentences' order."""
        for sentence in sentences:
            if not len(sentence) or not 0 <= min(sentence) <= max(sentence) < self.shape.words:
                raise ParameterError(f"A sentence must be numbers from 0 to {self.shape.words - 1}, at least one.")
        order = sorted(range(len(sentences)), key=lambda row: len(sentences[row]))
        blocks = [order[first : first + ROWS] for first in range(0, len(order), ROWS)]
        blocks = blocks[::2] + blocks[1::2]  # each core gets long sentences and short ones
        found: dict[int, _Result] = {}

        def do(part: Integers) -> None:
            for number in part:
                rows = blocks[number]
                tokens, lengths = padded([sentences[row] for row in rows])
                found.update(zip(rows, work(tokens, lengths, rows), strict=False))

        longest = len(sentences[order[-1]]) if order else 0
        acceleration.in_threads(do, len(blocks), ROWS * longest * _COST_OF_A_PLACE)
        return [found[row] for row in range(len(sentences))]

    def _decoder(self, target: int) -> _Decoder:
        return self._decoders[target if len(self._decoders) > 1 else 0]

    def _told(self, told: Floats, sources: Sequence[int], target: int) -> Floats:
        """Add to what the decoder is told, (B, …, 2H), from whom to whom it translates."""
        if self._told_sources is None or self._told_targets is None:
            return told
        rows = np.zeros(len(told), np.int64)
        rows[: len(sources)] = sources
        conditions = self._told_sources[rows] + self._told_targets[target]
        added: Floats = told + (conditions[:, None] if told.ndim == 3 else conditions)
        return added

    # The editor: ratings of all places at once, the same for all samples.

    def _features(
        self, tokens: Integers, lengths: Integers, sources: Sequence[int], target: int
    ) -> tuple[Floats, Floats]:
        """Return what the output layer sees, B × T × E, and the liking for the words that stand there, B × T."""
        decoder = self._decoder(target)
        states = self._encoder.run(self._embedding[tokens], lengths)
        if decoder.reader is None:
            raise ParameterError("Only an editor rates all places at once; draw from this model instead.")
        states = decoder.reader.run(self._told(states, sources, target), lengths)
        places = [np.ascontiguousarray(states[:, place]) for place in range(states.shape[1])]
        features = np.stack([place @ decoder.projection + decoder.projection_bias for place in places], axis=1)
        liking = np.stack([place @ decoder.liking + decoder.liking_bias for place in places], axis=1)
        return features, np.logaddexp(liking, np.float32(0))

    def _rated(self, tokens: Integers, features: Floats, liking: Floats, decoder: _Decoder) -> Floats:
        """Rate all words at some places, at most `PLACES_AT_ONCE`."""
        rated = self._products(features)
        rated += decoder.bias
        rated[np.arange(len(tokens)), tokens] += liking
        rated[tokens != UNKNOWN, UNKNOWN] += _IMPOSSIBLE
        return rated

    def _products(self, features: Floats) -> Floats:
        """Multiply by all words' embeddings; always as many rows, so that what a row gives depends on it alone."""
        full = np.zeros((PLACES_AT_ONCE, self.shape.embedding), np.float32)
        full[: len(features)] = features
        products: Floats = full @ self._columns
        return products[: len(features)]

    def _edited(
        self,
        tokens: Integers,
        lengths: Integers,
        sources: Sequence[int],
        target: int,
        uniforms: Uniforms,
        unknown: bool,
        substitutes: Substitutes | None,
    ) -> Iterator[list[list[int]]]:
        decoder = self._decoder(target)
        features, liking = self._features(tokens, lengths, sources, target)
        inside = np.arange(tokens.shape[1]) < lengths[: len(uniforms), None]  # (B, T)
        read = tokens[: len(uniforms)][inside]  # a row a place, and so below
        lefts, rights = (beside[: len(uniforms)][inside] for beside in neighbours(tokens, lengths))
        seen, liked = (array[: len(uniforms)][inside] for array in (features, liking))
        numbers = uniforms[:, :, : tokens.shape[1]].swapaxes(1, 2)[inside]  # (places, samples)
        chosen = np.empty(numbers.shape, np.int64)
        for first in range(0, len(read), PLACES_AT_ONCE):
            few = slice(first, first + PLACES_AT_ONCE)
            rated = self._rated(read[few], seen[few], liked[few], decoder)
            rated[:, list(_NEVER_WRITTEN)] = -np.inf
            rated[(read[few] != UNKNOWN) | (not unknown), UNKNOWN] = -np.inf
            if substitutes is not None:
                substitutes.prefer(rated, read[few], lefts[few], rights[few])
            chosen[few] = chosen_words(rated, numbers[few])
        for own in np.split(chosen, np.cumsum(lengths[: len(uniforms)])[:-1]):
            yield own.T.tolist()

    # The paper's: word by word, each sample on its own.

    def _rewritten(
        self,
        tokens: Integers,
        lengths: Integers,
        sources: Sequence[int],
        target: int,
        uniforms: Uniforms,
        unknown: bool,
    ) -> Iterator[list[list[int]]]:
        states = self._encoder.run(self._embedding[tokens], lengths)
        vectors = self._told(summary(states, lengths), sources, target)  # (B, 2H)
        steps = lengths + FURTHER_WORDS
        samples = uniforms.shape[1]
        written = iter(
            self._written(
                np.repeat(vectors[: len(uniforms)], samples, axis=0),
                np.repeat(steps[: len(uniforms)], samples),
                uniforms.reshape(-1, uniforms.shape[2]),
                self._decoder(target),
                unknown,
            )
        )
        for _ in uniforms:
            yield [next(written) for _ in range(samples)]

    def _written(
        self, vectors: Floats, steps: Integers, uniforms: Uniforms, decoder: _Decoder, unknown: bool
    ) -> list[list[int]]:
        """Write one sentence for each vector, of at most so many steps."""
        if decoder.lstm is None:
            raise ParameterError("The editor does not write word by word.")
        never = [*_NEVER_WRITTEN] if unknown else [*_NEVER_WRITTEN, UNKNOWN]
        written: list[list[int]] = [[] for _ in vectors]
        for first in range(0, len(vectors), PLACES_AT_ONCE):
            going = np.arange(first, min(first + PLACES_AT_ONCE, len(vectors)))
            told = np.zeros((PLACES_AT_ONCE, vectors.shape[1]), np.float32)
            told[: len(going)] = vectors[going]
            state, cell = np.zeros((2, PLACES_AT_ONCE, decoder.lstm.size), np.float32)
            word = np.full(PLACES_AT_ONCE, START)
            for step in range(int(steps[going].max())):
                decoder.lstm.step(np.concatenate([told, self._embedding[word]], axis=1), state, cell)
                seen = state @ decoder.projection + decoder.projection_bias
                rated = self._products(seen[going - first])
                rated += decoder.bias
                rated[:, never if step else [*never, END]] = -np.inf  # what would be empty has a word after all
                chosen = chosen_words(rated, uniforms[going, step, None])[:, 0]
                on = (chosen != END) & (steps[going] > step)
                going, chosen = going[on], chosen[on]
                word[going - first] = chosen
                for row, number in zip(going.tolist(), chosen.tolist(), strict=True):
                    written[row].append(number)
                if not len(going):
                    break
        return written
