"""Same-author verification: how likely it is that two texts have one author.

Two texts are compared in several ways, and a logistic regression learns from pairs of a reference collection what each
likeness is worth. The reference need not hold either author: what is learned is how alike two texts of one writer are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from allonym.attackers.features import TOKEN, Features, NGrams, without_words
from allonym.errors import InputError, ModelError, ParameterError
from allonym.language.stop_words import STOP_WORDS
from allonym.language.words import checked_texts
from allonym.metrics import scoring
from allonym.metrics.figures import Figure
from allonym.randomness import Rng, insecure
from allonym.recognition.reliability import count_words

_FORMAT = "allonym verifier 1"
_FILES = ("verifier.json", "weights.safetensors")
_COLUMNS = 20_000  # of each kind of n-gram
_TEXTS_OF_AN_AUTHOR = 40  # that are paired
_MOST_TEXTS = 2_000  # two million pairs to choose from

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


@dataclass(frozen=True)
class Verification:
    """How well a verifier did on pairs.

    Attributes:
        accuracy: Share of pairs rightly called same or different, at a probability of one half.
        area_under_curve: Probability that a pair of one author looks more alike than a pair of two.
        pairs: How many pairs, half of them of one author.
    """

    accuracy: Figure
    area_under_curve: float
    pairs: int

    def to_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


@dataclass
class _Likeness:
    """One way to compare texts: the cosine of their features once what all texts share is taken off."""

    features: Features
    centre: Floats = field(default_factory=lambda: np.zeros(0))
    per_spread: Floats = field(default_factory=lambda: np.zeros(0))


class Verifier:
    """Tells how likely it is that two texts have one author.

    Likenesses: cosines of character 3–4-grams, of word and punctuation 1–2-grams, of function words, of punctuation
    with words masked; and how unequal the lengths are. Each cosine is taken after the mean of the reference texts has
    been subtracted, since what everybody does says nothing about anyone; function words are divided by their spread
    too (cosine Delta, Smith and Aldridge 2011).

    Spends no privacy. What it learned holds n-grams of the reference texts.

    Args:
        pairs: How many pairs to learn from, half of them of one author; fewer if there are fewer.
        seed: Fixes which pairs are drawn.
    """

    def __init__(self, *, pairs: int = 4_000, seed: int = 0) -> None:
        if not pairs >= 2:
            raise ParameterError(f"pairs must be at least 2, got {pairs}.")
        self.pairs = pairs
        self.seed = seed

    def fit(self, texts: Sequence[str], authors: Sequence[object], sources: Sequence[int] | None = None) -> Self:
        """Learn what likeness is worth.

        Args:
            texts: Reference texts, best about as long as those to be compared.
            authors: The author of each; two at least, one of them with two texts.
            sources: Number of the document each text was cut from; parts of one document are not paired, if the author
                has others, because a common topic would pass for a common author.
        """
        from sklearn.linear_model import LogisticRegression

        documents = checked_texts(texts)
        pairs, same = draw_pairs(authors, self.pairs, insecure(self.seed), sources)
        self._likenesses = _likenesses()
        for likeness in self._likenesses:
            values = likeness.features.fit(documents).transform(documents)
            likeness.centre = np.asarray(values.mean(axis=0), dtype=np.float64).ravel()
            likeness.per_spread = np.ones_like(likeness.centre)
        function_words = self._likenesses[-1]
        spread = function_words.features.transform(documents).toarray().std(axis=0)
        function_words.per_spread = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
        compared = self._compared(documents, pairs)
        self._mean = compared.mean(0)
        deviation = compared.std(0)
        self._scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
        model = LogisticRegression(C=1.0, max_iter=1_000).fit((compared - self._mean) * self._scale, same)
        self._weights = model.coef_[0].astype(np.float64)
        self._constant = float(model.intercept_[0])
        return self

    def probability(self, first: str, second: str) -> float:
        """Return how likely it is, between 0 and 1, that both texts have one author (equally likely beforehand)."""
        return float(self.probabilities([first, second], np.array([[0, 1]]))[0])

    def probabilities(self, texts: Sequence[str], pairs: Pairs) -> Floats:
        """Return the probability for each pair of positions in `texts`."""
        if not hasattr(self, "_weights"):
            raise InputError("The verifier has learned nothing yet; call fit(texts, authors) first.")
        compared = (self._compared(checked_texts(texts), pairs) - self._mean) * self._scale
        shares: Floats = 1 / (1 + np.exp(-np.clip(compared @ self._weights + self._constant, -500, 500)))
        return shares

    def evaluate(
        self,
        texts: Sequence[str],
        authors: Sequence[object],
        *,
        pairs: int = 2_000,
        seed: int = 1,
        sources: Sequence[int] | None = None,
    ) -> Verification:
        """Measure on pairs of other authors than those learned from.

        Args:
            texts: Test texts.
            authors: The author of each.
            pairs: How many pairs to draw, half of them of one author.
            seed: Fixes which.
            sources: As for `fit`.
        """
        from sklearn.metrics import roc_auc_score

        drawn, same = draw_pairs(authors, pairs, insecure(seed), sources)
        probabilities = self.probabilities(texts, drawn)
        return Verification(
            scoring.bootstrap((probabilities > 0.5) == same), float(roc_auc_score(same, probabilities)), len(same)
        )

    def save(self, folder: str | Path) -> None:
        """Write what was learned to a folder as JSON and safetensors; treat it like the reference texts."""
        from safetensors.numpy import save_file

        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        states = [likeness.features.state() for likeness in self._likenesses]
        content = {"format": _FORMAT, "pairs": self.pairs, "seed": self.seed, "features": states}
        (path / _FILES[0]).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        arrays = {"mean": self._mean, "scale": self._scale, "weights": self._weights}
        arrays["constant"] = np.array([self._constant])
        for number, likeness in enumerate(self._likenesses):
            arrays |= {f"centre_{number}": likeness.centre, f"per_spread_{number}": likeness.per_spread}
        save_file(arrays, path / _FILES[1])

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        path = Path(folder)
        try:
            content = json.loads((path / _FILES[0]).read_text("utf-8"))
            if content["format"] != _FORMAT:
                raise ModelError("The saved verifier has a format this version does not know; train it again.")
            arrays = load_file(path / _FILES[1])
            verifier = cls(pairs=content["pairs"], seed=content["seed"])
            verifier._likenesses = _likenesses()
            for number, (likeness, state) in enumerate(zip(verifier._likenesses, content["features"], strict=True)):
                likeness.features.restore(state)
                likeness.centre, likeness.per_spread = arrays[f"centre_{number}"], arrays[f"per_spread_{number}"]
            verifier._mean, verifier._scale, verifier._weights = (arrays[k] for k in ("mean", "scale", "weights"))
            verifier._constant = float(arrays["constant"][0])
        except (OSError, KeyError, ValueError, TypeError, SafetensorError) as error:
            raise ModelError(f"There is no complete saved verifier in {path}; train it again.") from error
        return verifier

    def _compared(self, texts: list[str], pairs: Pairs) -> Floats:
        """Return pairs × likenesses."""
        lengths = np.log1p([count_words(text) for text in texts])
        columns = [_centred_cosines(likeness, texts, pairs) for likeness in self._likenesses]
        columns.append(np.abs(lengths[pairs[:, 0]] - lengths[pairs[:, 1]]))
        return np.stack(columns, axis=1)


def draw_pairs(
    authors: Sequence[object], count: int, rng: Rng, sources: Sequence[int] | None = None
) -> tuple[Pairs, NDArray[np.bool_]]:
    """Draw pairs of positions, half of one author, half of two, each author alike often and no pair twice.

    Args:
        authors: The author of each text.
        count: How many; there may be fewer to be had.
        rng: Where chance comes from.
        sources: Number of the document of each text; two texts of one document are paired only if the author has no
            other document.

    Returns:
        The pairs, and which are of one author.
    """
    codes = np.unique(np.array([str(author) for author in authors]), return_inverse=True)[1]
    origin = np.arange(len(codes)) if sources is None else np.asarray(sources)
    used = _within_reach(codes, rng)
    first, second = (used[side] for side in np.triu_indices(len(used), k=1))
    same = codes[first] == codes[second]
    documents = [len(set(origin[codes == code].tolist())) for code in range(codes.max(initial=-1) + 1)]
    one_document = np.array(documents, dtype=np.int64) == 1
    possible = ~same | (origin[first] != origin[second])
    possible[same] |= one_document[codes[first[same]]]
    if not (same & possible).any() or same.all():
        raise InputError("Pairs need two authors at least, and two texts of one of them; add texts.")
    wanted = min(count // 2, int((same & possible).sum()), int((~same).sum()))
    chosen = [_fairly(np.flatnonzero(kind & possible), codes[first], wanted, rng) for kind in (same, ~same)]
    places = np.concatenate(chosen)
    return np.stack([first[places], second[places]], axis=1), same[places]


def _within_reach(codes: Pairs, rng: Rng) -> Pairs:
    """Choose texts, in order, few enough for all their pairs to be listed: some of each author, then some authors."""
    shuffled = np.argsort(rng.words(len(codes)), kind="stable")
    some = shuffled[_turns(codes[shuffled]) < _TEXTS_OF_AN_AUTHOR]
    by_author = np.argsort(rng.words(int(codes.max(initial=-1)) + 1), kind="stable")[codes[some]]
    return np.sort(some[np.argsort(by_author, kind="stable")[:_MOST_TEXTS]])


def _fairly(places: Pairs, codes: Pairs, wanted: int, rng: Rng) -> Pairs:
    """Choose `wanted` of the places, going round the authors so that none fills the choice."""
    shuffled = places[np.argsort(rng.words(len(places)), kind="stable")]
    return shuffled[np.argsort(_turns(codes[shuffled]), kind="stable")[:wanted]]


def _turns(codes: Pairs) -> Pairs:
    """Return how many with the same code stand before each entry."""
    order = np.argsort(codes, kind="stable")
    begins = np.flatnonzero(np.diff(codes[order], prepend=-1))
    turns = np.empty(len(codes), np.int64)
    turns[order] = np.arange(len(codes)) - np.repeat(begins, np.diff(begins, append=len(codes)))
    return turns


def _likenesses() -> list[_Likeness]:
    """Return the ways to compare, function words last."""
    return [
        _Likeness(NGrams("characters", 3, 4, most=_COLUMNS)),
        _Likeness(NGrams("words", 1, 2, most=_COLUMNS)),
        _Likeness(NGrams("words", 1, 3, most=_COLUMNS, reading=without_words)),
        _Likeness(NGrams("words", 1, 1, most=_COLUMNS, reading=_function_words)),
    ]


def _function_words(text: str) -> str:
    """Blank out all but the words that carry no topic."""
    return TOKEN.sub(lambda match: match[0] if match[0].lower() in STOP_WORDS else " " * len(match[0]), text)


def _centred_cosines(likeness: _Likeness, texts: list[str], pairs: Pairs) -> Floats:
    """Return cosines of (x − centre)·per_spread for pairs of texts, without ever making x − centre, which is dense."""
    from scipy import sparse

    values = sparse.csr_array(likeness.features.transform(texts).multiply(likeness.per_spread[None, :]))
    centre = likeness.centre * likeness.per_spread
    to_centre: Floats = values @ centre
    squares = np.asarray(values.multiply(values).sum(axis=1)).ravel()
    centre_squared = float(centre @ centre)
    norms = np.sqrt(np.maximum(squares - 2 * to_centre + centre_squared, 0.0))
    first, second = pairs[:, 0], pairs[:, 1]
    shared = np.asarray(values[first].multiply(values[second]).sum(axis=1), dtype=np.float64).ravel()
    products: Floats = shared - to_centre[first] - to_centre[second] + centre_squared
    lengths = norms[first] * norms[second]
    cosines: Floats = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return cosines
