"""Puts what the benchmarks of jobs measured into results/jobs.json, and makes results/jobs.md of it.

    python benchmarks/job_results.py --crashes crashes.json --fuzz fuzz.json

Each option takes the file that the benchmark of that name wrote with `--json`; sections without an option stay as they
are. The page is made of the file alone, so that no figure of it is written by hand.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent.parent / "results"
SECTIONS = ("crashes", "fuzz", "throughput", "memory", "spark_kill", "spark_scaling")
SCRIPTS = {
    "crashes": "benchmarks/crashes.py",
    "fuzz": "benchmarks/fuzz.py",
    "throughput": "benchmarks/throughput.py",
    "memory": "benchmarks/job_memory.py",
    "spark_kill": "benchmarks/spark_kill.py",
    "spark_scaling": "benchmarks/spark_scaling.py",
}
NOTE = (
    "Sections are from the scripts they name, each from one run. CPU seconds count all processes of a job; crashes and "
    "damaged files ran beside other programs, throughput and memory with little beside them (load averages are given)."
)
HEAD = """# Jobs: what was measured

Two cores. Every row is from one run of the command in its last column; `benchmarks/job_results.py` put them into
[jobs.json](jobs.json) and made this page of it. Crashes and damaged files ran beside other programs, throughput and
memory with little beside them. CPU seconds count all processes of a job.

