"""A4NT's model files: the card, and weights as 8-bit numbers, a scale a row, which change results imperceptibly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
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

# Of a translator that a user trained.
_CARD = """\
# {name}

A translator between the styles of {classes} for `allonym anonymize --method a4nt --model {name}`, trained with
`allonym train a4nt` on a user's own text.

## Who may see this folder

**This model is a release of its training text, made without differential privacy.** Somebody who studies the weights
may learn what that text says and who wrote it. Give the folder only to those who may read the text itself.

**The vocabulary can be read by anybody who has the folder.** A word is in it if at least {shared_by} {sharers} use
it, among {documents:,} different documents.

## What it promises

Nothing: the method has no formal guarantee. The figures below are of one classifier, the model's own, which learned
from real text alone; they say nothing of other attackers, of those who learn from rewritten text least of all. Measure
with `allonym evaluate`.

| | |
|---|---|
| networks | A4NT (Shetty, Schiele and Fritz 2018), variant `{variant}`, losses `{losses}` |
| sizes | {words:,} tokens, embedding {embedding}, states {hidden}; classifier {judge_embedding}, {judge_hidden} |
| weights | every larger matrix int8 with a float32 scale a row, the rest float32 |
| learned from | {sentences:,} sentences, of whose tokens {coverage:.1%} are known |

## On text held out

Sentences of each class, translated to the next class:

{figures}
## Limits

- It writes as its training text does. Other kinds of text and other languages are left alone or come out as nonsense.
- It looks at one sentence at a time, of at most 30 tokens, and may change what a sentence says.
- Numbers{and_names} are read as classes and put back as they were.
"""

_MEANINGS = {
    "sentences_before": "sentences the classifier gives to their true class, before",
    "sentences_after": "the same after translation",
    "documents_before": "documents the classifier gives to their true class, before",
    "documents_after": "the same after translation",
    "documents_worst": "the same in the direction in which it is most often",
    "kept": "share of the words that are kept",
    "language_before": "loss of the language model a word, before",
    "language_after": "the same after translation",
}


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
    config = {**facts, "kind": "a4nt", "shape": asdict(translator.shape), "judge": judge_sizes}
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


def card(name: str, classes: Sequence[str], values: Mapping[str, Any], figures: Mapping[str, float]) -> str:
    """Return the card of a translator that a user trained."""
    rows = "".join(f"| {_MEANINGS.get(key, key)} | {value} |\n" for key, value in figures.items())
    listed = f"{', '.join(classes[:-1])} and {classes[-1]}"
    return _CARD.format(name=name, classes=listed, figures=f"| | |\n|---|---|\n{rows}", **values)
