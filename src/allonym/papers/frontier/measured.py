"""What `allonym methods` shows: a row for each measured setting of ours, in the file that the command reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from allonym.metrics.figures import percent
from allonym.papers.ruler.settings import OURS, syntf_by_epsilon

SHOWN = (*OURS, syntf_by_epsilon(35.0))  # the frontier's, and what a preset stands for
GROUND = "newsgroups20-10"  # on which all methods were measured


def stored(*results: Path) -> str:
    """Return the figures of result files that the command shows, as JSON; a row in several is taken from the first."""
    by_name: dict[str, dict[str, Any]] = {}
    for result in results:
        for row in json.loads(result.read_text("utf-8"))["grounds"][GROUND]["rows"]:
            by_name.setdefault(row["name"], row)
    original = by_name["original"]
    known = [setting for setting in SHOWN if setting.name in by_name]
    note = (
        f"Measured on posts of {original['about']['authors']} newsgroup writers: of originals the strongest attacker "
        f"names {percent(original['strongest']['value'])}, by chance {percent(original['about']['chance'])}. "
        "Other texts and attackers give other figures: see docs/frontier.md."
    )
    figures = {"note": note, "rows": [_row(setting.method, by_name[setting.name]) for setting in known]}
    return json.dumps(figures, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _row(method: str, row: dict[str, Any]) -> dict[str, Any]:
    parameters = row["parameters"]
    loss = parameters.get("loss_per_word") if row["definition"] == "pure" else None
    return {
        "method": method,
        "setting": row["setting"],
        "loss_per_word": loss,
        "named": round(row["strongest"]["value"], 4),
        "named_in_words": percent(row["strongest"]["value"]),  # written here: the command loads next to nothing
        "meaning": round(row["use"]["meaning"]["value"], 4),
        "words_per_second": round(row["words_per_second"]) if row.get("words_per_second") else None,
    }
