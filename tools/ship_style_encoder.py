"""Make the shipped style encoder of what tools/train_style_encoder.py trained.

    python tools/ship_style_encoder.py --features features.safetensors --vector vector.safetensors --balance 0.2

Writes ``src/allonym/models/style-encoder-en``: weights of n-grams as 8-bit logarithms, matrices as int8. ``--balance``
is the share that a vector's second part has of its squared length, found on validation writers
(`tools/measure_style_encoder.py`). Without files only the card becomes new, with the figures of
``results/style_encoder.json``; its text is ``tools/style_encoder_card.md``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from allonym import models
from allonym.networks.style_encoder.inference import FORMAT, LARGEST_WEIGHT, VERSION, StyleReader, StyleShape
from allonym.networks.style_encoder.text import COARSE, FINE

NAME = "style-encoder-en"
ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "src" / "allonym" / "models" / NAME
CARD = ROOT / "tools" / "style_encoder_card.md"
RESULTS = ROOT / "results" / "style_encoder.json"

Arrays = dict[str, NDArray[Any]]


def stored(features: Arrays, vector: Arrays) -> Arrays:
    """Round what was trained to what is shipped."""
    return {
        **_weights("fine", features),
        **_weights("coarse", vector),
        **_table(vector["table"].astype(np.float64)),
        "bias": vector["bias"].astype(np.float32),
        **{f"{layer}.bias": vector[f"{layer}.bias"].astype(np.float32) for layer in ("inner", "outer")},
        **_matrix("inner.weight", vector),
        **_matrix("outer.weight", vector),
        **_matrix("straight.weight", vector),
    }


def _weights(name: str, trained: Arrays) -> Arrays:
    """Write what each n-gram weighs as one of 256 whole numbers at even ratios, the largest 4,095."""
    logs = trained["base"].astype(np.float64) + trained["logs"].astype(np.float64)
    lowest, step = logs.min(), (logs.max() - logs.min()) / 255
    levels = np.rint(LARGEST_WEIGHT * np.exp((np.arange(256) - 255) * step))
    chances = np.exp(trained["shares"].astype(np.float64))
    return {
        f"{name}.codes": np.rint((logs - lowest) / step).astype(np.uint8),
        f"{name}.weights": levels.astype(np.int32),
        f"{name}.shares": np.sqrt(chances / chances.sum()).astype(np.float32),
    }


def _table(table: NDArray[np.float64]) -> Arrays:
    """Round the table, with a scale for each column of each kind; the farthest outliers are cut."""
    parts, scales = [], []
    for part in np.split(table, np.cumsum(COARSE)[:-1]):
        scale = np.maximum(np.quantile(np.abs(part), 0.9995, axis=0), 1e-9) / 127
        parts.append(np.rint(part / scale).clip(-127, 127).astype(np.int8))
        scales.append(scale.astype(np.float32))
    return {"table": np.concatenate(parts), "table.scale": np.stack(scales)}


def _matrix(name: str, trained: Arrays) -> Arrays:
    matrix = trained[name].astype(np.float64)
    scales = np.maximum(np.abs(matrix).max(axis=1), 1e-9) / 127
    return {name: np.rint(matrix / scales[:, None]).astype(np.int8), f"{name}.scale": scales.astype(np.float32)}


def shape_of(vector: Arrays) -> StyleShape:
    """Return the sizes of trained arrays."""
    return StyleShape(vector["table"].shape[1], *reversed(vector["outer.weight"].shape))


def facts_of(path: Path) -> dict[str, Any]:
    """Return what the training tool wrote beside the weights."""
    with safe_open(path, "numpy") as file:
        return {name: json.loads(value) for name, value in (file.metadata() or {}).items() if name != "shape"}


def card(shape: StyleShape, size: int, balance: float) -> str:
    """Return the text of the card, with figures if they are there."""
    figures = "Not measured yet.\n"
    if RESULTS.exists():
        figures = table(json.loads(RESULTS.read_text("utf-8")))
    values = {"name": NAME, "version": VERSION, "size": size / 1e6, "balance": balance, "figures": figures}
    return CARD.read_text("utf-8").format(**values, **vars(shape), fine=sum(FINE), coarse=sum(COARSE))


def table(results: dict[str, Any]) -> str:
    """Return the measured accuracies as a Markdown table."""
    rows = results["rows"]
    names = list(dict.fromkeys(row["attacker"] for row in rows))
    lines = ["| texts | authors | known texts of each | " + " | ".join(names) + " |", "|---" * (3 + len(names)) + "|"]
    for corpus, known in dict.fromkeys((row["corpus"], row["known"]) for row in rows):
        found = {row["attacker"]: row for row in rows if (row["corpus"], row["known"]) == (corpus, known)}
        authors = next(iter(found.values()))["authors"]
        cells = [f"{found[name]['accuracy']['value']:.3f}" if name in found else "–" for name in names]
        lines.append("| " + " | ".join([corpus, str(authors), str(known), *cells]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Ship the encoder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--features", type=Path)
    parser.add_argument("--vector", type=Path)
    parser.add_argument("--balance", type=float, default=0.1)
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    if given.features and given.vector:
        features, vector = load_file(given.features), load_file(given.vector)
        shape, arrays = shape_of(vector), stored(features, vector)
        StyleReader(shape, arrays, given.balance)  # refuses what does not fit
        save_file(arrays, FOLDER / models.WEIGHTS)
        config = {
            "name": NAME,
            "version": VERSION,
            "format": FORMAT,
            "shape": vars(shape),
            "balance": given.balance,
            "training": {"features": facts_of(given.features), "vector": facts_of(given.vector)},
        }
        (FOLDER / models.CONFIG).write_text(json.dumps(config, indent=1) + "\n", "utf-8")
    config = json.loads((FOLDER / models.CONFIG).read_text("utf-8"))
    size = (FOLDER / models.WEIGHTS).stat().st_size
    (FOLDER / models.CARD).write_text(card(StyleShape(**config["shape"]), size, config["balance"]), "utf-8")
    model = models.seal(FOLDER)
    print(f"{model.name}: {model.size_bytes / 1e6:.2f} MB in {len(model.files)} files")


if __name__ == "__main__":
    main()
