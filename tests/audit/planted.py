"""Bugs planted in methods as they are shipped: each loses without bound, and leaves the price as it is."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import sparse

from allonym.anonymizers import base
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.syntf.counts import draw_words
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.language import words as reading
from allonym.language.sequences import END
from allonym.mechanisms import Exponential, Subset, TwoSet, subset, two_set
from allonym.randomness import DocumentStreams, insecure

HONEST: dict[str, Callable[[], Anonymizer]] = {
    "syntf": SynTF,
    "laplace": lambda: WordLaplace(epsilon=30.0),
    "exponential": lambda: WordExponential(epsilon=10.0),
    "texts": lambda: WordLaplace(epsilon=30.0, order="text"),
    "erae": ERAE,
    "random": RandomReplacement,
}


@cache
def shipped(name: str) -> Anonymizer:
    """Return a method as it is shipped, with what is costly to make already made."""
    method = HONEST[name]()
    method.guarantee()
    return method


def broken(name: str, **methods: object) -> Anonymizer:
    """Return a method as it is shipped, but for these methods of its class."""
    honest = shipped(name)
    mutant = copy.copy(honest)
    mutant.__class__ = type(type(honest).__name__, (type(honest),), methods)
    return mutant


def words(document: str) -> list[str]:
    return reading.words(document)


# --- syntf --------------------------------------------------------------------------------------------------------


def synthesised(self, texts, streams, substitutes):
    rows = sparse.csr_array(
        (
            np.ones(substitutes.size, np.int64),
            substitutes.ravel(),
            np.arange(0, substitutes.size + 1, substitutes.shape[1]),
        ),
        shape=(len(texts), len(self.vocabulary_)),
    )
    rows.sum_duplicates()
    return rows


def never_the_original(self, texts, streams):
    drawn = draw_words(self.compositions(texts), self.words, streams)
    substitutes = self.mechanism_.draw(drawn, streams)
    while (substitutes == drawn).any():
        substitutes = np.where(substitutes == drawn, self.mechanism_.draw(drawn, streams), substitutes)
    return synthesised(self, texts, streams, substitutes)


def the_next_word_for_the_original(self, texts, streams):
    drawn = draw_words(self.compositions(texts), self.words, streams)
    substitutes = self.mechanism_.draw(drawn, streams)
    substitutes = np.where(substitutes == drawn, (substitutes + 1) % len(self.vocabulary_), substitutes)
    return synthesised(self, texts, streams, substitutes)


def own_first_term_counted(self, texts, streams):
    counts = SynTF._anonymize(self, texts, streams).toarray()
    column = {term: place for place, term in enumerate(self.vocabulary_)}
    for row, text in enumerate(texts):
        known = [column[term] for term in self._terms(text) if term in column]
        if known:
            counts[row, counts[row].argmax()] -= 1
            counts[row, known[0]] += 1
    return sparse.csr_array(counts)


def empty_is_special(self, texts, streams):
    counts = SynTF._anonymize(self, texts, streams).toarray()
    counts[[not text for text in texts]] = 0
    return sparse.csr_array(counts)


def no_known_word_is_special(self, texts, streams):
    counts = SynTF._anonymize(self, texts, streams).toarray()
    counts[np.asarray(self.compositions(texts).sum(axis=1)).ravel() == 0] = 0
    return sparse.csr_array(counts)


def unknown_words_modulo(divisor):
    def counted(self, texts, streams):
        counts = SynTF._anonymize(self, texts, streams).toarray()
        known = set(self.vocabulary_)
        unknown = [sum(term not in known for term in self._terms(text)) for text in texts]
        counts[:, 0] += np.array(unknown) % divisor == 1
        return sparse.csr_array(counts)

    return counted


def rows_share(step, apart):
    """Rows i and i + apart share noise, of every `step` rows."""

    def shared(cls):
        def _anonymize(self, texts, streams):
            nonces = streams._nonces.copy()
            for row in range(apart, len(nonces), step):
                nonces[row] = nonces[row - apart]
            streams._nonces = nonces
            return cls._anonymize(self, texts, streams)

        return _anonymize

    return shared


def last_two_terms_are_counted(self, texts, streams):
    """An index off by two: the last terms of the vocabulary are counted as they are."""
    counts = SynTF._anonymize(self, texts, streams).toarray()
    counts[:, -2:] += self.compositions(texts).toarray()[:, -2:]
    return sparse.csr_array(counts)


def positions_begin_anew(monkeypatch, after):
    """Rows are counted in a number that is too small."""
    real = DocumentStreams.__init__

    def made(self, key, digests, start, *, repeatable):
        real(self, key, digests, start % after, repeatable=repeatable)

    monkeypatch.setattr(DocumentStreams, "__init__", made)


def more_words_drawn_than_stated(self, texts, streams):
    wide = copy.copy(self)
    wide.words = self.words + 1
    return SynTF._anonymize(wide, texts, streams)


def twice_the_epsilon(self, texts, streams):
    other = copy.copy(self)
    other.__class__ = SynTF
    other.epsilon, other._mechanism_for = 2 * self.epsilon, None
    return SynTF._anonymize(other, texts, streams)


def remembers(self, texts, streams):
    """The same text a second time gets the noise of the first."""
    known = self.__dict__.setdefault("_remembered", {})
    key = tuple(texts)
    if key not in known:
        known[key] = SynTF._anonymize(self, texts, streams)
    return known[key]


# --- words --------------------------------------------------------------------------------------------------------


def written(change):
    """The honest texts, changed by a function of (output, document)."""

    def made(cls):
        def _anonymize(self, texts, streams):
            outputs = cls._anonymize(self, texts, streams)
            return [change(self, output, text) for output, text in zip(outputs, texts, strict=True)]

        return _anonymize

    return made


def bags(change):
    """The honest bags of words, changed likewise."""

    def _anonymize(self, texts, streams):
        outputs = WordExponential._anonymize(self, texts, streams)
        pairs = zip(outputs, texts, strict=True)
        return [change(self, " ".join(output), text).split() for output, text in pairs]

    return _anonymize


def copies_a_blank_line(_, output, text):
    return f"\n\n{output}" if "\n\n" in text else output


def copies_the_end(_, output, text):
    return output + text[len(text.rstrip()) :]


def copies_a_capital(_, output, text):
    return output.capitalize() if text[:1].isupper() else output


def copies_digits(_, output, text):
    return output + "".join(sign for sign in text if sign.isdigit())


def counts_paragraphs(_, output, text):
    return " ".join([output, *["water"] * (text.count("\n\n") // 3)])


def copies_spaces_at_the_end(_, output, text):
    return output + " " * (len(text) - len(text.rstrip(" ")))


def notices_a_title(_, output, text):
    inside = [word for word in text.split()[1:] if word.istitle()]
    return output.capitalize() if len(inside) == 1 else output


def notices_a_party(_, output, text):
    return f"{output} water" if "\N{PARTY POPPER}" in text else output


def copies_a_date(_, output, text):
    return " ".join([output, *re.findall(r"\b\d{1,2}/\d{1,2}/\d{4}\b", text)])


def copies_a_rare_letter(_, output, text):
    return output + "".join(sign for sign in text if sign in "\N{LATIN SMALL LETTER THORN}\N{LATIN SMALL LETTER ETH}")


def keeps_the_last_two_of_the_vocabulary(self, output, text):
    """An index off by two: what stands at the end of the table is passed as it is."""
    kept = [word for word in text.split() if word in self.audited().words[-2:]]
    return " ".join([*kept, *output.split()[len(kept) :]])


def keeps_the_last_word(self, output, text):
    own = self.words_of(text)
    return " ".join([*output.split()[:-1], own[-1]]) if own else output


def keeps_the_first_word_of_long_texts(self, output, text):
    own = self.words_of(text)
    return " ".join([own[0], *output.split()[1:]]) if len(own) > 500 else output


def a_word_for_odd_unknowns(self, output, text):
    unknown = [word for word in words(text) if word.lower() not in self.table_]
    return [*output, self.table_.words[0]] if len(unknown) % 2 else output


def passes_the_stand_in(self, document):
    rows = self.table_.rows([word.lower() for word in words(document)])
    return rows[rows >= 0]


def one_draw_for_each_word(self, rows, lengths, streams):
    found = WordLaplace._substitutes(self, rows, lengths, streams)
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    return found[first][inverse]


def noise_by_first_letter(self, texts, streams):
    streams._nonces = streams._nonces_of((text[:1] or " ").encode("utf-8", "replace") for text in texts)
    return WordLaplace._anonymize(self, texts, streams)


def noise_of_its_own(self, rows, lengths, streams):
    """A generator of its own, seeded by the length."""
    numbers = insecure(len(rows)).centred((len(rows), self.mechanism_.numbers_per_point))
    return self.table_.nearest(self.mechanism_.perturb(self.table_.vectors[rows], numbers))[:, 0]


# --- er-ae --------------------------------------------------------------------------------------------------------


def nothing_past_the_end(self, block, streams):
    features = self.network_.features(block, self.words)
    for row, sentence in enumerate(block):
        steps = min(len(sentence) + 1, self.words)
        rated = self._way.rated(features[row, :steps])[None, :-1]
        [numbers] = self.mechanism_.draw(rated, streams.part(row, row + 1))
        yield self._written(numbers)


def cut_at_the_end(self, block, streams):
    for numbers, sentence in zip(ERAE._numbers(self, block, streams), block, strict=True):
        yield numbers[: len(sentence)]


def end_where_it_ends(self, block, streams):
    """The end is taken for sure where the text ends, though it was drawn otherwise."""
    for numbers, sentence in zip(ERAE._numbers(self, block, streams), block, strict=True):
        yield numbers[: len(sentence)] if len(sentence) == 2 else numbers


def as_many_sentences_as_there_are(self, text):
    return [sentence for sentence in ERAE._sentences(self, text) if sentence] or [[]]


def sentences_share_noise(self, texts, streams):
    real = streams.segments

    def segments(counts, size):
        made = real(counts, size)
        start = 0
        nonces = made._nonces.copy()
        for count in counts:
            nonces[start + 1 : start + 2] = nonces[start : start + 1]
            start += count
        made._nonces = nonces
        return made

    streams.segments = segments
    return ERAE._anonymize(self, texts, streams)


def best_guess_first(self, block, streams):
    """The first word of every sentence is the network's best guess, not a draw."""
    features = self.network_.features(block, 1)
    best = self.network_.probabilities(features).argmax(axis=-1)[:, 0]
    for numbers, first in zip(ERAE._numbers(self, block, streams), best.tolist(), strict=True):
        yield [first, *numbers[1:]] if first != END else numbers


