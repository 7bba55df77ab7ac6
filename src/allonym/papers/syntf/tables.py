"""Tables and figures of the SynTF experiment, made from its results alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from allonym.drawing.figure_data import Bar, Bars, Figure, Lines, Panel, Point, Rule, Series
from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import rounded_percent, spread
from allonym.papers import Results
from allonym.papers.ruler import tables as ruler
from allonym.papers.syntf.runs import KEPT, TAGGED, WRITEPRINTS

Row = dict[str, Any]  # as it was stored

# Table 3 of the paper (Top 10/Any): utility F1, precision, recall, then the attack's.
PAPER_TABLE_3 = {
    "none (original)": (0.69, 0.71, 0.70, 0.64, 0.71, 0.63),
    "SynTF": (0.60, 0.61, 0.61, 0.42, 0.44, 0.43),
    "scrubadub": (0.64, 0.65, 0.65, 0.57, 0.63, 0.57),
}
# Its relative F1 of utility and attack, and their difference, as printed: the printed F1 are too coarse to divide.
PAPER_RELATIVE = {"SynTF": (0.87, 0.66, 0.20), "scrubadub": (0.92, 0.90, 0.02)}
SHOWN = "Top 10/Any"


def markdown(results: Results) -> str:
    """Return all tables."""
    parts = [
        "Weighted F1 of the better analyst and of the *best attacker*: whichever does best on the test messages of the "
        "paper's two (WritePrints with an SVM or naive Bayes), an SVM over words, one over characters and naive Bayes "
        "over words, all retrained on what was released. The last chapter has attackers who know more. "
        f"Intervals: {results['interval']}.",
        _table_1(results),
        _table_3(results),
        _sweeps(results),
        _learned(results),
        ruler.chapter(results["grounds"]),
        "SynTF has the shipped words here, as a user has it without reference texts; a learned rating is learned as "
        "above, and two of its attackers read texts through it.",
    ]
    return "\n\n".join(parts) + "\n"


def figures(results: Results) -> dict[str, Figure]:
    """Return figures 1, 3, 4 and 5, and one of the learned rating, by file name."""
    return {
        "figure-1": _figure_1(results),
        "figure-3": _figure_3(results),
        "figure-4": _figure_4(results),
        "figure-5": _figure_5(results),
        "learned-rating": _learned_figure(results),
    } | ruler.figures(results["grounds"])


def relative(results: Results, row: Row, scenario: str, *, by: Sequence[str] | None = None) -> tuple[float, float]:
    """Return utility and attack as shares of what the originals give; `by`: of these attackers only."""
    learned = row.get("bench") == "learned"
    before = best(results["original_without_reference" if learned else "original"]["utility"])
    was, now = (best(each["attack"][scenario], by) for each in (results["original"], row))
    use = best(row["utility"])["f1_weighted"]["mean"] / before["f1_weighted"]["mean"]
    return use, now["f1_weighted"]["mean"] / was["f1_weighted"]["mean"]


def best(classifiers: Row, by: Sequence[str] | None = None) -> Row:
    """Return the figures of the classifier or attacker with the highest weighted F1; `by`: of these only."""
    return max((classifiers[name] for name in by or classifiers), key=lambda figures: figures["f1_weighted"]["mean"])


def _spread(figure: Row) -> str:
    return spread(figure, value="mean")


def _table_1(results: Results) -> str:
    head = ["scenario", "suspects (paper)", "groups", "least train", "least test", "train messages", "test messages"]
    rows = [
        [
            row["scenario"],
            f"{row['suspects']} ({row['suspects_paper']})",
            f"≥ {row['groups']}",
            *(str(row[name]) for name in ("least_train", "least_test", "train", "test")),
        ]
        for row in results["table_1"]
    ]
    return "## Table 1: scenarios\n\n" + markdown_table(head, rows)


def _optimum(results: Results) -> Row:
    [row] = [row for row in results["settings"] if row["table"] == "optimum"]
    optimum: Row = row
    return optimum


def _table_3(results: Results) -> str:
    ours = {"none (original)": results["original"], "SynTF": _optimum(results), "scrubadub": results["scrubbed"]}
    head = ["method", "utility F1", "P", "R", "attack F1 (WritePrints)", "P", "R", "best attacker F1", "paper"]
    rows = []
    for name, row in ours.items():
        use, theirs = best(row["utility"]), best(row["attack"][SHOWN], TAGGED)
        cells = [
            _spread(use[measure]) if measure == "f1_weighted" else f"{use[measure]['mean']:.2f}" for measure in KEPT[:3]
        ]
        cells += [
            _spread(theirs[measure]) if measure == "f1_weighted" else f"{theirs[measure]['mean']:.2f}"
            for measure in KEPT[:3]
        ]
        printed = PAPER_TABLE_3[name]
        cells += [_spread(best(row["attack"][SHOWN])["f1_weighted"]), f"utility {printed[0]}, attack {printed[3]}"]
        rows.append([name, *cells])
    for name in ("SynTF", "scrubadub"):
        share, attack = relative(results, ours[name], SHOWN, by=TAGGED)
        _, by_best = relative(results, ours[name], SHOWN)
        *shares, gain = PAPER_RELATIVE[name]
        paper = "utility {}, attack {}, gain {}".format(
            *map(rounded_percent, shares), rounded_percent(gain, signed=True)
        )
        gains = [rounded_percent(share - loss, signed=True) for loss in (attack, by_best)]
        cells = [rounded_percent(share), "", "", rounded_percent(attack), ""]
        cells += ["gain {}, against the best attacker {}".format(*gains), rounded_percent(by_best), paper]
        rows.append([f"{name}, relative", *cells])
    return f"## Table 3: {SHOWN}, ε = 47.5\n\n" + markdown_table(head, rows)


def _names(results: Results) -> list[str]:
    return [row["scenario"] for row in results["table_1"]]


def _sweeps(results: Results) -> str:
    head = ["changed", "ε", "tight loss", "terms", "utility F1", "relative"]
    head += [f"{name}: attack (gain)" for name in _names(results)]
    rows = []
    for row in results["settings"]:
        if row["bench"] == "paper":
            rows.append(
                [_changed(row), f"{row['epsilon']:g}", f"{row['tight_loss_per_word']:.1f}", *_cells(results, row)]
            )
    text = "The paper's settings (table 2), one changed at a time; attack is that of the best attacker."
    return f"## Table 2: sweeps\n\n{text}\n\n" + markdown_table(head, rows)


def _changed(row: Row) -> str:
    table = row["table"]
    return "the optimum" if table == "optimum" else f"{table.replace('_', ' ')} {row[table]}"


def _cells(results: Results, row: Row) -> list[str]:
    cells = [str(row["terms"]), _spread(best(row["utility"])["f1_weighted"])]
    use, _ = relative(results, row, SHOWN)
    cells.append(rounded_percent(use))
    for scenario in _names(results):
        _, attack = relative(results, row, scenario)
        cells.append(
            f"{_spread(best(row['attack'][scenario])['f1_weighted'])} ({rounded_percent(use - attack, signed=True)})"
        )
    return cells


def _learned(results: Results) -> str:
    head = ["rating", "tight loss", "words", "terms", "utility F1", "relative"]
    head += [f"{name}: attack (gain)" for name in _names(results)]
    rows = [
        [row["rating"], f"{row['tight_loss_per_word']:.1f}", str(row["words"]), *_cells(results, row)]
        for row in results["settings"]
        if row["bench"] == "learned"
    ]
    sizes = results["learned_rating_documents"]
    before = _spread(best(results["original_without_reference"]["utility"])["f1_weighted"])
    text = (
        f"Rating learned from {sizes['reference']:,} labelled messages of other authors; analyst trained on the other "
        f"{sizes['train']:,}, with whose originals F1 is {before}. Gain: relative utility less relative attack."
    )
    return f"## A rating learned from public labels\n\n{text}\n\n" + markdown_table(head, rows)


def _figure_1(results: Results) -> Figure:
    names = {"standard": "standard bound ε", "2": "L = 2", "100": "L = 100", "30000": "L = 30,000"}
    series = [
        Series(name, tuple(Point(row["epsilon"], row[key]) for row in results["figure_1"][::3]))
        for key, name in names.items()
    ]
    what = "The alternative bound stays below ε, the more so the smaller the output space and the larger ε."
    return Lines("Bounds on the loss (figure 1)", what, "ε", "bound on the loss", (Panel("bounds", tuple(series)),))


def _figure_3(results: Results) -> Figure:
    rows = sorted(
        (row for row in results["settings"] if row["table"] in ("optimum", "epsilon")), key=lambda row: row["epsilon"]
    )
    panels = []
    for scenario in _names(results):
        kinds = {"utility": (0, None), "attack, WritePrints": (1, WRITEPRINTS), "attack, best attacker": (1, None)}
        series = [
            Series(
                name,
                tuple(Point(row["epsilon"], relative(results, row, scenario, by=by)[side]) for row in rows),
            )
            for name, (side, by) in kinds.items()
        ]
        use, attack = relative(results, results["vectorised"], scenario)
        rules = (Rule("y", use, "vectors, utility"), Rule("y", attack, "vectors, best attacker"))
        panels.append(Panel(scenario, tuple(series), rules))
    what = "Utility and attack as shares of the originals', over ε. Dashed: term vectors before anything is drawn."
    return Lines("Utility and attack over ε (figure 3)", what, "ε", "share of the original's F1", tuple(panels))


def _gains(results: Results, rows: dict[str, Row]) -> tuple[tuple[str, tuple[Bar, ...]], ...]:
    """Return bars of relative utility less relative attack, a group for each scenario."""
    groups = []
    for scenario in _names(results):
        pairs = {name: relative(results, row, scenario) for name, row in rows.items()}
        groups.append((scenario, tuple(Bar(name, use - attack) for name, (use, attack) in pairs.items())))
    return tuple(groups)


def _figure_4(results: Results) -> Figure:
    chosen = [row for row in results["settings"] if row["table"] in ("optimum", "spelling_weight")]
    rows = {f"s = {row['spelling_weight']:g}": row for row in sorted(chosen, key=lambda row: row["spelling_weight"])}
    what = "The analyst's gain over the best attacker, for five weights s of shared letter bigrams."
    return Bars("Spelling weight (figure 4)", what, "relative utility less relative attack", _gains(results, rows))


def _figure_5(results: Results) -> Figure:
    rows = {"scrubadub": results["scrubbed"], "SynTF, ε = 47.5": _optimum(results)}
    learned = [row for row in results["settings"] if row["rating"] == "utility"]
    rows |= {
        f"learned rating, loss {row['tight_loss_per_word']:.0f}": row
        for row in learned
        if row["loss_per_word"] in (25.4, 6.0)
    }
    what = "The analyst's gain over the best attacker: scrubbing, SynTF, SynTF with a learned rating."
    return Bars("Scrubbing and SynTF (figure 5)", what, "relative utility less relative attack", _gains(results, rows))


def _learned_figure(results: Results) -> Figure:
    panels = []
    for scenario in _names(results):
        series = []
        for rating in ("similarity", "utility"):
            rows = [row for row in results["settings"] if row["bench"] == "learned" and row["rating"] == rating]
            points = [
                Point(attack, use, label=f"{row['tight_loss_per_word']:.0f}")
                for row in rows
                for use, attack in [relative(results, row, scenario)]
            ]
            series.append(Series(f"rating by {rating}", tuple(points)))
        panels.append(Panel(scenario, tuple(series)))
    what = "Each point is a tight loss per word: attack to the right, utility upwards. Up and left is better."
    return Lines("A learned rating", what, "relative attack", "relative utility", tuple(panels))
