"""Tables and figures of the ER-AE experiment, made from its results alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from allonym.drawing.figure_data import Figure, Lines, Panel, Point, Series
from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import NOT_MEASURED, rounded_percent, spread
from allonym.metrics.figures import Figure as Measurement
from allonym.papers.erae.examples import PAPER_TABLE_3
from allonym.papers.erae.goals import PAPER_TABLE_1
from allonym.papers.erae.results import EraeResults
from allonym.papers.erae.rows import NamedAttack, SweepRow, TableRow
from allonym.papers.ruler import tables as ruler


def markdown(results: EraeResults) -> str:
    """Return all tables."""
    sizes, network = results.documents, results.model
    about = (
        f"Intervals are {results.interval}; seeds {list(results.seeds)}. Network: {network.name}, version "
        f"{network.version}, {network.words:,} words. IMDb62: {sizes.authors} authors, {sizes.test:,} test reviews; "
        f"static attackers learn from {sizes.known:,} originals, adaptive ones from {sizes.train:,} released reviews. "
        f"Peer reviews: {sizes.peer_reviews}, anonymous. Whole sentences of the first {sizes.tokens} tokens of each."
    )
    parts = [about, _goals(results), _table_1(results), _sweep(results), _candidates(results), _outputs(results)]
    return "\n\n".join([*parts, ruler.chapter(results.grounds)]) + "\n"


def figures(results: EraeResults) -> dict[str, Figure]:
    """Return figure 2, and what the ruler measured as a figure for each kind of texts, by file name."""
    return {"figure-2": _figure_2(results), **ruler.figures(results.grounds)}


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _goals(results: EraeResults) -> str:
    rows = [[goal.goal, goal.measured, "reached" if goal.reached else "**not reached**"] for goal in results.goals]
    return "## Goals\n\n" + markdown_table(["goal", "measured", ""], rows)


def _table_1(results: EraeResults) -> str:
    head = ["method", "loss per word, proved", "as published", "in clear", "similarity", "static: paper's network"]
    head += ["static: best of four", "adaptive: best of three", "stylometric L2", "grammar per 100 words", "perplexity"]
    head += ["words left", "paper: USE / authorship / stylometric"]
    films = [_film_cells(row) for row in results.table_1]
    heads = ["method", "similarity", "stylometric L2", "grammar per 100 words", "paper: USE / stylometric"]
    peers = [_peer_cells(row) for row in results.table_1]
    text = (
        "Similarity is by MiniLM, in the paper by USE: compare rows, not columns. Of static and adaptive attackers the "
        "stronger counts: adaptive ones have fewer texts to learn from here. Stronger ones are in the "
        "last chapter. The grammar checker has nothing to say about words in no order, so low figures of such rows "
        "mean nothing."
    )
    if any(row.earlier for row in results.table_1):
        text += (
            " Rows with a star are of an earlier run, of networks that were not at hand in this one; texts, attackers "
            "and measures were the same, their draws came from floats."
        )
    return (
        f"## Table 1\n\n{text}\n\n### IMDb62 (paper: Yelp, 100 authors)\n\n{markdown_table(head, films)}\n\n"
        f"### Peer reviews\n\nNo author is known, so no attack is possible here.\n\n{markdown_table(heads, peers)}"
    )


def _film_cells(row: TableRow) -> list[str]:
    films = row.imdb62
    return [
        _name(row),
        _number(row.loss_per_word),
        _number(row.as_published),
        ", ".join(row.in_clear) or ("all" if row.loss_per_word is None else "nothing"),
        _spread(films["similarity"]),
        _spread(row.network_attack),
        *(_attack(row.best(setting)) for setting in ("static", "adaptive")),
        _spread(films["stylometric"], 1),
        _spread(films["grammar"], 1),
        _spread(films.get("perplexity"), 0),
        rounded_percent(films["unchanged"].value),
        _paper(row.paper, (0, 1, 2)),
    ]


def _peer_cells(row: TableRow) -> list[str]:
    peers = row.peer_reviews
    cells = [_spread(peers["similarity"]), _spread(peers["stylometric"], 1), _spread(peers["grammar"], 1)]
    return [_name(row), *cells, _paper(row.paper, (3, 4))]


def _attack(attack: NamedAttack | None) -> str:
    return NOT_MEASURED if attack is None else f"{_spread(attack.accuracy)}, {attack.attacker}"


def _spread(measured: Measurement | None, digits: int = 3) -> str:
    return spread(None if measured is None else measured.to_json(), digits)


def _name(row: TableRow) -> str:
    return f"{row.method} \\*" if row.earlier else row.method


def _paper(name: str | None, places: Sequence[int]) -> str:
    return "" if name is None else " / ".join(f"{PAPER_TABLE_1[name][column]:g}" for column in places)


def _sweep(results: EraeResults) -> str:
    head = ["mechanism", "loss per word", "similarity", "static: paper's network", "static: best of four"]
    rows = [
        [
            row.method,
            f"{row.loss_per_word:.2f}",
            *map(_spread, (row.similarity, row.static_network, row.static_best)),
        ]
        for row in results.figure_2
    ]
    return f"## Figure 2: {results.documents.swept} test reviews\n\n" + markdown_table(head, rows)


def _candidates(results: EraeResults) -> str:
    published = next(row.as_published for row in results.table_1 if row.as_published is not None)
    rows = []
    for candidate in results.tables_2_and_3:
        first = ", ".join(f"{word or ''} {probability:.2g}".strip() for word, probability in candidate.first)
        printed = PAPER_TABLE_3.get(candidate.word, {}) if candidate.model == "paper, ER-AE" else {}
        cells = [
            _with_paper(candidate.shares["exponential_as_published"], printed.get("exponential")),
            f"{candidate.shares['exponential']:.4f}",
            _with_paper(candidate.shares["two_set"], printed.get("two_set")),
            f"{candidate.shares['subset']:.4f}",
        ]
        rows.append([candidate.model, candidate.word, first, *cells])
    head = ["network", "word", "first five and their probabilities", f"exponential, ε = {published:.1f}"]
    head += ["exponential", "two-set", "subset"]
    text = (
        "How likely one of the five is drawn, computed from the laws, at equal proved loss: that of two-set with ε = 3."
        " The first column of the exponential mechanism has the ε that two-set is published with, which pays only half "
        "as much. In brackets what the paper prints (table 3), which it estimated."
    )
    return f"## Tables 2 and 3: candidates\n\n{text}\n\n" + markdown_table(head, rows)


def _with_paper(value: float, printed: float | None) -> str:
    return f"{value:.4f}" if printed is None else f"{value:.4f} ({printed:g})"


def _outputs(results: EraeResults) -> str:
    parts = [f"## Table 4: sentences of our own\n\nSeeds {[sentence.seed for sentence in results.table_4]}."]
    for sentence in results.table_4:
        rows = [["*Input*", sentence.input], *([name, text.replace("|", "/")] for name, text in sentence.outputs)]
        parts.append(markdown_table(["method", "text"], rows))
    return "\n\n".join(parts)


def _figure_2(results: EraeResults) -> Figure:
    rows = sorted(results.figure_2, key=lambda row: row.loss_per_word)
    shown: dict[str, Callable[[SweepRow], Measurement]] = {
        "Similarity": lambda row: row.similarity,
        "Static attack, the paper's network": lambda row: row.static_network,
    }
    panels = []
    for title, measured in shown.items():
        series = [
            Series(name, tuple(_point(row.loss_per_word, measured(row)) for row in rows if row.method == name))
            for name in ("two-set", "subset")
        ]
        panels.append(Panel(title, tuple(series)))
    what = "Similarity and static attack over the proved loss of a word: subset keeps more meaning at every loss."
    label = "cosine, or share of authors named"
    return Lines("Loss, meaning and attack (figure 2)", what, "loss per word", label, tuple(panels))


def _point(x: float, measured: Measurement) -> Point:
    return Point(x, measured.value, y_low=measured.low, y_high=measured.high)
