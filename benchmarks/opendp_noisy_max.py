"""Claim: a draw costs a fiftieth of OpenDP's exact `make_noisy_max` over the same 30,000 ratings.

With Gumbel noise of scale 2Δ/ε (its zero-concentrated branch) OpenDP draws from the very same law; its pure branch,
with exponential noise, is timed too, and the faster of the two is the rival. OpenDP is handed the finished ratings;
we compute them. Our price a draw is that of a corpus, where a row serves many draws; a single draw is listed beside it.
"""

from __future__ import annotations

import numpy as np
from _common import DRAWS, EPSILON, SPELLING_WEIGHT, WORDS, Job, Row, interleaved, run_benchmark

from allonym.randomness import insecure
from allonym.vectors.ratings import ONE, WordRatings

TARGET = 50
CALLS = 5


def measure(job: Job) -> list[Row]:
    """Time a few calls of OpenDP and all of our draws, in turns."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    gumbel = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=2 / EPSILON)
    exponential = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2 / EPSILON)
    sample = np.random.default_rng(3).choice(job.inputs.ravel(), CALLS)
    ratings = WordRatings(job.table.words, job.table.vectors, spelling_weight=SPELLING_WEIGHT)
    rows = [(next(ratings.tiles(np.array([i])))[1][0] / ONE).tolist() for i in sample]
    law = job.mechanism()
    seconds = interleaved(
        {
            "gumbel": lambda: [gumbel(row) for row in rows],
            "exponential": lambda: [exponential(row) for row in rows],
            "alone": lambda: [law.draw([i], insecure(7)) for i in sample],
            "ours": lambda: job.mechanism().draw(job.inputs, insecure(7)),
        }
    )
    rival = min(seconds["gumbel"], seconds["exponential"]) / CALLS
    ours, alone = seconds["ours"] / DRAWS, seconds["alone"] / CALLS
    return [
        Row(
            f"a draw from {WORDS:,} candidates, against OpenDP's exact make_noisy_max",
            f"≥ {TARGET}×",
            f"{rival / ours:,.0f}× ({ours * 1e6:.2f} µs; {rival * 1e3:.0f} ms, {CALLS} calls)",
            rival / ours >= TARGET,
            {
                "ratio": rival / ours,
                "ours_s": ours,
                **{f"{k}_s": seconds[k] / CALLS for k in ("gumbel", "exponential")},
            },
        ),
        Row(
            "the same for a single draw by itself, its row of ratings computed for it alone",
            "",
            f"{rival / alone:,.0f}× ({alone * 1e3:.1f} ms)",
            None,
            {"ratio": rival / alone, "alone_s": alone},
        ),
    ]


if __name__ == "__main__":
    run_benchmark(measure)
