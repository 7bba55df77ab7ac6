"""Claim: `import allonym` takes less than half a second and loads none of the heavy libraries."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from _common import Row, run_script

TARGET_S = 0.5
REPEATS = 7
HEAVY = ("torch", "pyspark", "starlette", "numba", "sklearn")
_LIST_HEAVY = f"import allonym, json, sys; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"


def measure(_: Path | None) -> Sequence[Row]:
    """Time fresh interpreters with and without the import, in turns, by the clock on the wall."""
    codes = {"bare": "pass", "import": "import allonym", "SynTF": "from allonym import SynTF"}
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _repeat in range(REPEATS):
        for name, code in codes.items():
            times[name].append(_seconds(code))
    median = {name: statistics.median(measured) for name, measured in times.items()}
    package, syntf = median["import"] - median["bare"], median["SynTF"] - median["bare"]
    loaded = json.loads(subprocess.run([sys.executable, "-c", _LIST_HEAVY], check=True, stdout=subprocess.PIPE).stdout)
    return [
        Row(
            "import allonym, beyond starting Python",
            f"< {TARGET_S} s",
            f"{package:.3f} s",
            package < TARGET_S,
            {"seconds": package, "bare_s": median["bare"]},
        ),
        Row(
            f"heavy libraries it loads, of {', '.join(HEAVY)}",
            "none",
            ", ".join(loaded) or "none",
            not loaded,
            {"loaded": len(loaded)},
        ),
        Row("from allonym import SynTF, which needs scikit-learn", "", f"{syntf:.2f} s", None, {"seconds": syntf}),
    ]


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    run_script(measure)
