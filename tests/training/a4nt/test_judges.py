"""A4NT's judges, the game in which they press both directions alike, and translators that imitate nobody."""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("torch") is None:
    pytest.skip("torch is not installed (pip install 'allonym[neural]')", allow_module_level=True)

import torch

from allonym.errors import ParameterError
from allonym.training.a4nt.batches import A4ntSentences
from allonym.training.a4nt.draw import WordDraw
from allonym.training.a4nt.judges import JudgePanel, Opponent, PhraseJudge, WordModel, odds, panel_loss
from allonym.training.a4nt.loop import A4ntSettings, A4ntTraining
from allonym.training.a4nt.losses import RECIPES, LossRecipe, undecided_loss, word_costs
from allonym.training.a4nt.network import Direction, TranslatorShape, make
from allonym.training.steps import Limit

FORTH = Direction(0, 1)
WORDS = 40
SIZES = {"words": WORDS, "classes": 2}


@pytest.fixture(autouse=True)
def _fixed_weights():
    torch.manual_seed(11)


def training_of(shape, corpus, progress=None, **more):
    limits = [Limit(steps=steps) for steps in (60, 30, 100, 120)]
    settings = A4ntSettings(*limits, batch_size=32, learning_rate=2e-3, restoring_rate=5e-3, look_every=1, **more)
    small = {"embedding": 8, "hidden": 8}
    networks = (make(shape), Opponent(**SIZES, **small), WordModel(**SIZES, **small), JudgePanel(**SIZES))
    vectors = torch.nn.functional.normalize(torch.randn(WORDS, 8), dim=-1)
    vectors[:4] = 0
    training = A4ntTraining(*networks, corpus, vectors, settings, progress)
    training.learn_opponent()
    training.learn_language()
    training.learn_restoring()
    return training


def editor(**more):
    return TranslatorShape(words=WORDS, classes=2, variant="editor", embedding=12, hidden=16, **more)


@pytest.mark.parametrize("lengths", [(1,), (1, 2, 3)])
def test_a_judge_of_phrases_reads_sentences_alike_in_any_company(lengths):
    judge = PhraseJudge(**SIZES, lengths=lengths, embedding=8, filters=8).eval()
    alone = judge(torch.tensor([[5, 6]]), torch.tensor([2]))
    padded = judge(torch.tensor([[5, 6, 0, 0], [7, 8, 9, 10]]), torch.tensor([2, 4]))
    torch.testing.assert_close(padded[:1], alone)
    soft = torch.nn.functional.one_hot(torch.tensor([[5, 6]]), WORDS).float()
    torch.testing.assert_close(judge(soft, torch.tensor([2])), alone)
    turned = judge(torch.tensor([[6, 5]]), torch.tensor([2]))
    assert torch.allclose(turned, alone) == (lengths == (1,))  # words alone have no order


def test_odds_and_losses_by_hand():
    said = torch.log(torch.tensor([[[0.2, 0.8]], [[0.5, 0.5]]]))  # two judges, one sentence
    assert float(odds(said, FORTH)) == pytest.approx(math.log(0.8 / 0.2) / 2)
    assert float(odds(said, FORTH.back)) == pytest.approx(-math.log(0.8 / 0.2) / 2)
    assert float(panel_loss(said, 1)) == pytest.approx(-math.log(0.8 * 0.5) / 2)
    assert float(undecided_loss(torch.log(torch.tensor([[0.5, 0.5]])))) == pytest.approx(0, abs=1e-6)
    assert float(undecided_loss(torch.log(torch.tensor([[0.9, 0.1]])))) > 0.1
    assert word_costs(torch.tensor([10_000, 5, 0])).tolist() == [0.25, 0.75, 0.75]


def test_judges_press_more_where_they_are_not_fooled(corpus):
    training = training_of(editor(), corpus)
    recipe = RECIPES["CycML+Lang+Near"]
    fooled, not_fooled = (torch.log(torch.tensor([[[1 - p, p]]])) for p in (0.99, 0.01))
    before = float(training._pressed(recipe, not_fooled, FORTH))
    assert before > 1
    assert float(training._pressed(recipe, not_fooled, FORTH)) > before
    assert float(training._pressed(recipe, fooled.flip(-1), FORTH.back)) < 1
    for _ in range(3000):
        training._pressed(recipe, not_fooled, FORTH)
    assert float(training.pressure[FORTH]) == pytest.approx(20)  # and not without end


def test_the_game_with_judges_fools_them_in_both_directions_and_leaves_them_as_they_were(corpus):
    training = training_of(editor(), corpus)
    judges = {name: weight.clone() for name, weight in training.panel.state_dict().items()}
    draw = WordDraw(torch.Generator().manual_seed(2))

    def fooled(direction):
        batch = corpus[direction.source].batch(np.arange(300))
        training.translator.eval()
        with torch.no_grad():
            sample, lengths = training.translator.sample(batch.words, batch.lengths, direction, draw)
            return float(odds(training.panel.eval()(sample, lengths), direction))

    training.play(RECIPES["CycML+Lang+Near"])
    assert all(fooled(way) > 0.5 for way in (FORTH, FORTH.back))
    for name, weight in training.panel.state_dict().items():
        torch.testing.assert_close(weight, judges[name])


def test_a_neutral_translator_is_told_nothing_and_learns_to_hide(corpus):
    told = []
    training = training_of(
        editor(neutral=True), corpus, lambda stage, numbers: told.append(numbers) if stage == "game" else None
    )
    network = training.translator.eval()
    assert len(network.decoders) == 1
    words, lengths = torch.tensor([[25, 35, 7]]), torch.tensor([3])
    rated = [network.ratings(words, lengths, way, words) for way in (FORTH, FORTH.back)]
    torch.testing.assert_close(*rated)
    training.play(LossRecipe("mine", {"judges": 1.0}, hides=True))
    assert np.mean([row["judges"] for row in told[-10:]]) < 0.7 * np.mean([row["judges"] for row in told[:10]])
    with pytest.raises(ParameterError, match="imitate"):
        training.play(RECIPES["CycML+Lang"])
    training.panel = None
    with pytest.raises(ParameterError, match="needs judges"):
        training.play(RECIPES["Neutral"])


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError):
        editor(conditioned=True, neutral=True)
    with pytest.raises(ParameterError):
        LossRecipe("mine", {"style": 1.0}, odds=math.nan)


def test_one_decoder_for_all_classes_learns_to_restore_for_every_pair(corpus, monkeypatch):
    seen = set()
    third = A4ntSentences(np.arange(4, 40), np.full(9, 4), torch.device("cpu"), np.arange(9))
    shape = TranslatorShape(words=WORDS, classes=3, variant="editor", conditioned=True, embedding=12, hidden=16)
    network = make(shape)
    rate = network.ratings

    def ratings(read, lengths, direction, previous):
        seen.add((direction.source, direction.target))
        return rate(read, lengths, direction, previous)

    monkeypatch.setattr(network, "ratings", ratings)
    sizes = {"words": WORDS, "classes": 3}
    settings = A4ntSettings(*[Limit(steps=6)] * 4, batch_size=8)
    networks = (network, Opponent(**sizes), WordModel(**sizes), JudgePanel(**sizes))
    A4ntTraining(*networks, [*corpus, third], torch.zeros(WORDS, 8), settings).learn_restoring()
    assert seen == {(source, target) for source in range(3) for target in range(3)}
