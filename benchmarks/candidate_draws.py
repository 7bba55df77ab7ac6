"""Claim: a draw by either mechanism of ER-AE costs little more than reading the model's probabilities once.

4,096 rows of 20,000 probabilities in float32, as a generator gives them: most of the mass on a few words. The unit is
one sum over each row, the least that anything does which looks at all of them; np.argmax and np.argpartition, with
which a plain top-k begins, are given for context.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import Row, interleaved, run_script
from numpy.typing import NDArray

from allonym.mechanisms import Subset, TwoSet
from allonym.randomness import insecure

BATCH = 4_096
OUTPUTS = 20_000
CANDIDATES = 5
PASS_TARGET = 6.0

_SEED = 20260104
_SPREAD = 5.0  # of the logarithms: the best word has about a third of the mass
_FEW = 256
_REPEATS = 7


def made_up_probabilities() -> NDArray[np.float32]:
    """Return rows that sum to about one."""
    rows = np.random.default_rng(_SEED).standard_normal((BATCH, OUTPUTS), np.float32)
    rows *= _SPREAD
    np.exp(rows, out=rows)
    rows /= rows.sum(axis=1, keepdims=True)
    return rows


def measure(_inputs: Path | None) -> Sequence[Row]:
    """Time both mechanisms, and one pass over the same rows, in turns."""
    rows = made_up_probabilities()
    two_set = TwoSet(OUTPUTS, epsilon=3.0, candidates=CANDIDATES)
    subset = Subset(OUTPUTS, loss=two_set.loss(), candidates=CANDIDATES)
    works = {
        "pass": lambda: rows.sum(axis=1),
        "two-set": lambda: two_set.draw(rows, insecure(_SEED)),
        "subset": lambda: subset.draw(rows, insecure(_SEED)),
        "argmax": lambda: rows.argmax(axis=1),
    }
    for work in works.values():
        work()  # loops compiled or loaded before the clock starts
    seconds = interleaved(works, repeats=_REPEATS)
    few = rows[:_FEW]
    partition = interleaved({"few": lambda: np.argpartition(few, OUTPUTS - CANDIDATES, axis=1)})["few"] * BATCH / _FEW
    one = seconds["pass"]
    return [
        *(_row(name, seconds[name], one) for name in ("two-set", "subset")),
        Row(
            "the same rows by np.argmax / np.argpartition, which draw nothing",
            "",
            f"{seconds['argmax'] / one:.1f} / {partition / one:.0f} (the second scaled from {_FEW} rows)",
            None,
            {"argmax_s": seconds["argmax"], "argpartition_s": partition},
        ),
    ]


def _row(name: str, seconds: float, one: float) -> Row:
    return Row(
        f"{BATCH:,} draws by {name} from rows of {OUTPUTS:,} probabilities, in sums over the rows",
        f"≤ {PASS_TARGET:.0f}",
        f"{seconds / one:.1f} ({BATCH / seconds:,.0f} draws/s; one sum {one * 1000:.0f} ms)",
        seconds / one <= PASS_TARGET,
        {"ratio": seconds / one, "draws_per_s": BATCH / seconds, "pass_s": one},
    )


if __name__ == "__main__":
    run_script(measure)
