"""Tables that are made from result files: Markdown in which `{PATH as FORMAT}` is filled in."""

from __future__ import annotations

import re
from collections.abc import Callable

import ship_style_encoder

from allonym.drawing.tables import markdown_table
from allonym.papers.a4nt.paper import GOALS
from allonym.papers.a4nt.rows import excess
from allonym.papers.a4nt.stored import MeasuredRow
from allonym.papers.ruler.rows import ORIGINAL, Row, row_from_json
from allonym.papers.ruler.settings import plain_clauses
from allonym.papers.ruler.tables import interval, loss, ordered
from allonym.papers.ruler.tables import table as ruler_table
from stated import elements
from stated.values import SourceError, Sources
from stated.written import USUAL, written

PLACE = re.compile(r"\{(?P<what>[^{}]+)\}")

NOISE_NEWSGROUPS = """\
| 20 newsgroups, at an equal computed loss | unchanged words | moved (WMD) \
| topic F1 (original {news_original.f1 as .3f}) |
|---|---|---|---|
| ε = 8 per unit ({news_laplace_8.worst_loss_per_word as .1f} at worst): Laplace | {news_laplace_8.unchanged as .1%} \
| {news_laplace_8.moved} | {news_laplace_8.f1 as .3f} |
| the same: exponential | {news_exponential_8.unchanged as .0%} | {news_exponential_8.moved} \
| {news_exponential_8.f1 as .3f} |
| the same worst loss: SynTF | {news_syntf.unchanged as .0%} | – | {news_syntf.f1 as .3f} |
| ε = 60 per unit ({news_laplace_60.worst_loss_per_word as .0f} at worst): Laplace \
| {news_laplace_60.unchanged as .0%} | {news_laplace_60.moved} | {news_laplace_60.f1 as .3f} |"""


def stated(what: str, sources: Sources) -> str:
    """Return `PATH as FORMAT` written out."""
    expression, _, form = what.partition(" as ")
    try:
        return written(sources.figures(expression), form or USUAL)
    except SourceError as error:
        raise SourceError(f"{what}: {error}") from error


def filled(template: str) -> Callable[[Sources], str]:
    """Return a function that fills a table in."""
    return lambda sources: PLACE.sub(lambda match: stated(match["what"], sources), template)


def _subset_rows() -> str:
    rows = [(f"{loss:g}", f"{loss}") for loss in (6, 7, 8, 9, 9.34, 10, 11)]
    rows += [("{two_set_loss(3)}, tight loss of two-set at its ε = 3", "two_set_loss(3)"), ("12", "12")]
    shares = (
        f"| {label} | " + " | ".join(f"{{subset_share({loss}, {k}) as .3f}}" for k in (1, 5)) + " |"
        for label, loss in rows
    )
    return "\n".join(["| loss | k = 1 | k = 5 |", "|---|---|---|", *shares])


def _two_set_rows() -> str:
    rows = [
        "| ε | as published, ε + ln s | tight, ε/2 + ln(s − 1) | candidates at most | subset, k = 5 |",
        "|---" * 5 + "|",
    ]
    for epsilon in (1, 2, 3, 5, 8):
        places = (f"two_set_published({epsilon})", f"two_set_loss({epsilon})", f"two_set_share({epsilon}) as .3f")
        cells = [str(epsilon), *(f"{{{place}}}" for place in places)]
        cells.append(f"{{subset_share(two_set_loss({epsilon}), 5) as .3f}}")
        rows.append("| " + " | ".join(f"**{cell}**" if epsilon == 3 else cell for cell in cells) + " |")
    return "\n".join(rows)


def _odds_rows() -> str:
    rows = ["| ε | odds shift by at most | from 50 %, an observer ends at most at |", "|---|---|---|"]
    rows.append("| 0 | 1 | 50 %: learns nothing |")
    digits = {0.1: (".1f", ".1%"), 1: (".1f", ".1%"), 2: (".1f", ".1%"), 3: (",.0f", ".1%"), 5: (",.0f", ".1%")}
    digits |= {8: (",.0f", ".2%"), 11.4: (",.0f", ".3%")}
    rows += [
        f"| {e:g} | {{odds({e}) as {odds}}} | {{belief({e}) as {belief}}} |" for e, (odds, belief) in digits.items()
    ]
    return "\n".join([*rows, "| 22 | {odds(22) / 1000000000 as .1f} billion | practically certain |"])


