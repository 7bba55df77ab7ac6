"""Measured rows as a table and a figure, the same for every paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from allonym.drawing.figure_data import Figure, Lines, Point, Rule
from allonym.drawing.tables import markdown_table
from allonym.drawing.trade_off import point, trade_off
from allonym.metrics.figures import NOT_MEASURED, spread
from allonym.metrics.figures import Figure as Measurement
from allonym.papers.ruler.rows import About, Measured, MethodRow, OriginalRow, Row

_HEAD = ["method", "loss a document", "meaning (MiniLM)", "meaning (USE)", "labels (F1)", "perplexity",
         "strongest attack", "by", "words/s"]  # fmt: skip


_WHO_ATTACKS = """## Attackers who know more

These have every text that the corpus has of an author, release some of them themselves, and see what a method computes
before it draws. The strongest attack is that of all of them together, unless one alone names clearly more of the known
texts that they set aside. `frontier.md` has more methods and says what the columns are.
"""


def chapter(grounds: Mapping[str, Measured]) -> str:
    """Return what the ruler measured for a paper; nothing where it measured nothing."""
    return "\n\n".join([_WHO_ATTACKS.strip(), *sections(grounds, "###")]) if grounds else ""


def sections(grounds: Mapping[str, Measured], level: str = "##") -> list[str]:
    """Return each kind of texts: a heading, what they are, and a table."""
    return [
        f"{level} {measured.about.title}\n\n{about(measured.about)}\n\n{table(measured.rows)}"
        for measured in grounds.values()
    ]


def figures(grounds: Mapping[str, Measured]) -> dict[str, Figure]:
    """Return a figure for each kind of texts of which enough was measured, by their names."""
    drawn = {name: figure(measured) for name, measured in grounds.items()}
    return {name: lines for name, lines in drawn.items() if lines is not None}


def table(rows: Iterable[Row]) -> str:
    """Return the rows of one kind of texts, the originals first, then by how much meaning is kept."""
    return markdown_table(_HEAD, [_cells(row) for row in ordered(rows)], wide=False)


def figure(measured: Measured) -> Lines | None:
    """Return what is kept against what is given away, a line a method; None where too little was measured."""
    before, texts = measured.original.meaning, measured.about
    if before is None or len(measured.methods) < 2:
        return None
    curves: dict[str, list[Point]] = {}
    for row in measured.methods:
        if row.meaning:
            points = curves.setdefault(row.method, [])
            points.append(point(row.strongest.accuracy.numbers, row.meaning.numbers, row.setting or row.method))
    for points in curves.values():
        points.sort(key=lambda each: each.x)
    return trade_off(
        f"{texts.title}: further up a method keeps more of the meaning, further left the strongest attacker names "
        "fewer authors. Lines through points are intervals over draws and texts.",
        ("accuracy of the strongest attacker", "similarity of meaning (MiniLM)"),
        curves,
        (measured.original.strongest.accuracy.numbers, before.numbers),
        [Rule("x", texts.chance, "chance"), Rule("y", texts.floors["meaning"], "unrelated texts")],
    )


def about(texts: About) -> str:
    """Return what the texts are, in two sentences."""
    return (
        f"{texts.authors} authors, {texts.known:,} known texts, {texts.tested:,} tested; chance {texts.chance:.2f}; "
        f"labels: {texts.labels}. Unrelated texts: {_floors(texts)}."
    )


def ordered(rows: Iterable[Row]) -> list[Row]:
    """Return the originals first, then by how much meaning is kept."""
    return sorted(rows, key=lambda row: (not isinstance(row, OriginalRow), -row.meaning.value if row.meaning else 1.0))


def loss(row: Row) -> str:
    """Write the proved loss of a document."""
    proved = row.loss_per_document if isinstance(row, MethodRow) else None
    return NOT_MEASURED if proved is None else f"{proved:,.0f}"


def interval(measured: Measurement | None) -> str:
    """Write a figure with two digits, and its interval."""
    return spread(None if measured is None else measured.to_json(), 2)


def _cells(row: Row) -> Sequence[str]:
    attack, perplexity = row.strongest, row.use.get("perplexity")
    return [
        row.name,
        loss(row),
        *(interval(row.use.get(name)) for name in ("meaning", "meaning-use", "topic")),
        NOT_MEASURED if perplexity is None else f"{perplexity.value:.0f}",
        interval(attack.accuracy),
        f"{attack.attacker}, {attack.setting}",
        f"{row.words_per_second:,.0f}" if isinstance(row, MethodRow) else NOT_MEASURED,
    ]


def _floors(texts: About) -> str:
    named = {"meaning": "MiniLM", "meaning-use": "USE"}
    floors = [f"{title} {texts.floors[name]:.2f}" for name, title in named.items() if texts.floors.get(name)]
    return ", ".join(floors) or "not measured"
