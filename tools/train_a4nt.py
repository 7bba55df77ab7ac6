"""Train A4NT on what tools/prepare_a4nt.py wrote; a graphics card is used if there is one.

    PYTHONPATH=src python tools/train_a4nt.py --data a4nt_data --setting age --variant editor \
        --recipes CycML+Lang+Near --out DIR --minutes 1 1 2 4

Needs only torch, NumPy and safetensors. Writes a model folder for each recipe, ``DIR/SETTING-VARIANT-RECIPE``; the
folder of the auto-encoder, with which every game begins, is written too. The minutes are those of the opponent, the
language model, the auto-encoder, and of the game of each recipe.
"""

from __future__ import annotations

import argparse
import copy
import io
import lzma
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from allonym.language.sequences import Vocabulary, sentences
from allonym.training.a4nt.batches import A4ntSentences
from allonym.training.a4nt.draw import WordDraw
from allonym.training.a4nt.judges import JudgePanel, Opponent, WordModel
from allonym.training.a4nt.loop import A4ntSettings, A4ntTraining
from allonym.training.a4nt.losses import RECIPES, LossRecipe, Meaning
from allonym.training.a4nt.network import Direction, TranslatorShape, make
from allonym.training.a4nt.store import save
from allonym.training.a4nt.watch import measure
from allonym.training.steps import Limit

CLASSES = {
    "age": ("teen", "adult"),
    "gender": ("female", "male"),
    "speech": ("obama", "trump"),
    "six": ("10s-female", "10s-male", "20s-female", "20s-male", "30s-female", "30s-male"),
}
CORPUS = {"speech": "speeches"}
PARTS = ("translator", "opponent", "language", "panel")
HELD_OUT = 60_000  # tokens of each class at most

# Written for this purpose.
SAMPLES = (
    "Haha, school was so boring today and my mom yelled at me again lol.",
    "My husband and I spent the weekend painting the kitchen before work on Monday.",
    "I went to the game with my girlfriend and we had a few beers after it.",
    "We can do this together, because the people of this country need our help.",
)


def read(folder: Path, setting: str) -> tuple[dict[str, NDArray[Any]], Vocabulary]:
    """Read the prepared arrays and the vocabulary; `writer` is the class of each document."""
    corpus = CORPUS.get(setting, "blogs")
    with lzma.open(folder / f"{corpus}.npz.xz") as file:
        arrays = dict(np.load(io.BytesIO(file.read()), allow_pickle=False))
    arrays["tokens"] = arrays.pop("low").astype(np.int32) | (arrays.pop("high").astype(np.int32) << 8)
    if setting == "speech":
        arrays["writer"] = arrays["class"]
    elif setting == "gender":
        arrays["writer"] = arrays["gender"]
    else:
        teen_or_adult = np.minimum(arrays["age_group"], 1)
        arrays["writer"] = teen_or_adult if setting == "age" else 2 * arrays["age_group"] + arrays["gender"]
    return arrays, Vocabulary.load(folder / f"{corpus}-vocabulary.txt")


def by_class(arrays: dict[str, NDArray[Any]], classes: int, part: int, device: torch.device) -> list[A4ntSentences]:
    """Return the sentences of each class in one part of the corpus: 0 for training, 1 for watching."""
    [counts] = [array for name, array in arrays.items() if name.startswith("sentences_per_")]
    document = np.repeat(np.arange(len(counts)), counts)
    lengths = arrays["lengths"].astype(np.int64)
    found = []
    for writer in range(classes):
        wanted = (arrays["writer"] == writer)[document] & (arrays["split"] == part)[document]
        if part:
            wanted &= np.cumsum(np.where(wanted, lengths, 0)) <= HELD_OUT
        tokens = arrays["tokens"][np.repeat(wanted, lengths)]
        found.append(A4ntSentences(tokens, lengths[wanted], device, document[wanted]))
    return found