# --- mechanisms ---------------------------------------------------------------------------------------------------


def off_by_one(monkeypatch):
    """Of the items outside the candidates, the last is never drawn, and the first twice as often."""
    for module in (two_set, subset):
        real = module.item_outside
        changed = lambda *given, real=real: real(*given[:-1], np.maximum(given[-1] - 1, 0))  # noqa: E731
        monkeypatch.setattr(module, "item_outside", changed)


def one_too_far(monkeypatch):
    """Of the items outside the candidates, the first is never drawn, and the one after the last is none."""
    for module in (two_set, subset):
        real = module.item_outside
        monkeypatch.setattr(module, "item_outside", lambda *given, real=real: real(*given[:-1], given[-1] + 1))


def never_the_most_frequent(monkeypatch):
    for kind, name in ((Exponential, "draw"), (TwoSet, "draw"), (Subset, "draw"), (Subset, "draw_among")):
        real = getattr(kind, name)

        def draw(self, inputs, rng, real=real, **named):
            outputs = real(self, inputs, rng, **named)
            return np.where(outputs == 4, 5, outputs)

        monkeypatch.setattr(kind, name, draw)


def redrawn_in_the_mechanism(monkeypatch):
    real = Exponential.draw

    def draw(self, inputs, rng):
        outputs = real(self, inputs, rng)
        while (outputs == inputs).any():
            outputs = np.where(outputs == inputs, real(self, inputs, rng), outputs)
        return outputs

    monkeypatch.setattr(Exponential, "draw", draw)


def neighbours_share_words(monkeypatch):
    """Two rows of one draw use the same random words, though the stream has others for them."""
    real = Exponential.draw

    class Shared:
        def __init__(self, rng):
            self.rng = rng

        def lanes(self, shape):
            lanes = self.rng.lanes(shape)

            def lane(number, where=None):
                words = lanes(number).copy()
                words[1::2] = words[0 : 2 * (len(words) // 2) : 2]
                return words if where is None else words.ravel()[where]

            return lane

    monkeypatch.setattr(Exponential, "draw", lambda self, inputs, rng: real(self, inputs, Shared(rng)))


def noise_by_length(monkeypatch):
    real = base.digest
    monkeypatch.setattr(base, "digest", lambda text: real(str(len(text))))


def noise_by_words(monkeypatch):
    real = base.digest
    monkeypatch.setattr(base, "digest", lambda text: real(" ".join(sorted(text.lower().split()))))
