"""ER-AE's network: shapes, losses, noise, and that it learns."""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("torch") is None:
    pytest.skip("torch is not installed (pip install 'allonym[neural]')", allow_module_level=True)

import torch

from allonym.language import sequences
from allonym.training.erae import network as erae
from allonym.training.erae.loop import EraeNoise, EraeSentences, EraeSettings, EraeTraining, measure
from allonym.training.erae.network import (
    END,
    START,
    UNKNOWN,
    Erae,
    EraeShape,
    embedding_reward_loss,
    reward,
)
from allonym.training.fitting import seeded
from allonym.training.steps import cross_entropy

WORDS = 40
CPU = torch.device("cpu")
pytestmark = pytest.mark.usefixtures("one_thread")


def small(variant="attention", dropout=0.0):
    with seeded(3):
        return Erae(EraeShape(WORDS, variant, embedding=16, encoder=12, latent=8, generator=24), dropout)


def corpus(count=600):
    """Sentences that count upwards from some word, by ones or by twos."""
    rows = [[4 + (first + place * stride) % 36 for place in range(3 + (first + stride) % 5)]
            for number in range(count) for first, stride in [(number * 7 % 36, 1 + number % 2)]]  # fmt: skip
    return np.array([word for row in rows for word in row]), np.array([len(row) for row in rows])


def some_vectors():
    with seeded(5):
        vectors = torch.nn.functional.normalize(torch.empty(WORDS, 6).normal_(), dim=-1)
    vectors[:5] = 0
    return vectors


def test_the_special_tokens_are_those_of_the_vocabulary():
    ours = (erae.PAD, erae.START, erae.END, erae.UNKNOWN)
    assert ours == (sequences.PAD, sequences.START, sequences.END, sequences.UNKNOWN)
    assert sequences.LONGEST_SENTENCE + 1 <= erae.LONGEST


def test_a_batch_holds_sentences_and_what_follows_them():
    batch = EraeSentences(np.array([7, 8, 9, UNKNOWN, 6]), np.array([1, 4]), CPU).batch(np.array([0, 1]))
    assert batch.targets.tolist() == [[8, 9, UNKNOWN, 6, END, END, END], [7, END, END, END, END, END, END]]
    assert batch.previous.tolist() == [[START, 8, 9, UNKNOWN, 6, END, END], [START, 7, END, END, END, END, END]]
    assert batch.lengths.tolist() == [5, 2]
    assert batch.read.shape == (2, 5)
    assert (batch.weights[0] > 0).tolist() == [True, True, False, True, True, True, True]
    assert (batch.weights[1] > 0).tolist() == [True] * 4 + [False] * 3
    assert batch.inside.sum(1).tolist() == [4, 2]


def test_every_sentence_comes_once_in_shuffled_batches():
    tokens, lengths = corpus(70)
    sentences = EraeSentences(tokens, lengths, CPU)
    chance = torch.Generator().manual_seed(1)
    batches = list(sentences.shuffled(16, chance))
    assert sum(len(batch.lengths) for batch in batches) == 70
    assert sorted(length for batch in batches for length in (batch.lengths - 1).tolist()) == sorted(lengths.tolist())


