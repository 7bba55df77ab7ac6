"""Tables and figures of the SynTF experiment, made from its results alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from allonym.drawing.figure_data import Bar, Bars, Figure, Lines, Panel, Point, Rule, Series
from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import rounded_percent, spread
from allonym.papers.ruler import tables as ruler
from allonym.papers.syntf.rows import KEPT, OUTPUT_SIZES, Mean, Means, Reached, SweptSetting, SyntfResults
from allonym.papers.syntf.runs import TAGGED, WRITEPRINTS

# Table 3 of the paper (Top 10/Any): utility F1, precision, recall, then the attack's.
PAPER_TABLE_3 = {
    "none (original)": (0.69, 0.71, 0.70, 0.64, 0.71, 0.63),
    "SynTF": (0.60, 0.61, 0.61, 0.42, 0.44, 0.43),
    "scrubadub": (0.64, 0.65, 0.65, 0.57, 0.63, 0.57),
}
# Its relative F1 of utility and attack, and their difference, as printed: the printed F1 are too coarse to divide.
PAPER_RELATIVE = {"SynTF": (0.87, 0.66, 0.20), "scrubadub": (0.92, 0.90, 0.02)}
SHOWN = "Top 10/Any"


def markdown(shown: SyntfResults) -> str:
    """Return all tables."""
    parts = [
        "Weighted F1 of the better analyst and of the *best attacker*: whichever does best on the test messages of the "
        "paper's two (WritePrints with an SVM or naive Bayes), an SVM over words, one over characters and naive Bayes "
        "over words, all retrained on what was released. The last chapter has attackers who know more. "
        f"Intervals: {shown.interval}.",
        _table_1(shown),
        _table_3(shown),
        _sweeps(shown),
        _learned(shown),
        ruler.chapter(shown.grounds),
        "SynTF has the shipped words here, as a user has it without reference texts; a learned rating is learned as "
        "above, and two of its attackers read texts through it.",
    ]
    return "\n\n".join(parts) + "\n"


def figures(shown: SyntfResults) -> dict[str, Figure]:
    """Return figures 1, 3, 4 and 5, and one of the learned rating, by file name."""
    return {
        "figure-1": _figure_1(shown),
        "figure-3": _figure_3(shown),
        "figure-4": _figure_4(shown),
        "figure-5": _figure_5(shown),
        "learned-rating": _learned_figure(shown),
    } | ruler.figures(shown.grounds)


def relative(
    shown: SyntfResults, reached: Reached, scenario: str, *, learned: bool = False, by: Sequence[str] | None = None
) -> tuple[float, float]:
    """Return utility and attack as shares of what the originals give.

    `learned`: on the messages that a learned rating leaves; `by`: of these attackers only.
    """
    before = best((shown.without_reference if learned else shown.original).utility)
    was, now = (best(each.attack[scenario], by) for each in (shown.original, reached))
    use = best(reached.utility)["f1_weighted"].mean / before["f1_weighted"].mean
    return use, now["f1_weighted"].mean / was["f1_weighted"].mean


def best(classifiers: Mapping[str, Means], by: Sequence[str] | None = None) -> Means:
    """Return the figures of the classifier or attacker with the highest weighted F1; `by`: of these only."""
    return max((classifiers[name] for name in by or classifiers), key=lambda means: means["f1_weighted"].mean)


def _swept(shown: SyntfResults, row: SweptSetting, scenario: str) -> tuple[float, float]:
    """Return the same shares for a setting."""
    return relative(shown, row.reached, scenario, learned=row.bench == "learned")


def _spread(mean: Mean) -> str:
    return spread(asdict(mean), value="mean")


def _table_1(shown: SyntfResults) -> str:
    head = ["scenario", "suspects (paper)", "groups", "least train", "least test", "train messages", "test messages"]
    rows = [
        [
            row.scenario,
            f"{row.suspects} ({row.suspects_paper})",
            f"≥ {row.groups}",
            *map(str, (row.least_train, row.least_test, row.train, row.test)),
        ]
        for row in shown.suspects
    ]
    return "## Table 1: scenarios\n\n" + markdown_table(head, rows)


def _table_3(shown: SyntfResults) -> str:
    ours = {"none (original)": shown.original, "SynTF": shown.optimum.reached, "scrubadub": shown.scrubbed}
    head = ["method", "utility F1", "P", "R", "attack F1 (WritePrints)", "P", "R", "best attacker F1", "paper"]
    rows = []
    for name, reached in ours.items():
        use, theirs = best(reached.utility), best(reached.attack[SHOWN], TAGGED)
        cells = [
            _spread(means[measure]) if measure == "f1_weighted" else f"{means[measure].mean:.2f}"
            for means in (use, theirs)
            for measure in KEPT[:3]
        ]
        printed = PAPER_TABLE_3[name]
        cells += [_spread(best(reached.attack[SHOWN])["f1_weighted"]), f"utility {printed[0]}, attack {printed[3]}"]
        rows.append([name, *cells])
    for name in ("SynTF", "scrubadub"):
        share, attack = relative(shown, ours[name], SHOWN, by=TAGGED)
        _, by_best = relative(shown, ours[name], SHOWN)
        *shares, gain = PAPER_RELATIVE[name]
        paper = "utility {}, attack {}, gain {}".format(
            *map(rounded_percent, shares), rounded_percent(gain, signed=True)
        )
        gains = [rounded_percent(share - loss, signed=True) for loss in (attack, by_best)]
        cells = [rounded_percent(share), "", "", rounded_percent(attack), ""]
        cells += ["gain {}, against the best attacker {}".format(*gains), rounded_percent(by_best), paper]
        rows.append([f"{name}, relative", *cells])
    return f"## Table 3: {SHOWN}, ε = 47.5\n\n" + markdown_table(head, rows)


def _sweeps(shown: SyntfResults) -> str:
    head = ["changed", "ε", "tight loss", "terms", "utility F1", "relative"]
    head += [f"{name}: attack (gain)" for name in shown.scenarios]
    rows = [
        [
            _changed(row),
            f"{row.setting.epsilon:g}",
            f"{row.measured.tight_loss_per_word:.1f}",
            *_cells(shown, row),
        ]
        for row in shown.of_bench("paper")
    ]
    text = "The paper's settings (table 2), one changed at a time; attack is that of the best attacker."
    return f"## Table 2: sweeps\n\n{text}\n\n" + markdown_table(head, rows)


def _changed(row: SweptSetting) -> str:
    if row.table == "optimum":
        return "the optimum"
    return f"{row.table.replace('_', ' ')} {asdict(row.setting)[row.table]}"


def _cells(shown: SyntfResults, row: SweptSetting) -> list[str]:
    cells = [str(row.measured.terms), _spread(best(row.reached.utility)["f1_weighted"])]
    use, _ = _swept(shown, row, SHOWN)
    cells.append(rounded_percent(use))
    for scenario in shown.scenarios:
        _, attack = _swept(shown, row, scenario)
        reached = best(row.reached.attack[scenario])["f1_weighted"]
        cells.append(f"{_spread(reached)} ({rounded_percent(use - attack, signed=True)})")
    return cells


def _learned(shown: SyntfResults) -> str:
    head = ["rating", "tight loss", "words", "terms", "utility F1", "relative"]
    head += [f"{name}: attack (gain)" for name in shown.scenarios]
    rows = [
        [
            row.setting.rating,
            f"{row.measured.tight_loss_per_word:.1f}",
            str(row.setting.words),
            *_cells(shown, row),
        ]
        for row in shown.of_bench("learned")
    ]
    sizes = shown.learned_documents
    before = _spread(best(shown.without_reference.utility)["f1_weighted"])
    text = (
        f"Rating learned from {sizes['reference']:,} labelled messages of other authors; analyst trained on the other "
        f"{sizes['train']:,}, with whose originals F1 is {before}. Gain: relative utility less relative attack."
    )
    return f"## A rating learned from public labels\n\n{text}\n\n" + markdown_table(head, rows)


def _figure_1(shown: SyntfResults) -> Figure:
    few = shown.bounds[::3]
    series = [Series("standard bound ε", tuple(Point(row.epsilon, row.standard) for row in few))]
    series += [
        Series(f"L = {size:,}", tuple(Point(row.epsilon, row.alternative[size]) for row in few))
        for size in OUTPUT_SIZES
    ]
    what = "The alternative bound stays below ε, the more so the smaller the output space and the larger ε."
    return Lines("Bounds on the loss (figure 1)", what, "ε", "bound on the loss", (Panel("bounds", tuple(series)),))


def _figure_3(shown: SyntfResults) -> Figure:
    swept = [row for row in shown.settings if row.table in ("optimum", "epsilon")]
    rows = sorted(swept, key=lambda row: row.setting.epsilon)
    panels = []
    for scenario in shown.scenarios:
        kinds = {"utility": (0, None), "attack, WritePrints": (1, WRITEPRINTS), "attack, best attacker": (1, None)}
        series = [
            Series(
                name,
                tuple(Point(row.setting.epsilon, relative(shown, row.reached, scenario, by=by)[side]) for row in rows),
            )
            for name, (side, by) in kinds.items()
        ]
        use, attack = relative(shown, shown.vectorised, scenario)
        rules = (Rule("y", use, "vectors, utility"), Rule("y", attack, "vectors, best attacker"))
        panels.append(Panel(scenario, tuple(series), rules))
    what = "Utility and attack as shares of the originals', over ε. Dashed: term vectors before anything is drawn."
    return Lines("Utility and attack over ε (figure 3)", what, "ε", "share of the original's F1", tuple(panels))


def _gains(shown: SyntfResults, rows: Mapping[str, tuple[Reached, bool]]) -> tuple[tuple[str, tuple[Bar, ...]], ...]:
    """Return bars of relative utility less relative attack, a group for each scenario.

    Of each row it says what was reached, and whether on the messages that a learned rating leaves.
    """
    groups = []
    for scenario in shown.scenarios:
        pairs = {name: relative(shown, reached, scenario, learned=learned) for name, (reached, learned) in rows.items()}
        groups.append((scenario, tuple(Bar(name, use - attack) for name, (use, attack) in pairs.items())))
    return tuple(groups)


def _figure_4(shown: SyntfResults) -> Figure:
    chosen = [row for row in shown.settings if row.table in ("optimum", "spelling_weight")]
    chosen.sort(key=lambda row: row.setting.spelling_weight)
    rows = {f"s = {row.setting.spelling_weight:g}": (row.reached, False) for row in chosen}
    what = "The analyst's gain over the best attacker, for five weights s of shared letter bigrams."
    return Bars("Spelling weight (figure 4)", what, "relative utility less relative attack", _gains(shown, rows))


def _figure_5(shown: SyntfResults) -> Figure:
    rows = {"scrubadub": (shown.scrubbed, False), "SynTF, ε = 47.5": (shown.optimum.reached, False)}
    rows |= {
        f"learned rating, loss {row.measured.tight_loss_per_word:.0f}": (row.reached, True)
        for row in shown.of_bench("learned")
        if row.setting.rating == "utility" and row.setting.loss_per_word in (25.4, 6.0)
    }
    what = "The analyst's gain over the best attacker: scrubbing, SynTF, SynTF with a learned rating."
    return Bars("Scrubbing and SynTF (figure 5)", what, "relative utility less relative attack", _gains(shown, rows))


def _learned_figure(shown: SyntfResults) -> Figure:
    panels = []
    for scenario in shown.scenarios:
        series = []
        for rating in ("similarity", "utility"):
            rows = [row for row in shown.of_bench("learned") if row.setting.rating == rating]
            points = [
                Point(attack, use, label=f"{row.measured.tight_loss_per_word:.0f}")
                for row in rows
                for use, attack in [_swept(shown, row, scenario)]
            ]
            series.append(Series(f"rating by {rating}", tuple(points)))
        panels.append(Panel(scenario, tuple(series)))
    what = "Each point is a tight loss per word: attack to the right, utility upwards. Up and left is better."
    return Lines("A learned rating", what, "relative attack", "relative utility", tuple(panels))
