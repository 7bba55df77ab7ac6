"""Claim: a cluster that loses a worker in the middle of a job gives the rows of the local engine.

A folder of JSON-lines parts, of which some lines are damaged, goes through SynTF with `--engine spark --on-error skip`
on `local-cluster`: two workers that are processes of their own. One is killed when some parts are written and others
are not; Spark's own event log tells how many tasks were lost. The rows must be those of the local engine with the same
key, paid for once. Speculative copies do not come about here: Spark starts them on another host only. Two processes
that make one part at the same time are in tests/jobs/test_parts.py.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _executors import executors
from _record import hand_over
from spark_scaling import WORDS, settings

from allonym.budget.ledger import Ledger

PARTS = 12
ROWS = 5_000  # of a part
DAMAGED_EVERY = 997
PATIENCE_S = 900.0


def write_parts(folder: Path, rows: int) -> int:
    """Write the parts, and the whole beside them; return how many lines cannot be read."""
    folder.mkdir()
    damaged, lines = 0, []
    for position in range(PARTS * rows):
        text = " ".join(WORDS[(position * k) % 10] for k in range(1, 11))
        line = json.dumps({"text": text, "n": position})
        if position % DAMAGED_EVERY == 5:
            line, damaged = line[:-1], damaged + 1
        lines.append(f"{line}\n")
    for part in range(PARTS):
        (folder / f"part-{part:02d}.jsonl").write_text("".join(lines[part * rows : (part + 1) * rows]))
    folder.with_name("whole.jsonl").write_text("".join(lines))
    return damaged


def run_and_kill(line: list[str], environment: dict[str, str], folder: Path) -> dict[str, Any]:
    """Run the job on the cluster and kill a worker when the first parts are there."""
    stage = folder / ".out.allonym-job" / "new" / "out"
    with (folder / "talk").open("wb") as talk:
        program = subprocess.Popen(line, env=environment, stdout=talk, stderr=talk)
        deadline = time.monotonic() + PATIENCE_S
        while not list(stage.glob("part-*")) and program.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        workers, done = executors(program.pid), len(list(stage.glob("part-*")))
        if workers and program.poll() is None:
            os.kill(workers[0], signal.SIGKILL)
        code = program.wait(timeout=PATIENCE_S)
    return {"workers": len(workers), "parts_done_at_the_kill": done, "exit": code}


def tasks_of(log: Path) -> dict[str, int]:
    """Count in Spark's event log how many tasks were started, and how many came to nothing."""
    counts = {"tasks_started": 0, "tasks_lost": 0}
    for path in (path for path in log.rglob("*") if path.is_file() and not path.name.startswith(".")):
        for event in map(json.loads, filter(None, path.read_text(encoding="utf-8").splitlines())):
            if event.get("Event") == "SparkListenerTaskStart":
                counts["tasks_started"] += 1
            elif event.get("Event") == "SparkListenerTaskEnd" and event["Task End Reason"]["Reason"] != "Success":
                counts["tasks_lost"] += 1
    return counts


def vectors(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file, or of a folder of them in the order of their names."""
    import pyarrow.parquet as pq

    paths = sorted(path.glob("part-*")) if path.is_dir() else [path]
    return [row for one in paths for row in pq.read_table(one).to_pylist()]


def measured(folder: Path, rows: int) -> dict[str, Any]:
    """Run both engines, and compare."""
    damaged = write_parts(folder / "in", rows)
    environment = settings(folder)
    (folder / "events").mkdir()
    given = {"enabled": "true", "compress": "false", "dir": (folder / "events").as_uri()}
    with (folder / "conf" / "spark-defaults.conf").open("a") as file:
        file.writelines(f"spark.eventLog.{name} {value}\n" for name, value in given.items())
    method = ["--text", "text", "--keep", "n", "--method", "syntf", "--words", "20", "--insecure-seed", "4"]
    line = [sys.executable, "-m", "allonym", "anonymize"]
    how = [*method, "--on-error", "skip", "--chunk-rows", "1000"]
    local = [*line, str(folder / "whole.jsonl"), *how, "--quiet", "-o", str(folder / "one.parquet")]
    subprocess.run(local, check=False, env=environment, stderr=subprocess.DEVNULL)  # ends with 4: some rows failed
    cluster = ["--engine", "spark", "--spark-master", "local-cluster[2,1,1024]", "--budget-db", str(folder / "ledger")]
    on_spark = [*line, str(folder / "in"), *how, *cluster, "-o", str(folder / "out")]
    found = run_and_kill(on_spark, environment, folder)
    expected, rows_of_cluster = vectors(folder / "one.parquet"), vectors(folder / "out")
    with Ledger(folder / "ledger") as ledger:
        charges = len(list(ledger.history()))
    return {
        "parts": PARTS,
        "documents": PARTS * rows,
        "damaged_rows": damaged,
        **found,
        **tasks_of(folder / "events"),
        "rows_equal_to_local_engine": rows_of_cluster == expected and len(expected) == PARTS * rows - damaged,
        "charges": charges,
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Run all and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    name = tempfile.mkdtemp()
    try:
        found = measured(Path(name), options.rows)
    finally:
        shutil.rmtree(name, ignore_errors=True)
    in_the_middle = found["workers"] == 2 and 0 < found["parts_done_at_the_kill"] < PARTS
    found["met"] = found["rows_equal_to_local_engine"] and found["charges"] == 1 and in_the_middle
    hand_over(found, options.json)
    sys.exit(0 if found["met"] else 1)


if __name__ == "__main__":
    main()