@pytest.mark.parametrize("variant", ["paper", "attention"])
def test_ratings_do_not_depend_on_the_batch(variant):
    network = small(variant).eval()
    tokens, lengths = corpus(5)
    sentences = EraeSentences(tokens, lengths, CPU)
    together = sentences.batch(np.arange(5))
    order = np.argsort(-lengths, kind="stable")
    with torch.no_grad():
        all_at_once = network(together.read, together.lengths, together.previous)
        for place, row in enumerate(order):
            alone = sentences.batch(np.array([row]))
            one = network(alone.read, alone.lengths, alone.previous)[0]
            torch.testing.assert_close(all_at_once[place, : len(one)], one, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("variant", ["paper", "attention"])
def test_unknown_pad_and_start_are_never_written(variant):
    network = small(variant).eval()
    batch = EraeSentences(*corpus(20), CPU).batch(np.arange(20))
    with torch.no_grad():
        chances = network(batch.read, batch.lengths, batch.previous).softmax(-1)
    assert chances[..., list(erae.NEVER_WRITTEN)].max() == 0
    assert chances[..., END].min() > 0


def test_reconstruction_is_the_mean_log_likelihood():
    logits = torch.tensor([[[0.0, math.log(3.0)], [5.0, 5.0]]])
    targets, weights = torch.tensor([[1, 0]]), torch.tensor([[1.0, 0.0]])
    assert cross_entropy(logits, targets, weights).item() == pytest.approx(math.log(4 / 3))


def test_the_reward_is_the_capped_cosine():
    vectors = torch.tensor([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    found = reward(torch.tensor([[0, 3]]), torch.tensor([[[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]]), vectors)
    assert found[0, 0].tolist() == pytest.approx([0.85, 0.6, 1e-5, 1e-5, 0.85])
    assert found[0, 1].tolist() == pytest.approx(
        [1e-5, 1e-5, 1e-5, 0.85, 1e-5]
    )  # without a vector only itself is close


def test_the_reward_loss_by_hand():
    vectors = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    logits = torch.tensor([[[0.5, 0.3, 0.2]]]).log()
    loss = embedding_reward_loss(
        logits, torch.tensor([[0]]), torch.ones(1, 1), vectors, explored=torch.tensor([[[1]]]), best=2
    )
    expected = -(0.85 * math.log(0.5) + 0.6 * math.log(0.3) + 0.6 * math.log(0.3))
    assert loss.item() == pytest.approx(expected, rel=1e-5)


def test_noise_hides_and_replaces_by_near_words_only():
    vectors = some_vectors()
    noise = EraeNoise(vectors, EraeSettings(masked=0.2, replaced=0.5))
    read = torch.arange(WORDS)[5:].repeat(400, 1)
    seen = noise(read, torch.Generator().manual_seed(2))
    hidden, same = (seen == UNKNOWN), (seen == read)
    assert hidden.float().mean().item() == pytest.approx(0.2, abs=0.02)
    assert same.float().mean().item() == pytest.approx(0.3, abs=0.02)
    near = set(noise.neighbours[7].tolist())
    assert set(seen[:, 2].tolist()) <= near | {7, UNKNOWN}
    assert not near & {0, 1, 2, 3, 7}
    no_vector, ends = torch.full((1, 500), 4), torch.full((1, 500), END)
    assert set(noise(no_vector, torch.Generator().manual_seed(2)).flatten().tolist()) == {4, UNKNOWN}
    assert (noise(ends, torch.Generator().manual_seed(2)) == END).all()
    noise.learn(vectors.flip(0))
    assert UNKNOWN not in noise.neighbours[4].tolist()  # the network knows what is near now


def trained(variant, **settings):
    tokens, lengths = corpus()
    network, said = small(variant), []
    chosen = EraeSettings(
        **{"steps": 80, "batch_size": 64, "learning_rate": 1e-2, "look_every": 20, "warm_up": 5, **settings}
    )
    learned, held_out = EraeSentences(tokens, lengths, CPU), EraeSentences(*corpus(64), CPU)
    training = EraeTraining(network, learned, held_out, some_vectors(), chosen, said.append)
    with seeded(7):
        training.run()
    return training, said


@pytest.mark.parametrize("variant", ["paper", "attention"])
def test_the_loss_falls(variant):
    training, said = trained(variant, masked=0.1, replaced=0.1, reward_from=2.0, steps=120)
    assert said[-1]["held_out_loss"] < 0.6 * math.log(WORDS)
    assert said[-1]["accuracy"] > 2 * said[0]["accuracy"] or said[-1]["accuracy"] > 0.9
    assert said[-1]["among_five"] >= said[-1]["accuracy"]
    assert training.done == 1.0
    assert len(said) == 6


def test_the_reward_draws_near_words_up():
    _, plain = trained("attention", reward_from=2.0, masked=0.0, replaced=0.0, steps=160)
    _, rewarded = trained("attention", reward_from=0.4, masked=0.0, replaced=0.0, steps=160)
    assert rewarded[-1]["closeness"] > plain[-1]["closeness"] + 0.05


def test_the_same_seed_trains_the_same_network():
    first, second = (trained("attention", steps=6)[0].network.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_stage_that_no_longer_helps_ends():
    training, said = trained("attention", learning_rate=0.0, patience=2, look_every=1, reward_from=0.5)
    assert training.step == 6  # one look to start from and two without gain, in each of the two stages
    assert said[-1]["done"] < 1.0 == training.done


def test_pretrained_vectors_and_frequencies_start_the_network():
    network, vectors = small(), some_vectors().numpy()
    before = network.embedding.weight.detach().clone()
    network.set_word_vectors(vectors)
    np.testing.assert_allclose(network.embedding.weight.detach().numpy()[5:, :6], vectors[5:])
    assert torch.equal(network.embedding.weight[:5], before[:5])
    network.set_frequencies(np.arange(WORDS))
    assert network.bias.diff().min() > 0


def test_measuring_a_perfect_copier():
    class Copier(Erae):
        def forward(self, read, lengths, previous):
            following = torch.cat([previous[:, 1:], torch.full_like(previous[:, :1], END)], dim=1)
            return 50.0 * torch.nn.functional.one_hot(following, WORDS).float()

    found = measure(Copier(small().shape), EraeSentences(*corpus(30), CPU), some_vectors(), 8)
    assert found.accuracy == found.among_five == 1.0
    assert found.clear_loss < 1e-6
