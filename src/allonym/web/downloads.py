"""What can be saved: the result, the two reports, the command line. Made in memory when asked for."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

from allonym import __version__
from allonym.drawing.figure_data import to_csv
from allonym.errors import InputError
from allonym.recognition.reliability import count_words
from allonym.web import methods, reporting
from allonym.web.desk import Desk
from allonym.web.rendering import render
from allonym.web.reporting import Report
from allonym.web.rewriting import Draft
from allonym.web.table import UploadedTable

File = tuple[str, str, bytes]  # name, media type, content

HTML = "text/html; charset=utf-8"
_PUBLIC = "It holds no word of the original and no figure measured on it."
_PUBLIC_TABLE = "It holds nothing of the texts, and no figure measured on them."
_PAN_WORDS = 50
_FEW_WORDS = re.compile(rf"(?:\s*\S+\s*){{1,{_PAN_WORDS}}}|\s+")
_WARNING = "It holds your original text and every change. Do not publish it, and do not send it with the result."


def result(desk: Desk) -> File:
    """Return the text as it stands, or the released counts as a table."""
    draft = desk.drafted()
    desk.leave()
    if draft.draw.terms is None:
        return "result.anon.txt", "text/plain; charset=utf-8", _bytes(draft.text)
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["word", "count"])
    writer.writerows(draft.draw.terms)
    return "result.anon.csv", "text/csv; charset=utf-8", _bytes(table.getvalue())


def privacy(desk: Desk) -> File:
    """Return what is promised about the result, as `anonymize` writes it beside its output."""
    draft = desk.drafted()
    record = {
        "tool": "allonym",
        "version": __version__,
        "method": methods.card(draft.draw.protection).method,
        "parameters": methods.shown_parameters(draft.draw.protection, draft.draw.position),
        "claim": desk.badge.to_json(),
        "draws": [charge.to_json() for charge in desk.charges],
        "guarantee": None if draft.edited else draft.draw.guarantee.to_dict(),
    }
    content = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    return "result.privacy.json", "application/json", _bytes(content)


def public_report(desk: Desk) -> File:
    """Return the report that may be sent: nothing in it is of the original but by way of the result."""
    report = reporting.build(desk)
    measured = {"title": "Measured on the result", "note": "", "head": ["measured", "result"]}
    return "report.html", HTML, _page(report, "public", _PUBLIC, {**measured, "rows": report.public_rows})


def internal_report(desk: Desk) -> File:
    """Return the report with both texts."""
    draft, report = desk.drafted(), reporting.build(desk)
    measured = {"title": "Before and after", "note": reporting.NOT_COVERED, "head": ["measured", "before", "after"]}
    texts = {"draft": draft, "changes": list(_changes(draft))}
    page = _page(report, "internal", _WARNING, {**measured, "rows": report.rows}, **texts)
    return "internal-report.html", HTML, page


def table_report(table: UploadedTable) -> File:
    """Return the report of a table whose texts were protected; nothing of the texts is in it."""
    choice, job = table.finished()
    report = reporting.of_table(choice.protection, choice.position, job.per_document, table.spent, table.command)
    return "table-report.html", HTML, _page(report, "public", _PUBLIC_TABLE, None)


def _changes(draft: Draft) -> Iterator[dict[str, Any]]:
    """Yield each stretch with what it was and what it is, the white space after it apart."""
    for number, change in enumerate(draft.draw.changes):
        words, by_hand = draft.edits.get(number, change.after), number in draft.edits
        after = words.rstrip()
        same = {"same": change.same and not by_hand, "before": change.before.rstrip(), "by_hand": by_hand}
        yield {**same, "after": after, "space": words[len(after) :] or " "}


def command(desk: Desk) -> File:
    """Return the command line that repeats the method on a file."""
    draft = desk.drafted()
    line = methods.command(draft.draw.protection, draft.draw.position)
    again = "# Fresh noise each time: running this is another draw, which adds to the loss.\n"
    return "repeat.sh", "text/plain; charset=utf-8", _bytes(f"{again}{line}\n")


def curve(desk: Desk) -> File:
    """Return the data of the trade-off figure."""
    draft = desk.drafted()
    figure = reporting.trade_off(draft.draw.protection, draft.draw.position)
    if figure is None:
        raise InputError("No curve was measured for this method; choose another.")
    return "trade-off.csv", "text/csv; charset=utf-8", _bytes(to_csv(figure))


def pan(desk: Desk) -> File:
    """Return both texts in stretches of at most 50 words, as PAN's tasks on author obfuscation have it."""
    draft = desk.drafted()
    if draft.draw.terms is not None:
        raise InputError("Counts have no places in a text; PAN's form is for rewritten texts.")
    parts: list[dict[str, Any]] = []
    stop = 0
    for number, (original, obfuscated) in enumerate(_stretches(draft), 1):
        start, stop = stop, stop + len(original)
        places = {"original-start-charpos": start, "original-end-charpos": stop}
        parts.append({"original": original, **places, "obfuscation": obfuscated, "obfuscation-id": number})
    return "result.pan.json", "application/json", _bytes(json.dumps(parts, ensure_ascii=False, indent=1) + "\n")


def _stretches(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield the original and what stands for it, piece by piece; what is long and was left out is cut."""
    before, after = "", ""
    for index, change in enumerate(draft.draw.changes):
        now = draft.edits.get(index, change.after)
        for piece in _FEW_WORDS.findall(change.before) or [""]:
            if count_words(before + piece) > _PAN_WORDS:
                yield before, after
                before, after = "", ""
            before, after, now = before + piece, after + now, ""
    if before or after:
        yield before, after


OFFERED: dict[str, tuple[Callable[[Desk], File], str, str]] = {  # what makes it, its title, and what to know about it
    "result": (result, "The result", "the text as it stands, or the counts as CSV"),
    "privacy": (privacy, "Its guarantee", "JSON, to keep beside the result"),
    "public": (public_report, "Public report", "fit to send: no word of your text is in it, and no figure of it"),
    "internal": (internal_report, "Internal report", "holds your original text: keep it to yourself"),
    "command": (command, "Command line", "repeats this on a file; another draw costs again"),
    "curve": (curve, "Data of the curve", "CSV"),
    "pan": (pan, "PAN’s form", "JSON for researchers; holds your original text: keep it to yourself"),
}


def _page(report: Report, kind: str, note: str, measured: dict[str, Any] | None, **texts: Any) -> bytes:  # noqa: ANN401
    """Return a report as one HTML file without scripts, that opens anywhere; texts are for the writer alone."""
    style = (files("allonym.web") / "static" / "report.css").read_text(encoding="utf-8") + reporting.figure_styles()
    given = {"report": report, "kind": kind, "note": note, "style": style, "measured": measured}
    return _bytes(render("saved.html", **given, **({"draft": None} | texts)))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def names(desk: Desk) -> list[dict[str, Any]]:
    """Return what is offered, with what to know about each."""
    drawn = desk.drafted().draw
    absent = {"curve"} if reporting.trade_off(drawn.protection, drawn.position) is None else set()
    absent |= set() if drawn.terms is None else {"pan"}
    offered = ((name, *words) for name, (_, *words) in OFFERED.items() if name not in absent)
    return [dict(zip(("name", "title", "about"), words, strict=True)) for words in offered]
