"""Tables: taken, shown, protected, stopped and gone on with, and saved."""

from __future__ import annotations

import csv
import io
import json
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.identity import Identity
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.errors import InputError
from allonym.formats import parquet_sizes
from allonym.jobs import forecast
from allonym.jobs.forecast import Pace
from allonym.web import arrival, methods, table, work
from tests.conftest import PATIENCE
from tests.web.conftest import LETTER

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Protect by a method that needs no tables."""
    monkeypatch.setattr(
        methods, "anonymizer", lambda *_: RandomReplacement(words=5, vocabulary=["rain", "snow", "sun"])
    )


NAMES = {"first_row": "names"}  # for tables whose first row could be a text


def as_csv(rows: int) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["id", HOSTILE, "body"])
    writer.writerows([number, f"writer {number % 3}", f"{LETTER[:80]} {number}"] for number in range(rows))
    return file.getvalue().encode()


def sent(client, name: str, content: bytes, **more):
    return client.post("/api/v1/table", files={"file": (name, content)}, data=more)


def finished(client) -> dict:
    ends = time.monotonic() + PATIENCE
    while (state := client.get("/api/v1/table").json())["state"] in ("checking", "running") and time.monotonic() < ends:
        time.sleep(0.05)
    return state


def test_a_table_is_shown_protected_and_saved(client, page):
    assert client.get("/api/v1/table").json()["state"] == "none"
    assert client.get("/save-table/result").status_code == 409
    assert client.get("/save-table/else").status_code == 404
    shown = sent(client, f"../{HOSTILE}.csv", as_csv(50)).json()
    assert shown["columns"] == ["id", HOSTILE, "body"]
    assert len(shown["rows"]) == arrival.PREVIEWED
    assert shown["count"] == 50
    assert all(len(cell) <= 120 for row in shown["rows"] for cell in row)
    given = {"text": "body", "author": HOSTILE, "keep": ["id"], "protection": "core", "position": 2} | NAMES
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
    begun, told = threading.Event(), threading.Event()

    class Slow(RandomReplacement):
        def _anonymize(self, texts, streams):
            begun.set()
            assert told.wait(PATIENCE)
            return super()._anonymize(texts, streams)

    monkeypatch.setattr(methods, "anonymizer", lambda *_: Slow(words=3, vocabulary=["rain", "snow"]))
    monkeypatch.setattr(forecast, "pace", lambda job: None)  # how many rows are done at once must not follow the speed
    sent(client, "t.csv", as_csv(2_000))
    client.post(
        "/api/v1/table/start", json={"text": "body", "keep": ["id"], "protection": "core", "position": 0} | NAMES
    )
    assert begun.wait(PATIENCE)
    client.post("/api/v1/table/stop")
    told.set()
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
    taken = arrival.read("t.jsonl", lines.encode())
    assert taken.columns == ["a", "text"]
    folder = Path(taken.folder.name)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    table.UploadedTable(taken).close()
    assert not folder.exists()
    file = io.BytesIO()
    pq.write_table(pa.table({"n": [1, 2], "text": ["one", None]}), file)
    taken = arrival.read("t.parquet", file.getvalue())
    assert taken.rows == [["1", "one"], ["2", ""]]
    assert taken.count == 2
    taken.folder.cleanup()


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
    whole = {"text": "a", "keep": [], "protection": "core", "position": 0} | NAMES
    assert client.post("/api/v1/table/start", json=whole).status_code == 409
    assert client.post("/api/v1/table", content=b"a" * 20_000_001, headers=headers).status_code == 413
    assert page.complaints == []


def parquet(columns: dict[str, object], **how: object) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **how)
    return file.getvalue()


def repeated(times: int, value: object, kind: pa.DataType | None = None) -> pa.Array:
    """One value in a dictionary, meant by every row."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array([value], kind))


def nested(depth: int) -> pa.DataType:
    return pa.string() if depth == 0 else pa.struct([("a", nested(depth - 1))])


