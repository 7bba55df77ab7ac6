"""What can be claimed: the trade-off, before and after, a paragraph for a data release, and limits.

What may be sent (the public report, the paragraph, the guarantee) is a function of the result, of what is promised and
of public data: another original with the same result gives the same bytes. Figures of the original, and of texts that
the writer gave, are on the screen and in the internal report, which say that no promise covers them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from allonym import __version__, names
from allonym.budget.account import worded
from allonym.drawing.figure_data import Lines, Panel, Point, Rule, Series
from allonym.drawing.figures import draw
from allonym.drawing.trade_off import point
from allonym.drawing.trade_off import trade_off as drawn_trade_off
from allonym.metrics.figures import Figure, percent
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS
from allonym.recognition import reading, verdict
from allonym.recognition.reading import Reading
from allonym.web import methods, rewriting
from allonym.web.desk import Desk
from allonym.web.rewriting import Badge

LIMITS = (
    "A measured risk is no guarantee: it is what these attackers reach with these texts, and better ones may exist.",
    "The attackers that read your text here had never seen rewritten texts; one that learns from them may do better. "
    "The curve was measured on other people’s texts; the note below it says what its attackers had seen.",
    "ε is per word, and words add up. A large total does not by itself rule out that the text is recognised.",
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
_TELLS_LENGTH = "That total tells how many words the other outputs have, which this promise does not cover."
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@dataclass(frozen=True)
class Report:
    """Everything the Report screen and the reports say; no word of the input."""

    method: str  # what was used, in words
    badge: Badge
    paragraph: str  # for a data release
    public_rows: tuple[tuple[str, str], ...]  # measured on the result alone: name, figure
    rows: tuple[tuple[str, str, str], ...]  # name, before, after; of the original as well, so not to be sent
    figure: str = field(repr=False)  # the trade-off as SVG, without styles
    figure_note: str = field(repr=False)  # what the figure was measured on
    command: str  # the command line that repeats it
    statement: str  # the promise in full
    limits: tuple[str, ...] = LIMITS  # what all this does not say


def build(desk: Desk) -> Report:
    """Return the report of the current draft."""
    draft = desk.drafted()
    drawn = draft.draw
    card = methods.card(drawn.protection)
    claimed = desk.badge
    figure = trade_off(drawn.protection, drawn.position)
    return Report(
        method=f"{card.title} ({card.method})",
        badge=claimed,
        paragraph=_paragraph(desk, claimed),
        public_rows=tuple(_public_rows(draft.text, judged=drawn.terms is None)),
        rows=tuple(_rows(desk, desk.measure(drawn.original), desk.measure(draft.text))),
        # Without its style element, which the page's content policy forbids; see `figure_styles`.
        figure="" if figure is None else _STYLE.sub("", draw(figure)),
        figure_note="" if figure is None else _measured_on(drawn.protection, drawn.position),
        command=methods.command(drawn.protection, drawn.position),
        statement=str(drawn.guarantee),
    )


def trade_off(protection: str, position: int) -> Lines | None:
    """Return the measured positions with the chosen one ringed; None where nothing was measured."""
    curve, chosen = methods.curve(protection, position)
    measured = [] if curve is None else [(number, one) for number, one in enumerate(curve["points"]) if one["attack"]]
    if curve is None or not measured:
        return None
    points = [
        point(Figure(**one["attack"]).numbers, (one["kept"], None, None), one["label"], chosen=number == chosen)
        for number, one in measured
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
        rows.append(("likeness of meaning", "100 %", _share(max(0.0, meaning))))
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
    card = methods.card(drawn.protection)
    settings = ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in methods.parameters(drawn.protection, drawn.position).items()
    )
    made = f"The document was replaced by the output of the method {card.method} ({settings}; allonym {__version__})."
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
