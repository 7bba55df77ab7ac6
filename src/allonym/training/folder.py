"""The folder of a model that a user trains: what may be in it, how a checkpoint is written, how the model appears.

While training is under way the folder holds `checkpoint/`; then the model, `SHA256` last, and no checkpoint. A crash
leaves the one to go on from, or the other. Only the user may read the files: weights are a release of the text they
were trained on. Needs no torch.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from allonym import disk, models
from allonym.errors import ModelError, ResumeError

if TYPE_CHECKING:
    from allonym.language.sequences import Vocabulary

CHECKPOINT = "checkpoint"
STATE = "state.json"  # in the checkpoint; written last, so that it is there if the checkpoint is whole
FINISHED = "finished"  # in the checkpoint: the model, until it is complete
FILES = (models.WEIGHTS, models.VOCABULARY, models.PIECES, models.CONFIG, models.CARD, models.CHECKSUMS)


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


def begin(folder: Path, *, resume: bool) -> None:
    """Make the folder; a model or checkpoint that is there is deleted, unless a run is resumed."""
    if not resume:
        clear(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def clear(folder: Path) -> None:
    """Delete a model and a checkpoint, if there are any."""
    for name in reversed(FILES):  # the checksums first: what is left is no model
        (folder / name).unlink(missing_ok=True)
    if (folder / CHECKPOINT).exists():
        shutil.rmtree(folder / CHECKPOINT)


@dataclass(frozen=True)
class FinishedModel:
    """All that goes into the folder of a model whose matrices are int8.

    Attributes:
        kind: What reads it.
        version: Of that format.
        sizes: Of the network, under the name that the configuration gives them.
        scaled: What of a matrix has a scale of its own.
        weights: The file of weights.
        vocabulary: What it knows.
        config: What else the configuration holds: "name", "training", "held_out", …
        card: The card.
        pieces: Pieces of words that it writes, if it writes any.
    """

    kind: str
    version: int
    sizes: Mapping[str, Mapping[str, Any]]
    scaled: str
    weights: bytes
    vocabulary: Vocabulary
    config: Mapping[str, Any]
    card: str
    pieces: Sequence[str] = ()

    def write(self, folder: Path) -> models.Model:
        """Write and seal a folder, made if it is not there."""
        rounding = {"matrices": "int8", "scales": f"float32, one {self.scaled}", "rest": "float32"}
        about = {"name": self.config["name"], "version": self.version, "format": self.kind}
        full = {**about, **self.sizes, "quantisation": rounding, **self.config}
        folder.mkdir(parents=True, exist_ok=True)
        disk.write(folder / models.WEIGHTS, self.weights)
        self.vocabulary.save(folder / models.VOCABULARY)
        if self.pieces:
            disk.write(folder / models.PIECES, "".join(f"{piece}\n" for piece in self.pieces).encode())
        disk.write(folder / models.CONFIG, (json.dumps(full, indent=2, ensure_ascii=False) + "\n").encode())
        disk.write(folder / models.CARD, self.card.encode())
        return models.seal(folder)


def table_of(figures: Mapping[str, Any]) -> str:
    """Return figures, some of them in groups, as a Markdown table for a card."""
    lines = ["| | |", "|---|---|"]
    for name, value in figures.items():
        group = value if isinstance(value, dict) else {"": value}
        for inner, number in group.items():
            label = " ".join(part for part in (name, inner) if part).replace("_", " ")
            lines.append(f"| {label} | {round(number, 4) if isinstance(number, float) else number} |")
    return "\n".join(lines) + "\n"


def publish(folder: Path) -> None:
    """Move the finished and sealed model out of the checkpoint to its place, then drop the checkpoint."""
    made = folder / CHECKPOINT / FINISHED
    for name in (name for name in FILES if (made / name).exists()):  # the checksums are the last
        (made / name).chmod(0o600)
        disk.sync(made / name)
        os.replace(made / name, folder / name)
    disk.sync(folder)
    shutil.rmtree(folder / CHECKPOINT)


def save_checkpoint(checkpoint: Path, name: str, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> None:
    """Write arrays to a file of this name, then the state, which names it: from then on the checkpoint is valid.

    Older files go after that. Only the user may read them: weights are a release of the text they were trained on.
    """
    import safetensors.numpy

    checkpoint.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = safetensors.numpy.save(dict(arrays))
    whole = {**state, "file": name, "digest": _digest(content)}
    disk.write(checkpoint / name, content, private=True)
    disk.write(checkpoint / STATE, (json.dumps(whole, indent=1) + "\n").encode(), private=True)
    for other in checkpoint.glob("*.safetensors*"):
        if other.name != name:
            with suppress(OSError):
                other.unlink()


def read_arrays(checkpoint: Path, state: Mapping[str, Any]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the arrays that a state names, in groups by what stands before the first stroke of their names.

    Raises:
        ResumeError: Their file is missing or damaged.
    """
    from safetensors.numpy import load

    path = checkpoint / Path(str(state["file"])).name
    content = path.read_bytes() if path.is_file() else b""
    if _digest(content) != state["digest"]:
        raise ResumeError(f"{path} is missing or damaged; train anew with --force.")
    groups: dict[str, dict[str, NDArray[Any]]] = {}
    for name, array in load(content).items():
        group, _, rest = name.partition("/")
        groups.setdefault(group, {})[rest] = array.copy()  # torch wants arrays that can be written
    return groups


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=32).hexdigest()


def read_state(checkpoint: Path, usable: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the state of a checkpoint.

    `usable` tells whether this version wrote such a state, and may also raise ValueError, KeyError or TypeError.

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