PLAIN = {"use_dictionary": False, "compression": "zstd"}
# Small files that are large when they are read, each in another way.
BOMBS = {
    "rows.parquet": lambda: parquet({"t": repeated(20_000_000, "a text")}),
    "one text.parquet": lambda: parquet({"t": repeated(300, "x" * 1_000_000)}, compression="zstd"),
    "fixed.parquet": lambda: parquet({"t": repeated(300, b"x" * 999_999, pa.binary(999_999))}, compression="zstd"),
    "nothing.parquet": lambda: parquet({"t": pa.nulls(30_000_000, pa.string())}),
    "numbers.parquet": lambda: parquet({"t": np.zeros(20_000_000, np.int64)}),
    "packed.parquet": lambda: parquet({"t": [f"{'x' * 1_000_000}{number}" for number in range(110)]}, **PLAIN),
    "prefix.parquet": lambda: parquet(
        {"t": ["x" * 99_999] * 3_000}, column_encoding={"t": "DELTA_BYTE_ARRAY"}, **PLAIN
    ),
    "columns.parquet": lambda: parquet({f"c{number}": ["x"] for number in range(2_500)}),
    "pages.parquet": lambda: parquet(
        {"t": np.zeros(40_000, np.int8)}, data_page_size=1, write_batch_size=1, use_dictionary=False
    ),
    "deep.parquet": lambda: parquet({"t": pa.nulls(1, nested(60))}),
    "keys.jsonl": lambda: json.dumps({f"key{number}": 0 for number in range(1_000_000)}).encode(),
    "list.jsonl": lambda: b'{"t": [' + b"0," * 9_000_000 + b"0]}",
    "lists.jsonl": lambda: (b'{"t": [' + b"[]," * 660_000 + b"[]]}\n") * 10,
    "header.csv": lambda: b"ab," * 6_000_000,
    "line.csv": lambda: b"text\n" + b"x" * 19_000_000,
}


