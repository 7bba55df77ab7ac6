"""A4NT's networks and losses, by hand on toys; training goes down every loss."""

from __future__ import annotations

import copy
import math
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("torch") is None:
    pytest.skip("torch is not installed (pip install 'allonym[neural]')", allow_module_level=True)

import torch

from allonym.errors import InputError, ParameterError
from allonym.language.sequences import END, PAD, SPECIAL, START, UNKNOWN, Vocabulary
from allonym.training.a4nt import store
from allonym.training.a4nt.batches import A4ntNoise, A4ntSentences
from allonym.training.a4nt.draw import WordDraw
from allonym.training.a4nt.judges import JudgePanel, Opponent, WordModel
from allonym.training.a4nt.loop import A4ntSettings, A4ntTraining, frozen
from allonym.training.a4nt.losses import (
    RECIPES,
    LossRecipe,
    keep_loss,
    language_loss,
    meaning_loss,
    near_loss,
    opponent_loss,
    restoring_loss,
    style_loss,
    word_costs,
)
from allonym.training.a4nt.network import Direction, Editor, TranslatorShape, make, summary, until_end
from allonym.training.a4nt.watch import measure
from allonym.training.steps import Limit

FORTH = Direction(0, 1)
CPU = torch.device("cpu")
WORDS = 40


def shape(variant, **more):
    return TranslatorShape(**{"words": WORDS, "classes": 2, "variant": variant, "embedding": 12, "hidden": 16, **more})


def seeded(seed=5):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(autouse=True)
def _fixed_weights():
    torch.manual_seed(11)


def unit_vectors():
    vectors = torch.nn.functional.normalize(torch.empty(WORDS, 8).normal_(generator=seeded()), dim=-1)
    vectors[: len(SPECIAL)] = 0
    return vectors


@pytest.mark.parametrize("variant", ["paper", "editor", "transformer"])
def test_the_encoder_is_shared_and_the_decoders_are_not(variant):
    network = make(shape(variant))
    assert len(network.decoders) == 2
    one, other = (dict(decoder.named_parameters()) for decoder in network.decoders)
    assert all(one[name] is not other[name] for name in one)
    words, lengths = torch.tensor([[5, 6, 7]]), torch.tensor([3])
    for direction in (FORTH, FORTH.back):
        network.zero_grad()
        network.ratings(words, lengths, direction, words).sum().backward()
        assert all(weight.grad is not None for weight in network.encoder.parameters())
        for number, decoder in enumerate(network.decoders):
            reached = [weight.grad is not None for weight in decoder.parameters()]
            assert all(reached) if number == direction.target else not any(reached)


@pytest.mark.parametrize("variant", ["paper", "editor", "transformer"])
def test_one_decoder_for_many_classes_is_told_source_and_target(variant):
    network = make(shape(variant, classes=3, conditioned=True)).eval()
    assert len(network.decoders) == 1
    words, lengths = torch.tensor([[5, 6, 7]]), torch.tensor([3])
    rated = [network.ratings(words, lengths, Direction(0, target), words) for target in (1, 2)]
    assert not torch.allclose(*rated)


@pytest.mark.parametrize("variant", ["paper", "editor", "transformer"])
def test_a_soft_sentence_that_is_certain_reads_like_the_hard_one(variant):
    network, opponent = make(shape(variant)).eval(), Opponent(words=WORDS, classes=2).eval()
    words, lengths = torch.tensor([[5, 6, 7], [8, 9, PAD]]), torch.tensor([3, 2])
    soft = torch.nn.functional.one_hot(words, WORDS).float()
    hard_rated = network.ratings(words, lengths, FORTH, words)
    soft_rated = network.ratings(soft, lengths, FORTH, words)
    inside = torch.tensor([[True, True, True], [True, True, False]])
    torch.testing.assert_close(hard_rated[inside], soft_rated[inside])
    torch.testing.assert_close(opponent(words, lengths), opponent(soft, lengths))


@pytest.mark.parametrize("variant", ["paper", "editor", "transformer"])
def test_padding_changes_nothing(variant):
    network, opponent = make(shape(variant)).eval(), Opponent(words=WORDS, classes=2).eval()
    alone, lengths = torch.tensor([[8, 9]]), torch.tensor([2])
    beside, both = torch.tensor([[8, 9, PAD, PAD], [4, 5, 6, 7]]), torch.tensor([2, 4])
    torch.testing.assert_close(opponent(alone, lengths)[0], opponent(beside, both)[0])
    one = network.ratings(alone, lengths, FORTH, alone)[0]
    other = network.ratings(beside, both, FORTH, beside)[0, :2]
    torch.testing.assert_close(one, other)


