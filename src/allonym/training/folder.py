"""The folder of a model that a user trains: what may be in it, how a checkpoint is written, how the model appears.

While training is under way the folder holds `checkpoint/`; then the model, `SHA256` last, and no checkpoint. A crash
leaves the one to go on from, or the other. Only the user may read the files: weights are a release of the text they
were trained on. Needs no torch.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from allonym import models
from allonym.disk import sync
from allonym.errors import ModelError, ResumeError

CHECKPOINT = "checkpoint"
STATE = "state.json"  # in the checkpoint; written last, so that it is there if the checkpoint is whole
FINISHED = "finished"  # in the checkpoint: the model, until it is complete
FILES = (models.WEIGHTS, models.VOCABULARY, models.CONFIG, models.CARD, models.CHECKSUMS)


def check_room(folder: Path, *, force: bool) -> None:
    """Refuse a folder that a new model must not go to.

    Raises:
        ModelError: The folder is in use and `force` is not given, or holds other things than a model.
    """
    if folder.exists() and not folder.is_dir():
        raise ModelError(f"{folder} is not a folder; choose another -o.")
    held = {entry.name for entry in folder.iterdir()} if folder.exists() else set()
    if strangers := held - {*FILES, CHECKPOINT}:
        raise ModelError(f"{folder} holds things that are no part of a model ({len(strangers)}); choose another -o.")
    if held and not force:
        raise ModelError(f"{folder} is not empty; choose another -o, add --force, or --resume if it was interrupted.")


def clear(folder: Path) -> None:
    """Delete a model and a checkpoint, if there are any."""
    for name in reversed(FILES):  # the checksums first: what is left is no model
        (folder / name).unlink(missing_ok=True)
    if (folder / CHECKPOINT).exists():
        shutil.rmtree(folder / CHECKPOINT)


def publish(folder: Path) -> None:
    """Move the finished and sealed model out of the checkpoint to its place, then drop the checkpoint."""
    made = folder / CHECKPOINT / FINISHED
    for name in FILES:  # the checksums are the last
        (made / name).chmod(0o600)
        sync(made / name)
        os.replace(made / name, folder / name)
    sync(folder)
    shutil.rmtree(folder / CHECKPOINT)


def read_state(checkpoint: Path, usable: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the state of a checkpoint.

    Args:
        checkpoint: Its folder.
        usable: Tells whether this version wrote such a state; may also raise ValueError, KeyError or TypeError.

    Raises:
        ResumeError: There is no checkpoint, or one that this version cannot read.
    """
    path = checkpoint / STATE
    if not path.is_file():
        raise ResumeError(f"There is no checkpoint in {checkpoint.parent}; leave out --resume to train anew.")
    try:
        state: dict[str, Any] = json.loads(path.read_bytes())
        readable = usable(state)
    except (ValueError, KeyError, TypeError, OSError):
        readable = False
    if not readable:
        raise ResumeError(f"{path} is damaged, or written by another version of allonym; train anew with --force.")
    return state
