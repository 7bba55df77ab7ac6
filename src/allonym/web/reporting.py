"""What can be claimed: the trade-off, before and after, a paragraph for a data release, and limits.

What may be sent (the public report, the paragraph, the guarantee) is a function of the result, of what is promised and
of public data: another original with the same result gives the same bytes. Figures of the original, and of texts that
the writer gave, are on the screen and in the internal report, which say that no promise covers them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from allonym import __version__, names
from allonym.budget.account import Totals, worded
from allonym.drawing.figure_data import Lines, Panel, Point, Rule, Series
from allonym.drawing.figures import draw
from allonym.drawing.trade_off import point
from allonym.drawing.trade_off import trade_off as drawn_trade_off
from allonym.metrics.figures import Figure, percent
from allonym.privacy import Guarantee
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS
from allonym.recognition import reading, verdict
from allonym.recognition.reading import Reading
from allonym.web import levels, methods, rewriting
from allonym.web.desk import Desk
from allonym.web.levels import Level
from allonym.web.rewriting import Badge

LIMITS = (
    "A measured risk is no guarantee: it is what these attackers reach with these texts, and better ones may exist.",
    "The attackers that read your text here had never seen rewritten texts; one that learns from them may do better. "
    "The curve was measured on other people’s texts; the note below it says what its attackers had seen.",
    "A proof counts word by word, and words add up: a large total does not by itself rule out recognition.",
    "Names, places, events and opinions that the words still tell are not hidden. Neither are metadata, the time of "
    "sending, the way you type, and how few people could have written it.",
    "A second draw of the same text, or of another text on the same facts, is a second release: losses add up.",
    "Words you chose yourself, with the original in sight, are not covered by any proof.",
    f"{verdict.ODDITIES} How rare its habits are matters less than how many people write more like you than you do.",
)
NOT_COVERED = (
    "These figures describe your original as well, and texts you gave: no promise covers them. They are not in the "
    "public report; keep them to yourself."
)
_PROVED_IN_WORDS = {
    "proved": "A proof limits how much the result can tell about the original; how far is under Details.",
    "rerolled": "A proof limits how much all that was drawn can tell about the original; how far is under Details.",
    "mixed": "A proof covers this result alone, not together with what was drawn besides.",
    "edited": "It was then edited by hand, so nothing is proved about it.",
    "unproved": "Nothing is proved about this method.",
}
_TELLS_LENGTH = "That total tells how many words the other outputs have, which this promise does not cover."
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@dataclass(frozen=True)
class Report:
    """Everything the Report screen and the reports say; no word of the input."""

    level: Level  # for everybody
    done: tuple[str, ...]  # what was done, in three sentences
    setting: str  # the method and its parameters
    proof: str  # what is proved, in a few words with the total
    detail: str  # and in full sentences
    statement: str  # the promise in full, where there is one
    paragraph: str  # for a data release
    public_rows: tuple[tuple[str, str], ...]  # measured on the result alone: name, figure
    rows: tuple[tuple[str, str, str], ...]  # name, before, after; of the original as well, so not to be sent
    figure: str = field(repr=False)  # the trade-off as SVG, without styles
    figure_note: str = field(repr=False)  # what the figure was measured on
    command: str  # the command line that repeats it
    limits: tuple[str, ...] = LIMITS  # what all this does not say


def build(desk: Desk) -> Report:
    """Return the report of the current draft."""
    draft, claimed = desk.drafted(), desk.badge
    drawn = draft.draw
    figure, note = figure_of(drawn.protection, drawn.position)
    return Report(
        level=claimed.level,
        done=_done(drawn.protection, drawn.position, claimed.state, "text"),
        setting=setting(drawn.protection, drawn.position),
        proof=claimed.proof,
        detail=claimed.detail,
        statement=claimed.statement,
        paragraph=_paragraph(desk, claimed),
        public_rows=tuple(_public_rows(draft.text, judged=drawn.terms is None)),
        rows=tuple(_rows(desk, desk.measure(drawn.original), desk.measure(draft.text))),
        figure=figure,
        figure_note=note,
        command=methods.command(drawn.protection, drawn.position),
    )


def of_table(protection: str, position: int, promised: Guarantee, runs: Totals, command: str) -> Report:
    """Return the report of a table whose texts were protected: the level is that of one of its texts."""
    total = None if runs.document is None or runs.between else float(runs.document)
    level = methods.level(protection, position, total=total if promised.unit == "document" else None)
    if runs.releases > 1:
        level = replace(level, reason=f"{level.reason} {levels.SEVERAL}")
    proof = rewriting.NOT_PROVED if not promised.formal else f"Proved of each text: {worded(runs, 'run')}"
    figure, note = figure_of(protection, position)
    return Report(
        level=level,
        done=_done(protection, position, "proved" if promised.formal else "unproved", "table"),
        setting=setting(protection, position),
        proof=proof,
        detail="",
        statement=str(promised),
        paragraph=f"Each text was replaced by the output of {setting(protection, position)}. {promised}",
        public_rows=(),
        rows=(),
        figure=figure,
        figure_note=note,
        command=command,
    )


def setting(protection: str, position: int) -> str:
    """Return a method with its parameters, in words."""
    given = methods.shown_parameters(protection, position).items()
    settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in given)
    versions = f"{settings}; allonym {__version__}" if settings else f"allonym {__version__}"
    return f"the method {methods.card(protection).method} ({versions})"


def figure_of(protection: str, position: int) -> tuple[str, str]:
    """Return the trade-off as SVG and what it was measured on; nothing where nothing was measured.

    It comes without its style element, which the page's content policy forbids; see `figure_styles`.
    """
    figure = trade_off(protection, position)
    return ("", "") if figure is None else (_STYLE.sub("", draw(figure)), _measured_on(protection, position))


def _done(protection: str, position: int, state: str, what: str) -> tuple[str, ...]:
    """Say in three sentences what was done: how, what is proved, and where what attackers reach was measured."""
    card = methods.card(protection)
    replaced = "The text was" if what == "text" else "Each text of the table was"
    curve, index = methods.curve(protection, position)
    measured = curve is not None and curve["points"][index]["attack"] is not None
    bench = f"was measured with {curve['bench']}, not with yours" if measured and curve else "was not measured"
    return (
        f"{replaced} replaced by what the method “{card.title}” makes of it: {card.gives[:1].lower()}{card.gives[1:]}.",
        _PROVED_IN_WORDS[state],
        f"What attackers reach with this setting {bench}.",
    )


def trade_off(protection: str, position: int) -> Lines | None:
    """Return the measured positions with the chosen one ringed; None where nothing was measured."""
    curve, chosen = methods.curve(protection, position)
    points = [] if curve is None else curve["points"]
    measured = [(number, position) for number, position in enumerate(points) if position["attack"]]
    if curve is None or not measured:
        return None
    points = [
        point(Figure(**reached["attack"]).numbers, (reached["kept"], None, None), reached["label"], chosen=n == chosen)
        for n, reached in measured
    ]
    ring = "The ring marks your choice." if chosen in dict(measured) else "Your choice was not measured."
    return drawn_trade_off(
        f"Each point is a position of the slider, measured on {curve['bench']}, by {curve['by']}: further up more is "
        f"kept, further left less is given away. {ring}",
        (f"{curve['attack_means']} (share)", "kept (share)"),
        {methods.card(protection).title: points},
        (Figure(**curve["attack_before"]).numbers, (1.0, None, None)),
        [Rule("x", curve["chance"], "chance")],
        y_range=(0.0, 1.1),
    )


def figure_styles() -> str:
    """Return the styles that figures bring along."""
    drawn = draw(Lines("t", "d", "x", "y", (Panel("", (Series("s", (Point(0.0, 0.0), Point(1.0, 1.0))),)),)))
    return "".join(_STYLE.findall(drawn))


def _public_rows(text: str, *, judged: bool) -> list[tuple[str, str]]:
    """Return what anybody can measure on the result who has it and what ships with this program."""
    result = reading.read(text, None)
    gauges = result.gauges if judged else []  # of word counts, which are no text, nothing is said
    return [("words", f"{result.words:,}"), *((gauge.means, gauge.figure) for gauge in gauges)]


def _rows(desk: Desk, before: Reading, after: Reading) -> list[tuple[str, str, str]]:
    draft = desk.drafted()
    rows = [("words", f"{before.words:,}", f"{after.words:,}")]
    rows.append(("names and the like that were found", _named(draft.draw.original), _named(draft.text)))
    if before.basis == "known" and before.risk is not None and after.risk is not None:
        rows.append((before.risk_means, _share(before.risk), _share(after.risk)))
    rows += [(one.means, one.before, one.after) for one in desk.compared(before, after)]
    alike = desk.same_writer()
    if alike is not None:
        rows.append(("one writer wrote the original and this, judged by style alone", "–", _share(alike.probability)))
    meaning = desk.meaning_kept()
    if meaning is not None:
        likeness = f"{methods.meaning_in_words(meaning)} (likeness {max(0.0, min(meaning, 1.0)):.2f})"
        rows.append(("meaning that is kept", "all of it (likeness 1)", likeness))
    if draft.draw.changes:
        words = [(len(change.before.split()), change.same) for change in draft.draw.changes]
        left = sum(count for count, same in words if same) / max(1, sum(count for count, _ in words))
        rows.append(("words left as they were", "100 %", _share(left)))
        rows.append(("words chosen by hand", "–", f"{len(draft.edits):,}"))
    return rows


def _named(text: str) -> str:
    return f"{names.NameCounts.of([text], model=names.model_is_open()).counts.total():,}"


def _share(value: float) -> str:
    return percent(min(value, 1.0))


def _measured_on(protection: str, position: int) -> str:
    curve, _ = methods.curve(protection, position)
    if curve is None:
        return ""
    note = f"Measured on {curve['bench']}, by {curve['by']} ({curve['source']}), not on your text; "
    note += f"kept: {curve['kept_means']}."
    if "learned" in curve:
        note += f" {methods.learned(curve)}"
    if not methods.is_current(curve):
        note += " The model shipped now is not the one that was measured then."
    return note


def _paragraph(desk: Desk, claimed: Badge) -> str:
    """Return what a data release may say, truthfully for drawn, drawn again and edited texts."""
    drawn = desk.drafted().draw
    made = f"The document was replaced by the output of {setting(drawn.protection, drawn.position)}."
    if claimed.state == "edited":
        return f"{made} It was then edited by hand, so no formal privacy is promised."
    if claimed.state == "unproved":
        return f"{made} No formal privacy is promised."
    return f"{made} {drawn.guarantee}{_again(desk)}"


def _again(desk: Desk) -> str:
    """Return what there was besides this draw; nothing else could make its promise smaller than what was spent."""
    spent, more = desk.spent, ""
    if spent.releases > 1:
        more = f" It was not the only one: of all together, {worded(spent)}"
    if spent.between and desk.drafted().draw.guarantee.adjacency == ANY_TWO_DOCUMENTS:
        more += f" {_TELLS_LENGTH}"
    return f"{more} {rewriting.ALSO_EDITED}" if desk.edited else more
