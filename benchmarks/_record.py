"""What a benchmark of one thing found, handed over as JSON: printed, and written to the file that `--json` names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def keep(record: dict[str, Any], path: Path | None) -> None:
    """Write what is known so far, if it is asked for."""
    if path is not None:
        path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def hand_over(record: dict[str, Any], path: Path | None) -> None:
    """Print all that was found, and write it, if that is asked for."""
    print(json.dumps(record, indent=2))
    keep(record, path)