# Prints by how many MB the largest size of the process grew.
MEASURED = """
import resource, sys
import pyarrow, pyarrow.parquet
from allonym.errors import InputError
from allonym.formats import parquet_sizes
from allonym.jobs import forecast
from allonym.jobs.forecast import Pace
from allonym.web import arrival
content = open(sys.argv[1], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    arrival.read(sys.argv[1], content)
    print("taken", end=" ")
except InputError as error:
    print("refused", end=" ")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("name", list(BOMBS))
def test_a_small_file_that_grows_is_refused_before_it_is_read(name, tmp_path):
    path = tmp_path / name
    content = BOMBS[name]()
    assert len(content) <= 20_000_000
    path.write_bytes(content)
    line = [sys.executable, "-c", MEASURED, str(path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=True)
    answer, megabytes = done.stdout.split()
    assert answer == ("taken" if name == "lists.jsonl" else "refused")  # which one row at a time is small enough
    assert int(megabytes) <= 100


@pytest.mark.parametrize("compression", ["snappy", "gzip", "zstd", "brotli", "lz4", "none"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_tables_as_people_have_them_are_not_refused(compression, version):
    count = 3_000
    columns = {"id": range(count), "text": [f"{LETTER} {number}" for number in range(count)], "none": pa.nulls(count),
               "topic": repeated(count, "rain"), "tags": [["a", "b"]] * count, "more": [{"a": {"b": "c"}}] * count,
               "when": [1.5] * count}  # fmt: skip
    parquet_sizes.check(parquet(columns, compression=compression, data_page_version=version))
    taken = arrival.read("t.parquet", parquet(columns, compression=compression, data_page_version=version))
    assert taken.columns == list(columns)
    assert taken.count == count
    taken.folder.cleanup()


def test_dictionaries_are_looked_into_no_longer_than_a_moment(monkeypatch):
    """Past so many texts of all dictionaries together, only their size counts, which here is too much."""
    words = [f"{number:06}" for number in range(3_000)]
    content = parquet({f"c{number}": words * 20 for number in range(4)})
    parquet_sizes.check(content)
    monkeypatch.setattr(parquet_sizes, "_MOST_ENTRIES", 10_000)
    with pytest.raises(InputError, match="too large"):
        parquet_sizes.check(content)


def test_declared_sizes_that_lie_are_no_way_in():
    """Every byte of a small file changed in turn: it is refused in a sentence, or is as small as before."""
    sound = parquet({"t": [LETTER[:50], "rain"] * 3, "n": [1, 2] * 3})
    for place in range(len(sound)):
        for byte in (0, 0x7F, 0xFF):
            content = sound[:place] + bytes([byte]) + sound[place + 1 :]
            try:
                parquet_sizes.check(content)
            except InputError:
                continue


def test_a_table_that_takes_long_is_here_when_it_is_read(client, monkeypatch):
    """The first answer says how far it is; later the table is there, or why it could not be read."""
    monkeypatch.setattr(work, "AT_ONCE", 0.05)
    monkeypatch.setattr(arrival, "_SAID_EVERY", 2)
    real, answered = arrival.read, threading.Event()

    def slow(name, content, progress):
        def told(rows):
            progress(rows)
            assert answered.wait(PATIENCE)

        if content[:1] == b"\xff":
            assert answered.wait(PATIENCE)
        return real(name, content, told)

    monkeypatch.setattr(arrival, "read", slow)
    for content, state, problem in (
        (as_csv(5), "ready", ""),
        (b"\xff\xfd", "none", "The file, byte 0, line 1: not UTF-8"),
    ):
        client.delete("/api/v1/table")
        answered.clear()
        answer = sent(client, "t.csv", content)
        assert answer.status_code == 200
        assert (answer.json()["state"], answer.json()["name"]) == ("reading", "t.csv")
        if state == "ready":
            assert waited(client, lambda shown: shown["done"] == 2)["state"] == "reading"
        answered.set()
        shown = waited(client, lambda shown: shown["state"] == "ready" or shown["problem"])
        assert shown["state"] == state
        assert problem in shown["problem"]


def test_a_table_that_was_forgotten_while_it_was_read_stays_forgotten(client, monkeypatch):
    monkeypatch.setattr(work, "AT_ONCE", 0.05)
    real, answered, ended = arrival.read, threading.Event(), threading.Event()

    def slow(*given):
        assert answered.wait(PATIENCE)
        read = real(*given)
        ended.set()
        return read

    monkeypatch.setattr(arrival, "read", slow)
    assert sent(client, "t.csv", as_csv(5)).json()["state"] == "reading"
    client.delete("/api/v1/desk")
    answered.set()
    assert ended.wait(PATIENCE)
    monkeypatch.setattr(arrival, "read", real)
    monkeypatch.setattr(work, "AT_ONCE", PATIENCE)
    assert sent(client, "t.csv", b"a\n").status_code == 409  # waits its turn behind the other
    assert client.get("/api/v1/table").json()["state"] == "none"


def test_a_job_that_takes_long_to_look_at_its_table_begins_all_the_same(client, monkeypatch):
    sent(client, "t.csv", as_csv(20))
    monkeypatch.setattr(work, "AT_ONCE", 0.05)
    real, answered = table.UploadedTable.start, threading.Event()
    monkeypatch.setattr(table.UploadedTable, "start", lambda *given: (answered.wait(PATIENCE), real(*given))[1])
    given = {"text": "body", "keep": [], "protection": "core", "position": 0} | NAMES
    assert client.post("/api/v1/table/start", json=given).json()["state"] == "checking"
    assert client.post("/api/v1/table/start", json=given).status_code == 409  # one at a time
    answered.set()
    assert waited(client, lambda shown: shown["state"] == "done")["done"] == 20
    answered.clear()
    assert client.post("/api/v1/table/start", json={**given, "text": "none such"}).json()["state"] == "checking"
    answered.set()
    shown = waited(client, lambda shown: shown["problem"])
    assert "no column" in shown["problem"]
    assert shown["state"] == "done"  # what was done before still is


def test_what_a_choice_costs_is_said_before_how_long_it_takes(client, monkeypatch):
    sent(client, "t.csv", as_csv(30))
    monkeypatch.setattr(work, "AT_ONCE", 0.05)
    tried, told = threading.Event(), threading.Event()
    real = forecast.pace

    def slow(job):
        tried.set()
        assert told.wait(PATIENCE)
        return real(job)

    monkeypatch.setattr(forecast, "pace", slow)
    given = {"text": "body", "keep": [], "protection": "core", "position": 0} | NAMES
    assert client.post("/api/v1/table/price", json=given).json()["looking"]
    assert tried.wait(PATIENCE)
    quote = client.get("/api/v1/table").json()["quote"]
    assert "for each of 30 documents" in quote["sentence"]
    assert (quote["forecast"], quote["looking"]) == ("", True)
    told.set()
    quote = waited(client, lambda shown: not shown["quote"]["looking"])["quote"]
    assert "It will take about" in quote["forecast"]
    wrong = {**given, "keep": ["none such"]}
    client.post("/api/v1/table/price", json=wrong)
    quote = waited(client, lambda shown: not shown["quote"]["looking"])["quote"]
    assert "no column" in quote["problem"]
    assert client.get("/api/v1/table").json()["chosen"]["keep"] == ["none such"]  # a page loaded again shows it


def test_a_choice_that_cannot_be_looked_at_is_not_waited_for(client, monkeypatch):
    sent(client, "t.csv", as_csv(5))
    monkeypatch.setattr(work, "AT_ONCE", 0.05)
    answered = threading.Event()

    def broken(*_):
        assert answered.wait(PATIENCE)
        raise ValueError("a text")

    monkeypatch.setattr(table.UploadedTable, "_planned", broken)
    given = {"text": "body", "keep": [], "protection": "core", "position": 0} | NAMES
    assert client.post("/api/v1/table/price", json=given).json()["looking"]
    answered.set()
    quote = waited(client, lambda shown: not shown["quote"]["looking"])["quote"]
    assert "ValueError" in quote["problem"]
    assert "a text" not in quote["problem"]


def test_chunks_are_as_large_as_two_seconds_allow(monkeypatch):
    held = table.UploadedTable(arrival.read("t.csv", as_csv(1_500)))
    choice = table.TableChoice("body", None, [], "core", 0, first_row="names")
    paces = [(Pace(0.0, 0.5), 375), (Pace(0.0, 0.01), 8), (Pace(1.0, 0.01), 15), (Pace(0.0, 1e-6), 1), (None, 8)]
    for pace, chunks in paces:
        monkeypatch.setattr(forecast, "pace", lambda job, pace=pace: pace)
        held._tried = None
        held.start(choice, None)
        assert held._job.chunks == chunks
        held.state = "ready"
    held.close()


def test_no_path_of_this_machine_is_ever_shown(client):
    folder = tempfile.gettempdir()
    sent(client, "t.csv", as_csv(5))
    given = {"text": "body", "keep": ["none such"], "protection": "core", "position": 0} | NAMES
    answers = [client.post("/api/v1/table/price", json=given).text, client.post("/api/v1/table/start", json=given).text]
    answers.append(sent(client, "t.csv", b"\xff\xfd").text)
    client.post("/api/v1/table/start", json={**given, "keep": ["id"]})
    answers += [json.dumps(finished(client))]
    answers += [client.get(f"/save-table/{what}").text for what in ("privacy", "report", "result")]
    for answer in answers:
        assert folder not in answer
        assert "allonym-table" not in answer


def test_columns_are_guessed_and_said(client):
    rows = b"area,Patient ID,answer\nnorth,7,It rained all day.\nsouth,8,The bell was silent.\n"
    guess = sent(client, "t.csv", rows).json()["guess"]
    assert (guess["text"], guess["author"]) == ("answer", "Patient ID")
    assert "Guessed" in guess["reason"]
    guess = sent(client, "t.csv", b"one,two\na,a long first row that may be a text\n").json()["guess"]
    assert (guess["text"], guess["author"], guess["reason"]) == ("two", None, "")  # its names may be texts


def test_counts_of_words_come_with_their_words_and_the_kept_columns(client, monkeypatch):
    small = SynTF(epsilon=20.0, words=6, vocabulary=["bell", "letter", "rain", "water"])
    monkeypatch.setattr(methods, "anonymizer", lambda *_: small)
    rows = [{"id": f"k{number}", "area": "north", "body": LETTER[:60]} for number in range(30)]
    sent(client, "t.jsonl", "\n".join(map(json.dumps, rows)).encode())
    given = {"text": "body", "keep": ["id", "area"], "protection": "counts", "position": 2}
    client.post("/api/v1/table/start", json=given)
    assert finished(client)["state"] == "done", finished(client)["problem"]
    saved = client.get("/save-table/result")
    assert 'filename="table.anon.csv"' in saved.headers["content-disposition"]
    lines = list(csv.DictReader(io.StringIO(saved.text)))
    assert list(lines[0]) == ["id", "area", "word", "count"]
    assert {line["word"] for line in lines} <= {"bell", "letter", "rain", "water"}
    assert {line["id"] for line in lines} == {f"k{number}" for number in range(30)}
    assert sum(int(line["count"]) for line in lines) == 30 * 6
    command = client.get("/api/v1/table").json()["command"]
    assert "--id id --keep area" in command
    assert command.endswith("counts.lines.csv")
    client.post("/api/v1/table/start", json={**given, "counts_as": "parquet"})
    assert finished(client)["state"] == "done"
    read = pq.read_table(io.BytesIO(client.get("/save-table/result").content))
    assert read.column_names == ["id", "terms", "counts", "area"]
    assert client.get("/save-table/result").headers["content-disposition"].endswith('"table.anon.parquet"')


def test_the_report_of_a_table_holds_nothing_of_it(client):
    rows = [{"id": number, "canary1": "canary2", "body": f"{LETTER} canary3 {number}"} for number in range(30)]
    sent(client, "t.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert client.get("/save-table/report").status_code == 409
    client.post("/api/v1/table/start", json={"text": "body", "keep": ["id"], "protection": "core", "position": 0})
    assert finished(client)["state"] == "done"
    report = client.get("/save-table/report")
    assert report.headers["content-disposition"] == 'attachment; filename="table-report.html"'
    assert methods.level("core", 0, total=0.0).title in report.text
    assert "canary" not in report.text
    assert "Each text of the table was replaced" in report.text


def waited(client, enough) -> dict:
    ends = time.monotonic() + PATIENCE
    while not enough(found := client.get("/api/v1/table").json()):
        assert time.monotonic() < ends, found
        time.sleep(0.02)
    return found


def test_a_first_row_that_may_be_a_text_is_not_copied_unasked(client):
    content = b"The soup was cold and the waiter rude.\nI liked the music.\n"
    shown = sent(client, "answers.csv", content).json()
    assert not shown["named"]
    given = {"text": shown["columns"][0], "keep": [], "protection": "core", "position": 0}
    quote = client.post("/api/v1/table/price", json=given).json()
    assert "may be a text" in quote["problem"]
    assert "soup" not in str(quote)
    refused = client.post("/api/v1/table/start", json=given)
    assert refused.status_code == 409
    assert "may be a text" in refused.text
    assert "soup" not in refused.text
    assert client.post("/api/v1/table/start", json=given | NAMES).status_code < 400
    assert sent(client, "named.csv", b"id,review\n1,I liked the music.\n").json()["named"]
    for answers in (b"no,Great film really\nyes,I liked it.\n", b"n,Awful\ny,Fine\n"):
        assert not sent(client, "answers.csv", answers).json()["named"]


def test_names_that_a_method_hands_on_are_counted_and_replaced(client, monkeypatch):
    monkeypatch.setattr(methods, "anonymizer", lambda *_: Identity())
    sent(client, "t.csv", b"id,answer\n1,Anna Smith helped me in Leeds.\n2,It was fine.\n")
    given = {"text": "answer", "keep": ["id"], "protection": "core", "position": 0, "names": "replace"} | NAMES
    notes = client.post("/api/v1/table/price", json=given).json()["notes"]
    assert "Found in 1 of the first 2 rows: 1 name, 1 place." in notes
    client.post("/api/v1/table/start", json=given)
    state = finished(client)
    assert state["state"] == "done", state["problem"]
    assert "--names replace" in state["command"]
    assert client.get("/save-table/result").text.splitlines()[1] == "1,[NAME 1] helped me in [PLACE 1]."
    assert "Anna" not in client.get("/save-table/privacy").text
    refused = client.post("/api/v1/table/start", json=given | {"names": "hide"})
    assert refused.status_code == 422


def test_a_workbook_is_taken(client):
    file = io.BytesIO()
    book = openpyxl.Workbook()
    for row in [("area", "answer"), ("north", "rain and snow"), ("south", "sun")]:
        book.active.append(row)
    book.save(file)
    shown = sent(client, "t.xlsx", file.getvalue()).json()
    assert shown["columns"] == ["area", "answer"]
    assert shown["rows"][1] == ["south", "sun"]


def test_what_was_chosen_outlives_a_reload_and_not_the_table(client):
    sent(client, "t.csv", as_csv(5))
    given = {"text": "body", "keep": ["id"], "protection": "core", "position": 2} | NAMES
    client.post("/api/v1/table/price", json=given)
    chosen = client.get("/api/v1/table").json()["chosen"]
    assert {name: chosen[name] for name in given} == given
    assert client.delete("/api/v1/table").json()["chosen"] is None
