"""An audit as a page by itself: it loads nothing, runs no script, and shows every text as text."""

from __future__ import annotations

import json
from importlib.resources import files
from string import Template

from allonym import __version__
from allonym.audit.findings import Audit, Finding
from allonym.drawing.svg import escaped

_VERDICTS = {  # never by colour alone
    "holds": "✓ holds",
    "violated": "✗ violated",
    "measured": "– measured",
    "not audited": "? not audited",
}


def page(audit: Audit) -> str:
    """Return the whole page."""
    template = Template((files("allonym.audit") / "page.html.template").read_text(encoding="utf-8"))
    return template.substitute(
        style=_style(),
        verdict=escaped(audit.verdict),
        claim=escaped(audit.claim),
        checks="".join(map(_row, audit.findings)),
        figures="".join(map(_figures, audit.findings)),
        notes="".join(f"<li>{escaped(note)}</li>" for note in audit.notes),
        version=escaped(__version__),
    )


def _style() -> str:
    """Return the style of the evaluation's report, so that both look alike; rows of sentences may break."""
    template = (files("allonym.drawing") / "report.html.template").read_text(encoding="utf-8")
    style = template.partition("<style>")[2].partition("</style>")[0].replace("$$", "$")
    return f"{style}td{{white-space:normal}}pre{{overflow-x:auto;background:var(--soft);padding:.75rem 1rem}}"


def _row(finding: Finding) -> str:
    name, says = escaped(finding.check), escaped(finding.says)
    return f'<tr><th scope="row">{name}</th><td>{_VERDICTS[finding.verdict]}</td><td>{says}</td></tr>'


def _figures(finding: Finding) -> str:
    listed = json.dumps(dict(finding.figures), ensure_ascii=False, indent=1, default=str)
    return f"<details><summary>{escaped(finding.check)}</summary><pre>{escaped(listed)}</pre></details>"
