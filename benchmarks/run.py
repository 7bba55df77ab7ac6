"""Run every benchmark in a process of its own and print one table; exit status 1 if a target is missed."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _common import HERE, Row, data_used, prepared_inputs, processor, table_of

SCRIPTS = (
    "naive_draws",
    "ready_made_rows",
    "matrix_products",
    "peak_memory",
    "growth",
    "opendp_noisy_max",
    "nearest_words",
    "whole_newsgroups",
    "writeprints",
    "many_machines",
    "candidate_draws",
    "erae_inference",
    "erae_private_length",
    "a4nt_sentences",
    "import_time",
)


def run_one(name: str, inputs: Path, folder: Path) -> list[Row]:
    """Return the rows of one benchmark; one that breaks misses its target."""
    written = folder / f"{name}.json"
    command = [sys.executable, str(HERE / f"{name}.py"), "--inputs", str(inputs), "--json", str(written)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return [Row(name, "", f"not measured: {reason[-1]}", False)]
    return [Row(**row) for row in json.loads(written.read_text(encoding="utf-8"))]


def main() -> int:
    """Run all, print the table, write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, prepared_inputs(None) as inputs:
        for name in SCRIPTS:
            started = time.perf_counter()
            print(f"{name} …", end="", file=sys.stderr, flush=True)
            rows += run_one(name, inputs, Path(folder))
            print(f" {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    print(f"Data: {data_used()}. Seconds are CPU time, all threads together.")
    print(f"Processor: {processor()}\n")
    print(table_of(rows))
    if options.json:
        written = {"data": data_used(), "processor": processor(), "rows": [vars(row) for row in rows]}
        options.json.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(row.passed is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
