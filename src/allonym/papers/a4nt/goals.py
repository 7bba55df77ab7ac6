"""Whether the goals set against the A4NT paper are reached; decided here, by figures alone."""

from __future__ import annotations

from typing import Any

from allonym.papers.a4nt.paper import GOALS, Goal
from allonym.papers.a4nt.rows import Results, Row, attack_on, of_setting

REACHED, MISSED, UNKNOWN = "reached", "not reached", "not measured"
ALONE = "F1 reached, but not by a model that reaches the goal with METEOR"


def goals(results: Results) -> list[dict[str, Any]]:
    """Return each goal with the model that comes nearest and the verdict.

    A goal without a METEOR of its own, the holdout's, is about the model that comes nearest in the same setting: it
    must not be another one that has changed more, and it is reached only where that model reaches the other goal, too.
    """
    found = []
    for goal in GOALS:
        main = next(other for other in GOALS if other.setting == goal.setting and other.meteor is not None)
        row = nearest(results, main)
        verdict = UNKNOWN if row is None else _verdict(row, goal, main)
        found.append(
            {
                "setting": goal.setting,
                "attacker": goal.attacker,
                "f1": goal.f1,
                "meteor": goal.meteor,
                "row": row,
                "verdict": verdict,
            }
        )
    return found


def _verdict(row: Row, goal: Goal, main: Goal) -> str:
    if excess(row, goal) > 0:
        return MISSED
    return REACHED if excess(row, main) <= 0 else ALONE


def nearest(results: Results, goal: Goal) -> Row | None:
    """Return the measured model that reaches a goal by most, or misses it by least; none without METEOR 1.5."""
    if results["meteor"] != "meteor_1_5":
        return None
    rows = of_setting(results, goal.setting)
    return min(rows, key=lambda row: excess(row, goal)) if rows else None


def excess(row: Row, goal: Goal) -> float:
    """Return by how much a model misses a goal, on the worse of its two sides; 0 or less where it reaches it."""
    over = attack_on(row, goal.attacker)["static"]["document"]["f1"]["value"] - goal.f1
    if goal.meteor is None:
        return float(over)
    return float(max(over, goal.meteor - row["meteor"]["value"]))
