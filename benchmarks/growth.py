"""Claim: cost grows no faster than (words)² × dimensions, plus a little for each draw, and not with the documents.

Growth with the words is fitted to the tight loss and to one draw of each word, so that draws do not blur it. On a fast
processor what every size costs alike makes it less than the square.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from _common import DRAWS, WORDS, Job, Row, interleaved, mechanism, run_benchmark
from numpy.typing import NDArray

from allonym.mechanisms import Exponential
from allonym.randomness import insecure
from allonym.vectors.embeddings import WordTable

SIZES = (7_500, 15_000, WORDS)
EXPONENT_TARGET = 2.25
DIMENSIONS_TARGET = 2.0
DRAW_TARGET_NS = 500
DOCUMENTS_TARGET = 1.15
FIXED_WORDS = 15_000
MORE_DRAWS = 4
SHORT_DOCUMENT = 30


def measure(job: Job) -> list[Row]:
    """Vary words, dimensions, draws and documents, one at a time."""
    table = job.table.first(FIXED_WORDS)
    inputs = job.inputs % FIXED_WORDS
    return [_words_row(job.table), _dimensions_row(table), *_draws_rows(mechanism(table), inputs)]


def _words_row(table: WordTable) -> Row:
    tables = {size: table.first(size) for size in SIZES}
    seconds = interleaved({str(size): lambda size=size: _every_row(tables[size]) for size in SIZES})
    times = [seconds[str(size)] for size in SIZES]
    exponent = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
    steps = [float(np.log2(after / before)) for before, after in pairwise(times)]
    listed = ", ".join(f"{time:.2f} s at {size:,}" for size, time in zip(SIZES, times, strict=True))
    return Row(
        "growth with the words V: fitted exponent of loss and one draw a word",
        f"≤ {EXPONENT_TARGET}",
        f"{exponent:.2f} ({listed}; doublings {steps[0]:.2f}, {steps[1]:.2f})",
        exponent <= EXPONENT_TARGET,
        {"exponent": exponent, **{f"s_at_{size}": time for size, time in zip(SIZES, times, strict=True)}},
    )


def _every_row(table: WordTable) -> None:
    law = mechanism(table)
    law.draw(np.arange(len(table)), insecure(5))
    law.loss()


def _dimensions_row(table: WordTable) -> Row:
    half = WordTable(table.words, table.vectors[:, : table.dimensions // 2])
    seconds = interleaved({"half": lambda: _every_row(half), "full": lambda: _every_row(table)})
    ratio = seconds["full"] / seconds["half"]
    return Row(
        f"growth with the dimensions: twice as many, at {len(table):,} words",
        f"≤ {DIMENSIONS_TARGET}×",
        f"{ratio:.2f}×",
        ratio <= DIMENSIONS_TARGET,
        {"ratio": ratio},
    )


def _draws_rows(law: Exponential, inputs: NDArray[np.int64]) -> list[Row]:
    """Time the same documents, four times as many, and as many draws in five times as many documents."""
    many = np.tile(inputs, (MORE_DRAWS, 1))
    short = inputs.reshape(-1, SHORT_DOCUMENT)
    ways = {"once": inputs, "many": many, "short": short}
    seconds = interleaved({name: lambda rows=rows: _draw(law, rows) for name, rows in ways.items()})
    per_draw = (seconds["many"] - seconds["once"]) / (many.size - inputs.size) * 1e9
    documents = seconds["short"] / seconds["once"]
    return [
        Row(
            f"a further draw, at {law.inputs:,} words: from {DRAWS:,} draws to {MORE_DRAWS} times as many",
            f"≤ {DRAW_TARGET_NS} ns",
            f"{per_draw:.0f} ns ({seconds['once']:.2f} s to {seconds['many']:.2f} s)",
            per_draw <= DRAW_TARGET_NS,
            {"ns_per_draw": per_draw, "once_s": seconds["once"], "many_s": seconds["many"]},
        ),
        Row(
            f"as many draws, {len(short) // len(inputs)} times as many documents",
            f"≤ {DOCUMENTS_TARGET}×",
            f"{documents:.2f}×",
            documents <= DOCUMENTS_TARGET,
            {"ratio": documents, "short_s": seconds["short"]},
        ),
    ]


def _draw(law: Exponential, inputs: NDArray[np.int64]) -> None:
    law.draw(inputs, insecure(6).documents([b""] * len(inputs)))


if __name__ == "__main__":
    run_benchmark(measure)
