"""Jobs over a hundred rows, ready to be done, interrupted and looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.formats.files import open_documents
from allonym.jobs.execute import Options, Plan, execute, plan

WORDS = ["rain", "snow", "harbour", "letter", "morning", "bird"]
ROWS = [
    {
        "key": f"k{i}",
        "who": f"w{i % 3}",
        "n": i,
        "text": f"{WORDS[i % 6]} {WORDS[i * i % 6]} zyxq{'abcdefghij'[i % 10]}",
    }
    for i in range(100)
]
KEY = bytes(range(32))


def write(folder: Path, kind: str, rows: list[dict] = ROWS) -> Path:
    path = folder / f"in.{kind}"
    if kind == "folder":
        path.mkdir()
        for row in rows:
            (path / f"{row['key']}.txt").write_text(row["text"], encoding="utf-8")
    elif kind == "csv":
        lines = [",".join(map(str, row.values())) for row in rows]
        path.write_text("\n".join([",".join(rows[0]), *lines, ""]), encoding="utf-8")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def planned(source: Path, out: Path, anonymizer=None, rows: int = 7, **given) -> Plan:
    anonymizer = anonymizer or RandomReplacement(words=3, vocabulary=WORDS)
    columns = {} if source.is_dir() else {"text": "text", "id": "key", "author": "who", "keep": ["n"]}
    if columns and anonymizer.kind == "texts":
        columns["keep"] = ["key", "n"]
    elif columns and out.suffix != ".parquet":
        columns["keep"] = []
    documents = open_documents(source, **columns)
    settings = {"has_ids": bool(columns), "has_authors": bool(columns), "repeatable": False} | given
    keep = tuple(columns.get("keep", ()))
    return plan(anonymizer, documents, out=out, keep=keep, chunk_rows=rows, **settings)


def visible(folder: Path) -> dict[str, bytes]:
    """All files but those of unfinished jobs and the input."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = ((str(path.relative_to(folder)), path) for path in found)
    return {name: path.read_bytes() for name, path in names if not name.startswith((".", "in"))}


def ignore(_: int) -> None:
    """Watch no progress."""


def stopped_after(chunks: int):
    """A progress callback that interrupts, as Ctrl-C would, after so many chunks."""
    left = iter([None] * chunks)

    def progress(_: int) -> None:
        if next(left, "none left") == "none left":
            raise KeyboardInterrupt

    return progress


def interrupted(tmp_path: Path, kind: str = "jsonl", **options) -> Plan:
    """A job of 15 chunks that was stopped after some."""
    source = tmp_path / f"in.{kind}"
    job = planned(source if source.exists() else write(tmp_path, kind), tmp_path / f"out.{kind}")
    with pytest.raises(KeyboardInterrupt):
        execute(job, None, stopped_after(3), Options(**options))
    return job