def meaning(path: Path | None, vocabulary: Vocabulary, device: torch.device) -> Meaning | None:
    """Return what embeds sentences, if there is a sentence encoder."""
    if path is None:
        return None
    from minilm import SentenceEncoder

    encoder = SentenceEncoder.load(path).to(device).eval()
    for weight in encoder.parameters():
        weight.requires_grad_(False)
    table = encoder.table(vocabulary.tokens).to(device)

    def embed(words: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        read = table[words] if words.dim() == 2 else words @ table.to(words.dtype)
        found: torch.Tensor = encoder(read, lengths)
        return found

    return embed


def show(training: A4ntTraining, vocabulary: Vocabulary) -> str:
    """Translate the samples to every class."""
    lines = []
    training.translator.eval()
    for text in SAMPLES:
        for numbered in map(vocabulary.ids, sentences(text)):
            words = torch.tensor([numbered], device=training.device)
            for target in range(training.translator.shape.classes):
                direction = Direction((target + 1) % training.translator.shape.classes, target)
                with torch.no_grad():
                    sample, _ = training.translator.sample(
                        words, torch.tensor([len(numbered)]), direction, training.draw
                    )
                lines.append(f"   to {target}: {vocabulary.text([sample[0].argmax(-1).tolist()])}")
    return "\n".join(lines)


def take_up(training: A4ntTraining, path: Path, setting: str) -> bool:
    """Give networks the weights of a run before; tell whether it was of this setting, so that nothing is left to do.

    Of another setting on the same corpus only the translator is of use, to begin with.
    """
    kept = torch.load(path, map_location=training.device, weights_only=True)
    same: bool = kept["setting"] == setting
    for part in PARTS if same else PARTS[:1]:
        prefix = f"{part}."
        weights = {
            name.removeprefix(prefix): array for name, array in kept["weights"].items() if name.startswith(prefix)
        }
        getattr(training, part).load_state_dict(weights)
    return same


def put_by(training: A4ntTraining, setting: str, path: Path) -> None:
    """Write all networks to a file that `take_up` reads, whole or not at all: another run may be waiting for it."""
    kept = {f"{part}.{name}": weight for part in PARTS for name, weight in getattr(training, part).state_dict().items()}
    torch.save({"setting": setting, "weights": kept}, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def changed(recipe: LossRecipe, shares: list[str], odds: float | None) -> LossRecipe:
    """Return a recipe with other shares, allowances and odds, where some are given."""
    if odds is not None:
        recipe = replace(recipe, odds=odds)
    if not shares:
        return recipe
    given = [each.partition("=") for each in shares]
    values = {term: value.partition(":") for term, _, value in given}
    return replace(
        recipe,
        shares={term: float(share) for term, (share, _, _) in values.items()},
        allowances={term: float(allowance) for term, (_, _, allowance) in values.items() if allowance},
    )


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--setting", choices=sorted(CLASSES), required=True)
    parser.add_argument("--variant", choices=["editor", "transformer", "paper"], required=True)
    parser.add_argument("--recipes", nargs="+", choices=sorted(RECIPES), required=True)
    parser.add_argument("--minutes", type=float, nargs=4, default=(1, 1, 2, 4))
    parser.add_argument("--embedding", type=int, default=160)
    parser.add_argument("--hidden", type=int, default=192)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--look-every", type=int, default=500)
    parser.add_argument("--shares", nargs="*", default=[], help="TERM=SHARE or TERM=SHARE:ALLOWANCE, for the recipe's")
    parser.add_argument("--odds", type=float, help="log-odds that judges shall give to the target, for the recipe's")
    parser.add_argument("--neutral", action="store_true", help="one decoder that is told nothing, for recipe Neutral")
    parser.add_argument("--temperature", type=float, default=0.5)
    parser.add_argument("--rate", type=float, default=1e-4, help="learning rate of the game")
    parser.add_argument("--keep", type=Path, help="file for all networks before the game, or to begin with, if there")
    parser.add_argument("--minilm", type=Path, help="weights of the sentence encoder, for FBsem")
    parser.add_argument("--label", default="", help="put behind the folder's name")
    return parser.parse_args()


def main() -> None:
    """Train one translator for each recipe."""
    given = options()
    began = time.time()
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    arrays, vocabulary = read(given.data, given.setting)
    names = CLASSES[given.setting]
    learned, held_out = (by_class(arrays, len(names), part, device) for part in (0, 1))
    say(began, f"{given.setting} {given.variant}: {[len(each) for each in learned]} sentences, {len(vocabulary)} words")
    conditioned = len(names) > 2 and not given.neutral
    sizes = (given.embedding, given.hidden)
    shape = TranslatorShape(len(vocabulary), len(names), given.variant, conditioned, *sizes, neutral=given.neutral)
    stages = [Limit(minutes=minutes) for minutes in given.minutes]
    settings = A4ntSettings(
        stages[0], stages[1], stages[2], stages[3], batch_size=given.batch, look_every=given.look_every,
        temperature=given.temperature, learning_rate=given.rate,
    )  # fmt: skip
    counts = {"words": len(vocabulary), "classes": len(names)}
    torch.manual_seed(settings.seed)
    translator, opponent = make(shape).to(device), Opponent(**counts).to(device)
    language, panel = WordModel(**counts).to(device), JudgePanel(**counts).to(device)
    vectors = torch.from_numpy(arrays["vectors"]).to(device)

    def progress(stage: str, numbers: dict[str, float]) -> None:
        say(began, f"{given.setting} {stage} " + " ".join(f"{name} {value:.3f}" for name, value in numbers.items()))

    training = A4ntTraining(
        translator, opponent, language, panel, learned, vectors, settings, progress,
        meaning(given.minilm, vocabulary, device),
    )  # fmt: skip
    fits = given.keep is not None and given.keep.exists() and take_up(training, given.keep, given.setting)
    if not fits:
        training.learn_opponent()
        training.learn_language()
        training.learn_restoring()
    if given.keep is not None and not given.keep.exists():
        put_by(training, given.setting, given.keep)
    judge, start = copy.deepcopy(training.opponent), copy.deepcopy(training.translator)
    same_noise = torch.Generator(device)

    def finish(recipe: str) -> None:
        draw = WordDraw(same_noise.manual_seed(settings.seed))
        figures = measure(training.translator, judge, training.language, held_out, draw).to_json()
        say(began, f"{given.setting} {recipe} held out " + " ".join(f"{k} {v:.3f}" for k, v in figures.items()))
        facts = {"classes": names, "recipe": recipe, "variant": given.variant, "held_out": figures}
        folder = given.out / f"{given.setting}-{given.variant}-{recipe}{given.label}"
        save(folder, training.translator, judge, vocabulary, facts | {"weights": training.weights})
        training.opponent.load_state_dict(judge.state_dict())
        put_by(training, given.setting, folder.with_name(folder.name + ".keep"))

    if not fits:
        finish("autoencoder")
    for recipe in (name for name in given.recipes if RECIPES[name].shares):  # the auto-encoder plays no game
        training.translator.load_state_dict(start.state_dict())
        training.opponent.load_state_dict(judge.state_dict())
        training.play(changed(RECIPES[recipe], given.shares, given.odds))
        say(began, show(training, vocabulary))
        finish(recipe)


def say(began: float, line: str) -> None:
    """Print a line with the seconds since the beginning."""
    print(f"{time.time() - began:5.0f} {line}", flush=True)


if __name__ == "__main__":
    main()
