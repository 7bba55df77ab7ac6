"""The folder of a translator that a user trained: what may be in it, its card, and how it appears. No torch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from allonym import models
from allonym.errors import ModelError
from allonym.networks.a4nt_inference import VOCABULARY_FILE, A4ntReader

CHECKPOINT = "checkpoint"
FILES = (models.WEIGHTS, VOCABULARY_FILE, models.CONFIG, models.CARD, models.CHECKSUMS)

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
    "kept": "share of the words that are kept",
    "language_before": "loss of the language model a word, before",
    "language_after": "the same after translation",
}


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


def card(name: str, classes: Sequence[str], values: Mapping[str, Any], figures: Mapping[str, float]) -> str:
    """Return the text of a card."""
    rows = "".join(f"| {_MEANINGS.get(key, key)} | {value} |\n" for key, value in figures.items())
    listed = f"{', '.join(classes[:-1])} and {classes[-1]}"
    return _CARD.format(name=name, classes=listed, figures=f"| | |\n|---|---|\n{rows}", **values)


def publish(made: Path, folder: Path) -> None:
    """Seal a finished model, check that it can be read, move it to its folder and drop the checkpoint it lies in."""
    models.seal(made)
    A4ntReader.open(made)
    for name in FILES:  # the checksums are the last
        (made / name).chmod(0o600)
        os.replace(made / name, folder / name)
    shutil.rmtree(folder / CHECKPOINT)
