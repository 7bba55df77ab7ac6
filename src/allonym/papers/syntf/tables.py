"""Tables of the SynTF experiment, made from its results alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import rounded_percent, spread
from allonym.papers.ruler import tables as ruler
from allonym.papers.syntf.rows import KEPT, Kind, Mean, Means, Reached, SweptSetting, SyntfResults
from allonym.papers.syntf.runs import TAGGED, WRITEPRINTS

# Table 3 of the paper (Top 10/Any): utility F1, precision, recall, then the attack's.
PAPER_TABLE_3 = {
    "none (original)": (0.69, 0.71, 0.70, 0.64, 0.71, 0.63),
    "SynTF": (0.60, 0.61, 0.61, 0.42, 0.44, 0.43),
    "scrubadub": (0.64, 0.65, 0.65, 0.57, 0.63, 0.57),
}
# The same as shares of the originals', and the gain in F1, as printed: the figures above are too coarse to divide.
PAPER_RELATIVE = {"SynTF": (0.87, 0.86, 0.87, 0.66, 0.61, 0.69), "scrubadub": (0.92, 0.92, 0.92, 0.90, 0.88, 0.91)}
PAPER_GAIN = {"none (original)": 0.06, "SynTF": 0.20, "scrubadub": 0.02}
SHOWN = "Top 10/Any"
LEFT_OPEN = ("composition", "vectors", "spelling", "quotes")  # tables of what the paper names and does not measure


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
        _best_setting(shown),
        _left_open(shown),
        _weka(shown),
        _usefulness(shown),
        _learned(shown),
        ruler.chapter(shown.grounds),
        "SynTF has the shipped words here, as a user has it without reference texts; a learned rating is learned as "
        "above, and two of its attackers read texts through it.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def relative(
    shown: SyntfResults,
    reached: Reached,
    scenario: str,
    *,
    kind: Kind = "paper",
    analyst: str | None = None,
    by: Sequence[str] | None = None,
) -> tuple[float, float]:
    """Return utility and attack as shares of what the originals give.

    `kind`: on which messages; `analyst`: by this one only; `by`: by these attackers only.
    """
    originals = shown.originals(kind)
    analysts = None if analyst is None else [analyst]
    before, after = (best(each.utility, analysts)["f1_weighted"].mean for each in (originals, reached))
    was, now = (best(each.attack[scenario], by)["f1_weighted"].mean for each in (originals, reached))
    return after / before, now / was


def best(classifiers: Mapping[str, Means], by: Sequence[str] | None = None) -> Means:
    """Return the figures of the classifier or attacker with the highest weighted F1; `by`: of these only."""
    return max((classifiers[name] for name in by or classifiers), key=lambda means: means["f1_weighted"].mean)


def _swept(shown: SyntfResults, row: SweptSetting, scenario: str) -> tuple[float, float]:
    """Return the same shares for a setting."""
    return relative(shown, row.reached, scenario, kind=row.bench)


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
    rows += [_relative_row(shown, name, ours[name]) for name in ("SynTF", "scrubadub")]
    return f"## Table 3: {SHOWN}, ε = 47.5\n\n" + markdown_table(head, rows)


def _relative_row(shown: SyntfResults, name: str, reached: Reached) -> list[str]:
    """Return the figures of a row of table 3 as shares of the originals', beside those that the paper prints."""
    pairs = [
        (best(shown.original.utility), best(reached.utility)),
        (best(shown.original.attack[SHOWN], TAGGED), best(reached.attack[SHOWN], TAGGED)),
    ]
    shares = [after[measure].mean / before[measure].mean for before, after in pairs for measure in KEPT[:3]]
    use, by_best = relative(shown, reached, SHOWN)
    gain, gain_over_best = (rounded_percent(use - attack, signed=True) for attack in (shares[3], by_best))
    printed = " ".join(map(rounded_percent, PAPER_RELATIVE[name]))
    return [
        f"{name}, relative",
        *map(rounded_percent, shares),
        f"{rounded_percent(by_best)}; gain {gain}, over the best attacker {gain_over_best}",
        f"{printed}, gain {rounded_percent(PAPER_GAIN[name], signed=True)}",
    ]


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
        if row.table not in LEFT_OPEN
    ]
    text = "The paper's settings (table 2), one changed at a time; attack is that of the best attacker."
    return f"## Table 2: sweeps\n\n{text}\n\n" + markdown_table(head, rows)


