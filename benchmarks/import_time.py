"""Claim: `import allonym` takes less than half a second and loads no heavy library; light commands stay light."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from _common import Row, run_script

TARGET_S = 0.5
TARGET_CPU_S, TARGET_MB = 0.4, 80
LIGHT = ("--help", "budget --help", "models list", "guarantee --help")
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
        Row("from allonym import SynTF", "", f"{syntf:.2f} s", None, {"seconds": syntf}),
        *map(_light_command, LIGHT),
    ]


def _light_command(command: str) -> Row:
    """Measure what a whole command takes, Python's start included: CPU in the median, memory at its peak."""
    used = [_usage(command) for _repeat in range(REPEATS)]
    seconds = statistics.median(usage.ru_utime + usage.ru_stime for usage in used)
    peak_mb = max(usage.ru_maxrss for usage in used) * 1024 / 1e6
    return Row(
        f"allonym {command}: CPU and peak memory",
        f"< {TARGET_CPU_S} s, < {TARGET_MB} MB",
        f"{seconds:.2f} s, {peak_mb:.0f} MB",
        seconds < TARGET_CPU_S and peak_mb < TARGET_MB,
        {"cpu_s": seconds, "peak_mb": peak_mb},
    )


def _usage(command: str) -> resource.struct_rusage:
    process = subprocess.Popen([sys.executable, "-m", "allonym", *command.split()], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"allonym {command} failed")
    return usage


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    run_script(measure)
