"""Training ER-AE on a user's text: exact resumption, checkpoints that survive, folders that are never half a model."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("torch") is None:
    pytest.skip("torch is not installed (pip install 'allonym[neural]')", allow_module_level=True)

import torch

from allonym import models
from allonym.errors import ModelError, ParameterError, ResumeError
from allonym.networks.erae.inference import EraeReader
from allonym.training import checkpoints
from allonym.training.erae import own_text
from allonym.training.erae.corpus import prepare
from allonym.training.erae.own_text import EraeRecipe, train
from allonym.training.folder import CHECKPOINT, FILES
from allonym.training.keeping import Watcher

CPU = torch.device("cpu")
pytestmark = pytest.mark.usefixtures("one_thread")
PARTS = (
    ("the teacher", "my neighbour", "the doctor", "her brother", "the cook", "a driver", "the farmer", "our cat"),
    ("opened", "closed", "painted", "lost", "found", "sold", "bought", "moved", "cleaned", "watched"),
    ("the door", "the window", "a letter", "the old car", "a red chair", "the garden", "a book", "the boat"),
    ("in the morning", "after lunch", "before dinner", "on monday", "last week", "with care", "in the rain"),
)


@pytest.fixture(scope="module")
def corpus():
    sentences = [" ".join(part[number * step % len(part)] for part, step in zip(PARTS, (1, 3, 5, 2), strict=True))
                 for number in range(400)]  # fmt: skip
    texts = [". ".join(sentences[start : start + 4]) + "." for start in range(0, 400, 4)]
    texts = [f"{text} It was day {number + 20}." for number, text in enumerate(texts)]
    return prepare([(None, text) for text in texts], words=200, shared_by=3, held_out=0.1, seed=1)


RECIPE = EraeRecipe(size="tiny", words=200, epochs=3, batch=32)


class Stop:
    """Asks to stop after some steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self) -> bool:
        self.left -= 1
        return self.left <= 0


def run(corpus, folder, recipe=RECIPE, *, resume=False, **watched):
    return train(corpus, recipe, folder, device=CPU, resume=resume, watcher=Watcher(**watched))


@pytest.fixture(scope="module")
def uninterrupted(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "whole"
    losses = []
    found = run(corpus, folder, look=lambda found: losses.append(found["held_out_loss"]))
    return folder, found, losses


def test_the_loss_falls_and_the_folder_is_a_model(uninterrupted, corpus):
    folder, found, losses = uninterrupted
    assert losses[-1] < losses[0] - 0.3
    assert sorted(path.name for path in folder.iterdir()) == sorted({*FILES} - {models.PIECES})
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())
    model = models.verify(folder)
    assert model.config["trained_on"] == "user text"
    assert model.config["training"]["differential_privacy"] is False
    assert "release of its training text" in model.card
    assert "at least 3 documents" in model.card
    assert found.words == len(corpus.vocabulary) == len(EraeReader.open(folder).vocabulary)
    assert model.config["rounding"]["shared_of_five"] > 0.8


def test_only_models_of_users_carry_the_assumption(uninterrupted):
    [assumption] = EraeReader.open(uninterrupted[0]).assumptions
    assert "without differential privacy" in assumption
    assert EraeReader.open("erae-en").assumptions == ()


def test_a_model_that_only_rounding_changed_rates_as_the_network_does(uninterrupted, corpus):
    folder, found, _ = uninterrupted
    reader = EraeReader.open(folder)
    watched = corpus.watched()
    steps = [len(sentence) + 1 for sentence in watched]
    rated = np.concatenate([block.argmax(-1) for block in reader.ratings(reader.features(watched, steps))])
    wanted = np.concatenate([[*sentence, 2] for sentence in watched])
    assert (rated == wanted)[wanted != 3].mean() == pytest.approx(found.held_out.accuracy, abs=0.05)