def _best_setting(shown: SyntfResults) -> str:
    """Return our own argmax of the least gain over scenarios (section 4.2), beside the paper's."""
    rows = [row for row in shown.of_bench("paper") if row.table not in LEFT_OPEN]
    attackers: dict[str, Sequence[str] | None] = {"WritePrints": WRITEPRINTS, "the best attacker": None}
    lines = []
    for name, by in attackers.items():
        gains = [gains_of(shown, row, by) for row in rows]
        ours = max(range(len(rows)), key=lambda place: min(gains[place]))
        for whose, place in (("ours", ours), ("the paper's", rows.index(shown.optimum))):
            cells = [rounded_percent(gain, signed=True) for gain in (min(gains[place]), *gains[place])]
            lines.append([name, whose, _changed(rows[place]), *cells])
    head = ["gain over", "best setting", "changed", "least gain", *shown.scenarios]
    text = (
        f"The setting whose least gain over the four scenarios is largest, among the {len(rows)} above, which change "
        "one parameter at a time; the paper searches all 810."
    )
    return f"### The best setting\n\n{text}\n\n" + markdown_table(head, lines)


def gains_of(shown: SyntfResults, row: SweptSetting, by: Sequence[str] | None) -> list[float]:
    """Return relative utility less relative attack in each scenario."""
    shares = [relative(shown, row.reached, scenario, kind=row.bench, by=by) for scenario in shown.scenarios]
    return [use - attack for use, attack in shares]


def _left_open(shown: SyntfResults) -> str:
    """Return what the paper names and does not measure, each at its best setting."""
    rows = [row for row in shown.settings if row.table in ("optimum", *LEFT_OPEN)]
    if rows == [shown.optimum]:
        return ""
    head = [
        "changed",
        "tight loss",
        "terms",
        "utility F1",
        "relative",
        *(f"{n}: attack (gain)" for n in shown.scenarios),
    ]
    lines = [[_changed(row), f"{row.measured.tight_loss_per_word:.1f}", *_cells(shown, row)] for row in rows]
    text = "Section 4.1 also names tf-idf compositions, word2vec, Levenshtein's distance and n-grams."
    if shown.quoted is not None:
        use, attack = best(shown.quoted.utility), best(shown.quoted.attack[SHOWN])
        text += (
            " The paper strips headers and footers, and we quoted lines, too. With quotes kept, originals give "
            f"{_spread(use['f1_weighted'])} and, in {SHOWN}, {_spread(attack['f1_weighted'])} (best attacker); their "
            "row is relative to that."
        )
    return f"## What the paper leaves open\n\n{text}\n\n" + markdown_table(head, lines)


def _weka(shown: SyntfResults) -> str:
    if shown.weka is None:
        return ""
    head = ["attacker", "texts", *shown.scenarios]
    theirs = {
        "originals": shown.weka.original,
        "vectors": shown.weka.vectorised,
        "SynTF": shown.weka.optimum,
    }
    ours = {
        "originals": shown.original.attack,
        "vectors": shown.vectorised.attack,
        "SynTF": shown.optimum.reached.attack,
    }
    lines = [
        [attacker, texts, *(_spread(by[scenario][attacker]["f1_weighted"]) for scenario in shown.scenarios)]
        for attackers, by_texts in ((list(shown.weka.original[SHOWN]), theirs), (WRITEPRINTS, ours))
        for attacker in attackers
        for texts, by in by_texts.items()
    ]
    text = (
        "Weighted F1 at ε = 47.5, without parts of speech. JStylo hands features to Weka as they are; its SMO brings "
        "them to 0 … 1 itself and has a machine for each pair of authors. Ours divide them by their largest value and "
        "have a machine for each author."
    )
    return f"## Attackers nearer to the paper's\n\n{text}\n\n" + markdown_table(head, lines)


def _usefulness(shown: SyntfResults) -> str:
    if not shown.good_outputs.needed:
        return ""
    head = ["good outputs", "outputs", "necessary ε", "ε that it takes", "sufficient ε"]
    lines = [
        [str(row.good), f"{row.outputs:,}", f"{row.necessary:.1f}", f"{row.epsilon:.1f}", f"{row.sufficient:,.0f}"]
        for row in shown.good_outputs.needed
    ]
    text = (
        "Medians over words: which ε makes one of a word's best substitutes as likely as not, with the paper's rating "
        "over its vocabulary, and over parts of it. The figures show both bounds of theorem 3.6 over ε, and these."
    )
    return f"## Which ε it takes (corollary 3.7)\n\n{text}\n\n" + markdown_table(head, lines)


def _changed(row: SweptSetting) -> str:
    if row.table == "optimum":
        return "the optimum"
    if row.table == "quotes":
        return "quotes kept"
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
