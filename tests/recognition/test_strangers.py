"""Whether a text is by none of the known writers, on invented ones."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from allonym.attackers.linear import WordNGramSVM
from allonym.metrics.figures import Figure
from allonym.randomness import insecure
from allonym.recognition import certainty, strangers
from allonym.recognition.certainty import Certainty, ErrorRates
from allonym.recognition.recogniser import Recogniser
from allonym.recognition.reliability import cut, folds, unseen_scores
from allonym.recognition.strangers import NoneOfThese, StrangerExamples, Threshold

WORDS = [f"{first}{second}" for first in ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki") for second in "lmnprstvz"]


def made_up(writer: int, words: int, seed: int) -> str:
    """Write as somebody who likes a few words of his own; about half of the words are everybody's."""
    rng = insecure(1_000 * writer + seed)
    liked = insecure(writer).below(len(WORDS), (6,))
    own, all_words, which = rng.below(6, (words,)), rng.below(len(WORDS), (words,)), rng.below(2, (words,))
    return " ".join(WORDS[liked[o]] if w else WORDS[a] for o, a, w in zip(own, all_words, which, strict=True))


def known(writers: int, texts: int = 4) -> tuple[list[str], list[str]]:
    pairs = [(made_up(writer, 150, seed), f"writer {writer}") for writer in range(writers) for seed in range(texts)]
    return [text for text, _ in pairs], [author for _, author in pairs]


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser([WordNGramSVM()]).fit(*known(12), words=150)


def test_strangers_are_told_from_known_writers(recogniser):
    own = [recogniser.check(made_up(writer, 150, 77)).none_of_these for writer in range(12)]
    others = [recogniser.check(made_up(writer, 150, 77)).none_of_these for writer in range(20, 32)]
    assert np.mean([one.share for one in own]) < 0.35
    assert np.mean([one.share for one in others]) > 0.65
    assert own[0].errors.known_writers
    assert own[0].errors.authors == 12
    assert own[0].errors.strangers_taken.value < 0.5


def test_the_answer_is_a_sentence_and_json(recogniser):
    found = recogniser.check(made_up(3, 150, 78))
    assert found.open_set.startswith("By none of these: ")
    assert "With some of these writers left out, " in found.open_set
    stored = json.loads(json.dumps(found.to_json()))
    assert stored["none_of_these"]["share"] == found.none_of_these.share
    assert set(stored["none_of_these"]["errors"]) >= {"strangers_taken", "known_refused", "authors", "words"}


def test_where_it_cannot_be_told_it_says_so(recogniser):
    short = recogniser.check("only a few words")
    assert short.none_of_these is None
    assert "4 words are too few to tell" in short.open_set
    two = Recogniser([WordNGramSVM()]).fit(*known(2), words=150).check(made_up(1, 150, 5))
    assert two.none_of_these is None
    assert "2 known writers are too few to tell" in two.open_set
    few = Recogniser([WordNGramSVM()]).fit(*known(3, texts=3), words=150).check(made_up(1, 150, 5))
    assert "too few or too short" in few.open_set


def test_signals_that_say_nothing_give_no_answer(monkeypatch):
    monkeypatch.setattr(strangers, "weigh", lambda *_: (0.0, 0.0))
    found = Recogniser([WordNGramSVM()]).fit(*known(4), words=150).check(made_up(1, 150, 5))
    assert found.none_of_these is None
    assert "does not tell strangers from the known writers" in found.open_set


def test_few_writers_get_the_error_rates_of_public_ones():
    found = Recogniser([WordNGramSVM()]).fit(*known(4), words=150).check(made_up(1, 150, 5)).none_of_these
    assert found.errors in certainty.shipped().outsiders.errors
    assert "On public texts of about " in str(found)


def test_left_out_authors_are_not_learned_and_known_pieces_not_seen():
    texts, authors = known(7, texts=3)
    pieces = cut(texts, authors, 150)
    dealt = folds(pieces)
    names = np.array([piece.author for piece in pieces])
    everybody = np.unique(names)
    groups = list(strangers.leave_out(WordNGramSVM(), pieces, dealt, lambda: None))
    assert len(groups) == strangers.group_count(7) == 5
    assert sorted(np.concatenate([group.strangers for group in groups]).tolist()) == list(range(len(pieces)))
    for group in groups:
        learned = set(everybody[group.classes])
        assert not learned & set(names[group.strangers])
        assert set(names[group.known]) <= learned
        assert group.known_scores.shape == (len(group.known), len(learned))
        assert group.stranger_scores.shape == (len(group.strangers), len(learned))
    assert [strangers.group_count(authors) for authors in (0, 2, 3, 4, 40)] == [0, 0, 3, 4, 5]


def test_what_is_learned_lies_between_the_examples_and_what_ships():
    elsewhere = replace(certainty.shipped().outsiders, authors=1e-6)
    rng = insecure(5)
    noise = rng.below(1_000, (400,)) / 1_000
    examples = [StrangerExamples(noise[:200] + 1.0, noise[200:] - 1.0 + 1.2, 50)]  # overlap between 1.0 and 1.2
    constant, slope = strangers.weigh(examples, elsewhere)
    assert slope < -3
    assert -constant / slope == pytest.approx(1.1, abs=0.1)  # the border lies in the overlap
    usual = replace(elsewhere, authors=1e9)
    assert strangers.weigh(examples, usual) == pytest.approx((usual.constant, usual.slope), rel=1e-3)
    turned = [StrangerExamples(examples[0].strangers, examples[0].known, 50)]
    assert strangers.weigh(turned, elsewhere)[1] <= 0  # a stranger never stands out more


def test_the_share_is_the_documented_logistic():
    errors = certainty.shipped().outsiders.errors[0]
    threshold = Threshold(mean=0.5, spread=0.25, constant=-1.0, slope=-2.0, errors=errors)
    scores = np.array([0.9, 0.1, 0.2])
    signal = (0.9 - 0.4 - 0.5) / 0.25
    assert threshold.judge(scores).share == pytest.approx(1 / (1 + np.exp(1.0 + 2.0 * signal)))


def test_nobody_is_certain_of_a_stranger():
    errors = ErrorRates(Figure(0.1, 0.0, 0.2), Figure(0.2, 0.1, 0.3), 5, 100, known_writers=False)
    assert str(NoneOfThese(1.0, errors)).startswith("By none of these: over 99 %")


def test_the_shipped_table_is_what_was_fitted_and_comes_back_from_json():
    table = certainty.shipped()
    assert Certainty.from_json(json.loads(json.dumps(table.to_json()))) == table
    assert table.outsiders.slope < 0
    assert table.steepness.spread > 0
    for one in table.outsiders.errors:
        for rate in (one.strangers_taken, one.known_refused):
            assert 0 <= rate.low <= rate.value <= rate.high <= 1
        assert table.outsiders.nearest_errors(one.authors, one.words).words == one.words


def test_pieces_are_scored_by_copies_that_have_not_seen_them():
    texts, authors = known(3)
    pieces = cut(texts, authors, 150)
    dealt = folds(pieces)
    scores = unseen_scores(WordNGramSVM(), pieces, dealt, lambda: None)
    fold = int(dealt[0])
    rest = [piece for piece, own in zip(pieces, dealt, strict=True) if own != fold]
    copy = WordNGramSVM().fit([piece.text for piece in rest], [piece.author for piece in rest])
    assert scores[0] == pytest.approx(copy.decision_function([pieces[0].text])[0])
