"""Have Ghostwriter write the letters of examples/letters anew, and print them as they come.

    python tools/rewrite_letters.py

Writes docs/ghostwriter-letters.md, where each letter stands before and after with what the guard found, and
results/ghostwriter.json: shares of what was kept over all letters, and CPU seconds. Every letter is written once and
none is chosen: nothing is drawn, so that another run prints the same.
"""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path
from typing import Any

from allonym import Ghostwriter
from allonym.guard import GuardReport, compare
from allonym.guard.report import NOTHING

ROOT = Path(__file__).resolve().parents[1]
LETTERS = sorted((ROOT / "examples" / "letters").glob("*.txt"))
PAGE, RESULT = ROOT / "docs" / "ghostwriter-letters.md", ROOT / "results" / "ghostwriter.json"
OPENING = "Please write this sentence once, so that the networks are open."
_HEAD = """# Ten letters, before and after

Written for this page by us, in ten voices, and by [Ghostwriter](ghostwriter.md) after them: the first and only draw of
each, nothing chosen, nothing mended. `python tools/rewrite_letters.py` prints this page. What the guard found stands
below each; it finds facts and words, and misses a sentence whose words are right and whose sense is not. What we think
of them is said [there](ghostwriter.md#would-a-person-send-it).
"""


def main() -> None:
    """Write the page and the figures."""
    ghostwriter = Ghostwriter()
    ghostwriter.transform([OPENING])
    parts, rows, total = [_HEAD], list[dict[str, Any]](), NOTHING
    for path in LETTERS:
        before = path.read_text("utf-8").strip()
        began = time.process_time()
        (after,) = ghostwriter.transform([before])
        seconds = time.process_time() - began
        report = compare(before, after)
        total += report.figures
        rows.append({"letter": path.stem, "words": len(before.split()), "cpu_seconds": round(seconds, 2)})
        parts.append(_section(path.stem, before, after, report))
    PAGE.write_text("\n".join(parts), "utf-8")
    words = sum(row["words"] for row in rows)
    seconds = sum(row["cpu_seconds"] for row in rows)
    figures = {
        "letters": rows,
        "words": words,
        "words_per_cpu_second": round(words / seconds, 1),
        "slowest_cpu_seconds": max(row["cpu_seconds"] for row in rows),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "kept": {name: share for name, share in total.to_json().items() if share["of"]},
    }
    RESULT.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def _section(name: str, before: str, after: str, report: GuardReport) -> str:
    found = "\n".join(f"- {finding.kind}: {finding.said}" for finding in report.findings) or "- nothing"
    texts = "\n\n".join(f"{title}:\n\n```text\n{text}\n```" for title, text in (("Before", before), ("After", after)))
    return f"## {name.capitalize()}\n\n{texts}\n\nThe guard found:\n\n{_quoted(found)}\n"


def _quoted(findings: str) -> str:
    """Return findings as code, since they quote numbers of the letters."""
    return f"```text\n{findings}\n```"


if __name__ == "__main__":
    main()
