"""The frontier: every method over its settings and the rivals, measured by the one ruler on four kinds of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from allonym import __version__, anonymizers
from allonym.attackers.panel import default_panel
from allonym.evaluation.evaluate import DRAWS, RELEASED_OF_AUTHOR
from allonym.evaluation.knowledge import SETTINGS
from allonym.papers import Asked
from allonym.papers.frontier import tables
from allonym.papers.frontier.tables import FrontierResults
from allonym.papers.ruler.grounds import GROUNDS, SEED, asked_for
from allonym.papers.ruler.measure import Work, measure, take_over
from allonym.papers.ruler.rows import Measured, MethodRow
from allonym.papers.ruler.settings import BOOKS, OURS, PLAIN_CLAUSES, Compared, Setting, read_rivals

RESULTS = FrontierResults
markdown = tables.markdown
figures = tables.figures

TAKES = ("runs", "work", "only", "earlier", "rivals")
RUNS = DRAWS


def run(asked: Asked) -> FrontierResults:
    """Return a row for each configuration on each kind of texts.

    Rows of `asked.work` or of an earlier run are part of the results, also of texts that are not asked for now: with no
    texts named, nothing is measured and the rows that are done make them.
    """
    runs, report = asked.runs or RUNS, asked.report
    wanted = asked_for(asked.only, GROUNDS)
    compared = _in_turn([*_installed(report), *read_rivals(asked.rivals)])
    grounds = {}
    for ground in GROUNDS.values():
        done = Work(asked.work, ground, runs)
        take_over(asked.earlier, done)
        if ground in wanted:
            whole = [*_with_a_book(ground.name, report), *compared]
            measure(asked.data, whole if ground.whole else PLAIN_CLAUSES, done, report)
        if measured := _of_the_frontier(done):
            grounds[ground.name] = measured
    return FrontierResults(
        version=__version__,
        draws=runs,
        seed=SEED,
        own_releases_of_author=RELEASED_OF_AUTHOR,
        settings=SETTINGS,
        attackers={attacker.name: attacker.describes_itself_as for attacker in default_panel()},
        grounds=grounds,
    )


def _of_the_frontier(work: Work) -> Measured | None:
    """Return the rows that are done of our settings and of rivals; None if there are none. Other papers have others."""
    ours = {setting.name for setting in (*OURS, *BOOKS.get(work.ground.name, ()))}
    rows = [row for row in work.rows() if not isinstance(row, MethodRow) or row.rival or row.name in ours]
    return Measured.of_rows(rows) if work.has_originals else None


def _installed(report: Callable[[str], None]) -> list[Setting]:
    """Return our settings whose method can be had here."""
    known = anonymizers.examples()
    for method in sorted({setting.method for setting in OURS} - set(known)):
        report(f"{method} is left out: it is not installed.")
    return [setting for setting in OURS if setting.method in known]


def _with_a_book(ground: str, report: Callable[[str], None]) -> list[Setting]:
    """Return our settings that need a book of these texts' kind, where it was made."""
    made = []
    for setting in BOOKS.get(ground, ()):
        if Path(setting.parameters["book"]).is_dir():
            made.append(setting)
        else:
            report(f"{setting.name} is left out: make its book with tools/prepare_books.py and `allonym book build`.")
    return made


def _in_turn(compared: Sequence[Compared]) -> list[Compared]:
    """Return the first setting of every method, then the second ones: a run that is cut off has something of each."""
    seen: Counter[str] = Counter()
    turns = []
    for each in compared:
        seen[each.title] += 1
        turns.append(seen[each.title])
    return [each for _, each in sorted(zip(turns, compared, strict=True), key=lambda pair: pair[0])]
