"""The networks over texts, each against the sums of its paper written out."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse

if find_spec("torch") is None:
    pytest.skip("torch is not installed (pip install 'allonym[neural]')", allow_module_level=True)

import torch
from torch import nn

from allonym.training import fitting
from allonym.training.classifiers.character_averages import Bags, CharacterAveragesNetwork
from allonym.training.classifiers.text_lstm import Sentences, TextLSTMConvolutionNetwork, TextLSTMNetwork

COUNTS = np.array([[2, 0, 1, 0], [0, 0, 0, 0], [0, 5, 0, 3]])
SENTENCES = [[2, 3, 4, 5, 6], [7], [1, 1], [6, 2, 7, 3, 3, 4, 5]]


def averages():
    with fitting.seeded(1):
        return CharacterAveragesNetwork(grams=4, classes=3, embedding_size=5, dropout=0.75).eval()


def recurrent(kind):
    with fitting.seeded(1):
        return kind(words=8, classes=3, embedding_size=4, hidden_size=5).eval()


def test_a_text_is_the_mean_of_its_grams():
    network = averages()
    embeddings = network.embedding.weight
    means = torch.stack(
        [(2 * embeddings[0] + embeddings[2]) / 3, torch.zeros(5), (5 * embeddings[1] + 3 * embeddings[3]) / 8]
    )
    expected = network.output(means).log_softmax(-1).detach().numpy()
    scores = fitting.log_probabilities(network, Bags(sparse.csr_array(COUNTS)))
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_bags_can_be_taken_in_any_order():
    grams, shares, starts = Bags(sparse.csr_array(COUNTS)).batch(np.array([2, 1, 0]))
    assert grams.tolist() == [1, 3, 0, 2]
    np.testing.assert_allclose(shares.numpy(), [5 / 8, 3 / 8, 2 / 3, 1 / 3], rtol=1e-6)
    assert starts.tolist() == [0, 2, 2]


def test_training_drops_whole_grams_and_keeps_the_mean():
    """Of one gram alone in its text, a step sees nothing or four times its embedding (dropout 3/4)."""
    network = averages().train()
    bare = network.output(torch.zeros(1, 5)).log_softmax(-1)
    full = network.output(4 * network.embedding.weight[:1]).log_softmax(-1)
    with fitting.seeded(2):
        seen = [network(*Bags(sparse.csr_array([[1, 0, 0, 0]])).batch(np.array([0]))) for _ in range(40)]
    dropped = [torch.allclose(scores, bare, atol=1e-6) for scores in seen]
    kept = [torch.allclose(scores, full, atol=1e-6) for scores in seen]
    assert all(one != other for one, other in zip(dropped, kept, strict=True))
    assert 0 < sum(kept) < sum(dropped)


def test_the_lstm_sums_a_sentence_up_by_its_last_and_mean_state():
    network = recurrent(TextLSTMNetwork)
    for sentence in SENTENCES:
        states, _ = network.lstm(network.embedding(torch.tensor([sentence])))
        expected = network.output(torch.cat([states[0, -1], states[0].mean(0)])).log_softmax(-1)
        scores = fitting.log_probabilities(network, Sentences([sentence]))[0]
        np.testing.assert_allclose(scores, expected.detach().numpy(), atol=1e-6)


def test_the_holdout_takes_each_filters_largest_value():
    network = recurrent(TextLSTMConvolutionNetwork)
    for sentence in SENTENCES:
        states, _ = network.lstm(network.embedding(torch.tensor([sentence])))
        largest = []
        for convolution in network.convolutions:
            width = convolution.kernel_size[0]
            padded = nn.functional.pad(states[0], (0, 0, width, width))
            windows = torch.stack([padded[start : start + width].T for start in range(len(padded) - width + 1)])
            values = torch.einsum("phw,fhw->pf", windows, convolution.weight) + convolution.bias
            largest.append(nn.functional.leaky_relu(values).amax(0))
        expected = network.output(torch.cat(largest)).log_softmax(-1)
        scores = fitting.log_probabilities(network, Sentences([sentence]))[0]
        np.testing.assert_allclose(scores, expected.detach().numpy(), atol=1e-6)


@pytest.mark.parametrize("kind", [TextLSTMNetwork, TextLSTMConvolutionNetwork])
def test_padding_changes_nothing(kind):
    network = recurrent(kind)
    together = fitting.log_probabilities(network, Sentences(SENTENCES))
    alone = [fitting.log_probabilities(network, Sentences([sentence]))[0] for sentence in SENTENCES]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.exp(together).sum(1), 1, atol=1e-5)


def test_sentences_are_padded_to_the_longest_of_the_batch():
    words, lengths = Sentences(SENTENCES).batch(np.array([2, 0]))
    assert words.tolist() == [[1, 1, 0, 0, 0], [2, 3, 4, 5, 6]]
    assert lengths.tolist() == [2, 5]
