"""Finding one's way in A4NT's results."""

from __future__ import annotations

from typing import Any

from allonym.anonymizers.a4nt.styles import SHIPPED
from allonym.papers.a4nt.documents import SIX
from allonym.papers.a4nt.paper import RECIPES

Row = dict[str, Any]
Results = dict[str, Any]


def of_setting(results: Results, setting: str) -> list[Row]:
    """Return what was measured in a setting: the paper's variant first, its recipes in the paper's order."""
    rows = [row for row in results["measured"] if row["setting"] == setting]
    order = {recipe: place for place, recipe in enumerate(RECIPES)}

    def key(row: Row) -> tuple[bool, bool, int]:
        return row["trained_for"] == SIX, row["variant"] != "paper", order.get(row["recipe"], len(order))

    return sorted(rows, key=key)


def attack_on(row: Row, attacker: str) -> Row:
    """Return what an attacker reached on a model's translations."""
    found: Row = next(attack for attack in row["attacks"] if attack["attacker"] == attacker)
    return found


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
