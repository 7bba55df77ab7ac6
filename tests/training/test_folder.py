"""The folder of a model in training: only a model is ever replaced, files are whole and private, checksums last."""

from __future__ import annotations

import os

import pytest

from allonym.errors import ModelError
from allonym.training import folder
from allonym.training.folder import CHECKPOINT, FILES, FINISHED, check_room


def test_only_a_model_is_ever_replaced(tmp_path):
    check_room(tmp_path / "new", force=False)
    (tmp_path / "model").mkdir()
    check_room(tmp_path / "model", force=False)
    (tmp_path / "model" / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="--force"):
        check_room(tmp_path / "model", force=False)
    check_room(tmp_path / "model", force=True)
    (tmp_path / "model" / "thesis.txt").write_text("mine")
    with pytest.raises(ModelError, match="no part of a model"):
        check_room(tmp_path / "model", force=True)
    with pytest.raises(ModelError, match="not a folder"):
        check_room(tmp_path / "model" / "thesis.txt", force=True)


def test_the_checksums_come_last_and_go_first(tmp_path, monkeypatch):
    made = tmp_path / CHECKPOINT / FINISHED
    made.mkdir(parents=True)
    for name in FILES:
        (made / name).write_text(name)
    moved, replace = [], os.replace

    def watched(source, target):
        moved.append(target.name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    folder.publish(tmp_path)
    assert moved == list(FILES)
    assert moved[-1] == "SHA256"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)  # the checkpoint is gone
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
    (tmp_path / CHECKPOINT).mkdir()
    folder.clear(tmp_path)
    assert not list(tmp_path.iterdir())
