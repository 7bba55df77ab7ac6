"""An audit as a page by itself: it loads nothing, runs no script, and shows every text as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from allonym import __version__
from allonym.audit.findings import Audit, Finding
from allonym.drawing.svg import escaped

_TITLE = "What an audit found"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_VERDICTS = {  # never by colour alone
    "holds": "✓ holds",
    "violated": "✗ violated",
    "measured": "– measured",
    "not audited": "? not audited",
}


def page(audit: Audit) -> str:
    """Return the whole page."""
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{_TITLE}</title>\n<style>{_style()}</style>\n</head>\n"
    )
    body = (
        f"<body>\n<header><p>allonym, audit.</p><h1>{_TITLE}</h1></header>\n<main>\n"
        f'<p class="verdict">{escaped(audit.verdict)}</p>\n<p>Claimed: {escaped(audit.claim)}.</p>\n'
        f"<h2>The checks</h2>\n{_table(audit.findings)}\n<h2>Their figures</h2>\n{_figures(audit.findings)}\n"
        f"<h2>Notes</h2>\n<ul>{''.join(f'<li>{escaped(note)}</li>' for note in audit.notes)}</ul>\n</main>\n"
        f"<footer><p>Made by allonym {escaped(__version__)}. This page loads nothing and runs no script.</p></footer>\n"
        "</body>\n</html>\n"
    )
    return head + body


def _style() -> str:
    """Return the style of the evaluation's report, so that both look alike; rows of sentences may break."""
    template = (files("allonym.drawing") / "report.html.template").read_text(encoding="utf-8")
    style = template.partition("<style>")[2].partition("</style>")[0].replace("$$", "$")
    return f"{style}td{{white-space:normal}}pre{{overflow-x:auto;background:var(--soft);padding:.75rem 1rem}}"


def _table(findings: Sequence[Finding]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escaped(one.check)}</th><td>{_VERDICTS[one.verdict]}</td>'
        f"<td>{escaped(one.says)}</td></tr>"
        for one in findings
    )
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="The checks"><table>'
        "<caption>Every check and what it found</caption>"
        '<thead><tr><th scope="col">check</th><th scope="col">verdict</th><th scope="col">finding</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _figures(findings: Sequence[Finding]) -> str:
    return "".join(
        f"<details><summary>{escaped(one.check)}</summary><pre>{escaped(_plain(one.figures))}</pre></details>"
        for one in findings
    )


def _plain(figures: Mapping[str, object]) -> str:
    return json.dumps(dict(figures), ensure_ascii=False, indent=1, default=str)
