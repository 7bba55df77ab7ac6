"""Finding one's way in A4NT's results, and whether the goals set against the paper are reached, by figures alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from allonym.anonymizers.a4nt.styles import SHIPPED
from allonym.papers.a4nt.documents import SIX
from allonym.papers.a4nt.paper import GOALS, RECIPES, PaperGoal
from allonym.papers.a4nt.stored import A4ntResults, MeasuredRow, ModelNames

REACHED, MISSED, UNKNOWN = "reached", "not reached", "not measured"
ALONE = "F1 reached, but not by a model that reaches the goal with METEOR"


@dataclass(frozen=True)
class JudgedGoal:
    """A goal, the row of the model that comes nearest, and the verdict."""

    goal: PaperGoal
    row: MeasuredRow | None
    verdict: str


def of_setting(measured: Sequence[MeasuredRow], setting: str) -> list[MeasuredRow]:
    """Return what was measured in a setting: the paper's variant first, its recipes in the paper's order."""
    order = {recipe: rank for rank, recipe in enumerate(RECIPES)}

    def key(row: MeasuredRow) -> tuple[bool, bool, int]:
        model = row.model
        return model.trained_for == SIX, model.variant != "paper", order.get(model.recipe, len(order))

    return sorted((row for row in measured if row.setting == setting), key=key)


def label(model: ModelNames, all_models: Sequence[ModelNames], way: str = "") -> str:
    """Name a row so that no other has its name: recipe and variant, and the name where it is shipped or they repeat."""
    doubles = [other for other in all_models if other.kind == model.kind]
    name = f"{model.recipe} ({model.variant})"
    if len(doubles) > 1 or model.name.startswith(SHIPPED):
        name = f"{model.name}: {name}"
    six = ", six classes" if model.trained_for == SIX else ""
    return f"{name}{six}{way and f', {way}'}{' *' if model.earlier else ''}"


def goals(results: A4ntResults) -> list[JudgedGoal]:
    """Return each goal with the model that comes nearest and the verdict.

    A goal without a METEOR of its own, the holdout's, is about the model that comes nearest in the same setting: it
    must not be another one that has changed more, and it is reached only where that model reaches the other goal, too.
    """
    judged = []
    for goal in GOALS:
        main = next(other for other in GOALS if other.setting == goal.setting and other.meteor is not None)
        row = nearest(results.measured, main) if results.meteor == "meteor_1_5" else None
        judged.append(JudgedGoal(goal, row, UNKNOWN if row is None else _verdict(row, goal, main)))
    return judged


def _verdict(row: MeasuredRow, goal: PaperGoal, main: PaperGoal) -> str:
    if excess(row, goal) > 0:
        return MISSED
    return REACHED if excess(row, main) <= 0 else ALONE


def nearest(measured: Sequence[MeasuredRow], goal: PaperGoal) -> MeasuredRow | None:
    """Return the measured model that reaches a goal by most, or misses it by least."""
    return min(of_setting(measured, goal.setting), key=lambda row: excess(row, goal), default=None)


def excess(row: MeasuredRow, goal: PaperGoal) -> float:
    """Return by how much a model misses a goal, on the worse of its two sides; 0 or less where it reaches it."""
    over = row.measured.attack(goal.attacker).static.document.f1.value - goal.f1
    if goal.meteor is None:
        return over
    meteor = row.measured.quality.meteor
    return math.inf if meteor is None else max(over, goal.meteor - meteor.value)
