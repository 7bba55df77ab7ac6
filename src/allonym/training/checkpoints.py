"""Where a training run stands, on disk, so that it can go on after a crash as if nothing had happened.

A checkpoint is `state-N.safetensors` (weights, the best ones so far, the optimizer's moments, what else a method
learned, and the states of all random generators) and `state.json`, which names that file and holds the counters. They
hold no text, but a hash of all of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from allonym.errors import ResumeError
from allonym.training.folder import read_arrays, read_state, save_checkpoint

if TYPE_CHECKING:
    import torch

    from allonym.training.steps import Best, Clock

_FORMAT = 1


class Resumable(Protocol):
    """A training run that can be written down between two steps."""

    best: Best
    clock: Clock
    step: int
    done: float  # share of the training
    seconds_before: float  # of the run that this one resumes
    chance: torch.Generator  # of noise, on the device
    order: torch.Generator
    order_of_epoch: torch.Tensor  # the state of `order` before the present epoch's was drawn

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of its numbers and flags."""

    @property
    def network(self) -> torch.nn.Module:
        """What is trained."""

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """What makes the steps."""

    @property
    def device(self) -> torch.device:
        """Where it is trained."""

    def run(self) -> torch.nn.Module:
        """Train to the end; the network is then the best one."""

    def further(self) -> dict[str, torch.Tensor]:
        """Return what else it has learned, by name."""

    def take_further(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Go on with what `further` returned."""


def save(folder: Path, training: Resumable, record: Mapping[str, Any]) -> None:
    """Write a checkpoint of what is under way, between two steps, with a record that `read` returns."""
    state = {counter: getattr(training, counter) for counter in training.counters}
    best = training.best
    state |= {"lowest": best.lowest if math.isfinite(best.lowest) else None, "looks_since": best.looks_since}
    state["seconds"] = training.clock.seconds
    whole = {"format": _FORMAT, "device": training.device.type, "state": state, "record": dict(record)}
    save_checkpoint(folder, f"state-{training.step}.safetensors", _arrays(training), whole)


def read(folder: Path) -> dict[str, Any]:
    """Return the caller's record in a checkpoint.

    Raises:
        ResumeError: There is no checkpoint, or one that this version cannot read.
    """
    record: dict[str, Any] = _read(folder)["record"]
    return record


def restore(folder: Path, training: Resumable) -> bool:
    """Let a training run, just made with the same settings, go on where the checkpoint was written.

    Returns whether it will go on exactly as the interrupted run: not on another kind of device.

    Raises:
        ResumeError: The checkpoint is damaged, or is of another network.
    """
    import torch

    checkpoint = _read(folder)
    groups = read_arrays(folder, checkpoint)
    same_device: bool = checkpoint["device"] == training.device.type
    try:
        _restore_arrays(training, groups, same_device)
    except (KeyError, RuntimeError, TypeError) as error:  # of torch, for names or shapes that do not fit
        raise ResumeError(f"The checkpoint in {folder} is of another network; train anew with --force.") from error
    state = checkpoint["state"]
    for counter in training.counters:
        setattr(training, counter, state[counter])
    training.best.lowest = math.inf if state["lowest"] is None else state["lowest"]
    training.best.looks_since = state["looks_since"]
    training.seconds_before = state["seconds"]
    training.order.set_state(torch.from_numpy(groups["random"]["order"]))
    return same_device


def _arrays(training: Resumable) -> dict[str, NDArray[Any]]:
    import torch

    tensors = {f"network/{name}": weight for name, weight in training.network.state_dict().items()}
    tensors |= {f"best/{name}": weight for name, weight in training.best.weights.items()}
    for name, parameter in training.network.named_parameters():
        for part, value in training.optimizer.state[parameter].items():
            tensors[f"optimizer/{name}/{part}"] = value
    tensors |= {f"noise/{name}": tensor for name, tensor in training.further().items()}
    tensors["random/order"] = training.order_of_epoch
    tensors["random/noise"] = training.chance.get_state()
    tensors["random/torch"] = torch.get_rng_state()
    if training.device.type == "cuda":
        tensors["random/card"] = torch.cuda.get_rng_state(training.device)
    return {name: np.ascontiguousarray(tensor.detach().cpu().numpy()) for name, tensor in tensors.items()}


def _restore_arrays(training: Resumable, groups: Mapping[str, Mapping[str, NDArray[Any]]], same_device: bool) -> None:
    import torch

    def tensors(group: str) -> dict[str, torch.Tensor]:
        return {name: torch.from_numpy(array).to(training.device) for name, array in groups[group].items()}

    training.network.load_state_dict(tensors("network"))
    training.best.weights = tensors("best")
    if training.best.weights.keys() != training.network.state_dict().keys():
        raise KeyError("best")
    moments = tensors("optimizer")
    for name, parameter in training.network.named_parameters():
        moment = {part: moments[f"{name}/{part}"] for part in ("step", "exp_avg", "exp_avg_sq")}
        if training.device.type != "cuda":
            moment["step"] = moment["step"].cpu()
        training.optimizer.state[parameter].update(moment)
    training.take_further(tensors("noise") if "noise" in groups else {})
    if same_device:
        random = {name: torch.from_numpy(state) for name, state in groups["random"].items()}
        training.chance.set_state(random["noise"])
        torch.set_rng_state(random["torch"])
        if training.device.type == "cuda":
            torch.cuda.set_rng_state(random["card"], training.device)


def _read(folder: Path) -> dict[str, Any]:
    return read_state(
        folder,
        lambda whole: whole["format"] == _FORMAT and all(isinstance(whole[part], dict) for part in ("record", "state")),
    )
