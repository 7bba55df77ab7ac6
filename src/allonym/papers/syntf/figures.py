"""Figures of the SynTF experiment, made from its results alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from allonym.drawing.figure_data import Bar, Bars, Figure, Lines, Panel, Point, Rule, Series
from allonym.papers.ruler import tables as ruler
from allonym.papers.syntf.rows import OUTPUT_SIZES, Kind, Reached, SyntfResults
from allonym.papers.syntf.runs import WRITEPRINTS
from allonym.papers.syntf.tables import relative
from allonym.papers.syntf.usefulness import figures as usefulness_figures

_GAIN = "relative utility less relative attack"


@dataclass(frozen=True)
class Opponents:
    """An analyst and an attacker; by default whichever does best."""

    title: str = ""
    analyst: str | None = None
    attackers: tuple[str, ...] | None = None

    def shares(self, shown: SyntfResults, reached: Reached, scenario: str, kind: Kind = "paper") -> tuple[float, float]:
        """Return utility and attack as shares of what the originals give."""
        return relative(shown, reached, scenario, kind=kind, analyst=self.analyst, by=self.attackers)

    def named(self, scenario: str) -> str:
        """Return what a panel or a group is called."""
        return f"{scenario}, {self.title}" if self.title else scenario


BEST = (Opponents(),)
# As the paper draws them: analyst and attacker with the same classifier.
APART = (
    Opponents("naive Bayes", "naive_bayes", ("writeprints-bayes",)),
    Opponents("SVM", "linear_svm", ("writeprints-svm",)),
)


def figures(shown: SyntfResults) -> dict[str, Figure]:
    """Return figures 1, 3, 4 and 5, those of section 3.4.3, and one of the learned rating, by file name."""
    return {
        "figure-1": _figure_1(shown),
        "figure-3": _figure_3(shown),
        "figure-3-apart": _figure_3_apart(shown),
        "figure-4": _figure_4(shown, BEST),
        "figure-4-apart": _figure_4(shown, APART),
        "figure-5": _figure_5(shown, BEST),
        "figure-5-apart": _figure_5(shown, APART),
        **usefulness_figures(shown.good_outputs),
        "learned-rating": _learned_figure(shown),
    } | ruler.figures(shown.grounds)


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


def _figure_3_apart(shown: SyntfResults) -> Figure:
    """Return figure 3 as the paper has it: analyst and attacker with the same classifier, naive Bayes or SVM."""
    swept = [row for row in shown.settings if row.table in ("optimum", "epsilon")]
    rows = sorted(swept, key=lambda row: row.setting.epsilon)
    panels = []
    for scenario, pair in product(shown.scenarios, APART):
        points = [(row.measured.tight_loss_per_word, *pair.shares(shown, row.reached, scenario)) for row in rows]
        series = (
            Series("utility", tuple(Point(loss, use) for loss, use, _ in points)),
            Series("attack", tuple(Point(loss, attack) for loss, _, attack in points)),
        )
        use, attack = pair.shares(shown, shown.vectorised, scenario)
        rules = (Rule("y", use, "vectors, utility"), Rule("y", attack, "vectors, attack"))
        panels.append(Panel(pair.named(scenario), series, rules))
    what = (
        "Utility and attack by WritePrints without parts of speech as shares of the originals', over the tight loss, "
        "for naive Bayes and SVMs. Dashed: term vectors before anything is drawn."
    )
    title = "Utility and attack over the tight loss (figure 3)"
    y_label = "share of the original's F1"
    return Lines(title, what, "tight loss of a word", y_label, tuple(panels), y_range=(0.0, 1.2))  # room for words


def _gains(
    shown: SyntfResults, rows: Mapping[str, tuple[Reached, Kind]], pairs: Sequence[Opponents]
) -> tuple[tuple[str, tuple[Bar, ...]], ...]:
    """Return bars of relative utility less relative attack, a group for each scenario and pair.

    Of each row it says what was reached, and on which messages.
    """
    groups = []
    for scenario, pair in product(shown.scenarios, pairs):
        shares = {name: pair.shares(shown, reached, scenario, kind) for name, (reached, kind) in rows.items()}
        groups.append((pair.named(scenario), tuple(Bar(name, use - attack) for name, (use, attack) in shares.items())))
    return tuple(groups)


def _over(pairs: Sequence[Opponents]) -> str:
    return "the best attacker" if pairs == BEST else "WritePrints without parts of speech, by classifier"


def _figure_4(shown: SyntfResults, pairs: Sequence[Opponents]) -> Figure:
    chosen = [row for row in shown.settings if row.table in ("optimum", "spelling_weight")]
    chosen.sort(key=lambda row: row.setting.spelling_weight)
    rows = {f"s = {row.setting.spelling_weight:g}": (row.reached, row.bench) for row in chosen}
    what = f"The analyst's gain over {_over(pairs)}, for five weights s of shared letter bigrams."
    return Bars("Spelling weight (figure 4)", what, _GAIN, _gains(shown, rows, pairs))


def _figure_5(shown: SyntfResults, pairs: Sequence[Opponents]) -> Figure:
    rows: dict[str, tuple[Reached, Kind]] = {
        "scrubadub": (shown.scrubbed, "paper"),
        "SynTF, ε = 47.5": (shown.optimum.reached, "paper"),
    }
    rows |= {
        f"learned rating, loss {row.measured.tight_loss_per_word:.0f}": (row.reached, row.bench)
        for row in shown.of_bench("learned")
        if row.setting.rating == "utility" and row.setting.loss_per_word in (25.4, 6.0)
    }
    what = f"The analyst's gain over {_over(pairs)}: scrubbing, SynTF, SynTF with a learned rating."
    return Bars("Scrubbing and SynTF (figure 5)", what, _GAIN, _gains(shown, rows, pairs))


def _learned_figure(shown: SyntfResults) -> Figure:
    panels = []
    for scenario in shown.scenarios:
        series = []
        for rating in ("similarity", "utility"):
            rows = [row for row in shown.of_bench("learned") if row.setting.rating == rating]
            points = [
                Point(attack, use, label=f"{row.measured.tight_loss_per_word:.0f}")
                for row in rows
                for use, attack in [relative(shown, row.reached, scenario, kind=row.bench)]
            ]
            series.append(Series(f"rating by {rating}", tuple(points)))
        panels.append(Panel(scenario, tuple(series)))
    what = "Each point is a tight loss per word: attack to the right, utility upwards. Up and left is better."
    return Lines("A learned rating", what, "relative attack", "relative utility", tuple(panels))
