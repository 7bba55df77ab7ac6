"""A4NT: text rewritten in the style of another age, gender or speaker. Nothing is promised; attacks are measured.

Shetty, Schiele and Fritz, "A4NT: Author Attribute Anonymity by Adversarial Training of Neural Machine Translation",
USENIX Security 2018.

A network translates sentences from one class of writers to another, trained until a classifier took the translations
for the target's. A model folder holds the translator and a classifier, the judge, which has seen real text only.

How a document is rewritten:

1. It is split into sentences; numbers, and in models for speeches names, become classes (`language.masked_sentences`).
2. The judge adds up what the sentences tell and so finds the source class, unless it is given. A document of the target
   class is left alone. So is a sentence that the judge gives to the target already (how surely, depends on what is
   preferred; for the meaning's sake, also one it cannot place), and one of mostly unknown words (another language).
3. Of each other sentence there are several translations: the network's likeliest, and others drawn from its law, which
   is bent towards words of like meaning that fit between their neighbours (`Substitutes`, for editors; the paper has
   nothing of the kind). Of these and the sentence itself the one is taken for which log-odds of the target + weight ×
   similarity + another weight × fluency is largest. Over a document this gains most for what it costs: an attacker adds
   up what the sentences tell.
   A *neutral* model imitates nobody: it is told nothing of the writer, rewrites every sentence it can read, and of its
   translations those count that leave the judge undecided. Its output can tell an attacker no more than the text did.
4. All sentences are written in one way, from their tokens: spacing, and the case of known words, tell nothing of which
   were left alone. Numbers and names are put back.

Where this differs from the paper, and why:
- Its figure 6 chooses among five samples by METEOR. Here choosing is part of the method, by word vectors and the judge.
- It rewrites every sentence. Its networks learn to leave ambiguous ones alone (section 5.1.2); here that is a rule.
- It leaves a token in the place of unknown words. Here these stay where they are, or, if the network writes anew, where
  it writes the token; unless privacy is preferred: then the network must choose known words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.anonymizers.a4nt.styles import SHIPPED, sliders
from allonym.anonymizers.a4nt.wording import UNIT, Wording
from allonym.anonymizers.base import Anonymizer, cached_names, check_whole
from allonym.anonymizers.offers import Offer
from allonym.arithmetic import LN2, logarithm, power_of_two
from allonym.errors import ParameterError
from allonym.language import entities, masked_sentences
from allonym.language.masked_sentences import LONGEST_PIECE, MaskedSentence
from allonym.language.sequences import END, SPECIAL, UNKNOWN
from allonym.language.words import checked_texts, digest
from allonym.networks.a4nt.inference import FURTHER_WORDS, NEUTRAL, A4ntReader
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import Habit
from allonym.randomness import DocumentStreams, secure

Floats = NDArray[np.float32]

AUTO: Final = "auto"
REASONS: Final = (
    "this method has no proof, only measured attacks",
    "an attacker who learns from rewritten text, or one it was not measured against, may still succeed",
)
OWN_TEXT: Final = "the model was trained on its user's own text, and what it writes can reveal some of that text"
# The target's probability from which the judge makes us leave a sentence as it is.
LEFT_ALONE: Final = {"meaning": 0.5, "balanced": 0.8, "privacy": 0.95}
LIKELIEST: Final = -1.0  # asks the network for its likeliest word, where a uniform number asks for one drawn with it
_MOST_CANDIDATES: Final = 100
# What similarity, from 0 to 1, weighs beside log-odds: times the model's own balance, which its card tells.
MEANING_WEIGHT: Final = {"meaning": 1.5, "balanced": 1.0, "privacy": 0.0}
# What the sentence's log-likelihood, by pairs of words, weighs beside log-odds.
FLUENCY_WEIGHT: Final = 0.1
_SURE: Final = 1 - 1e-6
_MOST_UNKNOWN: Final = 0.5  # of a sentence's tokens; beyond, the network has nothing to go by
_PLACES: Final = LONGEST_PIECE + FURTHER_WORDS
_SENTENCES_AT_ONCE: Final = 1024
# How much nearness in meaning counts where a word changes; little where style counts, as validation documents showed.
_NEARNESS: Final = {"meaning": 20.0, "balanced": 2.0, "privacy": 2.0}


@dataclass(frozen=True)
class _Sentence:
    """A piece of a document as the network reads it."""

    piece: MaskedSentence
    ids: list[int]

    @property
    def readable(self) -> bool:
        return self.ids.count(UNKNOWN) <= _MOST_UNKNOWN * len(self.ids)


@dataclass(kw_only=True, eq=False, repr=False)
class A4NT(Anonymizer):
    """Rewrites texts in the style of another class of writers.

    Privacy: none is promised; only measured attacks speak for it.

    Args:
        model: A shipped model ("age", "gender", "speech") or a folder.
        target: The class to sound like, by the model's name for it, such as "adult"; with a neutral model, "neutral".
        source: The class that wrote the texts, or "auto" to let the model's classifier decide for each.
        prefer: Which translation to choose: nearest in meaning, most like the target, or both.
        candidates: Translations of each sentence to choose from.
        placeholders: Write `[number]`, `[person]` and the like in place of numbers and names.
    """

    method = "a4nt"

    model: str
    target: str
    source: str = AUTO
    prefer: Literal["balanced", "meaning", "privacy"] = "balanced"
    candidates: int = 20
    placeholders: bool = False

    def _check(self) -> None:
        super()._check()
        for name in ("model", "target", "source"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise ParameterError(f"{name} must be a name, got {getattr(self, name)!r}.")
        check_whole("candidates", self.candidates, _MOST_CANDIDATES)
        if not isinstance(self.placeholders, bool | np.bool_):
            raise ParameterError(f"placeholders must be true or false, got {self.placeholders!r}.")

    @cached_property
    def network_(self) -> A4ntReader:
        """The translator and its judge."""
        shipped = SHIPPED + self.model
        network = A4ntReader.open(shipped if shipped in models.shipped() else self.model)
        if network.shape.neutral:
            if (self.target, self.source) != (NEUTRAL, AUTO):
                raise ParameterError(
                    f"This model hides who wrote and imitates nobody: give the target {NEUTRAL!r} and no source."
                )
            return network
        for name in {self.target, self.source} - {AUTO}:
            if name not in network.classes:
                *others, last = network.classes
                raise ParameterError(f"This model knows {', '.join(others)} and {last}; choose one, not {name!r}.")
        if self.target == AUTO or self.source == self.target:
            raise ParameterError(
                f"The target must be one of {', '.join(network.classes)} and not the source; choose another."
            )
        return network

    @cached_property
    def _wording(self) -> Wording:
        return Wording(self.network_.vocabulary.tokens, _NEARNESS[self.prefer])

    @property
    def _reads_names(self) -> bool:
        return not set(entities.LABELS).isdisjoint(self.network_.vocabulary.tokens)

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return a guarantee of nothing, with the reason and what of the text is copied."""
        copied = {Habit.ROUGH_SENTENCE_LENGTHS, Habit.MOST_WORDS_AND_MARKS}
        if not self.network_.shape.neutral:
            copied.add(Habit.SENTENCES_LIKE_THE_TARGETS)
        if not self.placeholders:
            copied.add(Habit.NUMBERS_AND_NAMES if self._reads_names else Habit.NUMBERS)
        if self.prefer != "privacy":
            copied.add(Habit.UNKNOWN_WORDS)
        reasons = (*REASONS, OWN_TEXT) if self.network_.of_user_text else REASONS
        return accounting.nothing(reasons=reasons, documents=documents, copies=copied)

    def offers(self) -> tuple[Offer, ...]:
        """Offer the styles of the shipped models."""
        gives = "your sentences as another group might put them"
        return (Offer("style", "Another group’s style", gives, sliders, proved=False),)

    def __getstate__(self) -> dict[str, object]:
        # Read again where they are needed: copies in every worker's mail would be megabytes.
        cached = cached_names(type(self))
        return {name: value for name, value in vars(self).items() if name not in cached}

    def samples(self, texts: Sequence[str], n: int = 5) -> list[list[str]]:
        """Return n rewritten forms of each text, to look at; which sentences to rewrite is decided as in `transform`.

        Each form takes one translation of every sentence, the first the likeliest ones, and chooses none.
        """
        check_whole("n", n, _MOST_CANDIDATES)
        documents = checked_texts(texts)
        streams = secure().documents([digest(text) for text in documents])
        read = [self._read(text) for text in documents]
        translated = self._translated(read, streams, n)
        return [
            [self._written(sentences, [forms[min(row, len(forms) - 1)] for forms in versions]) for row in range(n)]
            for sentences, versions in zip(read, translated, strict=True)
        ]

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        read = [self._read(text) for text in texts]
        translated = self._translated(read, streams, self.candidates)
        flat = [
            (sentence.ids, forms)
            for pair in zip(read, translated, strict=True)
            for sentence, forms in zip(*pair, strict=True)
        ]
        chosen = iter(self._chosen(flat))
        return [self._written(sentences, [next(chosen) for _ in sentences]) for sentences in read]

    def _read(self, text: str) -> list[_Sentence]:
        pieces = masked_sentences.sentences(text, names=self._reads_names)
        return [_Sentence(piece, self.network_.vocabulary.ids(piece.tokens)) for piece in pieces]

    def _translated(
        self, documents: Sequence[list[_Sentence]], streams: DocumentStreams, count: int
    ) -> list[list[list[list[int]]]]:
        """Return for each sentence of each document its translations, or itself alone if it is left as it is."""
        flat = [sentence for document in documents for sentence in document]
        translations = [[sentence.ids] for sentence in flat]
        sources = self._sources(documents, flat)
        of_sentences = streams.segments([len(document) for document in documents], 1)
        for start in range(0, len(flat), _SENTENCES_AT_ONCE):
            block = range(start, min(start + _SENTENCES_AT_ONCE, len(flat)))
            rewritten = {row: source for row in block if (source := sources[row]) is not None}
            numbers = uniforms(of_sentences.part(block.start, block.stop).words((len(block), count, _PLACES)))
            numbers[:, 0] = LIKELIEST
            drawn = self.network_.drawn(
                [flat[row].ids for row in rewritten],
                list(rewritten.values()),
                self._target,
                numbers[[row - start for row in rewritten]],
                unknown=self.prefer != "privacy",
                substitutes=self._wording.substitutes,
            )
            for row, samples in zip(rewritten, drawn, strict=True):
                translations[row] = [self._cleaned(flat[row].ids, sample) for sample in samples]
        rest = iter(translations)
        return [[next(rest) for _ in document] for document in documents]

    @property
    def _target(self) -> int:
        """The number of the class that is imitated; 0 where none is."""
        return 0 if self.network_.shape.neutral else self.network_.classes.index(self.target)

    def _sources(self, documents: Sequence[list[_Sentence]], flat: Sequence[_Sentence]) -> list[int | None]:
        """Return whose each sentence is; None for those that are left alone."""
        network, target = self.network_, self._target
        if network.shape.neutral:  # whose it is plays no part, or the output would tell more than the text
            return [0 if sentence.readable else None for sentence in flat]
        judged = network.judged([sentence.ids for sentence in flat])
        score = np.rint(judged / UNIT).astype(np.int64)
        alone = logarithm(np.array(LEFT_ALONE[self.prefer]))
        readable = np.array([sentence.readable for sentence in flat], dtype=bool)
        sources: list[int | None] = []
        for document in documents:
            here = slice(len(sources), len(sources) + len(document))
            total = score[here][readable[here]].sum(axis=0)
            source = int(total.argmax()) if self.source == AUTO else network.classes.index(self.source)
            rewritten = readable[here] & (judged[here, target] < alone) & (source != target)
            sources += [source if yes else None for yes in rewritten]
        return sources

    def _cleaned(self, original: list[int], sample: list[int]) -> list[int]:
        """Return a translation's words; the editor's unknown ones stay in their places unless privacy is preferred."""
        in_place = self.network_.shape.in_place and self.prefer != "privacy"
        if in_place:
            sample = [UNKNOWN if old == UNKNOWN else new for old, new in zip(original, sample, strict=True)]
        return [word for word in sample if word != END] or original

    def _chosen(self, flat: Sequence[tuple[list[int], list[list[int]]]]) -> list[list[int]]:
        """Choose one form of each sentence: itself or one of its translations."""
        choices = [self._choices(original, forms) for original, forms in flat]
        counts = [len(forms) if len(forms) > 1 else 0 for forms in choices]
        several = [form for forms in choices if len(forms) > 1 for form in forms]
        scores = np.split(self.network_.judged(several), np.cumsum(counts)[:-1]) if flat else []
        return [
            forms[self._best(original, forms, rated)] if count else forms[0]
            for (original, _), forms, count, rated in zip(flat, choices, counts, scores, strict=True)
        ]

    def _choices(self, original: list[int], forms: list[list[int]]) -> list[list[int]]:
        """Return the sentence itself, unless that keeps unknown words that must go, and its translations, each once."""
        goes = self.prefer == "privacy" and UNKNOWN in original and forms != [original]
        return list({tuple(form): form for form in ([] if goes else [original]) + forms}.values())

    def _best(self, original: list[int], forms: Sequence[list[int]], judged: Floats) -> int:
        """Return which form gains most: a weight of 0 asks for the target's style whatever becomes of the meaning."""
        alike = self._wording.similarities(original, forms)
        fluency = len(original) * self._wording.pairs.log_likelihoods(forms)  # of as many words: none gains by leaving
        weight = MEANING_WEIGHT[self.prefer] * self.network_.balance
        return int((self._gains(judged) + weight * alike + FLUENCY_WEIGHT * fluency).argmax())

    def _gains(self, judged: Floats) -> NDArray[np.floating[Any]]:
        """Return log-odds of the target; of a neutral model, how little the judge is sure of any class."""
        if self.network_.shape.neutral:
            least: Floats = judged.min(axis=1) - judged.max(axis=1)
            return least
        target = judged[:, self._target].astype(np.float64)
        return target - logarithm(1 - np.minimum(power_of_two(target / LN2), _SURE))

    def _written(self, sentences: Sequence[_Sentence], translations: Sequence[list[int]]) -> str:
        """Write a document: pieces of one sentence together, unknown words as they were."""
        written: list[str] = []
        forms: list[str] = []
        originals: dict[str, list[str]] = {}
        followed = [sentence.piece.continues for sentence in sentences[1:]]
        for sentence, words, more in zip(sentences, translations, [*followed, False], strict=False):
            unknown = (
                token for token, number in zip(sentence.piece.tokens, sentence.ids, strict=True) if number == UNKNOWN
            )
            tokens = (next(unknown, "") if word == UNKNOWN else self.network_.vocabulary.forms[word] for word in words)
            forms += [token for token in tokens if token and token not in SPECIAL]
            for name, stood in sentence.piece.originals.items():
                originals.setdefault(name, []).extend(stood)
            if not more:
                written.append(masked_sentences.write(forms, originals, placeholders=bool(self.placeholders)))
                forms, originals = [], {}
        return " ".join(line for line in written if line)


def uniforms(words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return a number from 0 up to 1 for each random word, of its first 53 bits."""
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


EXAMPLE = A4NT(model="age", target="adult", candidates=2)
