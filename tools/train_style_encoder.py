"""Train one part of the style encoder on what tools/prepare_style_encoder.py wrote; on a graphics card if there is one.

    PYTHONPATH=src python tools/train_style_encoder.py features --data style_data --out DIR --minutes 3
    PYTHONPATH=src python tools/train_style_encoder.py vector --data style_data --out DIR --minutes 9

Needs torch, NumPy, SciPy and safetensors. Writes ``features.safetensors`` or ``vector.safetensors``, in half
precision, of the moment that was best for the validation writers; the best figures and the settings stand in its
metadata.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import time
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from allonym.training.style_encoder.batches import FORMS, WriterTexts
from allonym.training.style_encoder.loop import StyleSettings, StyleTraining
from allonym.training.style_encoder.network import FeatureWeights, StyleVector

# How the vector's training differs: it would learn the training writers by heart.
USUAL: dict[str, dict[str, float]] = {"features": {}, "vector": {"left_out": 0.75, "minutes": 9.2}}


def read_texts(path: Path, device: torch.device) -> dict[str, WriterTexts]:
    """Read the prepared texts; only those to learn from are needed in other forms."""
    found = {}
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes())), allow_pickle=False) as arrays:
        for name in ("train", "blogs", "reviews"):
            characters, ranges, writers = (arrays[f"{name}.{part}"] for part in ("characters", "ranges", "writers"))
            found[name] = WriterTexts(characters, ranges, writers, device, FORMS if name == "train" else 1)
    return found


def options() -> argparse.Namespace:
    """Read the command line; every field of the settings is an option."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=list(USUAL))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    for setting in fields(StyleSettings):
        parser.add_argument("--" + setting.name.replace("_", "-"), type=type(setting.default))
    return parser.parse_args()


def main() -> None:
    """Train, and write the result."""
    chosen = options()
    given = {setting.name: getattr(chosen, setting.name) for setting in fields(StyleSettings)}
    asked = {name: value for name, value in given.items() if value is not None}
    settings = StyleSettings(**{**USUAL[chosen.part], **asked})
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.default_generator.manual_seed(settings.seed)
    torch.cuda.manual_seed_all(settings.seed)
    began = time.monotonic()
    texts = read_texts(chosen.data / "style.npz.xz", device)
    print(f"{device}, read in {time.monotonic() - began:.0f} s; {settings}", flush=True)

    def progress(found: dict[str, float]) -> None:
        values = "  ".join(f"{name} {value:.4g}" for name, value in found.items())
        print(f"{time.monotonic() - began:6.0f} s  {values}", flush=True)

    network = (FeatureWeights() if chosen.part == "features" else StyleVector()).to(device)
    watched = {name: texts[name] for name in ("blogs", "reviews")}
    training = StyleTraining(network, texts["train"], watched, settings, progress)
    best = training.run()
    arrays = {name: weight.detach().half().cpu().contiguous() for name, weight in best.state_dict().items()}
    facts = {"settings": json.dumps(asdict(settings)), "figures": json.dumps(training.best)}
    chosen.out.mkdir(parents=True, exist_ok=True)
    save_file(arrays, chosen.out / f"{chosen.part}.safetensors", facts)


if __name__ == "__main__":
    main()
