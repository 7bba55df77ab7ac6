"""Claim: all draws cost a hundredth of `np.random.choice` on rows of probabilities that are already there.

The whole ready-made matrix would take 7 GB; a sample of its rows is made beforehand and not timed.
"""

from __future__ import annotations

import numpy as np
from _common import DRAWS, Job, Row, interleaved, run_benchmark
from numpy.typing import NDArray

from allonym.randomness import insecure

TARGET = 100
SAMPLE = 200


def draw_from(rows: list[NDArray[np.float64]]) -> None:
    """Draw once from each row."""
    for row in rows:
        np.random.choice(len(row), p=row)


def measure(job: Job) -> list[Row]:
    """Time a sample of choices and all of our draws, in turns."""
    mechanism = job.mechanism()
    sample = np.random.default_rng(2).choice(job.inputs.ravel(), SAMPLE)
    rows = [mechanism.law(int(i)) for i in sample]
    seconds = interleaved(
        {
            "choice": lambda: draw_from(rows),
            "ours": lambda: job.mechanism().draw(job.inputs, insecure(2)),
        }
    )
    rival = seconds["choice"] / SAMPLE * DRAWS
    ratio = rival / seconds["ours"]
    return [
        Row(
            f"{DRAWS:,} draws, against np.random.choice from a ready-made probability matrix",
            f"≥ {TARGET}×",
            f"{ratio:,.0f}× ({seconds['ours']:.1f} s; {rival:,.0f} s, scaled from {SAMPLE} rows)",
            ratio >= TARGET,
            {"ratio": ratio, "choice_s": rival, "ours_s": seconds["ours"]},
        )
    ]


if __name__ == "__main__":
    run_benchmark(measure)
