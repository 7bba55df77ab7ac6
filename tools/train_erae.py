"""Train ER-AE on what tools/prepare_erae.py wrote; a graphics card is used if there is one.

    PYTHONPATH=src python tools/train_erae.py --data erae_data --out DIR --minutes 9 --variant attention

Needs only torch, NumPy and safetensors. Writes half-precision weights in files of at most 15 MiB, ``training.json``
with the last measurements, and ``log.txt``. ``--resume DIR`` goes on from such a folder: run the first half with
``--end 0.5``, the second with ``--resume DIR --begin 0.5``.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from torch import Tensor

from allonym.language.sequences import END, Vocabulary, sentences
from allonym.networks.erae.inference import EraeShape
from allonym.training.erae.batches import EraeSentences
from allonym.training.erae.loop import USUAL, EraeSettings, EraeTraining
from allonym.training.erae.network import Erae

STATE, OPTIMIZER = "training.json", "optimizer.safetensors"
_LARGEST_FILE = 15 * 2**20
# Written for this purpose.
SAMPLES = (
    "I thought the movie was funny, but the ending didn't make any sense.",
    "Dear Anna, thank you for the lovely letter; we are all well and hope to see you soon.",
    "The authors propose a new method for learning word representations and evaluate it on three tasks.",
    "My computer crashes whenever I try to print a large file, so what should I do?",
)


def save(folder: Path, shape: EraeShape, weights: dict[str, Tensor], state: dict[str, float]) -> None:
    """Write a checkpoint: half-precision weights in files of at most 15 MiB, and where training stands."""
    folder.mkdir(parents=True, exist_ok=True)
    files: list[dict[str, NDArray[np.float16]]] = [{}]
    for name, weight in weights.items():
        array = weight.half().cpu().numpy()
        if files[-1] and sum(other.nbytes for other in files[-1].values()) + array.nbytes > _LARGEST_FILE:
            files.append({})
        files[-1][name] = array
    for number, arrays in enumerate(files, start=1):
        save_file(arrays, folder / f"weights-{number}.safetensors")
    (folder / STATE).write_text(json.dumps({"shape": asdict(shape), "state": state}, indent=1), "utf-8")


def load(folder: Path) -> tuple[Erae, dict[str, float]]:
    """Read what `save` wrote: the network, on the processor, and where its training stood."""
    kept = json.loads((folder / STATE).read_text("utf-8"))
    network = Erae(EraeShape(**kept["shape"]))
    arrays: dict[str, NDArray[Any]] = {}
    for path in sorted(folder.glob("weights-*.safetensors")):
        arrays |= load_file(path)
    network.load_state_dict({name: torch.from_numpy(array).float() for name, array in arrays.items()})
    return network, kept["state"]


def save_optimizer(folder: Path, network: Erae, optimizer: torch.optim.Optimizer) -> None:
    """Write the optimizer's moments, which make a resumed run go on as if it had not been interrupted."""
    arrays = {
        f"{name}/{part}": value.detach().float().cpu().numpy()
        for name, parameter in network.named_parameters()
        for part, value in optimizer.state[parameter].items()
    }
    save_file(arrays, folder / OPTIMIZER)


def load_optimizer(folder: Path, network: Erae, optimizer: torch.optim.Optimizer) -> bool:
    """Take up the moments that `save_optimizer` wrote; tell whether there are any."""
    path = folder / OPTIMIZER
    if not path.is_file():
        return False
    arrays = load_file(path)
    for name, parameter in network.named_parameters():
        for key in [key for key in arrays if key.rpartition("/")[0] == name]:
            optimizer.state[parameter][key.rpartition("/")[2]] = torch.from_numpy(arrays[key]).to(parameter.device)
    return True


def read_arrays(folder: Path) -> tuple[dict[str, Any], Vocabulary]:
    """Read the prepared arrays and the vocabulary."""
    arrays = dict(np.load(folder / "sentences.npz", allow_pickle=False))
    arrays["tokens"] = arrays.pop("low").astype(np.int16) | (arrays.pop("high").astype(np.int16) << 8)
    return arrays, Vocabulary.load(folder / "vocabulary.txt")


