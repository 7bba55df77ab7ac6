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
from allonym.drawing.svg import escaped
from allonym.errors import InputError
from allonym.recognition.reliability import count_words
from allonym.web import methods, reporting
from allonym.web.desk import Desk
from allonym.web.reporting import Report
from allonym.web.rewriting import Draft

File = tuple[str, str, bytes]  # name, media type, content

_PUBLIC = "It holds no word of the original and no figure measured on it."
_PAN_WORDS = 50
_FEW_WORDS = re.compile(rf"(?:\s*\S+\s*){{1,{_PAN_WORDS}}}|\s+")
_WARNING = (
    "Internal report: it holds your original text and every change. Do not publish it, and do not send it with the "
    "result."
)


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
    report = reporting.build(desk)
    record = {
        "tool": "allonym",
        "version": __version__,
        "method": methods.card(draft.draw.protection).method,
        "parameters": methods.parameters(draft.draw.protection, draft.draw.position),
        "claim": report.badge,
        "draws": [charge.to_dict() for charge in desk.charges],
        "guarantee": None if draft.edited else draft.draw.guarantee.to_dict(),
    }
    content = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    return "result.privacy.json", "application/json", _bytes(content)


def public_report(desk: Desk) -> File:
    """Return the report that may be sent: nothing in it is of the original but by way of the result."""
    return "report.html", "text/html; charset=utf-8", _bytes(_page(reporting.build(desk), "public", ""))


def internal_report(desk: Desk) -> File:
    """Return the report with both texts."""
    draft = desk.drafted()
    texts = (
        f"<h2>Original</h2><blockquote>{escaped(draft.draw.original)}</blockquote>"
        f"<h2>Result</h2><blockquote>{escaped(draft.text)}</blockquote>"
    )
    if draft.draw.changes:
        changes = "".join(_change(draft, place) for place in range(len(draft.draw.changes)))
        note = "Struck out: the original. Underlined: drawn. Underlined twice: chosen by hand."
        texts += f"<h2>Changes</h2><p>{note}</p><blockquote>{changes}</blockquote>"
    page = _page(reporting.build(desk), "internal", texts)
    return "internal-report.html", "text/html; charset=utf-8", _bytes(page)


def _change(draft: Draft, place: int) -> str:
    """Return one stretch with what it was and what it is."""
    change, words = draft.draw.changes[place], draft.edits.get(place, draft.draw.changes[place].after)
    if change.same and place not in draft.edits:
        return escaped(words if words[-1:].isspace() else f"{words} ")
    body = words.rstrip()
    by_hand = " class='mine'" if place in draft.edits else ""
    before = f"<del>{escaped(change.before.rstrip())}</del> " if change.before.strip() else ""
    return f"{before}<ins{by_hand}>{escaped(body)}</ins>{escaped(words[len(body) :]) or ' '}"


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
        raise InputError("No curve was measured for this method; choose one with a proof.")
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
    for place, change in enumerate(draft.draw.changes):
        now = draft.edits.get(place, change.after)
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


def _page(report: Report, kind: str, more: str) -> str:
    """Return a report as one HTML file without scripts, that opens anywhere."""
    style = (files("allonym.web") / "static" / "report.css").read_text(encoding="utf-8") + reporting.figure_styles()
    limits = "".join(f"<li>{escaped(limit)}</li>" for limit in report.limits)
    note = _WARNING if kind == "internal" else _PUBLIC
    figure = f"<figure>{report.figure}<figcaption>{escaped(report.figure_note)}</figcaption></figure>"
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<meta name='referrer' content='no-referrer'>"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>What can be claimed ({kind} report)</title><style>{style}</style></head><body><main>"
        f"<p class='kind'>allonym {escaped(__version__)}, {kind} report. {note}</p>"
        f"<h1>{escaped(report.badge['title'])}</h1><p>{escaped(report.badge['detail'])}</p>"
        f"<h2>For a data release</h2><blockquote>{escaped(report.paragraph)}</blockquote>"
        f"{_measured(report, kind)}"
        f"<h2>The trade-off</h2>{figure if report.figure else '<p>No curve was measured for this method.</p>'}"
        f"<h2>To repeat it</h2><pre><code>{escaped(report.command)}</code></pre>"
        f"{more}<h2>Limits</h2><ul>{limits}</ul></main></body></html>\n"
    )


def _measured(report: Report, kind: str) -> str:
    """Return the table of what was measured: of the result alone in a report that may be sent."""
    title, note, head = "Measured on the result", "", ["measured", "result"]
    rows: tuple[tuple[str, ...], ...] = report.public_rows
    if kind == "internal":
        title, note = "Before and after", f"<p>{escaped(reporting.NOT_COVERED)}</p>"
        head, rows = ["measured", "before", "after"], report.rows
    names = "".join(f"<th scope='col'>{name}</th>" for name in head)
    body = "".join(
        f"<tr><th scope='row'>{escaped(name)}</th>{''.join(f'<td>{escaped(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    return f"<h2>{title}</h2>{note}<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def names(desk: Desk) -> list[dict[str, Any]]:
    """Return what is offered, with what to know about each."""
    drawn = desk.drafted().draw
    absent = {"curve"} if reporting.trade_off(drawn.protection, drawn.position) is None else set()
    absent |= set() if drawn.terms is None else {"pan"}
    offered = ((name, *words) for name, (_, *words) in OFFERED.items() if name not in absent)
    return [dict(zip(("name", "title", "about"), words, strict=True)) for words in offered]
