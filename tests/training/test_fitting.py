"""The training loop: seeds, batches, who is held out, when it stops."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from allonym.errors import ParameterError
from allonym.randomness import insecure

if find_spec("torch") is None:
    pytest.skip("torch is not installed (pip install 'allonym[neural]')", allow_module_level=True)

import torch
from torch import nn

from allonym.training import fitting


class Points:
    """Examples that are points in the plane."""

    def __init__(self, points):
        self.points = torch.tensor(points, dtype=torch.float32)
        self.lengths = np.zeros(len(points), dtype=np.int64)

    def batch(self, rows):
        return (self.points[torch.from_numpy(rows)],)


class Line(fitting.Classifier):
    """The smallest classifier there is."""

    def __init__(self):
        super().__init__()
        self.output = nn.Linear(2, 2)

    def forward(self, points):
        return self.output(points).log_softmax(-1)

    def optimizer(self, learning_rate):
        return torch.optim.SGD(self.parameters(), lr=learning_rate)


def schedule(**settings):
    return fitting.Schedule(
        **{"epochs": 20, "patience": 5, "batch_size": 4, "learning_rate": 0.5, "seed": 1} | settings
    )


def around(points=40):
    """Return points on a circle, one class left and one right."""
    angles = np.linspace(0, 2 * np.pi, points, endpoint=False) + 0.01
    return np.stack([np.cos(angles), np.sin(angles)], 1), (np.cos(angles) > 0).astype(np.int64)


def test_it_learns_a_line():
    points, classes = around()
    network = fitting.fit(Line, Points(points), classes, np.arange(len(points)), schedule())
    assert (fitting.log_probabilities(network, Points(points)).argmax(1) == classes).all()


def test_torchs_own_generator_is_left_as_it_was():
    points, classes = around()
    before = torch.get_rng_state()
    fitting.fit(Line, Points(points), classes, np.arange(len(points)), schedule(epochs=1))
    assert torch.equal(torch.get_rng_state(), before)


def test_what_torch_draws_follows_from_the_seed():
    drawn = []
    for seed in (3, 3, 4):
        with fitting.seeded(seed):
            drawn.append(nn.Linear(3, 3).weight.detach().numpy())
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_the_epoch_with_the_lowest_loss_is_kept_and_patience_ends():
    """Labels at random cannot be learned: what is held out tells, and training stops early."""
    points, _ = around()
    classes = insecure(5).below(2, (len(points),))
    told = []
    watched = schedule(epochs=500, patience=3, progress=lambda done, most, loss: told.append(loss))
    network = fitting.fit(Line, Points(points), classes, np.arange(len(points)), watched)
    assert len(told) < 500
    assert min(told) == told[-4]
    _, held_out = fitting._split(np.arange(len(points)), _stream_after_seeding(1))
    assert fitting._loss(network, Points(points), classes, held_out) == pytest.approx(min(told), abs=1e-6)


def _stream_after_seeding(seed):
    with fitting.seeded(seed) as stream:
        return stream


def test_whole_documents_are_held_out_a_tenth_of_them():
    documents = np.repeat(np.arange(30), 3)
    kept, held_out = fitting._split(documents, insecure(1))
    assert sorted([*kept, *held_out]) == list(range(90))
    assert len(held_out) == 9
    assert not set(documents[kept]) & set(documents[held_out])


def test_of_few_documents_none_is_held_out_and_every_epoch_is_run():
    points, classes = around(8)
    told = []
    watched = schedule(epochs=12, patience=1, progress=lambda done, most, loss: told.append(done))
    fitting.fit(Line, Points(points), classes, np.arange(len(points)), watched)
    assert told == list(range(1, 13))


def test_batches_hold_every_example_once_and_like_lengths_together():
    examples = Points(np.zeros((100, 2)))
    examples.lengths = insecure(2).below(50, (100,))
    rows = np.arange(10, 100)
    batches = fitting._batches(rows, examples, 8, insecure(1))
    assert sorted(np.concatenate(batches)) == rows.tolist()
    spans = sorted((examples.lengths[batch].min(), examples.lengths[batch].max()) for batch in batches)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert [batch.tolist() for batch in batches] != [
        batch.tolist() for batch in fitting._batches(rows, examples, 8, insecure(3))
    ]


def test_scores_come_back_in_the_order_of_their_rows():
    points = insecure(1).below(1000, (600, 2)) / 1000
    examples = Points(points)
    examples.lengths = insecure(2).below(50, (600,))
    with fitting.seeded(1):
        network = Line()
    rows = np.arange(599, -1, -1)
    expected = network(examples.points[torch.from_numpy(rows.copy())]).detach().numpy()
    np.testing.assert_allclose(fitting.log_probabilities(network, examples, rows), expected, atol=1e-6)


def test_weights_survive_as_arrays():
    with fitting.seeded(1):
        network, other = Line(), Line()
    restored = fitting.with_arrays(other, fitting.arrays_of(network))
    points = Points(around()[0])
    np.testing.assert_array_equal(
        fitting.log_probabilities(network, points), fitting.log_probabilities(restored, points)
    )


def test_a_missing_graphics_card_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert fitting.chosen_device("auto") == torch.device("cpu")
    with pytest.raises(ParameterError, match="graphics card"):
        fitting.chosen_device("cuda")
