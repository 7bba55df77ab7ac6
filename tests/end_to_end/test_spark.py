"""`--engine spark` on a cluster of two real workers, one of which is killed: the rows of the local engine, once each.

Needs PySpark and Java; a cluster takes about a minute to come up on a busy machine, so everything is asked of one.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.budget.ledger import Ledger
from allonym.errors import InputError
from allonym.formats.base import table_format
from allonym.formats.tables import Roles
from allonym.jobs.fingerprints import of_files
from allonym.jobs.parts import InputPart, PartMaker, find_parts
from allonym.randomness import insecure

PARTS, ROWS = 6, 300
WORDS = ["rain", "snow", "harbour", "letter", "morning"]


def table(start: int, rows: int) -> pa.Table:
    numbers = range(start, start + rows)
    columns = {"key": [f"k{i}" for i in numbers], "who": [f"zyxqw{i % 7}" for i in numbers]}
    columns["n"] = pa.array(numbers, pa.int16())
    columns["text"] = [f"zyxq rain snow {i % 50}" for i in numbers]
    return pa.table(columns)


def write_parts(folder: Path, kind: str) -> None:
    """Write a table as parts, one of them empty, and as a whole beside them."""
    folder.mkdir()
    whole = table(0, PARTS * ROWS)
    pieces = [whole[i * ROWS : (i + 1) * ROWS] for i in range(PARTS)]
    for number, piece in enumerate([*pieces, whole[:0]]):
        write_table(folder / f"part-{number}.{kind}", piece)
    write_table(folder.with_name(f"whole.{kind}"), whole)
    (folder / "_SUCCESS").touch()


def write_table(path: Path, rows: pa.Table) -> None:
    table_format(path).write_tables(path, [rows])


def line(source: Path, out: Path, *more: object) -> list[str]:
    words = source.parent / "words.txt"
    words.write_text("\n".join(WORDS))
    columns = ["--text", "text", "--id", "key", "--author", "who", "--keep", "n", "--insecure-seed", "4"]
    method = ["--method", "random-replacement", "--words", "4", "--vocabulary", words]
    return [str(part) for part in ("anonymize", source, *columns, *method, "-o", out, *more)]


# Parts, without a cluster


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_parts_hold_the_rows_of_the_whole(kind, command, tmp_path):
    if kind == "jsonl":
        write_parts(tmp_path / "in", kind)
        (tmp_path / "in" / f"part-{PARTS}.jsonl").unlink()  # an empty file names no columns
    else:
        write_parts(tmp_path / "in", kind)
    command(*line(tmp_path / f"whole.{kind}", tmp_path / f"one.{kind}")).done()
    anonymizer = one_method(tmp_path / "words.txt")
    release = insecure(4).one_release(of_files(anonymizer))
    roles = Roles("text", "key", "who", ("key", "n"))
    (tmp_path / "out").mkdir()
    maker = PartMaker(anonymizer, roles, 77, "stop", str(tmp_path / "out"))
    start = 0
    for part in find_parts(tmp_path / "in"):
        for _ in range(2):  # a retry writes the same
            done = maker.make(InputPart(part.number, part.path, start), release)
        start += done.rows
    assert start == PARTS * ROWS
    assert rows_of(tmp_path / "out", kind) == rows_of(tmp_path / f"one.{kind}", kind)
    assert not list((tmp_path / "out").glob(".*"))


def one_method(vocabulary: Path):
    from allonym.anonymizers.random_replacement import RandomReplacement

    return RandomReplacement(words=4, vocabulary=str(vocabulary))


def rows_of(path: Path, kind: str) -> list[object]:
    paths = sorted(path.iterdir()) if path.is_dir() else [path]
    if kind == "parquet":
        tables = [pq.read_table(one) for one in paths]
        return [tables[0].schema, *(row for one in tables for row in one.to_pylist())]
    lines = [one.read_text(encoding="utf-8").splitlines() for one in paths]
    return [row for one in lines for row in (one[1:] if kind == "csv" else one)]


def test_what_is_no_folder_of_parts(tmp_path):
    (tmp_path / "mixed").mkdir()
    for name in ("a.csv", "b.jsonl"):
        (tmp_path / "mixed" / name).write_text("text\n")
    (tmp_path / "none").mkdir()
    for name in ("mixed", "none", "absent"):
        with pytest.raises(InputError, match="parts"):
            find_parts(tmp_path / name)


def test_without_pyspark_it_says_what_to_install(command, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    (tmp_path / "in.csv").write_text("text\nrain\n")
    result = command("anonymize", tmp_path / "in.csv", "--method", "identity", "--engine", "spark").refused()
    assert "pip install 'allonym[spark]'" in result.err


# With a cluster


@pytest.fixture
def cluster(tmp_path) -> dict[str, str]:
    """Settings for programs that use a cluster of two workers on this machine."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    pytest.importorskip("pandas", reason="PySpark's mapInArrow needs pandas")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    (tmp_path / "conf").mkdir()
    settings = {
        "spark.master": "local-cluster[2,1,1024]",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.executor.memory": "512m",
        "spark.local.dir": str(tmp_path / "spark"),
        "spark.network.timeout": "600s",
        "spark.ui.showConsoleProgress": "false",
    }
    text = "".join(f"{name} {value}\n" for name, value in settings.items())
    (tmp_path / "conf" / "spark-defaults.conf").write_text(text)
    paths = {
        "SPARK_CONF_DIR": tmp_path / "conf",
        "SPARK_WORKER_DIR": tmp_path / "work",
        "PYSPARK_PYTHON": sys.executable,
    }
    return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **{name: str(path) for name, path in paths.items()}}