def test_summary_is_the_final_and_the_mean_state():
    states = torch.tensor([[[1.0], [3.0], [100.0]]])
    assert summary(states, torch.tensor([2])).tolist() == [[3.0, 2.0]]


def test_what_is_never_written_is_never_drawn():
    network = make(shape("editor")).eval()
    words = torch.tensor([[UNKNOWN, 5, 6]]).repeat(500, 1)
    sample, _ = network.sample(words, torch.full((500,), 3), FORTH, WordDraw(seeded()))
    drawn = sample.argmax(-1)
    assert not set(drawn.flatten().tolist()) & {PAD, START}
    assert UNKNOWN in drawn[:, 0].tolist()  # it may stay where it is
    assert UNKNOWN not in drawn[:, 1:].flatten().tolist()


def test_words_written_one_by_one_have_the_law_of_their_ratings():
    network = make(shape("paper", words=6)).eval()
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.7)
    count = 40_000
    words, lengths = torch.tensor([[4, 5]]).repeat(count, 1), torch.full((count,), 2)
    with torch.no_grad():
        sample, _ = network.sample(words, lengths, FORTH, WordDraw(seeded()))
        first, second = sample[:, :2].argmax(-1).T
        previous = torch.tensor([[START, 4]])
        chances = network.ratings(words[:1], lengths[:1], FORTH, previous)[0].softmax(-1)
    after = second[(first == 4) & (sample[:, 1].sum(-1) > 0)]  # sentences that went on
    lasting = 1 - chances[1, END]
    found = (first == 4).float().mean(), (after == 5).float().mean() * lasting
    for share, chance in zip(found, (chances[0, 4], chances[1, 5]), strict=True):
        assert abs(float(share - chance)) < 0.02


@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_gradients_reach_words_written_one_by_one():
    network = make(shape("paper"))
    words, lengths = torch.tensor([[5, 6, 7]]).repeat(8, 1), torch.full((8,), 3)
    # As on a graphics card. Without oneDNN, which has no LSTM of 16 bits on some processors; nothing else asks for one.
    with torch.autocast("cpu", torch.bfloat16), torch.backends.mkldnn.flags(enabled=False):
        sample, _ = network.sample(words, lengths, FORTH, WordDraw(seeded()))
        (sample.float() * torch.arange(WORDS)).sum().backward()
    reached = {name for name, weight in network.named_parameters() if weight.grad is not None and weight.grad.any()}
    wanted = {"encoder.weight_ih_l0", "embedding.weight", "decoders.1.lstm.weight_hh_l0", "decoders.1.bias"}
    assert wanted <= reached


def test_gumbel_samples_have_the_right_marginals():
    chances = torch.tensor([0.05, 0.15, 0.3, 0.5])
    draws = 200_000
    drawn = WordDraw(seeded(), temperature=0.7)(chances.log().expand(draws, 4))
    assert torch.equal(drawn.sort(-1).values[:, -1], torch.ones(draws)) or drawn.max() <= 1 + 1e-5
    counts = drawn.argmax(-1).bincount(minlength=4).double()
    chi_square = float(((counts - draws * chances.double()) ** 2 / (draws * chances.double())).sum())
    assert chi_square < 30.7  # 3 degrees of freedom: a false alarm in 10^6, and the key is fixed


def test_gradients_flow_through_a_draw():
    ratings = torch.zeros(3, 4, requires_grad=True)
    (WordDraw(seeded())(ratings) * torch.arange(4.0)).sum().backward()
    assert ratings.grad.abs().sum() > 0
    with pytest.raises(ParameterError):
        WordDraw(seeded(), temperature=math.nan)


def test_a_sentence_ends_before_its_first_end():
    chosen = torch.nn.functional.one_hot(torch.tensor([[5, END, 6], [END, 5, 5], [5, 6, 7]]), WORDS).float()
    cut, lengths = until_end(chosen)
    assert lengths.tolist() == [1, 1, 3]  # what would be empty keeps one place
    assert cut[0, 1:].sum() == 0


class Toy(Editor):
    """Rates three words (4, 5, 6) by fixed chances, whatever it reads."""

    def ratings(self, read, lengths, direction, previous):
        chances = torch.full((WORDS,), 1e-9)
        chances[4:7] = torch.tensor([0.2, 0.3, 0.5])
        return chances.log().expand(*read.shape[:2], WORDS)


def test_cycle_likelihood_by_hand():
    """Equations 9 and 10: −log of the product of the words' probabilities; a mean per word in the place of the sum."""
    words, lengths = torch.tensor([[4, 5, 6]]), torch.tensor([3])
    found = restoring_loss(Toy(shape("editor")), words, lengths, words, lengths, FORTH.back)
    assert float(found) == pytest.approx(-math.log(0.2 * 0.3 * 0.5) / 3, rel=1e-5)


