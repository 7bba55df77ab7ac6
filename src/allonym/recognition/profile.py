"""How a text compares with many public writers, where nobody's other texts are known: a shipped table of numbers.

The table holds, for several lengths of text, the mean and the spread of every feature of `profile_features` over
thousands of writers, how odd their texts are on the whole (`rarity`), and how alike two texts of one writer and of two
are. It holds no text. What it cannot do: recognise anybody.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.language import ENGLISH
from allonym.metrics.figures import Figure
from allonym.recognition import profile_features, rarity
from allonym.recognition.profile_features import Feature, Kind, Spans

MODEL = ENGLISH.model("style")
FORMAT, VERSION = "style-profile", 2
FEWEST_WORDS = 25  # below, not even the shape of a sentence can be told
FEWEST_JUDGED = 100  # below, a text is not judged on the whole: chance is larger than habit
_LARGEST = 16.0  # of a squared deviation: one odd feature does not decide
_LISTED = 12
_LEAST = 1.2  # deviations below are what everybody's text has

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class HabitFinding:
    """Something the text does more or less often than others.

    Attributes:
        feature: What it is.
        kind: How it is marked.
        share: Its part of all that sets the text apart.
        rate: How often it occurs in 1,000 words or letters; of lengths, the length.
        usual: What is usual.
        more: Whether the text has more of it than usual.
        among: What it is a rate among, if it is one: words or letters.
        places: Where it stands; nowhere if it measures the whole or is rarer than usual.
    """

    feature: str
    kind: Kind
    share: float
    rate: float
    usual: float
    more: bool
    among: str
    places: Spans = field(repr=False)


@dataclass(frozen=True)
class Comparison:
    """How a text compares with the writers of the table.

    Attributes:
        words: Its length.
        rarer_than: Share of public writers' texts of this length whose habits are less rare together; None for a text
            too short to say.
        findings: What sets it apart, most telling first.
    """

    words: int
    rarer_than: float | None
    findings: tuple[HabitFinding, ...] = field(repr=False)


@dataclass(frozen=True)
class Likeness:
    """How likely it is that two texts have one writer, if that was as likely as not beforehand.

    Attributes:
        probability: Between 0 and 1.
        right: How often such verdicts were right on pairs by other writers.
        words: The length at which that was measured.
    """

    probability: float
    right: Figure
    words: int


class StyleProfile:
    """The shipped table, read once.

    Privacy: spends nothing; public numbers, compared with a text in memory.
    """

    def __init__(self, config: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.function_words: tuple[str, ...] = tuple(config["function_words"])
        self.features: list[Feature] = profile_features.features(self.function_words)
        self.lengths: list[int] = list(config["lengths"])
        self.writers: list[int] = list(config["writers"])
        self._arrays = {name: np.asarray(values, np.float64) for name, values in arrays.items()}
        self._judged = self.lengths[len(self.lengths) - len(self._arrays["surprise"]) :]  # lengths that are judged

    def compare(self, text: str) -> Comparison | None:
        """Return what sets a text apart; None for one too short to say."""
        words = profile_features.count_plain_words(text)
        if words < FEWEST_WORDS:
            return None
        values = profile_features.measure(text, self.function_words)
        findings = self._findings(text, values, self._scores(values, words), words)
        return Comparison(words, self.rarer_than(text), findings)

    def rarer_than(self, text: str) -> float | None:
        """Return which share of public writers' texts as long has habits that are less rare together.

        Of a text longer than those measured, the middle one of its pieces counts; None for one too short to say.
        """
        words = profile_features.count_plain_words(text)
        if words < FEWEST_JUDGED:
            return None
        pieces = [(text, words)] if words <= self.lengths[-1] else self._pieces(text, words)
        shares = sorted(
            self._rarer_than(profile_features.measure(piece, self.function_words), size) for piece, size in pieces
        )
        return shares[len(shares) // 2]

    def _rarer_than(self, values: Floats, words: int) -> float:
        """Return which share of the table's texts of this length has habits that are less rare together."""
        statistics = rarity.statistics(self.features, values[None], self._scores(values, words)[None])
        quantiles = self._at_length("statistics", words)
        [surprise] = rarity.surprise(statistics, quantiles, rarity.two_sided(self.features))
        return rarity.share_below(float(surprise), self._at_length("surprise", words))

    def _pieces(self, text: str, words: int) -> Iterator[tuple[str, int]]:
        """Cut a text into even pieces, the longest that were measured, each with its number of words."""
        count = -(-words // self.lengths[-1])
        starts = [match.start() for match in profile_features.WORD.finditer(text)]
        borders = [words * piece // count for piece in range(count + 1)]
        for first, last in pairwise(borders):
            yield text[starts[first] if first else 0 : starts[last] if last < words else len(text)], last - first

    def distance(self, text: str) -> float:
        """Return how far a text's habits lie from the usual ones of texts as long: finer than a share of writers."""
        words = profile_features.count_plain_words(text)
        scores = self._scores(profile_features.measure(text, self.function_words), words)
        return float(np.minimum(scores**2, _LARGEST).mean())

    def likeness(self, first: str, second: str) -> Likeness | None:
        """Return how alike two texts are, judged by pairs of the table's writers; None if one is too short."""
        words = min(profile_features.count_plain_words(text) for text in (first, second))
        if words < FEWEST_JUDGED:
            return None
        at = self._nearest(words)
        scores = [
            self._scores(profile_features.measure(text, self.function_words), profile_features.count_plain_words(text))
            for text in (first, second)
        ]
        slope, constant = self._arrays["likeness"][at]
        probability = 1 / (1 + math.exp(-(slope * cosine(*scores) + constant)))
        return Likeness(probability, Figure(*self._arrays["likeness_right"][at]), self._judged[at])

    def _scores(self, values: Floats, words: int) -> Floats:
        """Return how many spreads each value lies above the mean of texts of this length."""
        mean, spread = (self._at_length(name, words) for name in ("mean", "spread"))
        return np.asarray((values - mean) / spread)

    def _at_length(self, name: str, words: int) -> Floats:
        """Interpolate between the two lengths around this one, on a logarithmic scale."""
        table = self._arrays[name]
        lengths = self.lengths[len(self.lengths) - len(table) :]  # short texts have fewer tables
        position = float(np.interp(math.log(max(1, words)), np.log(lengths), np.arange(len(lengths))))
        low = min(int(position), len(lengths) - 1)
        high = min(low + 1, len(lengths) - 1)
        return np.asarray(table[low] + (position - low) * (table[high] - table[low]))

    def _nearest(self, words: int) -> int:
        """Return the place, among those judged, of the length nearest to this one, in proportion."""
        middles = [math.sqrt(low * high) for low, high in pairwise(self._judged)]
        return int(np.searchsorted(middles, words))

    def _findings(self, text: str, values: Floats, scores: Floats, words: int) -> tuple[HabitFinding, ...]:
        weights = np.minimum(scores**2, _LARGEST)
        total = float(weights.sum()) or 1.0
        means, spreads = (self._at_length(name, words) for name in ("mean", "spread"))
        findings: list[HabitFinding] = []
        for column in np.argsort(-weights, kind="stable"):
            feature = self.features[column]
            if len(findings) == _LISTED or abs(scores[column]) < _LEAST:
                break
            more = bool(scores[column] > 0)
            where = profile_features.places(text, int(column), self.function_words) if more and feature.counted else []
            if feature.kind == "function" and len(where) == 1:
                continue  # once is chance
            rate = _readable(feature, float(values[column]), 0.0)
            usual = _readable(feature, float(means[column]), float(spreads[column]))
            share = float(weights[column]) / total
            findings.append(HabitFinding(feature.name, feature.kind, share, rate, usual, more, feature.among, where))
        return tuple(findings)


@cache
def shipped() -> StyleProfile:
    """Return the shipped table."""
    model = models.verify_format(models.find(MODEL), FORMAT, VERSION)
    return StyleProfile(dict(model.config), dict(models.open_tensors(model)))


def cosine(first: Floats, second: Floats) -> float:
    """Return the cosine of two texts' deviations (cosine Delta, Smith and Aldridge 2011), the largest cut."""
    cut = [np.clip(scores, -math.sqrt(_LARGEST), math.sqrt(_LARGEST)) for scores in (first, second)]
    lengths = float(np.linalg.norm(cut[0]) * np.linalg.norm(cut[1]))
    return float(cut[0] @ cut[1]) / lengths if lengths else 0.0


def _readable(feature: Feature, value: float, spread: float) -> float:
    """Return a value as people count it: how often in 1,000 words, or how long.

    The mean of squares is the square of the mean plus that of the spread.
    """
    if feature.kind == "shape":
        return value if feature.name == profile_features.SPREAD else math.exp(value)
    return value**2 + spread**2
