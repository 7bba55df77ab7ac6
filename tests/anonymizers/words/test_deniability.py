from __future__ import annotations

import numpy as np
import pytest

from allonym import WordExponential, WordLaplace
from allonym.anonymizers.words import laplace
from allonym.anonymizers.words.deniability import of_draws, of_laws, solve
from allonym.errors import InputError, ParameterError
from allonym.randomness import insecure
from allonym.vectors.embeddings import WordTable

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]
BOTH = pytest.mark.parametrize("kind", [WordLaplace, WordExponential])


def make(kind, epsilon: float = 3.0):
    vectors = insecure(1).below(201, (len(WORDS), 6)).astype(np.float32) / 100 - 1
    return kind(epsilon=epsilon, order="text", embeddings=WordTable(tuple(WORDS), vectors))


def test_exact_figures_of_known_laws():
    laws = np.array([[1.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]])
    figures = of_laws(laws, np.array([0, 3]))
    assert figures.unchanged == pytest.approx(0.625)
    assert figures.substitutes == pytest.approx(2.5)
    assert figures.margin == 0


def test_draws_estimate_the_exact_figures():
    model = make(WordExponential)
    rows = model.table_.rows(WORDS[:20])
    exact = model.deniability(WORDS[:20])
    drawn = model.mechanism_.draw(np.repeat(rows, 5000), insecure(2)).reshape(20, 5000)
    estimated = of_draws(drawn, rows)
    assert abs(estimated.unchanged - exact.unchanged) <= estimated.margin
    assert estimated.substitutes == pytest.approx(exact.substitutes, rel=0.05)


@BOTH
def test_more_privacy_leaves_fewer_words_and_more_substitutes(kind, monkeypatch):
    monkeypatch.setattr(laplace, "secure", lambda key=None: insecure(5))
    strict, lax = make(kind, 1.0).deniability(WORDS[:30]), make(kind, 30.0).deniability(WORDS[:30])
    assert strict.unchanged < lax.unchanged
    assert strict.substitutes > lax.substitutes


@BOTH
@pytest.mark.parametrize("share", [0.2, 0.7])
def test_the_epsilon_for_a_share_of_unchanged_words(kind, share, monkeypatch):
    monkeypatch.setattr(laplace, "secure", lambda key=None: insecure(5))  # a fixed key: no false alarms
    epsilon = make(kind).epsilon_for_unchanged(share)
    assert make(kind, epsilon).deniability().unchanged == pytest.approx(share, abs=0.03)


@BOTH
def test_unknown_words_and_impossible_shares_are_refused(kind):
    with pytest.raises(InputError, match="not in the vocabulary"):
        make(kind).deniability(["qzxjvk"])
    for share in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(ParameterError, match="above 0 and below 1"):
            make(kind).epsilon_for_unchanged(share)
    with pytest.raises(ParameterError, match="ask for fewer"):
        solve(lambda parameter: 0.1, 0.5)