@pytest.mark.parametrize("steps", [1, 13, 26])
def test_an_interrupted_run_ends_in_the_same_model(uninterrupted, corpus, tmp_path, steps):
    folder = tmp_path / "whole"  # the name is in the card
    with pytest.raises(KeyboardInterrupt):
        run(corpus, folder, stop=Stop(steps))
    assert not (folder / "SHA256").exists()
    with pytest.raises(ModelError):
        models.verify(folder)
    assert all(path.stat().st_mode & 0o077 == 0 for path in [folder, *folder.rglob("*")])
    found = run(corpus, folder, resume=True)
    assert found.as_if_uninterrupted
    whole = uninterrupted[0]
    for name in ("weights.safetensors", "vocabulary.txt"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()
    assert not (folder / CHECKPOINT).exists()


def test_the_papers_variant_resumes_exactly_through_its_two_stages(corpus, tmp_path):
    recipe = EraeRecipe(size="tiny", words=200, epochs=3, batch=64, variant="paper")
    run(corpus, tmp_path / "whole", recipe)
    for resume, steps in ((False, 9), (True, 9)):  # of 24: after the noise was learned, and in the stage with rewards
        with pytest.raises(KeyboardInterrupt):
            run(corpus, tmp_path / "parts", recipe, resume=resume, stop=Stop(steps))
    run(corpus, tmp_path / "parts", recipe, resume=True)
    whole, parts = ((tmp_path / name / "weights.safetensors").read_bytes() for name in ("whole", "parts"))
    assert whole == parts


def test_early_stopping_ends_the_run(corpus, tmp_path):
    recipe = EraeRecipe(size="tiny", words=200, epochs=500, batch=64, patience=2, learning_rate=1e-9)
    assert run(corpus, tmp_path / "model", recipe).steps < 100


def test_a_crash_while_the_model_is_written_can_be_resumed(corpus, tmp_path, monkeypatch):
    folder = tmp_path / "model"
    replace = os.replace

    def crash(source, target):
        if str(target).endswith("config.json"):
            raise OSError("the disk is full")
        replace(source, target)

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(OSError, match="full"):
        run(corpus, folder)
    monkeypatch.undo()
    assert not models.check(folder).ok
    run(corpus, folder, resume=True)
    assert models.check(folder).ok


def test_a_checkpoint_is_whole_or_the_one_before(corpus, tmp_path):
    folder = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        run(corpus, folder, stop=Stop(12))
    kept = folder / CHECKPOINT
    [state] = kept.glob("state-*.safetensors")
    (kept / "state-99.safetensors.new").write_bytes(b"half")  # of a write that was cut off
    assert checkpoints.read(kept)["fingerprint"] == corpus.fingerprint
    content = state.read_bytes()
    state.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ResumeError, match="damaged"):
        run(corpus, folder, resume=True)
    state.write_bytes(content)
    run(corpus, folder, resume=True)
    assert models.check(folder).ok


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 0}', '{"format": 1, "record": 3, "state": {}}'])
def test_a_damaged_state_is_refused(tmp_path, content):
    (tmp_path / "state.json").write_text(content, "utf-8")
    with pytest.raises(ResumeError, match="damaged"):
        checkpoints.read(tmp_path)


def test_a_checkpoint_of_another_network_is_refused(corpus, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "model", stop=Stop(2))
    with pytest.raises(ResumeError, match="another network"):
        run(corpus, tmp_path / "model", EraeRecipe(size="small", words=200, epochs=3, batch=32), resume=True)
    with pytest.raises(ResumeError, match="no checkpoint"):
        run(corpus, tmp_path / "elsewhere", resume=True)


def test_a_checkpoint_holds_no_text(corpus, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "model", stop=Stop(2))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "model").rglob("*") if path.is_file())
    assert not any(word.encode() in kept for word in ("teacher", "brother", "painted", "farmer"))
    record = json.loads((tmp_path / "model" / CHECKPOINT / "state.json").read_bytes())["record"]
    assert set(record) == {"recipe", "fingerprint"}


def test_a_diverging_run_says_so(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(own_text.EraeTraining, "_held_out_loss", lambda self: float("nan"))
    with pytest.raises(ParameterError, match="learning-rate"):
        run(corpus, tmp_path / "model")


def test_minutes_end_a_run(corpus, tmp_path):
    recipe = EraeRecipe(size="tiny", words=200, minutes=0.01, batch=32)
    run(corpus, tmp_path / "model", recipe)
    assert models.verify(tmp_path / "model").config["held_out"]["minutes"] < 0.2
