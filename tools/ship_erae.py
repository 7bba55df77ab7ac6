"""Turn a trained ER-AE network into a model folder: int8 weights, configuration, vocabulary, card and checksums.

    python tools/ship_erae.py --weights RUN/weights-*.safetensors --config RUN/training.json
        --vocabulary erae_data/vocabulary.txt --name erae-en -o src/allonym/models/erae-en
        [--figures FIGURES.json] [--sentences erae_data/sentences.npz]

``--weights`` and ``--config`` are what training wrote. Every matrix becomes int8 with a float32 scale a row; all else
stays float32. ``--figures`` holds held-out figures for the card, by name: numbers, or groups of numbers. With
``--sentences``, what rounding costs is measured on held-out sentences, and written into the card and the configuration.
The card names the corpora that tools/prepare_erae.py reads; ``--card`` puts another text, with the same marks, in its
place, for models trained on other text.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prepare_erae import AUTHORS, SHARES
from safetensors.numpy import load_file, save_file

from allonym import models
from allonym.networks.erae_inference import (
    FORMAT,
    SCALE,
    VERSION,
    VOCABULARY_FILE,
    EraeReader,
    Shape,
    quantised,
)
from allonym.sequences import END, UNKNOWN, Vocabulary

Arrays = dict[str, NDArray[Any]]
BEST = 5

CARD = """\
# {name}, version {version}

An English text generator for `allonym anonymize --method erae`: given a sentence, it rates at every place each of
{words:,} words, marks and classes of numbers. What is drawn from these ratings carries the guarantee; **the guarantee
does not depend on this model**, the quality of the text does.

| | |
|---|---|
| network | ER-AE (Bo, Ding, Fung and Iqbal 2021), variant `{variant}` |
| sizes | embedding {embedding}, encoder 2 × {encoder}, latent {latent}, generator {generator}: {parameters:,} numbers |
| weights | every matrix int8 with a float32 scale a row, the rest float32; {megabytes:.1f} MB |
| made by | `tools/prepare_erae.py`, `allonym.networks.erae_training`, `tools/ship_erae.py` |

## What it was trained on

Only the training parts of these corpora; their validation and test parts are for measuring. (The 62 authors of
IMDb62 are in all its parts, with other reviews.)

| corpus | part | terms |
|---|---|---|
| IMDb62, film reviews of 62 authors | {imdb62} % of the training reviews | research |
| Blog authorship corpus, 4,002 bloggers | {blogs} % of the training bloggers' posts | non-commercial research; \
includes text by minors |
| 20 newsgroups, without quotes | training messages | Usenet, long used for research |
| Peer reviews (ICLR, ACL, CoNLL) | nine tenths | in part CC BY-NC 4.0 (DISAPERE) |

One in a hundred of these documents was held out to tell when to stop. The embedding and the noise of the training
start from the table `words-en`, which is derived from Apache-2.0 weights.

A token is in the vocabulary if at least {authors} authors use it, which leaves out most people's names and one
writer's habits; no word outside the vocabulary is ever written.

## Licences

**The training text includes corpora that were given for research only, in part for non-commercial research only.**
No text of theirs is in this folder. Whether weights learned from such text may be used commercially is not settled
everywhere; if you need to be sure, use it for research only.

## Held-out figures

{figures}
{rounding}
## Intended use

Drawing readable English with a proved loss a word, with the mechanisms of `allonym.ERAE`. Using the model on a text
spends nothing by itself; drawing words does.

## Limits

- The model itself was **not** trained with differential privacy: it is a release of its training text, and somebody who
  studies the weights may learn about the authors of that text. The guarantee covers the people whose texts you
  anonymize, not those.
- English, as reviews, blogs, forums and peer reviews write it, with their biases and their obscenities. Other
  languages, verse, code and tables come out as nonsense.
- It rates sentence by sentence, up to 50 tokens: nothing is remembered from one sentence to the next, so names and
  pronouns need not agree across sentences.
- Numbers are words or one of a few classes, names that few people write are unknown: these do not come through.
- A high rating means "fits here", not "is true": drawn text can say the opposite of the original.
"""


def read_weights(paths: list[Path]) -> Arrays:
    """Return the arrays of all files as float32.

    Raises:
        SystemExit: Two files hold the same array.
    """
    found: Arrays = {}
    for path in paths:
        arrays = load_file(path)
        if doubles := found.keys() & arrays.keys():
            raise SystemExit(f"{path} holds {min(doubles)} again: give the files of one training run.")
        found |= {name: array.astype(np.float32) for name, array in arrays.items()}
    return found


def stored(weights: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return the arrays as they are shipped: matrices as int8 with their scales."""
    found: Arrays = {}
    for name, array in weights.items():
        found[name] = array
        if array.ndim == 2:
            found[name], found[name + SCALE] = quantised(array)
    return found


def held_out(path: Path, limit: int) -> list[list[int]]:
    """Return held-out sentences, evenly spread over all there are."""
    with np.load(path) as arrays:
        tokens, lengths = arrays["held_out"].astype(np.int64), arrays["held_out_lengths"].astype(np.int64)
    split = np.split(tokens, np.cumsum(lengths)[:-1])
    return [split[place].tolist() for place in np.unique(np.linspace(0, len(split) - 1, limit).astype(np.int64))]


