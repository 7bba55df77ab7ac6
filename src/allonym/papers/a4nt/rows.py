"""Finding one's way in A4NT's results, and whether the goals set against the paper are reached, by figures alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from allonym.anonymizers.a4nt.styles import SHIPPED
from allonym.papers import Results
from allonym.papers.a4nt.documents import SIX
from allonym.papers.a4nt.paper import GOALS, RECIPES, PaperGoal

Row = dict[str, Any]  # as it is stored

REACHED, MISSED, UNKNOWN = "reached", "not reached", "not measured"
ALONE = "F1 reached, but not by a model that reaches the goal with METEOR"


@dataclass(frozen=True)
class JudgedGoal:
    """A goal, the row of the model that comes nearest, and the verdict."""

    goal: PaperGoal
    row: Row | None
    verdict: str


def of_setting(results: Results, setting: str) -> list[Row]:
    """Return what was measured in a setting: the paper's variant first, its recipes in the paper's order."""
    rows = [row for row in results["measured"] if row["setting"] == setting]
    order = {recipe: rank for rank, recipe in enumerate(RECIPES)}

    def key(row: Row) -> tuple[bool, bool, int]:
        return row["trained_for"] == SIX, row["variant"] != "paper", order.get(row["recipe"], len(order))

    return sorted(rows, key=key)


def attack_on(row: Row, attacker: str) -> Row:
    """Return what an attacker reached on a model's translations."""
    reached: Row = next(attack for attack in row["attacks"] if attack["attacker"] == attacker)
    return reached


def label(row: Row, results: Results) -> str:
    """Name a row so that no other has its name: recipe and variant, and the name where it is shipped or they repeat."""
    kind = (row["trained_for"], row["variant"], row["recipe"])
    doubles = [
        model for model in results["models"] if (model["trained_for"], model["variant"], model["recipe"]) == kind
    ]
    name = f"{row['recipe']} ({row['variant']})"
    if len(doubles) > 1 or row["name"].startswith(SHIPPED):
        name = f"{row['name']}: {name}"
    six = ", six classes" if row["trained_for"] == SIX else ""
    way = f", {row['way']}" if "way" in row else ""
    return f"{name}{six}{way}{' *' if row.get('earlier') else ''}"


def goals(results: Results) -> list[JudgedGoal]:
    """Return each goal with the model that comes nearest and the verdict.

    A goal without a METEOR of its own, the holdout's, is about the model that comes nearest in the same setting: it
    must not be another one that has changed more, and it is reached only where that model reaches the other goal, too.
    """
    judged = []
    for goal in GOALS:
        main = next(other for other in GOALS if other.setting == goal.setting and other.meteor is not None)
        row = nearest(results, main)
        judged.append(JudgedGoal(goal, row, UNKNOWN if row is None else _verdict(row, goal, main)))
    return judged


def _verdict(row: Row, goal: PaperGoal, main: PaperGoal) -> str:
    if excess(row, goal) > 0:
        return MISSED
    return REACHED if excess(row, main) <= 0 else ALONE


def nearest(results: Results, goal: PaperGoal) -> Row | None:
    """Return the measured model that reaches a goal by most, or misses it by least; none without METEOR 1.5."""
    if results["meteor"] != "meteor_1_5":
        return None
    rows = of_setting(results, goal.setting)
    return min(rows, key=lambda row: excess(row, goal)) if rows else None


def excess(row: Row, goal: PaperGoal) -> float:
    """Return by how much a model misses a goal, on the worse of its two sides; 0 or less where it reaches it."""
    over = attack_on(row, goal.attacker)["static"]["document"]["f1"]["value"] - goal.f1
    if goal.meteor is None:
        return float(over)
    return float(max(over, goal.meteor - row["meteor"]["value"]))
