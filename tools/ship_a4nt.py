"""Make shipped model folders of what tools/train_a4nt.py trained.

    python tools/ship_a4nt.py a4nt_models/age-transformer-CycML+Lang+Near_b --name a4nt-age --balance 14

Writes ``src/allonym/models/NAME``: the weights and words as they are, the configuration with its name, a card and
checksums. ``--balance`` is what similarity weighs beside log-odds when a translation is chosen, found by trying some on
validation documents. The shipped folder itself may be given: then only its card, version and balance
become new.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from allonym import models
from allonym.networks.a4nt._attention import HEADS, LAYERS

VERSION = 4
MODELS = Path(__file__).resolve().parents[1] / "src" / "allonym" / "models"

CORPORA = {
    "blogs": (
        "Blog authorship corpus (Schler and others 2006): training bloggers, 3,198 of 4,002, 86 % of their posts, "
        "chosen by a hash",
        "non-commercial research; includes text by minors",
    ),
    "speeches": (
        "Speeches, weekly addresses and press conferences of two US presidents: training part, names replaced by "
        "labels",
        "public domain, and collections given for research",
    ),
}

CARD = """# {name}, version {version}

A translator {purpose}, for `allonym anonymize --method a4nt --model {short} --to {target}`.
**Nothing is proved about it**: only measured attacks speak for it, see `results/a4nt.md`. {warning}

| | |
|---|---|
| network | A4NT (Shetty, Schiele and Fritz 2018), our variant `{variant}`: words change in their places |
| recipe | `{recipe}` |
| sizes | {words:,} words, embedding {embedding}, {network} of {hidden} |
| weights | matrices int8 with a float32 scale a row, the rest float32; {size:.1f} MB |
| judge | a classifier of the same folder, trained on real text alone; decides `--from auto` and chooses among samples |
| made by | `tools/prepare_a4nt.py`, `tools/train_a4nt.py`, `tools/ship_a4nt.py`; minutes on one H200 |

## What it was trained on

| corpus | terms |
|---|---|
| {corpus} | {terms} |

A word is in the vocabulary if many writers of the training part use it. No text is in this folder. The model was not
trained with differential privacy: it is a release of its training text.

## Licences

Whether weights learned from text that was given for research may be used commercially is not settled everywhere; if you
need to be sure, use them for research only.

## Choosing among translations

The weight of similarity beside log-odds is {balance:g} (`prefer="balanced"`), found on validation documents. That of
fluency, by the table `pairs-en`, is the same for all models.

## Held-out figures

Writers of the validation part, one draw a sentence, nothing left alone. The judge is the one in this folder, so
these figures flatter; `results/a4nt.md` has attackers that were trained separately.

| | before | after |
|---|---|---|
| sentences the judge gives to their true class | {sentences_before:.3f} | {sentences_after:.3f} |
| writers it gives to their true class | {documents_before:.3f} | {documents_after:.3f} |
| loss of the language model a word | {language_before:.3f} | {language_after:.3f} |
| words kept | | {kept:.3f} |

## Limits

- It changes few words, and some of its changes are wrong: read what it wrote before you use it.
- What you write about gives you away too, and is left as it is.
- English as its corpus writes it; binary classes, because the corpus knows no others.
"""


NETWORKS = {
    "editor": "LSTMs in both directions",
    "transformer": f"an encoder of {LAYERS} layers of attention, {HEADS} heads, and a decoder of one,",
}
TELLS = "An attacker who learns from rewritten text does better than one who does not."
HIDES = (
    "It is told nothing of the writer, so what it writes can tell no more about the class than the text did, whatever "
    "an attacker learns."
)


def ship(source: Path, name: str, balance: float) -> models.Model:
    """Copy one model, with its card."""
    folder = MODELS / name
    if source.resolve() != folder:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for file in ("weights.safetensors", "vocabulary.txt"):
            shutil.copyfile(source / file, folder / file)
    found = json.loads((source / "config.json").read_text("utf-8"))
    config = {**found, "name": name, "version": VERSION, "balance": balance}
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", "utf-8")
    corpus, terms = CORPORA["speeches" if name.endswith("speech") else "blogs"]
    neutral = config["shape"]["neutral"]
    card = CARD.format(
        name=name,
        version=VERSION,
        short=name.removeprefix("a4nt-"),
        purpose=("that hides which of {} wrote" if neutral else "between the styles of {}").format(
            " and ".join(config["classes"])
        ),
        target="neutral" if neutral else config["classes"][1],
        warning=HIDES if neutral else TELLS,
        balance=balance,
        variant=config["variant"],
        network=NETWORKS[config["variant"]],
        recipe=config["recipe"],
        size=(folder / "weights.safetensors").stat().st_size / 1e6,
        corpus=corpus,
        terms=terms,
        **{key: config["shape"][key] for key in ("words", "embedding", "hidden")},
        **config["held_out"],
    )
    (folder / "CARD.md").write_text(card, "utf-8")
    return models.seal(folder)


def main() -> None:
    """Ship one model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--balance", type=float, required=True)
    given = parser.parse_args()
    model = ship(given.source, given.name, given.balance)
    print(f"{model.name}: {model.size_bytes / 1e6:.1f} MB in {len(model.files)} files")


if __name__ == "__main__":
    main()