def rounding_costs(exact: EraeReader, shipped: EraeReader, sentences: list[list[int]]) -> dict[str, float]:
    """Compare two readers, each with its own features: how often they agree, and how often they are right."""
    steps = [len(sentence) + 1 for sentence in sentences]
    targets = np.concatenate([[*sentence, END] for sentence in sentences])
    sums = np.zeros(5)
    rows = 256
    pairs = zip(
        exact.ratings(exact.features(sentences, steps), rows=rows, normalise=True),
        shipped.ratings(shipped.features(sentences, steps), rows=rows, normalise=True),
        np.split(targets, range(rows, len(targets), rows)),
        strict=True,
    )
    for before, after, wanted in pairs:
        known = wanted != UNKNOWN
        best, best_after = (np.argpartition(-block, BEST, axis=1)[:, :BEST] for block in (before, after))
        first, first_after = before.argmax(axis=1), after.argmax(axis=1)
        shared = (best[:, :, None] == best_after[:, None, :]).any(axis=2).mean(axis=1)
        moved = np.abs(before - after).sum(axis=1) / 2
        sums += [
            values[known].sum()
            for values in (first == wanted, first_after == wanted, first == first_after, shared, moved)
        ]
    names = ("accuracy_before", "accuracy", "same_first", "shared_of_five", "probability_moved")
    found = dict(zip(names, (sums / (targets != UNKNOWN).sum()).round(4).tolist(), strict=True))
    return found | {"sentences": len(sentences), "steps": int((targets != UNKNOWN).sum())}


def table_of(figures: Mapping[str, Any]) -> str:
    """Return figures, some of them in groups, as a Markdown table."""
    lines = ["| | |", "|---|---|"]
    for name, value in figures.items():
        group = value if isinstance(value, dict) else {"": value}
        for inner, number in group.items():
            label = " ".join(part for part in (name, inner) if part).replace("_", " ")
            lines.append(f"| {label} | {round(number, 4) if isinstance(number, float) else number} |")
    return "\n".join(lines) + "\n"


def card_of(template: str, shape: Shape, config: Mapping[str, Any], size: int) -> str:
    """Return the text of the card."""
    figures, costs = config["held_out"], config["rounding"]
    rounding = ""
    if costs:
        rounding = f"""
Rounding to int8, measured on {costs["sentences"]:,} held-out sentences ({costs["steps"]:,} steps): the most likely word
is the same in {costs["same_first"]:.2%} of the steps, and is the original word in {costs["accuracy"]:.2%}
({costs["accuracy_before"]:.2%} before); {costs["shared_of_five"]:.2%} of the five most likely stay, and
{costs["probability_moved"]:.2%} of the probability moves to other words.
"""
    return template.format(
        name=config["name"],
        version=config["version"],
        **config["shape"],
        parameters=sum(int(np.prod(sizes)) for sizes in shape.tensors().values()),
        megabytes=size / 1e6,
        authors=AUTHORS,
        **SHARES,
        figures=table_of(figures) if figures else "None were given.\n",
        rounding=rounding,
    )


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--weights", type=Path, nargs="+", required=True)
    parser.add_argument("--config", type=Path, required=True, help="training.json: shape and state")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--name", default="erae-en")
    parser.add_argument("--figures", type=Path, help="JSON of held-out figures for the card")
    parser.add_argument("--sentences", type=Path, help="sentences.npz, whose held-out part measures the rounding")
    parser.add_argument("--limit", type=int, default=500, help="held-out sentences to measure the rounding on")
    parser.add_argument("--card", type=Path, help="another text for the card")
    parser.add_argument("-o", "--out", type=Path, required=True)
    return parser.parse_args()


def main() -> None:
    """Write the folder and report its size and the cost of rounding."""
    options = arguments()
    trained = json.loads(options.config.read_text("utf-8"))
    shape = Shape(**trained["shape"])
    vocabulary = Vocabulary.load(options.vocabulary)
    weights = read_weights(options.weights)
    exact = EraeReader(shape, weights, vocabulary, rounded=False)  # refuses weights that do not fit
    shipped = stored({name: weights[name] for name in shape.tensors()})
    costs = {}
    if options.sentences:
        reader = EraeReader(shape, shipped, vocabulary)
        costs = rounding_costs(exact, reader, held_out(options.sentences, options.limit))
    options.out.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(array) for name, array in shipped.items()}, options.out / models.WEIGHTS)
    (options.out / models.WEIGHTS).chmod(0o644)  # safetensors writes a file that only its owner may read
    vocabulary.save(options.out / VOCABULARY_FILE)
    config = {
        "name": options.name,
        "version": VERSION,
        "format": FORMAT,
        "shape": vars(shape),
        "quantisation": {"matrices": "int8", "scales": "float32, one a row", "rest": "float32"},
        "training": trained.get("state", {}),
        "held_out": json.loads(options.figures.read_text("utf-8")) if options.figures else {},
        "rounding": costs,
    }
    (options.out / models.CONFIG).write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", "utf-8")
    size = (options.out / models.WEIGHTS).stat().st_size
    template = options.card.read_text("utf-8") if options.card else CARD
    (options.out / models.CARD).write_text(card_of(template, shape, config, size), "utf-8")
    model = models.seal(options.out)
    print(f"{model.name}: {model.size_bytes / 1e6:.2f} MB in {options.out}")
    for name, number in costs.items():
        print(f"{name}: {number}")


if __name__ == "__main__":
    main()
