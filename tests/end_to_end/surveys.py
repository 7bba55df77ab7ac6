"""A survey as a workbook, of any size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_WRITE = """
import sys
from pathlib import Path
import make_texts
path, guests, answers = sys.argv[1:]
make_texts.write_survey(Path(path), make_texts.survey(int(guests), int(answers)))
"""


def write_survey(path: Path, guests: int, answers: int) -> None:
    """Write what so many guests of made-up hotels answered, so often each."""
    line = [sys.executable, "-c", _WRITE, str(path), str(guests), str(answers)]
    subprocess.run(line, cwd=ROOT / "examples", check=True)
