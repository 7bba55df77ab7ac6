"""What the tool that trains the shipped ER-AE keeps: weights in small files, and the optimizer's moments."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import train_erae  # noqa: E402 - needs torch

from allonym.networks.erae.inference import EraeShape  # noqa: E402
from allonym.training.erae.network import Erae  # noqa: E402


def small():
    torch.manual_seed(1)
    return Erae(EraeShape(30, "attention", embedding=16, encoder=12, latent=8, generator=24))


def test_large_weights_are_split_into_files_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(train_erae, "_LARGEST_FILE", 2000)
    network = small()
    train_erae.save(tmp_path, network.shape, network.state_dict(), {"done": 0.5})
    assert len(list(tmp_path.glob("weights-*.safetensors"))) > 2
    again, state = train_erae.load(tmp_path)
    assert state["done"] == 0.5
    for name, weight in network.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], weight, rtol=1e-3, atol=1e-4)


def test_the_optimizer_goes_on_where_it_was(tmp_path):
    network, again = small(), small()
    first, second = (torch.optim.AdamW(each.parameters()) for each in (network, again))
    sum(weight.square().sum() for weight in network.parameters()).backward()
    first.step()
    train_erae.save_optimizer(tmp_path, network, first)
    assert train_erae.load_optimizer(tmp_path, again, second)
    assert torch.equal(second.state[again.bias]["exp_avg"], first.state[network.bias]["exp_avg"])
    assert not train_erae.load_optimizer(tmp_path / "elsewhere", again, second)
