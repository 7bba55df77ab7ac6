"""A trained ER-AE network as a model folder: int8 weights, configuration, vocabulary, card and checksums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.language.sequences import END, START, UNKNOWN, Vocabulary
from allonym.networks.erae.inference import FORMAT, VERSION, EraeReader, EraeShape
from allonym.networks.whole_numbers import stored
from allonym.training.folder import FinishedModel, table_of

Arrays: TypeAlias = dict[str, NDArray[Any]]

_BEST = 5
_ROWS = 256  # compared at a time

USER_CARD = """\
# {name}

A text generator for `allonym anonymize --method erae --model {name}`, trained with `allonym train erae` on a user's own
text: given a sentence, it rates at every place each of {words:,} words, marks and classes of numbers.

## Who may see this folder

**This model is a release of its training text, made without differential privacy.** Somebody who studies the weights
may learn what that text says and who wrote it. Give the folder only to those who may read the text itself. The
guarantee of what is drawn with the model covers the documents that are anonymized, not those it was trained on, and
no guarantee holds for a document that is both.

**The vocabulary can be read by anybody who has the folder.** A word is in it if at least {shared_by} {sharers} use
it, among {documents:,} different documents. Names and rare words that fewer use are left out and never written.
{author_note}

| | |
|---|---|
| network | ER-AE (Bo, Ding, Fung and Iqbal 2021), variant `{variant}` |
| sizes | embedding {embedding}, encoder 2 × {encoder}, latent {latent}, generator {generator}: {parameters:,} numbers |
| weights | every matrix int8 with a float32 scale a row, the rest float32; {megabytes:.1f} MB |
| learned from | {sentences:,} sentences, {tokens:,} tokens, of which {coverage:.1%} are known words |
| word vectors | start from the shipped table `words-en` |

## Held-out figures

On {held_out_sentences:,} sentences of documents that were held out to tell when to stop:

{figures}
{rounding}
## Limits

- It writes as its training text does. Other kinds of text, other languages, code and tables come out as nonsense.
- Numbers are words or one of a few classes; words outside the vocabulary are read, but never written.
- It rates sentence by sentence, up to 50 tokens: nothing is remembered from one sentence to the next.
- A high rating means "fits here", not "is true": drawn text can say the opposite of the original.
"""


def rounding_costs(
    shape: EraeShape, weights: Mapping[str, NDArray[Any]], shipped: EraeReader, sentences: Sequence[list[int]]
) -> dict[str, float]:
    """Compare a reader with the network as it was trained: how often they agree, and how often they are right."""
    steps = [len(sentence) + 1 for sentence in sentences]
    targets = np.concatenate([[*sentence, END] for sentence in sentences])
    sums = np.zeros(5)
    pairs = zip(
        _in_blocks(_trained(shape, weights, sentences)),
        shipped.ratings(shipped.features(sentences, steps), rows=_ROWS, normalise=True),
        np.split(targets, range(_ROWS, len(targets), _ROWS)),
        strict=True,
    )
    for before, after, wanted in pairs:
        known = wanted != UNKNOWN
        best, best_after = (np.argpartition(-block, _BEST, axis=1)[:, :_BEST] for block in (before, after))
        first, first_after = before.argmax(axis=1), after.argmax(axis=1)
        shared = (best[:, :, None] == best_after[:, None, :]).any(axis=2).mean(axis=1)
        moved = np.abs(before - after).sum(axis=1) / 2
        sums += [
            values[known].sum()
            for values in (first == wanted, first_after == wanted, first == first_after, shared, moved)
        ]
    names = ("accuracy_before", "accuracy", "same_first", "shared_of_five", "probability_moved")
    costs = dict(zip(names, (sums / (targets != UNKNOWN).sum()).round(4).tolist(), strict=True))
    return costs | {"sentences": len(sentences), "steps": int((targets != UNKNOWN).sum())}


def _trained(
    shape: EraeShape, weights: Mapping[str, NDArray[Any]], sentences: Sequence[list[int]]
) -> Iterator[NDArray[np.float32]]:
    """Yield the probabilities that the network of floats gives all words, sentence by sentence, a row a step."""
    import torch

    from allonym.training.erae.network import Erae

    network = Erae(shape).eval()
    network.load_state_dict({name: torch.from_numpy(weights[name].astype(np.float32)) for name in shape.tensors()})
    with torch.no_grad():
        for sentence in sentences:
            read, previous = torch.tensor([[*sentence, END]]), torch.tensor([[START, *sentence]])
            logits = network(read, torch.tensor([read.shape[1]]), previous)[0]
            yield torch.softmax(logits, -1).numpy()


def _in_blocks(rows: Iterator[NDArray[np.float32]]) -> Iterator[NDArray[np.float32]]:
    """Yield the same rows, so many at a time."""
    held: list[NDArray[np.float32]] = []
    for block in rows:
        held.append(block)
        while sum(map(len, held)) >= _ROWS:
            joined = np.concatenate(held)
            yield joined[:_ROWS]
            held = [joined[_ROWS:]]
    if any(map(len, held)):
        yield np.concatenate(held)


def write(
    folder: Path,
    shape: EraeShape,
    weights: Mapping[str, NDArray[Any]],
    vocabulary: Vocabulary,
    *,
    config: Mapping[str, Any],
    card: str,
    values: Mapping[str, Any],
    sentences: Sequence[list[int]] = (),
) -> models.Model:
    """Write and seal a folder, made if it is not there.

    The configuration holds, beside name, sizes and rounding, what `config` has: "name", "training", "held_out", … The
    card has marks for `values`, the sizes, figures and rounding, whose cost is measured on held-out sentences, if some
    are given.

    Raises:
        ModelError: The weights do not fit the shape, or the vocabulary.
    """
    from safetensors.numpy import save

    EraeReader(shape, weights, vocabulary)  # refuses weights that do not fit
    shipped = stored({name: weights[name] for name in shape.tensors()})
    costs = rounding_costs(shape, weights, EraeReader(shape, shipped, vocabulary), sentences) if sentences else {}
    content = save(shipped)
    text = card.format(
        name=config["name"],
        version=VERSION,
        **vars(shape),
        parameters=sum(int(np.prod(sizes)) for sizes in shape.tensors().values()),
        megabytes=len(content) / 1e6,
        figures=table_of(config["held_out"]) if config["held_out"] else "None were given.\n",
        rounding=_rounding(costs),
        **values,
    )
    full = {**config, "rounding": costs}
    model = FinishedModel(FORMAT, VERSION, {"shape": vars(shape)}, "a row", content, vocabulary, full, text)
    return model.write(folder)


def _rounding(costs: Mapping[str, float]) -> str:
    if not costs:
        return ""
    return f"""
Rounding to int8, measured on {costs["sentences"]:,} held-out sentences ({costs["steps"]:,} steps): the most likely word
is the same in {costs["same_first"]:.2%} of the steps, and is the original word in {costs["accuracy"]:.2%}
({costs["accuracy_before"]:.2%} before); {costs["shared_of_five"]:.2%} of the five most likely stay, and
{costs["probability_moved"]:.2%} of the probability moves to other words.
"""
