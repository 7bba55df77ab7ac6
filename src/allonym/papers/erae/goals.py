"""What ER-AE was to reach here, and whether it did: computed from the results alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from allonym.papers.erae.methods import AE_DP, CERTAIN, LOWER_LOSS, PLAIN, RANDOM, REWARDED, SUBSET, SYNTF, TWO_SET
from allonym.papers.erae.rows import Goal, TableRow
from allonym.papers.ruler.rows import Measured

LEAST_SIMILARITY = 0.60
MOST_STATIC = 0.10
MOST_RECOGNISED = 0.45
SUBSET_GAIN = 0.08
MOST_TIMES_LESS_FLUENT = 2.0
# Table 1 of the paper: similarity (USE), then authorship and stylometric change, on Yelp; both on peer reviews.
PAPER_TABLE_1 = {
    "Original text": (1.0, 0.5513, 0.0, 1.0, 0.0),
    "Random-R": (0.1183, 0.0188, 62.99, 0.1356, 65.624),
    "AE-DP": (0.6163, 0.097, 11.443, 0.614, 9.859),
    "SynTF (2018)": (0.1955, 0.0518, 26.3031, 0.2161, 25.95),
    "ER-AE (ours)": (0.7548, 0.0979, 13.01, 0.7424, 9.838),
}


def goals(rows: Sequence[TableRow], grounds: Iterable[Measured]) -> tuple[Goal, ...]:
    """Return each goal with what table 1 and the ruler measured, and whether it was reached."""
    by_name = {row.method: row for row in rows}
    two_set, subset = by_name[TWO_SET], by_name[SUBSET]
    lower = by_name[f"{SUBSET}, loss {LOWER_LOSS}"]
    network = two_set.network_attack.value
    gain = subset.similarity - two_set.similarity
    return (
        *(_above(two_set, by_name[name]) for name in (RANDOM, SYNTF, PLAIN, AE_DP, CERTAIN) if name in by_name),
        *([_above(by_name[REWARDED], by_name[AE_DP])] if {REWARDED, AE_DP} <= by_name.keys() else []),
        Goal(
            f"1. Similarity of {TWO_SET} at least {LEAST_SIMILARITY:.2f} on held-out reviews",
            f"{two_set.similarity:.3f}",
            two_set.similarity >= LEAST_SIMILARITY,
        ),
        Goal(
            f"1. Static attack of the paper's network on {TWO_SET} at most {MOST_STATIC:.2f}",
            f"{network:.3f}",
            network <= MOST_STATIC,
        ),
        Goal(
            f"2. {SUBSET}: similarity at the same loss at least {SUBSET_GAIN:.2f} above two-set",
            f"{subset.similarity:.3f} − {two_set.similarity:.3f} = {gain:+.3f}",
            gain >= SUBSET_GAIN,
        ),
        Goal(
            f"2. {SUBSET} at a loss of {LOWER_LOSS} no worse than two-set at {two_set.loss_per_word:.2f}",
            f"{lower.similarity:.3f} and {two_set.similarity:.3f}",
            lower.similarity >= two_set.similarity,
        ),
        *map(_recognised, grounds),
        *(_fluent(row, by_name["Original"]) for row in rows[1:] if "perplexity" in row.imdb62),
    )


def _above(row: TableRow, other: TableRow) -> Goal:
    """Say whether a row keeps more meaning than another on both corpora, beyond both intervals."""
    pairs = [
        (row.imdb62["similarity"], other.imdb62["similarity"]),
        (row.peer_reviews["similarity"], other.peer_reviews["similarity"]),
    ]
    measured = ", ".join(f"{ours_there.value - theirs.value:+.3f}" for ours_there, theirs in pairs)
    if row.paper in PAPER_TABLE_1 and other.paper in PAPER_TABLE_1:
        ours, others = PAPER_TABLE_1[row.paper], PAPER_TABLE_1[other.paper]
        measured += f" (paper {ours[0] - others[0]:+.3f}, {ours[3] - others[3]:+.3f})"
    goal = f"1. {row.method} above {other.method} in similarity, on IMDb62 and on peer reviews"
    return Goal(goal, measured, all(ours_there.low > theirs.high for ours_there, theirs in pairs))


def _recognised(measured: Measured) -> Goal:
    """Say whether a setting with a proof keeps enough meaning while the strongest attack stays low."""
    eligible = [
        (row, row.meaning)
        for row in measured.methods
        if row.loss_per_document is not None and row.meaning and row.meaning.value >= LEAST_SIMILARITY
    ]
    goal = (
        f"3. {measured.about.title}: strongest attack below {MOST_RECOGNISED:.2f} at similarity {LEAST_SIMILARITY:.2f}"
    )
    if not eligible:
        return Goal(goal, "no setting keeps so much similarity", False)
    best, meaning = min(eligible, key=lambda pair: pair[0].strongest.accuracy.value)
    attack = best.strongest.accuracy
    measured_there = f"{attack.value:.3f} ({attack.low:.2f}–{attack.high:.2f}) at {meaning.value:.3f} ({best.name})"
    return Goal(goal, measured_there, attack.value < MOST_RECOGNISED)


def _fluent(row: TableRow, original: TableRow) -> Goal:
    """Say whether grammar findings and perplexity are at most twice the input's."""
    pairs = [(row.imdb62[name].value, original.imdb62[name].value) for name in ("grammar", "perplexity")]
    goal = f"4. {row.method}: grammar findings and perplexity at most twice the input's"
    measured = "{:.1f} against {:.1f}, {:.0f} against {:.0f}".format(*pairs[0], *pairs[1])
    return Goal(goal, measured, all(after <= MOST_TIMES_LESS_FLUENT * before for after, before in pairs))