def test_cycle_likelihood_counts_the_end():
    network = make(shape("paper")).eval()
    words, lengths = torch.tensor([[4, 5]]), torch.tensor([2])
    rated = network.ratings(words, lengths, FORTH, torch.tensor([[START, 4, 5]])).log_softmax(-1)
    by_hand = -(rated[0, 0, 4] + rated[0, 1, 5] + rated[0, 2, END]) / 3
    torch.testing.assert_close(restoring_loss(network, words, lengths, words, lengths, FORTH), by_hand)


def test_keep_near_and_language_losses_by_hand():
    words, lengths = torch.tensor([[4, 5]]), torch.tensor([2])
    rated = Toy(shape("editor")).ratings(words, lengths, FORTH, words)
    costs = word_costs(torch.tensor([0, 0, 0, 0, 9_999, 5, *[0] * (WORDS - 6)]))  # word 4 is a function word, 5 is not
    by_cost = -(0.25 * math.log(0.2) + 0.75 * math.log(0.3))
    assert float(keep_loss(rated, words, lengths, costs)) == pytest.approx(by_cost, rel=1e-5)
    vectors = torch.zeros(WORDS, 2)
    vectors[4], vectors[6] = torch.tensor([1.0, 0.0]), torch.tensor([0.6, 0.8])
    sample = torch.nn.functional.one_hot(torch.tensor([[6, 5]]), WORDS).float()
    assert float(near_loss(vectors, sample, words, lengths)) == pytest.approx(0.4)  # word 5 has no vector
    model = WordModel(words=WORDS, classes=2, embedding=8, hidden=8).eval()
    own = model.embedding(words)
    states, _ = model.lstm(torch.cat([model.starts.weight[1].expand(1, 1, -1), own], dim=1))
    rated = (model.projection(states) @ model.embedding.weight.T + model.bias).log_softmax(-1)
    by_hand = -(rated[0, 0, 4] + rated[0, 1, 5] + rated[0, 2, END]) / 3
    torch.testing.assert_close(language_loss(model, words, lengths, 1), by_hand)
    soft = torch.nn.functional.one_hot(words, WORDS).float()
    torch.testing.assert_close(language_loss(model, soft, lengths, 1), by_hand)


def test_style_and_opponent_pull_in_opposite_directions():
    opponent = Opponent(words=WORDS, classes=2).eval()
    words, lengths = torch.tensor([[4, 5]]), torch.tensor([2])
    chances = opponent(words, lengths).exp()[0]
    torch.testing.assert_close(style_loss(opponent, words, lengths, FORTH), -chances[1].log())
    torch.testing.assert_close(opponent_loss(opponent, words, lengths, 0), -chances[0].log())


def test_meaning_loss_is_the_distance_of_embeddings():
    def embed(words, lengths):
        return words.float()[:, :2] if words.dim() == 2 else words.argmax(-1).float()[:, :2]

    sample = torch.nn.functional.one_hot(torch.tensor([[4, 9]]), WORDS).float()
    one = torch.tensor([2])
    assert float(meaning_loss(embed, sample, one, torch.tensor([[4, 5]]), one)) == 4.0


@pytest.mark.parametrize("variant", ["paper", "editor", "transformer"])
@pytest.mark.parametrize("recipe", ["FBsem", "CycML", "CycML+Lang"])
def test_a_tiny_model_trains_and_every_loss_falls(variant, recipe, corpus):
    told: dict[str, list[dict[str, float]]] = {}
    limits = [Limit(steps=steps) for steps in (60, 60, 120, 80)]
    settings = A4ntSettings(*limits, batch_size=32, learning_rate=2e-3, restoring_rate=5e-3, look_every=1)
    networks = (
        make(shape(variant)),
        Opponent(words=WORDS, classes=2, embedding=8, hidden=8),
        WordModel(words=WORDS, classes=2, embedding=8, hidden=8),
        JudgePanel(words=WORDS, classes=2),
    )
    table = unit_vectors()

    def embed(words, lengths):
        return (table[words] if words.dim() == 2 else words @ table).sum(1)

    def progress(stage, numbers):
        told.setdefault(stage, []).append(numbers)

    training = A4ntTraining(*networks, corpus, unit_vectors(), settings, progress, embed)
    training.learn_opponent()
    training.learn_language()
    training.learn_restoring()
    judge = copy.deepcopy(networks[1])
    before = measure(networks[0], judge, networks[2], corpus, WordDraw(seeded()))
    training.play(RECIPES[recipe])
    after = measure(networks[0], judge, networks[2], corpus, WordDraw(seeded()))
    for stage in ("opponent", "language", "restoring"):
        losses = [row["loss"] for row in told[stage]]
        assert np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5]), stage
    game = told["game"]
    assert set(game[0]) == {"step", "seconds", "loss", "opponent", *RECIPES[recipe].shares}
    # The terms weigh the same when the game begins.
    first = {term: np.mean([row[term] for row in game[:10]]) * training.weights[term] for term in training.weights}
    assert all(value == pytest.approx(1.0, rel=0.1) for value in first.values())
    assert before.sentences_before > 0.8
    assert after.sentences_after < min(before.sentences_after, 0.4)  # the judge is fooled


