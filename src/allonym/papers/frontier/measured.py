"""What `allonym methods` shows of the frontier: a row for each setting of ours, in the file that the command reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from allonym.metrics.figures import percent
from allonym.papers.ruler.settings import OURS

GROUND = "newsgroups20-10"  # on which all methods were measured


def stored(result: Path) -> str:
    """Return the figures of `results/frontier.json` that the command shows, as JSON."""
    rows = json.loads(result.read_text("utf-8"))["grounds"][GROUND]["rows"]
    by_name = {row["name"]: row for row in rows}
    original = by_name["original"]
    known = [setting for setting in OURS if setting.name in by_name]
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
