"""Claim: the draws cost at most 2.5 float32 matrix products of the same size, and the tight loss at most 1.8.

No exact method can do with less than one such pass, so this says how far we are from the floor. Compiled loops are
loaded before the clock starts; what the very first run costs on top is reported beside it, without a target.
"""

from __future__ import annotations

import os
import tempfile

from _common import REPEATS, WORDS, Job, Row, child_json, interleaved, matrix_pass, run_benchmark

from allonym.randomness import insecure

DRAW_TARGET = 2.5
LOSS_TARGET = 1.8


def measure(job: Job) -> list[Row]:
    """Time the matrix pass, the draws and the loss, in turns."""
    vectors = job.table.vectors
    fresh = [job.mechanism() for _ in range(REPEATS)]  # a mechanism remembers its loss
    seconds = interleaved(
        {
            "pass": lambda: matrix_pass(vectors),
            "draw": lambda: job.mechanism().draw(job.inputs, insecure(3)),
            "loss": lambda: fresh.pop().loss(),
        }
    )
    one = seconds["pass"]
    draw, loss = seconds["draw"] / one, seconds["loss"] / one
    return [
        Row(
            f"all draws, in float32 matrix-product passes ({WORDS:,} × {WORDS:,}, 512-row slabs); loops warm",
            f"≤ {DRAW_TARGET}",
            f"{draw:.2f} ({seconds['draw']:.2f} s; one pass {one:.2f} s)",
            draw <= DRAW_TARGET,
            {"ratio": draw, "draw_s": seconds["draw"], "pass_s": one},
        ),
        Row(
            "tight loss over all pairs of words, in the same passes; loops warm",
            f"≤ {LOSS_TARGET}",
            f"{loss:.2f} ({seconds['loss']:.2f} s)",
            loss <= LOSS_TARGET,
            {"ratio": loss, "loss_s": seconds["loss"], "pass_s": one},
        ),
        cold_row(job, one),
    ]


def cold_row(job: Job, one_pass: float) -> Row:
    """Time the first draw of a fresh process: once with nothing compiled yet, once more with the loops on disk."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        arguments = ("--words", str(WORDS), "--inputs", str(job.inputs_path), "--no-loss")
        first, second = (child_json("_one_job.py", *arguments, environment=environment)["draw_s"] for _ in range(2))
    return Row(
        "all draws, first of a process: loops compiled / loaded from disk",
        "",
        f"{first / one_pass:.2f} / {second / one_pass:.2f} ({first:.1f} / {second:.1f} s)",
        None,
        {"compiled_s": first, "loaded_s": second},
    )


if __name__ == "__main__":
    run_benchmark(measure)