def test_recipes_that_cannot_be_followed_are_refused(corpus):
    sizes = {"words": WORDS, "classes": 2}
    networks = (make(shape("paper")), Opponent(**sizes), WordModel(**sizes), JudgePanel(**sizes))
    training = A4ntTraining(*networks, corpus, unit_vectors(), A4ntSettings())
    with pytest.raises(ParameterError, match="sentence encoder"):
        training.play(RECIPES["FBsem"])
    with pytest.raises(ParameterError, match="editor"):
        training.play(RECIPES["CycML+Lang+Near"])
    with pytest.raises(ParameterError):
        LossRecipe("mine", {"style": math.nan})
    with pytest.raises(ParameterError):
        A4ntTraining(*networks, corpus[:1], unit_vectors(), A4ntSettings())
    with pytest.raises(ParameterError):
        TranslatorShape(words=10, classes=1, variant="paper")
    with pytest.raises(InputError):
        A4ntSentences(np.zeros(0), np.zeros(0, dtype=int), CPU)


def test_a_term_counts_above_its_allowance():
    recipe = LossRecipe("mine", {"style": 1.0, "keep": 1.0}, {"keep": 0.3})
    values = torch.tensor([0.2, 0.5])
    torch.testing.assert_close(recipe.counted("keep", values), torch.tensor([0.0, 0.2]))
    torch.testing.assert_close(recipe.counted("style", values), values)
    with pytest.raises(ParameterError):
        LossRecipe("mine", {"style": 1.0}, {"keep": 0.3})


def test_frozen_networks_gather_no_gradient():
    opponent = Opponent(words=WORDS, classes=2)
    soft = torch.zeros(1, 2, WORDS, requires_grad=True)
    with frozen(opponent):
        style_loss(opponent, soft, torch.tensor([2]), FORTH).backward()
    assert soft.grad.abs().sum() > 0
    assert all(weight.grad is None and weight.requires_grad for weight in opponent.parameters())


def test_batches_hold_every_sentence_once(corpus):
    seen = []
    stream = corpus[0].forever(32, seeded())
    while len(seen) < 300:
        batch = next(stream)
        assert batch.words.shape[1] == int(batch.lengths.max())
        assert bool(((batch.words == PAD).sum(1) == batch.words.shape[1] - batch.lengths).all())
        seen += batch.rows.tolist()
    assert sorted(seen) == list(range(300))


def test_noise_hides_and_replaces_as_much_as_it_says():
    noise = A4ntNoise(unit_vectors(), 0.1, 0.2, seeded())
    words = torch.full((1000, 100), 7)
    noisy = noise(words)
    assert float((noisy == UNKNOWN).float().mean()) == pytest.approx(0.1, abs=0.01)
    assert float((noisy != 7).float().mean()) == pytest.approx(0.3, abs=0.01)
    assert noise(torch.full((1, 3), PAD)).tolist() == [[PAD] * 3]


@pytest.mark.parametrize("variant", ["paper", "editor", "transformer"])
def test_a_stored_model_does_nearly_the_same(variant, tmp_path):
    network, judge = make(shape(variant)).eval(), Opponent(words=WORDS, classes=2).eval()
    vocabulary = Vocabulary((*SPECIAL, *(f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(WORDS - 4))))
    store.save(tmp_path / "model", network, judge, vocabulary, {"classes": ["one", "other"]})
    restored, restored_judge, words, config = store.load(tmp_path / "model")
    assert words == vocabulary
    assert config["classes"] == ["one", "other"]
    sentence, lengths = torch.tensor([[5, 6, 7]]), torch.tensor([3])
    with torch.no_grad():
        one, other = (each.ratings(sentence, lengths, FORTH, sentence).softmax(-1) for each in (network, restored))
        assert float((one - other).abs().max()) < 0.01
        assert float((judge(sentence, lengths) - restored_judge(sentence, lengths)).abs().max()) < 0.05
