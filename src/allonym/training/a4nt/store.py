"""A4NT's model files: weights as 8-bit numbers, a scale a row, which change what a translator does imperceptibly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from torch import nn

from allonym.language.sequences import Vocabulary
from allonym.models import CONFIG, VOCABULARY, WEIGHTS
from allonym.networks.whole_numbers import SCALE, stored
from allonym.training.a4nt.judges import Opponent
from allonym.training.a4nt.network import Translator, TranslatorShape, make

_FEWEST_ROWS = 16  # of a matrix in 8 bits


def save(folder: Path, translator: Translator, judge: Opponent, vocabulary: Vocabulary, facts: dict[str, Any]) -> None:
    """Write a translator and the classifier that judges sentences for it; the card and checksums are still to come.

    The judge was trained on real text alone: it serves `source="auto"`, and chooses among samples. Facts are further
    entries of ``config.json``: the names of the classes, how it was trained.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, NDArray[Any]] = {}
    for part, network in (("translator", translator), ("judge", judge)):
        for name, weight in network.state_dict().items():
            arrays[f"{part}.{name}"] = weight.detach().float().cpu().numpy()
    save_file(stored(arrays, fewest_rows=_FEWEST_ROWS), folder / WEIGHTS)
    vocabulary.save(folder / VOCABULARY)
    judge_sizes = {"embedding": judge.embedding.embedding_dim, "hidden": judge.lstm.hidden_size}
    config = {**facts, "kind": "a4nt", "shape": translator.shape.to_dict(), "judge": judge_sizes}
    (folder / CONFIG).write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", "utf-8")


def load(folder: Path) -> tuple[Translator, Opponent, Vocabulary, dict[str, Any]]:
    """Read what `save` wrote, for further training; on the processor."""
    config = json.loads((folder / CONFIG).read_text("utf-8"))
    shape = TranslatorShape(**config["shape"])
    judge = Opponent(words=shape.words, classes=shape.classes, **config["judge"])
    translator = make(shape)
    arrays = load_file(folder / WEIGHTS)
    _fill(translator, "translator.", arrays)
    _fill(judge, "judge.", arrays)
    return translator.eval(), judge.eval(), Vocabulary.load(folder / VOCABULARY), config


def _fill(network: nn.Module, prefix: str, arrays: dict[str, NDArray[Any]]) -> None:
    weights = {}
    for name in network.state_dict():
        array = arrays[prefix + name].astype(np.float32)
        scale = arrays.get(prefix + name + SCALE)
        weights[name] = torch.from_numpy(array if scale is None else array * scale[:, None])
    network.load_state_dict(weights)
