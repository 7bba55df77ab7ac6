"""Tables: taken, shown, protected, stopped and gone on with, and saved."""

from __future__ import annotations

import csv
import io
import json
import stat
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.web import methods, table
from tests.web.conftest import LETTER

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Protect by a method that needs no tables."""
    monkeypatch.setattr(
        methods, "anonymizer", lambda *_: RandomReplacement(words=5, vocabulary=["rain", "snow", "sun"])
    )


def as_csv(rows: int) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["id", HOSTILE, "body"])
    writer.writerows([number, f"writer {number % 3}", f"{LETTER[:80]} {number}"] for number in range(rows))
    return file.getvalue().encode()


def sent(client, name: str, content: bytes, **more):
    return client.post("/api/v1/table", files={"file": (name, content)}, data=more)


def finished(client) -> dict:
    ends = time.monotonic() + 300
    while (state := client.get("/api/v1/table").json())["state"] == "running" and time.monotonic() < ends:
        time.sleep(0.05)
    return state


def test_a_table_is_shown_protected_and_saved(client, page):
    assert client.get("/api/v1/table").json()["state"] == "none"
    assert client.get("/save-table/result").status_code == 409
    assert client.get("/save-table/else").status_code == 404
    shown = sent(client, f"../{HOSTILE}.csv", as_csv(50)).json()
    assert shown["columns"] == ["id", HOSTILE, "body"]
    assert len(shown["rows"]) == table.PREVIEWED
    assert all(len(cell) <= 120 for row in shown["rows"] for cell in row)
    given = {"text": "body", "author": HOSTILE, "keep": ["id"], "protection": "core", "position": 2}
    cost = client.post("/api/v1/table/price", json=given).json()
    assert "for each of 50 documents" in cost["sentence"]
    assert client.get("/api/v1/table").json()["state"] == "ready"
    assert client.post("/api/v1/table/start", json=given).status_code == 200
    state = finished(client)
    assert state["state"] == "done", state["problem"]
    assert state["done"] == state["total"] == 50
    assert "--keep id" in state["command"]
    saved = client.get("/save-table/result")
    rows = list(csv.DictReader(io.StringIO(saved.text)))
    assert [row["id"] for row in rows] == [str(number) for number in range(50)]
    assert all(set(row["body"].split()) <= {"rain", "snow", "sun"} for row in rows)
    assert HOSTILE not in saved.text
    assert 'filename="table.anon.csv"' in saved.headers["content-disposition"]
    promise = client.get("/save-table/privacy").json()
    assert promise["documents"] == 50
    assert client.post("/api/v1/table/start", json=given).status_code == 200
    assert finished(client)["promise"].endswith("All runs together, on a document: at most ε = 0, in 2 runs.")
    assert client.delete("/api/v1/table").json()["state"] == "none"
    assert client.get("/table").status_code == 200
    assert page.complaints == []


def test_a_job_is_stopped_and_gone_on_with(client, monkeypatch):
    class Slow(RandomReplacement):
        def _anonymize(self, texts, streams):
            time.sleep(0.15)
            return super()._anonymize(texts, streams)

    monkeypatch.setattr(methods, "anonymizer", lambda *_: Slow(words=3, vocabulary=["rain", "snow"]))
    sent(client, "t.csv", as_csv(2_000))
    client.post("/api/v1/table/start", json={"text": "body", "keep": ["id"], "protection": "core", "position": 0})
    time.sleep(0.3)
    client.post("/api/v1/table/stop")
    state = finished(client)
    assert state["state"] == "stopped"
    assert 0 < state["done"] < 2_000
    assert client.post("/api/v1/table/resume").status_code == 200
    state = finished(client)
    assert state["state"] == "done", state["problem"]
    rows = list(csv.DictReader(io.StringIO(client.get("/save-table/result").text)))
    assert [row["id"] for row in rows] == [str(number) for number in range(2_000)]


def test_other_formats_are_read():
    lines = "\n".join(json.dumps({"a": number, "text": "rain \ud83d\ude00"}) for number in range(30))
    taken = table.take("t.jsonl", lines.encode())
    assert taken.columns == ["a", "text"]
    folder = Path(taken.folder.name)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    taken.close()
    assert not folder.exists()
    file = io.BytesIO()
    pq.write_table(pa.table({"n": [1, 2], "text": ["one", None]}), file)
    taken = table.take("t.parquet", file.getvalue())
    assert taken.rows == [["1", "one"], ["2", ""]]
    taken.close()


@pytest.mark.parametrize(
    ("name", "content"),
    [("t.txt", b"a"), ("t", b"a"), ("t.parquet", b"PAR1 no"), ("t.jsonl", b"[1]"), ("t.jsonl", b"{"), ("t.csv", b""),
     ("t.csv", b"\xff\xfe"), ("t.jsonl", b"[" * 100_000), ("t.csv", ",".join(map(str, range(300))).encode() + b"\n1")],
)  # fmt: skip
def test_what_is_no_table_is_refused(client, page, name, content):
    answer = sent(client, name, content)
    assert answer.status_code == 409
    assert answer.json()["error"]["next"]
    assert page.complaints == []


def test_forms_are_limited(client, page):
    assert sent(client, "t.csv", as_csv(2), **{f"f{number}": "x" for number in range(65)}).status_code == 422
    two = [("file", ("a.csv", b"a\n1")), ("file", ("b.csv", b"a\n1"))]
    assert client.post("/api/v1/table", files=two).status_code == 422
    assert client.post("/api/v1/table", data={"file": "text"}, files={"other": ("a.csv", b"a")}).status_code == 422
    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert client.post("/api/v1/table", content=b"nonsense", headers=headers).status_code == 422
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("/api/v1/table", content=b"a=1", headers=kind).status_code == 415
    assert client.post("/api/v1/table/start", json={"text": "a"}).status_code == 422
    whole = {"text": "a", "keep": [], "protection": "core", "position": 0}
    assert client.post("/api/v1/table/start", json=whole).status_code == 409
    assert client.post("/api/v1/table", content=b"a" * 20_000_001, headers=headers).status_code == 413
    assert page.complaints == []