def show_candidates(network: Erae, vocabulary: Vocabulary, device: torch.device) -> str:
    """List, for each word of the samples, the five most likely ones with their probabilities in percent."""
    lines = []
    for sentence in [vocabulary.ids(sentence) for text in SAMPLES for sentence in sentences(text)]:
        batch = EraeSentences(np.array(sentence), np.array([len(sentence)]), device).batch(np.array([0]))
        with torch.no_grad():
            chances = network.eval()(batch.read, batch.lengths, batch.previous)[0].softmax(-1)
        likely = chances.topk(5, dim=-1)
        for step, word in enumerate(batch.targets[0].tolist()):
            pairs = zip(likely.indices[step].tolist(), likely.values[step].tolist(), strict=True)
            found = ", ".join(f"{vocabulary.tokens[other]} {100 * chance:.0f}" for other, chance in pairs)
            lines.append(f"{vocabulary.tokens[word]:>16}: {found}")
        lines.append("")
    return "\n".join(lines)


def options() -> argparse.Namespace:
    """Read the command line; every field of the settings is an option."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--variant", choices=["paper", "attention"], default="attention")
    parser.add_argument("--limit", type=int, help="sentences to learn from, for a trial")
    parser.add_argument("--watched", type=int, default=4096, help="held-out sentences to look at")
    for setting in fields(EraeSettings):
        parser.add_argument("--" + setting.name.replace("_", "-"), type=type(setting.default))
    parser.add_argument("--keep-optimizer", action="store_true")
    return parser.parse_args()


def settings_of(chosen: argparse.Namespace) -> EraeSettings:
    """Return the settings: those of the variant, then what the command line says."""
    given = {name: getattr(chosen, name) for name in (setting.name for setting in fields(EraeSettings))}
    return EraeSettings(**USUAL[chosen.variant] | {name: value for name, value in given.items() if value is not None})


def main() -> None:
    """Train, and write the result."""
    chosen = options()
    settings = settings_of(chosen)
    chosen.out.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.default_generator.manual_seed(settings.seed)
    torch.cuda.manual_seed_all(settings.seed)
    arrays, vocabulary = read_arrays(chosen.data)
    lengths, watched = arrays["lengths"][: chosen.limit], arrays["held_out_lengths"][:: _every(arrays, chosen.watched)]
    held_out = _taken(arrays["held_out"], arrays["held_out_lengths"], _every(arrays, chosen.watched))
    network = load(chosen.resume)[0] if chosen.resume else Erae(EraeShape(len(vocabulary), chosen.variant))
    if not chosen.resume:
        network.set_word_vectors(arrays["vectors"])
        counts = np.bincount(arrays["tokens"], minlength=len(vocabulary))
        counts[END] = len(arrays["lengths"])
        network.set_frequencies(counts)
    network = network.to(device)
    vectors = torch.from_numpy(arrays["vectors"]).to(device, torch.float32 if device.type == "cpu" else torch.bfloat16)
    began = time.monotonic()

    def say(line: str) -> None:
        print(line, flush=True)
        with (chosen.out / "log.txt").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def progress(found: dict[str, float]) -> None:
        save(chosen.out, network.shape, training.best.weights, found)
        if chosen.keep_optimizer:
            save_optimizer(chosen.out, network, training.optimizer)
        say(f"{time.monotonic() - began:6.0f} s  " + "  ".join(f"{name} {value:.4g}" for name, value in found.items()))

    say(f"{device}, {sum(weight.numel() for weight in network.parameters()):,} weights, {len(lengths):,} sentences")
    say(str(settings))
    training = EraeTraining(
        network, EraeSentences(arrays["tokens"][: lengths.astype(np.int64).sum()], lengths, device),
        EraeSentences(held_out, watched, device), vectors, settings, progress,
    )  # fmt: skip
    if chosen.resume:
        load_optimizer(chosen.resume, network, training.optimizer)
    say(show_candidates(training.run(), vocabulary, device))


def _every(arrays: dict[str, Any], watched: int) -> int:
    return max(1, len(arrays["held_out_lengths"]) // watched)


def _taken(tokens: Any, lengths: Any, every: int) -> Any:  # noqa: ANN401 - arrays of a file
    """Return the tokens of every n-th sentence, so that all corpora are watched."""
    return tokens[np.repeat(np.arange(len(lengths)) % every == 0, lengths)]


if __name__ == "__main__":
    main()
