"""Claim: memory does not grow with the number of rows: a million rows peak at most 200 MiB above ten thousand.

Each job is the command as users run it, in a process of its own; reported is the largest memory that process ever
held. Rows have about ten words; texts are replaced, or become term vectors of 20 words.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from _record import hand_over

WORDS = ["rain", "snow", "harbour", "letter", "morning", "bird", "evening", "ship", "word", "sun"]
SMALL, LARGE = 10_000, 1_000_000
ALLOWED_MIB = 200
VECTORS = ["--method", "syntf", "--words", "20"]
TEXTS = ["--method", "random-replacement", "--words", "10"]
JOBS = {
    "csv to csv": ("csv", "csv", TEXTS),
    "jsonl to jsonl": ("jsonl", "jsonl", TEXTS),
    "parquet to parquet": ("parquet", "parquet", TEXTS),
    "parquet to terms in parquet": ("parquet", "parquet", VECTORS),
    "csv to terms in npz": ("csv", "npz", VECTORS),
    "csv to terms in svm": ("csv", "svm", VECTORS),
}


def write_rows(path: Path, rows: int) -> None:
    """Write a table, a part at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def text(i: int) -> str:
        return " ".join(WORDS[(i * k + k) % 10] for k in range(1, 11))

    with open(path, "w", encoding="utf-8") as file:
        if path.suffix == ".csv":
            file.write("key,who,text\n")
            file.writelines(f"k{i},w{i % 1000},{text(i)}\n" for i in range(rows))
        elif path.suffix == ".jsonl":
            file.writelines(f'{{"key": "k{i}", "who": "w{i % 1000}", "text": "{text(i)}"}}\n' for i in range(rows))
    if path.suffix == ".parquet":
        schema = pa.schema([("key", pa.string()), ("who", pa.string()), ("text", pa.string())])
        with pq.ParquetWriter(path, schema) as writer:
            for start in range(0, rows, 10_000):
                part = range(start, start + 10_000)
                columns = [[f"k{i}" for i in part], [f"w{i % 1000}" for i in part], [text(i) for i in part]]
                writer.write_table(pa.table(columns, schema=schema))


def peak_of(line: list[str]) -> dict[str, float]:
    """Run the command in a child; return its peak memory and CPU time. No exec: the child is small before it."""
    child = os.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "allonym", *line])
    _, status, usage = os.wait4(child, 0)
    if status:
        raise RuntimeError(f"the job ended with {os.waitstatus_to_exitcode(status)}")
    return {"mib": round(usage.ru_maxrss / 1024, 1), "cpu_s": round(usage.ru_utime + usage.ru_stime, 1)}


def main() -> None:
    """Run all and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=LARGE)
    parser.add_argument("--only", nargs="*", default=list(JOBS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {"small_rows": SMALL, "large_rows": options.rows, "allowed_mib": ALLOWED_MIB, "jobs": {}}
    for name in options.only:
        kind, suffix, method = JOBS[name]
        with tempfile.TemporaryDirectory() as folder:
            peaks = {}
            for rows in (SMALL, options.rows):
                source = Path(folder) / f"in{rows}.{kind}"
                write_rows(source, rows)
                columns = ["--text", "text", "--id", "key", "--author", "who"]
                line = ["anonymize", str(source), *columns, *method, "--quiet", "-o", f"{folder}/out{rows}.{suffix}"]
                peaks[rows] = peak_of(line)
        grown = peaks[options.rows]["mib"] - peaks[SMALL]["mib"]
        found["jobs"][name] = {
            "small": peaks[SMALL],
            "large": peaks[options.rows],
            "grown_mib": round(grown, 1),
            "met": grown <= ALLOWED_MIB,
        }
        print(json.dumps({name: found["jobs"][name]}), file=sys.stderr, flush=True)
    hand_over(found, options.json)


if __name__ == "__main__":
    main()
