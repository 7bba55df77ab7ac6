"""How a job on Spark grows with the workers: 1, 2 and 4 executors of one core each, and where the time goes.

A folder of Parquet parts goes through SynTF on `local-cluster`, so that workers are processes of their own. Reported
are wall seconds of each step and CPU seconds of everything: what is more than the local engine's is Spark's.
On a machine with two cores, four workers share what two have.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _record import hand_over

WORDS = ["rain", "snow", "harbour", "letter", "morning", "bird", "evening", "ship", "word", "sun"]
PARTS = 8
ROWS = 12_500  # of a part
METHOD = ["--method", "syntf", "--words", "20"]


def write_parts(folder: Path, rows: int) -> None:
    """Write the parts, and the whole beside them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    tables = []
    for part in range(PARTS):
        texts = [" ".join(WORDS[(i * k + part) % 10] for k in range(1, 11)) for i in range(rows)]
        tables.append(pa.table({"text": texts}))
        pq.write_table(tables[-1], folder / f"part-{part}.parquet")
    pq.write_table(pa.concat_tables(tables), folder.with_name("whole.parquet"))


def on_cluster(workers: int, source: Path, out: Path) -> dict[str, float]:
    """Run one job in this process, step by step."""
    began = time.perf_counter()
    from allonym.anonymizers.syntf import SynTF
    from allonym.formats.tables import Roles
    from allonym.jobs.engines.spark import Spark
    from allonym.jobs.execute import Options, execute, plan
    from allonym.jobs.parts import open_parts
    from allonym.randomness import insecure

    anonymizer = SynTF(words=20)
    anonymizer.guarantee()
    ready = time.perf_counter()
    spark = Spark(f"local-cluster[{workers},1,1024]" if workers else "local[1]")
    list(spark.map(lambda *_: {}, None, []))
    up = time.perf_counter()
    documents, parts = open_parts(source, Roles("text"), spark)
    job = plan(anonymizer, documents, out=out, has_ids=False, has_authors=False, keep=(), repeatable=True, parts=parts)
    planned = time.perf_counter()
    execute(job, insecure(1), lambda _: None, Options(force=True))
    done = time.perf_counter()
    spark.session.stop()
    return {
        "method_ready_s": ready - began,
        "spark_up_s": up - ready,
        "count_pass_s": planned - up,
        "job_s": done - planned,
        "documents": job.plan.count,
    }


def measured(line: list[str], environment: dict[str, str]) -> tuple[float, float, str]:
    """Run a program; return wall and CPU seconds and what it printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        line, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, cpu, done.stdout


def settings(folder: Path) -> dict[str, str]:
    """Return the environment of a cluster on this machine."""
    (folder / "conf").mkdir(exist_ok=True)
    given = {"spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false", "spark.executor.memory": "600m",
             "spark.network.timeout": "600s", "spark.local.dir": str(folder / "spark")}  # fmt: skip
    (folder / "conf" / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in given.items()))
    paths = {"SPARK_CONF_DIR": str(folder / "conf")}
    return {
        **os.environ,
        **paths,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "OMP_NUM_THREADS": "1",
    }


def main() -> None:
    """Run all and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", type=int, help="one run in this process, for the runs above")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(on_cluster(options.one, options.folder / "in", options.folder / f"out{options.one}")))
        return
    found: dict[str, Any] = {"parts": PARTS, "documents": PARTS * options.rows, "cores": os.cpu_count(), "workers": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parts(folder / "in", options.rows)
        environment = settings(folder)
        line = [sys.executable, "-m", "allonym", "anonymize", str(folder / "whole.parquet"), *METHOD, "--quiet"]
        wall, cpu, _ = measured([*line, "-o", str(folder / "local.parquet")], environment)
        found["local_engine"] = {"wall_s": round(wall, 1), "cpu_s": round(cpu, 1)}
        for workers in options.workers:
            own = [sys.executable, __file__, "--one", str(workers), "--folder", name]
            wall, cpu, printed = measured(own, environment)
            steps = {key: round(value, 1) for key, value in json.loads(printed.splitlines()[-1]).items()}
            steps["documents_per_s"] = round(steps["documents"] / max(steps["job_s"], 0.1), 1)
            load = round(os.getloadavg()[0], 1)
            found["workers"][workers] = {
                "wall_s": round(wall, 1),
                "cpu_s": round(cpu, 1),
                "load_average": load,
                **steps,
            }
            print(json.dumps({workers: found["workers"][workers]}), file=sys.stderr, flush=True)
    hand_over(found, options.json)


if __name__ == "__main__":
    main()