def executor_logs() -> set[Path]:
    """Folders with the logs of executors, which a cluster of this kind leaves where Spark is installed."""
    import pyspark

    return set((Path(pyspark.__file__).parent / "work").glob("app-*"))


def test_a_cluster_that_loses_a_worker_gives_the_rows_of_the_local_engine(command, cluster, benchmark_script, tmp_path):
    executors = benchmark_script("_executors").executors
    write_parts(tmp_path / "in", "parquet")
    command(*line(tmp_path / "whole.parquet", tmp_path / "one.parquet")).done()
    before = executor_logs()
    given = line(tmp_path / "in", tmp_path / "out", "--engine", "spark", "--budget-db", tmp_path / "ledger")
    with (tmp_path / "talk").open("wb") as talk:
        program = subprocess.Popen([sys.executable, "-m", "allonym", *given], env=cluster, stdout=talk, stderr=talk)
        deadline = time.monotonic() + 800
        stage = tmp_path / ".out.allonym-job" / "new" / "out"
        while not list(stage.glob("part-*")) and program.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        workers = executors(program.pid)
        if program.poll() is None and workers:
            os.kill(workers[0], signal.SIGKILL)
        code = program.wait(timeout=800)
    logs_of_executors = executor_logs()
    said = (tmp_path / "talk").read_text(encoding="utf-8", errors="replace")
    assert code == 0, said[-2000:]
    assert len(workers) == 2, "both workers were there when one was killed"
    assert rows_of(tmp_path / "out", "parquet") == rows_of(tmp_path / "one.parquet", "parquet")
    record, alone = (json.loads((tmp_path / f"{name}.privacy.json").read_text()) for name in ("out", "one.parquet"))
    parts = "how the documents are spread over the parts"
    released = record["guarantee"].pop("released_as_is")
    assert [what for what in released if what != parts] == alone["guarantee"].pop("released_as_is")
    assert parts in released
    assert record["guarantee"].pop("statement") != alone["guarantee"].pop("statement")
    assert record == alone
    assert not (tmp_path / ".out.allonym-job").exists()
    assert "zyxq" not in said
    with Ledger(tmp_path / "ledger") as ledger:
        assert len(list(ledger.history())) == 1
    assert logs_of_executors - before
    keys = [insecure(4).key, insecure(4).one_release(of_files(one_method(tmp_path / "words.txt"))).key]
    secrets = [b"zyxq", *keys, *(key.hex().encode() for key in keys)]
    for folder in logs_of_executors - before:
        for path in folder.rglob("std*"):
            content = path.read_bytes()
            assert not [found for found in secrets if found in content]
        shutil.rmtree(folder, ignore_errors=True)  # a late executor may still write to it
