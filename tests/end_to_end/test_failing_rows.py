"""Rows that cannot be read or anonymized: row numbers and never text, and a job that can go on without them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.formats.tables import Roles
from allonym.jobs.fingerprints import of_files
from allonym.jobs.parts import PartMaker, find_parts
from allonym.randomness import insecure

ROWS = [{"text": f"zyxq number {i}" + (" bad" if i in (3, 17) else "")} for i in range(20)]


@pytest.fixture
def line(monkeypatch, write_table, vocabulary, tmp_path) -> list[object]:
    real = RandomReplacement._anonymize

    def fragile(self, texts, streams):
        if any("bad" in text for text in texts):
            raise ValueError(f"cannot handle {texts}")
        return real(self, texts, streams)

    monkeypatch.setattr(RandomReplacement, "_anonymize", fragile)
    source = write_table(tmp_path / "in.jsonl", ROWS)
    method = ["--method", "random-replacement", "--words", "2", "--vocabulary", vocabulary]
    return ["anonymize", source, *method, "-o", tmp_path / "o.jsonl"]


@pytest.mark.parametrize("chunks", [[], ["--chunk-rows", "4"]])
def test_stop_ends_with_4_and_the_row(chunks, line, command, everything, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["allonym", *map(str, line), *chunks])
    result = command(*line, *chunks)
    assert (result.code, result.out) == (4, "")
    assert "4" in result.err.split("could not be anonymized")[0]
    assert "zyxq" not in result.err
    assert not (tmp_path / "o.jsonl").exists()
    if chunks:
        resume = shlex.split(result.err.partition("go on with: ")[2])[1:]
        assert command(*resume, "--on-error", "skip").code == 4
        assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 18


@pytest.mark.parametrize(
    ("on_error", "rows", "words"), [("skip", 18, "left out"), ("blank", 20, "written without text")]
)
def test_skip_and_blank_write_the_rest_and_end_with_4(on_error, rows, words, line, command, tmp_path):
    result = command(*line, "--on-error", on_error, "--json", "--quiet")
    assert result.code == 4
    assert result.json["failed_rows"] == [4, 18]
    assert result.err == f"allonym: Rows 4, 18 could not be anonymized. Such rows were {words}.\n"
    written = [json.loads(row)["text"] for row in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert len(written) == rows
    assert written.count("") == rows - 18
    assert "which documents could not be anonymized" in (tmp_path / "o.jsonl.privacy.json").read_text()


def test_a_terminal_sees_progress_with_rate_and_time(write_table, vocabulary, tmp_path):
    source = write_table(tmp_path / "in.jsonl", [{"text": "people"}] * 3000)
    method = ["--method", "random-replacement", "--words", "2", "--vocabulary", str(vocabulary), "--chunk-rows", "300"]
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "allonym", "anonymize", str(source), *method]
    with subprocess.Popen(line, stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not piece:
                break
            seen += piece
    os.close(ours)
    assert process.returncode == 0
    assert b"documents/s" in seen
    assert b"3000/3000" in seen
    assert b"0:00:00 left" in seen
    assert Path(tmp_path / "in.anon.jsonl").exists()


# Rows that cannot be read

BAD = (2, 5, 9)  # positions, among 12
SOUND = [{"n": i, "text": f"people number {i}"} for i in range(12)]
DAMAGED_LINES = {
    "jsonl": [b'{"n": 2, "text": "zyxq', b'["zyxq"]', b'{"n": 9, "text": "zyxq \xff"}'],
    "csv": [b"2,zyxq,more", b'5,"he said "zyxq" to me"', b"9,zyxq \xff\xfe"],
}


def damaged(kind: str, folder: Path, write_table) -> tuple[Path, Path]:
    """Write a sound table, and one of which some rows cannot be read."""
    if kind == "folder":
        for name in ("sound", "damaged"):
            (folder / name).mkdir()
            for row in SOUND:
                text = row["text"].encode()
                broken = name == "damaged" and row["n"] in BAD
                (folder / name / f"{row['n']:02d}.txt").write_bytes(text + b" zyxq \xff" if broken else text)
        return folder / "sound", folder / "damaged"
    sound = write_table(folder / f"sound.{kind}", SOUND)
    path = folder / f"damaged.{kind}"
    if kind == "parquet":
        texts = [row["text"].encode() + (b" zyxq \xff" if row["n"] in BAD else b"") for row in SOUND]
        table = pq.read_table(sound).set_column(1, "text", pa.array(texts, pa.binary()).view(pa.string()))
        pq.write_table(table, path)
        return sound, path
    lines = sound.read_bytes().splitlines()
    for position, line in zip(BAD, DAMAGED_LINES[kind], strict=True):
        lines[position + (kind == "csv")] = line
    path.write_bytes(b"\n".join(lines) + b"\n")
    return sound, path


def rows_of(path: Path) -> list[object]:
    """Return the rows of an output, each comparable with that of another."""
    if path.is_dir():
        return [(one.name, one.read_text()) for one in sorted(path.iterdir())]
    if path.suffix == ".parquet":
        return [tuple(row.values()) for row in pq.read_table(path).to_pylist()]
    rows = path.read_text().splitlines()
    return rows[1:] if path.suffix == ".csv" else [tuple(json.loads(row).values()) for row in rows]


@pytest.fixture
def quick(vocabulary) -> list[object]:
    return ["--method", "random-replacement", "--words", "3", "--vocabulary", vocabulary, "--insecure-seed", "5"]


@pytest.fixture
def pair(request, write_table, tmp_path) -> tuple[Path, Path, list[str]]:
    columns = [] if request.param == "folder" else ["--text", "text", "--keep", "n"]
    return *damaged(request.param, tmp_path, write_table), columns


KINDS = pytest.mark.parametrize("pair", ["jsonl", "csv", "parquet", "folder"], indirect=True)


@KINDS
@pytest.mark.parametrize("chunks", [[], ["--chunk-rows", "3"], ["--chunk-rows", "1"]], ids=["whole", "threes", "ones"])
def test_rows_that_cannot_be_read_leave_the_others_as_they_were(pair, chunks, quick, command, tmp_path, readable):
    sound, broken, columns = pair
    outs = [tmp_path / name / f"o{sound.suffix}" for name in ("sound-out", "skip", "blank")]
    for out in outs:
        out.parent.mkdir()
    command("anonymize", sound, *columns, *quick, *chunks, "-o", outs[0]).done()
    skipped = command(
        "anonymize", broken, *columns, *quick, *chunks, "-o", outs[1], "--on-error", "skip", "--json", "--quiet"
    )
    assert skipped.code == 4
    assert skipped.err == "allonym: Rows 3, 6, 10 could not be read. Such rows were left out.\n"
    assert (skipped.json["documents"], skipped.json["documents_unreadable"]) == (12, 3)
    assert skipped.json["failed_rows"] == skipped.json["unreadable_rows"] == [3, 6, 10]
    expected = [row for position, row in enumerate(rows_of(outs[0])) if position not in BAD]
    assert rows_of(outs[1]) == expected
    blanked = command("anonymize", broken, *columns, *quick, *chunks, "-o", outs[2], "--on-error", "blank")
    assert blanked.code == 4
    assert "12 documents, 3 of them written without text" in blanked.err
    assert "which documents could not be anonymized" in blanked.err
    found = rows_of(outs[2])
    assert [row for position, row in enumerate(found) if position not in BAD] == expected
    assert len(found) == 12
    assert all("zyxq" not in told for told in (skipped.out, skipped.err, blanked.err, readable(tmp_path / "skip")))
    assert "which documents could not be anonymized" in Path(f"{outs[1]}.privacy.json").read_text()


def test_of_a_blanked_row_only_what_is_sound_is_kept(quick, command, tmp_path):
    rows = ['{"n": 1, "text": "people"}', '{"n": 2, "text": 7}', '{"n": 3', '{"n": "\\ud800", "text": "people"}']
    (tmp_path / "in.jsonl").write_text("\n".join(rows[:3]) + "\n")
    columns = ["--text", "text", "--keep", "n"]
    assert command("anonymize", tmp_path / "in.jsonl", *columns, *quick, "--on-error", "blank").code == 4
    assert [row[0] for row in rows_of(tmp_path / "in.anon.jsonl")] == [1, 2, None]
    assert [bool(row[1]) for row in rows_of(tmp_path / "in.anon.jsonl")] == [True, False, False]
    (tmp_path / "text.jsonl").write_text("\n".join(['{"n": "a", "text": "people"}', rows[3]]) + "\n")
    assert command("anonymize", tmp_path / "text.jsonl", *columns, *quick, "--on-error", "blank").code == 4
    assert [row[0] for row in rows_of(tmp_path / "text.anon.jsonl")] == ["a", None]


@KINDS
def test_without_the_option_the_input_is_refused_and_told_of_it(pair, quick, command, tmp_path):
    _, broken, columns = pair
    result = command("anonymize", broken, *columns, *quick, "-o", tmp_path / f"o{broken.suffix}").refused()
    assert "--on-error skip" in result.err
    assert "zyxq" not in result.err
    assert not list(tmp_path.glob("o*"))


@pytest.mark.parametrize(
    "content",
    [
        't,n\n"zyxq one,1\nzyxq two,2\n',  # never closed
        't,n\n"zyxq one,1\n"zyxq two",2\n',  # closed by the next row's quote
        't,n\nzyxq one",1,1\nzyxq two,2\n',  # never opened
        't,n\n"zyxq\none",1,1\nzyxq two,2\n',  # too many cells, over two lines
    ],
)
def test_csv_is_not_read_on_where_a_quote_may_be_missing(content, quick, command, tmp_path):
    (tmp_path / "in.csv").write_text(content)
    result = command("anonymize", tmp_path / "in.csv", "--text", "t", *quick, "--on-error", "skip").refused()
    assert "line 2" in result.err
    assert "where the next row begins" in result.err
    assert "zyxq" not in result.err
    assert not (tmp_path / "in.anon.csv").exists()


def test_a_damaged_parquet_file_is_refused_and_told_why(quick, command, write_table, tmp_path):
    path = write_table(tmp_path / "in.parquet", SOUND)
    path.write_bytes(path.read_bytes()[:-20])
    result = command("anonymize", path, "--text", "text", *quick, "--on-error", "skip").refused()
    assert "packed together" in result.err


@pytest.mark.parametrize(("name", "content"), [("in.csv", "t,n\na\nb\n"), ("in.jsonl", "{\n[\n")])
def test_an_input_without_a_readable_row_is_refused(name, content, quick, command, tmp_path):
    (tmp_path / name).write_text(content)
    command("anonymize", tmp_path / name, "--text", "t", *quick, "--on-error", "skip").refused()
    assert {path.name for path in tmp_path.iterdir()} == {name}


def test_a_header_that_cannot_be_read_is_refused(quick, command, tmp_path):
    (tmp_path / "in.csv").write_bytes(b"t\xff,n\na,1\n")
    result = command("anonymize", tmp_path / "in.csv", "--text", "t", *quick, "--on-error", "skip").refused()
    assert "names of the columns" in result.err
    result = command("anonymize", tmp_path / "in.csv", "--text", "t", *quick).refused()
    assert "not UTF-8" in result.err
    assert "--on-error" not in result.err


@pytest.mark.parametrize("pair", ["csv"], indirect=True)
def test_a_resumed_job_skips_the_same_rows(pair, quick, command, tmp_path, monkeypatch):
    _, broken, columns = pair
    line = ["anonymize", broken, *columns, *quick, "--chunk-rows", "2", "--on-error", "skip", "-o", tmp_path / "o.csv"]
    assert command(*line).code == 4
    expected = (tmp_path / "o.csv").read_bytes()
    (tmp_path / "o.csv").unlink()
    (tmp_path / "o.csv.privacy.json").unlink()
    real, calls = RandomReplacement._anonymize, iter(range(100))

    def interrupted(self, texts, streams):
        if next(calls) == 4:
            raise KeyboardInterrupt
        return real(self, texts, streams)

    monkeypatch.setattr(RandomReplacement, "_anonymize", interrupted)
    assert command(*line).code == 130
    assert command(*[part if part != "skip" else "blank" for part in line], "--resume").code == 5
    resumed = command(*line, "--resume")
    assert resumed.code == 4
    assert "Rows 3, 6, 10 could not be read. Such rows were left out." in resumed.err
    assert (tmp_path / "o.csv").read_bytes() == expected
    (tmp_path / "o.csv").unlink()
    (tmp_path / "o.csv.privacy.json").unlink()
    monkeypatch.undo()
    assert command(*line, "--jobs", "2").code == 4
    assert (tmp_path / "o.csv").read_bytes() == expected


@pytest.mark.parametrize("pair", ["csv", "jsonl"], indirect=True)
def test_parts_of_a_table_skip_the_same_rows(pair, quick, command, tmp_path):
    _, broken, columns = pair
    out = tmp_path / f"o{broken.suffix}"
    assert command("anonymize", broken, *columns, *quick, "-o", out, "--on-error", "skip").code == 4
    lines = broken.read_bytes().splitlines(keepends=True)
    header = lines[:1] if broken.suffix == ".csv" else []
    rows = lines[len(header) :]
    (tmp_path / "parts").mkdir()
    for number, part in enumerate([rows[:4], [], rows[4:]]):  # what Spark writes of an empty part may have no line
        (tmp_path / "parts" / f"{number}{broken.suffix}").write_bytes(b"".join(header + part if part else []))
    roles = Roles("text", keep=("n",), tolerant=True)
    method = RandomReplacement(words=3, vocabulary=str(quick[5]))
    maker = PartMaker(method, roles, 3, "skip", str(tmp_path))
    starts = (0, 4, 4)
    release = insecure(5).one_release(of_files(method))
    made = [
        maker.make(replace(part, start=start), release)
        for part, start in zip(find_parts(tmp_path / "parts"), starts, strict=True)
    ]
    assert [position for part in made for position in part.failed] == list(BAD)
    found = [row for path in sorted(tmp_path.glob("part-*")) for row in rows_of(path)]
    assert found == rows_of(out)


def test_a_row_may_fail_in_one_way_and_another_in_the_other(line, command, tmp_path):
    source = Path(line[1])
    source.write_text(source.read_text() + "{\n")
    result = command(*line, "--on-error", "skip", "--quiet")
    said = "Row 21 could not be read. Rows 4, 18 could not be anonymized. Such rows were left out."
    assert (result.code, result.err) == (4, f"allonym: {said}\n")
    assert len((tmp_path / "o.jsonl").read_text().splitlines()) == 18


def test_vectors_of_such_rows_are_zero_and_their_ids_are_not_charged(syntf, command, tmp_path, read_counts):
    rows = ["key,text", "a,people", "b", "c,people", "d,people,people"]
    (tmp_path / "in.csv").write_text("\n".join(rows) + "\n")
    options = ["--text", "text", "--id", "key", "--on-error", "blank", "--chunk-rows", "1"]
    ledger = ["--budget-db", tmp_path / "ledger"]
    result = command("anonymize", tmp_path / "in.csv", *options, *syntf, *ledger, "-o", tmp_path / "o.npz")
    assert result.code == 4
    assert [sum(row.values()) for row in read_counts(tmp_path / "o.npz")] == [20, 0, 20, 0]
    assert (tmp_path / "o.ids.txt").read_text() == "a\n\nc\n\n"
    again = ["--text", "text", "--id", "key"]
    (tmp_path / "in.csv").write_text("key,text\nb,people\n")  # of the same name: the same data set
    capped = [*ledger, "--cap-document", str(1.01 * cost(command, tmp_path, syntf))]
    command("anonymize", tmp_path / "in.csv", *again, *syntf, *capped, "-o", tmp_path / "b.npz").done()
    (tmp_path / "in.csv").write_text("key,text\na,people\n")
    assert command("anonymize", tmp_path / "in.csv", *again, *syntf, *capped, "-o", tmp_path / "a.npz").code == 3


def cost(command, folder: Path, method: list[str]) -> float:
    """Return what one document spends."""
    (folder / "one.txt").write_text("people")
    return command("anonymize", folder / "one.txt", *method, "--dry-run", "--json").json["guarantee"]["epsilon"]