def _a4nt_headline(sources: Sources) -> str:
    rows = ["| setting | original | shipped | METEOR 1.5 | goal | reached | the same, retrained on rewritten text |"]
    rows.append("|---" * 7 + "|")
    for goal in GOALS:
        model = goal.setting.removeprefix("blog-")
        attacks = f"{model}.attacks[attacker={goal.attacker}]"
        [row] = map(MeasuredRow.from_json, sources.nodes(model))
        main = next(other for other in GOALS if other.setting == goal.setting and other.meteor is not None)
        cells = [
            f"{goal.setting}{', holdout' if goal.meteor is None else ''}",
            f"{{a4nt.json#attackers[setting={goal.setting}][attacker={goal.attacker}].test.document.f1}}",
            f"{{{attacks}.static.document.f1 as interval .2f}}",
            f"{{{model}.meteor}}",
            f"{goal.f1:.2f}{'' if goal.meteor is None else f' at {goal.meteor:.2f}'}",
            "yes" if max(excess(row, goal), excess(row, main)) <= 0 else "no",
            f"{{{attacks}.adaptive.document.f1}}",
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return filled("\n".join(rows))(sources)


def _frontier(ground: str, method: str = "") -> Callable[[Sources], str]:
    """Return what is kept and given away by the methods whose name begins so, and by the originals."""

    def table(sources: Sources) -> str:
        lines = [
            [row.name, loss(row), interval(row.meaning), interval(row.strongest.accuracy)]
            for row in ordered(_rows(sources, ground))
            if row.name == ORIGINAL or row.name.startswith(method)
        ]
        head = ["", "proved loss of a document", "meaning", "strongest attack"]
        return markdown_table(head, lines, wide=False).strip()

    return table


def _whole_frontier(ground: str) -> Callable[[Sources], str]:
    def table(sources: Sources) -> str:
        return ruler_table(_rows(sources, ground)).strip()

    return table


def _with_labels(paper: str, ground: str, labels: str) -> Callable[[Sources], str]:
    """Return what is kept and given away by a paper's rows, and how well labels are found."""

    def table(sources: Sources) -> str:
        lines = [
            [row.name, loss(row), *map(interval, (row.meaning, row.use["topic"], row.strongest.accuracy))]
            for row in ordered(_rows(sources, ground, paper))
        ]
        head = ["", "proved loss of a document", "meaning", labels, "strongest attack"]
        return markdown_table(head, lines, wide=False).strip()

    return table


def _rows(sources: Sources, ground: str, paper: str = "frontier") -> list[Row]:
    return [row_from_json(row) for row in sources.nodes(f"{paper}.json#grounds.{ground}.rows[*]")]


def _noise_attacked(sources: Sources) -> str:
    """Return what is kept and given away by the settings that the Laplace paper's ruler measured, on both texts."""
    lines = [
        [
            texts,
            row.name,
            loss(row),
            interval(row.meaning),
            interval(row.use["topic"]),
            interval(row.strongest.accuracy),
        ]
        for ground, texts in (("imdb62-10", "film reviews"), ("newsgroups20-10", "newsgroups"))
        for row in ordered(_rows(sources, ground, "laplace"))
    ]
    head = ["texts", "", "proved loss of a document", "meaning", "labels (F1)", "strongest attack"]
    return markdown_table(head, lines, wide=False).strip()


def _attackers(sources: Sources) -> str:
    """Return what every attacker reaches on film reviews as they are and in plain clauses."""
    rows = {row.name: row for row in _rows(sources, "imdb62-10")}
    reached: dict[str, dict[str, str]] = {}
    for row in (rows[ORIGINAL], rows[plain_clauses(3).name]):
        for attack in row.attacks:
            reached.setdefault(attack.attacker, {})[attack.setting] = interval(attack.accuracy)
    settings = ("original", "static", "adaptive", "informed")
    head = ["attacker", "originals", "releases: from originals", "from own releases", "from everything"]
    lines = [[f"`{name}`", *(cells.get(setting, "–") for setting in settings)] for name, cells in reached.items()]
    return markdown_table(head, lines, wide=False).strip()


def _style_encoder(sources: Sources) -> str:
    [results] = sources.nodes("style_encoder.json#")
    return ship_style_encoder.table(results).strip()


def _guard(sources: Sources) -> str:
    """Return what the guard found of labelled pairs, by kind, in both sets."""
    sets = [sources.nodes(f"guard.json#{name}")[0] for name in ("development", "held out")]
    kinds = list(dict.fromkeys(row["kind"] for measured in sets for row in measured["kinds"]))
    lines = []
    for kind in [*kinds, "all"]:
        cells = [kind]
        for measured in sets:
            rows = {row["kind"]: row for row in [*measured["kinds"], measured["all"]]}
            row = rows.get(kind, {"found": 0, "labels": 0, "in_vain": 0, "findings": 0})
            cells += [f"{row['found']} of {row['labels']}", f"{row['in_vain']} of {row['findings']}"]
        lines.append(cells)
    clean = [f"{one['harmless']['without_findings']} of {one['harmless']['pairs']}" for one in sets]
    lines.append(["harmless pairs without a finding", clean[0], "", clean[1], ""])
    head = ["", "found", "false alarms", "found, held out", "false alarms, held out"]
    return markdown_table(head, lines, wide=False).strip()


TABLES: dict[str, Callable[[Sources], str]] = {
    "a4nt-headline": _a4nt_headline,
    "attackers": _attackers,
    "commonplace": _frontier("imdb62-10", "Commonplace"),
    "erae-settings": _frontier("imdb62-10", "ER-AE"),
    "frontier-blogs-50": _whole_frontier("blogs-50"),
    "frontier-imdb62-10": _whole_frontier("imdb62-10"),
    "frontier-newsgroups20-10": _whole_frontier("newsgroups20-10"),
    "guard": _guard,
    "noise-attacked": _noise_attacked,
    "noise-newsgroups": filled(NOISE_NEWSGROUPS),
    "odds": filled(_odds_rows()),
    "papers-counts": filled(elements.counts()),
    **{f"papers-{paper}": filled(elements.table(paper)) for paper in elements.PAPERS},
    "readme-frontier": _frontier("imdb62-10"),
    "readme-frontier-newsgroups": _frontier("newsgroups20-10"),
    "syntf-newsgroups20-10": _with_labels("syntf", "newsgroups20-10", "topic F1"),
    "style-encoder": _style_encoder,
    "subset": filled(_subset_rows()),
    "two-set": filled(_two_set_rows()),
}
