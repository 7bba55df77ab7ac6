"""The frontier as tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from allonym.drawing.figure_data import Figure, Point, Rule
from allonym.drawing.tables import markdown_table
from allonym.drawing.trade_off import point, trade_off
from allonym.metrics.figures import NOT_MEASURED, spread
from allonym.papers import Results

_ATTACK = "strongest attack"
_HEAD = ["method", "loss a document", "meaning (MiniLM)", "meaning (USE)", "labels (F1)", "perplexity", _ATTACK, "by",
         "words/s"]  # fmt: skip

_HOW_TO_READ = """
Each row is a method with one setting. **Meaning** is the cosine between a text before and after, by two encoders: 1 is
the same, and what two unrelated texts have stands above each table. **Labels** is how well an analyst who learns from
released texts still sorts others. **Perplexity** is how a language model reads the text: near that of the originals is
ordinary English. The **strongest attack** is the share of texts whose author is named: lower hides better, and chance
is the floor. **Loss a document** is what is proved: smaller is better, and a dash means that nothing is.

Attackers have every text that the corpus has of an author, release {own} of each author's texts themselves, twice, and
see what a method computes before it draws. The strongest attack is that of all attackers together, unless one alone
names clearly more of the known texts that they set aside. Every row is drawn {draws} times (a method that always writes
the same, once); brackets are 95 % intervals over draws and texts.
"""


def markdown(results: Results) -> str:
    """Return one table for each kind of texts."""
    text = "# The frontier: what is kept and what is given away\n"
    text += _HOW_TO_READ.format(own=results["own_releases_of_author"], draws=results["draws"])
    for ground in results["grounds"].values():
        about = ground["about"]
        text += (
            f"\n## {about['title']}\n\n{about['authors']} authors, {about['known']:,} known texts, {about['tested']:,} "
            f"tested; chance {about['chance']:.2f}; labels: {about['labels']}. Unrelated texts: {_floors(about)}.\n\n"
        )
        text += table(ground["rows"]) + "\n"
    return text


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows of one kind of texts."""
    return markdown_table(_HEAD, [_cells(row) for row in ordered(rows)], wide=False)


def figures(results: Results) -> dict[str, Figure]:
    """Return a figure for each kind of texts: attack to the right, meaning upwards."""
    return {
        name: _figure(ground["about"], ground["rows"])
        for name, ground in results["grounds"].items()
        if len(ground["rows"]) > 2 and "meaning" in ground["about"]["floors"]
    }


def _figure(about: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Figure:
    curves: dict[str, list[Point]] = {}
    [original] = [row for row in rows if row["method"] == "original"]
    for row in rows:
        if row is not original and row["use"]["meaning"]:
            points = curves.setdefault(row["method"], [])
            points.append(point(_ends(row["strongest"]), _ends(row["use"]["meaning"]), row["setting"] or row["method"]))
    for points in curves.values():
        points.sort(key=lambda each: each.x)
    rules = [Rule("x", about["chance"], "chance"), Rule("y", about["floors"]["meaning"], "unrelated texts")]
    return trade_off(
        f"{about['title']}: further up a method keeps more of the meaning, further left the strongest attacker names "
        "fewer authors. Lines through points are intervals over draws and texts.",
        ("accuracy of the strongest attacker", "similarity of meaning (MiniLM)"),
        curves,
        (_ends(original["strongest"]), _ends(original["use"]["meaning"])),
        rules,
    )


def ordered(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the originals first, then by how much meaning is kept."""
    return sorted(rows, key=lambda row: (row["method"] != "original", -_value(row["use"].get("meaning"))))


def _cells(row: Mapping[str, Any]) -> list[str]:
    use, attack, speed = row["use"], row["strongest"], row.get("words_per_second")
    return [
        row["name"],
        loss(row),
        *(spread(use.get(name), 2) for name in ("meaning", "meaning-use", "topic")),
        NOT_MEASURED if use.get("perplexity") is None else f"{use['perplexity']['value']:.0f}",
        spread(attack, 2),
        f"{attack['attacker']}, {attack['setting']}",
        NOT_MEASURED if speed is None else f"{speed:,.0f}",
    ]


def loss(row: Mapping[str, Any]) -> str:
    """Write the proved loss of a document."""
    proved = row.get("loss_per_document")
    return NOT_MEASURED if proved is None else f"{proved:,.0f}"


def _floors(about: Mapping[str, Any]) -> str:
    named = {"meaning": "MiniLM", "meaning-use": "USE"}
    floors = [f"{title} {about['floors'][name]:.2f}" for name, title in named.items() if about["floors"].get(name)]
    return ", ".join(floors) or "not measured"


def _ends(figure: Mapping[str, float]) -> tuple[float, float, float]:
    return figure["value"], figure["low"], figure["high"]


def _value(figure: Mapping[str, float] | None) -> float:
    return -1.0 if figure is None else figure["value"]
