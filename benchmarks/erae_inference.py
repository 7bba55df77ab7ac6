"""Claim: ER-AE's network without torch runs at half the speed of its output product alone, in little memory, at once.

The job is 1,000 sentences of 3 to 40 words, drawn by Zipf's law, one step for each word and END: features, ratings of
20,000 words and probabilities. It is timed in units of the float32 product of all features with the embedding, 256 rows
at a time on one thread. Weights are the shipped model's, or made-up ones of its sizes where there is none.
The output layer alone is compared with the float32 product that gives the same ratings, bias included, in turns on a
tenth of the job: the median of the 25 turns' ratios. What else runs on the machine changes from second to second, and
so meets both halves of a turn.
Start-up and memory are those of fresh processes: from nothing to the first probabilities, and the whole job.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import Row, child_json, cpu_seconds, interleaved, multiply, run_script, zipf_inputs
from numpy.typing import NDArray
from safetensors.numpy import save_file

from allonym import models
from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.networks.erae.inference import FORMAT, VERSION, EraeReader, EraeShape
from allonym.networks.whole_numbers import SCALE, quantised

NAME = "erae-en"
SHAPE = EraeShape(words=20_000, variant="attention", embedding=256, encoder=256, latent=256, generator=512)
SENTENCES, SHORTEST, LONGEST = 1_000, 3, 40
SHARE, INT8, MEMORY_MIB, START_S = 0.5, 1.7, 600, 2.0
MIB = 2**20
SLAB = 256  # as fast as 512 where the machine is quiet, and faster where others want the cache
TURNS, OF_A_TURN = 25, 10


def make_folder(folder: Path) -> None:
    """Write a model folder of the shipped sizes with made-up weights."""
    rng = np.random.default_rng(1)
    weights: dict[str, NDArray[np.generic]] = {}
    for name, sizes in SHAPE.tensors().items():
        made = rng.normal(0, 1 / np.sqrt(sizes[-1]) if len(sizes) == 2 else 0.1, sizes).astype(np.float32)
        weights[name] = made
        if made.ndim == 2:
            weights[name], weights[name + SCALE] = quantised(made)
    save_file(weights, folder / models.WEIGHTS)
    Vocabulary((*SPECIAL, *(f"w{n}" for n in range(SHAPE.words - len(SPECIAL))))).save(folder / models.VOCABULARY)
    (folder / models.CARD).write_text("# Made up\n", encoding="utf-8")
    config = {"name": "made-up", "format": FORMAT, "version": VERSION, "shape": vars(SHAPE)}
    (folder / models.CONFIG).write_text(json.dumps(config), encoding="utf-8")
    models.seal(folder)


def make_sentences(words: int) -> tuple[list[list[int]], list[int]]:
    """Return the sentences of the job and their steps."""
    lengths = SHORTEST + np.arange(SENTENCES) * 17 % (LONGEST - SHORTEST + 1)
    tokens = len(SPECIAL) + zipf_inputs(words - len(SPECIAL), int(lengths.sum()))
    split = np.split(tokens, np.cumsum(lengths)[:-1])
    return [sentence.tolist() for sentence in split], (lengths + 1).tolist()


def do_all(reader: EraeReader, sentences: list[list[int]], steps: list[int]) -> None:
    """Do the whole job, dropping the probabilities."""
    for _ in reader.ratings(reader.features(sentences, steps), normalise=True):
        pass


def rate_all(reader: EraeReader, features: NDArray[np.float32]) -> None:
    """Rate all features, dropping the ratings."""
    for _ in reader.ratings(features):
        pass


def rate_in_floats(features: NDArray[np.float32], columns: NDArray[np.float32]) -> None:
    """Rate all features by one float32 product, the bias as a further row of it, and do nothing else."""
    multiply(np.pad(features, ((0, 0), (0, 1)), constant_values=1), columns, at_once=SLAB)


def gains(reader: EraeReader, features: NDArray[np.float32], with_bias: NDArray[np.float32]) -> list[float]:
    """Return the quartiles of how many times as fast the output layer is as floats, turn by turn."""
    found = []
    for _ in range(TURNS):
        in_floats = cpu_seconds(lambda: rate_in_floats(features, with_bias))
        found.append(in_floats / cpu_seconds(lambda: rate_all(reader, features)))
    return statistics.quantiles(found, n=4)


def one_job(folder: Path) -> dict[str, float]:
    """Open a folder and do the job; what a fresh process prints."""
    reader = EraeReader.open(folder)
    do_all(reader, *make_sentences(reader.shape.words))
    unit = 1 if sys.platform == "darwin" else 1024
    return {"peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit}


def start_seconds(folder: Path) -> float:
    """Return how long a fresh process takes to the first probabilities, by the clock: the least of three."""
    code = (
        "import sys; from allonym.networks.erae.inference import EraeReader; "
        "reader = EraeReader.open(sys.argv[1]); reader.probabilities(reader.features([[5]], 2))"
    )
    times = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True)
        times.append(time.perf_counter() - began)
    return min(times)


def measure_in(folder: Path, source: str) -> Sequence[Row]:
    """Time the job with the model in a folder."""
    fresh = child_json(Path(__file__).name, "--one-job", str(folder))  # first: a child is charged for our own memory
    start = start_seconds(folder)
    reader = EraeReader.open(folder)
    sentences, steps = make_sentences(reader.shape.words)
    features = reader.features(sentences, steps)
    tensors = models.open_tensors(models.verify(folder))
    columns = np.ascontiguousarray((tensors["embedding.weight"] * tensors["embedding.weight" + SCALE][:, None]).T)
    with_bias = np.ascontiguousarray(np.vstack([columns, tensors["bias"]]), np.float32)
    tokens = len(features)
    do_all(reader, sentences, steps)  # what compiles, compiles now
    do_all(reader, sentences, steps)
    seconds = interleaved(
        {
            "product": lambda: multiply(features, columns, at_once=SLAB),
            "everything": lambda: do_all(reader, sentences, steps),
        }
    )
    share = seconds["product"] / seconds["everything"]
    low, gain, high = gains(reader, features[: tokens // OF_A_TURN], with_bias)
    peak = fresh["peak_bytes"] / MIB
    return [
        Row(
            f"ER-AE without torch ({source}), everything, as a share of its output product's rate",
            f"≥ {SHARE:.0%}",
            f"{share:.0%} ({tokens / seconds['everything']:,.0f} tokens per core-second)",
            share >= SHARE,
            {f"{name} s": value for name, value in seconds.items()} | {"tokens": tokens},
        ),
        Row(
            "its output layer in whole numbers, against float32",
            f"≥ {INT8}×",
            f"{gain:.2f}× (the middle half of {TURNS} turns: {low:.2f} to {high:.2f})",
            gain >= INT8,
            {"ratio": gain, "first quarter": low, "third quarter": high},
        ),
        Row("peak memory of a fresh process", f"< {MEMORY_MIB} MiB", f"{peak:.0f} MiB", peak < MEMORY_MIB, fresh),
        Row(
            "a fresh process, to the first probabilities, by the clock",
            f"< {START_S} s",
            f"{start:.2f} s",
            start < START_S,
            {"seconds": start},
        ),
    ]


def measure(_: Path | None) -> Sequence[Row]:
    """Time the shipped model, or a made-up one."""
    if NAME in models.shipped():
        return measure_in(models.find(NAME), NAME)
    with tempfile.TemporaryDirectory() as made:
        make_folder(Path(made))
        return measure_in(Path(made), "made-up weights")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--one-job", type=Path)
    known, _rest = parser.parse_known_args()
    if known.one_job:
        print(json.dumps(one_job(known.one_job)))
    else:
        run_script(measure)
