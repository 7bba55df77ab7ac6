"""Claim: a survey of 2,200 rows goes from a workbook to a CSV and a report within five minutes on two cores.

    python benchmarks/journeys.py [--full] [--write]      # --write: into results/journeys.json

The commands are those of the steward's tutorial, run as processes of their own, one after the other: `anonymize` with
the preset, then `evaluate` with the quick panel. Beside them, the whistleblower's letter of examples/ through
Ghostwriter, from the start of the command to the written file. With --full, the full panel, too, which has no target.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "results" / "journeys.json"
GUESTS, ANSWERS = 100, 22
TARGET_S = 300
COLUMNS = ("--text", "answer", "--author", "guest")
EVALUATE = ("evaluate", "survey.xlsx", *COLUMNS, "--label", "satisfied", "--preset", "survey")


def timed(folder: Path, *arguments: str) -> dict[str, float]:
    """Run one command; return how long it took by the clock, and the processor time of all its threads."""
    began, spent = time.perf_counter(), _spent()
    line = [sys.executable, "-m", "allonym", *arguments]
    subprocess.run(line, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return {"clock": round(time.perf_counter() - began, 1), "processor": round(_spent() - spent, 1)}


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Measure; return 1 if it took too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write results/journeys.json")
    parser.add_argument("--full", action="store_true", help="measure the full panel, too: many minutes")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT / "examples"))
    import make_texts

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_texts.write_survey(folder / "survey.xlsx", make_texts.survey(GUESTS, ANSWERS))
        (folder / "letter.txt").write_bytes((ROOT / "examples" / "letters" / "whistleblower.txt").read_bytes())
        preset = ("--preset", "survey", *COLUMNS, "--id", "id", "--keep", "satisfied")
        seconds = {
            "anonymize": timed(folder, "anonymize", "survey.xlsx", "-o", "release.csv", *preset),
            "quick_report": timed(folder, *EVALUATE, "--panel", "quick", "--report", "quick"),
            "letter": timed(folder, "anonymize", "letter.txt", "--preset", "letter"),
        }
        if given.full:
            seconds["full_report"] = timed(folder, *EVALUATE, "--report", "full")
    together = seconds["anonymize"]["clock"] + seconds["quick_report"]["clock"]
    found = {
        "rows": GUESTS * ANSWERS,
        "seconds": seconds,
        "survey_seconds": round(together, 1),
        "target_seconds": TARGET_S,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "command": "python benchmarks/journeys.py --write",
    }
    print(json.dumps(found, indent=1))
    if given.write:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return int(together > TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
