"""Everything that is claimed of the local page, measured and kept: speed, load, hostile requests.

    python benchmarks/page.py --json results/page.json

writes that file and the table `results/page.md` beside it (some minutes; best on a machine that does nothing else).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path
from typing import Any

import page_fuzz
import page_load
import page_rescore
from _common import Row, table_of

from allonym import __version__

COMMAND = "python benchmarks/page.py --json results/page.json"
PARTS = (page_load, page_rescore, page_fuzz)


def main() -> None:
    """Measure all, print the table and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where to write the rows; the table goes beside it as .md")
    given = parser.parse_args()
    busy = os.getloadavg()[0]
    rows: list[Row] = []
    for part in PARTS:
        found = part.measure(None)
        print(table_of(found), flush=True)
        rows += found
    machine = {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    record = {
        "command": COMMAND,
        "version": __version__,
        "machine": {**machine, "load_before": round(busy, 2), "load_after": round(os.getloadavg()[0], 2)},
        "rows": [asdict(row) for row in rows],
    }
    if given.json:
        given.json.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        given.json.with_suffix(".md").write_text(page_of(record, rows), encoding="utf-8")


def page_of(record: dict[str, Any], rows: list[Row]) -> str:
    """Return the table with what it was measured on."""
    machine = record["machine"]
    told = (
        f"Made by `{COMMAND}`, version {record['version']}. Machine: {machine['processor']}, {machine['cores']} cores, "
        f"Python {machine['python']}; its load was {machine['load_before']} before and {machine['load_after']} after, "
        "the page's own included."
    )
    return f"# The local page: speed, load, hostile requests\n\n{told}\n\n{table_of(rows)}\n"


if __name__ == "__main__":
    main()
