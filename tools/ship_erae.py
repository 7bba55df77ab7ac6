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
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prepare_erae import AUTHORS, SHARES
from safetensors.numpy import load_file

from allonym.language.sequences import Vocabulary
from allonym.networks.erae.inference import EraeShape
from allonym.training.erae import folder

Arrays = dict[str, NDArray[Any]]

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
| made by | `tools/prepare_erae.py`, `allonym.training.erae.loop`, `tools/ship_erae.py` |

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


def held_out(path: Path, limit: int) -> list[list[int]]:
    """Return held-out sentences, evenly spread over all there are."""
    with np.load(path) as arrays:
        tokens, lengths = arrays["held_out"].astype(np.int64), arrays["held_out_lengths"].astype(np.int64)
    split = np.split(tokens, np.cumsum(lengths)[:-1])
    return [split[place].tolist() for place in np.unique(np.linspace(0, len(split) - 1, limit).astype(np.int64))]


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
    shape = EraeShape(**trained["shape"])
    model = folder.write(
        options.out,
        shape,
        read_weights(options.weights),
        Vocabulary.load(options.vocabulary),
        config={
            "name": options.name,
            "training": trained.get("state", {}),
            "held_out": json.loads(options.figures.read_text("utf-8")) if options.figures else {},
        },
        card=options.card.read_text("utf-8") if options.card else CARD,
        values={"authors": AUTHORS, **SHARES},
        sentences=held_out(options.sentences, options.limit) if options.sentences else (),
    )
    print(f"{model.name}: {model.size_bytes / 1e6:.2f} MB in {options.out}")
    for name, number in model.config["rounding"].items():
        print(f"{name}: {number}")


if __name__ == "__main__":
    main()