| what | asked | found | command |
|---|---|---|---|
"""
Row = tuple[str, str, str, str]


def crash_rows(found: dict[str, Any]) -> list[Row]:
    """Return the rows about kills and stops."""
    command = "python benchmarks/crashes.py"
    rows = f"{found['rows']:,}-row job"
    killed = {
        f"`kill -9` at random moments of a {rows}": "random_moments",
        "`kill -9` when half of a temporary file is written": "at_half_a_file",
        "`kill -9` at a random fsync": "at_fsync",
        "`kill -9` at the naming of a file": "at_replace",
        "`kill -9` at a statement to the ledger": "at_ledger_statements",
    }
    lines = []
    for what, name in ((what, name) for what, name in killed.items() if name in found):
        kills, wrong = found[name]["kills"], found[name]["wrong_ends"]
        end = "every end byte for byte that of an uninterrupted run" if not wrong else f"**{wrong} wrong ends**"
        asked = "100; nothing lost, twice or out of order" if name == "random_moments" else "20"
        lines.append((what, asked, f"{kills} kills, {end}", command))
    seen = f"{found['outputs_seen']} outputs seen, {found['charges']} charges, {found['under_counts']} under-counts"
    lines.append(("charges after all these kills", "never fewer than outputs", seen, command))
    rework = f"{found['most_chunks_to_do_again']} of {found['rows'] // found['chunk_rows']} chunks"
    lines.append(("work to be done again after a kill", "at most a chunk", f"at most {rework}", command))
    leaks = f"{found['files_with_canaries']} files with one, {found['outputs_partly_written']} outputs in part"
    asked = f"{found['canaries']:,} words; 0 hits"
    lines.append(("canary words outside the input, looked for after every kill", asked, leaks, command))
    alone = found["ledger_alone"]
    counts = f"{alone['crashes']:,}; {alone['under_counts']} under-counts, {alone['broken']} broken"
    lines.append(("crashes of the ledger alone", "1,000; 0 under-counts", counts, command))
    return lines + [stop_row(found, name, what, command) for name, what in STOPS.items() if name in found]


STOPS = {
    "by_SIGTERM": "SIGTERM at random moments, over an older output",
    "by_SIGINT": "SIGINT at random moments, over an older output",
    "by_a_file_that_may_not_grow": "files that may not grow beyond a random size, over an older output",
    "by_a_disk_that_refuses": "a disk that is full, fails or is read-only at a random call, over an older output",
}


def stop_row(found: dict[str, Any], name: str, what: str, command: str) -> Row:
    """Return the row about one way to be stopped."""
    code = 130 if name.startswith("by_SIG") else 2
    stops, wrong = found[name]["stops"], found[name]["wrong_ends"]
    end = "all ended so, and resumed to the same bytes" if not wrong else f"**{wrong} wrong ends**"
    return what, f"50; exit {code}, a sentence, the older output or the new one whole", f"{stops} stops, {end}", command


def fuzz_row(found: dict[str, Any]) -> Row:
    """Return the row about damaged files."""
    exits = ", ".join(f"{count:,} exits {code}" for code, count in found["exits"].items())
    wrong = "none wrong" if not found["wrong_count"] else f"**{found['wrong_count']} wrong**"
    slowest = f"the slowest took {found['slowest_cpu_s']} CPU seconds ({found['slowest_wall_s']} s on the clock, "
    slowest += f"at a load average of {found['load_average']})"
    asked = "10,000; exit 0, 2, or 4 if `--on-error` asks for it; no traceback, < 2 s each"
    what = "damaged tables and texts, half of them with `--on-error`"
    return what, asked, f"{found['cases']:,}; {wrong} ({exits}); {slowest}", "python benchmarks/fuzz.py"


def throughput_rows(found: dict[str, Any]) -> list[Row]:
    """Return the rows about speed."""
    names = {
        "syntf": "SynTF",
        "exponential": "word substitution (exponential)",
        "laplace": "Laplace noise, which searches the nearest of 30,000 words for every word",
    }
    lines = []
    for name, words in names.items():
        one = found[name]
        wall = f"{one['wall_s']:.1f} s" if one["met"] else f"**{one['wall_s']:.0f} s**"
        cost = f"{wall}; {one['cpu_s']:.0f} CPU seconds, {one['cpu_times_bare']:.0f} times a bare read-write pass"
        what = f"{found['lines']:,} short lines, {words}, {found['processes']} processes"
        load = f" (load average {one['load_average']})"
        lines.append((what, f"< {found['target_s']:g} s", cost + load, "python benchmarks/throughput.py"))
    return lines


def memory_row(found: dict[str, Any]) -> Row:
    """Return the row about memory."""
    grown = "; ".join(f"{job}: {one['grown_mib']:.0f}" for job, one in found["jobs"].items())
    rows = found["rows"]
    what = f"peak memory at {rows['large']:,} rows beyond that at {rows['small']:,}, in MiB"
    return what, f"≤ {found['target_grown_mib']}", grown, "python benchmarks/job_memory.py"


def spark_rows(record: dict[str, Any]) -> list[Row]:
    """Return the rows about the cluster."""
    test, scaling = record["spark_kill"], record["spark_scaling"]
    equal = "equal" if test["rows_equal_to_local_engine"] else "**not equal**"
    found = f"{equal}, {test['charges']} charge; killed when {test['parts_done_at_the_kill']} of {test['parts']} parts "
    found += f"were written, {test['tasks_lost']} of {test['tasks_started']} tasks lost"
    what = (
        f"Spark, {test['documents']:,} documents of which {test['damaged_rows']} rows are damaged, {test['workers']} "
    )
    what += "workers, one killed in the middle"
    lines = [(what, "rows of the local engine", found, f"python {test['script']}")]
    by = scaling["workers"]

    def listed(name: str, digits: int = 1) -> str:
        return " / ".join(f"{by[count][name]:,.{digits}f}" for count in by)

    speed = f"the job itself {listed('job_s')} s ({listed('documents_per_s', 0)} documents a second); before it Spark "
    speed += f"starts for {listed('spark_up_s')} s and counts for {listed('count_pass_s')} s. "
    speed += f"The local engine takes {scaling['local_engine']['wall_s']} s in all"
    what = f"Spark, {scaling['documents']:,} documents, {' / '.join(by)} workers on these {scaling['cores']} cores"
    return [*lines, (what, "to be shown", speed, "python benchmarks/spark_scaling.py")]


def page(record: dict[str, Any]) -> str:
    """Return the page."""
    network = record["no_network"]
    works = "works" if network["passed"] else "**does not work**"
    rows = [
        *crash_rows(record["crashes"]),
        fuzz_row(record["fuzz"]),
        *throughput_rows(record["throughput"]),
        memory_row(record["memory"]),
        *spark_rows(record),
        ("without a network (`unshare --net`)", "works", works, f"pytest {network['script'].split()[0]}"),
    ]
    return HEAD + "".join(f"| {what} | {asked} | {found} | `{command}` |\n" for what, asked, found, command in rows)


def main() -> None:
    """Take the files that are given, and write both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in SECTIONS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, help=f"what {SCRIPTS[name]} wrote")
    options = vars(parser.parse_args())
    record = json.loads((RESULTS / "jobs.json").read_text(encoding="utf-8"))
    for name in SECTIONS:
        if options[name] is not None:
            record[name] = {"script": SCRIPTS[name], **json.loads(options[name].read_text(encoding="utf-8"))}
    record["note"] = NOTE
    (RESULTS / "jobs.json").write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "jobs.md").write_text(page(record), encoding="utf-8")


if __name__ == "__main__":
    main()
