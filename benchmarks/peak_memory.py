"""Claim: the whole job peaks below 512 MiB, and 100,000 words below 1.5 GiB.

Each job runs in a fresh process, and what is reported is the largest memory that process ever held: interpreter,
libraries, compiled loops, word table, inputs, outputs. This script loads no data itself, since a child is charged
for the memory of the process that starts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from _common import WORDS, Row, child_json, prepared_inputs, run_script

MIB = 2**20
TARGET_MIB = 512
LARGE_TARGET_MIB = 1536
LARGE_WORDS = 100_000
LARGE_DRAWS = 100_000


def measure(inputs: Path | None) -> Sequence[Row]:
    """Run both jobs."""
    with prepared_inputs(inputs) as path:
        usual = child_json("_one_job.py", "--words", str(WORDS), "--inputs", str(path))
    large = child_json("_one_job.py", "--words", str(LARGE_WORDS), "--draws", str(LARGE_DRAWS))
    return [
        _row("peak memory of the job: all draws and the tight loss", usual, TARGET_MIB),
        _row(
            f"peak memory at {LARGE_WORDS:,} words: {LARGE_DRAWS:,} draws and the tight loss", large, LARGE_TARGET_MIB
        ),
    ]


def _row(claim: str, job: dict[str, float], target: int) -> Row:
    peak = job["peak_bytes"] / MIB
    seconds = job["draw_s"] + job["loss_s"]
    return Row(
        claim, f"< {target:,} MiB", f"{peak:,.0f} MiB ({seconds:.0f} s)", peak < target, {**job, "peak_mib": peak}
    )


if __name__ == "__main__":
    run_script(measure)
